"""Agreement of an estimate with the truth on resampled tasks, without resampling any row.

A bootstrap draw of tasks gives each task a weight, the number of times it was drawn. Every measure here is a quotient
of forms in these weights whose coefficients are sums over rows, so that a thousand draws cost little more than one.
Weights are an array (draws, tasks); results are (draws,). The first draw may be all ones: the sample itself.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agentgym.fidelity.graph import Floats, Ints

EQUAL = 1e-9
"""Values closer than this share of the largest count as equal: what differs by rounding alone is tied."""

_BLOCK = 4_000_000  # most elements of a temporary array


def levels(values: Floats) -> Ints:
    """Return dense ranks 0, 1, 2 … of values; equal up to rounding (see `EQUAL`), equal rank."""
    largest = float(np.abs(values).max(initial=0.0))
    rounded = np.round(values / largest / EQUAL) if largest > 0.0 else np.zeros_like(values)
    return np.unique(rounded, return_inverse=True)[1].astype(np.int64)


def counts(codes: Ints, tasks: Ints, size: int) -> Floats:
    """Return (codes, tasks): how many rows of each task have each code."""
    width = int(codes.max(initial=-1)) + 1
    flat = np.bincount(codes * size + tasks, minlength=width * size)
    return flat.reshape(width, size).astype(np.float64)


def midranks(codes: Ints, tasks: Ints, size: int) -> Floats:
    """Return (rows, tasks): what each task adds to a row's rank, so that rows @ weights are centred mid-ranks."""
    table = counts(codes, tasks, size)
    below = np.cumsum(table, axis=0) - table
    centred: Floats = (below + 0.5 * table - 0.5 * table.sum(axis=0))[codes]
    return centred


def products(first: Floats, second: Floats, tasks: Ints) -> Floats:
    """Return (tasks, tasks, tasks) of two tables of `midranks`: for each task the sum over its rows of their products.

    All sums are of whole and half numbers, so the result does not depend on the order of summation.
    """
    size = first.shape[1]
    order = np.argsort(tasks, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(tasks, minlength=size))[:-1])
    return np.stack([first[rows].T @ second[rows] for rows in parts])


def spearman(cross: Floats, own: Floats, other: Floats, weights: Floats) -> Floats:
    """Return Spearman's correlation from `products` of x with y, x with x, y with y; 0 where one side is constant."""
    covariance, first, second = (_cube(table, weights) for table in (cross, own, other))
    return _ratio(covariance, first * second)


def kendall(x: Ints, y: Ints, tasks: Ints, size: int, weights: Floats) -> Floats:
    """Return Kendall's tau-b of two columns of `levels`; 0 where one side is constant.

    Tasks drawn twice are two copies: a row and its copy are tied in both columns, as in any sample with repetitions.
    """
    rows = weights @ np.bincount(tasks, minlength=size)
    both = np.unique(x * (int(y.max(initial=0)) + 1) + y, return_inverse=True)[1]
    tied_x, tied_y, tied = (_tied(codes, tasks, size, weights, rows) for codes in (x, y, both))
    pairs = (rows * rows - rows) / 2.0
    crossed = _form(discordant(x, y, tasks, size), weights)
    return _ratio(pairs - tied_x - tied_y + tied - 2.0 * crossed, (pairs - tied_x) * (pairs - tied_y))


def discordant(x: Ints, y: Ints, tasks: Ints, size: int) -> Floats:
    """Return (tasks, tasks): pairs of a row of one task and a row of the other that the two columns order differently.

    Counts inversions of y in the order of x bit by bit, as a merge sort does: O(n log n) for one task.
    """
    order = np.lexsort((y, x))  # inside equal x by y: no inversion there
    y, tasks = y[order], tasks[order]
    rows = np.arange(len(y))
    found = np.zeros((size, size))
    for bit in range(int(y.max(initial=0)).bit_length()):
        block = y >> (bit + 1)
        sort = np.argsort(block, kind="stable")
        upper, task, block = (y[sort] >> bit & 1).astype(bool), tasks[sort], block[sort]
        seen = np.zeros((len(y) + 1, size))
        seen[1:][rows[upper], task[upper]] = 1.0
        np.cumsum(seen, axis=0, out=seen)
        lower = np.flatnonzero(~upper)
        before = seen[lower] - seen[np.searchsorted(block, block[lower])]
        member = np.zeros((size, len(lower)))
        member[task[lower], np.arange(len(lower))] = 1.0
        found += member @ before
    return found


