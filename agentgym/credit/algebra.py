"""The primitives that every estimator is made of: float64 arrays in, float64 arrays out.

An *entry* is one value that takes part in a statistic: a rollout, a turn or a token. A `Population` says which entries
share a statistic; it is always an explicit argument. Three rules hold everywhere: a population whose voters all agree
(a population of one is the plainest case) gives exactly 0 and never amplified rounding noise; a value that is not
finite is an error that names the first bad position; and finite values whose statistic is finite give it, however large
they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Powers = NDArray[np.int32]
Normalise = Literal["std", "none"]

ZERO_SPREAD = 1e-12
"""Populations with max - min at or below this times max(1, max|x|) count as constant."""

LARGE = 1e140
"""Populations with max|x| above this are divided by a power of two first, which rounds nothing: squares overflow."""


class TooLarge(ValueError, OverflowError):
    """A sum or product of finite values that lies beyond the range of float64."""


@dataclass(frozen=True, slots=True)
class Population:
    """Which entries share a statistic: entry i belongs to population `codes[i]`, a number in [0, size)."""

    codes: Ints
    size: int

    @property
    def counts(self) -> Ints:
        """The number of entries in each population, shape [size]."""
        return np.bincount(self.codes, minlength=self.size).astype(np.int64, copy=False)

    def sum(self, x: Floats) -> Floats:
        """The sum of x over each population, shape [size]."""
        total: Floats = np.bincount(self.codes, x, self.size)  # type: ignore[assignment]  # stubs overlook the weights
        return total

    def mean(self, x: Floats) -> Floats:
        """The mean of x over each population, shape [size]; 0 where it has no entry."""
        return self.sum(x) / np.maximum(self.counts, 1)

    def any(self, flags: Bools) -> Bools:
        """Whether any entry of each population is flagged, shape [size]."""
        return np.bincount(self.codes[flags], minlength=self.size) > 0

    def extremes(self, x: Floats) -> tuple[Floats, Floats]:
        """The smallest and the largest x of each population; (inf, -inf) where it has no entry."""
        low, high = np.full(self.size, np.inf), np.full(self.size, -np.inf)
        np.minimum.at(low, self.codes, x)
        np.maximum.at(high, self.codes, x)
        return low, high


def population(*keys: ArrayLike) -> Population:
    """The population of all entries that agree in every key.

    Args:
        keys: one or more arrays of non-negative integer codes, all of shape [n].

    Returns:
        Codes numbered from 0; a single key whose codes are not sparse is taken as it is.

    Raises:
        ValueError: no key, keys of different lengths, or a code that is negative or not an integer.
    """
    columns = [_codes(key) for key in keys]
    if not columns or len({len(column) for column in columns}) > 1:
        raise ValueError(f"a population needs keys of one length, got lengths {[len(column) for column in columns]}")
    joint = _dense(columns[0]) if _size(columns[0]) > 4 * len(columns[0]) else Population(columns[0], _size(columns[0]))
    for column in columns[1:]:
        joint = _dense(joint.codes * _size(column) + column)
    return joint


def finite(x: ArrayLike, name: str, length: int | None = None) -> Floats:
    """Return x as a float64 vector, checked.

    Args:
        x: values of shape [n], of any numeric or boolean type.
        name: what the values are, for the message.
        length: the n they must have.

    Raises:
        ValueError: not a vector, another length, or a value that is not finite; the first bad position is named.
        TypeError: not numbers, or a masked array, whose mask would be lost.
    """
    if isinstance(x, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array: give an array without mask, with a number in every place")
    values = np.asarray(x)
    if len(values.shape) and values.size and values.dtype.kind not in "biuf":
        raise TypeError(f"{name} must be an array of numbers, got one of {values.dtype}")
    if values.ndim != 1 or (length is not None and len(values) != length):
        expected = "[n]" if length is None else f"[{length}]"
        raise ValueError(f"{name} must have shape {expected}, got {list(values.shape)}")
    values = values.astype(np.float64)
    good = np.isfinite(values)
    if not good.all():
        first = int(np.argmin(good))
        raise ValueError(f"{name} is not finite at position {first}: {values[first]}; drop or mend that entry first")
    return values


def in_range(what: str, compute: Callable[[], Floats]) -> Floats:
    """Return what a computation on finite values gives, checked.

    Raises:
        TooLarge: it overflowed; `what` says what it computes.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        result = compute()
    if not np.isfinite(result).all():
        raise TooLarge(f"{what} lies beyond the range of float64 (1.8e308): scale the rewards or weights down")
    return result


