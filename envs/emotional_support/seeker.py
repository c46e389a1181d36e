"""Seekers: who is in distress, how they speak, how they hold back, and how much they are in need of."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from agentgym.digest import state_hash
from agentgym.envs.emotional_support.analyser import Fact
from agentgym.envs.emotional_support.person import sentence, you
from agentgym.envs.emotional_support.rules import Position, deficit, distance
from agentgym.envs.emotional_support.story import Feeling, Matter, Story, story_of
from agentgym.errors import DataError, unknown
from agentgym.task import Task

MANNERS: Final = ("plain", "wry", "hesitant", "blunt", "chatty")
RESISTANCE: Final[Mapping[str, int]] = {"open": 0, "deflecting": 1, "self-blaming": 1, "guarded": 2, "testing": 2}
"""How a seeker holds back, and how many attempts it takes at first."""

_WORD: Final = re.compile(r"[a-z]+(?:'[a-z]+)?")
_COMMON_WORDS: Final = """
    feel feels feeling felt hard honest honestly hold help helped left carry began begin stop stopped speak spoke spoken
    tell telling look looked find found stay stayed stand stood sit sat walk moment month week day days weeks months
    year morning evening night nights time first second last late early little big long short whole half life
    good bad better best great nice kind true sure right wrong happen happens happened sometimes answer question
    strength step proud managed brave courage admire they've they'd needn't may come coming see ask need will both new
    thinks instead except through whatever otherwise mentioned you're i'm
    a about after again all almost also always am an and another any anybody anyone anything are around as asked
    at be because been before being but by can can't could couldn't did didn't do does doesn't doing don't done
    down each ever every everybody everyone everything for from get gets getting give goes going gone got had
    hadn't has hasn't have haven't having he hear her here him his how i i'll i've if in into is isn't it it's
    its itself just keep know last less let like lot made make maybe me mine more most much my myself never next
    no nobody nor not nothing now of off on one only or other our ours out over own part people put quite rather
    really said same says seem she should since so some somebody someone something still such take than that
    that's the their them then there there's these they they're thing things think this those though thought
    time to too took trying two under until up us used very want wanted was wasn't way we well went were what
    what's when where which while who why with without won't word would wouldn't years yes yet you your
