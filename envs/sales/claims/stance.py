"""Sentences that state nothing of the product: questions, what leaves the facts, what nobody knows, other goods."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from typing import Final

from agentgym.envs.sales.claims.tokens import Sentence, stem
from agentgym.envs.sales.vocabulary import listed, words

OPENERS: Final = words(
    "so well and but okay ok yes yeah no nope now honestly look right sure also then because , oh absolutely of course"
    " great good to be fair honest plus anyway actually besides frankly true listen alright though although while"
    " whereas"
    " which however yet except or nor that"
)
"""Words that come before what a sentence or a clause says."""

OLD: Final = words(
    "old current currently present existing previous last neighbour neighbor neighbour's neighbor's friend friend's"
    " former other brother brother's sister's first"
)
"""Words behind "your" by which it is the buyer's own that is spoken of."""

_STRANGE: Final = words(
    "other others competitor competitors competition competitor's competing rival elsewhere theirs typical average"
    " normal ordinary carpenter smaller bigger cheaper larger another comparable similar"
)
_ADDS: Final = words("$ two three four five six seven eight nine ten twelve twenty fifty")
_PEOPLE: Final = words("people customers riders users buyers of guests families clients folks listeners days of")
_LEAVES: Final = words("suppose supposing imagine assuming picture pretend")
_UNREAL: Final = words("would wouldn't could couldn't were had lasted needed wanted did might")
_BUYS: Final = words(
    "buy order book sign take decide go choose purchase change don't not keep ever anything something it it's need"
    " want"
    " stay like lose bought ordered took signed booked"
)
_UNSURE: Final = re.compile(
    r"\b(?:i|we|nobody|no one|no seller)(?:'m| am|'re| are|'d| would)? ?"
    r"(?:can't|cannot|can not|could never|won't|wouldn't|couldn't|don't|do not|not|never)(?: \w+)?"
    r" (?:promise|guarantee|say|tell|know|think|believe|claim|pretend|remember|sure|certain|allowed|permitted|swear)\b"
    r"|\b(?:nobody|no one|no seller) can (?:promise|say|know|tell|guarantee)\b"
    r"|\b(?:i|we)(?:'d| would|'ll| will| have| need)(?: have| need)?(?: to)? (?:ask|check|look (?:into|up|it|that"
    r"|this|whether|if)|find out)\b"
    r"|\blet me (?:just |quickly )?(?:ask|check|look|see|find)\b|\bno promises\b|\bcan't tell you\b"
    r"|\b(?:not (?:to )?|without )promising\b"
)
_UNSURE_SIGNS: Final = words(
    "can't cannot not never won't wouldn't couldn't don't nobody no promises ask check look see find without"
)
_TAG: Final = re.compile(
    r",? (?:right|isn't it|aren't they|ok|okay|yeah|you know|don't you think|doesn't it|eh|deal)\?[\"') ]*$"
)
_TOLD: Final = re.compile(  # questions that tell
    r"^\W*(?:and |but |so |well,? )?(?:did you know|isn't it|aren't they|don't you (?:love|like|think)|who wouldn't"
    r"|who doesn't|can you believe|(?:have|did) i (?:already )?(?:mention|told|tell|said|say)|isn't that|where else"
    r"|how does .* sound|what if i told you|would you believe)"
)
_TAKES: Final = re.compile(
    r"^[A-Z][a-z]+(?: [A-Z][a-z]+)?(?:'s)? (?:charges?|gives?|wants?|offers?|has|covers?|sells?|costs?|includes?"
    r"|weighs?"
    r"|asks?|is|lasts?|runs)\b"
)
_CAPITAL: Final = re.compile(r"(?<![.!?:\"(] )(?<!^)\b[A-Z]\w*[a-z]\w+")
_FAMILIAR: Final = words(
    "bluetooth english german french spanish italian monday tuesday wednesday thursday friday saturday sunday january"
    " february march april may june july august september october november december europe european usb internet wifi"
    " android apple christmas yes no"
)
_LEADS: Final = words("the a an with that at from by your")
_COMMON: Final = frozenset(
    stem(word)
    for word in listed(
        "everything everyone every each nothing nobody this that these those there here it he she they we you our your"
        " one who what which delivery shipping price warranty returns return everybody anything something both all"
        " none"
        " neither either most some setup onboarding support battery weight payment the a an yes no so and but its"
        " their"
        " fact point only just sound quality size comfort life installation service assembly stock availability"
        " breakfast coverage cover"
    )
)


