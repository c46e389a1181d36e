"""Scores of estimators against the truth, with intervals by bootstrap over tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from agentgym.batch import TurnBatch
from agentgym.credit import Credit
from agentgym.errors import unknown
from agentgym.fidelity import agreement
from agentgym.fidelity.gradient import MenuGradient
from agentgym.fidelity.graph import Floats
from agentgym.fidelity.record import LEAST_CEILING, FidelityError, Truth, check_same, distinct
from agentgym.fidelity.reference import reference_lines
from agentgym.rng import TurnRng

METRICS = ("spearman", "kendall", "pearson", "sign", "cosine", "variance")
"""What estimators can be ranked by; all but the variance are better when larger."""


class Interval(NamedTuple):
    """A value and its 95 % interval over tasks; from −inf to inf where there is only one task."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


@dataclass(frozen=True, eq=False)
class FidelityScore:
    """How well one estimate recovers the true advantages of a batch.

    Attributes:
        name: what was scored.
        spearman, kendall, pearson: correlations with the truth, Kendall's as tau-b; a constant estimate has 0. In the
            two rank correlations values that differ by rounding alone are tied.
        sign: share of rows with the right sign; rows whose true advantage is 0, or within two standard errors of it,
            are left out; an estimate of exactly 0 counts a half.
        cosine: of the policy gradient that the estimate implies with the true one; None without the columns state,
            action, menu and menu_logprobs. Both are gradients Σ_rows x·∇ log π(a|s) of a table with one logit for each
            (task, state, entry of the menu), in which ∇ log π(a|s) is 1[entry = a] − π(entry|s) at the entries of s
            and 0 elsewhere; x is the estimate or the true advantage of the row. Rows of one state share coordinates.
        scale: the positive factor c under which c·estimate is nearest to the truth, in squares.
        bias, variance: mean and variance over rows of c·estimate − truth, in the units of the return and their square.
        rows, tasks: how many were scored.
        ceiling: that of the truth.
    """

    name: str
    spearman: Interval
    kendall: Interval
    pearson: Interval
    sign: Interval
    cosine: Interval | None
    scale: Interval
    bias: Interval
    variance: Interval
    rows: int
    tasks: int
    ceiling: float
    draws: dict[str, Floats] = field(repr=False)
    sample: str = field(repr=False)


class Difference(NamedTuple):
    """How much two scores of one batch differ in a metric, first minus second, with its 95 % interval.

    `separated` is true if the interval leaves out 0 and the truth's ceiling allows a ranking.
    """

    metric: str
    value: float
    low: float
    high: float
    separated: bool


class Judge:
    """Scores estimates of one batch against its truth; what does not depend on the estimate is computed once.

    Args:
        truth: from `true_advantages`.
        batch: the batch it is of.
        samples: bootstrap draws of tasks.
        seed: of these draws; equal seed, equal draws, so that scores can be compared in pairs.

    Raises:
        FidelityError: the truth is of another batch, order or panel.
    """

    def __init__(self, truth: Truth, batch: TurnBatch, *, samples: int = 1000, seed: int = 0) -> None:
        if isinstance(samples, bool) or not isinstance(samples, int) or samples < 2:
            raise ValueError(f"samples must be an integer of at least 2, not {samples!r}")
        check_same(truth, batch)
        if not len(batch):
            raise FidelityError("the batch has no rows: there is nothing to score")
        self.truth, self.batch = truth, batch
        first, self._tasks = distinct(batch.task.tolist())
        self._size = len(first)
        self._weights = _bootstrap(self._size, samples, seed)
        self._sample = f"{truth.rows} {samples} {seed}"
        self._true_level = agreement.levels(truth.advantage)
        largest = float(np.abs(truth.advantage).max(initial=0.0))
        self._told = np.abs(truth.advantage) > np.maximum(agreement.EQUAL * largest, 2.0 * truth.stderr)
        self._gradient = MenuGradient(batch, self._tasks) if MenuGradient.possible(batch) else None

    def score(self, values: Credit | str | ArrayLike, name: str = "") -> FidelityScore:
        """Return the score of a credit, of one value a row, or of a column by name.

        Raises:
            FidelityError: another number of values than rows, or one that is not finite.
        """
        x, name = self._values(values, name)
        tasks, size, weights = self._tasks, self._size, self._weights
        ordered = agreement.rank_correlations(agreement.levels(x), self._true_level, tasks, size, weights)
        scale, bias, variance = agreement.scaled_error(x, self.truth.advantage, tasks, size, weights)
        draws = {
            "spearman": ordered[0],
            "kendall": ordered[1],
            "pearson": agreement.pearson(x, self.truth.advantage, tasks, size, weights),
            "sign": agreement.sign_agreement(x, self.truth.advantage, self._told, tasks, size, weights),
            "scale": scale,
            "bias": bias,
            "variance": variance,
        }
        if self._gradient is not None:
            inner = self._gradient.products(x, self.truth.advantage, size)
            draws["cosine"] = agreement.cosine(inner, weights)
        made: dict[str, Any] = {metric: self._interval(found) for metric, found in draws.items()}
        made.setdefault("cosine", None)
        return FidelityScore(
            name=name, rows=len(x), tasks=size, ceiling=self.truth.ceiling, draws=draws, sample=self._sample, **made
        )

    def spearman(self, values: Credit | str | ArrayLike, name: str = "") -> Interval:
        """Return the rank correlation of `score` alone, many times faster. Raises FidelityError, as it."""
        x, _ = self._values(values, name)
        return self._interval(
            agreement.spearman(agreement.levels(x), self._true_level, self._tasks, self._size, self._weights)
        )

    def references(self, seed: int = 0) -> dict[str, FidelityScore]:
        """Return the scores of the reference lines, see `reference_lines`."""
        lines = reference_lines(self.truth, self.batch, seed=seed)
        return {name: self.score(values, name) for name, values in lines.items()}

    def _interval(self, draws: Floats) -> Interval:
        return Interval(float(draws[0]), *_bounds(draws[1:], self._size))

    def _values(self, values: Credit | str | ArrayLike, name: str) -> tuple[Floats, str]:
        if isinstance(values, Credit):
            found, label = values.total, values.estimator
        elif isinstance(values, str):
            found, label = np.asarray(self.batch.need(values, who="score"), np.float64), values
        else:
            found, label = np.asarray(values, np.float64), "values"
        name = name or label
        if found.shape != (len(self.batch),):
            raise FidelityError(
                f"{name!r} has shape {found.shape} and the batch {len(self.batch)} rows: one value a row"
            )
        if not np.isfinite(found).all():
            row = int(np.flatnonzero(~np.isfinite(found))[0])
            raise FidelityError(f"{name!r} is {found[row]} in row {row}: an estimate must be finite in every row")
        return found, name


