"""How safe each turn was, for menu policies: learned from one label a rollout, whether it kept the rules."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentgym.baselines.columns import Actor
from agentgym.baselines.features import Floats
from agentgym.baselines.policies import MenuPolicy
from agentgym.baselines.value_heads import Hashed
from agentgym.batch import TurnBatch
from agentgym.env import AgentEnv

BELIEF = 3.0
"""Logit of "this turn is safe" before anything was learned: 0.95, as in `agentgym.baselines.learned.safety`."""
LEAST = 1e-6
"""The probability that a rollout is unsafe is held above it where it was unsafe."""


class SafetyPolicy(Actor):
    """Plays as another menu policy and learns how safe its turns were: the column `log_safe`.

    ℓ_t = log σ(3 + w·φ(s_t, a_t)) with the hashed features of description and action; w is fitted to the labels of
    whole rollouts by gradient ascent on the log-likelihood, P(safe) = exp Σ ℓ_t, as the estimator of TraCeS (arXiv
    2504.12557) is. That one has a memory; here the description has to say what came before. Weights go on from batch
    to batch: a batch is learned from, then valued.

    Args:
        policy: the menu policy that acts.
        steps: of gradient ascent on each batch.
        size: number of weights, a power of two.
    """

    def __init__(self, policy: MenuPolicy, *, steps: int = 150, size: int = 1 << 13) -> None:
        super().__init__(policy, size=size)
        self.steps = steps
        self.weights: Floats = np.zeros(size)

    def make(self, batch: TurnBatch, world: AgentEnv[Any]) -> TurnBatch:
        """Return the batch with `log_safe`, having learned from its labels; the world is not asked.

        Args:
            batch: rollouts of this policy with `safe`; of its turns nothing is read but whether all of them were.
            world: that they were played in.
        """
        if not len(batch):
            return batch.with_columns(log_safe=np.zeros(0))
        menus = self.features.menus(list(batch.state), [(action,) for action in batch.action])
        design = Hashed(menus.pairs, menus.entries, self.features.size)
        safe = np.bincount(batch.rollout, ~np.asarray(batch["safe"], dtype=bool)) == 0
        step = 4.0 * len(menus.entries) / len(menus.pairs)  # 1 over the curvature's bound: a quarter of the features
        for _ in range(self.steps):
            logit = BELIEF + design.dot(self.weights)
            pull = _pull(np.bincount(batch.rollout, log_sigmoid(logit)), safe)[batch.rollout]
            self.weights += step / batch.num_rollouts * design.back(pull * np.exp(log_sigmoid(-logit)))
        return batch.with_columns(log_safe=log_sigmoid(BELIEF + design.dot(self.weights)))


def log_sigmoid(logit: Floats) -> Floats:
    """Return log of 1 / (1 + exp(−logit)), shape as given."""
    found: Floats = -np.logaddexp(0.0, -logit)
    return found


def _pull(log_safe: Floats, safe: NDArray[np.bool_]) -> Floats:
    """Return the derivative of a rollout's log-likelihood by its log P(safe): 1 if it was safe, else −P / (1 − P)."""
    unsafe = np.maximum(-np.expm1(log_safe), LEAST)
    found: Floats = np.where(safe, 1.0, -np.exp(log_safe) / unsafe)
    return found
