"""VinePPO's values: every turn's start is valued by fresh continuations of the policy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from agentgym.batch import TurnBatch
from agentgym.env import AgentEnv
from agentgym.errors import unknown
from agentgym.fidelity import fork_values
from agentgym.rollout import RolloutError, Run, play_all

REWARDS = ("total", "outcome")


@dataclass(frozen=True)
class Vine:
    """Play as ever, then value the start of every turn by the mean return of K fresh continuations, undiscounted.

    The column `value` holds it, for `credit.vine` and `credit.gae`. Continuations have draws of their own, of the world
    and of the policy, and meet the world's turn limit; turns of equal task, seed, turn and state share theirs (with a
    policy that is not markov: of equal history too). `meta["branching"]` says in `steps` how many turns of the world
    they cost besides the batch's own; `meta["value"]` says which return the values are of.

    Args:
        k: continuations a moment, at least 1.
        rewards: the return: "total", turn_reward + outcome_reward; "outcome", outcome_reward alone.

    Raises:
        ValueError: k or rewards out of its range.
    """

    keeps_log: ClassVar[bool] = True
    k: int = 4
    rewards: str = "total"

    def __post_init__(self) -> None:
        if isinstance(self.k, bool) or not isinstance(self.k, int) or self.k < 1:
            raise ValueError(f"k must be an integer of at least 1, not {self.k!r}")
        if self.rewards not in REWARDS:
            raise ValueError(unknown("value", self.rewards, REWARDS, "of rewards"))

    def play(self, run: Run) -> TurnBatch:
        """Play a run and value its turns; see `collect`, which calls this. Raises RolloutError."""
        batch = play_all(run)
        run.forget()
        try:
            return self.fill(batch, run.policy, env=run.world)
        except Exception as error:
            raise RolloutError(f"the continuations failed: {error}", run.finished()) from error

    def fill(
        self,
        batch: TurnBatch,
        policy: Any,
        *,
        env: AgentEnv[Any] | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> TurnBatch:
        """Return a finished batch with the column `value`.

        Args:
            batch: what `collect` returned.
            policy: the policy that played it.
            env: the world, where `batch.meta["env"]` cannot rebuild it.
            progress: called with (done, total) continuations.

        Raises:
            FidelityError: the policy cannot be taken back to a moment, or the batch not be replayed.
            MissingColumn: the batch lacks a column that replay needs.
        """
        known = {"scheme": "vine", "rewards": self.rewards}
        made: dict[str, Any] = {"scheme": "vine", "k": self.k, "rewards": self.rewards, "steps": 0}
        if not len(batch):  # all rollouts ended with an infrastructure error
            return batch.with_meta(branching=made, value=known)
        value, made["steps"] = fork_values(
            batch, policy, continuations=self.k, objective=self.rewards, env=env, progress=progress
        )
        return batch.with_columns(value=value).with_meta(branching=made, value=known)
