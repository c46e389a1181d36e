"""Blows, and proposals of what to do: which of the cues in a sentence count."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from agentgym.envs.emotional_support.analyser.feelings import names_feeling
from agentgym.envs.emotional_support.analyser.general import FUNCTION, GENERAL
from agentgym.envs.emotional_support.analyser.lists import words
from agentgym.envs.emotional_support.analyser.said import Said
from agentgym.envs.emotional_support.analyser.words import stem

_NOWHERE: Final = 9_999
_INNER: Final = re.compile(  # what the seeker thinks of themselves, said back to them
    r"\b(?:you (?:\w+ )?(?:feel|think|thinking|say|said|told|tell|believe|worry|fear|wonder|blame|wish|mean"
    r"|are (?:afraid|worried|scared)"
    r"|reproach)|sounds?|seems?|hear|sense|if|what)\b"
)
_REPORTED: Final = re.compile(  # what somebody else said to the seeker
    r"\b(?!i\b)\w+ (?:told|asked|ordered|advised|called|kept telling|keeps telling|says to|said to) you\b"
    r"|\b(?:he|she|they) (?:said|says)\b"
)
_REPORTERS: Final = frozenset(("told", "asked", "ordered", "advised", "called", "telling", "said", "says"))
_HELPERS: Final = frozenset(
    ("have", "had", "did", "do", "are", "were", "just", "also", "always", "simply", "only", "even")
)
_ACCUSES: Final = ("why", "how could", "how did you m", "how on", "how the", "what", "who")
_MODAL: Final = (
    "would",
    "could",
    "maybe",
    "perhaps",
    "might",
    "may",
    "you could",
    "you might",
    "have you",
    "one ",
    "it ",
)
_WH: Final = re.compile(r"\b(?:what|how|which|who|whom|where|why)\b")

_ORDERS: Final = words("orders")
_FILLERS: Final = words("fillers")
_SPARED: Final = re.compile(  # what begins like an order and is none
    r"(?: (?:me|us|on$|ahead$|care$|your time|a moment|a minute|all the time|as much time|a (?:deep )?breath$|that$))"
)
_FORBIDS: Final = re.compile(
    r"(?:never|always|do not|stop|try not to) (?!you\b|be (?:so )?hard|blame|worry|forget that|give up)\w+"
)
_BARE: Final = re.compile(
    r"(?!\w*(?:ing|ed|ly|s) )([a-z]{3,}) (?:him|her|it|them|the|a|an|your|yourself|out|up|back|off|down"
    r"|away|to|for|with|closer"
    r"|some|every|one|more|less|each|into|from)\b"
)


def hurt_in(sentence: Said, own: bool, theirs: Callable[[str], bool]) -> str:
    """Return the blow in a sentence, or "" where there is none.

    Args:
        sentence: the sentence.
        own: whether it names a feeling of the seeker's.
        theirs: whether the seeker has used a stem of themselves: what they accuse themselves of may be said back.
    """
    kinds, opens = sentence.kinds, sentence.opens
    kinds, opens = sentence.kinds, sentence.opens
    if _reported(sentence):
        return ""
    if "blame" in kinds:
        before, after = sentence.text[: kinds["blame"]], sentence.text[kinds["blame"] :]
        said = after.startswith(("you", "let")) or (own and "fault" not in after)
        asked = opens and not after.startswith(_ACCUSES) and "do you expect" not in after
        if (
            not asked
            and not (said and _INNER.search(before))
            and not (after.startswith("you ") and theirs(_verb(after)))
        ):
            return "blame"
    if "minimise" not in kinds:
        return ""
    place = kinds["minimise"]
    if opens and place > _asking_place(sentence.text) and not sentence.text[place:].startswith("what is there"):
        return ""
    first = min(kinds.get("affirm", _NOWHERE), kinds.get("suggest", _NOWHERE))
    if first <= place or ("inform" in kinds and kinds["inform"] < place and "you" not in sentence.words):
        return ""
    return "minimising"


def _reported(sentence: Said) -> bool:
    """Return whether a sentence says what somebody else said to the seeker."""
    return not _REPORTERS.isdisjoint(sentence.words) and _REPORTED.search(sentence.text) is not None


def _verb(text: str) -> str:
    """Return the stem of what "you" do in a text that begins with it."""
    for word in text.split(" ")[1:5]:
        if word not in _HELPERS and not word.endswith("ly"):
            return stem(word)
    return ""


def proposes(sentence: Said) -> bool:
    """Return whether a sentence says what to do: outright, by a hint, or by a question that wants no answer."""
    whole, text, kinds, opens = sentence.text, sentence.body, sentence.kinds, sentence.opens
    place = min(kinds.get("suggest", _NOWHERE), kinds.get("advise", _NOWHERE))
    if _reported(sentence):
        return False
    if place == _NOWHERE:
        return not opens and _orders(text)
    if opens:
        if _orders(text) and not text.startswith(
            ("tell", "say", "describe", "share", "help", "talk", "walk", "take", "go", "fill", "paint")
        ):
            return True
        if kinds.get("invite", _NOWHERE) < place:
            return False
        asking = _asking_place(whole)
        return place == asking or (place < asking and text.startswith(_MODAL))
    affirm = kinds.get("affirm", _NOWHERE)
    return not (affirm < place and "advise" not in kinds and "maybe" not in whole and "perhaps" not in whole)


def _asking_place(text: str) -> int:
    """Return where the first asking word stands; behind all others where there is none."""
    match = _WH.search(text)
    return match.start() if match else len(text)


def _orders(text: str) -> bool:
    """Return whether a sentence begins like an order: with a bare verb that no talk begins with otherwise."""
    if _FORBIDS.match(text):
        return True
    place = 0
    for word in text.split(" "):
        if word not in _FILLERS:
            break
        place += len(word) + 1
    rest = text[place:]
    if _FORBIDS.match(rest):
        return True
    first = rest.partition(" ")[0]
    if first in _ORDERS:
        return _SPARED.match(rest, len(first)) is None and rest != first
    if rest == first and len(first) > 3 and "," not in text:
        return stem(first) not in GENERAL and not names_feeling(first) and not first.endswith(("ly", "s"))
    match = _BARE.match(rest)
    if match is None or match[1] in FUNCTION or names_feeling(match[1]):
        return False
    return stem(match[1]) not in GENERAL or match[0].endswith((" him", " her", " them"))
