"""Fuzz by coverage: `python tests/fuzz/run.py --seconds 600` gives every target ten minutes and keeps what it finds.

What reaches new lines is written to tests/fuzz/corpus/TARGET/, what breaks a target to tests/fuzz/failures/TARGET/,
which is not kept in the repository: mend it, then move the input into the corpus. Prints a Markdown table.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1]), str(Path(__file__).parent)]

from fuzz_targets import targets
from guided import Found, fuzz, store, stored

HERE = Path(__file__).parent


def main(arguments: list[str] | None = None) -> int:
    """Fuzz the targets; the exit status is 1 where one is broken."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=600.0, help="of each target (600)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", action="append", default=[], help="this target; repeatable")
    parser.add_argument("--keep", action="store_true", help="write what reaches new lines into the corpus")
    given = parser.parse_args(arguments)
    rows = ["| target | runs | pairs of lines | inputs kept | failures |", "| --- | --- | --- | --- | --- |"]
    broken = 0
    for name, target in targets().items():
        if given.only and name not in given.only:
            continue
        found: Found = fuzz(target, stored(HERE / "corpus" / name), seconds=given.seconds, seed=given.seed)
        if given.keep:
            store(HERE / "corpus" / name, found.kept)
        if found.failures:
            store(HERE / "failures" / name, [raw for raw, _ in found.failures])
        for raw, wrong in found.failures[:3]:
            print(f"{name}: {wrong}: {raw!r:.300}", file=sys.stderr, flush=True)
        broken += len(found.failures)
        rows.append(f"| {name} | {found.runs:,} | {len(found.edges):,} | {len(found.kept)} | {len(found.failures)} |")
        print(rows[-1], file=sys.stderr, flush=True)
    print("\n".join(rows))
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
