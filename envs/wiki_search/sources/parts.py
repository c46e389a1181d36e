"""Parts of an item, a JSON value in any state: what must be there, as it must be, or what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

NO_ANSWER: Final = "it has no answer"
LEAVE_OUT: Final = "write one, or leave the item out"


class Unplayable(Exception):
    """What keeps an item from being played, or a passage from being kept, and the remedy."""

    def __init__(self, wrong: str, remedy: str) -> None:
        super().__init__(wrong, remedy)
        self.wrong, self.remedy = wrong, remedy


class Empty(Unplayable):
    """A passage without text."""


def shown(value: Any) -> str:
    """Return the beginning of a value, for a message."""
    try:
        return f"{value!r:.60}"
    except RecursionError:  # it nests just less deep than JSON may
        return "…"


def an_object(entry: Any) -> Mapping[str, Any]:
    """Return an item. Raises Unplayable: it is no object, or what is wrong with it was found before."""
    if isinstance(entry, Unplayable):
        raise entry
    if not isinstance(entry, dict):
        raise Unplayable(f"it is {shown(entry)}, no object", "make it one, or leave it out")
    return entry


def a_text(entry: Mapping[str, Any], key: str) -> str:
    """Return a text of an item that must be there, stripped.

    Raises:
        Unplayable: it is missing, no text, or blank.
    """
    if key not in entry:
        has = ", ".join(map(repr, entry)) or "nothing"
        raise Unplayable(f"it has no {key!r}, but {has:.200}", "name its entries as the others do")
    value = entry[key]
    if not isinstance(value, str):
        raise Unplayable(f"its {key!r} is {shown(value)}, no text", "write a text there")
    if not value.strip():
        raise Unplayable(f"its {key!r} is blank", LEAVE_OUT)
    return value.strip()


def an_id(entry: Mapping[str, Any], key: str) -> str:
    """Return the id of an item, a text or a number. Raises Unplayable: it has none."""
    if type(entry.get(key)) is int:
        return str(entry[key])
    return a_text(entry, key)


def a_word(entry: Mapping[str, Any], key: str) -> str:
    """Return a text of an item that may be missing; "" if it is, or is no text."""
    value = entry.get(key)
    return value if isinstance(value, str) else ""


def a_part(entry: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return an object within an item; an empty one if there is none."""
    value = entry.get(key)
    return value if isinstance(value, dict) else {}


def answers_of(*given: Any) -> tuple[str, ...]:
    """Return the accepted answers: texts and lists of them, each once, in this order; blank ones and nulls are none.

    Raises:
        Unplayable: one is neither, or none is left.
    """
    found: dict[str, None] = {}
    for answers in given:
        for answer in answers if isinstance(answers, list) else [answers]:
            if answer is not None and not isinstance(answer, str):
                raise Unplayable(f"one of its answers is {shown(answer)}, no text", "write a text there")
            if answer and answer.strip():
                found[answer.strip()] = None
    if not found:
        raise Unplayable(NO_ANSWER, LEAVE_OUT)
    return tuple(found)
