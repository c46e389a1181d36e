"""Values for vine by fresh continuations, for the benchmark and the learning runs of menu policies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentgym.baselines.columns import Actor
from agentgym.baselines.policies import MenuPolicy
from agentgym.batch import TurnBatch
from agentgym.branching import Vine
from agentgym.env import AgentEnv
from agentgym.rollout import build


class VinePolicy(Actor):
    """Plays as another menu policy; what was played is valued by continuations of that policy, four from every moment.

    An episode then costs many times its own turns in turns of the world: `Vine.fill` counts them.
    """

    def make(self, batch: TurnBatch, world: AgentEnv[Any]) -> TurnBatch:
        """Return the batch with the column `value`; see `agentgym.branching.Vine`.

        The policy that acts goes on alone, without the other makers, in a world that is asked for what it reads and
        nothing else: what the record asked for besides costs a third of the time.
        """
        acting: MenuPolicy = self.policy
        while isinstance(acting, Actor):
            acting = acting.policy
        made: Mapping[str, Any] = batch.meta["env"]
        asked = batch.with_meta(env={**made, "kwargs": {**made["kwargs"], "signals": ()}})
        valued = Vine().fill(asked, acting, env=build(world, {"signals": ()}))
        return batch.with_columns(value=valued["value"]).with_meta(branching=valued.meta["branching"])
