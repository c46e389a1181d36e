"""Reading a supporter's text: sentence by sentence, one act each, in the light of the talk."""

from __future__ import annotations

import re
from typing import Final

from agentgym.envs.emotional_support.analyser.reading import Context, Reading

_SENTENCE: Final = re.compile(r"[^.?!\n]+[.?!]*")
_ASKS: Final = re.compile(r"\b(?:what|how|where|who|which|when)\b|\btell me\b")
_MIRRORS: Final = re.compile(r"\b(?:sounds?|seems?|you feel|you(?:'re| are) feeling|must (?:be|have been))\b")
_SUGGESTS: Final = re.compile(r"\b(?:could|might|should|try|why don't you|how about|have you (?:tried|thought))\b")
_AFFIRMS: Final = re.compile(r"\b(?:brave|strong|strength|courage|makes sense|understandable|proud|cop(?:e|ed|ing))\b")
_EFFECT: Final = {
    "open_question": (1, 0, 0, 0, 0, 0),
    "restatement": (1, 0, 0, 0, 0, 0),
    "reflection": (0, 0, 1, 0, 0, 0),
    "affirmation": (0, 0, 0, 0, 1, 0),
    "suggestion": (0, 0, 0, 0, 1, 0),
    "premature_advice": (0, 0, 0, 0, 0, -1),
    "off_topic": (0, -1, 0, 0, 0, 0),
}


def analyse(text: str, heard: Context) -> Reading:
    """Return what a text does to the seeker of a context."""
    low = text.lower()
    facts = tuple(fact.name for fact in heard.story if any(word in low for word in fact.words))
    feelings = tuple(name for name in heard.feelings if name in low)
    evidence = []
    for match in _SENTENCE.finditer(low):
        skill = _skill(match[0], heard)
        if skill:
            evidence.append((skill, text[match.start() : match.end()].strip()))
    skills = frozenset(skill for skill, _ in evidence)
    if not skills and not facts:
        skills = frozenset({"off_topic"})
    columns = zip(*(_EFFECT[skill] for skill in sorted(skills)), strict=True)
    c, cn, a, an, p, pn = (max(some) or min(some) for some in columns) if skills else (0,) * 6
    return Reading(skills, (c, cn, a, an, p, pn), facts, feelings, tuple(evidence))


def _skill(sentence: str, heard: Context) -> str:
    """Return the act of a sentence; none is the empty text."""
    if sentence.endswith("?") and _ASKS.search(sentence) and not _SUGGESTS.search(sentence):
        return "open_question"
    if _SUGGESTS.search(sentence):
        return "suggestion" if heard.ready else "premature_advice"
    if _MIRRORS.search(sentence):
        own = any(name in sentence for name in heard.feelings)
        return "reflection" if own else "restatement" * any(w in sentence for f in heard.story for w in f.words)
    return "affirmation" if _AFFIRMS.search(sentence) else ""
