"""Readers of the two sets' files. Each item is checked; what is wrong with one is reported without losing the rest."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from string import ascii_uppercase as LETTERS
from typing import Any, Final

from agentgym.data import Loaded, Problem, Progress, file_hash
from agentgym.envs.emotional_support.questions.emobench import KINDS, LANGUAGES, Choices
from agentgym.envs.emotional_support.questions.eq_bench import FULL, Intensities, Scores
from agentgym.errors import DataError, unknown
from agentgym.task import Task

EQ: Final = "eq-bench"
EMO: Final = "emobench"
EQ_FILES: Final = "eq_bench_v2_questions*.json"
PARTS: Final = ("EU", "EA")
FULLSCALE: Final = "reference_answer_fullscale"

_MEND: Final = "mend or remove it"
_BACK: Final = "download the file again"


class _Wrong(Exception):
    """What is wrong with an item."""


def kind_of(folder: Path) -> str:
    """Return which set's files a folder holds: EmoBench's where there is one of its two, else EQ-Bench's."""
    return EMO if any(_file(folder, f"{part}.jsonl") for part in PARTS) else EQ


def load_eq(folder: Path, progress: Progress) -> Loaded:
    """Read EQ-Bench v2: eq_bench_v2_questions_171.json, there or in data/. All questions are the split "test"."""
    places = sorted((*folder.glob(EQ_FILES), *folder.glob(f"data/{EQ_FILES}")))
    places = [place for place in places if not place.stem.endswith("_de")]
    if not places:
        raise DataError(f"{folder} holds no {EQ_FILES}: give the folder of EQ-Bench's questions, or of its repository")
    name = places[0].relative_to(folder).as_posix()
    try:
        held = json.loads(places[0].read_text("utf-8"))
    except (ValueError, RecursionError) as error:
        raise DataError(f"{places[0]} is no JSON ({error}): {_BACK}") from error
    if type(held) is not dict:
        raise DataError(f"{places[0]} must be one JSON object, question by number, not {type(held).__name__}: {_BACK}")
    rows = [(f"question {key}", key, item) for key, item in held.items()]
    tasks, problems = _checked(name, rows, _intensities, progress)
    return Loaded({"test": tuple(tasks.values())}, {name: file_hash(places[0])}, tuple(problems), len(rows))


def load_emo(folder: Path, progress: Progress) -> Loaded:
    """Read EmoBench: EU.jsonl and EA.jsonl, or one of them, there or in data/. A split is a part in one language."""
    splits: dict[str, tuple[Task, ...]] = {}
    files: dict[str, str] = {}
    problems: list[Problem] = []
    items = 0
    for part in PARTS:
        place = _file(folder, f"{part}.jsonl")
        if place is None:
            continue
        name = place.relative_to(folder).as_posix()
        lines = place.read_text("utf-8", "replace").split("\n")
        rows = [(f"line {number}", part, line) for number, line in enumerate(lines, 1) if line.strip()]
        tasks, wrong = _checked(name, rows, _choices, progress)
        for language in LANGUAGES:
            splits[f"{part}-{language}"] = tuple(task for task in tasks.values() if task.data["language"] == language)
        files[name] = file_hash(place)
        problems += wrong
        items += len(rows)
    if not files:
        raise DataError(f"{folder} holds no EU.jsonl and no EA.jsonl: give the folder of EmoBench's data")
    return Loaded(splits, files, tuple(problems), items)


def _file(folder: Path, name: str) -> Path | None:
    return next((place for place in (folder / name, folder / "data" / name) if place.is_file()), None)


def _checked(
    file: str, rows: list[tuple[str, str, Any]], read: Callable[[str, Any], Task], progress: Progress
) -> tuple[dict[str, Task], list[Problem]]:
    """Return the items that play, by id, and what is wrong with the others."""
    tasks: dict[str, Task] = {}
    problems = []
    for done, (item, key, value) in enumerate(rows, 1):
        try:
            task = read(key, value)
            if task.id in tasks:
                raise _Wrong(f"{task.id} was there before")
            tasks[task.id] = task
        except _Wrong as error:
            problems.append(Problem(file, item, str(error), _MEND))
        progress(done, len(rows))
    return tasks, problems


# ---- items -------------------------------------------------------------------------------------------------------


