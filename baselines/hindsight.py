"""Hindsight log-probabilities for menu policies: how likely was the action, given that the rollout succeeded?"""

from __future__ import annotations

from typing import Any

import numpy as np

from agentgym.baselines.columns import Actor
from agentgym.baselines.features import Floats
from agentgym.baselines.policies import MenuPolicy, chosen
from agentgym.batch import TurnBatch
from agentgym.env import AgentEnv


class HindsightPolicy(Actor):
    """Plays as another menu policy and learns, after the fact, what it would have done knowing that it succeeds.

    The hindsight distribution is the acting policy tilted, h(a|s) ∝ π(a|s)·exp(θ·φ(s, a)), with θ fitted by gradient
    ascent on the log-likelihood of the turns of the successful rollouts of the same batch (Harutyunyan et al. 2019
    learn h the same way, from what was sampled). No rollout succeeded: h = π. It never looks at the truth.

    Args:
        policy: the menu policy that acts.
        steps: number of ascent steps.
        size: number of weights of the tilt, a power of two.
    """

    def __init__(self, policy: MenuPolicy, *, steps: int = 25, size: int = 1 << 13) -> None:
        super().__init__(policy, size=size)
        self.steps = steps

    def hindsight_logprob(self, batch: TurnBatch) -> Floats:
        """Return (n,) log h(a|s) of every turn of a batch that this policy has played."""
        if not len(batch):
            return np.zeros(0)
        menus = self.features.menus(list(batch.state), list(batch.menu))
        offset = np.concatenate([np.asarray(logp, dtype=np.float64) for logp in batch.menu_logprobs])
        taken = chosen(batch, menus)
        won = np.asarray(batch.success, dtype=np.float64)
        weights = np.zeros(self.features.size)
        step = 2.0 * len(menus.entries) / len(menus.pairs)  # 1 over the curvature's bound: half the features an entry
        for _ in range(self.steps if won.any() else 0):
            residual = -np.exp(menus.log_softmax(weights, offset)) * won[menus.row_of]
            residual[taken] += won
            weights += step / won.sum() * menus.gradient(residual, self.features.size)
        return menus.log_softmax(weights, offset)[taken]

    def with_hindsight(self, batch: TurnBatch) -> TurnBatch:
        """Return the batch with the column `hindsight_logprob`."""
        return batch.with_columns(hindsight_logprob=self.hindsight_logprob(batch))

    def make(self, batch: TurnBatch, world: AgentEnv[Any]) -> TurnBatch:
        """Return the same; the world is not asked."""
        return self.with_hindsight(batch)
