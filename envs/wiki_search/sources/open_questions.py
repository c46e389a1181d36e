"""Files of questions without passages, which are asked over the corpus of another set: Natural Questions and TriviaQA.

Three layouts are read, the first that is there:

    own      NQ-open.train.jsonl, NQ-open.dev.jsonl: question, answer (a list);
             TriviaQA's wikipedia-train.json, web-dev.json, unfiltered-web-dev.json, …, in the folder, in qa/ or in
             triviaqa-unfiltered/: Data, a list of Question, QuestionId, Answer (Value, Aliases, HumanAnswers)
    golden   train.jsonl, dev.jsonl, test.jsonl: id, question, golden_answers, and metadata, whose type, level and
             titles of supporting_facts are taken where it has them (FlashRAG, which Search-R1 trains on)
    DPR      nq-train.qa.csv, trivia-test.qa.csv, …: question, tab, list of answers

A question without an id is called after its split and its line, "dev-1" being the first. Hidden tests do not play.

Sources: Kwiatkowski et al. 2019 and Lee et al. 2019, arXiv 1906.00300; Joshi et al. 2017, arXiv 1705.03551; Jin et al.
2024, arXiv 2405.13576; Karpukhin et al. 2020, arXiv 2004.04906.
"""

from __future__ import annotations

import ast
import csv
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from agentgym.data import Loaded, Progress
from agentgym.envs.wiki_search.sources.parts import Unplayable, a_part, a_text, a_word, an_id, an_object, answers_of
from agentgym.envs.wiki_search.sources.question import Gold, Question
from agentgym.envs.wiki_search.sources.reading import AGAIN, SPLITS, Reading, split_of
from agentgym.errors import DataError

Files = list[tuple[str, str]]


def load_nq(folder: Path, progress: Progress) -> Loaded:
    """Read a folder of Natural Questions; see `agentgym.data.Loader`.

    Raises:
        DataError: it holds no file of questions.
    """
    own = _named(folder, ["NQ-open*.jsonl"])
    reading = Reading(folder, progress)
    for split, file in own:
        reading.take(split, file, list(reading.items(file)), partial(_nq, split))
    return _rest(reading, bool(own), "nq", "NQ-open.dev.jsonl")


def load_triviaqa(folder: Path, progress: Progress) -> Loaded:
    """Read a folder of TriviaQA; see `agentgym.data.Loader`.

    Raises:
        DataError: it holds no file of questions.
    """
    places = ("", "qa/", "triviaqa-unfiltered/")
    own = _named(folder, [f"{place}{kind}-*.json" for place in places for kind in ("*wikipedia", "*web")])
    reading = Reading(folder, progress)
    for split, file in own:
        reading.take(split, file, list(reading.items(file, "Data")), _trivia)
    return _rest(reading, bool(own), "trivia", "wikipedia-dev.json")


def _rest(reading: Reading, done: bool, name: str, example: str) -> Loaded:
    """Read the layouts that are not a set's own, if its own was not there."""
    golden = [] if done else golden_files(reading.folder)
    for split, file in golden:
        take_golden(reading, split, file)
    tables = [] if done or golden else _named(reading.folder, [f"{name}-*.qa.csv"])
    for split, file in tables:
        reading.take(split, file, list(_rows(reading, file)), partial(_row, split))
    if not (done or golden or tables):
        others = f"{example}, dev.jsonl, {name}-dev.qa.csv"
        raise DataError(f"{reading.folder} holds no file of questions; looked for such as {others}")
    return reading.loaded(())


def _named(folder: Path, patterns: list[str]) -> Files:
    found = [file.relative_to(folder).as_posix() for pattern in patterns for file in sorted(folder.glob(pattern))]
    return [(split, file) for file in dict.fromkeys(found) if (split := split_of(file))]


def golden_files(folder: Path, inner: str = "") -> Files:
    """Return the split and the name of each file of questions with golden answers; `inner` is "" or a folder below."""
    return [(split, f"{inner}{split}.jsonl") for split in SPLITS if (folder / f"{inner}{split}.jsonl").is_file()]


def take_golden(reading: Reading, split: str, file: str) -> None:
    """Read a file of questions with golden answers; the name of a folder that it stands in begins their ids."""
    inner = file.rpartition("/")[0]
    reading.take(split, file, list(reading.items(file)), partial(_golden, f"{inner}/" if inner else ""))


def _golden(prefix: str, place: str, entry: Any) -> Question:
    held = an_object(entry)
    notes = a_part(held, "metadata")
    titles = a_part(notes, "supporting_facts").get("title")
    named = [title.strip() for title in titles if isinstance(title, str)] if isinstance(titles, list) else []
    gold = tuple(Gold(title) for title in dict.fromkeys(named) if title)
    asked, answers = a_text(held, "question"), answers_of(held.get("golden_answers"))
    kind, level = a_word(notes, "type"), a_word(notes, "level")
    return Question(prefix + an_id(held, "id"), asked, answers, gold, (), kind, level)


def _nq(split: str, place: str, entry: Any) -> Question:
    held = an_object(entry)
    return Question(f"{split}-{place.removeprefix('line ')}", a_text(held, "question"), answers_of(held.get("answer")))


def _trivia(place: str, entry: Any) -> Question:
    held = an_object(entry)
    answer = a_part(held, "Answer")
    accepted = answers_of(answer.get("Value"), answer.get("Aliases"), answer.get("HumanAnswers"))
    return Question(an_id(held, "QuestionId"), a_text(held, "Question"), accepted)


def _rows(reading: Reading, file: str) -> Iterator[tuple[str, Any]]:
    """Yield the rows of a table with tabs between its columns."""
    number = 0
    try:
        with open(reading.folder / file, encoding="utf-8-sig", newline="") as held:
            for number, row in enumerate(csv.reader(held, delimiter="\t"), 1):
                yield f"line {number}", row
    except (OSError, ValueError, csv.Error) as error:
        reading.wrong(file, f"after line {number}", f"it cannot be read ({error})", AGAIN)


def _row(split: str, place: str, row: Any) -> Question:
    if len(row) != 2:
        raise Unplayable(f"it has {len(row)} columns, not a question and its answers", "mend it, or leave it out")
    try:
        answers = ast.literal_eval(row[1])
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        raise Unplayable(f"its answers {row[1]!r:.60} are no list of texts", "write one") from None
    held = {"question": row[0]}
    return Question(f"{split}-{place.removeprefix('line ')}", a_text(held, "question"), answers_of(answers))
