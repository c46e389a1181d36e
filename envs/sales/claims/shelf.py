"""How many of a product are said to be there: "in stock", "sold out", "the last one", "only two left"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agentgym.envs.sales.claims.amounts import Amount
from agentgym.envs.sales.claims.ear import Ear
from agentgym.envs.sales.vocabulary import words

MANY: Final = 10**9
_TRIGGERS: Final = words(
    "stock sold left last shelf available plenty warehouse ship hand loads lots out unavailable"
    " backordered run ran here more"
    " immediately"
)
_NOT_LAST: Final = words(
    "chance thing week month year time night offer question point price day minute but call word resort one's few"
)
_GONE: Final = frozenset(
    (
        ("sold", "out"),
        ("run", "out"),
        ("ran", "out"),
        ("none", "left"),
        ("nothing", "left"),
        ("no", "more"),
        ("back", "order"),
    )
)
_PLACES: Final = words("stock left shelf here warehouse hand")
_HAVE: Final = words("have got we've i've is it's")
_NOW: Final = words("now right today ,")
_LAST_OF: Final = words("this it's that's is only we they're have one")
_AT_LEAST: Final = {"dozens": 20, "hundreds": 100}
_MANY: Final = words("plenty loads lots dozens hundreds enough tons heaps")


def shelf(tokens: Sequence[str], said: Sequence[Amount], ear: Ear) -> list[tuple[int, int, int, int]]:
    """Return what a sentence says of the stock: first token, end, the least and the most that would be there."""
    if _TRIGGERS.isdisjoint(tokens) or "stock" not in ear.places:
        return []
    text = " ".join(tokens)
    if "back in stock" in text or "restock" in text:
        return []
    found = _gone(tokens) or _counted(tokens, said) or _there(tokens)
    return [found] if found is not None else []


def _gone(tokens: Sequence[str]) -> tuple[int, int, int, int] | None:
    """Return where a sentence says that there is none."""
    for at, token in enumerate(tokens):
        if token in ("unavailable", "backordered"):
            return at, at + 1, 0, 0
        pair = (token, tokens[at + 1]) if at + 1 < len(tokens) else (token, "")
        if pair in _GONE or (pair == ("out", "of") and tokens[at + 2 : at + 3] == ["stock"]):
            return at, at + 2, 0, 0
    return None


def _there(tokens: Sequence[str]) -> tuple[int, int, int, int] | None:
    """Return where a sentence says that there are some, or the last one, without a number."""
    for at, token in enumerate(tokens):
        before, behind = tokens[:at], tokens[at + 1 :]
        if token == "last" and _is_last(tokens, at):
            return at, at + 2, 1, 1
        if token == "stock" and before[-1:] == ["in"]:
            return at - 1, at + 1, 1, MANY
        if token in _MANY and not _PLACES.isdisjoint(behind):
            return at, at + 1, _AT_LEAST.get(token, 2), MANY
        if (
            (token == "shelf" and "on" in before)
            or (token == "warehouse" and not _HAVE.isdisjoint(before))
            or (token == "ship" and "today" in behind)
            or (token == "available" and before and ("immediately" in behind or behind[:1] == [] or behind[0] in _NOW))
        ):
            return at, at + 1, 1, MANY
    return None


def _is_last(tokens: Sequence[str], at: int) -> bool:
    following = tokens[at + 1] if at + 1 < len(tokens) else ""
    named = at > 0 and tokens[at - 1] in ("the", "our", "my", "very") and following not in _NOT_LAST
    return named and following != "" and not _LAST_OF.isdisjoint(tokens)


def _counted(tokens: Sequence[str], said: Sequence[Amount]) -> tuple[int, int, int, int] | None:
    """Return what "only two left", "five in stock", "six cabins still available" say."""
    for amount in said:
        if amount.unit:
            continue
        behind = list(tokens[amount.end : amount.end + 6])
        text = " ".join(behind)
        here = any(each in text.split() for each in ("left", "available", "stock", "warehouse", "shelf", "hand"))
        here = here or behind[:1] == ["here"] or behind[:3] == ["of", "them", "here"]
        if not here:
            continue
        if "available in" in text or "available for" in text:
            continue
        exact = int(amount.low)
        most = MANY if amount.bound == "least" else int(amount.high)
        least = 0 if amount.bound in ("most", "up to") else exact
        return amount.start, amount.end, least, most
    return None
