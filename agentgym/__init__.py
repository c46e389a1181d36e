"""agentgym: forkable text worlds, one record a turn, and the true advantages to judge credit assignment by."""

from pathlib import Path as _Path

if __name__ != "agentgym":
    raise ImportError(
        f"agentgym was imported as {__name__!r}, a second copy of itself: "
        "put the checkout's root on the path, not a folder above or below it."
    )
if not (_Path(__file__).parent / "envs").is_dir():  # a checkout: envs/, wrappers/, baselines/ lie beside this folder
    __path__.append(str(_Path(__file__).parent.parent))

__version__ = "0.1.0"
