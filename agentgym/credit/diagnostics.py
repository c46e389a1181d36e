"""What to look at beside every estimate: how much of the batch could carry a signal, and where the signal leans.

Each check is computed when somebody looks at it, and is there only where the batch has the columns that it reads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from agentgym.credit.algebra import Floats, center, zero_spread
from agentgym.credit.rows import by_group_state, column, potential_gain, reward, rollout_sum, rollouts_by_group

if TYPE_CHECKING:
    from agentgym.batch import TurnBatch


def checks(batch: TurnBatch, options: Mapping[str, Any], total: Floats) -> dict[str, Callable[[], Any]]:
    """The checks that this batch allows, by name, each a function without arguments.

    Args:
        batch: the record.
        options: the estimator's; `key` says what step groups compare (default: the anchor, else the state).
        total: the advantages, one a row.
    """
    found: dict[str, Callable[[], Any]] = {"drift": partial(drift, batch, total)}
    key = options.get("key")
    if key not in ("anchor", "state"):
        key = "anchor" if "anchor" in batch else "state"
    if key in batch:
        found["step_group_sizes"] = partial(step_group_sizes, batch, key)
        found["singleton_share"] = partial(singleton_share, batch, key)
    if "outcome_reward" in batch:
        found["zero_variance_share"] = partial(zero_variance_share, batch, options.get("rewards"))
        if "turn_reward" in batch:
            found["misalignment"] = partial(misalignment, batch)
        if "potential" in batch and "next_potential" in batch:
            found["alpha_star"] = partial(alpha_star, batch)
    return found


def step_group_sizes(batch: TurnBatch, key: str = "anchor") -> dict[int, int]:
    """How many step groups (turns of one group in an equal state) have 1, 2, 3, … turns: {turns: step groups}."""
    sizes, groups = np.unique(by_group_state(batch, key).counts, return_counts=True)
    return dict(zip(sizes.tolist(), groups.tolist(), strict=True))


def singleton_share(batch: TurnBatch, key: str = "anchor") -> float:
    """The share of turns that are alone in their step group, for which a step term can say nothing; 0 for no turns."""
    states = by_group_state(batch, key)
    return float((states.counts == 1).sum() / max(len(states.codes), 1))


def zero_variance_share(batch: TurnBatch, rewards: str | None = None) -> float:
    """The share of groups whose rollouts all return the same, so that a group-relative outcome is 0; 0 for no groups.

    `rewards` is "total" or "outcome"; by default total where the batch has turn rewards.
    """
    kind: Any = rewards or ("total" if "turn_reward" in batch else "outcome")
    flat = zero_spread(rollout_sum(batch, reward(batch, kind)), rollouts_by_group(batch))
    return float(flat.mean()) if len(flat) else 0.0


def misalignment(batch: TurnBatch) -> float | None:
    """How often turn rewards contradict outcomes, over pairs of rollouts of a group whose outcomes differ.

    The share of those pairs in which the rollout with the worse outcome has the larger sum of turn rewards, equal sums
    counting one half. 0: always in line; 0.5: no relation; 1: always against. None where no outcomes differ.
    """
    outcome, turns = (rollout_sum(batch, column(batch, name)) for name in ("outcome_reward", "turn_reward"))
    groups = rollouts_by_group(batch)
    against = pairs = 0.0
    for members in np.split(np.argsort(groups.codes, kind="stable"), np.cumsum(groups.counts)[:-1]):
        worse = outcome[members][:, None] < outcome[members]
        here, there = turns[members][:, None], turns[members]
        against += float((worse & (here > there)).sum()) + 0.5 * float((worse & (here == there)).sum())
        pairs += float(worse.sum())
    return against / pairs if pairs else None


def alpha_star(batch: TurnBatch) -> float | None:
    """How much outcome a unit of gained potential stands for: α* = Cov(o, ΣΔΦ) / Var(ΣΔΦ).

    Over rollouts, each against the mean of its group: o is the outcome, ΣΔΦ the potential gained in all turns. It is
    the weight of the dense signal that explains most of the outcomes: at 0 it says nothing of them, below it leads away
    from them. None where no group's rollouts gained differently.
    """
    outcome, gained = (
        center(rollout_sum(batch, x), rollouts_by_group(batch))
        for x in (column(batch, "outcome_reward"), potential_gain(batch))
    )
    largest = np.abs(gained).max(initial=0.0)
    if not largest:
        return None
    part = gained / largest  # squares of the gains themselves may overflow
    return float(outcome @ part / (part @ part) / largest)


def drift(batch: TurnBatch, total: Floats) -> Floats:
    """The mean advantage of the turns with index 0, 1, 2, …: far from 0 it rewards being early or late as such."""
    turn = np.asarray(batch["turn"])
    return np.bincount(turn, total) / np.bincount(turn) if len(turn) else np.zeros(0)
