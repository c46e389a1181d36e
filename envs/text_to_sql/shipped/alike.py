"""Whether a wrong query could pass for right: the loosest of all comparisons of two results, looser than any scorer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentgym.envs.text_to_sql.result import Value
from agentgym.envs.text_to_sql.shipped.families import Rows


def alike(gold: Rows, other: Rows) -> bool:
    """Return whether every column of `gold` holds the same set of values as a column of its own in `other`.

    Each scorer is stricter: all compare at least sets of rows, in some order of the columns, or columns one by one with
    further columns allowed. So what differs here differs for all of them. Numbers count as equal when they agree in
    five digits.
    """
    if not gold or not other:
        return not gold and not other
    wanted, offered = _columns(gold), _columns(other)
    partners = [[place for place, column in enumerate(offered) if column == wish] for wish in wanted]
    return _matched(partners)


def _columns(rows: Rows) -> list[frozenset[Any]]:
    return [frozenset(map(_plain, column)) for column in zip(*rows, strict=True)]


def _plain(value: Value) -> Any:
    return float(f"{value:.5g}") if isinstance(value, int | float) else value


def _matched(partners: Sequence[Sequence[int]]) -> bool:
    """Return whether each can have a partner of its own, by augmenting paths."""
    owner: dict[int, int] = {}

    def placed(one: int, tried: set[int]) -> bool:
        for place in partners[one]:
            if place not in tried:
                tried.add(place)
                if place not in owner or placed(owner[place], tried):
                    owner[place] = one
                    return True
        return False

    return all(placed(one, set()) for one in range(len(partners)))
