"""What a training run is made of: one frozen record, presets for CPU and GPU, and the refusal of every bad value."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from agentgym import credit
from agentgym.errors import AgentGymError, unknown
from agentgym.rng import checked_seed

SEEDS = 10**10
UPDATES = 400_000
TASKS = 1_000
"""Seeds of runs lie below SEEDS, a run has at most so many updates and an update so many tasks: then `rollout_seed`
gives every task of every update of every run a seed of its own, below 2⁶³."""
CONTROLS = ("none", "shuffled", "zero")
AGGREGATIONS = ("token_mean", "sequence_mean", "constant")
ENGINES = ("transformers", "vllm")
VLLM_WARMEST = 2.0
"""The greatest temperature that vLLM samples at."""
PRESETS: Mapping[str, Mapping[str, Any]] = {
    "cpu": {},
    "gpu": {
        "device": "cuda", "dtype": "bfloat16", "system": True, "context": 4096, "max_new_tokens": 256,
        "rollouts": 128, "lr": 1e-6, "epochs": 1, "minibatches": 1,
        "token_budget": 32768, "save_every": 10, "warm_episodes": 0, "kv_cache_gib": 16.0,
    },
}  # fmt: skip
"""What a preset changes in the defaults, which are those of the CPU."""


class TrainError(AgentGymError):
    """A training run cannot start or go on; the message says why and what to do."""


@dataclass(frozen=True)
class Config:
    """One training run. Every field is checked when it is made; ValueError names the field and the remedy.

    Attributes:
        env, env_kwargs: the world; its split "train" is trained on, "dev" (else "test", else "train") evaluated on.
        estimator: a registered name or "file.py:function"; options: its options, `preset` among them.
        control: "shuffled" deals the advantages out to the turns at random, "zero" sets them to 0; both must not learn.
        seed: of everything.
        updates: policy updates. rollouts: played for each. group_size: rollouts a task.
        eval_tasks, eval_rollouts: held-out tasks and rollouts a task. eval_every: updates between two evaluations.
        model: a folder or hub name of a causal language model; "": a small one is built for the world.
        width, layers, heads: of the small one.
        device, dtype: "cpu" or "cuda"; "float32", or "bfloat16" (matrix products only, the weights stay float32).
        engine: what samples; "vllm" needs that package. kv_cache_gib: memory for the keys and values that vLLM keeps.
        system: whether the system message is part of the prompt; without it the small model, which learns the form of
            an action from the expert, is spared the list of the world's tools too.
        context: the most tokens of a rollout; beyond, it ends as token_limit after a whole turn.
        max_new_tokens: the most sampled in a turn. temperature: of sampling, and of the log-probabilities trained on.
        aggregation: "token_mean", "sequence_mean" or "constant" (Dr. GRPO: sums over `constant_length` tokens).
        clip_low, clip_high: the ratio is clipped to [1 − low, 1 + high]. dual_clip: bound c > 1 of the loss where the
            advantage is negative; 0: none.
        continuations: fresh ones from each moment, which vine is valued by. grafts: rollouts that go on from the better
            way at each divergence that tstar reports.
        surgical: weight of T-STAR's loss at the divergences that the estimator tstar reports; 0: none.
        kl: weight of the k3 estimate of the divergence from the model before the first update; 0: no reference.
        teacher: who gives teacher_logprobs to the estimators that read them: a folder or hub name, a checkpoint of
            this trainer, or "", the model before the first update.
        mask_cut: leave rollouts that ended as token_limit out of the loss.
        epochs, minibatches: passes over the rollouts of an update, and optimiser steps in each.
        token_budget: the most tokens, padding included, in one forward pass of training; the result is the same.
        lr, warmup, decay: step size, updates over which it rises, and the share of it that is left at the end.
        weight_decay, grad_clip: of AdamW; the largest norm of a gradient.
        save_every: updates between two checkpoints; the last is always kept.
        warm_episodes: expert episodes to imitate first; 0: none. warm_epochs: the most passes over them.
        warm_lr, warm_patience: step size, and how many passes without a gain on held-out episodes end it.
        warm_from: a checkpoint to begin with instead.
    """

    env: str
    env_kwargs: Mapping[str, Any] = field(default_factory=dict)
    estimator: str = "grpo"
    options: Mapping[str, Any] = field(default_factory=dict)
    control: str = "none"
    seed: int = 0
    updates: int = 20
    rollouts: int = 64
    group_size: int = 8
    eval_tasks: int = 64
    eval_rollouts: int = 4
    eval_every: int = 10
    model: str = ""
    width: int = 160
    layers: int = 3
    heads: int = 5
    device: str = "cpu"
    dtype: str = "float32"
    engine: str = "transformers"
    kv_cache_gib: float = 1.0
    system: bool = False
    context: int = 1024
    max_new_tokens: int = 6
    temperature: float = 1.0
    aggregation: str = "token_mean"
    constant_length: int = 256
    clip_low: float = 0.2
    clip_high: float = 0.2
    dual_clip: float = 0.0
    continuations: int = 4
    grafts: int = 1
    surgical: float = 0.15
    kl: float = 0.0
    teacher: str = ""
    mask_cut: bool = False
    epochs: int = 2
    minibatches: int = 4
    token_budget: int = 8192
    lr: float = 2e-4
    warmup: int = 1
    decay: float = 0.5
    weight_decay: float = 0.0
    grad_clip: float = 1.0
    save_every: int = 1
    warm_episodes: int = 256
    warm_epochs: int = 40
    warm_lr: float = 1e-3
    warm_patience: int = 3
    warm_from: str = ""

    def __post_init__(self) -> None:
        """Refuse what cannot be run. Raises ValueError, TypeError."""
        if checked_seed(self.seed) >= SEEDS:
            raise ValueError(
                f"seed must be below {SEEDS:,}, so that rollouts of all runs have seeds of their own, not {self.seed}"
            )
        for kind, names in _KINDS.items():
            for name in names:
                if not isinstance(getattr(self, name), kind):
                    raise ValueError(f"{name} must be {_SAID[kind]}, not {getattr(self, name)!r}")
        for name, least in _COUNTS.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise ValueError(f"{name} must be an integer of at least {least}, not {value!r}")
        for name, (low, high) in _RANGES.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
                raise ValueError(f"{name} must be a number from {low:g} to {high:g}, not {value!r}")
        for name, known in _NAMES.items():
            if getattr(self, name) not in known:
                raise ValueError(unknown(name, getattr(self, name), known))
        self._check_sizes()
        self._check_estimator()

    def _check_sizes(self) -> None:
        if self.group_size > self.rollouts:
            raise ValueError(
                f"group_size {self.group_size} is larger than the batch of {self.rollouts} rollouts: lower group_size, "
                "or raise rollouts to a multiple of it"
            )
        if self.rollouts % self.group_size or self.rollouts % self.minibatches:
            raise ValueError(
                f"rollouts ({self.rollouts}) must be a multiple of group_size ({self.group_size}) and of minibatches "
                f"({self.minibatches})"
            )
        if self.updates > UPDATES or self.rollouts // self.group_size > TASKS:
            raise ValueError(
                f"updates ({self.updates}) must be at most {UPDATES:,} and rollouts / group_size at most {TASKS:,}, or "
                "rollouts would meet the draws of earlier ones"
            )
        if self.max_new_tokens >= self.context:
            raise ValueError(f"max_new_tokens {self.max_new_tokens} leaves no prompt in a context of {self.context}")
        if self.dual_clip and self.dual_clip <= 1.0:
            raise ValueError(f"dual_clip must be 0 (none) or above 1, not {self.dual_clip}")
        if self.engine == "vllm" and self.temperature > VLLM_WARMEST:
            raise ValueError(f"temperature {self.temperature} is above {VLLM_WARMEST}, the most that vLLM samples at")
        if not self.model and self.width % (2 * self.heads):
            raise ValueError(f"width {self.width} must be a multiple of twice the heads ({self.heads})")

    def _check_estimator(self) -> None:
        made = self.made()
        settings = dict(self.options)
        made.settings(settings.pop("preset", None), settings)

    def made(self) -> credit.Estimator:
        """Return the estimator."""
        return credit.as_estimator(credit.load(self.estimator) if ":" in self.estimator else self.estimator)

    @property
    def warm_held_out(self) -> int:
        """Expert episodes that the warm start is measured on: one to eight that are imitated, at least eight."""
        return max(8, self.warm_episodes // 8)

    def as_json(self) -> dict[str, Any]:
        """Return the fields as plain JSON values."""
        return asdict(self)


_COUNTS = {
    "updates": 1, "rollouts": 1, "group_size": 1, "eval_tasks": 1, "eval_rollouts": 1, "eval_every": 1, "width": 4,
    "layers": 1, "heads": 1, "context": 8, "max_new_tokens": 1, "constant_length": 1, "epochs": 1, "minibatches": 1,
    "token_budget": 1, "save_every": 1, "continuations": 1, "grafts": 0, "warmup": 0,
    "warm_episodes": 0, "warm_epochs": 1, "warm_patience": 1,
}  # fmt: skip
_RANGES = {
    "temperature": (0.01, 100.0), "kv_cache_gib": (0.001, 1e6), "clip_low": (0.0, 1.0), "clip_high": (0.0, 100.0),
    "dual_clip": (0.0, 100.0), "surgical": (0.0, 100.0),
    "kl": (0.0, 100.0), "lr": (0.0, 10.0), "decay": (0.0, 1.0), "weight_decay": (0.0, 10.0),
    "grad_clip": (1e-6, math.inf), "warm_lr": (0.0, 10.0),
}  # fmt: skip
_KINDS: Mapping[type, Sequence[str]] = {
    str: ("env", "estimator", "model", "teacher", "warm_from"), Mapping: ("env_kwargs", "options"),
    bool: ("system", "mask_cut"),
}  # fmt: skip
_SAID: Mapping[type, str] = {str: "text", Mapping: "names with values", bool: "true or false"}
_NAMES = {
    "control": CONTROLS, "aggregation": AGGREGATIONS, "engine": ENGINES, "device": ("cpu", "cuda"),
    "dtype": ("float32", "bfloat16"),
}  # fmt: skip


def rollout_seed(seed: int, update: int) -> int:
    """Return the seed of an update's first task; the next task has the next seed, and no other update has either.

    (seed + 1)·10⁶ + update·10³ for the first 1,000 updates, and 2·10¹⁶ more for each further 1,000: without
    that, update 1,000 would meet the draws of the next seed's update 0.
    """
    block, within = divmod(update, 1_000)
    return (seed + 1) * 1_000_000 + within * TASKS + block * 2 * SEEDS * 1_000_000


def make(env: str, preset: str = "cpu", **given: Any) -> Config:
    """Return the configuration of a preset with some fields changed.

    Raises:
        ValueError: an unknown preset, a bad value, or the preset "gpu" with nothing to begin from.
        TypeError: an unknown field. Both offer the nearest name.
    """
    if preset not in PRESETS:
        raise ValueError(unknown("preset", preset, PRESETS))
    known = [entry.name for entry in fields(Config)]
    for name in given:
        if name not in known:
            raise TypeError(unknown("field", name, known, "of the training configuration"))
    config = Config(env, **{**PRESETS[preset], **given})
    if preset == "gpu" and not (config.model or config.warm_episodes or config.warm_from):
        raise ValueError(
            "preset 'gpu' has no model to begin with: give one with --config model=… (a folder or a hub name), or let "
            "the small one made for the world imitate the expert first, with --config warm_episodes=256 or warm_from=…"
        )
    return config


def differences(there: Mapping[str, Any], here: Mapping[str, Any]) -> list[str]:
    """Return «name: value there, value here» of the fields in which two configurations differ."""
    names = sorted({*there, *here})
    return [f"{name}: {there.get(name)!r} there, {here.get(name)!r} here" for name in names
            if there.get(name) != here.get(name)]  # fmt: skip
