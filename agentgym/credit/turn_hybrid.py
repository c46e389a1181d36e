"""Turn-level estimators that normalise sums: the return to go of a turn alone, beside the outcome, or fused with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from agentgym.credit.algebra import Floats, Normalise, Population, in_range, mix, standardise
from agentgym.credit.registry import estimator
from agentgym.credit.rows import (
    Rewards,
    by_batch,
    by_group,
    by_group_turn,
    column,
    one_of,
    reward,
    reward_columns,
    rollout_sum,
    to_go,
)
from agentgym.credit.trajectory import relative_to_group
from agentgym.errors import unknown

if TYPE_CHECKING:
    from agentgym.batch import TurnBatch

TurnPopulation = Literal["group_all_turns", "group_same_turn", "batch"]


@estimator("gtpo_hybrid", paper="2604.02869", needs=("turn_reward", "outcome_reward"))
def gtpo_hybrid(
    batch: TurnBatch,
    *,
    gamma: float = 0.9,
    outcome_weight: float = 0.3,
    normalise: Normalise = "std",
    ddof: int = 0,
    eps: float = 1e-6,
) -> dict[str, Floats]:
    """Discounted return at the turn's index, and the outcome: A_{i,k} = GN_k(raw)_i + λ·GN(o)_i.

    raw_{i,k} = Σ_{l≥k} γ^{l-k}·r_{i,l} + γ^{T_i-k}·o_i. i: a rollout of T_i turns; k, l in [0, T_i): its turns; r:
    turn_reward; o: the outcome, paid at a virtual turn after the last. GN_k standardises over the group's rollouts that
    have a turn k, GN over all of the group's rollouts.

    Special cases: a turn index that one rollout alone reaches has no peer and gives 0 in the term `turn`; a group of
    one rollout gives 0. Equal outcomes do not: with γ < 1 a shorter rollout has the larger raw value.

    Source: arXiv 2604.02869, the hybrid that it pairs with calibrated turn rewards (`agentgym.credit.calibrate`). Two
    other papers use the letters GTPO for something else.

    Args:
        batch: T rows with turn_reward and outcome_reward.
        gamma: γ in [0, 1].
        outcome_weight: λ.
        normalise: "std", or "none" to leave the divisions out.
        ddof: taken off the number of rollouts in the variances: 0, or 1.
        eps: ε ≥ 0, added to the standard deviations.

    Returns:
        Terms `turn` and `outcome`, shape [T].

    Raises:
        MissingColumn: a column named above is absent. ValueError: an option value out of its range.

    Invariants: the term `turn` sums to 0 over the rollouts that have a turn k. Adding one to every turn reward changes
    nothing where all rollouts of a group are equally long; adding a constant to the outcomes does, where they are not.

    Released code: none seen. Unlike `mt_grpo` it sums first and normalises afterwards, so that what going on gains
    reaches the turn that decided to.
    """
    outcome = column(batch, "outcome_reward")
    paid = in_range("turn_reward + gamma times outcome_reward", lambda: column(batch, "turn_reward") + gamma * outcome)
    raw = to_go(batch, paid, gamma)  # the outcome stands on the last turn: γ there, γ^{T-k} at turn k
    turn = standardise(raw, by_group_turn(batch), normalise=normalise, ddof=ddof, eps=eps)
    whole = relative_to_group(batch, rollout_sum(batch, outcome), "trajectory", normalise, ddof, eps, "zero")
    return mix({"turn": turn, "outcome": whole}, {"outcome": outcome_weight})


@estimator("turn_return", needs=reward_columns)
def turn_return(
    batch: TurnBatch,
    *,
    rewards: Rewards = "total",
    gamma: float = 0.95,
    population: Literal["group", "group_turn", "batch"] = "group",
    normalise: Normalise = "std",
    ddof: int = 0,
    eps: float = 1e-6,
) -> dict[str, Floats]:
    """Return to go of the turn, standardised: A_{i,t} = (G_{i,t} - μ) / (σ + ε), G_t = r_t + γ·G_{t+1}.

    i: a rollout; t in [0, T_i): its turns; μ, σ over `population`, every turn voting once. The plain control that
    every turn-level claim has to beat.

    Special cases: a population whose returns are equal gives exactly 0. A group of one rollout does not, with
    population "group": its turns are compared with each other.

    Source: no paper; trainers ship it, ROLL among them.

    Args:
        batch: T rows with outcome_reward and, for rewards "total", turn_reward.
        rewards: "total", a turn pays turn_reward + outcome_reward; "outcome", outcome_reward alone.
        gamma: γ in [0, 1].
        population: "group", all turns of the group; "group_turn", those of the same index; "batch", all turns.
        normalise: "std", or "none" to leave the division out.
        ddof: taken off the number of turns in the variance: 0, or 1.
        eps: ε ≥ 0.

    Returns:
        Term `return`, shape [T].

    Raises:
        MissingColumn: a reward column is absent. ValueError: an option value out of its range.

    Invariants: the term sums to 0 over its population. With γ < 1 a late turn of a successful rollout looks better than
    an early one, and a constant added to the outcomes changes the result.

    Released code: several trainers standardise over the batch; that is population "batch".
    """
    one_of("population", population, ("group", "group_turn", "batch"))
    among = {"group": by_group, "group_turn": by_group_turn, "batch": by_batch}[population](batch)
    to_come = to_go(batch, reward(batch, rewards), gamma)
    return {"return": standardise(to_come, among, normalise=normalise, ddof=ddof, eps=eps)}


def _hian_columns(per_component: bool | Mapping[str, float], **_: Any) -> tuple[str, ...]:
    return ("turn_reward" if per_component is False else "components", "outcome_reward")


@estimator("hian", paper="2603.01481", needs=_hian_columns)
def hian(
    batch: TurnBatch,
    *,
    turn_weight: float = 1.0,
    episode_weight: float = 1.0,
    turn_population: TurnPopulation = "group_all_turns",
    per_component: bool | Mapping[str, float] = False,
    normalise: Normalise = "std",
    ddof: int = 0,
    eps: float = 1e-8,
) -> dict[str, Floats]:
    """Each horizon normalised alone, then fused: A_{i,t} = w_turn·z(r)_{i,t} + w_episode·GN(o)_i.

    i: a rollout; t in [0, T_i): its turns; r: turn_reward; o: the outcome. z standardises over `turn_population`, every
    turn voting once; GN over the group's rollouts. However large the outcome is beside the turn rewards, neither term
    drowns the other, as happens in their sum (`grpo` on the total reward, the baseline to compare with).

    Special cases: with `per_component` r is Σ_c w_c·z(r_c), each named turn reward standardised alone first, so that
    none drowns the others either. A turn that lacks a name is paid 0 under it.

    Source: DuCA's horizon-independent normalisation, arXiv 2603.01481. **Reconstructed from its abstract**, which
    leaves open over which turns the turn rewards are normalised: hence `turn_population`. That `per_component`
    standardises once more after adding up is ours, and keeps w_turn's meaning whatever the number of names.

    Args:
        batch: T rows with outcome_reward and turn_reward, or components in its place for `per_component`.
        turn_weight: w_turn.
        episode_weight: w_episode.
        turn_population: "group_all_turns", all turns of the group; "group_same_turn", those of the same index; "batch".
        per_component: True, every w_c = 1; a mapping of name to w_c for the names to count (penalties below 0), others
            being left out; False: turn_reward as it is.
        normalise: "std", or "none" to leave all divisions out.
        ddof: taken off the votes in the variances: 0, or 1.
        eps: ε ≥ 0, added to the standard deviations.

    Returns:
        Terms `turn` and `episode`, shape [T].

    Raises:
        MissingColumn: a column named above is absent. ValueError: an option value that is not listed, a component that
        no turn has.

    Invariants: adding a constant to every outcome of a group, or one to every turn reward, changes nothing. One rollout
    alone gives 0 in `episode` and not in `turn`: its turns are compared with each other.

    Released code: none seen.
    """
    one_of("turn_population", turn_population, ("group_all_turns", "group_same_turn", "batch"))
    if not isinstance(per_component, bool | Mapping):
        raise ValueError(f"per_component must be True, False or a mapping of name to weight, got {per_component!r}")
    populations = {"group_all_turns": by_group, "group_same_turn": by_group_turn, "batch": by_batch}
    among = populations[turn_population](batch)
    scale: dict[str, Any] = {"normalise": normalise, "ddof": ddof, "eps": eps}
    paid = column(batch, "turn_reward") if per_component is False else _components(batch, per_component, among, scale)
    turn = standardise(paid, among, **scale)
    outcome = rollout_sum(batch, column(batch, "outcome_reward"))
    episode = relative_to_group(batch, outcome, "trajectory", singleton="zero", **scale)
    return mix({"turn": turn, "episode": episode}, {"turn": turn_weight, "episode": episode_weight})


def _components(
    batch: TurnBatch, weighed: bool | Mapping[str, float], among: Population, scale: dict[str, Any]
) -> Floats:
    """Σ_c w_c · z(r_c) over the named turn rewards; shape [T]."""
    there = batch["components"]
    weights = weighed if isinstance(weighed, Mapping) else dict.fromkeys(there.names, 1.0)
    for name in weights:
        if name not in there.names and len(batch):
            raise ValueError(unknown("reward component", name, there.names, "of per_component"))
    normal = {name: standardise(there.column(name), among, **scale) for name in weights if name in there.names}
    parts = mix(normal, {name: weights[name] for name in normal})
    return in_range("the sum of the components", lambda: np.sum([np.zeros(len(batch)), *parts.values()], axis=0))
