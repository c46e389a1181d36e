"""Questions: which invite a seeker to tell, and which want a yes, a no or a number."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from agentgym.envs.emotional_support.analyser.lists import words as listed

_PREFACE: Final = listed("preface")
_LEADS: Final = re.compile(
    r"(?:if you do not mind(?: me asking)?|if i may ask|(?:may|can|could|might) i ask(?: you)?|let me ask(?: you)?"
    r"|out of interest|i just want to ask|i see|all right|i mean|you know|in that case|by the way"
    r"|tell me)(?: ,)? (?!more|about)"
)
_AUX: Final = frozenset(
    (
        "is",
        "are",
        "was",
        "were",
        "do",
        "does",
        "did",
        "have",
        "has",
        "had",
        "can",
        "could",
        "will",
        "would",
        "should",
        "shall",
        "may",
        "might",
        "am",
        "must",
    )
)
_WH: Final = frozenset(("what", "how", "which", "who", "whom", "where", "why", "whose"))
_COUNT: Final = frozenset(
    (
        "much",
        "many",
        "long",
        "often",
        "old",
        "far",
        "soon",
        "late",
        "big",
        "tall",
        "likely",
    )
)
_EXACT: Final = frozenset(
    (
        "time",
        "date",
        "day",
        "age",
        "number",
        "year",
        "street",
        "colour",
        "color",
        "month",
        "percentage",
        "size",
    )
)
_GREETING: Final = re.compile(
    r"how (?:are you|have you been|is it going|are things|do you do)(?: (?:today|doing|this \w+|going|now"
    r"|keeping|then|all|these days))*$"
)
_EXCLAIMS: Final = re.compile(
    r"(?:what (?:a|an) |how (?!(?:is|are|was|were|do|does|did|has|have|had|would|could|can|will|should"
    r"|might)\b)\w+(?: and \w+)? (?:that|it|you|this|he|she|they)\b)"
)
_TURNED: Final = re.compile(
    r"\b(?:what|how|which|who|where|why)(?! (?:you|i|he|she|they|we|it)\b)(?: \w+){0,3}? (?:is|are|was|were"
    r"|do|does|did|has|have|had|would|could|can|will|should|might)\b"
    r"|\b(?:what|who|which)(?: \w+)? (?:made|makes|brings|brought|keeps|kept|helps|helped|happens|happened"
    r"|worries|scares|frightens"
    r"|hurts|goes|went|comes|came|gives|gave|led|bothers|weighs|feels|matters|stops|changed|would|\w+ing)\b"
)
_THEN: Final = re.compile(r", (?:and|or)(?: if so ,)? (?:what|how|who|which|where) ")
_TAG: Final = re.compile(
    r"(?:, )?(?:(?:is|are|was|were|do|does|did|has|have|had|would) not (?:it|you|there|he|she|they|that)"
    r"|right|correct|yes|is that right|am i right|is there|huh|eh|innit|did i get that right|have i got that right)$"
)


def body(text: str) -> str:
    """Return a sentence without the words that only lead up to it."""
    while True:
        word, _, rest = text.partition(" ")
        if rest and word in _PREFACE:
            text = rest
            continue
        match = _LEADS.match(text)
        if match is None:
            return text
        text = text[match.end() :]


def greets(text: str) -> bool:
    """Return whether a sentence is one of those that only say hello."""
    return _GREETING.match(text) is not None


def opens(words: Sequence[str], text: str, asks: bool, invites: bool) -> bool:
    """Return whether a sentence of these words invites to tell.

    Args:
        words: all of its words.
        text: its body.
        asks: whether a question mark ends it.
        invites: whether it has a cue of an invitation.
    """
    first, _, rest = text.partition(" ")
    if invites:
        return True
    if _WH.isdisjoint(words) or greets(text) or _EXCLAIMS.match(text):
        return False
    second = rest.partition(" ")[0]
    if first in ("how", "when", "where") and _THEN.search(text):
        return True
    if first == "when" and rest.startswith(("do you feel", "are you ", "did you first", "do you ")):
        return asks
    if (first == "how" and second in _COUNT) or (first in ("what", "which") and second in _EXACT):
        return False
    if first in _AUX or first == "when" and second in _AUX:
        return _THEN.search(text) is not None
    if asks:
        return _TAG.search(text) is None or first in _WH
    place = _TURNED.search(text)
    if place is None:
        return False
    before = text[: place.start()]
    return (
        not before or before.endswith(", ") and before.startswith(("if ", "when ", "in ", "from ", "after ", "since "))
    )


def closed(text: str, asks: bool) -> bool:
    """Return whether a sentence that opens nothing wants a yes, a no or a number."""
    first, _, rest = text.partition(" ")
    turned = first in _AUX or first in ("when", "how", "what", "which")
    return turned and (asks or first in _AUX and rest.startswith(("you ", "he ", "she ", "they ")))
