"""Saying: how a customer puts things, a pure function of its manner, of what is said, and of where the talk stands.

Nothing is drawn from a turn's generator, so a customer's answer is as deterministic as what it decides. A speaker never
states a fact but through the domain's `says` and `wants`, filled from the task sheet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b

from agentgym.envs.customer_service.customer.phrases import PHRASES
from agentgym.envs.customer_service.customer.plan import Step
from agentgym.envs.customer_service.customer.words import CustomerWords


@lru_cache(1_024)
def _texts(key: str, mood: str) -> tuple[str, ...]:
    """Return what can be said in a mood; its own texts count twice, so that it shows."""
    phrases = PHRASES[key]
    own = phrases.get(mood, ())
    return (*phrases.get("", ()), *own, *own)


class Speaker:
    """A customer at one place of a talk.

    Args:
        words: the domain's words.
        mood: the customer's mood; an unknown one colours nothing.
        manner: which of the possible words this customer chooses.
        mark: where the talk stands; other words at another place.
    """

    __slots__ = ("_address", "mood", "words")

    def __init__(self, words: CustomerWords, mood: str, manner: int, mark: str) -> None:
        self.words = words
        self.mood = mood
        self._address = f"{manner},{mark},"

    def pick(self, key: str, texts: Sequence[str]) -> str:
        """Return one of the texts: the same for the same key."""
        if len(texts) == 1:
            return texts[0]
        drawn = blake2b((self._address + key).encode(), digest_size=8).digest()
        return texts[int.from_bytes(drawn, "big") % len(texts)]

    def phrase(self, key: str, **slots: str) -> str:
        """Return a text of the common grammar."""
        text = self.pick(key, _texts(key, self.mood))
        return text.format_map(slots) if slots else text

    def wants(self, step: Step) -> str:
        """Return the request of a goal, with what it opens with."""
        return self.pick("wants", step.wants).format_map(step.facts)

    def reminds(self, step: Step) -> str:
        """Return the request in a few words."""
        return self.phrase("reminder", again=self.pick("again", step.again).format_map(step.facts))

    def pushes(self, step: Step) -> str:
        """Return a pretext against a refusal; the n-th refusal gets the n-th, from a place that the manner gives."""
        return self.pick("pretexts", step.pretexts).format_map(step.facts) if step.pretexts else self.phrase("push")

    def asks(self, step: Step, missing: Sequence[int]) -> str:
        """Return the questions for tells, by their places."""
        texts = (self.pick(f"questions{place}", step.questions[place]) for place in missing)
        return " ".join(text.format_map(step.facts) for text in texts)

    def states(self, facts: Mapping[str, str]) -> list[str]:
        """Return a sentence for each fact."""
        texts = self.words.says
        return [
            self.pick(f"says {fact}", texts.get(fact) or ("It's {value}.",)).replace("{value}", value)
            for fact, value in facts.items()
        ]

    def lacks(self, key: str, facts: Sequence[str]) -> str:
        """Return that some facts are forgotten ("forgot"), or that there is nothing to say of them ("nothing")."""
        names = [self.words.names.get(fact) or f"the {fact.replace('_', ' ')}" for fact in facts]
        what = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
        return self.phrase(key, what=what)

    def reports(self, tool: str, result: str) -> str:
        """Return what came of the customer's use of a tool of its own."""
        return self.pick(f"reports {tool}", self.words.reports.get(tool) or ("It says: {result}",)).replace(
            "{result}", result
        )
