"""Iterative reward calibration: what a turn's tag pays follows from how tags go with success (arXiv 2604.02869)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from agentgym.credit.algebra import ZERO_SPREAD, Bools, Floats, finite
from agentgym.errors import unknown


class TagLine(NamedTuple):
    """One tag of a `CalibrationReport`: its turns, its share of the calibration, and what its turns were credited with.

    `mean_advantage` is None for a tag without turns; `mismatch`: it has another sign than `reward`.
    """

    tag: str
    turns: int
    rho: float
    reward: float
    weight: float
    mean_advantage: float | None
    mismatch: bool


class CalibrationReport(NamedTuple):
    """How each tag's mean advantage agrees with its polarity; `str()` of it is a table."""

    lines: tuple[TagLine, ...]

    @property
    def mismatches(self) -> tuple[str, ...]:
        """The tags whose turns are credited against their polarity. None: the calibration is done."""
        return tuple(line.tag for line in self.lines if line.mismatch)

    def __str__(self) -> str:
        width = max([len("tag"), *(len(line.tag) for line in self.lines)])
        head = f"{'tag':{width}}  turns     rho  reward  weight  advantage"
        return "\n".join([head, *(_line(line, width) for line in self.lines)])


class Calibration(NamedTuple):
    """What `calibrate` found, each by tag, in the order of the prior.

    Attributes:
        rho: correlation of "this turn has the tag" with the success of its rollout, in [-1, 1].
        reward: α·ρ where |ρ| > δ, else 0; its sign is the tag's polarity.
        weight: the prior, moved by η·ρ and clipped: the prior of the next round.
    """

    rho: dict[str, float]
    reward: dict[str, float]
    weight: dict[str, float]

    def check(self, tags: Sequence[str], advantage: ArrayLike) -> CalibrationReport:
        """Compare each tag's mean advantage with its polarity.

        A tag mismatches if its reward and its mean advantage have opposite signs: turns of that kind go with success
        and are discouraged, or the other way round. A mean of 0, to rounding, has no sign.

        Args:
            tags: the tag of every turn, "" for none; shape [T].
            advantage: what an estimator gave the turns, such as `Credit.total`; shape [T].

        Raises:
            ValueError: the two differ in length, an advantage is not finite, a tag that was not calibrated.
        """
        kinds = _by_tag(tags, self.reward)
        given = finite(advantage, "advantage", len(tags))
        return CalibrationReport(tuple(self._line(tag, given[kinds[tag]]) for tag in self.reward))

    def _line(self, tag: str, given: Floats) -> TagLine:
        mean = float(given.mean()) if len(given) else None
        rounding = ZERO_SPREAD * max(1.0, float(np.abs(given).max(initial=0.0)))
        against = mean is not None and abs(mean) > rounding and mean * self.reward[tag] < 0.0
        return TagLine(tag, len(given), self.rho[tag], self.reward[tag], self.weight[tag], mean, against)


def calibrate(
    tags: Sequence[str],
    success: ArrayLike,
    prior: Mapping[str, float],
    alpha: float = 1.0,
    delta: float = 0.1,
    eta: float = 0.5,
    clip: tuple[float, float] = (-1.5, 1.5),
) -> Calibration:
    """One round of reward calibration: ρ_c, the reward r_c = α·ρ_c if |ρ_c| > δ else 0, the weight clip(w_c + η·ρ_c).

    ρ_c is the correlation, over all turns, of "this turn has tag c" with the success of the turn's rollout; 0 if either
    is constant, as for a tag that no turn has. The weight moves by ρ_c also where |ρ_c| ≤ δ. In rounds: pay the weights
    as turn rewards, estimate, `calibrate` with them as prior, `check` the advantages, stop at no mismatch.

    Source: arXiv 2604.02869, Algorithm 1, from a secondary source. It publishes no defaults for α, δ and η; these are
    ours. Its tags are gold, soft, read, state, error, duplicate and message; any others do as well.

    Args:
        tags: the tag of every turn (column `tag`), "" for a turn that has none, which counts as a turn; shape [T].
        success: the success flag of the turn's rollout (column `success`); shape [T].
        prior: tag → weight w_c so far. It names the tags.
        alpha: α, a reward's size.
        delta: δ in [0, 1]: correlations up to it pay nothing.
        eta: η, the step of the weights.
        clip: lowest and highest weight.

    Returns:
        `Calibration(rho, reward, weight)`, each a dict with the tags of `prior`.

    Raises:
        ValueError: tags and success differ in length, success is no 0 or 1, a tag without a prior (the nearest name is
            offered), an option out of its range.
    """
    _check(prior, alpha, delta, eta, clip)
    won = finite(success, "success", len(tags))
    if not np.isin(won, (0.0, 1.0)).all():
        raise ValueError(f"success must be true or false, got {won[~np.isin(won, (0.0, 1.0))][0]}")
    rho = {tag: _correlation(has, won == 1.0) for tag, has in _by_tag(tags, prior).items()}
    reward = {tag: alpha * r if abs(r) > delta else 0.0 for tag, r in rho.items()}
    weight = {tag: min(max(prior[tag] + eta * r, clip[0]), clip[1]) for tag, r in rho.items()}
    return Calibration(rho, reward, weight)


def _by_tag(tags: Sequence[str], known: Mapping[str, float]) -> dict[str, Bools]:
    """Which turns have each tag."""
    codes = {tag: number for number, tag in enumerate(known)}
    for position, tag in enumerate(tags):
        if tag != "" and tag not in codes:
            raise ValueError(unknown("tag", tag, known, f"at position {position}: give it a prior"))
    column = np.array([codes.get(tag, -1) for tag in tags], np.int64)
    return {tag: column == number for tag, number in codes.items()}


def _correlation(has: Bools, won: Bools) -> float:
    """Pearson's of two flags, from counts alone: (n·both - a·b) / √(a·(n - a)·b·(n - b))."""
    n, a, b = len(has), int(has.sum()), int(won.sum())
    spread = a * (n - a) * b * (n - b)
    return (n * int((has & won).sum()) - a * b) / math.sqrt(spread) if spread else 0.0


def _check(prior: Mapping[str, float], alpha: float, delta: float, eta: float, clip: tuple[float, float]) -> None:
    if "" in prior:
        raise ValueError('prior has a weight for the tag "", which stands for turns without a tag: leave it out')
    finite(list(prior.values()), "prior")
    finite([alpha, eta], "(alpha, eta)")
    if not 0.0 <= delta <= 1.0:
        raise ValueError(f"delta must lie in [0, 1], got {delta!r}")
    if not clip[0] <= clip[1]:
        raise ValueError(f"clip must be (low, high) with low <= high, got {clip!r}")


def _line(line: TagLine, width: int) -> str:
    mean = "-" if line.mean_advantage is None else f"{line.mean_advantage:.3f}"
    numbers = f"{line.turns:5d}  {line.rho:6.3f}  {line.reward:6.3f}  {line.weight:6.3f}  {mean:>9}"
    return f"{line.tag:{width}}  {numbers}" + ("  against its polarity" if line.mismatch else "")
