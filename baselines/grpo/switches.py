"""`switch` and `subgoal` for a language model that announces its subgoals; see `agentgym.baselines.switching`."""

from __future__ import annotations

from collections.abc import Callable

from agentgym.baselines.grpo.config import Config
from agentgym.baselines.grpo.prepare import Parts
from agentgym.baselines.grpo.rollout import Played
from agentgym.baselines.switching import Switching, with_switches
from agentgym.batch import TurnBatch
from agentgym.errors import MissingColumn


def begin(parts: Parts, config: Config) -> Callable[[Played], TurnBatch]:
    """Return the maker.

    Raises:
        MissingColumn: the world reads no flags, so a model could announce nothing.
    """
    if not isinstance(parts.world.default_codec, Switching):
        raise MissingColumn(
            f"estimator {config.estimator!r} needs the column 'switch': take a world that gives it, or a subclass of "
            "one with default_codec = agentgym.baselines.switching.Switching(), in which the model announces subgoals"
        )
    return lambda played: with_switches(played.batch)
