"""The clauses of a sentence: which of them state something of the product, and which say it in the contrary."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Final, NamedTuple

from agentgym.envs.sales.claims.lexicon import DENIALS, IDLE_DENIALS, PREDICATES
from agentgym.envs.sales.claims.numerals import STARTS
from agentgym.envs.sales.claims.stance import OLD, opening
from agentgym.envs.sales.claims.tokens import stem
from agentgym.envs.sales.vocabulary import listed, words

_ALWAYS: Final = words("but though although while whereas because so which however yet except")
_JOINS: Final = words("and or plus nor")
_SAYS: Final = frozenset(
    stem(word) for word in listed("say mention know tell you admit note promise sure think hide fact out")
)
_OWN: Final = words(
    "it it's it'll it'd they they're they'll this this's that's these we we're we've we'll our ours the there there's"
    " here's he you'll you'd you've you're in at with for"
)
_BUYERS: Final = words(
    "said mentioned told wrote asked asking want wanted need needed currently already prefer thought think feel worry"
    " worried looking were wish hope expect expected described write say mean meant like liked telling"
)
_BUYERS_ARE: Final = words("telling asking looking worried afraid mentioned said like saying")
_SEES: Final = words("understand hear see get realise realize appreciate know")
_FULLY: Final = words("totally fully completely really can do absolutely certainly")
_LATELY: Final = words("have just also really")
_CUTS: Final = words("than unlike versus vs")
_IS: Final = words("is are costs cost an as it's they're")
_SELF: Final = words("book buy bring arrange organise organize need")
_AGAINST: Final = words("but though however yet")
_RESTARTS: Final = words("only just instead rather")
_IDLE: Final = frozenset(phrase for phrase in IDLE_DENIALS)
_IDLE_FIRST: Final = frozenset(phrase[0] for phrase in IDLE_DENIALS)
_IDLE_LENGTHS: Final = sorted({len(phrase) for phrase in IDLE_DENIALS})


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


def clauses(tokens: Sequence[str], named: Container[int] = ()) -> list[Clause]:
    """Return the clauses of a sentence.

    Args:
        tokens: its tokens.
        named: those that are part of a fact's name, as the "no" of a no-claims discount, and deny nothing.
    """
    found: list[Clause] = []
    mute = False
    for start, end in _spans(tokens):
        part = tokens[start:end]
        at = opening(part)
        mute = _mute(part, at, mute)
        verb = _states(part)
        denied = not DENIALS.isdisjoint(part) and is_denied(
            [token for place, token in enumerate(part, start) if place not in named] if named else part
        )
        denied = denied or _quietly(part, verb)
        if not verb and found and not denied:
            denied = _carried(part, at, found[-1])
        states = not mute and part[at : at + 1] not in (["if"], ["unless"], ["whether"])
        found.append(Clause(start, end, states, verb, denied))
    return _backwards(found, tokens) if len(found) > 1 else found


def _spans(tokens: Sequence[str]) -> list[tuple[int, int]]:
    """Return where clauses begin and end: at commas, at "but" and the like, at an "and" before a verb of its own."""
    cuts = [0]
    for at, token in enumerate(tokens):
        if token not in _MAY_CUT or not at:
            continue
        last = tokens[at - 1]
        if token == ",":
            cuts.append(at)
        elif token in _JOINS:
            if _has_verb(tokens, at + 1):
                cuts.append(at)
        elif token == "that":
            if stem(last) in _SAYS:
                cuts.append(at)
        elif token in ("if", "unless"):
            if last != "as":
                cuts.append(at)
        elif token != "so" or last not in ("or", "and", "do", "is"):
            cuts.append(at)
    if len(cuts) == 1:
        return [(0, len(tokens))]
    return list(zip(cuts, [*cuts[1:], len(tokens)], strict=True))


_MAY_CUT: Final = _ALWAYS | _JOINS | words("that if unless ,")


def _states(part: Sequence[str]) -> bool:
    if not PREDICATES.isdisjoint(part):
        return True
    return any("'" in token and token.endswith(("'s", "'re", "'ll")) for token in part)


def _has_verb(tokens: Sequence[str], at: int) -> bool:
    for token in tokens[at:]:
        if token == "," or token in _ALWAYS or token in _JOINS:
            return False
        if token in PREDICATES or token.endswith(("'s", "'re", "'ll")):
            return True
    return False


def _mute(part: Sequence[str], at: int, before: bool) -> bool:
    """Whether a clause gives the buyer's words or view, or what the buyer has; it lasts until another subject."""
    one, two, three = [*part[at : at + 3], "", "", ""][:3]
    if one == "you":
        speaks = two in _BUYERS or (three in _BUYERS and two in _LATELY)
    elif one in ("you're", "you'd", "you've"):
        speaks = two in _BUYERS_ARE
    elif one in ("what", "as"):
        speaks = two in ("you", "you're", "you've")
    elif one == "your":
        speaks = two in OLD
    elif one in ("i", "we", "i'd"):
        speaks = (two in _SEES and one != "i'd") or (three in _SEES and two in _FULLY)
    else:
        speaks = False
    return speaks or (before and one != "" and one not in _OWN and "but" not in part[:2])


def is_denied(part: Sequence[str]) -> bool:
    """Whether a stretch of tokens denies what it names."""
    for at, token in enumerate(part):
        if token not in DENIALS or (token in ("extra", "optional", "zero") and (not at or part[at - 1] not in _IS)):
            continue
        if token == "extra" and part[at - 1] == "an" and at + 1 < len(part):
            continue
        if token in _IDLE_FIRST and any(tuple(part[at : at + length]) in _IDLE for length in _IDLE_LENGTHS):
            continue
        return True
    return False


def _quietly(part: Sequence[str], verb: bool) -> bool:
    """Whether a clause denies without a word of denial: "floods out", "your own flights", "something else"."""
    last = part[-1]
    if last == "else" and "something" in part:
        return True
    if not verb and last in ("out", "no") and len(part) <= 4:
        return True
    return "own" in part and not _SELF.isdisjoint(part)


def _carried(part: Sequence[str], at: int, before: Clause) -> bool:
    """Whether a clause without a verb goes on with what the one before denies."""
    if not (before.denied and before.verb) or part[at : at + 1] == [] or part[at] in _RESTARTS:
        return False
    return _AGAINST.isdisjoint(part[:2])


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
        if tokens[at] in _CUTS:
            after = tokens[at + 1] if at + 1 < clause.end else ""
            if not after or not (after[0] in "0123456789$€£" or after in STARTS):
                return at
    return clause.end
