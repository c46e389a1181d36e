"""The clauses of a sentence, and which of them state something of the product.

What stands in a question, under an "if" that leaves the facts, in the buyer's own words, or of other goods states
nothing.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from typing import Final, NamedTuple

from agentgym.envs.sales.claims.amounts import STARTS
from agentgym.envs.sales.claims.lexicon import DENIALS, IDLE_DENIALS, PREDICATES
from agentgym.envs.sales.claims.tokens import Sentence, stem
from agentgym.envs.sales.vocabulary import listed, words

_ALWAYS: Final = words("but though although while whereas because so which however yet except")
_JOINS: Final = frozenset(("and", "or", "plus", "nor"))
_OWN: Final = words(
    "it it's it'll it'd they they're they'll this this's that's these we we're we've we'll our ours"
    " the there there's here's"
    " he you'll you'd you've you're in at with for"
)
_OPENERS: Final = words(
    "so well and but okay ok yes yeah no nope now honestly look right sure also then because ,"
    " oh absolutely of course great good"
    " to be fair honest plus anyway actually besides frankly true listen alright"
)
_BUYERS: Final = words(
    "said mentioned told wrote asked asking want wanted need needed currently already prefer"
    " thought think feel worry worried"
    " looking were wish hope expect expected described write say mean meant like liked telling"
)
_BUYERS_ARE: Final = words("telling asking looking worried afraid mentioned said like saying")
_FULLY: Final = words("totally fully completely really can do absolutely certainly")
_SEES: Final = words("understand hear see get realise realize appreciate know")
_OLD: Final = words(
    "old current currently present existing previous last neighbour neighbor neighbour's neighbor's"
    " friend friend's former"
    " other brother brother's sister's first"
)
_STRANGE: Final = words(
    "other others competitor competitors competition competitor's competing rival elsewhere"
    " theirs typical average normal"
    " ordinary carpenter smaller bigger cheaper larger another comparable similar"
)
_LEAVES: Final = words("suppose supposing imagine assuming picture pretend")
_UNREAL: Final = words("would wouldn't could couldn't were had lasted needed wanted did might")
_BUYS: Final = words(
    "buy order book sign take decide go choose purchase change don't not keep ever anything"
    " something it it's need want stay"
    " like lose bought ordered took signed booked"
)
_UNSURE: Final = re.compile(
    r"\b(?:i|we|nobody|no one|no seller)(?:'m| am|'re| are|'d| would)? ?(?:can't|cannot|can not|could never|won't"
    r"|wouldn't|couldn't|don't|do not|not|never|can promise|can say)"
    r"(?: \w+)? (?:promise|guarantee|say|tell|know|think|believe|claim|pretend|remember|sure|certain|allowed"
    r"|permitted|swear)\b"
    r"|\b(?:i|we)(?:'d| would|'ll| will| have| need)(?: have| need)?(?: to)? (?:ask|check|look|find out)\b|\bno"
    r" promises\b|\bcan't tell you\b"
    r"|\bnot (?:to )?promising\b|\bwithout promising\b"
)
_SOMETHING: Final = "something else"
_TAG: Final = re.compile(
    r",? (?:right|isn't it|aren't they|ok|okay|yeah|you know|don't you think|doesn't it|eh|deal)\?[\"') ]*$"
)
_TOLD: Final = re.compile(  # questions that tell
    r"^\W*(?:and |but |so |well,? )?(?:did you know|isn't it|aren't they|don't you (?:love|like|think)|who wouldn't"
    r"|who doesn't|can you believe"
    r"|(?:have|did) i (?:already )?(?:mention|told|tell|said|say)|isn't that|where else|how does .* sound|what if i"
    r" told you|would you believe)"
)
_VERBS: Final = re.compile(
    r"^[A-Z][a-z]+(?: [A-Z][a-z]+)?(?:'s)? (?:charges?|gives?|wants?|offers?|has|covers?|sells?|costs?|includes?"
    r"|weighs?|asks?|is|lasts?|runs)\b"
)
_CAPITAL: Final = re.compile(r"(?<![.!?:\"(] )(?<!^)\b[A-Z][a-z]{2,}\w*")
_FAMILIAR: Final = words(
    "bluetooth english german french spanish italian monday tuesday wednesday thursday friday"
    " saturday sunday january february"
    " march april may june july august september october november december europe european usb internet wifi android"
    " apple"
    " christmas yes no"
)
_CUTS: Final = frozenset(("than", "unlike", "versus", "vs"))


class Clause(NamedTuple):
    """A stretch of a sentence's tokens that says one thing.

    Attributes:
        start, end: its tokens.
        states: whether what it says is stated of the product.
        verb: whether it has a word that states.
        denied: whether it says the contrary of what it names.
    """

    start: int
    end: int
    states: bool
    verb: bool
    denied: bool


def is_question(text: str) -> bool:
    """Whether a sentence asks and tells nothing by it."""
    ended = text.rstrip(" \"')*")
    if not ended.endswith("?"):
        return False
    lower = ended.lower()
    return not (_TAG.search(lower) or _TOLD.search(lower))


def clauses(sentence: Sentence, names: Container[str], named: Container[int] = ()) -> list[Clause]:
    """Return the clauses of a sentence that is no question.

    Args:
        sentence: the sentence.
        names: words of the product's name and facts; other capitalised names are taken for other goods.
        named: tokens that are part of a fact's name, as the "no" of a no-claims discount, and deny nothing.
    """
    tokens = sentence.tokens
    spans = _spans(tokens)
    lower = sentence.text.lower()
    if _UNSURE.search(lower) or _foreign(sentence, names):
        return []
    found: list[Clause] = []
    mute = False
    unreal = _unreal(tokens, spans)
    for start, end in spans:
        part = tokens[start:end]
        verb = not PREDICATES.isdisjoint(part) or any(token.endswith(("'s", "'re", "'ll")) for token in part)
        opens = _opening(part)
        mute = _mute(part[opens:], mute, start == 0, found)
        conditional = part[opens : opens + 1] in (["if"], ["unless"], ["whether"])
        states = not (mute or conditional or unreal)
        denied = is_denied([token for at, token in enumerate(part, start) if at not in named] if named else part)
        denied = denied or _SOMETHING in sentence.text[-30:].lower() and part[-1] == "else"
        denied = denied or (not verb and end - start <= 4 and part[-1] in ("out", "no"))
        if not verb and found:
            denied = denied or _carried(tokens, start, found[-1], part)
        found.append(Clause(start, end, states, verb, denied))
    return _backwards(found, tokens)


def _spans(tokens: Sequence[str]) -> list[tuple[int, int]]:
    """Return where clauses begin and end: at commas, at "but" and the like, at an "and" before a verb of its own."""
    cuts = [0]
    for at in range(1, len(tokens)):
        token, last = tokens[at], tokens[at - 1]
        if token == "," or (token in _ALWAYS and not (token == "so" and last in ("or", "and", "do", "is"))):
            cuts.append(at)
        elif token in ("if", "unless"):
            if last != "as":
                cuts.append(at)
        elif (token in _JOINS and _has_verb(tokens, at + 1)) or (token == "that" and stem(last) in _SAYS):
            cuts.append(at)
    ends = [*cuts[1:], len(tokens)]
    return [(start, end) for start, end in zip(cuts, ends, strict=True) if end > start]


_SAYS: Final = frozenset(
    stem(word) for word in listed("say mention know tell you admit note promise sure think hide fact out")
)


def _has_verb(tokens: Sequence[str], at: int) -> bool:
    for token in tokens[at:]:
        if token == "," or token in _ALWAYS or token in _JOINS:
            return False
        if token in PREDICATES or token.endswith(("'s", "'re", "'ll")):
            return True
    return False


def _opening(part: Sequence[str]) -> int:
    """Return how many words of a clause come before what it says."""
    at = 0
    while at < len(part) and part[at] in _OPENERS | _ALWAYS | _JOINS | {"that"}:
        at += 1
    return at


def _mute(part: Sequence[str], before: bool, first: bool, found: Sequence[Clause]) -> bool:
    """Whether a clause gives the buyer's words or view, or speaks of what the buyer has."""
    one, two, three = [*part[:3], "", "", ""][:3]
    speaks = (
        (one == "you" and (two in _BUYERS or (three in _BUYERS and two in ("have", "just", "also", "really"))))
        or (one in ("you're", "you'd", "you've") and two in _BUYERS_ARE)
        or (one in ("what", "as") and two in ("you", "you're", "you've"))
        or (one == "your" and two in _OLD)
        or (one in ("i", "we") and two in _SEES)
        or (one in ("i", "i'd") and three in _SEES and two in _FULLY)
    )
    return speaks or (before and bool(part) and one not in _OWN and one != "but")


