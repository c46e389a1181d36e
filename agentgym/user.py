"""The other speaker of a dialogue world: what it does is drafted by the world's rules, and put into words by a user.

A world with a user keeps all decisions (levels, trust, whether to buy) in its transition. When it is the user's turn to
speak, the world writes a `Draft` and asks its user for words:

    said = self.user.speak(Scene(card, messages), draft, rng)

`SCRIPTED` says the draft as it stands; a language model says it in words of its own; a policy of the two-speaker view
says what it wants, and may choose another of the acts that the draft allows. Judges work the same way: a world's own
rules judge by default, and any `Judge` may do so instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, runtime_checkable

from agentgym.rng import TurnRng


@dataclass(frozen=True, slots=True)
class Scene:
    """What a speaker or a judge may know.

    Attributes:
        card: who the user is, what it wants, and what it holds back, as text.
        messages: (role, text) of the talk so far, the oldest first; roles are "user" and "assistant". The last one is
            what the agent has just said. An agent's private reasoning is never among them.
    """

    card: str
    messages: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """What the user is about to say by the world's rules.

    Attributes:
        text: the scripted words.
        act: what the user does by it, in the world's vocabulary, such as "objects" or "discloses".
        facts: texts that have to stand in the words as they are: ids, amounts, names.
        choices: other acts that a user with a mind of its own may choose instead, such as "leave".
    """

    text: str
    act: str = ""
    facts: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Said:
    """What the user said, and, where it chose another act than the drafted one, which of the draft's `choices`."""

    text: str
    act: str = ""


@runtime_checkable
class UserSimulator(Protocol):
    """Whoever puts a user's drafts into words.

    Attributes:
        scripted: whether the words follow from the draft alone, so that a state needs to keep no talk for it.
    """

    scripted: bool

    def speak(self, scene: Scene, draft: Draft, rng: TurnRng) -> Said:
        """Return what is said. Raises InfraError: no words came; the episode ends with infra_error."""


class Scripted:
    """The user that says every draft as it stands."""

    scripted = True

    def speak(self, scene: Scene, draft: Draft, rng: TurnRng) -> Said:
        """Return the draft's words."""
        return Said(draft.text)


SCRIPTED: Final = Scripted()


@dataclass(frozen=True, slots=True)
class Item:
    """One question that a judge answers by a whole number: its name, the question with its scale, and the bounds."""

    name: str
    question: str
    low: int
    high: int


@runtime_checkable
class Judge(Protocol):
    """Whoever rates what an agent has just said in a scene."""

    def levels(self, scene: Scene, items: Sequence[Item]) -> Mapping[str, int]:
        """Return item name → level, within the item's bounds, for every item.

        Raises:
            InfraError: no such answer came; its `detail` is "judge_error".
        """


def as_user(given: UserSimulator | Mapping[str, Any]) -> UserSimulator:
    """Return the user that a world was given: an object, or a language model's in plain JSON.

    Args:
        given: a user; or what describes one, such as {"model": "NAME", "endpoint": URL, "cassette": FILE}, see
            `agentgym.llm.user_from`. A world that was given the latter can be made again from a record.

    Raises:
        TypeError: it is neither.
        ValueError, CassetteError, EndpointError: as `user_from`.
    """
    if isinstance(given, Mapping):
        from agentgym.llm import user_from  # which knows this module

        return user_from(given)
    if isinstance(given, type) or not isinstance(given, UserSimulator):
        raise TypeError(
            f"user must be a user with scripted and speak(scene, draft, rng), or a model's description such as "
            f"{{'model': 'NAME', 'endpoint': URL}}, not {given!r:.60}"
        )
    return given


def as_judge(given: Judge | Mapping[str, Any] | None) -> Judge | None:
    """Return the judge that a world was given: an object, a language model's in plain JSON, or None.

    Raises:
        TypeError: it is none of these.
        ValueError, CassetteError, EndpointError: as `agentgym.llm.judge_from`.
    """
    if given is None:
        return None
    if isinstance(given, Mapping):
        from agentgym.llm import judge_from  # which knows this module

        return judge_from(given)
    if isinstance(given, type) or not isinstance(given, Judge):
        raise TypeError(
            f"judge must be a judge with levels(scene, items), a model's description such as "
            f"{{'model': 'NAME', 'endpoint': URL}}, or None, not {given!r:.60}"
        )
    return given