def difference(what: str, compute: Callable[[], Floats], *parts: Floats) -> Floats:
    """Return a difference of computed values, in which what is rounding alone is exactly 0.

    Args:
        what: what it is, for the message.
        compute: gives it, shape [n].
        parts: the values that are added and taken off, each of shape [n]: a result at or below 1e-12 · max(1, their
            largest |value|) is rounding, which a division by a spread would blow up.

    Raises:
        TooLarge: it overflowed.
    """
    result = in_range(what, compute)
    size = np.max([np.abs(part) for part in parts], axis=0)
    return np.where(np.abs(result) <= ZERO_SPREAD * np.maximum(1.0, size), 0.0, result)


def center(x: ArrayLike, among: Population, *, weights: ArrayLike | None = None, raw: Bools | None = None) -> Floats:
    """Take the mean of its population off every value.

    Args:
        x: values, shape [n].
        among: the population of each value.
        weights: votes of each value, shape [n], at least 0: a rollout may count once a turn or once a token.
        raw: populations (shape [among.size]) that keep their values as they are.

    Returns:
        Shape [n]; with the weights it sums to 0 over each population to rounding.
    """
    deviation, _, power = _deviation(x, among, weights)
    result = _grown(deviation, among, power)
    return result if raw is None else np.where(raw[among.codes], finite(x, "x"), result)


def standardise(
    x: ArrayLike,
    among: Population,
    *,
    weights: ArrayLike | None = None,
    normalise: Normalise = "std",
    ddof: int = 0,
    eps: float = 1e-6,
    inside: bool = False,
    raw: Bools | None = None,
) -> Floats:
    """(x - mean) / (std + eps) over its population; `normalise="none"` leaves the division out.

    Args:
        x: values, shape [n].
        among: the population of each value.
        weights: votes of each value, shape [n], at least 0.
        normalise: "std", or "none" for `center`.
        ddof: taken off the number of votes in the variance, 0 or 1.
        eps: added to the standard deviation.
        inside: add eps to the variance instead: (x - mean) / sqrt(variance + eps).
        raw: populations (shape [among.size]) that keep their values: x / (1 + eps), or x without the division.

    Returns:
        Shape [n], with |result| <= sqrt(votes); exactly 0 where the population's spread is 0.
    """
    _check_scale(normalise, ddof, eps)
    deviation, votes, power = _deviation(x, among, weights)
    if normalise == "std":
        scale = _scale(deviation, among, votes, ddof, eps, power, inside)[among.codes]
        deviation = in_range("a standardised value", partial(np.divide, deviation, scale))
    else:
        deviation = _grown(deviation, among, power)
    if raw is None or not raw.any():
        return deviation
    kept = finite(x, "x") / (1.0 + eps if normalise == "std" else 1.0)
    return np.where(raw[among.codes], kept, deviation)


def rescale(
    x: ArrayLike, among: Population, *, normalise: Normalise = "std", ddof: int = 0, eps: float = 1e-6
) -> Floats:
    """Give x / (std + eps) over its population, without taking the mean off; 0 where the spread is 0.

    `normalise="none"` returns x as it is, whatever its spread.
    """
    _check_scale(normalise, ddof, eps)
    if normalise == "none":
        return finite(x, "x")
    values, votes, flat, power = _prepare(x, among, None)
    deviation = values - _mean(values, among, votes)[among.codes]
    scale = np.where(flat, 1.0, _scale(deviation, among, None, ddof, eps, power))
    return np.where(flat[among.codes], 0.0, values / scale[among.codes])


