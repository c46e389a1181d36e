"""Reflection estimators: the policy is asked again with the feedback of someone who saw what came of it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agentgym.batch.ragged import Ragged
from agentgym.credit.algebra import Floats, Ints, Population, in_range
from agentgym.credit.registry import estimator
from agentgym.credit.result import Terms

if TYPE_CHECKING:
    from agentgym.batch import TurnBatch


@estimator(
    "ricl",
    paper="2602.17497",
    needs=("menu", "action", "menu_logprobs", "menu_hindsight_logprobs"),
    signals=("menu",),
)
def ricl(batch: TurnBatch, *, beta: float = 1.0) -> Terms:
    """Log-ratio to the policy with feedback: A(s,a) = (β/n)·Σ_i [log π'_i(a|s) - log π0(a|s) + log Z_i(s)].

    i = 1 … n: samples of feedback f_i from a reflector that saw the future; π0 = π(·|s), π'_i = π(·|s, f_i), both
    renormalised over the turn's menu; log Z_i(s) = KL(π0 ‖ π'_i), the constant that makes the advantage average to 0
    under π0.

    Special cases: feedback that changes nothing (π' = π0) gives 0, a menu of one entry too. The number n may differ
    from turn to turn. Neither rewards nor groups are read: a group of one and ties are no special cases.

    Source: arXiv 2602.17497 (RICL; its online form is RICOL, see `ricol_target`). The paper leaves log Z open; the
    gauge is ours.

    Args:
        batch: T rows with menu, action (one of the menu), menu_logprobs (one an entry) and menu_hindsight_logprobs
            (n ≥ 1 rows of one an entry).
        beta: β, the size of the advantage.

    Returns:
        Term `reflection`, shape [T], the value of the row's action; diagnostics `log_z`, n values a row, and
        `menu_advantage`, the same for every entry of the row's menu.

    Raises:
        MissingColumn: a column named above is absent. ValueError: a row without feedback, or an action that is not in
            its menu.

    Invariants: Σ_a π0(a|s)·A(s,a) = 0 on every row. Adding a constant to all log-probabilities of a menu changes
    nothing.
    """
    place = chosen_entries(batch["menu"], batch["action"])
    before, after = batch["menu_logprobs"], batch["menu_hindsight_logprobs"]
    ratio = centred_log_ratio(before, after)
    advantage = Ragged(in_range("an advantage of a menu", lambda: beta * ratio), before.offsets)
    term = advantage.flat[before.offsets[:-1] + place]
    return Terms({"reflection": term}, log_z=partial(log_partition, before, after), menu_advantage=advantage)


def chosen_entries(menus: NDArray[Any], actions: NDArray[Any]) -> Ints:
    """The number of each row's action in its menu, shape [T]. Raises ValueError naming the first row that has none."""
    try:
        return np.fromiter(map(tuple.index, menus, actions), np.int64, len(menus))
    except ValueError:
        row = next(row for row, (menu, action) in enumerate(zip(menus, actions, strict=True)) if action not in menu)
        raise ValueError(
            f"the action {actions[row]!r:.60} of row {row} is not one of its menu of {len(menus[row])}: only turns "
            "of a policy that chooses from the menu can be judged by it"
        ) from None


def centred_log_ratio(before: Ragged, after: Ragged) -> Floats:
    """mean_i [log π'_i - log π0 + log Z_i] of every entry of every menu, one value an entry, row after row.

    With log Z_i = KL(π0 ‖ π'_i) the normalisers of both distributions cancel, and what is left is the mean over the
    samples of log π'_i - log π0, less its average under π0.

    Args:
        before: log π0 up to a constant a row, one value an entry; no menu is empty.
        after: log π'_i up to a constant a sample, a matrix of samples × entries a row, at least one sample.

    Raises:
        ValueError: a row without a sample; log-probabilities too far apart for float64.
    """
    samples, _, entry = _layout(before, after)
    begin = before.offsets[:-1]
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is found at the end
        total = Population(entry, len(before.flat)).sum(after.flat)
        ratio = total / np.repeat(samples, before.lengths) - before.flat
        weight = np.exp(before.flat - np.repeat(_reduced(np.maximum, before.flat, begin), before.lengths))
        mean = _reduced(np.add, weight * ratio, begin) / _reduced(np.add, weight, begin)
        ratio -= np.repeat(mean, before.lengths)
    return in_range("a log-ratio over a menu", lambda: ratio)


def log_partition(before: Ragged, after: Ragged) -> Ragged:
    """Return log Z_i = KL(π0 ‖ π'_i), one value a sample, both renormalised over the menu; arguments as above."""
    samples, width, entry = _layout(before, after)
    log_pi0 = _log_softmax(before.flat, before.lengths)[entry]
    divergence = np.exp(log_pi0) * (log_pi0 - _log_softmax(after.flat, width))
    return Ragged.of(_reduced(np.add, divergence, _starts(width)), samples)


def _layout(before: Ragged, after: Ragged) -> tuple[Ints, Ints, Ints]:
    """Return samples a row, entries a sample, and the number in `before` of each entry of `after`."""
    assert after.shapes is not None  # a column of matrices
    samples, entries = after.shapes.T
    if not (samples > 0).all():
        row = int(np.argmin(samples > 0))
        raise ValueError(f"menu_hindsight_logprobs of row {row} has no sample: give every turn feedback")
    width = np.repeat(entries, samples)
    begin = np.repeat(before.offsets[:-1], samples)  # where the menu of each sample's row begins
    return samples, width, np.arange(len(after.flat)) - np.repeat(_starts(width) - begin, width)


def ricol_target(pi0: ArrayLike, pi_prime: ArrayLike, alpha: float) -> Floats:
    """The policy that RICOL moves towards, ∝ π0^(1-α) · π'^α; its update minimises KL(target ‖ π).

    Source: arXiv 2602.17497. Updates: `LogLinearPolicy.approach` in agentgym.baselines.policies for menu policies, and
    `target_kl` in agentgym.baselines.grpo.loss.

    Args:
        pi0: probabilities over the entries of a menu, last axis; need not sum to 1.
        pi_prime: those under feedback, of a shape that broadcasts with it.
        alpha: α in [0, 1]; 0 keeps π0, 1 is π'.

    Returns:
        Probabilities that sum to 1 over the last axis.

    Raises:
        ValueError: α out of its range, values that are no probabilities, or distributions that share no entry.
    """
    if not 0.0 <= alpha <= 1.0:
        raise ValueError(f"alpha must lie in [0, 1], got {alpha!r}")
    powers = []
    for name, given, power in (("pi0", pi0, 1.0 - alpha), ("pi_prime", pi_prime, alpha)):
        values = np.asarray(given, dtype=np.float64)
        if not (np.isfinite(values) & (values >= 0.0)).all():
            raise ValueError(f"{name} must hold finite probabilities of at least 0, got {values}")
        powers.append(values**power)
    weight: Floats = powers[0] * powers[1]
    total = weight.sum(-1, keepdims=True)
    if not (total > 0.0).all():
        raise ValueError("pi0 and pi_prime have no entry in common that both give a probability above 0")
    target: Floats = weight / total
    return target


def _log_softmax(x: Floats, lengths: Ints) -> Floats:
    """Return x - log Σ exp x over each run of neighbours, of the given lengths, none of them 0."""
    begin = _starts(lengths)
    x = x - np.repeat(_reduced(np.maximum, x, begin), lengths)
    result: Floats = x - np.repeat(np.log(_reduced(np.add, np.exp(x), begin)), lengths)
    return result


def _reduced(by: np.ufunc, x: Floats, begin: Ints) -> Floats:
    """Return the sum or maximum of each run of neighbours that begins there; none is empty."""
    result: Floats = by.reduceat(x, begin) if len(x) else x
    return result


def _starts(lengths: Ints) -> Ints:
    return np.cumsum(lengths) - lengths