def is_question(text: str) -> bool:
    """Whether a sentence asks and tells nothing by it."""
    ended = text.rstrip(" \"')*")
    if not ended.endswith("?"):
        return False
    lower = ended.lower()
    return not (_TAG.search(lower) or _TOLD.search(lower))


def opening(tokens: Sequence[str], at: int = 0) -> int:
    """Return where, from a place on, the words that come before what is said end."""
    while at < len(tokens) and tokens[at] in OPENERS:
        at += 1
    return at


def states_nothing(sentence: Sentence, names: Container[str], aliases: Container[str]) -> bool:
    """Whether a sentence that is no question states nothing of the product.

    Args:
        sentence: the sentence.
        names: words of the product's name and facts; other capitalised names are taken for other goods.
        aliases: words by which the product itself is called.
    """
    tokens = sentence.tokens
    if not _UNSURE_SIGNS.isdisjoint(tokens) and _UNSURE.search(sentence.text.lower()):
        return True
    at = opening(tokens)
    return (
        _leaves(tokens, at)
        or _other(tokens, at, aliases)
        or (not sentence.text[1:].islower() and _named(sentence.text, names))
        or _TAKES.match(sentence.text) is not None
        and _unknown(sentence.text, names)
    )


def _leaves(tokens: Sequence[str], at: int) -> bool:
    """Whether a sentence leaves the facts: "suppose …", "if it were …"."""
    one, two = [*tokens[at : at + 2], "", ""][:2]
    if one in _LEAVES or (one, two) in (("what", "if"), ("let's", "say"), ("even", "if")):
        return True
    if "if" not in tokens:
        return False
    place = tokens.index("if")
    if tokens[place - 1 : place] == ["as"]:
        return False
    if _UNREAL.isdisjoint(tokens) and not any(token.endswith("'d") for token in tokens):
        return False
    buys = "you" in tokens[place : place + 3] and not _BUYS.isdisjoint(tokens[place + 2 : place + 5])
    return not buys or "needed" in tokens


def _other(tokens: Sequence[str], at: int, aliases: Container[str]) -> bool:
    """Whether a sentence begins with other goods than the product, or goods in general."""
    head = tokens[at : at + 5]
    one, two, three = [*head, "", "", ""][:3]
    if one == "your" and two in OLD:
        return True
    if one == "most" and two not in _PEOPLE:
        return True
    if one in ("a", "an") and not {"would", "at"}.isdisjoint(head) and two not in aliases:
        return True
    if one in ("the", "that", "those") and two in ("one", "ones") and three in ("at", "you", "from"):
        return True
    if one == "you" and two in ("pay", "have", "use") and _now(tokens):
        return True
    if "like" in head and "from" in tokens and ("that" in head or "this" in head):
        return True
    if _STRANGE.isdisjoint(head[:4]) or "than" in head:
        return False
    strange = next(place for place, token in enumerate(head) if token in _STRANGE)
    after = head[strange + 1 : strange + 2]
    if after and (after[0] in _ADDS or after[0][0].isdigit()):
        return False  # "another $12"
    return one not in ("you", "we", "i", "there", "it") and not ("no" in head and "the" not in head)


def _now(tokens: Sequence[str]) -> bool:
    text = " ".join(tokens)
    return "right now" in text or "at the moment" in text or "currently" in text or "so far" in text


def _unknown(text: str, names: Container[str]) -> bool:
    """Whether the first word of a sentence that takes, gives or charges is a name that is not the product's."""
    word = text.split()[0].removesuffix("'s").lower()
    return word not in names and stem(word) not in _COMMON and word not in OPENERS


def _named(text: str, names: Container[str]) -> bool:
    """Whether a sentence begins with a name that is not the product's."""
    for match in _CAPITAL.finditer(text):
        word = match.group().lower()
        if word in names or word in _FAMILIAR:
            continue
        before = text[: match.start()].lower().split()
        if len(before) > 3 or "on" in before:
            return False
        if not before or before[-1] in _LEADS:
            return True
        return len(before) == 1 and before[0] not in names and stem(before[0]) not in _COMMON
    return False
