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
_MANY: Final = words("plenty loads lots dozens hundreds enough tons heaps")


def shelf(tokens: Sequence[str], said: Sequence[Amount], ear: Ear) -> list[tuple[int, int, int, int]]:
    """Return what a sentence says of the stock: first token, end, the least and the most that would be there."""
    if "stock" not in ear.places or _TRIGGERS.isdisjoint(tokens):
        return []
    text = " ".join(tokens)
    if "back in stock" in text or "restock" in text:
        return []
    for at, token in enumerate(tokens):
        pair = tuple(tokens[at : at + 2])
        if pair in (
            ("sold", "out"),
            ("run", "out"),
            ("ran", "out"),
            ("none", "left"),
            ("nothing", "left"),
            ("no", "more"),
        ) or (pair == ("out", "of") and tokens[at + 2 : at + 3] == ["stock"]):
            return [(at, at + 2, 0, 0)]
        if token in ("unavailable", "backordered") or (token == "back" and tokens[at + 1 : at + 2] == ["order"]):
            return [(at, at + 1, 0, 0)]
    counted = _counted(tokens, said)
    if counted:
        return [counted]
    for at, token in enumerate(tokens):
        if token == "last" and _is_last(tokens, at):
            return [(at, at + 2, 1, 1)]
        if token == "stock" and tokens[at - 1 : at] == ["in"]:
            return [(at - 1, at + 1, 1, MANY)]
        if token in _MANY and any(
            word in tokens[at:] for word in ("stock", "left", "shelf", "here", "warehouse", "hand")
        ):
            return [(at, at + 1, 2, MANY)]
        if token == "shelf" and "on" in tokens[:at]:
            return [(at - 1, at + 1, 1, MANY)]
        if token == "warehouse" and not {"have", "got", "we've", "i've", "is", "it's"}.isdisjoint(tokens[:at]):
            return [(at, at + 1, 1, MANY)]
        if token == "ship" and "today" in tokens[at:]:
            return [(at, at + 1, 1, MANY)]
        if (
            token == "available"
            and ("immediately" in tokens or tokens[at + 1 : at + 2] in ([], ["now"], ["right"], ["today"], [","]))
            and at
        ):
            return [(at, at + 1, 1, MANY)]
    return []


def _is_last(tokens: Sequence[str], at: int) -> bool:
    following = tokens[at + 1] if at + 1 < len(tokens) else ""
    if (
        tokens[at - 1 : at] not in (["the"], ["our"], ["my"], ["very"], ["s"])
        or not following
        or following in _NOT_LAST
    ):
        return False
    return not {"this", "it's", "that's", "is", "only", "we", "they're", "have", "one"}.isdisjoint(tokens)


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
