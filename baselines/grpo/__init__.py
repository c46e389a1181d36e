"""The reference GRPO trainer: rollouts by token ids, credit from any estimator, a clipped loss, AdamW.

Read in this order: config, tokens, model, engine, rollout, loss, train. Importing this package needs no model library.
"""

from agentgym.baselines.grpo.config import Config, TrainError, make

__all__ = ["Config", "TrainError", "make"]
