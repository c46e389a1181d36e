"""Turn-level estimators: rewards of single turns, normalised at their turn index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from agentgym.credit.algebra import Floats, Normalise, Population, in_range, leave_one_out, mix, standardise
from agentgym.credit.registry import estimator
from agentgym.credit.rows import (
    by_group_turn,
    by_rollout,
    column,
    one_of,
    rollout_sum,
    rollouts_by_group,
    spread,
    to_go,
)

if TYPE_CHECKING:
    from agentgym.batch import TurnBatch

Variant = Literal["future_sum", "own_turn", "grpo_or", "grpo_mr", "two_segment"]


def _mt_grpo_columns(variant: str, **_: Any) -> tuple[str, ...]:
    extra = ("tool_result",) if variant == "two_segment" else ()
    return ("outcome_reward",) if variant == "grpo_or" else ("turn_reward", "outcome_reward", *extra)


@estimator(
    "mt_grpo",
    paper="2505.11821",
    needs=_mt_grpo_columns,
    presets={"two_segment": {"variant": "two_segment", "ddof": 1, "eps": 1e-4, "coef": 1.0}},
)
def mt_grpo(
    batch: TurnBatch,
    *,
    variant: Variant = "future_sum",
    coef: float = 1.0,
    normalise: Normalise = "std",
    ddof: int = 0,
    eps: float = 1e-6,
) -> dict[str, Floats]:
    """Turn rewards and outcome, each normalised apart: A_{i,k} = Σ_{l≥k} GN_l(r_l)_i + GN(o)_i.

    i: a rollout of T_i turns; k, l in [0, T_i): its turns; r: turn_reward; o: the outcome, paid on the last turn. GN_l
    standardises over the group's rollouts that have a turn l, GN over all of the group's rollouts.

    Special cases, by `variant`:
        future_sum: the above. own_turn: only l = k.
        grpo_or: GN(o), the outcome alone. grpo_mr: GN(o + Σ_k r_k), both merged into one scalar.
        two_segment: turns up to and including the one whose action brought the first tool result get
        GN(o) + c·GN(Σ_k r_k), later ones GN(o); a rollout without any tool result gets GN(o + Σ_k r_k) on every turn.

    Source: Zeng et al. 2025, arXiv 2505.11821; future_sum as the hybrid paper arXiv 2604.02869 writes it.

    Args:
        batch: T rows with turn_reward, outcome_reward and, for two_segment, tool_result.
        variant: one of the above.
        coef: c, for two_segment alone.
        normalise: "std", or "none" to leave the divisions out.
        ddof: taken off the number of rollouts in the variance: 0, or 1.
        eps: ε ≥ 0.

    Returns:
        Terms `turn` and `outcome`, shape [T]; merged forms put their one value into `outcome`.

    Raises:
        MissingColumn: a column named above is absent. ValueError: an option value that is not listed.

    Invariants: adding a constant to every outcome of a group changes nothing, nor does adding one to every turn reward
    in future_sum and own_turn. One rollout alone gives 0.

    Known bias: GN_l centres a later turn on the rollouts that are *still alive*, so the choice to go on is never
    credited (verl issue 7244). `mt_grpo_unbiased` does not have this fault.

    Released code: the trainer has the two segments alone (preset `two_segment`), with ε = 1e-4 and ddof 1.
    """
    one_of("variant", variant, ("future_sum", "own_turn", "grpo_or", "grpo_mr", "two_segment"))
    scale: dict[str, Any] = {"normalise": normalise, "ddof": ddof, "eps": eps}
    outcome = rollout_sum(batch, column(batch, "outcome_reward"))
    if variant == "grpo_or":
        return _terms(batch, 0.0, _group_norm(batch, outcome, scale))
    reward = column(batch, "turn_reward")
    if variant == "grpo_mr":
        return _terms(batch, 0.0, _group_norm(batch, _merged(outcome, rollout_sum(batch, reward)), scale))
    if variant == "two_segment":
        return _two_segments(batch, reward, outcome, coef, scale)
    turn = standardise(reward, by_group_turn(batch), **scale)
    turn = to_go(batch, turn, 1.0) if variant == "future_sum" else turn
    return _terms(batch, turn, _group_norm(batch, outcome, scale))


def _two_segments(
    batch: TurnBatch, reward: Floats, outcome: Floats, coef: float, scale: dict[str, Any]
) -> dict[str, Floats]:
    got = np.asarray(batch["tool_result"], dtype=bool)
    total = rollout_sum(batch, reward)
    merged, alone = _group_norm(batch, _merged(outcome, total), scale), _group_norm(batch, outcome, scale)
    has_result = spread(batch, by_rollout(batch).any(got))
    # A turn is in the first segment when no result came before it: all results of its rollout lie at it or after it.
    first = to_go(batch, got.astype(np.float64), 1.0) == spread(batch, rollout_sum(batch, got.astype(np.float64)))
    sums = mix({"turn": _group_norm(batch, total, scale)}, {"turn": coef})["turn"]
    turn = np.where(has_result & first, sums, 0.0)
    return _terms(batch, turn, np.where(has_result, alone, merged))


def _merged(outcome: Floats, turns: Floats) -> Floats:
    return in_range("outcome_reward + the sum of turn_reward", lambda: outcome + turns)


def _group_norm(batch: TurnBatch, value: Floats, scale: dict[str, Any]) -> Floats:
    return spread(batch, standardise(value, rollouts_by_group(batch), **scale))


def _terms(batch: TurnBatch, turn: Floats | float, outcome: Floats) -> dict[str, Floats]:
    return {"turn": np.broadcast_to(turn, len(batch)).astype(np.float64), "outcome": outcome}


@estimator("mt_grpo_unbiased", needs=("turn_reward", "outcome_reward"))
def mt_grpo_unbiased(batch: TurnBatch) -> dict[str, Floats]:
    """Turn rewards and outcome, leave-one-out: A_{i,k} = G̃_{i,k} - mean_{j≠i} G̃_{j,k} + o_i - mean_{j≠i} o_j.

    i, j: rollouts of one group; k: a turn of i; G̃_{i,k} = Σ_{l≥k} r̃_{i,l} with r̃ = turn_reward, and 0 after a
    rollout's end: the others all count at every k, ended or not. o: the outcome.

    `mt_grpo` centres each turn's reward on the rollouts that are still alive there, which takes away what going on
    gained over stopping. Here the baseline of a turn depends neither on what its rollout did nor on who is still alive,
    so that the policy gradient is unbiased.

    Special cases: a group of one rollout gives 0; so does one of equal returns to go and equal outcomes.

    Source: a remedy of our own for the bias reported as verl issue 7244 in mt_grpo, arXiv 2505.11821.

    Args:
        batch: T rows with turn_reward and outcome_reward.

    Returns:
        Terms `turn` and `outcome`, shape [T].

    Raises:
        MissingColumn: a column named above is absent.

    Invariants: adding a constant to every outcome of a group changes nothing, nor does adding one to every turn reward
    where all rollouts of a group are equally long; all rewards times c gives c times the result.

    Released code: none.
    """
    to_come = to_go(batch, column(batch, "turn_reward"), 1.0)
    alive = by_group_turn(batch)
    # One more entry a population stands for all rollouts that ended before that turn: value 0, a vote for each of them.
    entries = np.append(alive.codes, np.arange(alive.size))
    size_of_group = np.zeros(alive.size)
    size_of_group[alive.codes] = rollouts_by_group(batch).counts[batch.group_code]
    votes = np.append(np.ones(len(batch)), size_of_group - alive.counts)
    padded = np.append(to_come, np.zeros(alive.size))
    turn = leave_one_out(padded, Population(entries, alive.size), weights=votes)[: len(batch)]
    outcome = leave_one_out(rollout_sum(batch, column(batch, "outcome_reward")), rollouts_by_group(batch))
    return _terms(batch, turn, spread(batch, outcome))
