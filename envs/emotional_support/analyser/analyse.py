"""Reading a supporter's text: sentence by sentence, one act each, in the light of the talk."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from agentgym.envs.emotional_support.analyser.acts import Act, Ground, act_of
from agentgym.envs.emotional_support.analyser.heaps import is_sermon
from agentgym.envs.emotional_support.analyser.levels import levels_of
from agentgym.envs.emotional_support.analyser.lists import words
from agentgym.envs.emotional_support.analyser.reading import HARMFUL, Context, Reading
from agentgym.envs.emotional_support.analyser.said import Said, sentences
from agentgym.envs.emotional_support.analyser.story import Heard, heard_in, index_of

MOST: Final = 3
"""Helpful skills that one text is credited with; the first count."""
CROWD: Final = 5
"""Helpful skills in one text from which on it is taken for a heap of phrases."""
_READ: Final = 40  # sentences that are read
_HARMFUL: Final = frozenset(HARMFUL)
_META: Final = words("skills")
_SPARED: Final = frozenset(
    ("hello", "hi", "hey", "good", "thank", "thanks", "dear", "that", "this", "sorry")
)  # of a greeting or of sympathy, which one strange word does not spoil: it may be a name


def analyse(text: str, heard: Context) -> Reading:
    """Return what a text does to the seeker of a context."""
    placed = sentences(text)[:_READ]
    found = [one.said for one in placed]
    if _judged(found):
        return _alone("off_topic", text, (-2, -2, -2))
    ground = Ground(heard, index_of(heard.story, heard.common), heard_in(heard.last))
    if _again(found, ground):
        return _alone("repetition", text, (-1, -1, 0))
    acts = [act_of(sentence, ground) for sentence in found]
    skills = _credited(acts, is_sermon(text, [(one.orders, one.marks) for one in found]))
    if not skills and _elsewhere(found, acts, ground):
        skills = frozenset(("off_topic",))
    names = {name for act in acts for name in act.facts}
    feelings = {name for act in acts for name in act.feelings}
    return Reading(
        skills,
        levels_of(acts, skills, ground),
        tuple([name for name in ground.story.names if name in names]),
        tuple([name for name in heard.feelings if name in feelings]),
        tuple(
            [
                (skill, text[one.start : one.end].strip())
                for one, act in zip(placed, acts, strict=True)
                for skill in act.skills
                if skill in skills
            ]
        ),
    )


def _alone(skill: str, text: str, harm: tuple[int, int, int]) -> Reading:
    c, a, p = harm
    return Reading(frozenset((skill,)), (0, c, 0, a, 0, p), (), (), ((skill, text[:200].strip()),))


def _judged(found: Sequence[Said]) -> bool:
    """Return whether a text speaks to whoever judges it, or names skills instead of showing them."""
    named = 0
    for sentence in found:
        if "judge" in sentence.kinds:
            return True
        named += len(_META.intersection(sentence.words))
    return named > 1


def _again(found: Sequence[Said], ground: Ground) -> bool:
    """Return whether most of a text is the supporter's own words again, or the seeker's as they were said."""
    keys, messages = _earlier(ground.heard.earlier)
    if messages:
        whole = frozenset().union(*[sentence.key for sentence in found])
        if len(whole) > 3 and _among(whole, messages):
            return True
    total = again = 0
    for sentence in found:
        count = len(sentence.words)
        total += count
        if count > 3 and (sentence.key in keys or _parrots(sentence, ground.last)):
            again += count
    return again * 2 > total


def _among(whole: frozenset[str], messages: Sequence[frozenset[str]]) -> bool:
    """Return whether a message is made of the words of an earlier one, but for one in five."""
    size = len(whole)
    for other in messages:
        more = len(other)
        if more * 5 >= size * 4 and size * 5 >= more * 4:
            shared = len(whole & other)
            if shared * 5 >= (size + more - shared) * 4:
                return True
    return False


def _parrots(sentence: Said, last: Heard) -> bool:
    if sentence.you:
        return False
    words = [word for word in sentence.words if word != ","]
    threes = list(zip(words, words[1:], words[2:], strict=False))
    return bool(threes) and sum(three in last.threes for three in threes) * 10 >= len(threes) * 7


@lru_cache(maxsize=1_024)
def _earlier(messages: tuple[str, ...]) -> tuple[frozenset[frozenset[str]], tuple[frozenset[str], ...]]:
    """Return what the sentences of all earlier messages are known again by, and the words of each message."""
    found = [[placed.said.key for placed in sentences(message)] for message in messages]
    return frozenset(key for keys in found for key in keys), tuple(frozenset[str]().union(*keys) for keys in found)


def _credited(acts: Sequence[Act], preached: bool) -> frozenset[str]:
    """Return the skills that a text is taken for."""
    if preached:
        return frozenset(("lecturing",))
    skills = dict.fromkeys(skill for act in acts for skill in act.skills)
    helpful = [skill for skill in skills if skill not in _HARMFUL]
    if len(helpful) >= CROWD:
        return frozenset(("off_topic",))
    return frozenset(helpful[:MOST]) | _HARMFUL.intersection(skills)


def _elsewhere(found: Sequence[Said], acts: Sequence[Act], ground: Ground) -> bool:
    """Return whether a text without any act has nothing to do with the seeker."""
    you = any(sentence.you for sentence in found)
    if you and any(act.facts or act.feelings for act in acts):
        return False
    strange = sum(ground.story.strange(sentence, ground.last) for sentence in found)
    if any(sentence.closed for sentence in found):
        return strange > 2
    spared = any(not _SPARED.isdisjoint(sentence.words) for sentence in found)
    return strange > 1 or (strange == 1 and not you and not spared)
