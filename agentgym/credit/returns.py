"""Discounted returns inside rollouts, without a loop over turns."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from agentgym.credit.algebra import Floats, Ints, finite, in_range


def discounted_return(reward: ArrayLike, gamma: float | Floats, order: Ints, starts: Ints) -> Floats:
    """G_t = r_t + gamma_t · G_{t+1} inside each rollout, 0 after its last turn.

    Doubling: once x_t holds the first s terms of G_t and f_t the product of s discounts, x_t + f_t · x_{t+s} holds 2s
    of them, so the longest rollout of T turns takes log2(T) passes over all rows and no loop over turns.

    Args:
        reward: shape [n], in the rows' order.
        gamma: discount in [0, 1]: one for all, or one a row, shape [n], for what follows that row (0 cuts it off).
        order: the permutation that sorts rows by rollout, then turn; shape [n].
        starts: where each rollout begins in that order; shape [rollouts].

    Returns:
        Shape [n], in the rows' order.
    """
    check_gamma(gamma)
    x = finite(reward, "reward", len(order))[order]
    factor = finite(gamma, "gamma", len(order))[order] if isinstance(gamma, np.ndarray) else None
    left = turns_left(starts, len(x))
    stride, longest = 1, int(left.max(initial=-1)) + 1
    with np.errstate(over="ignore", invalid="ignore"):
        while stride < longest:
            power = gamma**stride if factor is None else factor[:-stride]
            x[:-stride] += np.where(left[:-stride] >= stride, power * x[stride:], 0.0)
            if factor is not None:
                factor[:-stride] *= factor[stride:]  # across the end of a rollout too, where it is never read
            stride *= 2
    result = np.empty_like(x)
    result[order] = x
    return in_range("a return", lambda: result)


def turns_left(starts: Ints, n: int) -> Ints:
    """How many turns follow in the same rollout, for rows sorted by rollout and turn; shape [n], 0 on last turns."""
    ends = np.append(starts, n)[1:]
    return np.repeat(ends, ends - starts) - np.arange(n) - 1


def check_gamma(gamma: float | Floats) -> None:
    """Refuse a discount outside [0, 1]."""
    for value in np.atleast_1d(gamma)[~((np.atleast_1d(gamma) >= 0.0) & (np.atleast_1d(gamma) <= 1.0))].tolist():
        raise ValueError(f"gamma must lie in [0, 1], got {value!r}")
