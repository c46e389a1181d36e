"""wiki-18, the corpus of Search-R1, with files of questions: wiki-18.jsonl or wiki-18.jsonl.gz, and SET/test.jsonl.

A line of the corpus holds contents: the title in double quotes, a line break, the text; or title and text apart. The
questions are those of `open_questions`, in the folder itself or in one below it for each set, whose name then begins
the id of their tasks: "nq/test_0".

Source: https://github.com/PeterGriffinJin/Search-R1, Jin et al. 2025, arXiv 2503.09516; the passages are those of
Karpukhin et al. 2020, arXiv 2004.04906.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agentgym.data import Loaded, Progress
from agentgym.envs.wiki_search.passages import Passage
from agentgym.envs.wiki_search.sources.contexts import a_passage
from agentgym.envs.wiki_search.sources.corpus import corpus_passages, missing_titles
from agentgym.envs.wiki_search.sources.open_questions import golden_files, take_golden
from agentgym.envs.wiki_search.sources.parts import Unplayable, shown
from agentgym.envs.wiki_search.sources.reading import Reading
from agentgym.errors import DataError

CORPORA = ("wiki-18.jsonl", "wiki-18.jsonl.gz")


def load(folder: Path, progress: Progress) -> Loaded:
    """Read a folder; see `agentgym.data.Loader`.

    Raises:
        DataError: it holds no corpus, or no file of questions.
    """
    corpus = next((name for name in CORPORA if (folder / name).is_file()), "")
    if not corpus:
        raise DataError(f"{folder} holds neither {CORPORA[0]} nor {CORPORA[1]}: put the corpus of Search-R1 there")
    inner = sorted(place.name for place in folder.iterdir() if place.is_dir())
    files = golden_files(folder) + [file for name in inner for file in golden_files(folder, f"{name}/")]
    if not files:
        raise DataError(f"{folder} holds no questions beside {corpus}: put some there, such as nq/test.jsonl")
    reading = Reading(folder, progress)
    for split, file in files:
        take_golden(reading, split, file)
    return reading.loaded([corpus], missing_titles(reading, corpus, line_passages))


def passages(folder: Path, file: str) -> Iterator[Passage]:
    """Yield the passages of the corpus."""
    return corpus_passages(folder, file, line_passages)


def line_passages(value: Any) -> Iterator[Passage | Unplayable]:
    """Yield the passage of a line of the corpus, or what is wrong with it."""
    match value:
        case {"title": str(title), "text": str(text)}:
            yield a_passage(title, text)
        case {"contents": str(contents)}:
            title, _, text = contents.partition("\n")
            title = title.strip()
            quoted = len(title) > 1 and title[0] == title[-1] == '"'
            yield a_passage(title[1:-1] if quoted else title, text)
        case _:
            yield Unplayable(f"it is {shown(value)}, without title and text, or contents", "mend it, or leave it out")
