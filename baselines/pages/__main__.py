"""Write the made parts of the documentation: `python -m agentgym.baselines.pages`, in the checkout's root."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from agentgym.baselines.pages import cost, site


def main(argv: Sequence[str] | None = None) -> None:
    """Write the pictures and the made parts of the pages; with `--perf` take the costs of a run first."""
    parser = argparse.ArgumentParser(prog="python -m agentgym.baselines.pages", description=__doc__)
    parser.add_argument("docs", nargs="?", type=Path, default=Path("docs"), help="the folder of the pages")
    parser.add_argument("--perf", type=Path, metavar="PATH", help=f"take the costs of a run: {cost.COMMAND}")
    chosen = parser.parse_args(argv)
    try:
        if chosen.perf is not None:
            cost.take(chosen.perf)
        for path, text in site.made(chosen.docs).items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8", newline="\n")
    except (OSError, ValueError) as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