def pearson(x: Floats, y: Floats, tasks: Ints, size: int, weights: Floats) -> Floats:
    """Return the linear correlation; 0 where one side is constant up to rounding."""
    a, b = _centred(x), _centred(y)
    parts = [np.bincount(tasks, values, size) for values in (np.ones_like(a), a, b, a * a, b * b, a * b)]
    n, sum_a, sum_b, aa, bb, ab = (weights @ part for part in parts)
    squares = []
    for total, square in ((sum_a, aa), (sum_b, bb)):
        spread = square - total**2 / n
        squares.append(np.where(spread > 1e-12 * square, spread, 0.0))  # below that it is what cancellation left
    return _ratio(ab - sum_a * sum_b / n, squares[0] * squares[1])


def _centred(values: Floats) -> Floats:
    """Return the values less their mean, with largest size 1; all 0 if they are equal up to rounding."""
    centred: Floats = values - values.mean() if len(values) else values
    largest = float(np.abs(centred).max(initial=0.0))
    if largest <= EQUAL * np.abs(values).max(initial=0.0):
        return np.zeros_like(centred)
    return centred / largest


def scaled_error(x: Floats, truth: Floats, tasks: Ints, size: int, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Return (scale, bias, variance), each (draws,).

    scale is the c ≥ 0 that makes the mean of (c·x − truth)² least; bias and variance are those of c·x − truth over
    rows.
    """
    unit_x, unit_t = (float(np.abs(values).max(initial=0.0)) or 1.0 for values in (x, truth))
    a, b = x / unit_x, truth / unit_t
    parts = [np.bincount(tasks, values, size) for values in (np.ones_like(a), a, b, a * a, b * b, a * b)]
    n, sum_a, sum_b, aa, bb, ab = (weights @ part for part in parts)
    scale = np.maximum(0.0, np.divide(ab, aa, out=np.zeros_like(ab), where=aa > 0.0))
    bias = (scale * sum_a - sum_b) / n
    variance = np.maximum(0.0, (scale**2 * aa - 2.0 * scale * ab + bb) / n - bias**2)
    return scale * unit_t / unit_x, bias * unit_t, variance * unit_t**2


def sign_agreement(
    x: Floats, truth: Floats, told: NDArray[np.bool_], tasks: Ints, size: int, weights: Floats
) -> Floats:
    """Return the share of the rows of mask `told` whose signs agree; x = 0 counts a half. Without such rows a half."""
    same = np.where(np.abs(x) <= EQUAL * np.abs(x).max(initial=0.0), 0.5, (np.sign(x) == np.sign(truth)) * 1.0)
    right = weights @ np.bincount(tasks[told], same[told], size)
    rows = weights @ np.bincount(tasks[told], minlength=size)
    share: Floats = np.divide(right, rows, out=np.full(len(weights), 0.5), where=rows > 0.0)
    return share


def cosine(inner: Floats, weights: Floats) -> Floats:
    """Return the cosine from (3, tasks): inner product with the truth, own square, the truth's square."""
    product, own, true = (weights @ part for part in inner)
    return _ratio(product, own * true)


def _tied(codes: Ints, tasks: Ints, size: int, weights: Floats, rows: Floats) -> Floats:
    table = counts(codes, tasks, size)
    ties: Floats = (_form(table.T @ table, weights) - rows) / 2.0
    return ties


def _form(matrix: Floats, weights: Floats) -> Floats:
    value: Floats = ((weights @ matrix) * weights).sum(axis=1)
    return value


def _cube(table: Floats, weights: Floats) -> Floats:
    """Return (draws,): Σ_ijk w_i w_j w_k table[i, j, k]."""
    size = table.shape[0]
    found = np.empty(len(weights))
    step = max(1, _BLOCK // (size * size))
    for start in range(0, len(weights), step):
        part = weights[start : start + step]
        once = (part @ table.reshape(size, -1)).reshape(-1, size, size)
        found[start : start + step] = np.einsum("djk,dj,dk->d", once, part, part)
    return found


def _ratio(above: Floats, squared_below: Floats) -> Floats:
    """Return above / √squared_below within [−1, 1]; 0 where that is not positive."""
    below = np.sqrt(np.maximum(squared_below, 0.0))
    quotient = np.divide(above, below, out=np.zeros_like(above), where=below > 0.0)
    return np.clip(quotient, -1.0, 1.0)
