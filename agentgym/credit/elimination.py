"""Solve one group's value equations without a dense matrix: a state has few successors, so most of it is 0.

Written out, every state s has p_s·V(s) = b_s + Σ_t w_st·V(t) with w ≥ 0 and p_s ≥ Σ_t w_st: such a system may be
eliminated in any order without pivoting, and no step loses digits. States that join few others go first (a chain, a
loop of states seen once and whatever hangs on them vanish altogether); a core where everything is joined to everything
is left to the dense solver.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

import numpy as np

from agentgym.credit.algebra import Floats, Ints

SMALL = 48
"""Up to so many states the dense solver is quicker than the bookkeeping."""

CELLS = 1 << 20
"""Entries of matrices held at a time."""

GROWTH = 8
"""A state goes when that makes at most so many edges more than it takes away."""

Row = dict[int, float]


def dense(source: Ints, target: Ints, gamma: float, diagonal: Floats, right: Floats, size: int | None = None) -> Floats:
    """Solve diagonal·V - γ·(number of edges from s to t)·V = right with matrices of `size` states each; shape [n].

    Raises:
        numpy.linalg.LinAlgError: no unique solution.
    """
    size = len(right) if size is None else size
    shape = (len(right) // size, size, size)
    matrix = -gamma * np.bincount(source * size + target % size, minlength=len(right) * size).reshape(shape)
    matrix[:, np.arange(size), np.arange(size)] += diagonal.reshape(shape[:2])
    solved: Floats = np.linalg.solve(matrix, right.reshape(*shape[:2], 1)).ravel()
    return solved


def alike(sizes: list[int]) -> Iterator[tuple[int, int]]:
    """Ranges [first, last) of systems to solve in one go, given their ascending sizes: small ones of one size."""
    first = 0
    while first < len(sizes):
        size = sizes[first]
        most = max(1, CELLS // size**2) if size <= SMALL else 1
        last = min(first + most, bisect_right(sizes, size))
        yield first, last
        first = last


def solve(source: Ints, target: Ints, gamma: float, diagonal: Floats, right: Floats, size: int | None = None) -> Floats:
    """The same as `dense`, in time that grows with the number of edges as long as states have few neighbours.

    Args:
        source: where each edge starts, in [0, n); shape [edges].
        target: where it leads, in [0, n); shape [edges].
        gamma: γ ≥ 0, the weight of one edge.
        diagonal: at least γ times the number of edges that start at the state; shape [n].
        right: shape [n].
        size: the states are so many systems of that size, one after the other, without edges between them; n by
            default, and n where it is above `SMALL`.

    Raises:
        numpy.linalg.LinAlgError: no unique solution.
    """
    size = len(right) if size is None else size
    if size <= SMALL:
        return dense(source, target, gamma, diagonal, right, size)
    pivot, value = diagonal.tolist(), right.tolist()
    rows, columns = _edges(source, target, gamma, pivot)
    order = _eliminate(rows, columns, pivot, value)
    if len(order) < size:
        _solve_core(sorted({*range(size)} - {*order}), rows, pivot, value)
    for state in reversed(order):
        total: float = value[state]
        for other, weight in rows[state].items():
            total += weight * value[other]
        value[state] = total / pivot[state]
    return np.array(value)


def _edges(source: Ints, target: Ints, gamma: float, pivot: list[float]) -> tuple[list[Row], list[dict[int, None]]]:
    """Return the weights out of each state and the states that lead to it; an edge to itself goes into the pivot."""
    size = len(pivot)
    pairs, times = np.unique(source * size + target, return_counts=True)
    rows: list[Row] = [{} for _ in pivot]
    columns: list[dict[int, None]] = [{} for _ in pivot]
    for pair, count in zip(pairs.tolist(), times.tolist(), strict=True):
        here, there = divmod(pair, size)
        if here == there:
            pivot[here] -= gamma * count
        elif gamma:
            rows[here][there] = gamma * count
            columns[there][here] = None
    return rows, columns


def _eliminate(rows: list[Row], columns: list[dict[int, None]], pivot: list[float], value: list[float]) -> list[int]:
    """Put states into the equations of those that lead to them, as long as that is cheap; return them in order."""
    waiting = sorted(range(len(rows)), key=lambda state: -len(rows[state]))  # those that lead nowhere are taken first
    gone, order = bytearray(len(rows)), []
    while waiting:
        state = waiting.pop()
        row, column = rows[state], columns[state]
        if gone[state] or len(row) * len(column) > len(row) + len(column) + GROWTH:
            continue  # a state that is too costly comes back when one of its neighbours has gone
        gone[state] = True
        order.append(state)
        if not pivot[state] > 0.0:
            raise np.linalg.LinAlgError("a loop of states that nothing leaves")
        for before in column:
            edges = rows[before]
            share = edges.pop(state) / pivot[state]
            value[before] += share * value[state]
            for after, weight in row.items():
                if after == before:
                    pivot[before] -= share * weight
                else:
                    edges[after] = edges.get(after, 0.0) + share * weight
                    columns[after][before] = None
        for after in row:
            del columns[after][state]
        waiting += row
        waiting += column
    return order


def _solve_core(core: list[int], rows: list[Row], pivot: list[float], value: list[float]) -> None:
    """Solve for the states that are left, in place."""
    place = {state: number for number, state in enumerate(core)}
    matrix = np.diag([pivot[state] for state in core])
    for number, state in enumerate(core):
        for other, weight in rows[state].items():
            matrix[number, place[other]] = -weight
    solved = np.linalg.solve(matrix, np.array([value[state] for state in core]))
    for state, result in zip(core, solved.tolist(), strict=True):
        value[state] = result
