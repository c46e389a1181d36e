"""Readers of public data sets of questions and passages, one layout a module.

`load_source` finds a set that was added by `agentgym data add`, or reads a folder on the spot; `passages` gives what is
searched. The task of a question holds

    question   what is asked
    answers    all accepted answers, the set's own first; [] where the set has none (BEIR)
    gold       the pages that it rests on, [{"title", "passage"}], as far as the set says; "passage" is the
               `question.passage_key` of the very passage, or "" where only the page is known
    hops       the gold decomposition, [{"question", "answer", "title", "passage"}], [] where the set has none; #1 in a
               question stands for the first answer
    type       such as "bridge", and
    level      such as "hard", in the set's own words, "" where it has none
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Final

from agentgym import data as store
from agentgym.data import Source
from agentgym.envs.wiki_search.passages import Passage
from agentgym.errors import DataError

MARKS: Final[Mapping[str, tuple[str, ...]]] = {
    "hotpotqa": ("hotpot*.json",),
    "musique": ("musique*.jsonl", "musique*.json"),
    "wiki-18": ("wiki-18.jsonl", "wiki-18.jsonl.gz"),
    "kilt": ("*-kilt.jsonl",),
    "beir": ("queries.jsonl",),
    "triviaqa": ("*wikipedia-*.json", "*web-*.json", "qa/*-*.json", "triviaqa-unfiltered/*.json", "trivia-*.qa.csv"),
    "2wiki": ("train.json", "dev.json", "test.json"),
    "nq": ("NQ-open*.jsonl", "nq-*.qa.csv"),
}
"""By kind, in `agentgym.data.SETS`: files, one of which tells the layout. The first kind counts.

Folders of train.jsonl, dev.jsonl, test.jsonl alone do not say what they hold: `agentgym data add` is told the kind.
"""


def load_source(name: str = "", folder: str | os.PathLike[str] = "") -> Source:
    """Return a public data set; a process reads each once.

    Args:
        name: what it was added as (`agentgym data add`).
        folder: or the folder of its files, which is read and checked on the spot; the layout tells which set it is.

    Raises:
        ValueError: none of the two is given, or both; a data set of another world.
        DataError: there is no such set, or nothing in it plays.
    """
    return store.find(name, folder, MARKS, "questions over passages", kind_of)


def kind_of(folder: Path) -> str:
    """Return which set's layout a folder has. Raises DataError: none, or there is no such folder."""
    if not folder.is_dir():
        raise DataError(f"{folder} is no folder: give the one that holds the files of a set")
    for kind, marks in MARKS.items():
        if any(any(folder.glob(mark)) for mark in marks):
            return kind
    shown = "; ".join(f"{kind} {marks[0]}" for kind, marks in MARKS.items())
    raise DataError(f"{folder} has the layout of none of the sets, each of which has a file such as: {shown}")


def passages(source: Source) -> Iterator[Passage]:
    """Yield the passages of a set in the order of its files, read as it goes; equal ones come as often as they stand.

    Two passages with one title and different texts are two: what tells passages apart is (title, text).

    Raises:
        DataError: one of its files is missing, or no longer what it was when it was checked.
    """
    module = import_module(store.SETS[source.kind].loader.partition(":")[0])
    for file in source.files:
        source.file(file, "the passages")
        yield from module.passages(source.folder, file)
