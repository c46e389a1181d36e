"""Hearing: what an agent's message is to a customer: questions for facts, a proposal, a refusal, a claim and so on.

A message is read sentence by sentence. What a sentence asks for stands behind the cue that asks ("please provide",
"which", "I need") up to the next cue, so "your order W1 is pending" asks nothing; a request that announces a list asks
for what the lines of the list name. Time is linear in the length, and at most the first 4,000 characters are looked at.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from agentgym.envs.customer_service.customer.listen import Heard, Listening, reasons_in
from agentgym.envs.customer_service.customer.patterns import Patterns, compiled
from agentgym.envs.customer_service.customer.sentences import LONGEST, fold, split
from agentgym.envs.customer_service.customer.words import CustomerWords

__all__ = ["Ear", "Heard", "Listening", "ear_of", "hear"]

_KEPT: Final = 1_024  # messages whose meaning is remembered, for each domain


def hear(words: CustomerWords, text: str) -> Listening:
    """Return what an agent's message is for the customers of a domain."""
    return ear_of(words).hear(text[:LONGEST])


class Ear:
    """The patterns of a domain, compiled; `hear` remembers what it heard.

    Raises:
        ValueError: a pattern that does not compile; the message names it and its place.
    """

    def __init__(self, words: CustomerWords) -> None:
        self.words = words
        self.asked = Patterns(words.asked, "asked")
        self.doing = Patterns(words.acts, "acts")
        self.refused = Patterns(words.refused, "refused")
        self.instructed = Patterns(words.instructed, "instructed")
        self._choices = {f"{fact} {value}": (fact, value) for fact, some in words.choices.items() for value in some}
        self._chosen = Patterns(
            {key: words.choices[fact][value] for key, (fact, value) in self._choices.items()}, "choices"
        )
        self._handles = [compiled(pattern, "handles") for pattern in words.handles]
        self.hear = lru_cache(_KEPT)(self._hear)

    def ids(self, text: str) -> frozenset[str]:
        """Return the ids that a folded text names."""
        likely = [pattern for pattern, runs in self._handles if any(run in text for run in runs)]
        return frozenset([found[0] for pattern in likely for found in pattern.finditer(text)])

    def acts(self, text: str) -> frozenset[str]:
        """Return the intents whose acts a folded text names."""
        return self.doing.keys(text)

    def named(self, text: str) -> dict[str, frozenset[str]]:
        """Return fact → values of its `choices` that a folded text names."""
        found: dict[str, set[str]] = {}
        for key in sorted(self._chosen.among(text.split()).keys(text)):
            fact, value = self._choices[key]
            found.setdefault(fact, set()).add(value)
        return {fact: frozenset(values) for fact, values in found.items()}

    def reasons(self, text: str) -> frozenset[str]:
        """Return the domain's reasons that a text names, whether or not it refuses."""
        return reasons_in(self.refused, list(split(fold(text))))

    def _hear(self, text: str) -> Listening:
        return Listening(self, text)


_EARS: dict[int, Ear] = {}


def ear_of(words: CustomerWords) -> Ear:
    """Return the ear of a domain's customers, made once."""
    ear = _EARS.get(id(words))
    if ear is None or ear.words is not words:
        if len(_EARS) >= 64:
            _EARS.clear()
        ear = _EARS[id(words)] = Ear(words)
    return ear
