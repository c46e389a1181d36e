"""Stories: what happened to a seeker, and how a person tells it. Read from data/stories.txt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from agentgym.errors import DataError, unknown

_BEGINS: Final = re.compile(r"(?:^|(?<=[.?!] ))[a-z]")
PATH: Final = Path(__file__).parent / "data" / "stories.txt"
FACTS: Final = 4

FAMILIES: Final[Mapping[str, Sequence[str]]] = {
    "sad": ("sad", "heartbroken", "grieving", "low", "numb", "bereft"),
    "lonely": ("lonely", "alone", "isolated", "left out", "unwanted", "overlooked", "invisible", "unseen"),
    "afraid": ("afraid", "scared", "frightened", "terrified", "worried", "anxious", "panicky"),
    "angry": ("angry", "furious", "cross", "resentful", "bitter"),
    "ashamed": ("ashamed", "embarrassed", "humiliated", "small", "exposed", "foolish", "stupid", "a fraud", "fake"),
    "guilty": ("guilty", "terrible", "dishonest", "sick"),
    "overwhelmed": ("overwhelmed", "trapped", "stuck", "cornered", "caught"),
    "exhausted": ("exhausted", "worn out", "drained", "empty", "tired"),
    "hopeless": ("hopeless", "useless", "worthless", "powerless", "helpless", "weak", "lost"),
    "hurt": ("hurt", "upset", "rejected", "betrayed", "let down"),
    "confused": ("confused", "torn", "unsure"),
    "frustrated": ("frustrated", "fed up"),
}
"""The words for feelings in which seekers speak, by family."""

FAMILY: Final[Mapping[str, str]] = {word: family for family, words in FAMILIES.items() for word in words}


@dataclass(frozen=True, slots=True)
class Matter:
    """Something that a seeker can tell: what it is about, the fact itself, ways of telling it, all in their words."""

    about: str
    clause: str
    told: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Feeling:
    """A feeling: the seeker's own word first, others for it, and what the seeker says when somebody names it."""

    words: tuple[str, ...]
    told: tuple[str, ...]

    @property
    def family(self) -> str:
        """Return the family of the seeker's own word."""
        return FAMILY[self.words[0]]


@dataclass(frozen=True, slots=True)
class Story:
    """A story.

    Attributes:
        name: "area/what". openers: first words of the talk.
        facts: four, in the order in which they are told. feel: what goes with them.
        concern: what is held back. deep: the feeling behind it.
        strength: what the seeker has done well. step: what they can do next; its clause begins with a verb.
        advice: what people say too soon, beginning with a verb. lies: clauses that are not so.
        small: one that belittles.
    """

    name: str
    openers: tuple[str, ...]
    facts: tuple[Matter, ...]
    feel: Feeling
    concern: Matter
    deep: Feeling
    strength: Matter
    step: Matter
    advice: str
    lies: tuple[str, ...]
    small: str

    @property
    def area(self) -> str:
        """Return the area of life."""
        return self.name.split("/")[0]


@dataclass(frozen=True, slots=True)
class Template:
    """A story before its names are filled in: the lines of its block, and the values of its slots."""

    name: str
    lines: tuple[tuple[str, str], ...]
    slots: tuple[tuple[str, tuple[str, ...]], ...]

    def fill(self, values: Mapping[str, str]) -> Story:
        """Return the story with a value for every slot and name."""
        return story_of({"name": self.name, "lines": [[key, _filled(text, values)] for key, text in self.lines]})

    @property
    def used(self) -> frozenset[str]:
        """Return the names of all slots that the lines use."""
        return frozenset(found for _, text in self.lines for found in re.findall(r"\{(\w+)\}", text))


def _filled(text: str, values: Mapping[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda match: values[match[1]], text)


def story_of(data: Mapping[str, Any]) -> Story:
    """Return the story of plain data: {"name": …, "lines": [[key, text], …]}, as tasks hold it.

    Raises:
        DataError: a key that is unknown or missing, a part that is not there, a feeling that has no family.
    """
    name = str(data["name"])
    parts: dict[str, list[str]] = {key: [] for key in _KEYS}
    for key, text in data["lines"]:
        if key not in parts:
            raise DataError(f"story {name!r}: {unknown('line', key, _KEYS)}")
        parts[key].append(text)
    for key, count in _KEYS.items():
        if (len(parts[key]) < 2) if count == 0 else (len(parts[key]) != count):
            wanted = "at least 2" if count == 0 else str(count)
            raise DataError(f"story {name!r} has {len(parts[key])} lines {key!r}; it needs {wanted}")
    return Story(
        name, tuple(parts["open"]), tuple(_matter(name, text, 4) for text in parts["fact"]),
        _feeling(name, parts["feel"][0]), _matter(name, parts["concern"][0], 4), _feeling(name, parts["deep"][0]),
        _matter(name, parts["strength"][0], 4), _matter(name, "the step | " + parts["step"][0], 4),
        parts["advice"][0], tuple(parts["lie"]), parts["small"][0],
    )  # fmt: skip


_KEYS: Final = {
    "open": 0, "fact": FACTS, "feel": 1, "concern": 1, "deep": 1, "strength": 1, "step": 1, "advice": 1, "lie": 0,
    "small": 1,
}  # fmt: skip
"""Keys of a story's lines and how often each stands; 0: twice or more."""


def _matter(name: str, text: str, least: int) -> Matter:
    parts = [part.strip() for part in text.split(" | ")]
    if len(parts) < least or not all(parts):
        raise DataError(f"story {name!r}: a line needs {least} parts between ' | ', not {text!r:.80}")
    return Matter(parts[0], parts[1], tuple(map(_cased, parts[2:])))


def _cased(text: str) -> str:
    """Return sentences with capitals, also where a slot's value begins one."""
    return _BEGINS.sub(lambda match: match[0].upper(), text)


def _feeling(name: str, text: str) -> Feeling:
    words, *told = (part.strip() for part in text.split(" | "))
    found = tuple(word.strip() for word in words.split(","))
    if not told or found[0] not in FAMILY:
        raise DataError(f"story {name!r}: a feeling needs a word of FAMILIES and a sentence, not {text!r:.80}")
    return Feeling(found, tuple(told))


@lru_cache(maxsize=1)
def templates() -> Mapping[str, Template]:
    """Return the shipped stories by name, in the order of the file."""
    return {template.name: template for template in _read(PATH.read_text("utf-8"))}


def _read(text: str) -> Iterator[Template]:
    for block in text.split("\n@ ")[1:]:
        name, *rows = block.strip().split("\n")
        lines, slots = [], []
        for row in rows:
            if not row.strip() or row.startswith("#"):
                continue
            key, _, rest = row.partition(": ")
            if key == "slot":
                slot, _, values = rest.partition(" = ")
                slots.append((slot, tuple(value.strip() for value in values.split(","))))
            else:
                lines.append((key, rest.strip()))
        yield Template(name.strip(), tuple(lines), tuple(slots))
