"""The rollouts of a group as one graph: states are its nodes, turns its edges; and how far to trust it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from agentgym.credit.algebra import Floats, Ints, Population, population
from agentgym.credit.rows import by_group_state, following

if TYPE_CHECKING:
    from agentgym.batch import TurnBatch


@dataclass(frozen=True, slots=True)
class Graph:
    """The state graph of every group of a batch, n rows.

    Attributes:
        nodes: the node of each row, numbered over the whole batch; shape [n].
        successor: the node that each row leads to, -1 where nobody acted in it; shape [n].
        landing: a code of the state that each row leads to, known or not, inside its group; shape [n].
        group: the group of each node; shape [nodes.size].
    """

    nodes: Population
    successor: Ints
    landing: Ints
    group: Ints


def build_graph(batch: TurnBatch, key: str = "anchor") -> Graph:
    """Number the (group, `key`) nodes and find where each row leads; needs `key` and next_state.

    A row leads to the next turn's node, on a rollout's last turn to the node whose key equals its next_state.
    """
    nodes = by_group_state(batch, key)
    group, state = np.empty(nodes.size, dtype=np.int64), np.empty(nodes.size, dtype=np.int64)
    group[nodes.codes], state[nodes.codes] = batch.group_code, batch.codes(key)
    successor = following(batch, nodes.codes)
    landing = successor.copy()
    ends = np.flatnonzero(batch.last)
    reached = batch.codes("next_state")[ends]
    node = _find(group, state, batch.group_code[ends], reached)
    successor[ends] = node
    landing[ends] = np.where(node >= 0, node, nodes.size + reached)
    return Graph(nodes, successor, landing, group)


def _find(group: Ints, state: Ints, in_group: Ints, wanted: Ints) -> Ints:
    """The node of each wanted (group, state), -1 where there is none."""
    if not len(wanted):
        return wanted
    width = 1 + max(int(state.max()), int(wanted.max()))
    names, sought = group * width + state, in_group * width + wanted
    order = np.argsort(names, kind="stable")
    place = order[np.minimum(np.searchsorted(names, sought, sorter=order), len(names) - 1)]
    return np.where(names[place] == sought, place, -1)


def graph_checks(batch: TurnBatch, key: str, paid: Floats) -> dict[str, Any]:
    """The diagnostics of every estimator on a state graph: `singletons` and, with its columns, `aliasing`.

    Args:
        batch: the rows; `aliasing` is there where they have action and next_state.
        key: what tells states apart, "anchor" or "state".
        paid: ρ, shape [n].
    """
    checks: dict[str, Any] = {"singletons": lambda: singletons(by_group_state(batch, key))}
    if "action" in batch and "next_state" in batch:
        checks["aliasing"] = lambda: aliasing(batch, build_graph(batch, key), paid)
    return checks


def singletons(nodes: Population) -> float:
    """The share of rows that are the only one at their node; 0 for no rows."""
    alone = nodes.counts[nodes.codes] == 1
    return float(alone.mean()) if len(alone) else 0.0


def aliasing(batch: TurnBatch, graph: Graph, paid: Floats) -> float:
    """The share of rows whose (node, action) led to different successors or rewards in the group; 0 for no rows."""
    same = population(graph.nodes.codes, batch.codes("action"))
    differs = np.zeros(same.size, dtype=bool)
    for seen in (graph.landing.astype(np.float64), paid):
        low, high = same.extremes(seen)
        differs |= low != high
    rows = differs[same.codes]
    return float(rows.mean()) if len(rows) else 0.0
