"""The act of a sentence: what its speaker does by it, one thing, or two where a comma parts them."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from agentgym.envs.emotional_support.analyser.feelings import named
from agentgym.envs.emotional_support.analyser.general import FUNCTION, GENERAL
from agentgym.envs.emotional_support.analyser.lists import words as listed
from agentgym.envs.emotional_support.analyser.proposals import hurt_in, proposes
from agentgym.envs.emotional_support.analyser.reading import Context
from agentgym.envs.emotional_support.analyser.said import Said
from agentgym.envs.emotional_support.analyser.story import Heard, Index

_FLATTERY: Final = listed("flattery")


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


def act_of(sentence: Said, ground: Ground) -> Act:
    """Return what a sentence does to the seeker."""
    families = sentence.families
    own = tuple([one for one in ground.heard.feelings if one in families]) if families else ()
    if sentence.heap:
        return Act(("off_topic",))
    facts = ground.story.facts(sentence)
    return Act(_skills(sentence, own, facts, ground), facts, own, "suggest" in sentence.kinds)


def _skills(sentence: Said, own: tuple[str, ...], facts: tuple[str, ...], ground: Ground) -> tuple[str, ...]:
    kinds, story, last = sentence.kinds, ground.story, ground.last
    if "no_fault" not in kinds:
        if "blame" in kinds or "minimise" in kinds:
            hurts = hurt_in(sentence, bool(own), lambda one: story.said(one, ground.heard.told, last))
            if hurts:
                return (hurts,)
        if proposes(sentence):
            if _OFFERS.search(sentence.text) and story.strange(sentence, last) > 1:
                return ("off_topic",)
            return ("suggestion" if ground.heard.ready else "premature_advice",)
    if not ("own" in kinds and "your" not in sentence.words) and story.invented(sentence, last):
        return ("false_fact",)
    if not own and not (facts and sentence.you) and story.elsewhere(sentence, last):
        return ("off_topic",)
    if sentence.opens:
        return ("open_question",) if own or facts or not _strays(sentence, ground) else ("off_topic",)
    if sentence.closed and not own and "mirror" not in kinds:
        return ()
    return _statement(sentence, own, facts, ground)


def _strays(sentence: Said, ground: Ground) -> bool:
    """Return whether a question is made of strange words more than of those of every talk."""
    strange = ground.story.strange(sentence, ground.last)
    if strange < 2 or not _POINTS.isdisjoint(sentence.words):
        return False
    return strange >= sum(one in GENERAL and one not in FUNCTION for one in sentence.stems)


def _statement(sentence: Said, own: tuple[str, ...], facts: tuple[str, ...], ground: Ground) -> tuple[str, ...]:
    words, kinds, feels = sentence.words, sentence.kinds, bool(sentence.families)
    if "own" in kinds and not ("affirm" in kinds and kinds["affirm"] < kinds["own"]):
        linked = facts or feels or not ground.last.stems.isdisjoint(sentence.stems) or not _ALIKE.isdisjoint(words)
        return ("self_disclosure",) if linked or ground.story.strange(sentence, ground.last) < 2 else ("off_topic",)
    if "inform" in kinds and _informs(sentence, own):
        return ("information",)
    praise = "affirm" in kinds or "no_fault" in kinds
    flattered = len(_FLATTERY.intersection(words))
    if flattered > 1 and not own and (flattered > 2 or not facts):
        return ("off_topic",)
    if own and not praise and _impersonal(sentence):
        return ("information",)
    if own and not _first_person(sentence):
        return _reflects(sentence) if praise else ("reflection",)
    if praise:
        return ("affirmation",)
    if (facts or feels) and "mirror" not in kinds and _generic(sentence):
        return ("information",)
    return ("restatement",) if _restates(sentence, facts, ground) else ()


def _restates(sentence: Said, facts: tuple[str, ...], ground: Ground) -> bool:
    """Return whether a sentence says the seeker's story back to them."""
    words = sentence.words
    common = ground.last.stems.intersection(sentence.stems)
    shared = sum(1 if one in GENERAL else 2 for one in common)
    if (
        ("my" in words and "mirror" not in sentence.kinds)
        or words[0] in ("thank", "thanks")
        or not (facts or shared > 1)
        or (sentence.families and not facts)
    ):
        return False
    return sentence.you or "mirror" in sentence.kinds or (len(facts) + shared > 2 and not _OTHERS.isdisjoint(words))


def _informs(sentence: Said, own: tuple[str, ...]) -> bool:
    """Return whether a sentence with a cue of information tells what is so in general, not of the seeker."""
    kinds = sentence.kinds
    if "no_fault" in kinds or kinds.get("affirm", kinds["inform"]) < kinds["inform"]:
        return False
    return not sentence.you or (not own and "you" not in sentence.words[:4] and "affirm" not in kinds)


def _reflects(sentence: Said) -> tuple[str, ...]:
    """Return the acts of a sentence that names a feeling and praises: by what comes first, and both across a comma."""
    text, kinds = sentence.text, sentence.kinds
    if "no wonder" in text:
        return ("reflection",)
    praise = min(kinds.get("affirm", len(text)), kinds.get("no_fault", len(text)))
    comma = text.rfind(",", 0, praise)
    if comma < 0:
        comma = text.rfind(" but ", 0, praise)
    if comma > 0:
        before = text[:comma]
        if named(before.split()):
            return ("reflection", "affirmation")
    return ("affirmation",)


def _first_person(sentence: Said) -> bool:
    """Return whether a sentence speaks of its speaker's own feelings."""
    words = sentence.words
    if sentence.you:
        return False
    return "my" in words or ("i" in words and _HEARS.isdisjoint(sentence.stems))


def _impersonal(sentence: Said) -> bool:
    """Return whether a sentence speaks of a feeling as such, and of nobody who feels it."""
    return not sentence.you and _FRAMES.isdisjoint(sentence.words) and _generic(sentence)


def _generic(sentence: Said) -> bool:
    """Return whether a sentence speaks of nobody in particular, and of no past."""
    words = sentence.words
    if len(words) < 4 or sentence.asks or words[0] in ("how", "what", "so", "ok"):
        return False
    return _PERSONAL.isdisjoint(words) and _PAST.isdisjoint(words)


_OFFERS: Final = re.compile(
    r"\b(?:i can|my (?!advice|suggestion|opinion|view|tip)|we should talk about|let me (?:give|show|sell))"
)
_POINTS: Final = frozenset(("you", "it", "he", "she", "they", "this", "that"))
_ALIKE: Final = frozenset(("that", "same", "once", "too", "ago", "myself", "like", "remember", "felt", "feel"))
_OTHERS: Final = frozenset(("he", "she", "they", "it", "nobody", "everyone", "everybody"))
_FRAMES: Final = listed("frames")
_HEARS: Final = frozenset(("hear", "sens", "notic", "imagin", "see", "get"))
_PAST: Final = listed("past")
_PERSONAL: Final = listed("personal")
