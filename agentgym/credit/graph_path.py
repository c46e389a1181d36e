"""State-graph estimators that count edges: how far is the goal over the group's transitions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from agentgym.credit.algebra import Bools, Ints, Normalise, Population, mix, standardise
from agentgym.credit.graph import Graph, build_graph, graph_checks
from agentgym.credit.registry import estimator
from agentgym.credit.result import Terms
from agentgym.credit.rows import (
    Rewards,
    Singleton,
    Votes,
    by_group,
    one_of,
    reward,
    reward_columns,
    rollout_sum,
    spread,
    state_column,
)
from agentgym.credit.trajectory import relative_to_group

if TYPE_CHECKING:
    from agentgym.batch import TurnBatch

SuccessFrom = Literal["flag", "score"]
FAR = np.iinfo(np.int64).max
"""The distance of nodes from which no path leads to the goal."""


def _graphgpo_columns(rewards: str, votes: str, key: str, success_from: str, **_: Any) -> tuple[str, ...]:
    return (
        *reward_columns(rewards, votes),
        state_column(key),
        "next_state",
        *(("success",) if success_from == "flag" else ()),
    )


@estimator(
    "graphgpo",
    paper="2605.26684",
    needs=_graphgpo_columns,
    presets={"released": {"own_edge": 0, "ddof": 1, "votes": "turn", "singleton": "raw", "success_from": "score"}},
)
def graphgpo(
    batch: TurnBatch,
    *,
    rewards: Rewards = "total",
    omega: float = 0.1,
    success_reward: float = 10.0,
    own_edge: int = 1,
    success_from: SuccessFrom = "flag",
    episode_weight: float = 1.0,
    step_weight: float = 1.0,
    key: str = "anchor",
    votes: Votes = "trajectory",
    normalise: Normalise = "std",
    ddof: int = 0,
    eps: float = 1e-6,
    singleton: Singleton = "zero",
) -> Terms:
    """Shortest paths to success: A = w_E·GN(R) + w_S·z(x; node), x = b·ω^{d(s')+1}.

    i: a rollout; R_i = Σ_t ρ_{i,t}. The last turn of a successful rollout leads to the goal, every other turn to s',
    the next turn's node or `next_state`. d(s'): the fewest edges from s' to the goal over the edges of all rollouts of
    the group; where no path leads there, one more than the group's largest finite d. GN standardises over the group's
    rollouts, z over the group's turns at the same node.

    Special cases: a node with one turn, and a group without a success, have step term 0.

    Source: arXiv 2605.26684 and the code verl-agent, recipe/GraphGPO.

    Args:
        batch: T rows with the reward columns of `rewards`, the column `key`, next_state and success; action for the
            diagnostic `aliasing`.
        rewards: "total", R_i sums turn_reward + outcome_reward; "outcome", outcome_reward alone.
        omega: ω in (0, 1].
        success_reward: b, positive.
        own_edge: 1, or 0 to leave a turn's own edge out of the exponent: b·ω^{d(s')}.
        success_from: "flag", the column success; "score", R_i > 0.
        episode_weight: w_E.
        step_weight: w_S.
        key: what tells states apart, "anchor" or "state"; next_state is matched against it.
        votes: how often a rollout counts in GN: once ("trajectory"), once a "turn", once a "token".
        normalise: "std", or "none" to leave both divisions out.
        ddof: taken off the votes in both variances: 0, or 1.
        eps: ε ≥ 0, in both terms.
        singleton: "raw": a group of one rollout keeps its value in the episode term.

    Returns:
        Terms `episode` and `step`, shape [T]. Diagnostics: `distance`, d(s') of each row as used, shape [T], 0 for a
        group without a success; `singletons`, the share of rows that are the only one at their node; `aliasing`, the
        share of rows whose (node, action) led to different successors or rewards in the group (absent without the
        column action; the world's noise counts too).

    Raises:
        MissingColumn: a column named above is absent. ValueError: an option value out of its range.

    Invariants: the step term sums to 0 over a node.

    Three faults, all of the published formula:
        1. A shortest path knows no probabilities: a lucky jump counts as a road, and a rollout that *ended* in failure
           at a node that others left well is credited as if it could go on.
        2. ω^d sinks under ε: with the defaults a turn that shortens the way by one, to d, gets 1.00 up to d = 3, 0.82
           at 5, 0.31 at 6 and 0.04 at 7 (one edge later without `own_edge`). Long tasks need a larger ω.
        3. z makes the smallest difference at a node as large as the greatest.

    Released code (preset `released`): ω^{d(s')}, ddof 1, one vote a turn and a kept singleton in GN, success is R > 0.
    """
    one_of("success_from", success_from, ("flag", "score"))
    if not 0.0 < omega <= 1.0:
        raise ValueError(f"omega must lie in (0, 1], got {omega}")
    if not 0.0 < success_reward < np.inf:
        raise ValueError(f"success_reward must be positive and finite, got {success_reward}")
    if own_edge not in (0, 1):
        raise ValueError(f"own_edge must be 0 or 1, got {own_edge!r}")
    paid, graph = reward(batch, rewards), build_graph(batch, key)
    score = rollout_sum(batch, paid)
    won = batch.last & (batch["success"] if success_from == "flag" else spread(batch, score > 0.0))
    away = distance(graph, won, by_group(batch))
    x = success_reward * omega ** (away + float(own_edge))
    scale: dict[str, Any] = {"normalise": normalise, "ddof": ddof, "eps": eps}
    terms = {
        "episode": relative_to_group(batch, score, votes, singleton=singleton, **scale),
        "step": standardise(x, graph.nodes, **scale),
    }
    weighed = mix(terms, {"episode": episode_weight, "step": step_weight})
    return Terms(weighed, distance=away, **graph_checks(batch, key, paid))


def distance(graph: Graph, won: Bools, among: Population) -> Ints:
    """d(s') of each row: the fewest edges from where it leads to the goal of its group; shape [n].

    Where no path leads there it is one more than the group's largest finite d, and 0 in a group without a goal.

    Args:
        graph: the rows' graph.
        won: rows that lead to the goal, shape [n].
        among: the group of each row.
    """
    known = ~won & (graph.successor >= 0)
    reached = _edges_to_goal(graph, won, known)
    far = np.full(among.size, -1)
    finite = reached < FAR
    np.maximum.at(far, graph.group[finite], reached[finite])
    away = np.where(won, 0, np.where(known, reached[graph.successor], FAR)) if len(won) else np.zeros(0, np.int64)
    return np.where(away < FAR, away, far[among.codes] + 1)


def _edges_to_goal(graph: Graph, won: Bools, known: Bools) -> Ints:
    """The fewest edges from each node to its group's goal, FAR where there is no path; all groups at once.

    A sweep takes one step back from all nodes that the last one reached, so every edge is looked at once.
    """
    here, size = graph.nodes.codes, graph.nodes.size
    by_target = np.argsort(graph.successor[known], kind="stable")
    source = here[known][by_target]
    begins = np.zeros(size + 1, dtype=np.int64)
    np.cumsum(np.bincount(graph.successor[known], minlength=size), out=begins[1:])
    reached, steps = np.full(size, FAR), 1
    frontier = _once(here[won], size)
    while len(frontier):
        reached[frontier] = steps
        first, counts = begins[frontier], begins[frontier + 1] - begins[frontier]
        place = np.repeat(first - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
        before = source[place]
        frontier, steps = _once(before[reached[before] == FAR], size), steps + 1
    return reached


def _once(nodes: Ints, size: int) -> Ints:
    """Each of the nodes, numbers below `size`, once."""
    last, place = np.empty(size, dtype=np.int64), np.arange(len(nodes))
    last[nodes] = place
    once: Ints = nodes[last[nodes] == place]
    return once
