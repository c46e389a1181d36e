"""What the advantage wrappers share: an estimator, the check that a loop can feed it, and the credit of a group."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import Wrapper
from gymnasium.vector import VectorWrapper

from agentgym.batch import TurnBatch
from agentgym.batch.columns import BLANK, CHANCE, COLUMNS
from agentgym.batch.played import batch_of
from agentgym.batch.replies import reply_values
from agentgym.credit import as_estimator
from agentgym.errors import MissingColumn, unknown
from agentgym.rollout import Reply
from agentgym.wrappers.episode import Episode, Floats, number

ALWAYS_RECORDED = frozenset(
    {
        "group", "trajectory", "turn", "task", "seed", "branch", "state", "next_state", "anchor", "turn_reward",
        "outcome_reward", "components", "success", "terminated", "truncated", "end_reason", "valid", "kind",
        "observation", "action", "tokens",
    }
)  # fmt: skip
"""Columns that every wrapped loop records."""

BY_SIGNAL = {"potential": "potential", "next_potential": "potential", "menu": "menu"}
"""Columns that are there where the world was asked for a signal, and the signal."""

REPLIES = frozenset({"logprob", "menu_logprobs", "token_ids", "token_logprobs"})
BY_WORLD = frozenset({*BLANK, *CHANCE}) - REPLIES
"""Columns that a world may give; whether it does is seen when a group is estimated."""


class ByReference:
    """Holds an argument that recording must not copy: a policy, a model, a function bound to one."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __deepcopy__(self, memo: dict[int, Any]) -> ByReference:
        return self

    def __repr__(self) -> str:
        return repr(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ByReference) and other.value is self.value

    __hash__ = None  # type: ignore[assignment]


def held(value: Any) -> Any:
    """Return a value as recorded arguments keep it: texts as they are, anything else by reference."""
    return value if isinstance(value, str | ByReference) else ByReference(value)


def checked_size(size: Any, found: int | None = None) -> int:
    """Return the number of episodes a group.

    Args:
        size: what the caller said, or None.
        found: what the vector environment says of its groups, or None.

    Raises:
        ValueError: none is known, the vector's groups are of one episode and the caller did not say so, both differ, or
            it is no integer of at least 1.
    """
    if size is None and found is None:
        raise ValueError("group_size is needed: say how many episodes of equal start form a group, such as 8")
    if size is None and found == 1:
        raise ValueError(
            "group_size is needed: the vector has groups of 1, in which no episode can be compared with another; make "
            "the vector with group_size=8, or say group_size=1 here too"
        )
    if size is None:
        size = found
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise ValueError(f"group_size must be an integer of at least 1, not {size!r}")
    if found is not None and size != found:
        raise ValueError(f"group_size={size}, but the environment has groups of {found}: leave group_size out")
    return size


def one_credit(wrapper: Any) -> None:
    """Refuse a second wrapper that would write the key "credit"."""
    layer = wrapper.env
    while isinstance(layer, Wrapper | VectorWrapper):
        if isinstance(getattr(layer, "_judge", None), Judge):
            raise ValueError(
                f"{type(wrapper).__name__} around {type(layer).__name__}: both would write info['credit']; keep one, "
                "and give the batch of RecordTurns to credit.estimate for further estimators"
            )
        layer = layer.env


