"""Which facts of a product a message states, and whether they are true."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from agentgym.envs.sales.buyer import Case
from agentgym.envs.sales.product import UNITS, Fact

_SENTENCE: Final = re.compile(r"[^.!?;\n]*(?:\.(?=\d)[^.!?;\n]*)*[.!?;\n]?")
_NO: Final = re.compile(r"\b(?:no|not|without|lacks|doesn't|isn't|never|none)\b")


def facts_in(text: str, case: Case, product: int) -> tuple[tuple[str, bool], ...]:
    """Return (attribute, whether it is true) of what a message says of a product, in order, each attribute once."""
    found: dict[str, bool] = {}
    for sentence in _SENTENCE.findall(text.lower()):
        if sentence.rstrip().endswith("?"):
            continue
        for part in re.split(r",|\band\b|\bwith\b", sentence):
            said = {}
            for attribute, fact in case.facts[product].items():
                length = max((len(name) for name in (attribute, *fact.words) if name in part), default=0)
                true = _said(part, fact) if length else None
                if true is not None:
                    said[length] = attribute, true
            if said:
                attribute, true = said[max(said)]
                found.setdefault(attribute, true)
    return tuple(found.items())


def _said(part: str, fact: Fact) -> bool | None:
    """Return whether what a part of a sentence says of a fact is true; None where it says nothing."""
    if isinstance(fact.value, bool):
        return (_NO.search(part) is None) is fact.value
    if isinstance(fact.value, tuple):
        return (
            True if any(word in part for word in fact.value) else False if any(w in part for w in fact.others) else None
        )
    numbers = [float(number) for number in _number(fact.unit).findall(part.replace(",", ""))]
    return None if not numbers else fact.value in numbers


@lru_cache(maxsize=128)
def _number(unit: str) -> re.Pattern[str]:
    sign = r"\$" if unit == "USD" else ""
    tail = {"": "", "USD": "", "%": r"\s*%"}.get(unit, rf"[\s-]*{re.escape(unit.lower())}")
    assert unit in UNITS
    return re.compile(rf"{sign}(\d+(?:\.\d+)?){tail}")
