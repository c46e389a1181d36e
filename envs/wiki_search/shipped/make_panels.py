"""Write the articles and the questions of the panel: `python -m agentgym.envs.wiki_search.shipped.make_panels`.

The articles follow from the shipped facts, the questions from facts and articles and a seed, so the files are the same
on every run; `articles` or `questions` makes one of them alone, `--check` compares instead of writing.
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
from agentgym.envs.wiki_search.shipped.articles.making import packed_articles
from agentgym.envs.wiki_search.shipped.panels import ARTICLES, QUESTIONS
from agentgym.envs.wiki_search.shipped.questions import FAMILIES
from agentgym.envs.wiki_search.shipped.questions.making import made_entries, packed
from agentgym.envs.wiki_search.shipped.questions.pages import Pages
from agentgym.envs.wiki_search.shipped.questions.speech import Speech

DATA: Final = Path(__file__).parents[1] / "data"
FILES: Final = {"articles": ARTICLES, "questions": QUESTIONS}
"""What is made, in order, and its file."""


def shipped_speech() -> Speech:
    """Return the shipped facts and articles."""
    return Speech(facts.load(), Pages(file_source(DATA / ARTICLES).read()))


def made(what: str) -> bytes:
    """Return what the file of `what`, articles or questions, shall hold."""
    if what == "articles":
        return packed_articles(facts.load())
    entries = made_entries(FAMILIES, shipped_speech(), _say)
    _say(f"{len(entries)} questions")
    return packed(entries)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the files, or compare them with what would be written; return 1 if one differs."""
    parser = argparse.ArgumentParser(prog="make_panels", description=__doc__.partition("\n")[0])
    parser.add_argument("what", nargs="?", choices=FILES, help="make this one alone; both when none is given")
    parser.add_argument("--check", action="store_true", help="compare with what is shipped, write nothing")
    options = parser.parse_args(arguments)
    different = 0
    for what in [options.what] if options.what else FILES:
        found, file = made(what), DATA / FILES[what]
        if not options.check:
            file.write_bytes(found)
            continue
        same = gzip.decompress(file.read_bytes()) == gzip.decompress(found)  # how it is compressed is up to the machine
        _say(f"{what}: {'the same' if same else 'DIFFERENT'}")
        different |= not same
    return int(different)


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
