"""Sets of wordings of one meaning, and what a customer of a small electronics shop takes them for.

`paraphrases.txt` holds a set per block: a label, then a wording a line (a written \\n is a line break). A label is what
the message is taken for, a colon, and the facts, acts, reasons or tools in question.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from agentgym.envs.customer_service.customer.hear import Heard
from agentgym.envs.customer_service.customer.words import CustomerWords

WORDS = CustomerWords(
    wants={},
    again={},
    says={},
    names={},
    asked={
        "name": [r"\bname\b", r"\bwho am i speaking"],
        "email": [r"\be-?mail\b"],
        "postcode": [r"\b(?:post(?:al)? ?code|zip)\b"],
        "phone": [r"\b(?:phone|mobile|telephone|contact)(?: phone)? number"],
        "order": [r"\border (?:number|id|reference)", r"\bwhich order\b"],
        "item": [r"\bwhich (?:of the )?(?:item|product)", r"\bthe (?:item|product)\b"],
        "reason": [r"\breason\b", r"\bwhy\b"],
        "payment": [r"\bpayment method", r"\bhow would you like to pay", r"\bwhich card"],
        "address": [r"(?<!email )(?<!e-mail )\baddress\b"],
        "size": [r"\bsize\b"],
        "colour": [r"\bcolou?r\b"],
        "birth": [r"\bdate of birth", r"\bbirth ?da(?:te|y)"],
        "date": [r"\b(?:which|what) da(?:te|y)\b", r"\bwhen would you", r"\bthe date\b"],
    },
    acts={
        "cancel": [r"\bcancel"],
        "return": [r"\breturn", r"\btake it back"],
        "exchange": [r"\bexchang", r"\bswap"],
        "address": [r"\baddress"],
    },
    refused={
        "late": [r"\b30 days", r"\breturn window", r"\btoo late"],
        "used": [r"\bused\b", r"\bopened\b", r"\bworn\b"],
        "shipped": [r"\bshipped\b", r"\bon its way", r"\bwarehouse\b", r"\bdispatched\b"],
        "sale": [r"\bsale\b", r"\bclearance\b"],
        "other": [r"\banother customer", r"\bnot (?:under|on|in) your"],
    },
    instructed={
        "restart": [r"\b(?:restart|reboot)", r"\boff and (?:back )?on\b"],
        "airplane": [r"\b(?:airplane|aeroplane|flight) mode"],
        "sim": [r"\bsim\b"],
        "data": [r"\bmobile data"],
    },
    handles=[r"\bw\d\d\b"],
)


class Set(NamedTuple):
    """Wordings of one meaning, and what they are to be taken for."""

    label: str
    wordings: tuple[str, ...]


def sets(name: str = "paraphrases.txt") -> list[Set]:
    """Return the sets, in the order of the file."""
    text = (Path(__file__).parent / name).read_text("utf-8")
    blocks = [block.split("\n") for block in text.strip().split("\n\n")]
    return [Set(block[0], tuple(line.replace("\\n", "\n") for line in block[1:])) for block in blocks]


def judged(heard: Heard, words: CustomerWords = WORDS) -> str:
    """Return what a customer who hears by these words takes a message for, as a label: the first that applies."""
    if heard.instructs:
        return "use:" + ",".join(sorted(heard.instructs))
    if heard.refuses and (heard.reasons or not (heard.proposes or heard.asks)):
        return "no:" + ",".join(sorted(heard.reasons))
    if heard.proposes and not heard.asks:
        return "yes:" + ",".join(sorted(heard.agreed or heard.acts))
    if heard.asks:
        return "ask:" + ",".join(fact for fact in words.asked if fact in heard.asks) + "+yes" * heard.proposes
    if heard.claims:
        return "done:" + ",".join(sorted(heard.done))
    for name in ("lost", "wonders", "waits", "offers_more"):
        if getattr(heard, name):
            return {"lost": "lost:", "wonders": "wish:", "waits": "wait:", "offers_more": "more:"}[name]
    return "none:"
