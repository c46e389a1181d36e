"""A query's shape: its tokens without the values in it, so that queries that differ in values alone are parsed once.

A value is a string or a number. Its rank is its place among all values of the query, sorted. What is written of a query
names values by rank (`code`) and sorts by that, so it is the same for all queries of one shape, in which the ranks
stand; `filled` puts the values in. A value counts as part of the shape wherever more than its rank may decide: a place
in ORDER BY, LIMIT, a type, an alias, a path into JSON. That costs a parse, never a wrong form.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from agentgym.envs.text_to_sql.parser_tokens import is_closed

_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?", re.ASCII)
_OPERATORS = "= == <> != < > <= >= + - * / % ||"
_BEHIND = (
    ") , and or when then else end from where group having order limit union except intersect escape join inner left"
    " cross desc asc"
)
_SIGNS: Final = frozenset(_OPERATORS.split())
_BEFORE: Final = _SIGNS | {"and", "or", "between", "like", "glob", "when", "then", "else"}
"""What stands before a value that is an operand and nothing else."""
_AFTER: Final = _SIGNS | frozenset(_BEHIND.split())
"""What may stand behind it, or nothing."""
_MAY_BE: Final = frozenset("'\".0123456789")
"""What values begin with."""
_CODE: Final = re.compile("\x02(\\d{3})\x03")
_CASTS: Final = frozenset(["cast", "try_cast"])


class Shape(NamedTuple):
    """A query taken apart.

    Attributes:
        key: the same for queries that differ in nothing but values, and in these in no rank.
        values: every value once, sorted: value of rank 0, 1, …
        free: ranks of the values that are not part of the key.
    """

    key: str
    values: Sequence[str]
    free: frozenset[int]


def shape(words: list[str], dialect: str) -> Shape:
    """Return the shape of a query's tokens; without values where none can be told apart for sure.

    Args:
        words: as `lexical.tokens` gives them.
        dialect: sqlglot's name; values are taken out in "sqlite" alone.
    """
    said = " ".join(words)
    if dialect != "sqlite" or "\x02" in said or "\x03" in said:
        return Shape(said, (), frozenset())
    values = sorted({value_of(word) for word in words if word[0] in _MAY_BE} - {""})
    ranks = {value: rank for rank, value in enumerate(values)}
    if len(ranks) > 999:
        return Shape(said, (), frozenset())
    casts, lists = not _CASTS.isdisjoint(words), list[bool]()  # for each open bracket: whether it is an IN list
    key, free = [], set[int]()
    last, count = "", len(words)
    for at, word in enumerate(words):
        rank = ranks.get(value_of(word), -1) if word[0] in _MAY_BE else -1
        if rank < 0:
            if word == "(":
                lists.append(last == "in" and words[at + 1 : at + 2] not in (["select"], ["with"], ["values"]))
            elif word == ")" and lists:
                lists.pop()
            key.append(word)
        else:
            text = word[0] == "'"
            listed = last in ("(", ",") and (lists[-1:] == [True] or (text and not casts))
            behind = at + 1 == count or words[at + 1] in _AFTER
            whole = is_closed(word) if text else _NUMBER.fullmatch(word) is not None
            if whole and behind and (last in _BEFORE or listed):
                free.add(rank)
                key.append(f"?{'s' if text else 'n'}{rank:03}")
            else:
                key.append(f"{word}\x02{rank:03}")
        last = word
    return Shape(" ".join(key), values, frozenset(free))


def value_of(word: str) -> str:
    """Return the value that a token is or may be, as it is written in a form; "" for none.

    A name in double quotes is a string where no column has it.
    """
    first = word[0]
    if first == "'":
        return word
    if first == '"':
        return "'" + word[1:-1].replace('""', '"').replace("'", "''") + "'" if len(word) > 1 else ""
    if "0" <= first <= "9":
        return word
    return "0" + word if first == "." and len(word) > 1 else ""  # sqlglot's way to write it


def codes(values: Sequence[str]) -> Mapping[str, str]:
    """Return what is written for each value instead: its rank, in such a way that texts sort by it."""
    return {value: f"\x02{rank:03}\x03" for rank, value in enumerate(values)}


def parts(text: str) -> tuple[str | int, ...]:
    """Return a written text as its pieces and, between them, the ranks of values."""
    found = _CODE.split(text)
    return tuple([int(part) if at % 2 else part for at, part in enumerate(found)])


def filled(pieces: tuple[str | int, ...], values: Sequence[str]) -> str:
    """Return the text of a query from its pieces and values."""
    return "".join([values[piece] if type(piece) is int else piece for piece in pieces])  # type: ignore[misc]
