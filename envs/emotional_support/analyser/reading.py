"""What the analyser is told of a talk, and what it reads in a supporter's text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

HELPFUL: Final = (
    "open_question",
    "restatement",
    "reflection",
    "self_disclosure",
    "affirmation",
    "suggestion",
    "information",
)
"""Skills that may help, each where it fits."""

HARMFUL: Final = (
    "blame",
    "minimising",
    "premature_advice",
    "lecturing",
    "repetition",
    "false_fact",
    "off_topic",
)
"""Moves that hurt or help nobody."""

FEELINGS: Final = (
    "sad",
    "lonely",
    "afraid",
    "angry",
    "ashamed",
    "guilty",
    "overwhelmed",
    "exhausted",
    "hopeless",
    "hurt",
    "confused",
    "frustrated",
)
"""Families of feelings; a seeker's are among them."""

LIFTING: Final = ("strength", "step")
"""Names of facts that are a seeker's own doing: affirming those lifts most."""


@dataclass(frozen=True, slots=True)
class Fact:
    """Something of a seeker's story.

    Attributes:
        name: what the world calls it.
        words: words and short phrases that speak of it, lower case, such as ("boss", "manager", "shouted at"). Any form
            of a word counts ("shouting"); say other words for the same thing too.
    """

    name: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Context:
    """What a text is said in.

    Attributes:
        story: all facts of this seeker's story, told and untold: what is none of them may be a false fact.
        told: names of the facts that the seeker has told so far.
        feelings: the seeker's feelings, among `FEELINGS`, the strongest first.
        last: what the seeker has last said.
        earlier: the supporter's earlier messages, the oldest first.
        ready: whether enough is explored that a suggestion is timely.
        common: further texts of the story: whom and what they mention belongs to it, though it speaks of no fact.
    """

    story: tuple[Fact, ...] = ()
    told: frozenset[str] = frozenset()
    feelings: tuple[str, ...] = ()
    last: str = ""
    earlier: tuple[str, ...] = ()
    ready: bool = False
    common: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text does.

    Attributes:
        skills: names from `HELPFUL` and `HARMFUL`; none for small talk.
        levels: progress (0, 1, 2) and regression (0, -1, -2) on the cognitive, affective and motivational axis, in the
            order of EMPA: c_prog, c_neg, a_prog, a_neg, p_prog, p_neg.
        facts: names of the story's facts that it speaks of, in the story's order.
        feelings: the seeker's own feelings that it names, in the seeker's order.
        evidence: (skill, the sentence in which it was heard), in the order of the text.
    """

    skills: frozenset[str] = frozenset()
    levels: tuple[int, int, int, int, int, int] = (0, 0, 0, 0, 0, 0)
    facts: tuple[str, ...] = ()
    feelings: tuple[str, ...] = ()
    evidence: tuple[tuple[str, str], ...] = ()
