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

_BLOCK = 250_000  # most elements of a temporary array
_TASKS = 64  # columns of one at a time
_TRIPLES = 48  # most tasks for which sums over triples of tasks are made; for more, each draw is ranked by itself


def levels(values: Floats) -> Ints:
    """Return dense ranks 0, 1, 2 … of values; equal up to rounding (see `EQUAL`), equal rank."""
    largest = float(np.abs(values).max(initial=0.0))
    rounded = np.round(values / largest / EQUAL) if largest > 0.0 else np.zeros_like(values)
    return np.unique(rounded, return_inverse=True)[1].astype(np.int64)


def rank_correlations(x: Ints, y: Ints, tasks: Ints, size: int, weights: Floats) -> tuple[Floats, Floats]:
    """Return (Spearman's correlation, Kendall's tau-b) of two columns of `levels`; 0 where one side is constant.

    Ties share their mean rank. Tasks drawn twice are two copies: a row and its copy are tied in both columns, as in any
    sample with repetitions. All sums are of whole and half numbers, so their order does not matter.
    """
    crossed = _form(discordant(x, y, tasks, size), weights)
    sums = _sums_by_triples if size <= _TRIPLES else _sums_by_draw
    product, square_x, square_y, tied_x, tied_y, tied, pairs = sums(x, y, tasks, size, weights)
    agreed = pairs - tied_x - tied_y + tied - 2.0 * crossed
    return _ratio(product, square_x * square_y), _ratio(agreed, (pairs - tied_x) * (pairs - tied_y))


def spearman(x: Ints, y: Ints, tasks: Ints, size: int, weights: Floats) -> Floats:
    """Return the first of `rank_correlations` alone, which costs a fraction where tasks are few."""
    sums = _sums_by_triples if size <= _TRIPLES else _sums_by_draw
    product, square_x, square_y, *_ = sums(x, y, tasks, size, weights)
    return _ratio(product, square_x * square_y)


def _sums_by_triples(x: Ints, y: Ints, tasks: Ints, size: int, weights: Floats) -> Floats:
    """Return (7, draws): sums of r_x·r_y, r_x², r_y² of centred ranks; pairs tied in x, y, both; all pairs.

    A centred rank is half the sum over all rows of the sign of a difference, so the sums of products are cubic forms
    in the weights, and pairs are quadratic ones: no draw is ranked by itself.
    """
    counts = [_counts(codes, tasks, size) for codes in (x, y, _joint(x, y))]
    signed_x, signed_y = (2.0 * np.cumsum(table, axis=0) - table - table.sum(axis=0) for table in counts[:2])
    cubes = np.empty((3, size, size, size))
    order = np.argsort(tasks, kind="stable")
    for task, rows in enumerate(np.split(order, np.searchsorted(tasks[order], np.arange(1, size)))):
        of_x, of_y = signed_x[x[rows]], signed_y[y[rows]]
        cubes[0, task], cubes[1, task], cubes[2, task] = of_x.T @ of_y, of_x.T @ of_x, of_y.T @ of_y
    found = [_form3(cube, weights) / 4.0 for cube in cubes]
    total = weights @ counts[0].sum(axis=0)
    found += [(_form(table.T @ table, weights) - total) / 2.0 for table in counts]
    return np.stack([*found, (total * total - total) / 2.0])


