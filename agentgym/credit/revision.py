"""Revision: a failed rollout is worth something where a hint from a successful sibling would have mended it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from agentgym.credit.algebra import Floats, Ints, Normalise, Population, in_range
from agentgym.credit.registry import estimator
from agentgym.credit.result import Terms
from agentgym.credit.rows import Rewards, Singleton, Votes, reward, reward_columns, rollout_sum, spread
from agentgym.credit.trajectory import relative_to_group

if TYPE_CHECKING:
    from agentgym.batch import TurnBatch


def _ibpo_columns(rewards: str, votes: str, **_: Any) -> tuple[str, ...]:
    return (*reward_columns(rewards, votes), "success", "revision_ok")


@estimator("ibpo", paper="2605.16302", needs=_ibpo_columns)
def ibpo(
    batch: TurnBatch,
    *,
    rewards: Rewards = "total",
    shaping_weight: float = 0.6,
    revision_credit: float = 0.5,
    votes: Votes = "trajectory",
    normalise: Normalise = "std",
    ddof: int = 0,
    eps: float = 1e-6,
    singleton: Singleton = "zero",
) -> Terms:
    """Group-relative advantage of a shaped return: A_i = GN(R'_i), R'_i = R_i + λ·φ_i.

    i: a rollout; R_i = Σ_t r_{i,t}; φ_i = 0 where the success flag is set, else ρ times the share of `revision_ok`:
    how many of the successful siblings, shown to the policy as a reference, turned the rollout into a success.

    Special cases: no reference (an empty list): φ = 0. No failure can be mended: `grpo`. Where all failures of a group
    with two returns share φ, the shaped returns take two values as before, and standardised values do not change
    (but for ε): with the default normalise="std" this shaping tells failures apart, and does nothing else.

    Source: arXiv 2605.16302, by way of notes: the mean over the references and φ from the success flag are read so.

    Args:
        batch: T rows with the reward columns, success, and revision_ok: one boolean a reference, on every row of the
            rollout or on one of them (the rows of a rollout are pooled).
        rewards: "total", R_i sums turn_reward + outcome_reward; "outcome", outcome_reward alone.
        shaping_weight: λ.
        revision_credit: ρ, what a failure is worth that every reference mends.
        votes: how often a rollout counts in μ and σ: once ("trajectory"), once a "turn", once a "token".
        normalise: "std", or "none" to leave the division out.
        ddof: taken off the votes in the variance: 0, or 1.
        eps: ε ≥ 0.
        singleton: "raw": a group of one rollout keeps its shaped return.

    Returns:
        Term `episode`, shape [T]; diagnostics `phi` and `shaped` (R'), shape [T].

    Raises:
        MissingColumn: a column named above is absent. ValueError: an option value that is not listed.

    Invariants: adding a constant to every outcome of a group changes nothing. A group of one rollout, or of equal
    shaped returns, gives 0.
    """
    score = rollout_sum(batch, reward(batch, rewards))
    phi = revision_credit * revised_share(batch)
    shaped = in_range("a shaped return", partial(_shaped, score, shaping_weight, phi))
    episode = relative_to_group(batch, shaped, votes, normalise, ddof, eps, singleton)
    return Terms({"episode": episode}, phi=spread(batch, phi), shaped=spread(batch, shaped))


def _shaped(score: Floats, weight: float, phi: Floats) -> Floats:
    return score + weight * phi


def revised_share(batch: TurnBatch) -> Floats:
    """The share of references that mend a failed rollout, pooled over its rows; 0 for successes; per rollout."""
    ok = batch["revision_ok"]
    among = Population(np.repeat(batch.rollout, ok.lengths), batch.num_rollouts)
    share = among.sum(ok.flat.astype(np.float64)) / np.maximum(among.counts, 1)
    return np.where(batch["success"][batch.order[batch.starts]], 0.0, share)


def edit_mask(wrong: Sequence[Hashable], revised: Sequence[Hashable]) -> Ints:
    """Which tokens of a rollout its revision changed: 0 where a Levenshtein alignment keeps the token, else 1.

    Of all alignments with the fewest insertions, deletions and substitutions the one is taken that, from the first
    token on, prefers to keep or substitute, then to delete, then to insert. So a common beginning is kept, and of equal
    tokens the earlier. Tokens that the revision inserts have no place in the mask.

    Source: arXiv 2605.16302, where ties are not settled.

    Args:
        wrong: tokens of the rollout (ids, words).
        revised: those of its revision.

    Returns:
        int64, one value a token of `wrong`. Takes 4 bytes for every pair of tokens after the common beginning.
    """
    table: dict[Hashable, int] = {}
    ours, theirs = (
        np.array([table.setdefault(token, len(table)) for token in tokens], dtype=np.int64)
        for tokens in (wrong, revised)
    )
    both = min(len(ours), len(theirs))
    differs = np.flatnonzero(ours[:both] != theirs[:both])
    same = int(differs[0]) if len(differs) else both
    mask = np.zeros(len(ours), dtype=np.int64)
    mask[same:] = _edited(ours[same:], theirs[same:])
    return mask


def _edited(ours: Ints, theirs: Ints) -> Ints:
    """Walk through the table of distances from the first pair of tokens."""
    distance, mask = _distances(ours, theirs), np.ones(len(ours), dtype=np.int64)
    i = j = 0
    while i < len(ours) and j < len(theirs):
        changed = int(ours[i] != theirs[j])
        if distance[i, j] == distance[i + 1, j + 1] + changed:
            mask[i] = changed
            i, j = i + 1, j + 1
        elif distance[i, j] == distance[i + 1, j] + 1:
            i += 1
        else:
            j += 1
    return mask


def _distances(ours: Ints, theirs: Ints) -> NDArray[np.int32]:
    """Return (n + 1, m + 1): the fewest edits from ours[i:] to theirs[j:]."""
    n, m = len(ours), len(theirs)
    distance = np.empty((n + 1, m + 1), dtype=np.int32)
    ahead = np.arange(m, -1, -1, dtype=np.int32)  # tokens that are left of theirs
    distance[n] = ahead
    for i in range(n - 1, -1, -1):
        below = distance[i + 1]
        best = below + 1
        best[:-1] = np.minimum(best[:-1], below[1:] + (theirs != ours[i]))
        # Insertions: the least of best[k] + (k - j) over k ≥ j, a running minimum from the right.
        distance[i] = np.minimum.accumulate((best - ahead)[::-1])[::-1] + ahead
    return distance