class Judge:
    """Gives the turns of a finished group their credit.

    Args:
        estimator: what `agentgym.credit.estimate` takes: a name, an Estimator, a function.
        options: of the estimator, `preset` among them.
        score: None, a function from an episode's messages to one log-probability a turn, or a menu policy with
            `log_probs(views)` and `hindsight_logprob(batch)`.

    Raises:
        ValueError, TypeError: an unknown estimator, preset or option; the message offers the nearest.
    """

    def __init__(self, estimator: Any, options: Mapping[str, Any], score: Any = None) -> None:
        estimator, score = (part.value if isinstance(part, ByReference) else part for part in (estimator, score))
        self.estimator = as_estimator(estimator)
        self.options = dict(options)
        self.needs = self.estimator.needs_with(**self.options)
        self.policy = score if hasattr(score, "hindsight_logprob") else None
        if score is not None and self.policy is None and not callable(score):
            raise TypeError(
                f"score must be a function from messages to log-probabilities, or a policy with hindsight_logprob"
                f"(batch), such as agentgym.baselines.hindsight.HindsightPolicy, not {score!r:.60}"
            )
        self.score: Callable[[list[dict[str, Any]]], Any] | None = None if self.policy is not None else score

    def check(self, signals: Iterable[str]) -> None:
        """Refuse an estimator that a loop over a world with these signals cannot feed.

        Raises:
            MissingColumn: it reads a column that no wrapped loop records.
            ValueError: it, or the policy, reads a signal that the world was not asked for.
        """
        asked, who = frozenset(signals), f"estimator {self.estimator.name!r}"
        wanted = dict.fromkeys(self.estimator.signals, who)
        for column in self.needs:
            if column not in COLUMNS:
                raise MissingColumn(f"{who} cannot run: {unknown('column', column, COLUMNS)}")
            if column in BY_SIGNAL:
                wanted.setdefault(BY_SIGNAL[column], who)
            elif column not in ALWAYS_RECORDED and column not in BY_WORLD and column not in self._scored():
                raise MissingColumn(f"{who} needs the column {column!r}, {self._remedy(column)}")
        for signal in getattr(self.policy, "signals", ()):
            wanted.setdefault(signal, f"{type(self.policy).__name__}")
        missing = [signal for signal in wanted if signal not in asked]
        if missing:
            raise ValueError(
                f"{wanted[missing[0]]} reads the signal {missing[0]!r}, which this world was not asked for: make it "
                f"with signals={(*sorted(asked), *missing)!r}"
            )

    def _scored(self) -> frozenset[str]:
        if self.policy is not None:
            return frozenset({"hindsight_logprob", "logprob", "menu_logprobs"})
        return frozenset() if self.score is None else frozenset({"hindsight_logprob"})

    def _remedy(self, column: str) -> str:
        if column == "hindsight_logprob":
            return "which needs a score of each finished episode: use HindsightAdvantage(env, score)"
        return (
            "which a Gymnasium loop cannot record, since only text passes through step: take the batch of RecordTurns, "
            f"add it with batch.with_columns({column}=…) and call credit.estimate"
        )

    def close(self, episode: Episode) -> None:
        """Ask the score, where it is a function, about an episode that has just finished.

        Raises:
            ValueError: it did not return one finite number a turn.
        """
        if self.score is None or episode.failed:
            return
        given = self.score(episode.messages())
        try:
            read = np.array(given)
            if read.size and read.dtype.kind not in "iuf":  # bools and texts are no log-probabilities
                raise TypeError(f"an array of {read.dtype}")
            scores = read.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"score(messages) returned {given!r:.60} for {episode.name}: return one log-probability a turn"
            ) from error
        turns = len(episode.rows)
        if scores.shape != (turns,):
            raise ValueError(
                f"score(messages) returned an array of shape {scores.shape} for the {turns} turns of {episode.name}: "
                "return one log-probability a turn, that is one for each assistant message"
            )
        if not np.isfinite(scores).all():
            turn = int(np.isfinite(scores).argmin())
            raise ValueError(f"score(messages) returned {scores[turn]} for turn {turn} of {episode.name}: not finite")
        episode.hindsight = scores

    def credit(self, episodes: Sequence[Episode]) -> list[Floats]:
        """Return the advantages of each episode's turns, float64, one array an episode.

        Episodes that an infrastructure error ended are left out of the estimate; theirs is an empty array.
        """
        number(episodes)
        counted = [episode for episode in episodes if not episode.failed]
        if not counted:
            return [np.zeros(0) for _ in episodes]
        total = self.estimator(self._batch(counted), **self.options).total
        parts = iter(np.split(total, np.cumsum([len(episode.rows) for episode in counted])[:-1]))
        return [np.zeros(0) if episode.failed else next(parts).copy() for episode in episodes]

    def _batch(self, episodes: Sequence[Episode]) -> TurnBatch:
        """Return the record of a group, with what the score gives."""
        if self.policy is not None:
            _replies(self.policy, episodes)
            batch = batch_of(episodes, {})
            return batch.with_columns(hindsight_logprob=self.policy.hindsight_logprob(batch))
        if self.score is None:
            return batch_of(episodes, {})
        for episode in episodes:
            if episode.hindsight is None:  # it raised when it was asked first
                self.close(episode)
        scores = [episode.hindsight for episode in episodes if episode.hindsight is not None]
        return batch_of(episodes, {}).with_columns(hindsight_logprob=np.concatenate(scores))


def _replies(policy: Any, episodes: Sequence[Episode]) -> None:
    """Put the policy's own log-probabilities into the replies, as `collect` would have recorded them.

    Raises:
        ValueError: an action that was not in the menu.
    """
    views = [view for episode in episodes for view in episode.views()]
    given = iter(policy.log_probs(views))
    for episode in episodes:
        for turn, (observation, before, reply, after) in enumerate(episode.rows):
            logprobs, menu = next(given), before.get("menu", ())
            try:
                known = Reply(*reply_values(reply.text, None, logprobs, None, None, menu))
            except ValueError as error:
                raise ValueError(f"{error} at turn {turn} of {episode.name}: hindsight of a menu policy") from None
            episode.rows[turn] = (observation, before, known, after)
