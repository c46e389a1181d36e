"""BEIR's layout: corpus.jsonl, queries.jsonl, qrels/train.tsv, qrels/dev.tsv, qrels/test.tsv.

A line of the corpus holds _id, title and text; where the title is blank, the _id is it. A line of queries holds _id and
text; the answer or answers of its metadata are taken where it has them. A line of qrels holds a query, a passage and a
score; the passages with a score above 0 are the gold ones. BEIR is made for retrieval: without answers in the metadata,
a task can be judged by the evidence that was found alone, and its list of answers is empty.

Source: https://github.com/beir-cellar/beir, Thakur et al. 2021, arXiv 2104.08663.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from agentgym.data import Loaded, Progress
from agentgym.envs.wiki_search.passages import Passage
from agentgym.envs.wiki_search.sources.contexts import a_passage
from agentgym.envs.wiki_search.sources.corpus import corpus_passages, scan
from agentgym.envs.wiki_search.sources.parts import Unplayable, a_part, a_text, an_id, an_object, answers_of
from agentgym.envs.wiki_search.sources.question import Gold, Question, passage_key
from agentgym.envs.wiki_search.sources.reading import AGAIN, SPLITS, Reading
from agentgym.errors import DataError

CORPUS, QUERIES = "corpus.jsonl", "queries.jsonl"
SCORE = re.compile(r"\s*-?[0-9]{1,9}\s*")


@dataclass(slots=True)
class _Judged:
    """A query of a split: where it stands first, and its gold passages."""

    place: str
    passages: dict[str, None]


def load(folder: Path, progress: Progress) -> Loaded:
    """Read a folder; see `agentgym.data.Loader`.

    Raises:
        DataError: a part of the layout is missing.
    """
    files = [(split, f"qrels/{split}.tsv") for split in SPLITS if (folder / f"qrels/{split}.tsv").is_file()]
    lacks = [name for name in (CORPUS, QUERIES) if not (folder / name).is_file()] + (
        [] if files else ["qrels/test.tsv"]
    )
    if lacks:
        raise DataError(f"{folder} lacks {' and '.join(lacks)} of BEIR's layout: put it there")
    reading = Reading(folder, progress)
    judged = {file: _judged(reading, file) for _, file in files}
    wanted = {passage for queries in judged.values() for query in queries.values() for passage in query.passages}
    gold = dict[str, Gold]()

    def found(value: Any, passage: Passage) -> None:
        if (name := an_id(value, "_id")) in wanted:
            gold.setdefault(name, Gold(passage.title, passage_key(passage)))

    scan(reading, CORPUS, _passages, found)
    queries = _queries(reading)
    for split, file in files:
        items = [(query.place, (name, query)) for name, query in judged[file].items()]
        reading.take(split, file, items, partial(_question, queries, gold))
    return reading.loaded([CORPUS])


def passages(folder: Path, file: str) -> Iterator[Passage]:
    """Yield the passages of the corpus."""
    return corpus_passages(folder, file, _passages)


def _passages(value: Any) -> Iterator[Passage | Unplayable]:
    try:
        held = an_object(value)
        name, text = an_id(held, "_id"), a_text(held, "text")
    except Unplayable as error:
        yield error
        return
    title = held.get("title")
    yield a_passage(title if isinstance(title, str) and title.strip() else name, text)


def _judged(reading: Reading, file: str) -> dict[str, _Judged]:
    """Return the queries of a file of judgements that have a gold passage."""
    queries: dict[str, _Judged] = {}
    number = 0
    try:
        with open(reading.folder / file, encoding="utf-8-sig", newline="") as held:
            for number, row in enumerate(csv.reader(held, delimiter="\t", quoting=csv.QUOTE_NONE), 1):
                match row:
                    case ["query-id", *_] | []:
                        continue
                    case [str(query), str(passage), str(score)] if SCORE.fullmatch(score):
                        if int(score) > 0:
                            queries.setdefault(query, _Judged(f"line {number}", {})).passages[passage] = None
                    case _:
                        wrong = f"it is {row!r:.60}, no query, passage and score"
                        reading.wrong(file, f"line {number}", wrong, "mend it, or leave it out")
    except (OSError, ValueError, csv.Error) as error:
        reading.wrong(file, f"after line {number}", f"it cannot be read ({error})", AGAIN)
    return queries


def _queries(reading: Reading) -> dict[str, Any]:
    queries: dict[str, Any] = {}
    for place, entry in reading.lines(QUERIES):
        try:
            held = an_object(entry)
            queries.setdefault(an_id(held, "_id"), held)
        except Unplayable as error:
            reading.wrong(QUERIES, place, error.wrong, error.remedy)
    return queries


def _question(queries: dict[str, Any], gold: dict[str, Gold], place: str, item: tuple[str, _Judged]) -> Question:
    name, judged = item
    if name not in queries:
        raise Unplayable(f"its query {name!r:.80} is not in {QUERIES}", "add it there, or leave it out")
    held = queries[name]
    metadata = a_part(held, "metadata")
    given = [metadata.get("answer"), metadata.get("answers")]
    answers = answers_of(*given) if any(given) else ()
    pages = tuple(gold[passage] for passage in judged.passages if passage in gold)
    lost = [passage for passage in judged.passages if passage not in gold]
    if not pages and not answers:
        raise Unplayable(f"none of its passages is in {CORPUS}, such as {lost[0]!r:.80}", "add them, or leave it out")
    notes = tuple((f"its passage {passage!r:.80} is not in {CORPUS}", "add it, or leave it out") for passage in lost)
    return Question(name, a_text(held, "text"), answers, pages, (), "", "", notes)
