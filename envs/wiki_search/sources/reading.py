"""What all readers share: items, read from files in any state, become tasks, and what is wrong with them problems."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from agentgym.data import Loaded, Problem, Progress, file_hash
from agentgym.envs.wiki_search.sources.parts import NO_ANSWER, Unplayable
from agentgym.envs.wiki_search.sources.question import Question
from agentgym.task import Task

SPLITS: Final = ("train", "dev", "test")
AGAIN: Final = "download it again"


@dataclass(slots=True)
class _Taken:
    """A question and where it stands."""

    split: str
    file: str
    place: str
    question: Question

    def same_as(self, split: str, question: Question) -> bool:
        asked, answered = self.question.text, self.question.answers
        return (split, question.text, question.answers) == (self.split, asked, answered)


@dataclass(slots=True)
class Reading:
    """A folder under way: its questions, what is wrong with others, and how many there are in all.

    Args:
        folder: of the set.
        progress: see `agentgym.data.Loader`.

    Attributes:
        problems: what is wrong, in the order in which it was found.
        read: how many items were read, those that do not play too.
        expected: how many items and lines of passages there are, as far as it is known.
    """

    folder: Path
    progress: Progress = lambda done, total: None
    problems: list[Problem] = field(default_factory=list)
    read: int = 0
    expected: int = 0
    _done: int = 0
    _taken: dict[str, _Taken] = field(default_factory=dict)

    def step(self) -> None:
        """Count one of what is expected as done."""
        self._done += 1
        self.expected = max(self.expected, self._done)
        self.progress(self._done, self.expected)

    def wrong(self, file: str, place: str, wrong: str, remedy: str, plays: bool = False) -> None:
        """Note what is wrong with a file, an item or a passage."""
        self.problems.append(Problem(file, place, wrong, remedy, plays))

    def items(self, file: str, key: str = "") -> Iterator[tuple[str, Any]]:
        """Yield the items of a file, each with its place: those of a JSON list, or a line each of JSON Lines.

        Args:
            file: below the folder; JSON Lines if its name ends in .jsonl or .jsonl.gz.
            key: where the list stands if the file holds an object.
        """
        if file.endswith((".jsonl", ".jsonl.gz")):
            yield from self.lines(file)
            return
        try:
            held = json.loads((self.folder / file).read_text("utf-8-sig"))
        except OSError as error:
            self.wrong(file, "", f"it cannot be read ({error.strerror})", "put it there")
            return
        except json.JSONDecodeError as error:
            self.wrong(file, f"line {error.lineno}, column {error.colno}", f"this is no JSON ({error.msg})", AGAIN)
            return
        except (ValueError, RecursionError) as error:  # bytes that are no UTF-8, or a file that nests without end
            self.wrong(file, "", f"it is no JSON ({error})", AGAIN)
            return
        held = held.get(key) if key and isinstance(held, dict) else held
        if not isinstance(held, list):
            named = f"in {key!r} " if key else ""
            self.wrong(file, "", f"it holds {named}a JSON {type(held).__name__}, no list of questions", AGAIN)
            return
        yield from ((f"question {number}", entry) for number, entry in enumerate(held))

    def lines(self, file: str) -> Iterator[tuple[str, Any]]:
        """Yield the values of a file with one in each line, and its place; read as it goes. Blank lines are none.

        In the place of a line that is no JSON stands an Unplayable.
        """
        number = 0
        try:
            with _opened(self.folder / file) as held:
                for number, raw in enumerate(held, 1):
                    if raw.isspace():
                        continue
                    try:
                        value = json.loads(raw.rstrip(b"\r\n").decode("utf-8-sig" if number == 1 else "utf-8"))
                    except (ValueError, RecursionError) as error:
                        value = Unplayable(f"this is no JSON ({error})", AGAIN)
                    yield f"line {number}", value
        except (OSError, EOFError, zlib.error) as error:
            why = getattr(error, "strerror", None) or error
            self.wrong(file, f"after line {number}" if number else "", f"it cannot be read ({why})", AGAIN)

    def take(
        self, split: str, file: str, items: Sequence[tuple[str, Any]], parse: Callable[[str, Any], Question]
    ) -> None:
        """Read the items of a file; `parse(place, item)` makes a question of one, or raises Unplayable.

        Where no item of the file has an answer, as in hidden tests, that is one problem.
        """
        first, silent = len(self.problems), 0
        self.read += len(items)
        self.expected += len(items)
        for place, entry in items:
            self.step()
            try:
                question = parse(place, entry)
            except Unplayable as error:
                silent += error.wrong == NO_ANSWER
                self.wrong(file, place, error.wrong, error.remedy)
                continue
            self._keep(split, file, place, question)
        if silent == len(items) > 1:
            self.problems[first:] = [problem for problem in self.problems[first:] if problem.wrong != NO_ANSWER]
            self.wrong(file, "", f"none of its {len(items)} items has an answer", "leave the file out")

    def _keep(self, split: str, file: str, place: str, question: Question) -> None:
        taken = self._taken.setdefault(question.id, _Taken(split, file, place, question))
        if taken.question is not question:
            if not taken.same_as(split, question):  # sets come in several files with the same questions
                wrong = f"its id {question.id!r} is that of {taken.file}, {taken.place}"
                self.wrong(file, place, wrong, "give it an id of its own")
            return
        for wrong, remedy in question.notes:
            self.wrong(file, place, wrong, remedy, plays=True)

    def titles(self) -> set[str]:
        """Return the titles of all gold pages."""
        return {gold.title for taken in self._taken.values() for gold in taken.question.gold}

    def loaded(self, files: Iterable[str], missing: Collection[str] = ()) -> Loaded:
        """Return the tasks.

        Args:
            files: those that hold the passages, below the folder, in their order.
            missing: titles that no passage has; items that rest on them play, and are reported.
        """
        splits: dict[str, list[Task]] = {split: [] for split in SPLITS}
        for taken in self._taken.values():
            for title in dict.fromkeys(gold.title for gold in taken.question.gold):
                if title in missing:
                    wrong = f"no passage has the title {title!r:.80}, which its answer rests on"
                    self.wrong(taken.file, taken.place, wrong, "add the passage, or leave the item out", plays=True)
            splits[taken.split].append(taken.question.task())
        if self.expected > self._done:  # blank and damaged lines
            self.progress(self.expected, self.expected)
        hashes = {file: file_hash(self.folder / file) for file in files if (self.folder / file).is_file()}
        tasks = {split: tuple(found) for split, found in splits.items()}
        return Loaded(tasks, hashes, tuple(self.problems), self.read)


def split_of(file: str) -> str:
    """Return the split that a file's name has as a word of its own; "" if none."""
    words = "".join(letter if letter.isalpha() else " " for letter in Path(file).name.lower()).split()
    return next((split for split in SPLITS if split in words), "")


def count_lines(path: Path) -> int:
    """Return how many lines a file has, to tell progress by; a damaged one counts as far as it goes."""
    count = 0
    with suppress(OSError, EOFError, zlib.error), _opened(path) as held:  # who reads the lines says so
        while block := held.read(1 << 20):
            count += block.count(b"\n")
    return count


def _opened(path: Path) -> Any:
    return gzip.open(path, "rb") if path.name.endswith(".gz") else open(path, "rb")