"""
LONG: Final = 6
"""Letters of a word that speaks of a fact though it stands only in a way of telling it."""
_COMMON: Final = frozenset(_COMMON_WORDS.split())


_HOLDS: Final[Mapping[str, str]] = {
    "open": "You talk readily once somebody asks.",
    "deflecting": "You make light of things until somebody takes them seriously.",
    "self-blaming": "You blame yourself before anybody else can.",
    "guarded": "You say little until you feel safe.",
    "testing": "You test whether the other one really listens.",
}
_SPEAKS: Final[Mapping[str, str]] = {
    "plain": "You speak plainly.", "wry": "You are dry and wry, more so when it hurts.",
    "hesitant": "You hesitate, and begin sentences twice.", "blunt": "You are blunt and brief.",
    "chatty": "You talk a lot, and fast.",
}  # fmt: skip


@dataclass(frozen=True)
class Seeker:
    """A person with a story.

    Attributes:
        id: of the task. name: first name. manner: how they speak, of MANNERS. resistance: of RESISTANCE.
        items: levels of EMPA's nine rubric items. story: what happened.
        role: of a seeker without a script of ours, for whoever speaks in their place; "": the story is theirs.
    """

    id: str
    name: str
    manner: str
    resistance: str
    items: tuple[tuple[str, int], ...]
    story: Story
    role: str = ""

    @cached_property
    def start(self) -> Position:
        """The first position: how much is missing on each axis."""
        return deficit(dict(self.items))

    @cached_property
    def far(self) -> float:
        """The distance from the first position to where nothing is missing; at least 1, since it is divided by."""
        return max(distance(self.start), 1.0)

    @cached_property
    def wall(self) -> int:
        """How many attempts it takes at first before they go on."""
        return RESISTANCE[self.resistance]

    @cached_property
    def key(self) -> str:
        """Hash of all that a seeker is."""
        story = self.story
        matters = [[m.about, m.clause, *m.told] for m in (*story.facts, story.concern, story.strength, story.step)]
        feelings = [[*f.words, *f.told] for f in (story.feel, story.deep)]
        rest = [story.name, *story.openers, story.advice, *story.lies, story.small, *([self.role] if self.role else [])]
        return state_hash((self.name, self.manner, self.resistance, self.items, matters, feelings, rest))

    @cached_property
    def card(self) -> str:
        """Role for whoever speaks in their place: what happened, what is held back until when."""
        if self.role:
            return self.role
        story = self.story
        facts = " ".join(sentence(fact.clause) for fact in story.facts)
        return (
            f"You are {self.name}, and you write to somebody who listens. {_SPEAKS[self.manner]} "
            f"{_HOLDS[self.resistance]}\nWhat happened: {facts} You feel {story.feel.words[0]}, but you seldom say "
            f"that word first.\nWhat you hold back until it feels safe: {sentence(story.concern.clause)} Behind that "
            f"you feel {story.deep.words[0]}.\nWhat you have done well, and forget: {sentence(story.strength.clause)}\n"
            f"What you might do in the end, if nobody pushes you: {story.step.clause}.\n"
            "Say no more than the draft says. If you have had enough, you may leave."
        )

    @cached_property
    def matters(self) -> Mapping[str, Matter]:
        """Everything that can be told, by the name under which the analyser knows it."""
        story = self.story
        named = {f"fact{number}": fact for number, fact in enumerate(story.facts)}
        return {**named, "concern": story.concern, "strength": story.strength, "step": story.step}

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """All that the seeker may tell, in their words: whom it mentions is part of the story."""
        matters = tuple(text for m in self.matters.values() for text in (m.about, m.clause, *m.told))
        feelings = (text for feeling in (self.story.feel, self.story.deep) for text in feeling.told)
        return (*self.story.openers, *matters, *feelings)

    @cached_property
    def known(self) -> tuple[Fact, ...]:
        """The facts of the story with the words that speak of them, for the analyser.

        A word of a fact itself speaks of it where no other fact has it, or where it is what the fact is about; of the
        ways of telling it only long words do, which stand in no other.
        """
        matters = self.matters
        core = {name: content(f"{matter.about} {matter.clause}") for name, matter in matters.items()}
        every = {name: {*core[name], *content(" ".join(matters[name].told))} for name in matters}
        facts = []
        for name, matter in matters.items():
            others = {word for other in matters if other != name for word in every[other]}
            about = content(matter.about)
            told = (word for word in content(" ".join(matter.told)) if len(word) >= LONG)
            words = [word for word in core[name] if word in about or word not in others]
            words += [word for word in told if word not in others and word not in words]
            facts.append(Fact(name, tuple(words or core[name])))
        return tuple(facts)

    @cached_property
    def lies(self) -> tuple[frozenset[str], ...]:
        """The words of what is not so of the story, each of at least two."""
        return tuple(frozenset(content(you(lie))) for lie in self.story.lies)

    @cached_property
    def feelings(self) -> Mapping[str, Feeling]:
        """The feelings by family, what is felt at first before what lies behind it."""
        return {feeling.family: feeling for feeling in (self.story.deep, self.story.feel)}


def content(text: str) -> tuple[str, ...]:
    """Return the words of a text that say something, each once."""
    found = (word for word in _WORD.findall(text.lower()) if len(word) > 2 and word not in _COMMON)
    return tuple(dict.fromkeys(found))


def seeker_of(task: Task) -> Seeker:
    """Return the seeker of a task's data: name, manner, resistance, items (item → level) and story (`story_of`).

    Raises:
        DataError: something is missing or unknown; the message names the task and the item.
    """
    data: Mapping[str, Any] = task.data
    missing = [key for key in ("name", "manner", "resistance", "items", "story") if key not in data]
    if missing:
        raise DataError(f"task {task.id!r} lacks {', '.join(missing)}: see seeker.seeker_of for what a seeker is")
    for kind, known in (("manner", MANNERS), ("resistance", tuple(RESISTANCE))):
        if data[kind] not in known:
            raise DataError(f"task {task.id!r}: {unknown(kind, data[kind], known)}")
    role = data.get("role", "")
    if type(role) is not str:
        raise DataError(f"task {task.id!r}: its role must be a text, not {type(role).__name__}")
    try:
        items = tuple(sorted((str(item), level) for item, level in data["items"].items()))
        found = Seeker(task.id, data["name"], data["manner"], data["resistance"], items, story_of(data["story"]), role)
        found.start  # noqa: B018 - bad items are found now
    except (ValueError, AttributeError, TypeError, KeyError) as error:
        raise DataError(f"task {task.id!r}: {error}") from error
    return found