def _sums_by_draw(x: Ints, y: Ints, tasks: Ints, size: int, weights: Floats) -> Floats:
    """Return the same, every draw ranked by itself."""
    both = _joint(x, y)
    _, first = np.unique(both, return_index=True)
    of_x, of_y = x[first], y[first]
    found = np.empty((7, len(weights)))
    step = max(1, _BLOCK // max(1, len(x)))
    for start in range(0, len(weights), step):
        part = slice(start, start + step)
        rows = np.ascontiguousarray(weights[part].T)[tasks]
        table_x, table_y, table = (_totals(codes, rows) for codes in (x, y, both))
        rank_x, rank_y = _midranks(table_x), _midranks(table_y)
        found[0, part] = _sum(table, rank_x[of_x], rank_y[of_y])
        found[1, part], found[2, part] = _sum(table_x, rank_x, rank_x), _sum(table_y, rank_y, rank_y)
        found[3:, part] = [_pairs(counts) for counts in (table_x, table_y, table, rows.sum(axis=0)[None])]
    return found


def _joint(x: Ints, y: Ints) -> Ints:
    """Return one code for each pair of codes that occurs."""
    codes: Ints = np.unique(x * (int(y.max(initial=0)) + 1) + y, return_inverse=True)[1]
    return codes


def _counts(codes: Ints, tasks: Ints, size: int) -> Floats:
    """Return (codes, tasks): how many rows have each code in each task."""
    width = int(codes.max(initial=0)) + 1
    counts = np.bincount(codes * size + tasks, minlength=width * size)
    return counts.reshape(width, size).astype(np.float64)


def _totals(codes: Ints, rows: Floats) -> Floats:
    """Return (codes, draws): the rows' weights (rows, draws) added up by code; every code 0, 1, 2 … occurs."""
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    totals: Floats = np.add.reduceat(rows[order], starts, axis=0)
    return totals


def _midranks(table: Floats) -> Floats:
    """Return (codes, draws): the mean rank of the rows of each code, less the mean of all ranks."""
    ranks = np.cumsum(table, axis=0)
    middle = 0.5 * ranks[-1]
    ranks -= 0.5 * table
    ranks -= middle
    return ranks


def _pairs(table: Floats) -> Floats:
    """Return (draws,): pairs of rows inside the codes."""
    inside: Floats = (_sum(table, table) - table.sum(axis=0)) / 2.0
    return inside


def _sum(*factors: Floats) -> Floats:
    """Return (draws,): the products added up."""
    names = ",".join(["id"] * len(factors))
    total: Floats = np.einsum(f"{names}->d", *factors)
    return total


def discordant(x: Ints, y: Ints, tasks: Ints, size: int) -> Floats:
    """Return (tasks, tasks): pairs of a row of one task and a row of the other that the two columns order differently.

    Counts inversions of y in the order of x bit by bit, as a merge sort does: O(n log n) for one task.
    """
    if x.max(initial=0) < y.max(initial=0):
        x, y = y, x  # the fewer levels, the fewer bits
    order = np.lexsort((y, x))  # inside equal x by y: no inversion there
    y, tasks = y[order], tasks[order]
    found = np.zeros((size, size))
    for bit in range(int(y.max(initial=0)).bit_length()):
        block = y >> (bit + 1)
        sort = np.argsort(block, kind="stable")
        upper, task, block = (y[sort] >> bit & 1).astype(bool), tasks[sort], block[sort]
        lower = np.flatnonzero(~upper)
        lower = lower[np.argsort(task[lower], kind="stable")]
        present, starts = np.unique(task[lower], return_index=True)
        begin = np.searchsorted(block, block[lower])
        for first in range(0, size, _TASKS):
            seen = np.zeros((len(y) + 1, min(_TASKS, size - first)))
            here = np.flatnonzero(upper & (task >= first) & (task < first + _TASKS))
            seen[1:][here, task[here] - first] = 1.0
            np.cumsum(seen, axis=0, out=seen)
            found[present, first : first + _TASKS] += np.add.reduceat(seen[lower] - seen[begin], starts, axis=0)
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


def _form(matrix: Floats, weights: Floats) -> Floats:
    value: Floats = ((weights @ matrix) * weights).sum(axis=1)
    return value


def _form3(cube: Floats, weights: Floats) -> Floats:
    matrices = (weights @ cube.reshape(len(cube), -1)).reshape(-1, *cube.shape[1:])
    value: Floats = np.einsum("dab,da,db->d", matrices, weights, weights)
    return value


def _ratio(above: Floats, squared_below: Floats) -> Floats:
    """Return above / √squared_below within [−1, 1]; 0 where that is not positive."""
    below = np.sqrt(np.maximum(squared_below, 0.0))
    quotient = np.divide(above, below, out=np.zeros_like(above), where=below > 0.0)
    return np.clip(quotient, -1.0, 1.0)