def leave_one_out(
    x: ArrayLike, among: Population, *, weights: ArrayLike | None = None, raw: Bools | None = None
) -> Floats:
    """Take off the mean of the population's *other* entries: N/(N-1) · (x - mean), N the number of votes.

    With every weight 1 that is the true leave-one-out. With other weights an entry's own further votes stay in the
    mean that it is compared with, as in released code; it is then no longer an independent baseline.
    """
    deviation = center(x, among, weights=weights)
    votes = among.counts.astype(np.float64) if weights is None else among.sum(finite(weights, "weights"))
    factor = votes / np.maximum(votes - 1.0, 1.0)
    result = in_range("a distance to a mean", lambda: deviation * factor[among.codes])
    return result if raw is None else np.where(raw[among.codes], finite(x, "x"), result)


def softmax_within(x: ArrayLike, among: Population, temperature: float = 1.0) -> Floats:
    """exp(x / temperature), scaled to sum to 1 over each population; shape [n].

    Computed from the distance to the population's largest value, so that it cannot overflow.
    """
    if not temperature > 0.0:
        raise ValueError(f"temperature must be positive, got {temperature}")
    values = finite(x, "x", len(among.codes))
    highest = among.extremes(values)[1]
    with np.errstate(over="ignore"):  # a distance beyond float64 is one to -inf, with the right weight 0
        weight = np.exp((values - highest[among.codes]) / temperature)
    return weight / among.sum(weight)[among.codes]


def mix(terms: Mapping[str, ArrayLike], weights: Mapping[str, float]) -> dict[str, Floats]:
    """Each named term times its weight (1 where none is given); their sum is the advantage."""
    stray = sorted(set(weights) - set(terms))
    if stray:
        raise ValueError(f"weights for terms that do not exist: {stray}; the terms are {sorted(terms)}")
    return {name: _weighed(name, term, weights.get(name, 1.0)) for name, term in terms.items()}


def _weighed(name: str, term: ArrayLike, weight: float) -> Floats:
    values = finite(term, f"term {name!r}")
    return in_range(f"term {name!r} times its weight", lambda: weight * values)


def mean_within(x: ArrayLike, among: Population) -> Floats:
    """The mean of x over each population, shape [among.size]; 0 where it has no entry."""
    values, _, _, power = _prepare(x, among, None)
    mean = _mean(values, among, None)
    return mean if power is None else np.ldexp(mean, power)


def zero_spread(x: ArrayLike, among: Population, *, weights: ArrayLike | None = None) -> Bools:
    """Which populations have no spread: max - min at or below 1e-12 · max(1, max|x|) over the voters; shape [size]."""
    return _prepare(x, among, weights)[2]


def _deviation(
    x: ArrayLike, among: Population, weights: ArrayLike | None
) -> tuple[Floats, Floats | None, Powers | None]:
    """Distances to the means, divided by 2**power where that is given, with the votes."""
    values, votes, flat, power = _prepare(x, among, weights)
    deviation = np.where(flat[among.codes], 0.0, values - _mean(values, among, votes)[among.codes])
    return deviation, votes, power


def _grown(deviation: Floats, among: Population, power: Powers | None) -> Floats:
    """Undo the division by 2**power."""
    if power is None:
        return deviation
    return in_range("a distance to a mean", lambda: np.ldexp(deviation, power[among.codes]))


