"""What a policy sees and answers, and how a rollout fails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from agentgym.batch import TurnBatch
from agentgym.errors import AgentGymError
from agentgym.rng import TurnRng


@dataclass(slots=True)
class View:
    """What a policy sees of one rollout before it acts: copies, so that nothing it does to them reaches the record.

    Attributes:
        messages: the whole conversation so far, chat format; the list is this view's, its dicts are the rollout's.
        turn: turns taken so far.
        rng: draws for this decision; equal whatever else is in the batch.
        key: hash of the state before acting; equal key and turn, equal menu.
        info: the last info record, read-only.
        menu, expert, describe: the signals of these names, where asked for (else empty).
        tools: OpenAI-style schemas in tool worlds.
    """

    messages: Sequence[Mapping[str, Any]]
    turn: int
    rng: TurnRng
    key: str
    info: Mapping[str, Any]
    menu: Sequence[str] = ()
    expert: str = ""
    describe: str = ""
    tools: Sequence[Mapping[str, Any]] = ()


@dataclass(slots=True)
class Reply:
    """What a policy answers.

    Attributes:
        text: the action.
        logprob: mean log-probability of the action's tokens, finite.
        menu_logprobs: log-probabilities over the view's menu, in its order, whose probabilities sum to 1 within 1e-6;
            `text` is then one of the menu. −inf is allowed and recorded as −744.44…, the log of the smallest positive
            float, since a record holds finite numbers.
        token_ids, token_logprobs: the sampled tokens and their finite log-probabilities, equally many.
        lost: why there is no reply, such as an endpoint that is gone; its rollout ends with infra_error, and nothing
            else of it counts.
    """

    text: str
    logprob: float | None = None
    menu_logprobs: Sequence[float] | None = None
    token_ids: Sequence[int] | None = None
    token_logprobs: Sequence[float] | None = None
    lost: str = ""


@runtime_checkable
class Policy(Protocol):
    """A callable from views to replies, in order.

    One with a memory of its own can be branched, and be judged by truth, if it has `snapshot() -> moment` and
    `restore(moment)` besides, where the moment None says that the view's messages are all it goes by. Moments are kept
    and given back as deep copies, so they may be what the policy itself holds and changes.

    Attributes:
        signals: the signals it reads, such as ("menu",).
        markov: whether its replies depend on nothing but state, turn and menu (and the view's rng).
    """

    signals: Sequence[str]
    markov: bool

    def __call__(self, views: Sequence[View]) -> Sequence[Reply | str]:
        """Return one reply a view."""
        ...


class RolloutError(AgentGymError):
    """A world failed while it was played; `batch` holds the rollouts that were finished by then (None: none were)."""

    def __init__(self, message: str, batch: TurnBatch | None) -> None:
        super().__init__(message)
        self.batch = batch

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.batch)


class PolicyError(RolloutError):
    """A policy failed; `batch` holds the rollouts that were finished by then (None: none were)."""
