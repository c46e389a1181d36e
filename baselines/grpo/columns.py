"""Columns that no world gives, made by and for the language model between the rollouts and the credit.

The mechanism is that of `agentgym.baselines.columns`: the estimator's needs decide which makers of `MAKERS` work. To
add one, write a function `begin(parts, config)` that returns a callable from `Played` to a TurnBatch with the new
columns, and add a line to `MAKERS`, after the makers whose columns it reads:

    Maker(("value",), "agentgym.baselines.grpo.heads:begin")

What is called with an update's rollouts may learn: it fills the columns with what it knew before, then learns from
them. It then has `state_dict()` and `load_state_dict(state)` (tensors and plain values), which checkpoints keep, and
draws nothing but from `TurnRng`, so that a resumed run goes on to the bit. One with a method `first(model)` is handed a
frozen copy of the model as it is before the first update. Its `played.batch` holds the columns of the
makers before it. It is begun and called once before the first rollout too, on a probe, and then begun anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from agentgym.baselines.columns import Maker, Plan, plan
from agentgym.batch import TurnBatch

if TYPE_CHECKING:
    from agentgym.baselines.grpo.config import Config
    from agentgym.baselines.grpo.prepare import Parts
    from agentgym.baselines.grpo.rollout import Played

HINDSIGHT_ROOM = 64
"""Positions that a note in the first prompt may take besides the context."""

MAKERS: tuple[Maker, ...] = (
    Maker(("hindsight_logprob",), "agentgym.baselines.grpo.hindsight:begin", room=HINDSIGHT_ROOM),
    Maker(
        ("menu_logprobs", "menu_hindsight_logprobs"), "agentgym.baselines.grpo.reflection:begin",
        reads=("menu",), signals=("menu",), room=HINDSIGHT_ROOM,
    ),
    Maker(("revision_ok", "revision"), "agentgym.baselines.grpo.revision:begin", room=HINDSIGHT_ROOM),
    Maker(("log_safe",), "agentgym.baselines.learned.safety:begin", reads=("safe",)),
    Maker(("switch", "subgoal"), "agentgym.baselines.grpo.switches:begin"),
    Maker(("value", "bootstrap_value"), "agentgym.baselines.grpo.heads:begin"),
    Maker(("value_low", "value_high", "value_term"), "agentgym.baselines.grpo.heads:begin_levels"),
    Maker(("value",), "agentgym.baselines.grpo.branching:begin", only=("vine",)),
    Maker(("gold_plan", "plan_similarity"), "agentgym.baselines.plans:begin", reads=("plan",)),
    Maker(("rubric_scores", "rubric_relevance", "token_mask"), "agentgym.baselines.grpo.rubrics:begin"),
    Maker(("teacher_logprobs",), "agentgym.baselines.grpo.teacher:begin"),
)  # fmt: skip
"""The makers for language models, in the order in which they work."""


class Make(Protocol):
    """What `begin(parts, config)` of a maker returns; `state_dict` and `load_state_dict` only where it learns."""

    def __call__(self, played: Played) -> TurnBatch:
        """Return the rollouts' batch with the maker's columns."""
        ...


class Columns:
    """The makers of a run at work.

    Args:
        makers: in their order.
        given: parts and config of the run.
    """

    def __init__(self, makers: Sequence[Maker] = (), *given: Parts | Config) -> None:
        self._makes: list[tuple[Maker, Any]] = [(maker, maker.begin(*given)) for maker in makers]

    def __call__(self, played: Played) -> TurnBatch:
        """Return the rollouts' batch with all columns."""
        for _, make in self._makes:
            played = replace(played, batch=make(played))
        return played.batch

    def state_dict(self) -> dict[str, Any]:
        """Return what the makers have learned, by the columns they give."""
        return {_name(maker): make.state_dict() for maker, make in self._makes if hasattr(make, "state_dict")}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take it over."""
        for maker, make in self._makes:
            if _name(maker) in state:
                make.load_state_dict(state[_name(maker)])

    @property
    def read_first(self) -> bool:
        """Whether a maker reads the model as it is before the first update."""
        return any(hasattr(make, "first") for _, make in self._makes)

    def first(self, model: Any) -> None:
        """Hand it to those who do, frozen."""
        for _, make in self._makes:
            if hasattr(make, "first"):
                make.first(model)


def planned(config: Config, have: Sequence[str] = ()) -> Plan:
    """Return how the run's estimator comes by its columns; `have`: those that rollouts have."""
    return plan(MAKERS, config.made(), have, config.options)


def _name(maker: Maker) -> str:
    return ", ".join(maker.gives)
