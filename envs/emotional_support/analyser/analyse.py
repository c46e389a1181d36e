"""Reading a supporter's text: sentence by sentence, one act each, in the light of the talk."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from agentgym.envs.emotional_support.analyser.acts import Act, Ground, act_of
from agentgym.envs.emotional_support.analyser.cues import cues
from agentgym.envs.emotional_support.analyser.feelings import named
from agentgym.envs.emotional_support.analyser.heaps import is_sermon
from agentgym.envs.emotional_support.analyser.levels import levels_of
from agentgym.envs.emotional_support.analyser.lists import words
from agentgym.envs.emotional_support.analyser.questions import body, closed
from agentgym.envs.emotional_support.analyser.reading import HARMFUL, HELPFUL, Context, Reading
from agentgym.envs.emotional_support.analyser.story import Heard, Index, heard_in, index_of
from agentgym.envs.emotional_support.analyser.words import LONGEST, Sentence, sentences

MOST: Final = 3
"""Helpful skills that one text is credited with; the first count."""
CROWD: Final = 5
"""Helpful skills in one text from which on it is taken for a heap of phrases."""
_READ: Final = 40  # sentences that are read
_HARMFUL: Final = frozenset(HARMFUL)
_META: Final = words("skills")
_SMALL: Final = words("small")


def analyse(text: str, heard: Context) -> Reading:
    """Return what a text does to the seeker of a context."""
    found = sentences(text[:LONGEST])
    ground = Ground(heard, index_of(heard.story), heard_in(heard.last))
    kinds = [cues(sentence) for sentence in found[:_READ]]
    if _judged(found, kinds):
        return _alone("off_topic", text, (-2, -2, -2))
    if _again(found, ground):
        return _alone("repetition", text, (-1, -1, 0))
    acts = [act_of(sentence, some, ground) for sentence, some in zip(found, kinds, strict=False)]
    preached = is_sermon(text, found)
    skills, counted = _credited(acts, preached)
    if not skills and _elsewhere(found, acts, ground):
        skills = frozenset(("off_topic",))
    before = _before(heard.earlier, ground.story) if heard.earlier else {}
    names = {name for act in acts for name in act.facts}
    feelings = {name for act in acts for name in act.feelings}
    return Reading(
        skills,
        levels_of(counted, skills, ground, before),
        tuple(name for name in ground.story.names if name in names),
        tuple(name for name in heard.feelings if name in feelings),
        tuple(
            (skill, text[sentence.start : sentence.end].strip())
            for sentence, act in zip(found, acts, strict=False)
            for skill in act.skills
            if skill in skills
        ),
    )


def _alone(skill: str, text: str, harm: tuple[int, int, int]) -> Reading:
    c, a, p = harm
    return Reading(frozenset((skill,)), (0, c, 0, a, 0, p), (), (), ((skill, text[:200].strip()),))


def _judged(found: Sequence[Sentence], kinds: Sequence[dict[str, int]]) -> bool:
    """Return whether a text speaks to whoever judges it, or names skills instead of showing them."""
    if any("judge" in some for some in kinds):
        return True
    return len({word for sentence in found for word in _META.intersection(sentence.words)}) > 1


def _again(found: Sequence[Sentence], ground: Ground) -> bool:
    """Return whether most of a text is the supporter's own words again, or the seeker's as they were said."""
    total = again = 0
    said = [_said(message) for message in ground.heard.earlier]
    whole = frozenset(one for sentence in found for one in sentence.stems) - _SMALL
    if len(whole) > 3 and any(_alike(whole, words) for _, words in said):
        return True
    for sentence in found:
        count = len(sentence.words)
        total += count
        key = frozenset(sentence.stems) - _SMALL
        if count > 3 and (any(key in keys for keys, _ in said) or _parrots(sentence, ground.last)):
            again += count
    return again * 2 > total and again > 3


def _alike(whole: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether two messages are made of the same words, but for one in five."""
    sizes = len(whole), len(other)
    return min(sizes) * 5 >= max(sizes) * 4 and len(whole & other) * 5 >= len(whole | other) * 4


def _parrots(sentence: Sentence, last: Heard) -> bool:
    if "you" in sentence.words or "your" in sentence.words:
        return False
    words = [word for word in sentence.words if word != ","]
    threes = list(zip(words, words[1:], words[2:], strict=False))
    return bool(threes) and sum(three in last.threes for three in threes) * 10 >= len(threes) * 7


@lru_cache(maxsize=4_096)
def _said(message: str) -> tuple[frozenset[frozenset[str]], frozenset[str]]:
    """Return what the sentences of an earlier message are known again by, and what all of it is."""
    keys = frozenset(frozenset(sentence.stems) - _SMALL for sentence in sentences(message))
    return keys, frozenset[str]().union(*keys)


def _credited(acts: Sequence[Act], preached: bool) -> tuple[frozenset[str], list[Act]]:
    """Return the skills that a text is taken for, and the acts that count."""
    harmful: dict[str, None] = {}
    helpful: dict[str, None] = {}
    for act in acts:
        for skill in act.skills:
            (harmful if skill in _HARMFUL else helpful)[skill] = None
    if preached:
        harmful = {"lecturing": None, **{skill: None for skill in harmful if skill != "premature_advice"}}
        helpful.pop("suggestion", None)
        return frozenset(("lecturing",)), []
    if len(helpful) >= CROWD:
        return frozenset(("off_topic",)), []
    kept = list(helpful)[:MOST]
    return frozenset((*kept, *harmful)), list(acts)


def _elsewhere(found: Sequence[Sentence], acts: Sequence[Act], ground: Ground) -> bool:
    """Return whether a text without any act has nothing to do with the seeker."""
    if any(act.facts or act.feelings for act in acts) and any("you" in s.words or "your" in s.words for s in found):
        return False
    strange = sum(ground.story.strange(sentence, ground.last) for sentence in found)
    if any(closed(sentence, body(sentence)) for sentence in found):
        return strange > 2
    you = any("you" in sentence.words or "your" in sentence.words for sentence in found)
    greets = bool(found) and found[0].words[0] in ("hello", "hi", "hey", "good", "thank", "thanks", "dear")
    points = any("that" in one.words or "this" in one.words or "sorry" in one.words for one in found)
    return strange > 1 or (strange == 1 and not you and not greets and not points)


def _before(earlier: Sequence[str], index: Index) -> dict[tuple[str, str], int]:
    """Return how often pairs of a feeling, or of none, and a fact were named in the earlier messages."""
    counts: dict[tuple[str, str], int] = {}
    for message in earlier:
        for pair in _pairs(message, index):
            counts[pair] = counts.get(pair, 0) + 1
    return counts


@lru_cache(maxsize=4_096)
def _pairs(message: str, index: Index) -> frozenset[tuple[str, str]]:
    """Return the pairs of what a message names together."""
    pairs: set[tuple[str, str]] = set()
    for sentence in sentences(message):
        facts, families = index.facts(sentence), named(sentence)
        if sentence.asks:
            continue
        pairs.update((family, fact) for family in (*families, "") for fact in (*facts, ""))
    return frozenset(pairs)


__all__ = ["CROWD", "HELPFUL", "MOST", "analyse"]
