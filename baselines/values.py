"""Values for menu policies: what the states that were met are worth, by their descriptions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from agentgym.baselines.columns import Actor
from agentgym.baselines.features import Floats, Ints
from agentgym.baselines.policies import MenuPolicy
from agentgym.baselines.value_heads import Hashed, Head, Heads, returns, segment_starts
from agentgym.batch import TurnBatch
from agentgym.env import AgentEnv


class StateValues(Actor):
    """Plays as another menu policy and values the states it met: the columns `value` and `bootstrap_value`.

    A value is linear in the description's hashed features, the state in which the rollout began and the turn's number
    (in steps that grow: 0, 1, 2, 3–4, 5–6, 7–10 …), and fitted to the returns. `bootstrap_value` is the same head on
    the state after the turn, or on the turn's own where nobody was ever asked to act in that one.

    Args:
        policy: the menu policy that acts.
        gamma: of the returns, that of the estimator.
        size: number of weights a head, a power of two.
        options: of `Heads`.
    """

    gives: tuple[str, ...] = ("value", "bootstrap_value")

    def __init__(self, policy: MenuPolicy, *, gamma: float = 1.0, size: int = 1 << 13, **options: Any) -> None:
        super().__init__(policy, size=size)
        self.gamma = gamma
        self.heads = Heads(**options)

    def make(self, batch: TurnBatch, world: AgentEnv[Any]) -> TurnBatch:
        """Return the batch with this maker's columns, having learned from it; the world is not asked."""
        if not len(batch):
            return batch.with_columns({name: np.zeros(0) for name in self.gives})
        return self.heads.fill(batch, self.fits(batch, returns(batch, self.gamma)))

    def fits(self, batch: TurnBatch, target: Floats) -> list[Head]:
        """Return what to fit: the heads of this maker's columns."""
        here, every = self.design(batch), np.ones(len(batch), dtype=bool)
        after = [
            new if self.features.knows(new) else old for new, old in zip(batch.next_state, batch.state, strict=True)
        ]
        later = self.design(batch, after, batch.turn + 1)
        return [Head("value", here, target, every, {"value": here, "bootstrap_value": later})]

    def design(
        self, batch: TurnBatch, states: Sequence[str] | None = None, turns: Ints | None = None, subgoals: bool = False
    ) -> Hashed:
        """Return the features of the states in which a batch's turns were taken, or of others at other turns."""
        begun = batch.state[batch.order[batch.starts]][batch.rollout]
        when = (batch.turn if turns is None else turns).tolist()
        alone = [[f"begun {state}" for state in begun], [f"turn {((t + 1) ** 2).bit_length()}" for t in when]]
        if subgoals:
            alone.append([f"subgoal {text}" for text in batch.subgoal])
        given = batch.state if states is None else states
        menus = self.features.menus(list(given), [("",)] * len(batch))
        numbers = self.features.numbers([text for row in zip(*alone, strict=True) for text in row])
        pairs = np.insert(menus.pairs, np.repeat(menus.entries, len(alone)), numbers)
        return Hashed(pairs, menus.entries + len(alone) * np.arange(len(batch)), self.features.size)


class LevelValues(StateValues):
    """The same for `hae`: the columns `value_low`, `value_high` and `value_term`.

    All three are fitted to the return that follows: `value_low` on every state with the subgoal pursued (where the
    record has one), `value_high` on the states where a subgoal begins, `value_term` on every state.
    """

    gives = ("value_low", "value_high", "value_term")

    def __init__(self, policy: MenuPolicy, *, gamma: float = 0.99, size: int = 1 << 13, **options: Any) -> None:
        super().__init__(policy, gamma=gamma, size=size, **options)

    def fits(self, batch: TurnBatch, target: Floats) -> list[Head]:
        """Return what to fit: the heads of this maker's columns."""
        here, every = self.design(batch), np.ones(len(batch), dtype=bool)
        low = self.design(batch, subgoals=True) if "subgoal" in batch else here
        return [
            Head("value_low", low, target, every, {"value_low": low}),
            Head("value_high", here, target, segment_starts(batch), {"value_high": here}),
            Head("value_term", here, target, every, {"value_term": here}),
        ]
