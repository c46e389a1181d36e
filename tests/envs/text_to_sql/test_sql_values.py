"""Values of other databases come as SQLite would show them."""

from __future__ import annotations

import sys
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from uuid import UUID

import pytest

from agentgym.envs.text_to_sql.plain_values import plain, plain_rows, text_size

TWO_AHEAD = timezone(timedelta(hours=2))


@pytest.mark.parametrize(
    ("value", "made"),
    [
        (None, None),
        ("é", "é"),
        (7, 7),
        (2**100, 2**100),
        (True, 1),
        (False, 0),
        (1.5, 1.5),
        (float("inf"), float("inf")),
        (float("nan"), None),
        (Decimal("1.50"), 1.5),
        (Decimal("12"), 12),
        (Decimal("1E+3"), 1000),
        (Decimal("0E+50"), 0),
        (Decimal("9" * 39), 10**39 - 1),
        (Decimal("-1E+39"), -1e39),
        (Decimal("9" * 5000), float("inf")),  # beyond 1.8e308, the largest float
        ([Decimal("9" * 5000)], "[Infinity]"),
        (Decimal("NaN"), None),
        (Decimal("-Infinity"), float("-inf")),
        (date(2024, 1, 2), "2024-01-02"),
        (time(1, 2, 3), "01:02:03"),
        (time(1, 2, 3, tzinfo=UTC), "01:02:03"),
        (datetime.fromisoformat("2024-01-02T03:04:05"), "2024-01-02 03:04:05"),
        (datetime.fromisoformat("2024-01-02T03:04:05.000600"), "2024-01-02 03:04:05.000600"),
        (datetime(2024, 1, 2, 1, 0, tzinfo=TWO_AHEAD), "2024-01-01 23:00:00"),  # 01:00 two hours east of Greenwich
        (timedelta(days=1, seconds=1.5), 86401.5),
        (b"ab", b"ab"),
        (memoryview(b"ab"), b"ab"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        ([1, None, Decimal("2.5"), date(2024, 1, 2)], '[1, null, 2.5, "2024-01-02"]'),
        ({"a": (1, [True])}, '{"a": [1, [true]]}'),
    ],
)
def test_a_value(value: object, made: object) -> None:
    got = plain(value)
    assert got == made and type(got) is type(made)


def test_rows_and_their_size() -> None:
    assert plain_rows([(1, True), [Decimal(2), "x"]]) == ((1, 1), (2, "x"))
    assert text_size([(1, "abc", b"de"), (None, "f", 2.0)]) == 6


def test_the_size_of_a_text_is_what_it_takes_at_most() -> None:
    """Python keeps a text with a character beyond U+FFFF in four bytes a character, as all that are not ASCII count."""
    assert text_size([("abc",)]) == text_size([(b"\xff\xfe\xfd",)]) == 3
    assert text_size([("ab\U0001f600",)]) == text_size([("abé",)]) == 12
    wide = "x" * 10_000 + "\U0001f600"
    assert text_size([(wide,)]) <= sys.getsizeof(wide) <= text_size([(wide,)]) + 100
