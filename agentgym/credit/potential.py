"""Potential estimators: a turn is paid what it gained of a potential Φ that says how near the state is to the goal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agentgym.credit.algebra import Normalise, Population, finite, mix, standardise
from agentgym.credit.base import base_estimator
from agentgym.credit.registry import estimator
from agentgym.credit.result import Terms
from agentgym.credit.rows import (
    by_group,
    by_group_turn,
    column,
    one_of,
    potential_gain,
    rollout_sum,
    rollouts_by_group,
    spread,
    to_go,
)
from agentgym.credit.shaping import POTENTIALS, shaped

if TYPE_CHECKING:
    from agentgym.batch import TurnBatch


@estimator(
    "mica",
    paper="2603.06194",
    needs=POTENTIALS,
    signals=("potential",),
    presets={"released": {"turn_weight": 0.4, "group_weight": 0.6, "gamma": 0.85}},
)
def mica(
    batch: TurnBatch,
    *,
    turn_weight: float = 0.5,
    group_weight: float = 0.5,
    gamma: float = 1.0,
    normalise: Normalise = "std",
    ddof: int = 0,
    eps: float = 1e-8,
) -> Terms:
    """Distance closed, judged twice: A_{i,t} = α·z(G_{i,t}; same group and turn) + β·z(r_{i,t}; all turns of group).

    i: a rollout; t: its turns; r_t = D_{t-1} - D_t = next_potential - potential, where the potential is -D and D the
    distance to the target state; G_t = r_t + γ·G_{t+1}. z standardises, the first over the group's rollouts that have
    a turn t, the second over all turns of all rollouts of the group.

    Special cases: γ = 1: G_0 = D_0 - D_T. A turn index that one rollout alone reached gives 0 in the turn term; a group
    of one rollout still has the group term. Equal values in a population give exactly 0.

    Source: arXiv 2603.06194. The distance is that of `zone_distance` there; any potential will do.

    Args:
        batch: T rows with potential and next_potential.
        turn_weight: α.
        group_weight: β.
        gamma: γ in [0, 1].
        normalise: "std", or "none" to leave both divisions out.
        ddof: taken off the number of turns in both variances: 0, or 1.
        eps: ε ≥ 0, added to both standard deviations.

    Returns:
        Terms `turn` and `group`, shape [T]; diagnostics `gain` (r) and `return` (G), shape [T].

    Raises:
        MissingColumn: a potential column is absent. ValueError: an option value out of its range.

    Invariants: adding a constant to the potential of every state changes nothing; each term sums to 0 over its
    population.

    Released code: weights 0.4 and 0.6 and γ = 0.85 (preset `released`).
    """
    gain = potential_gain(batch)
    to_come = to_go(batch, gain, gamma)
    scale: dict[str, Any] = {"normalise": normalise, "ddof": ddof, "eps": eps}
    terms = {
        "turn": standardise(to_come, by_group_turn(batch), **scale),
        "group": standardise(gain, by_group(batch), **scale),
    }
    diagnostics: dict[str, Any] = {"gain": gain, "return": to_come}
    return Terms(mix(terms, {"turn": turn_weight, "group": group_weight}), **diagnostics)


def zone_distance(position: ArrayLike, eps: float = 1.0) -> NDArray[np.float64]:
    """How far a position lies outside the target zone: √Σ_axis max(0, -ε - x)².

    Deficits are negative; an axis at or above -ε counts as reached, and overshoot is free.

    Args:
        position: shape [..., axes].
        eps: ε, how near to 0 is near enough.

    Returns:
        Shape [...].

    Raises:
        ValueError: a position without axes, or a value that is not finite.
    """
    deficits = np.asarray(position, dtype=np.float64)
    if deficits.ndim < 1:
        raise ValueError("a position needs one value an axis: shape [..., axes]")
    finite(deficits.ravel(), "position")
    finite([eps], "eps")
    return np.asarray(np.linalg.norm(np.maximum(0.0, -eps - deficits), axis=-1))


@estimator("stepwise_gain", paper="2603.28718", needs=POTENTIALS, signals=("potential",))
def stepwise_gain(
    batch: TurnBatch,
    *,
    variant: Literal["joint", "per_step"] = "joint",
    normalise: Normalise = "std",
    ddof: int = 0,
    eps: float = 1e-6,
) -> Terms:
    """What the turn gained, against all turns of the group: A_{i,t} = z(Φ_{i,t} - Φ_{i,t-1}).

    i: a rollout; t: its turns; Φ: the potential of the state, before the turn (t - 1) and after it (t).

    Special cases, by `variant`:
        joint: z over all turns of all rollouts of the group.
        per_step: z over the turns of the group with the same index, the paper's worse arm; one rollout alone gives 0.
    Equal gains in a population give exactly 0.

    Source: Stepwise-Flow-GRPO, arXiv 2603.28718, carried over from the denoising steps of an image to turns.

    Args:
        batch: T rows with potential and next_potential.
        variant: "joint" or "per_step".
        normalise: "std", or "none" to leave the division out.
        ddof: taken off the number of turns in the variance: 0, or 1.
        eps: ε ≥ 0.

    Returns:
        Term `turn`, shape [T]; diagnostic `gain`, the bare gain, shape [T].

    Raises:
        MissingColumn: a potential column is absent. ValueError: an option value that is not listed.

    Invariants: adding a constant to the potential of every state changes nothing; the term sums to 0 over its
    population. The outcome is not used.
    """
    one_of("variant", variant, ("joint", "per_step"))
    gain = potential_gain(batch)
    among = by_group(batch) if variant == "joint" else by_group_turn(batch)
    return Terms({"turn": standardise(gain, among, normalise=normalise, ddof=ddof, eps=eps)}, gain=gain)


def _igpo_columns(variant: str, **_: Any) -> tuple[str, ...]:
    paid = ("turn_reward", "outcome_reward") if variant == "shaping" else ("outcome_reward",)
    return (*paid, *POTENTIALS)


@estimator(
    "igpo",
    paper="2510.14967",
    needs=_igpo_columns,
    signals=("potential",),
    presets={"tips": {"variant": "shaping", "gamma": 1.0}},
)
def igpo(
    batch: TurnBatch,
    *,
    variant: Literal["gain", "shaping"] = "gain",
    gamma: float = 0.95,
    normalise: Normalise = "std",
    ddof: int = 0,
    eps: float = 1e-6,
) -> Terms:
    """Information gained, then the outcome, to go: A_{i,t} = x_{i,t} + γ·A_{i,t+1}, x = z(ΔΦ), on the last turn z(o).

    i: a rollout; t: its turns; Φ: a potential that rises with the model's probability of the right answer; ΔΦ_t =
    next_potential - potential, of every turn but the last; o: the outcome, which stands in on the last turn. z
    standardises the gains over all gains of the group and, apart from them, the outcomes over the group's rollouts.

    Special cases: a rollout of one turn has its outcome alone. A group of one rollout, or of equal outcomes, gives 0 in
    the outcome term; equal gains give 0 in the gain term.
    `variant="shaping"`: `potential_shaping` over grpo, A_i = GN(Σ_t (r_t + γ·Φ_t - Φ_{t-1})), with Φ meant to be the
    log-likelihood of the right answer (preset `tips`, γ = 1, as grpo does not discount; then Σ(γΦ_t - Φ_{t-1}) is what
    the rollout gained in all).

    Source: arXiv 2510.14967; the shaping form is that of TIPS, arXiv 2603.22293.

    Args:
        batch: T rows with outcome_reward, potential, next_potential and, for variant "shaping", turn_reward.
        variant: "gain" or "shaping".
        gamma: γ in [0, 1].
        normalise: "std", or "none" to leave the divisions out.
        ddof: taken off the votes in both variances: 0, or 1.
        eps: ε ≥ 0, added to both standard deviations.

    Returns:
        Terms `gain` and `outcome`, shape [T], or grpo's term `episode` for variant "shaping"; diagnostics `gain` (ΔΦ, 0
        on last turns) or `shaping` (γ·Φ_t - Φ_{t-1}), shape [T].

    Raises:
        MissingColumn: a column named above is absent. ValueError: an option value out of its range.

    Invariants: adding a constant to every outcome of a group changes nothing in variant "gain", nor does adding one to
    every potential.

    Released code: γ = 1, and the mean over the group at the same token position is taken off each return to go.
    """
    one_of("variant", variant, ("gain", "shaping"))
    scale: dict[str, Any] = {"normalise": normalise, "ddof": ddof, "eps": eps}
    if variant == "shaping":
        return shaped(batch, gamma, base_estimator("grpo"), scale)
    inner = ~batch.last
    gain = np.where(inner, potential_gain(batch), 0.0)
    groups = by_group(batch)
    normal = np.zeros(len(batch))
    normal[inner] = standardise(gain[inner], Population(groups.codes[inner], groups.size), **scale)
    outcome = standardise(rollout_sum(batch, column(batch, "outcome_reward")), rollouts_by_group(batch), **scale)
    paid = np.where(batch.last, spread(batch, outcome), 0.0)
    return Terms({"gain": to_go(batch, normal, gamma), "outcome": to_go(batch, paid, gamma)}, gain=gain)