def _prepare(
    x: ArrayLike, among: Population, weights: ArrayLike | None
) -> tuple[Floats, Floats | None, Bools, Powers | None]:
    """Values, votes, which populations are flat, and the powers of two that large populations were divided by."""
    values = finite(x, "x", len(among.codes))
    votes = None if weights is None else finite(weights, "weights", len(values))
    if votes is None:
        low, high = among.extremes(values)
    else:
        if (votes < 0.0).any():
            raise ValueError(f"weights must be at least 0, got {votes.min()} at position {int(np.argmin(votes))}")
        voting = votes > 0.0
        low, high = Population(among.codes[voting], among.size).extremes(values[voting])
    size, flat = _is_flat(low, high)
    if not size.max(initial=0.0) > LARGE:
        return values, votes, flat, None
    power = np.where(size > LARGE, np.frexp(size)[1], 0).astype(np.int32)
    return np.ldexp(values, -power[among.codes]), votes, flat, power


def _is_flat(low: Floats, high: Floats) -> tuple[Floats, Bools]:
    """max|x| of each population, and whether it has no spread."""
    size = np.maximum(np.abs(low), np.abs(high))
    empty = high < low
    size[empty], high[empty], low[empty] = 0.0, 0.0, 0.0
    with np.errstate(over="ignore"):  # an infinite spread is one
        flat: Bools = high - low <= ZERO_SPREAD * np.maximum(1.0, size)
    return size, flat


def _mean(values: Floats, among: Population, votes: Floats | None) -> Floats:
    if votes is None:
        return among.mean(values)
    total = among.sum(votes)
    return among.sum(votes * values) / np.where(total > 0.0, total, 1.0)


def _scale(
    deviation: Floats,
    among: Population,
    votes: Floats | None,
    ddof: int,
    eps: float,
    power: Powers | None,
    inside: bool = False,
) -> Floats:
    """Give std + eps of each population, divided by 2**power like the distances to its mean that it is made from.

    With `inside` it is sqrt(variance + eps).
    """
    if votes is None:
        total, squares = among.counts.astype(np.float64), among.sum(deviation * deviation)
    else:
        total, squares = among.sum(votes), among.sum(votes * deviation * deviation)
    # Fewer votes than ddof + 1 only where the spread is 0, and there the numerator is 0: any positive scale will do.
    variance = squares / np.where(total > ddof, total - ddof, 1.0)
    own = eps if power is None else np.ldexp(eps, -power * (2 if inside else 1))
    scale: Floats = np.sqrt(variance + own) if inside else np.sqrt(variance) + own
    return np.where(scale > 0.0, scale, 1.0)


def _check_scale(normalise: str, ddof: int, eps: float) -> None:
    if normalise not in ("std", "none"):
        raise ValueError(f'normalise must be "std" or "none", got {normalise!r}')
    if ddof not in (0, 1):
        raise ValueError(f"ddof must be 0 or 1, got {ddof!r}")
    if not 0.0 <= eps < np.inf:
        raise ValueError(f"eps must be at least 0 and finite, got {eps!r}")


def _codes(key: ArrayLike) -> Ints:
    column: NDArray[Any] = np.asarray(key)
    if column.ndim != 1 or (len(column) and column.dtype.kind not in "iu"):
        raise ValueError(f"a population key must be a vector of integer codes, got {column.dtype} {list(column.shape)}")
    if len(column) and column.min() < 0:
        raise ValueError(f"a population code is negative at position {int(np.argmin(column))}: {column.min()}")
    return column.astype(np.int64, copy=False)


def _dense(codes: Ints) -> Population:
    """Number the codes that occur, in their order: by a table of them all where that is short, else by sorting."""
    size = _size(codes)
    if size > 16 * len(codes):
        values, dense = np.unique(codes, return_inverse=True)
        return Population(dense.astype(np.int64, copy=False), len(values))
    number = np.cumsum(np.bincount(codes, minlength=1) > 0) - 1
    return Population(number[codes], int(number[-1]) + 1)


def _size(codes: Ints) -> int:
    return int(codes.max(initial=-1)) + 1
