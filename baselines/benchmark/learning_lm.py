"""The learning track with a language model: the trainer of `agentgym train`, one estimator, equal warm starts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch

from agentgym.baselines.benchmark.settings import Budget, Panel
from agentgym.baselines.benchmark.store import RunError
from agentgym.baselines.grpo.config import Config, TrainError, make
from agentgym.baselines.grpo.prepare import NoColumn, prepare
from agentgym.baselines.grpo.train import Trainer
from agentgym.baselines.grpo.warmstart import imitate
from agentgym.rollout import build

Progress = Callable[[int, int], None]
KS = (1, 2, 4, 8)


def config_of(panel: Panel, estimator: str, seed: int, budget: Budget, fields: Mapping[str, Any]) -> Config:
    """Return the trainer's configuration of a cell: the CPU's, with the budget's sizes and some fields changed."""
    sizes = {
        "env_kwargs": panel.kwargs, "estimator": estimator, "seed": seed, "updates": budget.updates,
        "rollouts": budget.update_tasks * budget.group_size, "group_size": budget.group_size,
        "eval_tasks": budget.eval_tasks, "eval_rollouts": budget.eval_rollouts,
    }  # fmt: skip
    return make(panel.env, **{**sizes, **fields})


def check(budget: Budget, estimators: Sequence[str], fields: Mapping[str, Any]) -> None:
    """Make the parts of one cell a panel and estimator, and with them every check of the trainer.

    An estimator that lacks a column is none of them: its cells say so.

    Raises:
        TrainError, ValueError: a cell could not be trained; the message says why and what to do.
    """
    for panel in budget.panels:
        words: Sequence[str] | None = None
        for estimator in estimators if panel.name in budget.learning_panels else ():
            with suppress(NoColumn):
                tokens: Any = prepare(config_of(panel, estimator, 0, budget, fields), words).tokens
                words = tokens.words


def learn(
    panel: Panel, estimator: str, seed: int, budget: Budget, fields: Mapping[str, Any], progress: Progress | None = None
) -> dict[str, Any]:
    """Train a warm-started language model and return its curve and its last evaluation.

    Every update plays `update_tasks` training tasks `group_size` times; tasks, seeds and draws depend on `seed` and the
    update alone, and so does the warm start, so estimators begin alike and meet the same worlds.

    Args:
        panel: of the cell.
        estimator: of the cell.
        seed: of the cell.
        budget: the sizes.
        fields: of the trainer's configuration that differ from the CPU's.
        progress: called with (done, total) updates.

    Returns:
        What `learning.learn` returns, and "learner" ("lm"), "parameters", "warm" (its episodes, passes, and held-out
        success), "drift" (the greatest mean over an update of |ratio − 1| before the first step); or "missing", as it.

    Raises:
        RunError: the training cannot go on.
    """
    with one_thread(), TemporaryDirectory() as folder:
        config = config_of(panel, estimator, seed, budget, fields)
        began = warm(json.dumps(replace(config, estimator="grpo").as_json()))
        try:
            parts = prepare(config, began["words"])
        except NoColumn as error:
            return {"missing": str(error), "panel_hash": build(panel.env, panel.kwargs).panel.hash}
        parts.model.load_state_dict(began["weights"])
        trainer = Trainer(parts, config, Path(folder))
        trainer.begin()
        records = []
        try:
            for update in range(config.updates):
                records.append(trainer.update())
                if progress is not None:
                    progress(update + 1, config.updates)
            evaluation = trainer.evaluate(KS)
        except TrainError as error:  # what follows names a checkpoint, and here none is kept
            reason = str(error).partition(";")[0]
            raise RunError(f"the language model cannot go on learning: {reason}") from error
        return {
            "success": [record["success"] for record in records],
            "return": [record["return"] for record in records],
            "evaluation": evaluation,
            "evaluated_on": parts.held_split,
            "rollouts": config.updates * config.rollouts,
            "extra_turns": sum(record["extra_turns"] for record in records),
            "panel_hash": parts.world.panel.hash,
            "learner": "lm",
            "parameters": sum(weights.numel() for weights in parts.model.parameters()),
            "warm": {"episodes": config.warm_episodes, "passes": began["passes"], "success": began["success"]},
            "drift": max((record["drift"] for record in records if "drift" in record), default=0.0),
        }


@lru_cache(maxsize=1)
def warm(config: str) -> dict[str, Any]:
    """Return "weights", "words", "passes" and "success" of a warm start; cells that share it come one after the other.

    Args:
        config: its fields, JSON; the estimator makes no difference. Without episodes the weights are the first ones.
    """
    made = Config(**json.loads(config))
    parts = prepare(made)
    passes = len(imitate(parts, made)["train"]) if made.warm_episodes else 0
    with TemporaryDirectory() as folder:
        success = Trainer(parts, made, Path(folder)).evaluate()["success"]
    weights = {name: value.clone() for name, value in parts.model.state_dict().items()}
    tokens: Any = parts.tokens
    return {"weights": weights, "words": tokens.words, "passes": passes, "success": success}


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute in one thread, since the order of a sum depends on their number and a cell must not."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
