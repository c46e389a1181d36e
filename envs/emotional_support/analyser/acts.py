"""The act of a sentence: what its speaker does by it, one thing, or two where a comma parts them."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from agentgym.envs.emotional_support.analyser import questions
from agentgym.envs.emotional_support.analyser.feelings import named
from agentgym.envs.emotional_support.analyser.general import FUNCTION, GENERAL
from agentgym.envs.emotional_support.analyser.heaps import is_salad
from agentgym.envs.emotional_support.analyser.lists import words
from agentgym.envs.emotional_support.analyser.proposals import hurt_in, proposes
from agentgym.envs.emotional_support.analyser.reading import Context
from agentgym.envs.emotional_support.analyser.story import Heard, Index
from agentgym.envs.emotional_support.analyser.words import Sentence

_FLATTERY: Final = words("flattery")


class Ground(NamedTuple):
    """What a sentence is read upon: the context, its story, and what was heard in the seeker's text."""

    heard: Context
    story: Index
    last: Heard


class Act(NamedTuple):
    """What a sentence does: skills, the facts and the seeker's feelings that it names, and whether it is gently put."""

    skills: tuple[str, ...]
    facts: tuple[str, ...] = ()
    feelings: tuple[str, ...] = ()
    soft: bool = False
    families: int = 0


def act_of(sentence: Sentence, kinds: dict[str, int], ground: Ground) -> Act:
    """Return what a sentence with some kinds of cues does to the seeker."""
    families = named(sentence)
    own = tuple(one for one in ground.heard.feelings if one in families)
    facts = ground.story.facts(sentence)
    if is_salad(sentence, families):
        return Act(("off_topic",))
    skills = _skills(sentence, kinds, own, bool(families), facts, ground)
    return Act(skills, facts, own, "suggest" in kinds, len(families))


def _skills(
    sentence: Sentence, kinds: dict[str, int], own: tuple[str, ...], feels: bool, facts: tuple[str, ...], ground: Ground
) -> tuple[str, ...]:
    text = questions.body(sentence)
    opens = questions.opens(sentence, text, "invite" in kinds)
    if "no_fault" not in kinds:
        hurts = hurt_in(sentence, kinds, opens, bool(own))
        if hurts:
            return (hurts,)
        if proposes(sentence, text, kinds, opens):
            if _OFFERS.search(sentence.text) and ground.story.strange(sentence, ground.last) > 1:
                return ("off_topic",)
            return ("suggestion" if ground.heard.ready else "premature_advice",)
    if not ("own" in kinds and "your" not in sentence.words) and ground.story.invented(sentence, ground.last):
        return ("false_fact",)
    if opens:
        strange = ground.story.strange(sentence, ground.last)
        common = sum(one in GENERAL and one not in FUNCTION for one in sentence.stems)
        return ("off_topic",) if strange > 1 and strange >= common and not facts and not own else ("open_question",)
    if questions.closed(sentence, text) and not own and "mirror" not in kinds:
        return ()
    return _statement(sentence, kinds, own, feels, facts, ground)


def _statement(
    sentence: Sentence, kinds: dict[str, int], own: tuple[str, ...], feels: bool, facts: tuple[str, ...], ground: Ground
) -> tuple[str, ...]:
    words = sentence.words
    you = "you" in words or "your" in words or "yourself" in words
    if "own" in kinds and not ("affirm" in kinds and kinds["affirm"] < kinds["own"]):
        linked = facts or feels or not ground.last.stems.isdisjoint(sentence.stems) or not _ALIKE.isdisjoint(words)
        return ("self_disclosure",) if linked or ground.story.strange(sentence, ground.last) < 2 else ("off_topic",)
    if "inform" in kinds and _informs(sentence, kinds, own, you):
        return ("information",)
    praise = "affirm" in kinds or "no_fault" in kinds
    if len(_FLATTERY.intersection(words)) > 1 and not facts and not own:
        return ("off_topic",)
    if own and not _first_person(sentence):
        return _reflects(sentence, kinds) if praise else ("reflection",)
    if praise:
        return ("affirmation",)
    if (facts or feels) and "mirror" not in kinds and _generic(sentence):
        return ("information",)
    return ("restatement",) if _restates(sentence, kinds, feels, facts, ground, you) else ()


def _restates(
    sentence: Sentence, kinds: dict[str, int], feels: bool, facts: tuple[str, ...], ground: Ground, you: bool
) -> bool:
    """Return whether a sentence says the seeker's story back to them."""
    words = sentence.words
    common = ground.last.stems.intersection(sentence.stems)
    shared = sum(1 if one in GENERAL else 2 for one in common)
    if "my" in words or not (facts or shared > 1) or (feels and not facts):
        return False
    return you or "mirror" in kinds or (len(facts) + shared > 2 and not _OTHERS.isdisjoint(words))


def _informs(sentence: Sentence, kinds: dict[str, int], own: tuple[str, ...], you: bool) -> bool:
    """Return whether a sentence with a cue of information tells what is so in general, not of the seeker."""
    if "no_fault" in kinds or kinds.get("affirm", kinds["inform"]) < kinds["inform"]:
        return False
    return not you or (not own and "you" not in sentence.words[:4] and "affirm" not in kinds)


def _reflects(sentence: Sentence, kinds: dict[str, int]) -> tuple[str, ...]:
    """Return the acts of a sentence that names a feeling and praises: by what comes first, and both across a comma."""
    text = sentence.text
    if "no wonder" in text:
        return ("reflection",)
    praise = min(kinds.get("affirm", len(text)), kinds.get("no_fault", len(text)))
    comma = text.rfind(",", 0, praise)
    if comma < 0:
        comma = text.rfind(" but ", 0, praise)
    if comma > 0:
        before = text[:comma]
        if named(Sentence(before, tuple(before.split()), (), False, 0, 0)):
            return ("reflection", "affirmation")
    return ("affirmation",)


def _first_person(sentence: Sentence) -> bool:
    """Return whether a sentence speaks of its speaker's own feelings."""
    words = sentence.words
    if "you" in words or "your" in words:
        return False
    return "my" in words or ("i" in words and _HEARS.isdisjoint(sentence.stems))


def _generic(sentence: Sentence) -> bool:
    """Return whether a sentence speaks of nobody in particular, and of no past."""
    words = sentence.words
    if len(words) < 4 or sentence.asks or words[0] in ("how", "what", "so", "ok"):
        return False
    return _PERSONAL.isdisjoint(words) and _PAST.isdisjoint(words)


_OFFERS: Final = re.compile(
    r"\b(?:i can|my (?!advice|suggestion|opinion|view|tip)|we should talk about|let me (?:give|show|sell))"
)
_ALIKE: Final = frozenset(("that", "same", "once", "too", "ago", "myself", "like", "remember", "felt", "feel"))
_OTHERS: Final = frozenset(("he", "she", "they", "it", "nobody", "everyone", "everybody"))
_HEARS: Final = frozenset(("hear", "sens", "notic", "imagin", "see", "get"))
_PAST: Final = frozenset(
    ("was", "were", "had", "did", "went", "won", "rose", "got", "came", "said", "yesterday", "ago")
)
_PERSONAL: Final = frozenset(
    (
        "you",
        "your",
        "i",
        "my",
        "me",
        "we",
        "us",
        "our",
        "he",
        "she",
        "him",
        "her",
        "they",
        "them",
        "it",
        "his",
        "their",
    )
)
