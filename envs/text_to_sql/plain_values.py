"""Values of other databases as those that a Result holds: int, float, str, bytes and None, as SQLite shows them."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Final, cast

from agentgym.envs.text_to_sql.result import Value

WIDE = Decimal(10) ** 39
"""Above every integer type; PostgreSQL's numeric has 131,072 digits, and Python writes no int of more than 4,300."""

CHARACTER: Final = 4
"""Most bytes of a character in memory."""


def plain(value: Any) -> Value:
    """Return a value as one that a Result holds.

    Truth is 1 or 0; a decimal is a float, or an int where it has no decimals and fewer than 40 digits; NaN is NULL, as
    in SQLite; times are texts such as 2025-01-30 12:00:00, in UTC where they have a zone; an interval is its seconds;
    lists and records are JSON; anything else is its text.
    """
    kind = type(value)
    if kind is str or kind is int or value is None or kind is bytes:
        return cast(Value, value)
    if kind is float:
        return None if math.isnan(value) else float(value)
    if kind is bool:
        return int(value)
    if kind is Decimal:
        return _number(value)
    if kind is datetime:
        return _moment(value)
    if kind is date or kind is time:
        return str(value.replace(tzinfo=None) if kind is time else value)
    if kind is timedelta:
        return float(value.total_seconds())
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value)
    if isinstance(value, list | tuple | dict):
        return json.dumps(value, default=lambda part: plain(part) if part is not value else str(part))
    return str(value)


def plain_rows(rows: Sequence[Sequence[Any]]) -> tuple[tuple[Value, ...], ...]:
    """Return rows of such values."""
    return tuple([tuple([plain(value) for value in row]) for row in rows])


def text_size(rows: Sequence[Sequence[Value]]) -> int:
    """Return at most how many bytes of memory the texts and blobs of some rows take together.

    One wide character makes all of a text wide: four bytes a character.
    """
    return sum(
        [
            len(value) if type(value) is bytes or value.isascii() else CHARACTER * len(value)
            for row in rows
            for value in row
            if type(value) is str or type(value) is bytes
        ]
    )


def _number(value: Decimal) -> Value:
    if not value.is_finite():
        return None if value.is_nan() else float(value)
    whole = value.as_tuple().exponent >= 0 and value.copy_abs() < WIDE  # type: ignore[operator]
    return int(value) if whole else float(value)


def _moment(value: datetime) -> str:
    if value.tzinfo is not None:
        value = (value - (value.utcoffset() or timedelta())).replace(tzinfo=None)
    return value.isoformat(" ")
