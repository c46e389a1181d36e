"""A batch as the estimators see it: reward per row, sums per rollout, and the populations that share a statistic.

Rollouts are numbered 0, 1, … in the order of `batch.starts`; `batch.rollout` holds the number of
each row's rollout, `batch.rollout_group` the group of each rollout. "Per rollout" means shape [rollouts], "per row"
shape [rows] in the rows' order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from agentgym.credit.algebra import Bools, Floats, Ints, Population, in_range, population
from agentgym.credit.returns import discounted_return
from agentgym.errors import unknown

if TYPE_CHECKING:
    from agentgym.batch import TurnBatch
    from agentgym.batch.ragged import Ragged

Scalar = TypeVar("Scalar", bound=np.generic)
Rewards = Literal["total", "outcome"]
Votes = Literal["trajectory", "turn", "token"]
Singleton = Literal["zero", "raw"]


def reward_columns(rewards: str = "total", votes: str = "trajectory", **_: Any) -> tuple[str, ...]:
    """The columns that `rewards` and `votes` read."""
    one_of("rewards", rewards, ("total", "outcome"))
    paid = ("outcome_reward",) if rewards == "outcome" else ("turn_reward", "outcome_reward")
    return (*paid, *vote_columns(votes))


def vote_columns(votes: str = "trajectory", **_: Any) -> tuple[str, ...]:
    """The columns that `votes` reads."""
    one_of("votes", votes, ("trajectory", "turn", "token"))
    return ("tokens",) if votes == "token" else ()


def state_column(key: str) -> str:
    """The column that `key` reads: itself. ValueError: it is none that tells states apart."""
    one_of("key", key, ("anchor", "state"))
    return key


def reward(batch: TurnBatch, rewards: Rewards = "total") -> Floats:
    """What each turn pays: turn_reward + outcome_reward ("total"), or outcome_reward alone ("outcome"); per row."""
    one_of("rewards", rewards, ("total", "outcome"))
    outcome = column(batch, "outcome_reward")
    if rewards == "outcome":
        return outcome
    return in_range("a turn's reward, turn_reward + outcome_reward,", lambda: column(batch, "turn_reward") + outcome)


def column(batch: TurnBatch, name: str) -> Floats:
    """A numeric column as float64, per row."""
    return np.asarray(batch[name], dtype=np.float64)


def recorded_value(batch: TurnBatch, rewards: Rewards) -> Floats:
    """The column value, per row.

    Raises:
        ValueError: it is known to be of another return than `rewards` says, as `collect(branching=Vine(rewards=…))`
            notes it in meta["value"].
    """
    made = batch.meta.get("value")
    if isinstance(made, dict) and made.get("rewards", rewards) != rewards:
        raise ValueError(
            f"the values in this batch are of rewards={made['rewards']!r} and the estimate asks for {rewards!r}: give "
            "both the same, as in collect(branching=Vine(rewards=…)) and estimate(…, rewards=…)"
        )
    return column(batch, "value")


def potential_gain(batch: TurnBatch) -> Floats:
    """What each turn gained of the potential: next_potential - potential; per row."""
    return in_range(
        "a gain, next_potential - potential,", lambda: column(batch, "next_potential") - column(batch, "potential")
    )


def rollout_sum(batch: TurnBatch, x: Floats) -> Floats:
    """Σ over the turns of each rollout; per rollout."""
    return in_range("a rollout's sum", lambda: by_rollout(batch).sum(x))


def spread(batch: TurnBatch, values: NDArray[Scalar]) -> NDArray[Scalar]:
    """One value a rollout → each of its turns; per row."""
    spread_out: NDArray[Scalar] = values[batch.rollout]
    return spread_out


def to_go(batch: TurnBatch, x: Floats, gamma: float | Floats) -> Floats:
    """G_t = x_t + gamma · G_{t+1} inside each rollout, with one discount or one a row; per row."""
    return discounted_return(x, gamma, batch.order, batch.starts)


def turns_to_end(batch: TurnBatch) -> Ints:
    """T_i - 1 - t: how many turns follow in the rollout; per row."""
    left: Ints = spread(batch, batch.lengths) - 1 - batch.turn
    return left


def following(batch: TurnBatch, x: NDArray[Scalar]) -> NDArray[Scalar]:
    """The value of the next turn of the same rollout; a last turn keeps its own; per row."""
    result = x.copy()
    here, there = batch.order[:-1], batch.order[1:]
    goes_on = ~batch.last[here]
    result[here[goes_on]] = x[there[goes_on]]
    return result


def by_rollout(batch: TurnBatch) -> Population:
    """Turns of the same rollout; over rows."""
    return Population(batch.rollout, batch.num_rollouts)


def by_batch(batch: TurnBatch) -> Population:
    """All turns of the batch; over rows."""
    return Population(np.zeros(len(batch), np.int64), 1)


def by_group(batch: TurnBatch) -> Population:
    """All turns of all rollouts of the same group; over rows."""
    return Population(batch.group_code, batch.num_groups)


def by_group_turn(batch: TurnBatch) -> Population:
    """Turns of the same group and turn index; over rows."""
    return population(batch.group_code, batch.turn)


def by_group_state(batch: TurnBatch, key: str = "anchor") -> Population:
    """Turns of the same group whose `key` (anchor or state, before acting) is equal; over rows."""
    one_of("key", key, ("anchor", "state"))
    return population(batch.codes("group", key))


def by_row(column: Ragged) -> Population:
    """Entries of the same row, such as the tokens of a turn; over the flat values of a ragged column."""
    return Population(np.repeat(np.arange(len(column)), column.lengths), len(column))


def rollouts_by_group(batch: TurnBatch) -> Population:
    """Rollouts of the same group; over rollouts."""
    return Population(batch.rollout_group, batch.num_groups)


def weights(batch: TurnBatch, votes: Votes) -> Floats | None:
    """How often each rollout votes in a statistic of its group: once, once a turn, or once a token; per rollout."""
    one_of("votes", votes, ("trajectory", "turn", "token"))
    if votes == "trajectory":
        return None
    return batch.lengths.astype(np.float64) if votes == "turn" else rollout_sum(batch, column(batch, "tokens"))


def kept_raw(batch: TurnBatch, singleton: Singleton) -> Bools | None:
    """The groups that keep their values: with "raw", those of one rollout, however many turns it has; per group."""
    one_of("singleton", singleton, ("zero", "raw"))
    return rollouts_by_group(batch).counts == 1 if singleton == "raw" else None


def one_of(option: str, value: object, known: tuple[str, ...]) -> None:
    """Refuse an option value that is not one of the known ones."""
    if not isinstance(value, str) or value not in known:
        raise ValueError(unknown("value", value, known, f"of {option}"))
