"""What the official models take: values are checked as laxly as theirs, and come out in the order of their fields.

A check is a function from a plain value to the value that is kept; `Invalid` where the model refuses it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

Check = Callable[[Any], Any]

_WHOLE: Final = re.compile(r"[+-]?\d+(?:_\d+)*(?:\.0*)?", re.ASCII)


class Invalid(ValueError):
    """A model refuses a value; the message says which field and why."""


def text(value: Any) -> str:
    """Texts alone."""
    if type(value) is not str:
        raise Invalid(f"a text is needed, not {value!r:.60}")
    return value


def whole(value: Any) -> int:
    """Whole numbers, and what says one: 12.0, "12", " 12 ", "12.0", "1_0", true."""
    kind = type(value)
    if kind is int:
        return int(value)
    if kind is bool or kind is float and math.isfinite(value) and value == int(value):
        return int(value)
    if kind is str and _WHOLE.fullmatch(value.strip()):
        return int(value.strip().partition(".")[0])
    raise Invalid(f"a whole number is needed, not {value!r:.60}")


def decimal(value: Any) -> float:
    """Numbers, numeric texts and true.

    NaN and infinity, which the official models take, are refused: no state holds them.
    """
    if type(value) not in (int, float, str, bool):
        raise Invalid(f"a number is needed, not {value!r:.60}")
    try:
        found = float(value)
    except (ValueError, OverflowError):
        found = math.nan
    if not math.isfinite(found):
        raise Invalid(f"a finite number is needed, not {value!r:.60}")
    return found


def flag(value: Any) -> bool:
    """True and false, and what says so: 1, 0, "true", "false", "yes", "no", "on", "off", "t", "f", "y", "n"."""
    said = value.lower() if type(value) is str else value
    if type(value) in (bool, int, float, str):
        if said in (True, "true", "1", "yes", "on", "t", "y"):
            return True
        if said in (False, "false", "0", "no", "off", "f", "n"):
            return False
    raise Invalid(f"true or false is needed, not {value!r:.60}")


def one_of(*options: str) -> Check:
    """One of some texts, to the letter."""

    def check(value: Any) -> str:
        if type(value) is not str or value not in options:
            raise Invalid(f"one of {', '.join(map(repr, options))} is needed, not {value!r:.60}")
        return value

    return check


def maybe(inner: Check) -> Check:
    """What `inner` takes, or null."""
    return lambda value: None if value is None else inner(value)


def listed(inner: Check) -> Check:
    """A list of what `inner` takes."""

    def check(value: Any) -> list[Any]:
        if type(value) is not list:
            raise Invalid(f"a list is needed, not {value!r:.60}")
        return [inner(item) for item in value]

    return check


def keyed(inner: Check) -> Check:
    """A mapping from texts to what `inner` takes, in its own order."""

    def check(value: Any) -> dict[str, Any]:
        if type(value) is not dict:
            raise Invalid(f"an object is needed, not {value!r:.60}")
        return {key: inner(item) for key, item in value.items()}

    return check


class Model:
    """A model: an object with these fields, as a dict in their order.

    Args:
        name: how to call it in messages.
        fields: name → check.
        defaults: name → what an absent field holds; all others are required.
        closed: whether further keys are refused; else they are dropped.
    """

    def __init__(
        self, name: str, fields: Mapping[str, Check], defaults: Mapping[str, Any] | None = None, *, closed: bool = False
    ) -> None:
        self.name, self.closed = name, closed
        self._fields, self._defaults = dict(fields), dict(defaults or {})

    def __call__(self, value: Any) -> dict[str, Any]:
        """Return the checked fields; Invalid where one is missing or refused."""
        if type(value) is not dict:
            raise Invalid(f"{self.name}: an object is needed, not {value!r:.60}")
        made: dict[str, Any] = {}
        for name, check in self._fields.items():
            if name in value:
                try:
                    made[name] = check(value[name])
                except Invalid as error:
                    raise Invalid(f"{self.name}.{name}: {error}") from None
            elif name in self._defaults:
                made[name] = self._defaults[name]
            else:
                raise Invalid(f"{self.name} lacks the field {name!r}")
        if self.closed and value.keys() - self._fields.keys():
            raise Invalid(f"{self.name} has no field {min(value.keys() - self._fields.keys())!r:.60}")
        return made


def by_source(**models: Model) -> Check:
    """An object that says in its field `source` which of these models it follows."""

    def check(value: Any) -> dict[str, Any]:
        source = value.get("source") if type(value) is dict else None
        if type(source) is not str or source not in models:
            raise Invalid(f"a payment method of source {', '.join(models)} is needed, not {value!r:.60}")
        return models[source](value)

    return check
