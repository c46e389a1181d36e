"""A seeker's story as the analyser looks things up in it: which facts a sentence speaks of, and what is not in it."""

from __future__ import annotations

from collections.abc import Container, Sequence
from functools import lru_cache
from typing import Final

from agentgym.envs.emotional_support.analyser.claims import events_in, roles_in
from agentgym.envs.emotional_support.analyser.general import FUNCTION, NEAR
from agentgym.envs.emotional_support.analyser.reading import Fact
from agentgym.envs.emotional_support.analyser.said import Said, sentences
from agentgym.envs.emotional_support.analyser.words import stem, tokens

KEPT: Final = 4_096
"""Stories that are kept, and sentences of each."""


class Index:
    """The facts of a story by the stems of their words.

    Args:
        story: the facts.
        common: further words of the story.
    """

    __slots__ = ("_kept", "events", "names", "phrases", "roles", "singles", "stems")

    def __init__(self, story: tuple[Fact, ...], common: tuple[str, ...] = ()) -> None:
        self.names = tuple(fact.name for fact in story)
        self._kept: dict[str, tuple[str, ...]] = {}
        self.singles: dict[str, tuple[str, ...]] = {}
        self.phrases: dict[str, tuple[tuple[tuple[str, ...], str], ...]] = {}
        found = {stem(word) for text in common for word in tokens(text.lower())}
        for fact in story:
            for words in fact.words:
                stems = tuple(stem(word) for word in tokens(words.lower()) if word != ",")
                found.update(stems)
                self._add(stems, fact.name)
        self.stems = frozenset(found | {near for one in found for near in NEAR.get(one, ())})
        self.roles = roles_in(found)
        self.events = events_in(found)

    def _add(self, stems: tuple[str, ...], name: str) -> None:
        if len(stems) == 1:
            for one in NEAR.get(stems[0], stems):
                if name not in self.singles.get(one, ()):
                    self.singles[one] = (*self.singles.get(one, ()), name)
        elif stems:
            self.phrases[stems[0]] = (*self.phrases.get(stems[0], ()), (stems, name))

    def facts(self, sentence: Said) -> tuple[str, ...]:
        """Return the names of the facts that a sentence speaks of, in the order of its words."""
        found = self._kept.get(sentence.text)
        if found is None:
            if len(self._kept) >= KEPT:
                self._kept.clear()
            found = self._kept[sentence.text] = tuple(self._facts(sentence.stems))
        return found

    def _facts(self, stems: Sequence[str]) -> dict[str, None]:
        found: dict[str, None] = {}
        for one in stems:
            for name in self.singles.get(one, ()):
                found[name] = None
        if not self.phrases.keys().isdisjoint(stems):
            for place, one in enumerate(stems):
                for wanted, name in self.phrases.get(one, ()):
                    if tuple(stems[place : place + len(wanted)]) == wanted:
                        found[name] = None
        return found

    def strange(self, sentence: Said, last: Heard) -> int:
        """Return how many different words of a sentence belong neither to the story nor to every talk."""
        odd = sentence.odd
        return len(odd - self.stems - last.stems) if odd else 0

    def said(self, one: str, told: Container[str] | None, last: Heard) -> bool:
        """Return whether a stem is of a fact that was told, or any fact, or of what the seeker said last."""
        names = self.singles.get(one, ())
        return one in last.stems or (one in self.stems if told is None else any(name in told for name in names))

    def elsewhere(self, sentence: Said, last: Heard) -> bool:
        """Return whether a sentence brings in a topic that is not the seeker's."""
        return bool(sentence.topics) and bool(sentence.topics - self.stems - last.stems)

    def invented(self, sentence: Said, last: Heard) -> bool:
        """Return whether a sentence takes somebody or something for a part of the story that is not in it."""
        claims = sentence.claims
        if claims is None:
            return False
        if any(not self._has(role, last) for role in claims.roles):
            return True
        if claims.done and not self.said(claims.done, None, last):
            return True
        if not claims.events <= (self.events | last.events):
            return True
        return claims.quotes and not self.facts(sentence) and self.strange(sentence, last) > 1

    def _has(self, role: tuple[str, str], last: Heard) -> bool:
        kinds = self.roles | last.roles
        if role == ("spouse", "") and any(kind == "lover" for kind, _ in kinds):
            return True
        if role[0] == "lover" and ("spouse", "") in kinds:
            return True
        if not role[1]:
            return any(kind == role[0] for kind, _ in kinds)
        return role in kinds or ((role[0], "") in kinds and not any(kind == role[0] and sex for kind, sex in kinds))


class Heard:
    """What the seeker said last: its stems, runs of three words, and whom and what it speaks of."""

    __slots__ = ("events", "roles", "stems", "threes")

    def __init__(self, text: str) -> None:
        found = [placed.said for placed in sentences(text)]
        self.stems = frozenset(one for sentence in found for one in sentence.stems) - FUNCTION - {","}
        words = [word for sentence in found for word in sentence.words if word != ","]
        self.threes = frozenset(zip(words, words[1:], words[2:], strict=False))
        self.roles = roles_in(self.stems)
        self.events = events_in(self.stems)


_INDICES: Final[dict[int, tuple[tuple[Fact, ...], tuple[str, ...], Index]]] = {}


def index_of(story: tuple[Fact, ...], common: tuple[str, ...] = ()) -> Index:
    """Return the index of a story and its further words; it is kept with the very object."""
    kept = _INDICES.get(id(story))
    if kept is not None and kept[0] is story and kept[1] == common:
        return kept[2]
    if len(_INDICES) >= KEPT:
        _INDICES.clear()
    found = Index(story, common)
    _INDICES[id(story)] = (story, common, found)
    return found


@lru_cache(maxsize=2_048)
def heard_in(last: str) -> Heard:
    """Return what was heard in a seeker's text."""
    return Heard(last)
