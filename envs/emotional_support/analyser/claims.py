"""What a sentence takes to be so of a seeker's life: whom they have, and what happened to them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from agentgym.envs.emotional_support.analyser.lists import rows, table
from agentgym.envs.emotional_support.analyser.words import stem

Role = tuple[str, str]
"""What somebody is to the seeker, and m or f where the word says it."""

_ROLE: Final[Mapping[str, tuple[str, str]]] = {
    stem(word): (role.partition(" ")[0], role.partition(" ")[2]) for word, role in table("roles").items()
}
_USUAL: Final = frozenset(("parent", "sibling", "grand", "neighbour"))  # whom most people have: they may be asked about

_EVENT: Final = {stem(word): number for number, group in enumerate(rows("events")) for word in group.split()}
_YOUR: Final = re.compile(r"\byour (?:\w+ ){0,1}?(\w+)")
_HYPOTHETICAL: Final = re.compile(
    r"\b(?:if|maybe|perhaps|might|whether|may|imagine|would|could|can|any|even if|what if|nobody|anyone|anybody|no one"
    r"|worry|worried|afraid|scared|fear|without)\b"
)
_DOES: Final = re.compile(
    r"\byour (?:\w+ )?\w+ (?:is|are|was|were|has|have|had|did|does|should|must|told|left|died|gets?|\w+ed)\b"
)
_DONE_TO: Final = re.compile(  # what somebody did to the seeker; a day may leave them feeling this or that
    r"\b(?:(?!what|that|it|all)\w+ (left|dumped) you\b(?! (?:feeling|with|in|so|no|to|unable|alone|nothing|on))"
    r"|(?!what|that|it|who)\w+ (?:has |had |have )?(cheated|cheats|hits?|beats?|beaten|slapped|punched|raped)"
    r" (?:on )?you\b)"
)
_SAID: Final = re.compile(r"\byou (?:said|told me|mentioned|wrote|have told me|have said)\b")
_DOERS: Final = frozenset(
    ("left", "dumped", "cheated", "cheats", "hit", "hits", "beat", "beats", "beaten", "slapped", "punched", "raped")
)
_QUOTERS: Final = frozenset(("said", "told", "mentioned", "wrote"))


class Claims(NamedTuple):
    """What a sentence takes to be so.

    Attributes:
        roles: of those whom it calls the seeker's own, where it takes it for granted that there is somebody.
        events: numbers of the groups of events that it says happened.
        done: stem of what it says somebody did to the seeker.
        quotes: whether it says that the seeker said so.
    """

    roles: tuple[Role, ...]
    events: frozenset[int]
    done: str
    quotes: bool


def claims_of(words: Sequence[str], stems: Sequence[str], text: str, asks: bool) -> Claims | None:
    """Return what a sentence that speaks to the seeker takes to be so; None: nothing."""
    roles = _roles_of(text) if "your" in words else ()
    events = _EVENT.keys() & stems
    does, quotes = not _DOERS.isdisjoint(words), not _QUOTERS.isdisjoint(words)
    if not (roles or events or does or quotes):
        return None
    supposes = _HYPOTHETICAL.search(text) is not None
    if roles and (asks or supposes or _DOES.search(text) is None):
        roles = tuple([role for role in roles if role[0] not in _USUAL])
    done = _DONE_TO.search(text) if does and not supposes else None
    happened = frozenset([_EVENT[one] for one in events]) if not supposes else frozenset[int]()
    said = quotes and not supposes and _SAID.search(text) is not None
    found = Claims(roles, happened, "" if done is None else stem(done[done.lastindex or 0]), said)
    return found if any(found) else None


def _roles_of(text: str) -> tuple[Role, ...]:
    """Return the roles of those whom a sentence calls somebody's own."""
    named = (stem(word) for match in _YOUR.finditer(text) for word in match[0].split()[1:])
    return tuple([_ROLE[one] for one in named if one in _ROLE])


def roles_in(stems: Iterable[str]) -> frozenset[Role]:
    """Return the roles that stems name."""
    return frozenset(_ROLE[one] for one in stems if one in _ROLE)


def events_in(stems: Iterable[str]) -> frozenset[int]:
    """Return the numbers of the groups of events that stems name."""
    return frozenset(_EVENT[one] for one in stems if one in _EVENT)
