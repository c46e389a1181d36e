"""Step-group estimators: turns of a group that were taken in the same state are compared with each other."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

import numpy as np

from agentgym.credit.algebra import Floats, Ints, Normalise, Population, in_range, mix, population, standardise
from agentgym.credit.registry import estimator
from agentgym.credit.rows import (
    Rewards,
    Singleton,
    Votes,
    by_group,
    by_group_state,
    kept_raw,
    reward,
    reward_columns,
    rollout_sum,
    spread,
    state_column,
    to_go,
)
from agentgym.credit.trajectory import relative_to_group

if TYPE_CHECKING:
    from agentgym.batch import TurnBatch


def _gigpo_columns(
    rewards: str, votes: str, key: str, similarity: float | None, invalid_penalty: float, **_: Any
) -> tuple[str, ...]:
    groups_by = state_column(key) if similarity is None else "observation"
    return (*reward_columns(rewards, votes), groups_by, *(("valid",) if invalid_penalty else ()))


@estimator(
    "gigpo",
    paper="2505.10978",
    needs=_gigpo_columns,
    presets={"verl_agent": {"ddof": 1, "votes": "turn", "singleton": "raw"}},
)
def gigpo(
    batch: TurnBatch,
    *,
    rewards: Rewards = "total",
    gamma: float = 0.95,
    step_weight: float = 1.0,
    key: str = "anchor",
    similarity: float | None = None,
    votes: Votes = "trajectory",
    normalise: Normalise = "std",
    ddof: int = 0,
    eps: float = 1e-6,
    singleton: Singleton = "zero",
    invalid_penalty: float = 0.0,
) -> dict[str, Floats]:
    """Group-in-group advantage: A_{i,t} = GN(R)_i + w · SN(G)_{i,t}.

    i: a rollout; t in [0, T_i): its turns; R_i = Σ_t r_{i,t}; G_{i,t} = r_{i,t} + γ·G_{i,t+1}. GN standardises over the
    group's rollouts (the `grpo` term), SN over the group's turns with an equal `key` before acting; each visit counts.

    Special cases: all states distinct: the episode term alone; one state in all: that plus plain standardising of G.

    Source: Feng et al. 2025, arXiv 2505.10978.

    Args:
        batch: T rows with the reward columns, the column `key`, and what the options below name.
        rewards: "total", a turn pays turn_reward + outcome_reward; "outcome", outcome_reward alone; for R and G.
        gamma: γ in [0, 1], for G.
        step_weight: w.
        key: what tells states apart, "anchor" or "state".
        similarity: instead of equal keys, a threshold in (0, 1]: rows of a group, in the batch's row order, join the
            first cluster whose first member's `observation` has SequenceMatcher ratio ≥ it. Depends on the order.
        votes: how often a rollout counts in GN: once ("trajectory"), once a "turn", once a "token".
        normalise: "std", or "none" to leave both divisions out.
        ddof: taken off the votes in both variances: 0, or 1.
        eps: ε ≥ 0, in both terms.
        singleton: "raw": a group of one rollout keeps its value in the episode term; the step term gives 0 always.
        invalid_penalty: p ≥ 0, taken off the score and the own (already discounted) return of each row that is not
            `valid`; needs votes="turn", because rows of one rollout then differ.

    Returns:
        Terms `episode` and `step`, shape [T].

    Raises:
        MissingColumn: a column named above is absent. ValueError: an option value out of its range.

    Invariants: with one vote a turn both terms sum to 0 over a group. Not invariant to a shift of the outcomes (γ < 1).
    Released code (verl-agent, preset `verl_agent`): ddof 1, one vote a turn in GN, a group of one keeps its raw score.
    """
    pay = reward(batch, rewards)
    score, to_come = rollout_sum(batch, pay), to_go(batch, pay, gamma)
    scale: dict[str, Any] = {"normalise": normalise, "ddof": ddof, "eps": eps}
    if invalid_penalty:
        fine = _penalty(batch, invalid_penalty, votes)
        rows = in_range("a score less the penalty", lambda: spread(batch, score) - fine)
        to_come = in_range("a return less the penalty", lambda: to_come - fine)
        episode = standardise(rows, by_group(batch), raw=kept_raw(batch, singleton), **scale)
    else:
        episode = relative_to_group(batch, score, votes, singleton=singleton, **scale)
    states = by_group_state(batch, key) if similarity is None else by_similar_text(batch, similarity)
    return mix({"episode": episode, "step": standardise(to_come, states, **scale)}, {"step": step_weight})


def _penalty(batch: TurnBatch, penalty: float, votes: Votes) -> Floats:
    if votes != "turn":
        raise ValueError(f'invalid_penalty makes rows of one rollout differ and so needs votes="turn", got {votes!r}')
    if not penalty >= 0.0:
        raise ValueError(f"invalid_penalty must be at least 0, got {penalty}")
    return penalty * ~np.asarray(batch["valid"], dtype=bool)


def by_similar_text(batch: TurnBatch, threshold: float) -> Population:
    """Turns of the same group whose observations resemble the first member of their cluster.

    Inside each group, in the batch's row order, a row joins the first cluster with
    `SequenceMatcher(None, text, first member).ratio()` ≥ threshold, else it founds one. Order dependent, not symmetric.

    Args:
        batch: with the column observation.
        threshold: in (0, 1].
    """
    if not 0.0 < threshold <= 1.0:
        raise ValueError(f"similarity must lie in (0, 1], got {threshold}")
    groups = by_group(batch).codes
    clusters: dict[int, list[SequenceMatcher[str]]] = {}
    known: dict[tuple[int, str], int] = {}
    found: Ints = np.empty(len(batch), dtype=np.int64)
    for row, (group, text) in enumerate(zip(groups.tolist(), batch["observation"], strict=True)):
        if (group, text) not in known:  # an equal text has joined the first cluster that it fits already
            known[group, text] = _join(clusters.setdefault(group, []), text, threshold)
        found[row] = known[group, text]
    return population(groups, found)


def _join(clusters: list[SequenceMatcher[str]], text: str, threshold: float) -> int:
    for number, first in enumerate(clusters):
        first.set_seq1(text)
        # The two quick ratios are upper bounds of the real one, so that skipping on them changes nothing.
        if first.real_quick_ratio() >= threshold and first.quick_ratio() >= threshold and first.ratio() >= threshold:
            return number
    clusters.append(SequenceMatcher(None, "", text))
    return len(clusters) - 1