def score(
    values: Credit | str | ArrayLike,
    truth: Truth,
    batch: TurnBatch,
    *,
    name: str = "",
    samples: int = 1000,
    seed: int = 0,
) -> FidelityScore:
    """Return how well an estimate recovers the truth; `Judge` does the same for many estimates of one batch, faster.

    Args:
        values: a Credit, one value a row in the batch's order, or the name of a column to score as if it were one.
        truth: the batch's truth.
        batch: the batch.
        name: what to call it; default the estimator's or column's name.
        samples: bootstrap draws of tasks.
        seed: of these draws.

    Raises:
        FidelityError: values that are not finite or not one a row; a truth of another batch or panel.
    """
    return Judge(truth, batch, samples=samples, seed=seed).score(values, name)


def compare(first: FidelityScore, second: FidelityScore, metric: str = "spearman") -> Difference:
    """Return the paired difference of two scores that one `Judge` (or equal ones) made.

    Raises:
        FidelityError: scores of different batches, panels or bootstrap draws.
        ValueError: an unknown metric, or one that a score lacks.
    """
    if first.sample != second.sample:
        raise FidelityError(
            f"{first.name!r} and {second.name!r} were scored on different batches or bootstrap draws, so there are "
            "no pairs: score both with one Judge"
        )
    ours, theirs = (_draws(score, metric) for score in (first, second))
    apart = ours - theirs
    low, high = _bounds(apart[1:], first.tasks)
    return Difference(metric, float(apart[0]), low, high, (low > 0.0 or high < 0.0) and first.ceiling >= LEAST_CEILING)


def rank(scores: Sequence[FidelityScore], metric: str = "spearman") -> list[FidelityScore]:
    """Return the scores, best first; equal ones by name.

    Raises:
        FidelityError: the truth's ceiling is below 0.9, or the scores are not of one batch.
        ValueError: an unknown metric.
    """
    for found in scores:
        if found.ceiling < LEAST_CEILING:
            raise FidelityError(
                f"nothing is ranked under a ceiling of {found.ceiling:.2f} (< {LEAST_CEILING}): two independent truths "
                "would not agree themselves; use method='tree', more continuations or draws (chance), or a policy and "
                "tasks whose advantages differ"
            )
        if found.sample != scores[0].sample:
            raise FidelityError(f"{found.name!r} and {scores[0].name!r} are not of one batch: score all with one Judge")
    sign = 1.0 if metric == "variance" else -1.0
    return sorted(scores, key=lambda found: (sign * float(_draws(found, metric)[0]), found.name))


def _bootstrap(size: int, samples: int, seed: int) -> Floats:
    """Return (1 + samples, tasks): how often each draw holds each task; row 0 is the sample itself."""
    weights = np.zeros((1 + samples, size))
    weights[0] = 1.0
    for draw in range(1, 1 + samples):
        rng = TurnRng(seed, draw, 0, "bootstrap")
        weights[draw] = np.bincount([rng.integers(size) for _ in range(size)], minlength=size)
    return weights


def _bounds(draws: Floats, tasks: int) -> tuple[float, float]:
    if tasks < 2:
        return -np.inf, np.inf
    low, high = np.quantile(draws, (0.025, 0.975))
    return float(low), float(high)


def _draws(found: FidelityScore, metric: str) -> Floats:
    if metric not in METRICS or metric not in found.draws:
        raise ValueError(
            unknown("metric", metric, [name for name in METRICS if name in found.draws], f"of {found.name!r}")
        )
    return found.draws[metric]