def _intensities(key: str, item: Any) -> Task:
    """Return the task of a question of EQ-Bench."""
    prompt = _text(item, "prompt")
    full = dict(_scores(item, FULLSCALE))
    relative = dict(_scores(item, "reference_answer"))
    if not any(full.values()):
        raise _Wrong("its reference feels nothing")
    if full.keys() != relative.keys():
        raise _Wrong("its two references name different emotions")
    for name in full:
        if f"\n{name}\n" not in prompt:
            raise _Wrong(f"its prompt does not ask for {name!r}")
    return Task(f"eq-{key}", {"set": EQ, "prompt": prompt, "reference": full, "relative": relative})


def _scores(item: Mapping[str, Any], key: str) -> Iterator[tuple[str, float]]:
    """Yield the four emotions of a reference and their intensities."""
    held = item.get(key)
    if type(held) is not dict:
        raise _Wrong(f"{key} is missing or no object")
    seen: set[str] = set()
    for number in range(1, 5):
        name = _text(held, f"emotion{number}", f"{key}: ")
        value: Any = held.get(f"emotion{number}_score")
        try:
            score = float(value) if type(value) in (int, float, str) else -1.0
        except (ValueError, OverflowError):
            score = -1.0
        if not 0.0 <= score <= FULL or (key == FULLSCALE and score % 1.0):  # answers are whole numbers
            raise _Wrong(f"{key}: emotion{number}_score must be a number from 0 to 10, not {value!r:.40}")
        if not name.isidentifier() or name in seen:  # one word, as answers are read
            raise _Wrong(f"{key}: emotion{number} must be one word of its own, not {name!r:.40}")
        seen.add(name)
        yield name, score


def _choices(part: str, line: str) -> Task:
    """Return the task of a line of EmoBench."""
    try:
        item = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _Wrong(f"it is no JSON ({error})") from None
    language, number = _text(item, "language"), _text(item, "qid")
    if language not in LANGUAGES:
        raise _Wrong(unknown("language", language, LANGUAGES))
    keys = (
        (("emotion_choices", "emotion_label"), ("cause_choices", "cause_label"))
        if part == "EU"
        else (("choices", "label"),)
    )
    asked = [_options(item, *names) for names in keys]
    kind = _text(item, "question type") if part == "EA" else ""
    if part == "EA" and kind not in KINDS:
        raise _Wrong(unknown("question type", kind, KINDS))
    data = {
        "set": EMO, "part": part, "language": language, "kind": kind,
        "category": _text(item, "coarse_category" if part == "EU" else "category"),
        "scenario": _text(item, "scenario"), "subject": _text(item, "subject"),
        "options": [options for options, _ in asked], "right": [place for _, place in asked],
    }  # fmt: skip
    return Task(f"{part}-{language}-{number}", data)


def _options(item: Mapping[str, Any], key: str, label: str) -> tuple[list[str], int]:
    """Return the choices of a question, and the place of the right one."""
    options, right = item.get(key), _text(item, label)
    if type(options) is not list or not all(type(option) is str for option in options):
        raise _Wrong(f"{key} must be a list of texts")
    if not 2 <= len(options) <= len(LETTERS) or len(set(options)) < len(options):
        raise _Wrong(f"{key} must hold 2 to {len(LETTERS)} different texts")
    if right not in options:
        raise _Wrong(f"{label} is {right!r:.60}, which is none of {key}")
    return options, options.index(right)


def _text(item: Any, key: str, where: str = "") -> str:
    """Return a text of an item, as it stands."""
    if type(item) is not dict:
        raise _Wrong(f"{where}it must be an object, not {type(item).__name__}")
    value = item.get(key)
    if type(value) is not str or not value.strip():
        raise _Wrong(f"{where}{key} is missing, empty or no text")
    return value


# ---- tasks -------------------------------------------------------------------------------------------------------


def question(data: Mapping[str, Any], revise: bool) -> Intensities | Choices:
    """Return the question that a task's data holds.

    Raises:
        KeyError, TypeError: the data is of another form.
    """
    if data["set"] == EQ:
        return Intensities(data["prompt"], _sorted(data["reference"]), _sorted(data["relative"]), revise)
    options = tuple(tuple(options) for options in data["options"])
    about = {name: data[name] for name in ("part", "language", "category", "scenario", "subject", "kind")}
    return Choices(**about, options=options, right=tuple(data["right"]))


def _sorted(scores: Mapping[str, float]) -> Scores:
    return tuple((name, float(value)) for name, value in scores.items())
