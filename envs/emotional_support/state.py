"""SupportState: where the seeker stands, what was told and heard, and what is still held back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from operator import attrgetter
from typing import Any, Final

from agentgym.digest import hash_bytes
from agentgym.envs.emotional_support.analyser import Context
from agentgym.envs.emotional_support.rules import Position, distance
from agentgym.envs.emotional_support.seeker import Seeker
from agentgym.envs.emotional_support.story import FACTS, Matter

TRAIL: Final = 9  # positions that EMPA's rules look back upon
HIDDEN, HINTED, TOLD = 0, 1, 2  # a concern
UNSEEN, SEEN, OWNED = 0, 1, 2  # a strength; a step: open, weighed, decided


@dataclass(frozen=True)
class SupportState:
    """A moment of a talk.

    Attributes:
        seeker: who it is. voice: chooses among ways of saying the same.
        trail: positions, the present one last, at most nine.
        heard: messages that the seeker has heard.
        told: how many of the four facts are told. felt, deep: was the feeling, the one behind it, named rightly.
        concern: 0 held back, 1 hinted at, 2 told. strength: 0 unseen, 1 told, 2 affirmed.
        plan: 0 none, 1 weighed, 2 decided.
        wall: attempts that it takes before the seeker goes on. harmed: did anything that was said do harm.
        act: what the seeker did last. about: what it was about, a name of `Seeker.matters`, or "".
        talk: (role, text) of everything said, the oldest first.
        free: whether the seeker's words came from somebody with a mind of their own, so that all of them count.
    """

    seeker: Seeker
    voice: int
    trail: tuple[Position, ...]
    heard: int = 0
    told: int = 0
    felt: bool = False
    deep: bool = False
    concern: int = HIDDEN
    strength: int = UNSEEN
    plan: int = UNSEEN
    wall: int = 0
    harmed: bool = False
    act: str = "opens"
    about: str = ""
    talk: tuple[tuple[str, str], ...] = ()
    free: bool = False

    @property
    def position(self) -> Position:
        """Where the seeker stands."""
        return self.trail[-1]

    @cached_property
    def distance(self) -> float:
        """How far that is from the zone where nothing is missing."""
        return distance(self.position)

    @cached_property
    def said(self) -> tuple[str, ...]:
        """The supporter's messages, the oldest first."""
        return tuple(text for role, text in self.talk if role == "assistant")

    @cached_property
    def _digests(self) -> tuple[str, ...]:
        """Hashes of the supporter's messages, in no order but their own."""
        return tuple(sorted(map(_digest, self.said)))

    @property
    def last(self) -> str:
        """What the seeker has last said."""
        return self.talk[-1][1]

    @cached_property
    def known(self) -> tuple[str, ...]:
        """Names of what the seeker has told, in the order of the story."""
        names = [f"fact{number}" for number in range(self.told)]
        names += ["concern"] * (self.concern == TOLD) + ["strength"] * (self.strength > UNSEEN)
        return (*names, *(["step"] * (self.plan > UNSEEN)))

    @property
    def explored(self) -> bool:
        """Whether all is told that a suggestion has to wait for."""
        return self.told == FACTS and self.concern == TOLD

    @property
    def latest(self) -> Matter:
        """What the seeker has told last; before that the first fact, which the opening is about."""
        matters = self.seeker.matters
        return matters[self.about] if self.about in self.known else matters[self.known[-1] if self.known else "fact0"]

    @cached_property
    def feelings(self) -> tuple[str, ...]:
        """Families of what the seeker feels: the one behind the concern first, once that is told."""
        feel, deep = self.seeker.story.feel.family, self.seeker.story.deep.family
        return tuple(dict.fromkeys((deep, feel) if self.concern == TOLD else (feel, deep)))

    def then(
        self,
        trail: tuple[Position, ...],
        act: str,
        about: str,
        changes: Mapping[str, Any],
        talk: tuple[tuple[str, str], ...],
    ) -> SupportState:
        """Return the state after a message, without the checks of a frozen dataclass's constructor."""
        held = vars(self)
        after = object.__new__(SupportState)
        values = vars(after)
        values.update({name: held[name] for name in _FIELDS})
        values.update(changes)
        values.update(trail=trail, heard=self.heard + 1, act=act, about=about, talk=talk)
        values.update(said=(*self.said, talk[-2][1]), distance=distance(trail[-1]))
        values["_digests"] = tuple(sorted((*self._digests, _digest(talk[-2][1]))))
        if changes.keys().isdisjoint(_TOLD):
            values.update(known=self.known, feelings=self.feelings)
        return after

    def context(self) -> Context:
        """Return what the analyser is told."""
        seeker = self.seeker
        return Context(
            seeker.known, frozenset(self.known), self.feelings, self.last, self.said, self.explored, seeker.texts
        )

    def canonical(self) -> bytes:
        """Return all that decides the futures of this state: of scripted words the last alone."""
        words: Any = self.talk if self.free else (self.last, self._digests)
        return _written(self.seeker.key, self.voice, self.trail, self.heard, self._stage, words)

    def anchor(self) -> bytes:
        """Return what the supporter can tell apart: who it is, what was told, and how it was taken."""
        seen = (self.felt, self.deep, self.concern, self.plan, self.act, self.about)
        return _written(self.seeker.key, self.known, *seen)

    @property
    def _stage(self) -> tuple[Any, ...]:
        held: tuple[Any, ...] = _HELD(self)
        return held

    def pack(self) -> Any:
        """Return plain values that hold the state; the first is the task's id."""
        return (self.seeker.id, self.voice, self.trail, self.heard, self._stage, self.talk, self.free)

    @classmethod
    def unpack(cls, seeker: Seeker, value: Sequence[Any]) -> SupportState:
        """Return the state of what `pack` returned, without the task's id."""
        voice, trail, heard, stage, talk, free = value
        held = dict(zip(_STAGE, stage, strict=True))
        return cls(seeker, voice, trail, heard, **held, talk=talk, free=free)


_FIELDS: Final = tuple(field.name for field in fields(SupportState))
_TOLD: Final = frozenset(("told", "concern", "strength", "plan"))
_STAGE: Final = ("told", "felt", "deep", "concern", "strength", "plan", "wall", "harmed", "act", "about")
_HELD: Final = attrgetter(*_STAGE)


def _written(*values: Any) -> bytes:
    """Return plain values as bytes that are equal where they are; quicker than `encode`, whose types are not needed."""
    return ascii(values).encode()


@lru_cache(maxsize=4096)
def _digest(text: str) -> str:
    return hash_bytes(text.encode("utf-8", "surrogatepass"))
