"""EMPA's rules: a position in need of support, what moves it, and when an episode is won or lost.

A position is (cognitive, affective, motivational); deficits are negative, 0 is met. Levels say how far an utterance
helped or hurt on each axis; everything else follows from them. Source: MICA (arXiv 2603.06194) and its released code,
which calls these rules EPJ and EPM.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import hypot, sqrt
from typing import Final, NamedTuple

from agentgym.errors import unknown
from agentgym.score import added

Position = tuple[int, int, int]
Floats = tuple[float, float, float]

AXES: Final = ("cognitive", "affective", "motivational")
WEIGHTS: Final[Mapping[str, int]] = {
    "C.1": 2, "C.2": 2, "C.3": 3, "A.1": 2, "A.2": 4, "A.3": 3, "P.1": 2, "P.2": 4, "P.3": 3,
}  # fmt: skip
"""Points of deficit for each level of a rubric item."""

PROGRESS: Final = (0, 1, 3)
"""Points for progress of level 0, 1 and 2, on every axis."""
REGRESS: Final = ((0, -2, -4), (0, -2, -5), (0, -2, -5))
"""Points for regression of level 0, −1 and −2: cognitive, affective, motivational."""

TOLERANCE: Final = 0.05
MIN_TURNS: Final = 12
COLLAPSE: Final = 5  # worsening turns in a row
STILL_TURNS, STILL = 5, 0.5  # standard deviation of the last distances from 0, below which nothing moves
BACK_TURNS, BACK_SHARE, BACK_LOSS = 8, 0.7, -1.0  # more than this share of the last turns worsened, and lost more


class Levels(NamedTuple):
    """How far one utterance helped (0, 1, 2) and hurt (0, −1, −2) on each axis."""

    c_prog: int = 0
    c_neg: int = 0
    a_prog: int = 0
    a_neg: int = 0
    p_prog: int = 0
    p_neg: int = 0


def checked(levels: Levels) -> Levels:
    """Return levels whose bounds hold.

    Raises:
        ValueError: progress outside 0 … 2, or regression outside −2 … 0; the message names it.
    """
    for name, value in zip(Levels._fields, levels, strict=True):
        low, high = (0, 2) if name.endswith("prog") else (-2, 0)
        if type(value) is not int or not low <= value <= high:
            raise ValueError(f"the level {name} must be a whole number from {low} to {high}, not {value!r}")
    return levels


def deficit(items: Mapping[str, int]) -> Position:
    """Return the first position: −Σ level · weight on each axis, the nine items' levels being 0 … 3; absent is 0.

    Raises:
        ValueError: an item that is none, or a level out of bounds.
    """
    sums = {"C": 0, "A": 0, "P": 0}
    for name, level in items.items():
        if name not in WEIGHTS:
            raise ValueError(unknown("rubric item", name, WEIGHTS))
        if type(level) is not int or not 0 <= level <= 3:
            raise ValueError(f"the level of {name} must be a whole number from 0 to 3, not {level!r}")
        sums[name[0]] -= WEIGHTS[name] * level
    return sums["C"], sums["A"], sums["P"]


def move(levels: Levels) -> Position:
    """Return what levels add to a position."""
    c_prog, c_neg, a_prog, a_neg, p_prog, p_neg = levels
    return (
        PROGRESS[c_prog] + REGRESS[0][-c_neg],
        PROGRESS[a_prog] + REGRESS[1][-a_neg],
        PROGRESS[p_prog] + REGRESS[2][-p_neg],
    )


def moved(position: Position, by: Position) -> Position:
    """Return a position after a move."""
    return position[0] + by[0], position[1] + by[1], position[2] + by[2]


def norm(position: Sequence[float]) -> float:
    """Return the distance from 0."""
    return hypot(*position)


def dot(left: Sequence[float], right: Sequence[float]) -> float:
    """Return the inner product of two triples."""
    return left[0] * right[0] + left[1] * right[1] + left[2] * right[2]


def direction(start: Position) -> Floats:
    """Return the unit vector from the first position to 0; zeros where nothing is missing."""
    length = norm(start)
    if not length:
        return 0.0, 0.0, 0.0
    return -start[0] / length, -start[1] / length, -start[2] / length


def distance(position: Sequence[float], eps: float = 1.0) -> float:
    """Return how far a position lies from the zone in which every axis is at least −eps; overshoot is free."""
    c, a, p = position
    c, a, p = max(0.0, -eps - c), max(0.0, -eps - a), max(0.0, -eps - p)
    return sqrt(c * c + a * a + p * p)


def shaped(before: Sequence[float], after: Sequence[float], gamma: float = 0.99, alpha: float = 9.0) -> float:
    """Return MICA's other turn reward, γ·Φ(after) − Φ(before) with Φ(P) = α / (α + ‖P‖)."""
    return gamma * alpha / (alpha + norm(after)) - alpha / (alpha + norm(before))


class Energy(NamedTuple):
    """Where an episode stands by EMPA's energy: the last move's gain, all gains, ‖P‖ and P·u.

    Since every gain is a move's part along u, total = projection + ‖P₀‖ whatever the path.
    """

    gain: float
    total: float
    norm: float
    projection: float


def energy(start: Position, before: Position, after: Position) -> Energy:
    """Return the energy after a move that led from one position to the next, in an episode that began at `start`."""
    u = direction(start)
    last = (after[0] - before[0], after[1] - before[1], after[2] - before[2])
    projection = dot(after, u)
    return Energy(dot(last, u), projection - dot(start, u), norm(after), projection)


def won(start: Position, position: Position, turns: int, min_turns: int = MIN_TURNS) -> str:
    """Return how the episode is won, "geometric" or "positional"; "" where it is not.

    Won is what took at least `min_turns`, spent the energy ‖P₀‖, and lies within 0.05·‖P₀‖ of 0 or of the plane
    through 0 across u.
    """
    if turns < min_turns:
        return ""
    needed, here = norm(start), energy(start, start, position)
    if here.total < needed - 1e-9:  # the sum of gains, had it been summed, would differ by as much
        return ""
    if here.norm <= TOLERANCE * needed:
        return "geometric"
    return "positional" if here.projection >= -TOLERANCE * needed else ""


def lost(start: Position, trail: Sequence[Position], turns: int, min_turns: int = MIN_TURNS) -> str:
    """Return why the episode is lost, "collapse" or "stagnation"; "" where it is not.

    Collapse: each of the last five turns worsened. Stagnation: ‖P‖ hardly moved over the last five (standard deviation
    below 0.5) while more than 70 % of the last eight worsened, by more than 1 in all.

    Args:
        start: the first position.
        trail: the last positions, the present one last; nine are enough.
        turns: turns taken.
        min_turns: before which nothing is lost.
    """
    if turns < min_turns:
        return ""
    u = direction(start)
    along = [dot(position, u) for position in trail]
    gains = [after - before for before, after in pairwise(along)]
    if len(gains) >= COLLAPSE and all(gain < -1e-12 for gain in gains[-COLLAPSE:]):
        return "collapse"
    if len(gains) < BACK_TURNS:
        return ""
    recent = gains[-BACK_TURNS:]
    back = sum(gain < -1e-12 for gain in recent) > BACK_TURNS * BACK_SHARE and added(recent) < BACK_LOSS
    return "stagnation" if back and _spread([norm(position) for position in trail[-STILL_TURNS:]]) < STILL else ""


def _spread(values: Sequence[float]) -> float:
    """Return the standard deviation of a sample."""
    mean = added(values) / len(values)
    return sqrt(added((value - mean) ** 2 for value in values) / (len(values) - 1))
