"""Step groups by what came before: turns are compared in the same state after the same recent states."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from agentgym.credit.algebra import (
    ZERO_SPREAD,
    Bools,
    Floats,
    Ints,
    Normalise,
    Population,
    center,
    mix,
    population,
    standardise,
)
from agentgym.credit.registry import estimator
from agentgym.credit.result import Terms
from agentgym.credit.rows import (
    Rewards,
    Singleton,
    Votes,
    by_group_state,
    reward,
    reward_columns,
    rollout_sum,
    state_column,
    to_go,
)
from agentgym.credit.trajectory import relative_to_group

if TYPE_CHECKING:
    from agentgym.batch import TurnBatch


def _hgpo_columns(rewards: str, votes: str, key: str, **_: Any) -> tuple[str, ...]:
    return (*reward_columns(rewards, votes), state_column(key))


@estimator(
    "hgpo",
    paper="2602.22817",
    needs=_hgpo_columns,
    presets={"released": {"episode_weight": 0.0, "skip_zeros": True}},
)
def hgpo(
    batch: TurnBatch,
    *,
    rewards: Rewards = "total",
    gamma: float = 0.95,
    history: int = 2,
    alpha: float = 1.0,
    skip_zeros: bool = False,
    episode_weight: float = 1.0,
    step_weight: float = 1.0,
    key: str = "anchor",
    votes: Votes = "trajectory",
    normalise: Normalise = "std",
    ddof: int = 0,
    eps: float = 1e-6,
    singleton: Singleton = "zero",
) -> Terms:
    """A hierarchy of step groups: A = w_E·GN(R) + w_S·Σ_k v_k·SN_k(G) / Σ_k v_k, v_k = (k+1)^α, k = 1 … H+1.

    i: a rollout; t in [0, T_i): its turns; R_i = Σ_t ρ_{i,t}; G_{i,t} = ρ_{i,t} + γ·G_{i,t+1}. GN standardises over the
    group's rollouts; SN_k over the group's turns with the same last k keys, (s_{t-k+1}, …, s_t). Level k exists for a
    turn t ≥ k - 1 that shares it with another turn; levels that do not exist are left out of both sums.

    Special cases: no level at all (nobody else of the group was in this state): step term 0. H = 0 is `gigpo`.

    Source: arXiv 2602.22817; code verl-agent, recipe/hgpo. α = 1 and H = 2 are its defaults.

    Args:
        batch: T rows with the reward columns of `rewards` and the column `key`.
        rewards: "total", ρ is turn_reward + outcome_reward; "outcome", outcome_reward alone; for R and G.
        gamma: γ in [0, 1], for G.
        history: H ≥ 0, how many earlier keys are looked at.
        alpha: α in [-100, 100]; above 0 the longer history weighs more.
        skip_zeros: levels in which the turn's return is the mean (to rounding), so that they say 0, are left out too.
        episode_weight: w_E.
        step_weight: w_S.
        key: what tells states apart, "anchor" or "state".
        votes: how often a rollout counts in GN: once ("trajectory"), once a "turn", once a "token".
        normalise: "std", or "none" to leave all divisions out.
        ddof: taken off the votes in every variance: 0, or 1.
        eps: ε ≥ 0, in every division.
        singleton: "raw": a group of one rollout keeps its value in the episode term; the step term gives 0 always.

    Returns:
        Terms `episode` and `step`, shape [T]; diagnostic `levels`, how many levels each turn has, shape [T].

    Raises:
        MissingColumn: a column named above is absent. ValueError: an option value out of its range.

    Invariants: a turn's levels are nested: if level k exists, so do all smaller ones.

    Released code (preset `released`): no episode term by default (where it is switched on it is level k = 0 of the
    mean, one vote a turn), and zeros are left out of the mean, so that a turn whose longest history says "no better, no
    worse" is judged by the shorter ones alone. It adds ε to Σ v_k, which is not done here.
    """
    if not history >= 0:
        raise ValueError(f"history must be at least 0, got {history}")
    if not abs(alpha) <= 100.0:
        raise ValueError(f"alpha must lie in [-100, 100], got {alpha}")
    paid = reward(batch, rewards)
    score, to_come = rollout_sum(batch, paid), to_go(batch, paid, gamma)
    scale: dict[str, Any] = {"normalise": normalise, "ddof": ddof, "eps": eps}
    step, weight, levels = np.zeros(len(batch)), np.zeros(len(batch)), np.zeros(len(batch), np.int64)
    for k, (rows, among) in enumerate(by_history(batch, key, history), 1):
        value = standardise(to_come[rows], among, **scale)
        counted = ~_at_mean(to_come[rows], among) if skip_zeros else np.ones(len(rows), dtype=bool)
        levels[rows] += 1
        step[rows] += np.where(counted, (k + 1.0) ** alpha * value, 0.0)
        weight[rows] += np.where(counted, (k + 1.0) ** alpha, 0.0)
    step /= np.where(weight > 0.0, weight, 1.0)
    terms = {"episode": relative_to_group(batch, score, votes, singleton=singleton, **scale), "step": step}
    return Terms(mix(terms, {"episode": episode_weight, "step": step_weight}), levels=levels)


def by_history(batch: TurnBatch, key: str, history: int) -> Iterator[tuple[Ints, Population]]:
    """Turns of the same group with the same last k keys, for k = 1 … history + 1, as long as there are any.

    Yields:
        The rows that have k keys and share them with another row, and their population.
    """
    nodes = by_group_state(batch, key)
    before = np.empty(len(batch), dtype=np.int64)  # the row of the turn before, for turns that have one
    before[batch.order[1:]] = batch.order[:-1]
    # States numbered inside their group: pairs of short ranges are cheap to number anew.
    first = np.full(batch.num_groups, nodes.size)
    np.minimum.at(first, batch.group_code, nodes.codes)
    state, turn = nodes.codes - first[batch.group_code], np.asarray(batch["turn"])
    rows = past = np.arange(len(batch))
    codes = nodes.codes
    for back in range(history + 1):
        if back:  # those who share k keys shared k - 1 of them, so that nobody else need be looked at
            long = turn[rows] >= back
            rows, past, codes = rows[long], before[past[long]], codes[long]
            codes = population(codes, state[past]).codes
        shared = np.bincount(codes)[codes] > 1
        rows, past, codes = rows[shared], past[shared], codes[shared]
        if not len(rows):
            return
        yield rows, population(codes)


def _at_mean(x: Floats, among: Population) -> Bools:
    """Which values are the mean of their population, to rounding; per row."""
    return np.abs(center(x, among)) <= ZERO_SPREAD * np.maximum(1.0, np.abs(x))
