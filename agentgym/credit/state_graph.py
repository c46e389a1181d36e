"""The group's rollouts as one graph of states: values that are consistent over everybody's transitions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from agentgym.credit.algebra import Bools, Floats, Normalise, difference, in_range, rescale
from agentgym.credit.elimination import alike, solve
from agentgym.credit.graph import Graph, build_graph, graph_checks
from agentgym.credit.registry import estimator
from agentgym.credit.result import Terms
from agentgym.credit.returns import check_gamma
from agentgym.credit.rows import (
    Rewards,
    by_group,
    one_of,
    reward,
    reward_columns,
    rollout_sum,
    rollouts_by_group,
    state_column,
)

if TYPE_CHECKING:
    from agentgym.batch import TurnBatch

NO_PULL = 1e-12
"""Where 1 - γ + κ/n_s is below this, a loop that nothing leaves has no value that float64 could tell."""

ENDLESS = (
    "gamma = {} with prior = {} leaves a loop of states that no rollout leaves without a unique value: "
    "lower gamma below 1 or raise prior"
)


def _state_graph_columns(rewards: str, key: str, **_: Any) -> tuple[str, ...]:
    return (*reward_columns(rewards), state_column(key), "next_state", "terminated")


@estimator("state_graph", needs=_state_graph_columns)
def state_graph(
    batch: TurnBatch,
    *,
    rewards: Rewards = "total",
    gamma: float = 0.95,
    prior: float = 0.3,
    key: str = "anchor",
    normalise: Normalise = "std",
    eps: float = 1e-6,
) -> Terms:
    """Residual of the value on the rollouts' state graph: A = ρ + γ·c·V(s') - V(s).

    Nodes are the distinct `key`s of a group, every turn is an edge from its node s to the next turn's node s', or on a
    rollout's last turn to `next_state`. ρ is what the turn pays. V solves, for every node s with its n_s turns,

        (n_s + κ)·V(s) = Σ_{turns at s} [ρ + γ·c·V(s')] + κ·μ,

    c = 0 only where the rollout terminated, so a truncated one bootstraps (V(s') = μ where s' was never acted in); μ is
    the mean return of the group's rollouts. So a rollout learns from what *others* did after a state that both passed.

    Special cases: κ = 0 is the certainty-equivalence value, the fixed point of batch TD(0) on these rows; there a state
    seen once has V equal to what followed, so its turn gets 0. κ pulls rarely seen states to μ. In a group without any
    reward A is 0; in one of equal successes it is not, as γ < 1 tells short rollouts from long.

    Source: ours by derivation, not by priority: Sutton 1988; Bradtke & Barto 1996; published independently as
    Gated-BEPO (arXiv 2608.06861), which adds GAE over the residuals, a gate on nodes with several successors and the
    episode term.

    Args:
        batch: T rows with the reward columns of `rewards`, the column `key`, next_state and terminated; action for the
            diagnostic `aliasing`.
        rewards: "total", ρ is turn_reward + outcome_reward; "outcome", outcome_reward alone; for ρ and μ.
        gamma: γ in [0, 1].
        prior: κ ≥ 0; κ = 0 with γ = 1 is refused, because loops of states can make the system singular, and so is a
            κ near 0 where there is such a loop.
        key: what tells states apart, "anchor" or "state"; next_state is matched against it.
        normalise: "std" divides by the std over the group's turns (ddof 0, no centring) + ε, and gives 0 where the
            spread is 0; "none" leaves the residual as it is.
        eps: ε ≥ 0.

    Returns:
        Term `graph`, shape [T]. Diagnostics: `value`, V(s) of each row, shape [T]; `aliasing`, the share of rows whose
        (node, action) led to different successors or rewards in the group (absent without the column action; the
        world's noise counts too); `singletons`, the share of rows that are the only one at their node.

    Raises:
        MissingColumn: a column named above is absent. ValueError: an option value out of its range.

    Invariants: with normalise "none", Σ over the turns at a node of A equals κ·(V(s) - μ).
    """
    one_of("key", key, ("anchor", "state"))
    graph = build_graph(batch, key)
    paid = reward(batch, rewards)
    value, after = solve_values(batch, graph, paid, rollout_sum(batch, paid), gamma, prior)
    residual = difference(
        "a residual ρ + γ·V(s') - V(s)", lambda: paid + gamma * after - value, paid, gamma * after, value
    )
    term = rescale(residual, by_group(batch), normalise=normalise, eps=eps)
    return Terms({"graph": term}, value=value, **graph_checks(batch, key, paid))


def solve_values(
    batch: TurnBatch, graph: Graph, paid: Floats, returns: Floats, gamma: float, prior: float
) -> tuple[Floats, Floats]:
    """V(s) and c·V(s') of each row: one sparse linear solve a group.

    Args:
        batch: the rows; terminated says where c is 0.
        graph: their graph.
        paid: ρ, shape [n].
        returns: R of each rollout, for μ; shape [rollouts].
        gamma: γ in [0, 1].
        prior: κ ≥ 0.
    """
    check_gamma(gamma)
    if not 0.0 <= prior < np.inf:
        raise ValueError(f"prior must be at least 0 and finite, got {prior}")
    if gamma == 1.0 and prior == 0.0:
        raise ValueError("gamma = 1 with prior = 0 may have no unique value: lower gamma or raise prior above 0")
    among = rollouts_by_group(batch)
    mean = in_range("a group's sum of returns", lambda: among.sum(returns)) / among.counts
    goes_on = ~np.asarray(batch["terminated"], dtype=bool)
    known = goes_on & (graph.successor >= 0)
    outside = np.where(goes_on & ~known, gamma * mean[by_group(batch).codes], 0.0)
    right = in_range("a state's sum of rewards", lambda: graph.nodes.sum(paid + outside) + prior * mean[graph.group])
    diagonal = graph.nodes.counts + np.float64(prior)
    if len(right) and 1.0 - gamma + prior / graph.nodes.counts.max() < NO_PULL and _caught(graph, known):
        raise ValueError(ENDLESS.format(gamma, prior))
    try:
        value = _solve_by_group(graph, known, right, diagonal, gamma)
    except np.linalg.LinAlgError:
        raise ValueError(ENDLESS.format(gamma, prior)) from None
    after = np.where(known, value[graph.successor], np.where(goes_on, mean[by_group(batch).codes], 0.0))
    return value[graph.nodes.codes], after


def _caught(graph: Graph, known: Bools) -> bool:
    """Whether there is a state that no chain of turns leads out of: not to an end, nor to a state without turns."""
    free = np.zeros(graph.nodes.size, dtype=bool)
    free[graph.nodes.codes[~known]] = True
    source, target = graph.nodes.codes[known], graph.successor[known]
    reached = -1
    while reached < (reached := int(free.sum())):
        free[source[free[target]]] = True
    return reached < len(free)


def _solve_by_group(graph: Graph, known: Bools, right: Floats, diagonal: Floats, gamma: float) -> Floats:
    """Solve (diagonal - γ·transition counts)·V = right, whose blocks are the groups; those of one size in one go."""
    sizes = np.bincount(graph.group)
    by_size = np.argsort(sizes, kind="stable")
    rank = np.empty_like(by_size)
    rank[by_size] = np.arange(len(by_size))
    by_node = np.argsort(rank[graph.group], kind="stable")
    place = np.empty_like(by_node)
    place[by_node] = np.arange(len(by_node))
    source, target = graph.nodes.codes[known], graph.successor[known]
    of_group = rank[graph.group[source]]
    edges = np.argsort(of_group, kind="stable")
    source, target = place[source[edges]], place[target[edges]]
    nodes = np.append(0, np.cumsum(sizes[by_size]))
    ends = np.append(0, np.cumsum(np.bincount(of_group, minlength=len(sizes))))
    value = np.empty_like(right)
    for first, last in alike(sizes[by_size].tolist()):
        begin, block = nodes[first], by_node[nodes[first] : nodes[last]]
        edge = slice(ends[first], ends[last])
        size = int(sizes[by_size[first]])
        value[block] = solve(source[edge] - begin, target[edge] - begin, gamma, diagonal[block], right[block], size)
    return value
