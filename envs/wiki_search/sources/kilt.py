"""KILT's layout: kilt_knowledgesource.json (JSON Lines, for all its name) and NAME-dev-kilt.jsonl for every set.

A line of the knowledge source is a page: wikipedia_title and text, a list of paragraphs; each paragraph is a passage,
but the title and the headings ("Section::::"), and "BULLET::::" is taken away. A line of a set holds id, input and
output, a list of answer and provenance (pages with their title). All answers are accepted; the gold pages are those of
the first output that names some, since each is a complete set of evidence. The name of the set begins the ids of its
tasks, "nq/5328", and is their type. Without the knowledge source the questions play over the corpus of another set.

Source: https://github.com/facebookresearch/KILT, Petroni et al. 2021, arXiv 2009.02252.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from agentgym.data import Loaded, Progress
from agentgym.envs.wiki_search.passages import Passage
from agentgym.envs.wiki_search.sources.contexts import a_passage
from agentgym.envs.wiki_search.sources.corpus import corpus_passages, missing_titles
from agentgym.envs.wiki_search.sources.parts import Unplayable, a_text, an_id, an_object, answers_of, shown
from agentgym.envs.wiki_search.sources.question import Gold, Question
from agentgym.envs.wiki_search.sources.reading import Reading, split_of
from agentgym.errors import DataError

CORPUS = "kilt_knowledgesource.json"


def load(folder: Path, progress: Progress) -> Loaded:
    """Read a folder; see `agentgym.data.Loader`.

    Raises:
        DataError: it holds no file of questions.
    """
    names = sorted(file.name for file in folder.glob("*-kilt.jsonl"))
    files = [(split, name) for name in names if (split := split_of(name))]
    if not files:
        raise DataError(f"{folder} holds no questions of KILT, such as nq-dev-kilt.jsonl")
    reading = Reading(folder, progress)
    for split, name in files:
        kind = name.partition(f"-{split}")[0]
        reading.take(split, name, list(reading.items(name)), partial(_question, kind))
    if not (folder / CORPUS).is_file():
        remedy = "put it there, or play over the passages of another set"
        reading.wrong(CORPUS, "", "it is missing, so the set has no passages", remedy, plays=True)
        return reading.loaded(())
    return reading.loaded([CORPUS], missing_titles(reading, CORPUS, _passages))


def passages(folder: Path, file: str) -> Iterator[Passage]:
    """Yield the passages of the knowledge source, a paragraph each."""
    return corpus_passages(folder, file, _passages)


def _passages(value: Any) -> Iterator[Passage | Unplayable]:
    match value:
        case {"wikipedia_title": str(title), "text": [*paragraphs]} if title.strip() and all(
            isinstance(paragraph, str) for paragraph in paragraphs
        ):
            for number, paragraph in enumerate(paragraphs):
                text = paragraph.strip().removeprefix("BULLET::::").removeprefix("- ").strip()
                heading = text.startswith("Section::::") or (number == 0 and text == title.strip())
                if text and not heading:
                    yield a_passage(title, text)
        case _:
            yield Unplayable(f"it is {shown(value)}, without a wikipedia_title or paragraphs", "mend it")


def _question(kind: str, place: str, entry: Any) -> Question:
    held = an_object(entry)
    outputs = held.get("output")
    there = [output for output in outputs if isinstance(output, dict)] if isinstance(outputs, list) else []
    evidence = (_gold(output.get("provenance")) for output in there)
    gold = next((pages for pages in evidence if pages), ())
    answers = answers_of(*(output.get("answer") for output in there))
    return Question(f"{kind}/{an_id(held, 'id')}", a_text(held, "input"), answers, gold, (), kind)


def _gold(provenance: Any) -> tuple[Gold, ...]:
    pages = provenance if isinstance(provenance, list) else []
    titles = [page["title"].strip() for page in pages if isinstance(page, dict) and isinstance(page.get("title"), str)]
    return tuple(Gold(title) for title in dict.fromkeys(titles) if title)
