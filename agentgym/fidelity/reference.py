"""The lines every table of scores is read against: noise, the true baseline, the truth itself."""

from __future__ import annotations

import numpy as np

from agentgym.batch import TurnBatch
from agentgym.fidelity.graph import Floats
from agentgym.fidelity.record import Truth, check_same
from agentgym.rng import TurnRng


def reference_lines(truth: Truth, batch: TurnBatch, *, seed: int = 0) -> dict[str, Floats]:
    """Return what every table should show beside the estimators, one value a row.

    `noise`: standard normal draws. `true_baseline`: the return the rollout got from the row's turn on, minus the true
    V(s): the best that a baseline can do for a plain return, yet no upper bound. `truth`: the true advantages.
    """
    check_same(truth, batch)
    rng = TurnRng(seed, 0, 0, "noise")
    noise = np.array([rng.normal() for _ in range(len(batch))])
    paid = np.array(batch.need("outcome_reward", who="true_baseline"))
    if truth.objective == "total":
        paid = paid + batch.need("turn_reward", who="true_baseline")
    returns = np.zeros(len(batch))
    for start, length in zip(batch.starts.tolist(), batch.lengths.tolist(), strict=True):
        after = 0.0
        for row in batch.order[start : start + length][::-1].tolist():
            after = returns[row] = paid[row] + truth.gamma * after
    return {"noise": noise, "true_baseline": returns - truth.value, "truth": truth.advantage}