def _unreal(tokens: Sequence[str], spans: Sequence[tuple[int, int]]) -> bool:
    """Whether a sentence leaves the facts: "suppose …", "if it were …"."""
    opens = _opening(tokens)
    head = tokens[opens : opens + 2]
    if head[:1] and (head[0] in _LEAVES or head in (["what", "if"], ["let's", "say"], ["even", "if"])):
        return True
    place = next((at for at, token in enumerate(tokens) if token == "if" and tokens[at - 1 : at] != ["as"]), None)
    if place is None:
        return False
    span = next((span for span in spans if span[0] <= place < span[1]), (place, len(tokens)))
    inner = tokens[place : span[1]]
    unreal = not _UNREAL.isdisjoint(tokens) or any(token.endswith("'d") for token in tokens)
    if not unreal:
        return False
    return not ("you" in inner[:3] and not _BUYS.isdisjoint(inner[2:5]) and "needed" not in inner)


def _foreign(sentence: Sentence, names: Container[str]) -> bool:
    """Whether a sentence is about other goods."""
    tokens, text = sentence.tokens, sentence.text
    head = tokens[_opening(tokens) :][:5]
    if head[:1] == ["your"] and len(head) > 1 and head[1] in _OLD:
        return True
    if not _STRANGE.isdisjoint(head[:4]) and "than" not in head and not ("the" not in head and "no" in head):
        return head[:1] not in (["you"], ["we"], ["i"], ["there"], ["it"])
    if (
        head[:1]
        and head[0] in ("the", "that", "those")
        and head[1:3] in (["one", "at"], ["one", "you"], ["ones", "you"], ["one", "from"])
    ):
        return True
    if (
        "like" in tokens[:6]
        and tokens[tokens.index("like") + 1 : tokens.index("like") + 2] in (["that"], ["this"])
        and "from" in tokens
    ):
        return True
    match = _VERBS.match(text)
    if match is not None:
        word = match.group().split()[0].removesuffix("'s").lower()
        if word not in names and stem(word) not in _COMMON and word not in _OWN and word not in _OPENERS:
            return True
    for match in _CAPITAL.finditer(text):
        word = match.group().lower()
        if word in names or word in _FAMILIAR:
            continue
        before = text[: match.start()].lower().split()
        if (
            len(before) <= 3
            and (not before or before[-1] in ("the", "a", "an", "with", "that", "at", "from", "by", "your"))
            and "on" not in before
        ):
            return True
        if (
            len(before) == 1
            and match.start()
            and text[:1].isupper()
            and before[0] not in names
            and stem(before[0]) not in _COMMON
        ):
            return True
    return False


