"""Write the questions of the panel: `python -m agentgym.envs.wiki_search.shipped.make_panels`.

They follow from the shipped facts and articles, and from a seed, so the file is the same on every run; `--check`
compares instead of writing.
"""

from __future__ import annotations

import argparse
import gzip
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from agentgym.envs.wiki_search.corpus import file_source
from agentgym.envs.wiki_search.shipped import facts
from agentgym.envs.wiki_search.shipped.panels import ARTICLES, QUESTIONS
from agentgym.envs.wiki_search.shipped.questions import FAMILIES
from agentgym.envs.wiki_search.shipped.questions.making import made_entries, packed
from agentgym.envs.wiki_search.shipped.questions.pages import Pages
from agentgym.envs.wiki_search.shipped.questions.speech import Speech

DATA: Final = Path(__file__).parents[1] / "data"


def shipped_speech() -> Speech:
    """Return the shipped facts and articles."""
    return Speech(facts.load(), Pages(file_source(DATA / ARTICLES).read()))


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the file, or compare it with what would be written; return 1 if they differ."""
    parser = argparse.ArgumentParser(prog="make_panels", description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare with what is shipped, write nothing")
    options = parser.parse_args(arguments)
    entries = made_entries(FAMILIES, shipped_speech(), _say)
    _say(f"{len(entries)} questions")
    if options.check:
        shipped = gzip.decompress((DATA / QUESTIONS).read_bytes())  # how it is compressed is up to the machine
        same = shipped == gzip.decompress(packed(entries))
        _say("the same" if same else "DIFFERENT")
        return int(not same)
    (DATA / QUESTIONS).write_bytes(packed(entries))
    return 0


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
