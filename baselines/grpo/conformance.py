"""This trainer under the canaries: `agentgym canary --train agentgym.baselines.grpo.conformance:train`.

What it hands over is what its loss reads, the ids, masks and advantages of `data.Sequences`, and texts decoded from the
ids that the model read while it played, so that nothing is told of a rollout that it did not read.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from agentgym.baselines.grpo.config import Config, make
from agentgym.baselines.grpo.data import Sequences
from agentgym.baselines.grpo.prepare import prepare
from agentgym.baselines.grpo.rollout import Played
from agentgym.baselines.grpo.surgery import Graft
from agentgym.baselines.grpo.tokens import Tokens
from agentgym.baselines.grpo.train import Record, Trainer
from agentgym.baselines.grpo.warmstart import imitate

SIZES: Final[Mapping[str, Any]] = {
    "updates": 30, "rollouts": 64, "group_size": 8, "width": 48, "layers": 2, "heads": 2, "context": 256,
    "max_new_tokens": 4, "warm_episodes": 64, "warm_epochs": 12, "warm_lr": 5e-3, "lr": 1e-3, "decay": 1.0,
    "epochs": 1, "minibatches": 4, "eval_tasks": 1, "eval_rollouts": 1,
}  # fmt: skip
"""A model of some 80,000 parameters, which learns a canary's lesson in a quarter of a minute of one core."""


class Watched(Trainer):
    """A trainer that writes down what it trains on."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.told: list[dict[str, Any]] = []
        self._played: Played | None = None

    def play(self, progress: Any = None) -> Played:
        """Play, and remember it until it was learned from."""
        self._played = super().play(progress)
        return self._played

    def learn(self, rows: Sequences, pairs: Sequence[Graft] = ()) -> Record:
        """Write down, then learn."""
        if self._played is not None:
            rescored = [values.tolist() for values in self.parts.engine.score(rows.ids)]
            self.told += told(self._played, rows, rescored, self.parts.tokens)
        return super().learn(rows, pairs)


def told(played: Played, rows: Sequences, rescored: Sequence[list[float]], tokens: Tokens) -> list[dict[str, Any]]:
    """Return what the loss reads of rollouts, one dict each, as `agentgym.canary.judge` takes them.

    Args:
        played: the rollouts.
        rows: made of them.
        rescored: the log-probability of every id by the weights that sampled.
        tokens: of the model.
    """
    batch = played.batch
    order, found = batch.order.tolist(), []
    for place, (begin, count) in enumerate(zip(batch.starts.tolist(), batch.lengths.tolist(), strict=True)):
        turns = order[begin : begin + count]
        script = played.transcripts[batch.trajectory[turns[0]]]
        ids, messages, read = rows.ids[place], [], 0
        for first, end in script.spans:
            messages.append({"role": "user", "content": tokens.decode(script.ids[read:first])})
            messages.append({"role": "assistant", "content": tokens.decode(script.ids[first:end])})
            read = end
        found.append(
            {
                "messages": messages,
                "rewards": [float(batch.turn_reward[row] + batch.outcome_reward[row]) for row in turns],
                "group": batch.group[turns[0]],
                "truncated": bool(batch.truncated[turns[-1]]),
                "ids": ids,
                "pieces": [tokens.decode([number]) for number in ids],
                "mask": rows.mask[place],
                "sampled": [batch.token_ids[row].tolist() for row in turns],
                "logprobs": rows.old[place],
                "rescored": rescored[place],
                "advantages": rows.advantage[place],
            }
        )
    return found


def train(world: str, **changes: Any) -> list[dict[str, Any]]:
    """Train a small model in a canary world and return what it was trained on.

    Args:
        world: id of the world.
        **changes: in the configuration.
    """
    config = make(world, **{**SIZES, **changes})
    return trained(config)


def trained(config: Config) -> list[dict[str, Any]]:
    """Do a run of a configuration and return what it trained on."""
    with warnings.catch_warnings(), TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")  # other people's, at their import
        parts = prepare(config)
        if config.warm_episodes:
            imitate(parts, config)
        trainer = Watched(parts, config, Path(folder))
        trainer.begin()
        for _ in range(config.updates):
            trainer.update()
    return trainer.told