_COMMON: Final = frozenset(
    stem(word)
    for word in listed(
        "everything everyone every each nothing nobody this that these those there here it he she"
        " they we you our your one who what"
        " which delivery shipping price warranty returns return everybody anything something both all none neither"
        " either most some"
        " setup onboarding support battery weight payment the a an yes no so and but its their fact point only just"
        " sound quality"
        " size comfort life installation service assembly stock availability breakfast"
    )
)


def is_denied(part: Sequence[str]) -> bool:
    """Whether a stretch of tokens denies what it names."""
    denials = 0
    for at, token in enumerate(part):
        if token not in DENIALS:
            continue
        if token in ("extra", "optional", "zero") and not (
            at and part[at - 1] in ("is", "are", "costs", "cost", "an", "as", "it's", "they're")
        ):
            continue
        if token == "extra" and at + 1 < len(part) and part[at - 1] == "an":
            continue
        if any(tuple(part[at : at + len(idle)]) == idle for idle in IDLE_DENIALS):
            continue
        denials += 1
    if (
        not denials
        and "own" in part
        and not {"book", "buy", "bring", "arrange", "organise", "organize", "need"}.isdisjoint(part)
    ):
        denials = 1
    return denials > 0


def _carried(tokens: Sequence[str], start: int, before: Clause, part: Sequence[str]) -> bool:
    """Whether a clause without a verb goes on with what the one before denies."""
    if (
        not before.denied
        or not before.verb
        or part[_opening(part) :][:1] in (["only"], ["just"], ["instead"], ["rather"])
    ):
        return False
    return tokens[start] not in ("but", "though", "however", "yet")


def _backwards(found: list[Clause], tokens: Sequence[str]) -> list[Clause]:
    """Give a first clause without a verb, as "theft" in "theft and fire aren't covered", what the next one says."""
    for at in range(len(found) - 2, -1, -1):
        this, after = found[at], found[at + 1]
        if not this.verb and not this.denied and after.verb and after.denied and tokens[after.start] in _JOINS:
            found[at] = this._replace(denied=True)
    return found


def cut(tokens: Sequence[str], clause: Clause) -> int:
    """Return where a clause ends before what it compares with, as "than the others"."""
    for at in range(clause.start, clause.end):
        if tokens[at] in _CUTS and not (
            at + 1 < clause.end and (tokens[at + 1][0] in "0123456789$€£" or tokens[at + 1] in STARTS)
        ):
            return at
    return clause.end
