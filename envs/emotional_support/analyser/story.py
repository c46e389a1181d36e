"""A seeker's story as the analyser looks things up in it: which facts a sentence speaks of, and what is not in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

from agentgym.envs.emotional_support.analyser.feelings import names_feeling
from agentgym.envs.emotional_support.analyser.general import FUNCTION, GENERAL, NEAR
from agentgym.envs.emotional_support.analyser.lists import rows, table
from agentgym.envs.emotional_support.analyser.reading import Fact
from agentgym.envs.emotional_support.analyser.words import Sentence, sentences, stem

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
_LEFT: Final = re.compile(r"\b(?:left|dumped|cheated on|walked out on|hit|beat|slapped|punched|raped) you\b")
_SAID: Final = re.compile(r"\byou (?:said|told me|mentioned|wrote|have told me|have said)\b")


class Index:
    """The facts of a story by the stems of their words.

    Args:
        story: the facts.
    """

    __slots__ = ("events", "names", "phrases", "roles", "singles", "stems")

    def __init__(self, story: tuple[Fact, ...]) -> None:
        self.names = tuple(fact.name for fact in story)
        self.singles: dict[str, tuple[str, ...]] = {}
        self.phrases: dict[str, tuple[tuple[tuple[str, ...], str], ...]] = {}
        found: set[str] = set()
        for fact in story:
            for words in fact.words:
                stems = tuple(one for sentence in sentences(words) for one in sentence.stems if one != ",")
                found.update(stems)
                self._add(stems, fact.name)
        self.stems = frozenset(found | {near for one in found for near in NEAR.get(one, ())})
        self.roles = _roles(found)
        self.events = frozenset(_EVENT[one] for one in self.stems if one in _EVENT)

    def _add(self, stems: tuple[str, ...], name: str) -> None:
        if len(stems) == 1:
            for one in NEAR.get(stems[0], stems):
                if name not in self.singles.get(one, ()):
                    self.singles[one] = (*self.singles.get(one, ()), name)
        elif stems:
            self.phrases[stems[0]] = (*self.phrases.get(stems[0], ()), (stems, name))

    def facts(self, sentence: Sentence) -> tuple[str, ...]:
        """Return the names of the facts that a sentence speaks of, in the order of its words."""
        found: dict[str, None] = {}
        stems, singles, phrases = sentence.stems, self.singles, self.phrases
        for place, one in enumerate(stems):
            names = singles.get(one)
            if names is not None:
                for name in names:
                    found[name] = None
            if one in phrases:
                for wanted, name in phrases[one]:
                    if stems[place : place + len(wanted)] == wanted:
                        found[name] = None
        return tuple(found)

    def strange(self, sentence: Sentence, last: Heard) -> int:
        """Return how many different words of a sentence belong neither to the story nor to every talk."""
        unknown = {
            one for one in sentence.stems if one not in GENERAL and one not in self.stems and one not in last.stems
        }
        return sum(one[-2:] != "ly" and one != "," for one in unknown) - sum(map(names_feeling, set(sentence.words)))

    def invented(self, sentence: Sentence, last: Heard) -> bool:
        """Return whether a sentence takes somebody or something for a part of the story that is not in it."""
        text = sentence.text
        if "you" not in text:
            return False
        for match in _YOUR.finditer(text):
            for word in match[0].split()[1:]:
                role = _ROLE.get(stem(word))
                if (
                    role is not None
                    and not self._has(role, last)
                    and not (role[0] in _USUAL and (sentence.asks or _HYPOTHETICAL.search(text) or _soft(text)))
                ):
                    return True
        if (
            _LEFT.search(text)
            and self.stems.isdisjoint(("leave", "leav", "split", "breakup", "separat", "abandon"))
            and not (_HYPOTHETICAL.search(text))
        ):
            return True
        for one in sentence.stems:
            event = _EVENT.get(one)
            if (
                event is not None
                and event not in self.events
                and event not in last.events
                and not _HYPOTHETICAL.search(text)
            ):
                return True
        return _SAID.search(text) is not None and not self.facts(sentence) and self.strange(sentence, last) > 1

    def _has(self, role: tuple[str, str], last: Heard) -> bool:
        kinds = self.roles | last.roles
        if role == ("spouse", "") and any(kind == "lover" for kind, _ in kinds):
            return True
        if role[0] == "lover" and ("spouse", "") in kinds:
            return True
        if not role[1]:
            return any(kind == role[0] for kind, _ in kinds)
        return role in kinds or ((role[0], "") in kinds and not any(kind == role[0] and sex for kind, sex in kinds))


def _soft(text: str) -> bool:
    """Return whether a sentence only mentions somebody, rather than telling what they did."""
    return (
        re.search(
            r"\byour (?:\w+ )?\w+ (?:is|are|was|were|has|have|had|did|does|should|must|told|left|died|gets?|\w+ed)\b",
            text,
        )
        is None
    )


class Heard:
    """What the seeker said last: its stems, runs of three words, and whom and what it speaks of."""

    __slots__ = ("events", "roles", "stems", "threes")

    def __init__(self, text: str) -> None:
        found = sentences(text)
        self.stems = frozenset(
            one for sentence in found for one in sentence.stems if one not in FUNCTION and one != ","
        )
        words = [word for sentence in found for word in sentence.words if word != ","]
        self.threes = frozenset(zip(words, words[1:], words[2:], strict=False))
        self.roles = _roles(self.stems)
        self.events = frozenset(_EVENT[one] for one in self.stems if one in _EVENT)


def _roles(stems: Iterable[str]) -> frozenset[tuple[str, str]]:
    return frozenset(_ROLE[one] for one in stems if one in _ROLE)


@lru_cache(maxsize=1_024)
def index_of(story: tuple[Fact, ...]) -> Index:
    """Return the index of a story."""
    return Index(story)


@lru_cache(maxsize=2_048)
def heard_in(last: str) -> Heard:
    """Return what was heard in a seeker's text."""
    return Heard(last)
