"""collect: a policy plays tasks in groups, and every turn becomes one row of a TurnBatch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from types import MappingProxyType
from typing import Any, Protocol, runtime_checkable

import gymnasium

from agentgym.batch import TurnBatch
from agentgym.batch.inputs import thawed
from agentgym.batch.played import batch_of
from agentgym.batch.replies import reply_values
from agentgym.env import AgentEnv
from agentgym.errors import AgentGymError, WorldError, unknown
from agentgym.rng import TurnRng, checked_seed
from agentgym.task import Task
from agentgym.turn import TurnInfo, copy_json

_TEXTS = ("kind", "tag", "channel", "subgoal")


@dataclass(slots=True)
class View:
    """What a policy sees of one rollout before it acts: copies, so that nothing it does to them reaches the record.

    Attributes:
        messages: the whole conversation so far, chat format; the list is this view's, its dicts are the rollout's.
        turn: turns taken so far.
        rng: draws for this decision; equal whatever else is in the batch.
        key: hash of the state before acting; equal key and turn, equal menu.
        info: the last info record, read-only.
        menu, expert, describe: the signals of these names, where asked for (else empty).
        tools: OpenAI-style schemas in tool worlds.
    """

    messages: Sequence[Mapping[str, Any]]
    turn: int
    rng: TurnRng
    key: str
    info: Mapping[str, Any]
    menu: Sequence[str] = ()
    expert: str = ""
    describe: str = ""
    tools: Sequence[Mapping[str, Any]] = ()


@dataclass(slots=True)
class Reply:
    """What a policy answers.

    Attributes:
        text: the action.
        logprob: mean log-probability of the action's tokens, finite.
        menu_logprobs: log-probabilities over the view's menu, in its order, whose probabilities sum to 1 within 1e-6;
            `text` is then one of the menu. −inf is allowed and recorded as −744.44…, the log of the smallest positive
            float, since a record holds finite numbers.
        token_ids, token_logprobs: the sampled tokens and their finite log-probabilities, equally many.
    """

    text: str
    logprob: float | None = None
    menu_logprobs: Sequence[float] | None = None
    token_ids: Sequence[int] | None = None
    token_logprobs: Sequence[float] | None = None


@runtime_checkable
class Policy(Protocol):
    """A callable from views to replies, in order.

    Attributes:
        signals: the signals it reads, such as ("menu",).
        markov: whether its replies depend on nothing but state, turn and menu (and the view's rng).
    """

    signals: Sequence[str]
    markov: bool

    def __call__(self, views: Sequence[View]) -> Sequence[Reply | str]:
        """Return one reply a view."""
        ...


class RolloutError(AgentGymError):
    """A world failed while it was played; `batch` holds the rollouts that were finished by then (None: none were)."""

    def __init__(self, message: str, batch: TurnBatch | None) -> None:
        super().__init__(message)
        self.batch = batch

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.batch)


class PolicyError(RolloutError):
    """A policy failed; `batch` holds the rollouts that were finished by then (None: none were)."""


@dataclass(slots=True)
class _Rollout:
    """One episode under way and the rows it has made."""

    env: AgentEnv[Any]
    group: str
    member: int
    seed: int
    observation: str
    info: TurnInfo
    messages: list[Mapping[str, Any]]
    rows: list[tuple[str, TurnInfo, Reply, TurnInfo]] = field(default_factory=list)
    flags: tuple[bool, bool] = (False, False)
    tools: Sequence[Mapping[str, Any]] = ()

    def view(self) -> View:
        """Return what the policy sees; nothing that it does to it reaches the record."""
        info, shown = self.info, MappingProxyType(copy_json(self.info))
        return View(
            list(self.messages), info["turn"], TurnRng(self.seed, self.member, info["turn"], "policy"),
            info["state_hash"], shown, tuple(info.get("menu", ())), info.get("expert", ""), info.get("describe", ""),
            self.tools,
        )  # fmt: skip

    def take(self, reply: Reply) -> bool:
        """Play the reply; return whether the episode is over."""
        observation, _, terminated, truncated, info = self.env.step(reply.text)
        _check_texts(info)
        self.rows.append((self.observation, self.info, reply, info))
        self.messages.extend(copy_json(info["messages"]))
        self.observation, self.info, self.flags = observation, info, (terminated, truncated)
        return terminated or truncated


def collect(
    env: str | type[AgentEnv[Any]] | AgentEnv[Any],
    policy: Policy | Callable[[Sequence[View]], Sequence[Reply | str]],
    *,
    tasks: Sequence[str | Task] | int | None = None,
    group_size: int = 8,
    seed: int = 0,
    noise: str = "shared",
    signals: Sequence[str] = (),
    estimators: Sequence[str] = (),
    env_kwargs: Mapping[str, Any] | None = None,
    max_live: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> TurnBatch:
    """Play every task `group_size` times and return the record.

    The seed of task i is seed + i. All unfinished rollouts, at most `max_live`, are in each call of the policy; the
    result does not depend on it. Rollouts that end with an infrastructure error are left out and counted in
    `meta["infra_errors"]`.

    Args:
        env: a registered id, a world's class, or a world (rebuilt from its constructor's arguments).
        policy: see `Policy`; a plain function works too.
        tasks: task ids, or the first so many of the world's split; None: the whole split.
        group_size: rollouts a task; they start equal.
        seed: ≥ 0.
        noise: "shared": members of a group meet the same draws of the world; "own": draws of their own.
        signals: to record besides those that the policy and the estimators read.
        estimators: names in `agentgym.credit` whose signals are recorded.
        env_kwargs: constructor arguments of the world.
        max_live: most rollouts at once.
        progress: called with (finished, total) rollouts.

    Raises:
        PolicyError: the policy raised, or returned too few replies or what cannot be recorded (see `Reply`); it names
            tasks and turn and keeps the finished rollouts in `batch`.
        RolloutError: the world raised; it names task and turn and keeps the finished rollouts in `batch`.
        ValueError, KeyError: a bad argument, an unknown task.
    """
    _check_count("group_size", group_size)
    if max_live is not None:
        _check_count("max_live", max_live)
    if noise not in ("shared", "own"):
        raise ValueError(unknown("noise", noise, ["shared", "own"]))
    checked_seed(seed)
    asked = [*signals, *getattr(policy, "signals", ()), *_signals_of(estimators)]
    world = build(env, env_kwargs, signals=asked)
    chosen = _tasks(world, tasks)
    meta = {"env": world.spec_dict(), "seed": seed, "group_size": group_size, "noise": noise, "infra_errors": 0}
    total = len(chosen) * group_size
    done: list[_Rollout] = []
    live: list[_Rollout] = []
    waiting = _start(world, chosen, group_size, seed, noise, lambda: _finished(done, meta))
    while True:
        while len(live) < (max_live or total) and (rollout := next(waiting, None)) is not None:
            live.append(rollout)
        if not live:
            break
        before, live = len(done), _played(live, _ask(policy, live, done, meta), done, meta)
        if progress is not None and len(done) > before:
            progress(len(done), total)
    return batch_of(done, meta)


def build(
    env: str | type[AgentEnv[Any]] | AgentEnv[Any],
    kwargs: Mapping[str, Any] | None = None,
    *,
    signals: Sequence[str] = (),
) -> AgentEnv[Any]:
    """Return a bare new world that offers `signals` besides those its arguments ask for.

    Args:
        env: a registered id, a world's class, or a world, which is left alone and built again from its arguments.
        kwargs: constructor arguments, on top of those of a given world.
        signals: names of signals.

    Raises:
        TypeError: something else, or an id that is not a world of agentgym's contract.
    """
    arguments = {name: thawed(value) for name, value in (kwargs or {}).items()}  # they may come from a record's meta
    if isinstance(env, gymnasium.Env):
        bare = env.unwrapped
        if not isinstance(bare, AgentEnv):
            raise TypeError(f"{type(bare).__name__} is not an AgentEnv: collect plays worlds of agentgym's contract")
        arguments = {**bare._init_kwargs, **arguments}
    merged = tuple(dict.fromkeys([*arguments.get("signals", ()), *signals]))
    if merged:
        arguments["signals"] = merged
    if isinstance(env, gymnasium.Env):
        made: Any = type(env.unwrapped)(**arguments)
        made.spec = env.unwrapped.spec
    elif isinstance(env, str):
        made = gymnasium.make(env, disable_env_checker=True, **arguments).unwrapped
    elif isinstance(env, type) and issubclass(env, AgentEnv):
        made = env(**arguments)
    else:
        raise TypeError(f"env must be a registered id, an AgentEnv class or an AgentEnv, not {env!r:.80}")
    if not isinstance(made, AgentEnv):
        raise TypeError(f"{env!r} is not an AgentEnv: collect plays worlds of agentgym's contract")
    return made


def _start(
    world: AgentEnv[Any],
    tasks: Sequence[Task],
    group_size: int,
    seed: int,
    noise: str,
    finished: Callable[[], TurnBatch | None],
) -> Iterator[_Rollout]:
    tools = tuple(world.tool_schemas)
    for index, task in enumerate(tasks):
        for member in range(group_size):
            options = {"task": task.id, "branch": member if noise == "own" else 0}
            try:
                env = world.copy()
                observation, info = env.reset(seed=seed + index, options=options)
                _check_texts(info)
            except Exception as error:
                raise RolloutError(
                    f"the world raised {error!r} at the start of task {task.id!r}", finished()
                ) from error
            group, messages = f"{task.id}#{seed + index}", copy_json(info["messages"])
            yield _Rollout(env, group, member, seed + index, observation, info, messages, tools=tools)


def _played(
    live: Sequence[_Rollout], replies: Sequence[Reply], done: list[_Rollout], meta: dict[str, Any]
) -> list[_Rollout]:
    """Play the replies; return the rollouts that go on, and put the others into `done`."""
    running: list[_Rollout] = []
    for rollout, reply in zip(live, replies, strict=True):
        try:
            over = rollout.take(reply)
        except Exception as error:
            what = f"the world raised {error!r} at {_where([rollout])}"
            raise RolloutError(what, _finished(done, meta)) from error
        (done if over else running).append(rollout)
    return running


def _check_texts(info: TurnInfo) -> None:
    """Refuse now what would make the record fail when all is played. Raises WorldError."""
    for name in _TEXTS:
        if not isinstance(info.get(name, ""), str):
            raise WorldError(f"the world gave {name} = {info.get(name)!r:.60}, which is no text")
    for name in ("menu", "plan"):
        texts: Any = info.get(name, ())
        for value in texts:
            if not isinstance(value, str):
                raise WorldError(f"the world gave a {name} with {value!r:.60}, which is no text")


def _ask(
    policy: Callable[[Sequence[View]], Sequence[Reply | str]],
    live: Sequence[_Rollout],
    done: Sequence[_Rollout],
    meta: dict[str, Any],
) -> list[Reply]:
    views = [rollout.view() for rollout in live]
    try:
        replies = list(policy(views))
    except Exception as error:
        raise PolicyError(f"the policy raised {error!r} at {_where(live)}", _finished(done, meta)) from error
    if len(replies) != len(live):
        what = f"the policy returned {len(replies)} replies to {len(live)} views at {_where(live)}; return one a view"
        raise PolicyError(what, _finished(done, meta))
    checked = []
    for reply, rollout in zip(replies, live, strict=True):
        try:
            checked.append(_checked(reply, rollout.info.get("menu", ())))
        except ValueError as fault:
            raise PolicyError(f"{fault} at {_where([rollout])}", _finished(done, meta)) from None
    return checked


def _checked(reply: Any, menu: Sequence[str]) -> Reply:
    """Return a copy of a reply that can be recorded. Raises ValueError."""
    reply = reply if isinstance(reply, Reply) else Reply(reply)
    return Reply(
        *reply_values(reply.text, reply.logprob, reply.menu_logprobs, reply.token_ids, reply.token_logprobs, menu)
    )


def _where(rollouts: Sequence[_Rollout]) -> str:
    shown = [f"task {rollout.info['task']!r} turn {rollout.info['turn']}" for rollout in rollouts[:3]]
    return ", ".join(shown) + (f" and {len(rollouts) - 3} more" if len(rollouts) > 3 else "")


def _finished(done: Sequence[_Rollout], meta: dict[str, Any]) -> TurnBatch | None:
    return batch_of(done, meta) if done else None


def _tasks(world: AgentEnv[Any], tasks: Sequence[str | Task] | int | None) -> Sequence[Task]:
    split: Sequence[Task] = world.panel[world.split]
    if tasks is None:
        return split
    if isinstance(tasks, int) and not isinstance(tasks, bool):
        if not 1 <= tasks <= len(split):
            raise ValueError(f"tasks={tasks}: the split {world.split!r} of {world.panel!r} holds {len(split)}")
        return split[:tasks]
    if isinstance(tasks, str | bool):
        raise TypeError(f"tasks must be a sequence of ids or a count, not {tasks!r}")
    return [_in_panel(world, task) for task in tasks]


def _in_panel(world: AgentEnv[Any], task: str | Task) -> Task:
    found: Task = world.panel.task(task.id if isinstance(task, Task) else task)
    if isinstance(task, Task) and task is not found and task != found:
        raise ValueError(
            f"the task {task.id!r} that was given differs from the one of this id in {world.panel!r}: pass tasks "
            "of your own to the world, as in collect(…, env_kwargs={'tasks': [task]})"
        )
    return found


def _signals_of(estimators: Sequence[str]) -> list[str]:
    if not estimators:
        return []
    credit = import_module("agentgym.credit")  # a layer above; only asked which signals a name needs
    return [signal for name in estimators for signal in credit.info(name).signals]


def _check_count(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"{name} must be an integer of at least 1, not {value!r}")
