"""The buyer's voice: what it does, put into words by a manner drawn once and by what it knows; nothing is drawn."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any, Final

from agentgym.envs.sales.buyer import Case, Need
from agentgym.envs.sales.phrases import PHRASES, Part
from agentgym.envs.sales.product import UNITS, Fact

MANNERS: Final = 1 << 40
NAMES: Final = {"budget": "price", "rival": "other offer"}
"""What topics are called that are no attributes."""
DOUBT_NAMES: Final = {
    "price": "the price", "breaks": "the warranty", "regret": "sending it back", "wait": "the waiting",
    "gone": "the stock", "stranger": "your company", "fees": "the delivery costs", "rival": "the other offer",
    "think": "taking my time",
}  # fmt: skip
"""What objections are called."""


def money(hundredths: int, per: str = "") -> str:
    """Return an amount as people write it: "$499", "$39.50", "$39 a month"."""
    whole, rest = divmod(hundredths, 100)
    amount = f"${whole:,}.{rest:02d}" if rest else f"${whole:,}"
    return f"{amount} a {per}" if per else amount


def value_text(unit: str, value: Any) -> str:
    """Return the value that a need asks for as people write it: "1.5 kg", "oak"."""
    return value if isinstance(value, str) else Fact("", float(value), unit).text if value is not True else ""


_AMOUNT: Final = re.compile(
    r"\$\d[\d,]*(?:\.\d+)?(?: a (?:month|year))?|\d[\d,]*(?:\.\d+)? ?(?:%|(?:"
    + "|".join(sorted((re.escape(unit) for unit in UNITS if unit.isalpha()), key=len, reverse=True))
    + r")s?\b)"
)


def amounts(text: str) -> tuple[str, ...]:
    """Return the sums of money and the measures that stand in a text, each once: "$201 a year", "12 months"."""
    return tuple(dict.fromkeys(_AMOUNT.findall(text)))


class Voice:
    """A buyer's wording at one moment.

    Args:
        case: the task.
        manner: drawn once an episode.
        moment: what tells this moment from others, so that a buyer does not say things twice in the same words.
        slots: what stands in braces besides the case's own words.
    """

    def __init__(self, case: Case, manner: int, moment: str, **slots: str) -> None:
        self._case, self._address, self._count = case, f"{manner},{moment},", 0
        self._slots = {**_slots(case), **slots} if slots else _slots(case)

    def say(self, parts: Sequence[Part], **slots: str) -> str:
        """Return a text with one alternative of each part."""
        self._count += 1
        address = f"{self._address}{self._count}".encode()
        left = int.from_bytes(blake2b(address, digest_size=16).digest(), "big")
        text = ""
        for part in parts:
            left, place = divmod(left, len(part))
            if part[place]:
                text = follows(text, part[place]) if text else part[place]
        return capital(text.format_map({**self._slots, **slots} if slots else self._slots))

    def need(self, need: Need, also: bool = False) -> str:
        """Return how a need is told, as a further one or on its own."""
        topic = self._case.sells.topics[need.attribute]
        left = int.from_bytes(blake2b(f"{self._address}{need.attribute}".encode(), digest_size=8).digest(), "big")
        left, place = divmod(left, len(topic.why))
        want = topic.want[left % len(topic.want)].format(v=value_text(topic.unit, need.value))
        parts = (*PHRASES["also"], PHRASES["need"][1]) if also else PHRASES["need"]
        return capital(self.say(parts, why=topic.why[place], want=want))


@lru_cache(maxsize=4096)
def _slots(case: Case) -> dict[str, str]:
    """Return the words of a case that stand in braces; not to be changed."""
    sells, buyer = case.sells, case.buyer
    per = case.shelf[0].per
    return {
        "noun": sells.noun, "a": sells.a, "plural": sells.plural, "shop": sells.shop, "name": buyer.name,
        "about": sells.about[buyer.about], "budget": money(100 * buyer.budget, per), "rival": buyer.rival,
        "price": money(100 * buyer.rival_price, per),
    }  # fmt: skip


def follows(text: str, part: str) -> str:
    """Return a text and what follows it: behind a comma or a colon no capital stands, but for I."""
    if text[-1] in ",:" and part[0].isupper() and not part.startswith(("I ", "I'")):
        part = part[0].lower() + part[1:]
    return f"{text} {part}"


def capital(text: str) -> str:
    """Return a text with a capital at its beginning and after each end of a sentence."""
    return _BEGINS.sub(_raised, text)


def _raised(match: re.Match[str]) -> str:
    return match.group().upper()


_BEGINS: Final = re.compile(r"(?:^|(?<=[.?!] ))[a-z]")
