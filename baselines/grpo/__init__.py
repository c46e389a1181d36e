"""The reference GRPO trainer: rollouts by token ids, credit from any estimator, a clipped loss, AdamW.

Read in this order: config, tokens, model, engine, rollout, data, loss, train. Importing this package needs no model
library.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from agentgym.baselines.grpo.config import Config, TrainError, make

__all__ = ["Config", "TrainError", "make", "run"]


def run(config: Config, out: str, *, resume: bool = False, tensorboard: bool = False) -> dict[str, Any]:
    """Run a training run; see `agentgym.baselines.grpo.command.train`. TrainError: torch or transformers is missing."""
    try:
        command = import_module("agentgym.baselines.grpo.command")
    except ModuleNotFoundError as error:
        if error.name not in ("torch", "transformers"):
            raise
        raise TrainError(
            f"the trainer needs {error.name}: pip install 'agentgym-suite[train,bench]', in a checkout "
            "pip install -e '.[train,bench]'"
        ) from error
    found: dict[str, Any] = command.train(config, out, resume=resume, tensorboard=tensorboard)
    return found
