"""SQLite's own functions, behind a clock that stands still and a meter that counts long texts.

The functions here replace SQLite's functions of the same names and ask SQLite for the answer, on a connection to
nothing: results are SQLite's own by construction. What they change is what `now` is, that local time is UTC, and that a
step which works on a long text counts as many steps.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from functools import lru_cache
from typing import Final, TypeAlias

from agentgym.envs.text_to_sql.guard import CLOCKS
from agentgym.envs.text_to_sql.result import DENIED, Result, Value
from agentgym.envs.text_to_sql.unfold import words

Function: TypeAlias = Callable[..., Value]

CALL: Final = 16
"""Steps that a call of a metered function counts, besides those that SQLite counts itself."""
CLOCK_CALL: Final = 12
"""Steps that a call of a clock function counts whose answer is not at hand."""
BYTES: Final = 64
"""Bytes of text worked on that count as one step; shorter texts count none."""
ANSWERS: Final = 10_000
"""Answers that each clock function keeps at hand."""
MAX_WIDTH: Final = 1_000
ROOM: Final = 1 << 25
"""More bytes than a format of 64 KiB whose widths are at most MAX_WIDTH makes."""
METERED: Final = words(
    "char concat concat_ws format glob hex instr json_array_length json_extract json_type json_valid -> ->> length "
    "like lower ltrim octet_length printf quote replace rtrim soundex substr substring trim unicode upper"
)
_FORMAT = re.compile(r"%%|%([^a-zA-Z%]*)")
_CURRENT: Final = {"current_date": "date", "current_time": "time", "current_timestamp": "datetime"}


class OverBudget(Exception):
    """Raised out of a function when the work is used up."""


class Meter:
    """Counts the work of one statement at a time.

    Attributes:
        budget: steps that a statement may take.
        steps: steps counted so far.
        fault: what a function ended with, which SQLite does not pass on: a refusal, or SQLite's error.
    """

    def __init__(self, budget: int) -> None:
        self.budget, self.steps = budget, 0
        self.fault: Result | Exception | None = None

    def count(self, steps: int) -> None:
        """Count so many steps.

        Raises:
            OverBudget: the budget is used up; SQLite then ends the statement.
        """
        self.steps += steps
        if self.steps >= self.budget:
            raise OverBudget


class Functions:
    """The functions of one connection.

    Args:
        clock: what `now` is, as "YYYY-MM-DD HH:MM:SS".
        meter: counts their work.

    Attributes:
        saved: at most so many steps are not counted because answers are at hand.
    """

    def __init__(self, clock: str, meter: Meter) -> None:
        self._clock, self._meter, self.saved = clock, meter, 0
        self._forgets: list[Callable[[], None]] = []
        self.connection = sqlite3.connect(
            ":memory:", isolation_level=None, check_same_thread=False, cached_statements=256
        )
        listed = self.connection.execute("SELECT DISTINCT name, narg FROM pragma_function_list ORDER BY name, narg")
        self._arities: list[tuple[str, int]] = [(str(name), int(number)) for name, number in listed]

    def install(self, connection: sqlite3.Connection, metered: bool) -> None:
        """Replace the clock functions of a connection, and where it is metered its text functions too."""
        if metered:  # the clock's answers are UTF-8, since they were asked in UTF-8; a part of a text need not be
            self.connection.text_factory = lenient
        for name, number in self._arities:
            if name in CLOCKS:
                connection.create_function(name, number, self._clocked(name), deterministic=True)
            elif metered and name in METERED:
                connection.create_function(name, number, self._metered(name), deterministic=True)

    def limit(self, longest: int) -> None:
        """Let no function make a longer text or blob, in bytes."""
        self.connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, longest)

    def forget(self) -> None:
        """Have no answer at hand."""
        self.saved = 0
        for forget in self._forgets:
            forget()

    def _clocked(self, name: str) -> Function:
        meter, ask, clock = self._meter, self._asking(_CURRENT.get(name, name)), self._clock

        @lru_cache(maxsize=ANSWERS, typed=True)  # SQLite calls it without a Python function in between
        def clocked(*values: Value) -> Value:
            work = CLOCK_CALL + _size(values) // CLOCK_CALL
            self.saved += work
            meter.count(work)
            return ask(*still(name, values, clock))

        self._forgets.append(clocked.cache_clear)
        return clocked

    def _metered(self, name: str) -> Function:
        meter, ask, work = self._meter, self._asking(name), WORK.get(name)

        def metered(*values: Value) -> Value:
            size = _size(values)
            if size >= BYTES:
                size = (work(values) if work is not None else size) // BYTES
            else:
                size = 0
            meter.count(CALL + size)
            made = ask(*values)
            if (type(made) is str or type(made) is bytes) and len(made) >= BYTES:
                meter.count(len(made) // BYTES)
            return made

        if name not in ("printf", "format"):
            return metered

        def formatted(*values: Value) -> Value:
            if values and too_wide(_text(values[0])):
                meter.fault = Result(DENIED, message=f"widths of more than {MAX_WIDTH} are not allowed in {name}()")
                raise OverBudget
            made = metered(*values)
            if made is None and self._overflows(ask, values):
                meter.fault = error = sqlite3.DataError("string or blob too big")
                error.sqlite_errorcode = sqlite3.SQLITE_TOOBIG
                raise error
            return made

        return formatted

    def _overflows(self, ask: Function, values: tuple[Value, ...]) -> bool:
        """Return whether SQLite gave NULL for a format because what it makes is too long: printf alone does not say so.

        It is asked once more, with room for all that widths of MAX_WIDTH can come to; then the statement ends.
        """
        longest = self.connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, ROOM)
        try:
            return ask(*values) is not None
        finally:
            self.connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, longest)

    def _asking(self, name: str) -> Function:
        """Return a function that asks SQLite."""
        execute, meter = self.connection.execute, self._meter
        texts: dict[int, str] = {}

        def ask(*values: Value) -> Value:
            number = len(values)
            if number not in texts:
                texts[number] = f'SELECT "{name}"({",".join("?" * number)})'
            try:
                made: Value = execute(texts[number], values).fetchone()[0]
            except sqlite3.Error as error:
                meter.fault = error
                raise
            return made

        return ask


def lenient(raw: bytes) -> str:
    """Return a text from bytes that need not be UTF-8, with a replacement character for what is none."""
    return raw.decode("utf-8", "replace")


def still(name: str, values: tuple[Value, ...], clock: str) -> tuple[Value, ...]:
    """Return the arguments of a clock function with the clock put where SQLite would look at the machine's.

    Args:
        name: the function's name.
        values: its arguments.
        clock: the time that stands for `now`; also taken where the time is left out.
    """
    if name in _CURRENT:
        return (clock,)
    if len(values) == 1 and type(values[0]) is not str and type(values[0]) is not bytes and name != "strftime":
        return values
    at = 1 if name == "strftime" else 0
    times = 2 if name == "timediff" else 1
    made: list[Value] = list(values)
    if len(values) == at and times == 1:
        made.append(clock)
    for place in range(at, len(made)):
        word = _word(made[place])
        if place < at + times:
            if word == "now":
                made[place] = clock
            elif word in ("subsec", "subsecond"):  # since SQLite 3.42 these stand for `now`, with fractions
                made[place : place + 1] = [clock, word]
        elif word in ("localtime", "utc"):  # the machine's zone; here it is UTC, and the time is merely normalised
            made[place] = "+0 seconds"
    return tuple(made)


def _word(value: Value) -> str:
    """Return what SQLite reads where it expects a word, in lower case: a text or blob up to a NUL."""
    if type(value) is bytes:
        value = value.decode("latin-1")
    return value.partition("\0")[0].lower() if type(value) is str else ""


def _size(values: tuple[Value, ...]) -> int:
    """Return how long the texts and blobs among some values are together."""
    size = 0
    for value in values:
        if type(value) is str or type(value) is bytes:
            size += len(value)
    return size


def _text(value: Value) -> str:
    return value if type(value) is str else value.decode("latin-1") if type(value) is bytes else str(value)


def _searching(values: tuple[Value, ...]) -> int:
    """Return the work of instr and replace: at each place where the first character is met, the rest is compared."""
    if len(values) < 2:
        return _size(values)
    where, what = _text(values[0]), _text(values[1])
    return _size(values) + where.count(what[:1] or "\0") * len(what)


def _matching(values: tuple[Value, ...]) -> int:
    """Return the work of LIKE and GLOB: what follows a % is tried at each place where its first character is met."""
    if len(values) < 2:
        return _size(values)
    pattern, where = _text(values[0]).lower(), _text(values[1]).lower()
    work = len(pattern) + len(where)
    for piece in _pieces(pattern):
        first = piece[0]
        plain = first.isascii() and first not in "_?[\\"
        work += (where.count(first) if plain else len(where)) * len(piece)
    return work


@lru_cache(maxsize=256)
def _pieces(pattern: str) -> tuple[str, ...]:
    """Return what stands behind each % of a pattern that is longer than one character."""
    return tuple(piece for piece in re.split(r"[%*]", pattern)[1:] if piece)


def _trimming(values: tuple[Value, ...]) -> int:
    return _size(values) + (len(_text(values[0])) * len(_text(values[1])) if len(values) > 1 else 0)


def too_wide(pattern: str) -> bool:
    """Return whether a format asks for a width or a precision that is too large or not written out."""
    for flags in _FORMAT.findall(pattern):
        if "*" in flags or any(len(width) > 9 or int(width) > MAX_WIDTH for width in re.findall(r"[0-9]+", flags)):
            return True
    return False


WORK: Final[dict[str, Callable[[tuple[Value, ...]], int]]] = {
    "instr": _searching,
    "replace": _searching,
    "like": _matching,
    "glob": _matching,
    "trim": _trimming,
    "ltrim": _trimming,
    "rtrim": _trimming,
}
