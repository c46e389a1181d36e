"""The cues by which a buyer hears what a message does, as patterns over lower-case text with straight apostrophes."""

from __future__ import annotations

import re
from typing import Final


def _any(*texts: str) -> str:
    """Return the pattern of any of some patterns, from the beginning of a word."""
    return rf"\b(?:{'|'.join(texts)})"


SENTENCE: Final = re.compile(r"[^.!?\n]*(?:\.(?=\d)[^.!?\n]*)*[.!?\n]?")
WORD: Final = re.compile(r"[a-z0-9']+")

ASKING: Final = re.compile(
    r"^\W*(?:(?:and|so|then|but|now) )?"
    + _any(
        r"(?:please )?(?:tell me|describe|let me (?:know|ask|hear))", "what", "which", "how", "who", "when", "where",
        "do you", "are you", "would you", "is there",
        "have you", r"may i (?:ask|know)", "could you", r"can you (?:tell|say)",
        r"i(?:'d| would) like to (?:know|hear|understand)",
    )
    + r"\b"
)  # fmt: skip
"""The beginning of a sentence that asks, whether or not a question mark follows."""
WIDE: Final = re.compile(
    _any(
        r"look(?:ing)? for", "matters?", "important", "needs?", r"use (?:it|them|one)", "used for", "priorit", "expect",
        r"tell me (?:a bit )?more", "brings you", "have in mind", "wish", "requirement", "must-have",
        r"want(?: it)? (?:for|to)", "(?:what|anything|something) else", "do without", r"how (?:do|will|would) you",
        r"(?:what|which) (?:sort|kind|type)s? of", r"describe your?", r"(?:brings?|made) you",
        r"(?:what|how) (?:can|may|could) i (?:help|do|assist)",
    )
)  # fmt: skip
"""A question about needs in general."""
BUDGET: Final = re.compile(
    _any(
        "budget", "spend", "price range", "afford", "pay", "cost you", "price limit", "how much money",
        r"(?:put|set) aside", r"(?:number|figure|sum|amount|price) (?:do you have )?in mind", "for the cost",
        r"how much (?:do|can|could|would|have|are) you", r"(?:willing|able|ready|prepared) to (?:go|invest|put)",
        "how high (?:can|could|would) you go",
    )
)  # fmt: skip
RIVAL: Final = re.compile(
    _any(
        "other offers?", "another offer", "offers? from", "elsewhere", r"compar\w+", r"competi\w+", "alternatives?",
        r"(?:other|another) (?:shop|seller|provider|quote|option|dealer|store|compan|vendor|insurer)",
        r"(?:someone|anyone|somebody|anybody|anywhere|somewhere) else", r"(?:quotes?|prices?) from", "offered you",
        r"(?:shopp|look|ask)(?:ed|ing) around",
    )
)  # fmt: skip

HURRY: Final = re.compile(
    _any(
        "today only", "only today", "last chance", "now or never", "hurry", r"act (?:now|fast|quickly)",
        r"before it(?:'s| is) (?:gone|too late)", "limited time", "expires?", "won't last", "will not last",
        "don't miss", "do not miss", "must decide", r"decide (?:right )?now", "have to decide", "final offer",
        r"sign (?:right )?now", r"buy (?:right )?now", "immediately", "selling fast", "while you still can",
    )
)  # fmt: skip
CALM: Final = re.compile(_any("no", "not", "never", "don't", "without", "needn't") + r"\b[^,;]{0,24}$")
"""What takes the hurry out of the words behind it."""
EASE: Final = re.compile(
    _any(
        r"take (?:all )?(?:your|the) time", r"(?:no|without(?: any)?) (?:hurry|rush|pressure)", "sleep on it",
        r"think (?:it |this |about it )?over", r"whenever you(?:'re| are)? (?:ready|like|want)", "up to you",
        r"your (?:decision|choice|pace)", "don't have to decide", "needn't decide",
        r"no need to (?:decide|hurry|rush)", r"don't (?:hurry|rush)",
    )
)  # fmt: skip

PARTING: Final = re.compile(
    _any(
        "none of", r"nothing (?:here|we|that|on|in)", r"no \w+ (?:that|here|on|of ours)", r"(?:don't|do not) have",
        r"(?:can't|cannot|can not) (?:offer|match|meet|beat|help|go|serve|sell|give)",
        r"not (?:the |a )?(?:right|good|best)",
        r"(?:won't|doesn't|does not|will not|wouldn't) (?:suit|fit|do|serve|meet)",
        r"better (?:off|served|with|deal)",
        r"(?:take|accept|go (?:for|with)|stay with|choose) (?:the|their|that) (?:other )?offer",
        r"advise (?:you )?against", r"something i can't",
    )
)  # fmt: skip
"""What lets a buyer go: that nothing fits, or that another is better off with."""
SORRY: Final = re.compile(
    _any(
        r"i(?:'d| would)? (?:won't|rather|not|have to|must|honestly|can't|cannot)", r"honest\w*", "sorry", "afraid",
        "unfortunately", "regret", "better", "advise", "recommend", "look elsewhere", "wish you", "good luck",
        "not sell",
    )
)  # fmt: skip
"""What stands beside it where it is meant as a farewell."""
