"""State-graph estimators whose value of a state is the mean of what rollouts went on to earn from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from agentgym.credit.algebra import (
    Normalise,
    center,
    difference,
    leave_one_out,
    mean_within,
    mix,
    population,
    standardise,
)
from agentgym.credit.graph import graph_checks
from agentgym.credit.registry import estimator
from agentgym.credit.result import Terms
from agentgym.credit.returns import check_gamma
from agentgym.credit.rows import (
    Rewards,
    Singleton,
    Votes,
    by_group,
    by_group_state,
    following,
    reward,
    reward_columns,
    rollout_sum,
    spread,
    state_column,
    to_go,
    turns_to_end,
)
from agentgym.credit.trajectory import relative_to_group

if TYPE_CHECKING:
    from agentgym.batch import TurnBatch


def _gagpo_columns(rewards: str, key: str, **_: Any) -> tuple[str, ...]:
    return (*reward_columns(rewards), state_column(key))


@estimator("gagpo", paper="2605.13217", needs=_gagpo_columns)
def gagpo(
    batch: TurnBatch,
    *,
    rewards: Rewards = "total",
    gamma: float = 0.95,
    lam: float = 0.5,
    key: str = "anchor",
    normalise: Normalise = "std",
    ddof: int = 0,
    eps: float = 1e-6,
) -> Terms:
    """GAE over values that are mean returns: A = z(Σ_l (γλ)^l·δ_{t+l}), δ_t = ρ_t + γ·V(s_{t+1}) - V(s_t).

    t: the turns of a rollout; ρ_t: what turn t pays; G_t = ρ_t + γ·G_{t+1}; V(s): the mean of G over the group's turns
    at s, every visit, each to its rollout's end; after a rollout's last turn V is 0, ended or cut alike. z standardises
    over all turns of the group. There is no episode term.

    Special cases: λ = 1 is z(G - V(s)); with all states distinct A is 0. A group of one rollout differs from 0 only
    where it comes back to a state.

    Differs from `state_graph`: V averages whole returns instead of solving for values that agree with each other, so
    that half of a failed rollout is not joined to half of a successful one in V, only one step deep in δ.

    Source: arXiv 2605.13217, its formula from notes; no code was seen. λ = 0.5 is ours: the published value was not
    seen; the paper finds that λ = 0 loses, λ = 1 loses most, and so does an episode term.

    Args:
        batch: T rows with the reward columns of `rewards` and the column `key`; action and next_state for the
            diagnostic `aliasing`.
        rewards: "total", ρ is turn_reward + outcome_reward; "outcome", outcome_reward alone.
        gamma: γ in [0, 1].
        lam: λ in [0, 1].
        key: what tells states apart, "anchor" or "state".
        normalise: "std", or "none" to leave z's division out.
        ddof: taken off the number of turns in z's variance: 0, or 1.
        eps: ε ≥ 0, in z.

    Returns:
        Term `graph`, shape [T]. Diagnostics: `value`, V(s) of each row, shape [T]; `singletons`, the share of rows that
        are the only one at their node; `aliasing`, the share of rows whose (node, action) led to different successors
        or rewards in the group (absent without its columns; the world's noise counts too).

    Raises:
        MissingColumn: a column named above is absent. ValueError: an option value out of its range.

    Invariants: the term sums to 0 over a group. A group whose sums are all equal gives exactly 0.
    """
    if not 0.0 <= lam <= 1.0:
        raise ValueError(f"lam must lie in [0, 1], got {lam!r}")
    paid, nodes = reward(batch, rewards), by_group_state(batch, key)
    value = mean_within(to_go(batch, paid, gamma), nodes)[nodes.codes]
    after = np.where(batch.last, 0.0, following(batch, value))
    residual = difference(
        "a residual ρ + γ·V(s') - V(s)", lambda: paid + gamma * after - value, paid, gamma * after, value
    )
    ahead = to_go(batch, residual, gamma * lam)
    term = standardise(ahead, by_group(batch), normalise=normalise, ddof=ddof, eps=eps)
    return Terms({"graph": term}, value=value, **graph_checks(batch, key, paid))


def _g2po_columns(rewards: str, votes: str, key: str, invalid_penalty: float, **_: Any) -> tuple[str, ...]:
    return (*reward_columns(rewards, votes), state_column(key), "success", *(("valid",) if invalid_penalty else ()))


@estimator(
    "g2po",
    paper="2606.22995",
    needs=_g2po_columns,
    presets={"released": {"ddof": 1, "votes": "turn", "singleton": "raw", "invalid_penalty": 0.1}},
)
def g2po(
    batch: TurnBatch,
    *,
    rewards: Rewards = "total",
    gamma: float = 0.95,
    episode_weight: float = 1.0,
    local_weight: float = 1.0,
    edge_weight: float = 1.0,
    invalid_penalty: float = 0.0,
    key: str = "anchor",
    votes: Votes = "trajectory",
    normalise: Normalise = "std",
    ddof: int = 0,
    eps: float = 1e-6,
    singleton: Singleton = "zero",
) -> Terms:
    """Where turns lead, beside the episode: A = w_E·GN(R) + w_L·z(V⁺ - p·[invalid]; node) + w_D·z(V⁺ - V(s); group).

    i: a rollout of T_i turns k in [0, T_i); R_i = Σ_k ρ_{i,k}; x_{i,k} = γ^{T_i-k}·R_i, so that the last turn carries γ
    already; V(s): the mean of x over the group's turns at s. V⁺ of a turn is V of the next turn's node; on a rollout's
    last turn it is R_i if the success flag is set, else 0 (cut counts as failed). GN standardises over the group's
    rollouts, the second z over the group's turns at the same node, the third over all turns of the group.

    Special cases: a node with one turn has local term 0. A rollout alone in its group keeps its edge term, and the
    local one where it comes back to a state. `normalise="none"` only centres, in all three.

    Source: arXiv 2606.22995 and the code Nala-YN/G2PO. Neither a reward nor γ stands in the difference V⁺ - V(s),
    although the abstract calls it a TD error.

    Args:
        batch: T rows with the reward columns of `rewards`, the column `key`, success, and valid with a penalty; action
            and next_state for the diagnostic `aliasing`.
        rewards: "total", R_i sums turn_reward + outcome_reward; "outcome", outcome_reward alone.
        gamma: γ in [0, 1].
        episode_weight: w_E.
        local_weight: w_L.
        edge_weight: w_D.
        invalid_penalty: p ≥ 0, taken off V⁺ in the local term on rows that are not `valid`.
        key: what tells states apart, "anchor" or "state".
        votes: how often a rollout counts in GN: once ("trajectory"), once a "turn", once a "token".
        normalise: "std", or "none" to leave the divisions out.
        ddof: taken off the votes in all three variances: 0, or 1.
        eps: ε ≥ 0, in all three.
        singleton: "raw": a group of one rollout keeps its value in the episode term.

    Returns:
        Terms `episode`, `local` and `edge`, shape [T]. Diagnostics: `value`, V(s) of each row, and `next_value`, V⁺,
        shape [T]; `singletons` and `aliasing` as in `gagpo`.

    Raises:
        MissingColumn: a column named above is absent. ValueError: an option value out of its range.

    Invariants: the local term sums to 0 over a node, the edge term over a group.

    Released code (preset `released`): ddof 1, one vote a turn and a kept singleton in GN, p = 0.1; its scripts
    normalise with "std" on ALFWorld and "none" on WebShop.
    """
    check_gamma(gamma)
    if not invalid_penalty >= 0.0:
        raise ValueError(f"invalid_penalty must be at least 0, got {invalid_penalty}")
    paid, nodes = reward(batch, rewards), by_group_state(batch, key)
    score = rollout_sum(batch, paid)
    scale: dict[str, Any] = {"normalise": normalise, "ddof": ddof, "eps": eps}
    reached = gamma ** (turns_to_end(batch) + 1.0) * spread(batch, score)
    value = mean_within(reached, nodes)[nodes.codes]
    end = np.where(batch["success"], spread(batch, score), 0.0)
    after = np.where(batch.last, end, following(batch, value))
    fine = invalid_penalty * ~np.asarray(batch["valid"], dtype=bool) if invalid_penalty else 0.0
    terms = {
        "episode": relative_to_group(batch, score, votes, singleton=singleton, **scale),
        "local": standardise(after - fine, nodes, **scale),
        "edge": standardise(
            difference("a difference V⁺ - V(s)", lambda: after - value, after, value), by_group(batch), **scale
        ),
    }
    weighed = mix(terms, {"episode": episode_weight, "local": local_weight, "edge": edge_weight})
    return Terms(weighed, value=value, next_value=after, **graph_checks(batch, key, paid))


def _bipace_columns(rewards: str, votes: str, key: str, **_: Any) -> tuple[str, ...]:
    return (*reward_columns(rewards, votes), state_column(key), "action")


@estimator("bipace", paper="2606.25556", needs=_bipace_columns)
def bipace(
    batch: TurnBatch,
    *,
    rewards: Rewards = "total",
    gamma: float = 0.95,
    episode_weight: float = 1.0,
    step_weight: float = 1.0,
    min_peers: int = 2,
    key: str = "anchor",
    votes: Votes = "trajectory",
    normalise: Normalise = "std",
    ddof: int = 0,
    eps: float = 1e-6,
    singleton: Singleton = "zero",
) -> Terms:
    """Actions against their state: A = w_E·GN(R) + w_S·(mean G of the same action - mean G of the state).

    i: a rollout; R_i = Σ_t ρ_{i,t}; G_t = ρ_t + γ·G_{t+1}. The state's turns C are the group's turns with an equal
    `key`, C_a those of them with the same action. A turn with |C_a| < `min_peers` gets G - the mean of the *other*
    turns of C in place of the difference of means; |C| = 1 gives 0. The step term is never divided by a std.

    Special cases: one action at a state gives 0 there, once it was taken `min_peers` times. `min_peers=1`: the
    difference of means everywhere.

    Source: arXiv 2606.25556, from notes and README; its code is not released, so this is a reconstruction: min_peers
    and whether anything is divided were not seen. The paper clusters states by the actor's hidden states (cosine to the
    nearest centroid, ε 0.05 to 0.10), which cut singletons from 27 to 18 %; here nodes are the key, their ε = 0.

    Args:
        batch: T rows with the reward columns of `rewards`, the column `key` and action; next_state for the diagnostic
            `aliasing`.
        rewards: "total", ρ is turn_reward + outcome_reward; "outcome", outcome_reward alone; for R and G.
        gamma: γ in [0, 1].
        episode_weight: w_E.
        step_weight: w_S.
        min_peers: at least 1.
        key: what tells states apart, "anchor" or "state".
        votes: how often a rollout counts in GN: once ("trajectory"), once a "turn", once a "token".
        normalise: "std", or "none" to leave the division out, in the episode term.
        ddof: taken off the votes in GN's variance: 0, or 1.
        eps: ε ≥ 0, in GN.
        singleton: "raw": a group of one rollout keeps its value in the episode term.

    Returns:
        Terms `episode` and `step`, shape [T]. Diagnostics: `singletons` and `aliasing` as in `gagpo`.

    Raises:
        MissingColumn: a column named above is absent. ValueError: an option value out of its range.

    Invariants: with `min_peers=1` the step term sums to 0 over a node.
    """
    if not min_peers >= 1:
        raise ValueError(f"min_peers must be at least 1, got {min_peers}")
    paid, nodes = reward(batch, rewards), by_group_state(batch, key)
    to_come, same = to_go(batch, paid, gamma), population(nodes.codes, batch.codes("action"))
    by_action = mean_within(center(to_come, nodes), same)[same.codes]
    alone = same.counts[same.codes] < min_peers
    step = np.where(alone, leave_one_out(to_come, nodes), by_action)
    score = rollout_sum(batch, paid)
    episode = relative_to_group(batch, score, votes, normalise, ddof, eps, singleton)
    weighed = mix({"episode": episode, "step": step}, {"episode": episode_weight, "step": step_weight})
    return Terms(weighed, **graph_checks(batch, key, paid))
