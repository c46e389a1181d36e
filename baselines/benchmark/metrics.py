"""What evaluation rollouts say of a policy: success, Avg@k, Pass@k, pass^k, turns, invalid rate, return."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np

from agentgym.batch import TurnBatch
from agentgym.score import pass_hat_k


def pass_at_k(successes: int, rollouts: int, k: int) -> float:
    """Return the unbiased estimate of P(at least one of k rollouts succeeds) from `rollouts` ≥ k of one task.

    1 − C(n − c, k) / C(n, k), n rollouts of which c succeeded (Chen et al. 2021, arXiv 2107.03374).
    """
    _check(successes, rollouts, k)
    return 1.0 - comb(rollouts - successes, k) / comb(rollouts, k)


def evaluate(batch: TurnBatch, ks: Sequence[int] = (1, 2, 4, 8)) -> dict[str, float]:
    """Return the metrics of a batch, tasks weighing equally.

    Args:
        batch: rollouts with success, turn_reward, outcome_reward and valid; tasks may have uneven numbers of rollouts.
        ks: the k of Pass@k and pass^k; those larger than the smallest number of rollouts a task are left out.

    Returns:
        "success" (mean over tasks of the success rate, which is also Avg@k), "avg@K" with K the smallest number of
        rollouts a task, "pass@k", "pass^k", "turns" and "return" (mean a rollout; the return is turn rewards plus
        outcome), "invalid_rate" (share of turns).

    Raises:
        ValueError: the batch holds no rollout.
    """
    if not len(batch):
        raise ValueError("no rollout to evaluate")
    first = batch.order[batch.starts]
    success = np.asarray(batch.success)[first].astype(bool)
    tasks: dict[object, list[bool]] = {}
    for row, won in zip(first.tolist(), success.tolist(), strict=True):
        tasks.setdefault(batch.task[row], []).append(won)
    counts = [(sum(wins), len(wins)) for wins in tasks.values()]
    fewest = min(rollouts for _, rollouts in counts)
    rate = float(np.mean([wins / rollouts for wins, rollouts in counts]))
    out = {"success": rate, f"avg@{fewest}": rate}
    for k in ks:
        if k <= fewest:
            out[f"pass@{k}"] = float(np.mean([pass_at_k(wins, rollouts, k) for wins, rollouts in counts]))
            out[f"pass^{k}"] = pass_hat_k(tasks.values(), k)
    paid = np.asarray(batch.turn_reward) + np.asarray(batch.outcome_reward)
    out["turns"] = len(batch) / batch.num_rollouts
    out["return"] = float(paid.sum()) / batch.num_rollouts
    out["invalid_rate"] = float(1.0 - np.asarray(batch.valid).mean())
    return out


def _check(successes: int, rollouts: int, k: int) -> None:
    if not 0 <= successes <= rollouts or not 1 <= k <= rollouts:
        raise ValueError(f"need 0 <= successes <= rollouts and 1 <= k <= rollouts, got {successes}, {rollouts}, k={k}")
