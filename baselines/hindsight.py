"""Hindsight distributions for menu policies: how likely was each action, given that the rollout succeeded?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentgym.baselines.columns import Actor
from agentgym.baselines.features import Floats, Menus
from agentgym.baselines.policies import MenuPolicy, chosen
from agentgym.batch import TurnBatch
from agentgym.env import AgentEnv


class HindsightPolicy(Actor):
    """Plays as another menu policy and learns, after the fact, what it would have done knowing that it succeeds.

    "Hindsight" is that one fact, the success of the rollout; it is not the number that the rollout returned. The
    hindsight distribution is the acting policy tilted, h(a|s) ∝ π(a|s)·exp(θ·φ(s, a)), with θ fitted by gradient ascent
    on the log-likelihood of the turns of the successful rollouts of the same batch (Harutyunyan et al. 2019 learn h the
    same way, from what was sampled). No rollout succeeded: h = π. It never looks at the truth. What it states of a menu
    is h itself, entry by entry, not an estimate from samples of it.

    In the place of n samples of a reflector's feedback stand n fits, each to the successes of one part of the rollouts:
    part i has every n-th of them, from the i-th on.

    Args:
        policy: the menu policy that acts.
        steps: number of ascent steps.
        size: number of weights of the tilt, a power of two.
        samples: n, at least 1.
    """

    def __init__(self, policy: MenuPolicy, *, steps: int = 25, size: int = 1 << 13, samples: int = 1) -> None:
        super().__init__(policy, size=size)
        if samples < 1:
            raise ValueError(f"samples must be at least 1, got {samples!r}")
        self.steps, self.samples = steps, samples

    def hindsight_logprob(self, batch: TurnBatch) -> Floats:
        """Return (n,) log h(a|s) of every turn of a batch that this policy has played, h fitted to all successes."""
        if not len(batch):
            return np.zeros(0)
        menus, taken = self._menus(batch)
        return self._fit(batch, menus, taken, np.asarray(batch.success))[taken]

    def menu_hindsight_logprobs(self, batch: TurnBatch) -> list[Floats]:
        """Return for every turn an array (samples, entries of its menu) of log h."""
        if not len(batch):
            return []
        menus, taken = self._menus(batch)
        parts = [np.asarray(batch.success) & (batch.rollout % self.samples == part) for part in range(self.samples)]
        found = np.stack([self._fit(batch, menus, taken, part) for part in parts])
        return np.split(found, menus.rows[1:], axis=1)

    def with_hindsight(self, batch: TurnBatch) -> TurnBatch:
        """Return the batch with the columns `hindsight_logprob` and `menu_hindsight_logprobs`."""
        return batch.with_columns(
            hindsight_logprob=self.hindsight_logprob(batch),
            menu_hindsight_logprobs=self.menu_hindsight_logprobs(batch),
        )

    def make(self, batch: TurnBatch, world: AgentEnv[Any]) -> TurnBatch:
        """Return the same; the world is not asked."""
        return self.with_hindsight(batch)

    def _menus(self, batch: TurnBatch) -> tuple[Menus, NDArray[np.int64]]:
        menus = self.features.menus(list(batch.state), list(batch.menu))
        return menus, chosen(batch, menus)

    def _fit(self, batch: TurnBatch, menus: Menus, taken: NDArray[np.int64], successes: NDArray[np.bool_]) -> Floats:
        """Return log h of all entries of all menus, fitted to the turns of these successes."""
        offset, won = batch["menu_logprobs"].flat, successes.astype(np.float64)
        weights = np.zeros(self.features.size)
        step = 2.0 * len(menus.entries) / len(menus.pairs)  # 1 over the curvature's bound: half the features an entry
        for _ in range(self.steps if won.any() else 0):
            residual = -np.exp(menus.log_softmax(weights, offset)) * won[menus.row_of]
            residual[taken] += won
            weights += step / won.sum() * menus.gradient(residual, self.features.size)
        return menus.log_softmax(weights, offset)
