"""Values for vine by fresh continuations, for the benchmark and the learning runs of menu policies."""

from __future__ import annotations

from typing import Any

from agentgym.baselines.columns import Actor
from agentgym.batch import TurnBatch
from agentgym.branching import Vine
from agentgym.env import AgentEnv


class VinePolicy(Actor):
    """Plays as another menu policy; what was played is valued by continuations of that policy, four from every moment.

    An episode then costs many times its own turns in turns of the world: `Vine.fill` counts them.
    """

    def make(self, batch: TurnBatch, world: AgentEnv[Any]) -> TurnBatch:
        """Return the batch with the column `value`; see `agentgym.branching.Vine`."""
        return Vine().fill(batch, self.policy, env=world)
