"""What the GPU recipe needs of a machine, all that is missing at once, with remedies. Standard library and torch only.

Run as a file, before anything is installed: `python -P baselines/grpo/recipe_check.py SIZE WHEELS`. Prints the names of
the distributions to install from the folder of wheels; what is missing goes to standard error, with exit status 2.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

MODULES = {
    "numpy": "numpy", "gymnasium": "gymnasium", "farama_notifications": "Farama-Notifications",
    "cloudpickle": "cloudpickle", "typing_extensions": "typing_extensions", "minigrid": "minigrid",
    "pygame": "pygame-ce", "rich": "rich", "markdown_it": "markdown-it-py", "mdurl": "mdurl", "pygments": "Pygments",
    "matplotlib": "matplotlib", "contourpy": "contourpy", "cycler": "cycler", "fontTools": "fonttools",
    "kiwisolver": "kiwisolver", "packaging": "packaging", "PIL": "pillow", "pyparsing": "pyparsing",
    "dateutil": "python-dateutil",
}  # fmt: skip
"""Module → distribution that may come as a wheel; torch and transformers must be there."""

LEAST = {"torch": (2, 8), "transformers": (5, 0)}
PYTHONS = ((3, 11), (3, 14))


def missing(size: str, wheels: str) -> tuple[list[str], list[str]]:
    """Return the distributions to install from `wheels`, and a line for everything that is missing.

    Args:
        size: "toy" runs on the CPU, every other size needs a GPU.
        wheels: folder; "": none was given.
    """
    lines = _python() + [line for name, least in LEAST.items() for line in _library(name, least)]
    if size != "toy" and importlib.util.find_spec("torch") is not None:
        lines += _gpu()
    there = _wheels(wheels)
    wanted = [name for module, name in MODULES.items() if importlib.util.find_spec(module) is None]
    where = f"no wheel of it in {wheels}" if wheels else "and no folder of wheels was given"
    lines += [f"{name} is not installed, {where}: pip download --no-deps {name}, then WHEELS=its folder"
              for name in wanted if _plain(name) not in there]  # fmt: skip
    return wanted, lines


def _python() -> list[str]:
    here = sys.version_info[:2]
    if PYTHONS[0] <= here < PYTHONS[1]:
        return []
    return [f"python is {here[0]}.{here[1]}, 3.11 to 3.13 is needed: PYTHON=path/to/python3.12"]


def _library(name: str, least: tuple[int, int]) -> list[str]:
    need = f"{name} {least[0]}.{least[1]} or newer must be installed"
    try:
        held = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return [f"{name} is not installed for {sys.executable}: {need}, or PYTHON=the python that has it"]
    found = tuple(map(int, re.findall(r"\d+", held)[:2]))
    return [] if found >= least else [f"{name} is {held}: {need}"]


def _gpu() -> list[str]:
    import torch

    if not torch.cuda.is_available():
        built = torch.version.cuda
        why = f"built for CUDA {built}, sees none" if built else "is a build for the CPU"
        return [f"no GPU: torch {torch.__version__} {why}; SIZE=toy tries the recipe on the CPU"]
    return [] if torch.cuda.is_bf16_supported() else ["the GPU has no bfloat16: add CONFIG='dtype=float32'"]


def _wheels(folder: str) -> set[str]:
    return {_plain(path.name.split("-")[0]) for path in Path(folder).glob("*.whl")} if folder else set()


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def main(arguments: Sequence[str], out: Any = sys.stdout, err: Any = sys.stderr) -> int:
    """Say what is missing, or what to install; return the exit status."""
    size, wheels = arguments
    wanted, lines = missing(size, wheels)
    for line in lines:
        err.write(f"missing: {line}\n")
    out.write(" ".join(wanted) + "\n")
    return 2 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
