"""AgentEnv: a pure world in a Gymnasium shell.

A world writes `initial` and `transition` (or @tool methods); the shell adds parsing, invalid actions, turn counting,
truncation, rewards, the info record, hashes, snapshots, seeding, spaces and rendering.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self, TypeVar

import gymnasium
import numpy as np
from gymnasium.utils import seeding

from agentgym import _info, _moments, _setup
from agentgym.action import Action, ToolCall, clean
from agentgym.codec import CODECS, Codec, Dialect
from agentgym.digest import state_hash
from agentgym.errors import InfraError, StepAfterEnd, WorldError, unknown
from agentgym.reward import SPARSE, RewardSpec, spec_of
from agentgym.rng import TurnRng, checked_seed
from agentgym.snapshot import Snapshot
from agentgym.space import UnicodeText
from agentgym.task import Task, TaskPanel
from agentgym.turn import Opening, Outcome, Turn, TurnInfo
from agentgym.world import World

State = TypeVar("State")

NOTHING_PAID: tuple[dict[str, float], float, float] = ({}, 0.0, 0.0)
"""Components, turn reward and outcome reward of a valid turn without any; the dict is copied wherever it goes."""


class AgentEnv(World[State], gymnasium.Env[str, Any]):
    """Base of every world.

    Args:
        tasks: a TaskPanel or a sequence of Task that replaces the world's own panel.
        split: the split that `reset` draws from where no task is named.
        reward: what `step` returns as reward: "sparse" (the outcome), "dense" (the world's own weights), or a
            RewardSpec or mapping of weights over the world's named turn rewards. The record is the same under all.
        max_turns: turns after which the episode is truncated.
        signals: what to compute besides: any of "menu", "potential", "expert", "describe" that the world has, and
            the world's own `extra_signals`.
        privileged: whether info holds what the agent must not see, as JSON text.
        codec: how text is read: "plain", "tags", "hermes", "react", "search_r1", "mt_grpo", or a function (text, tools)
            → action; None: the world's `default_codec`.
        render_mode: None or "ansi".

    Raises:
        ValueError: an unknown split, signal, codec, render mode or reward component; the message offers the nearest.
        TypeError: an unknown argument, with the nearest name; a class that defines neither a transition nor a tool.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"], "render_fps": 4}  # type: ignore[misc]
    _init_kwargs: dict[str, Any]
    _generator: np.random.Generator | None = None

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """Record the constructor's arguments, so that the world can be rebuilt from a record."""
        _setup.check_names(cls, kwargs)
        self = super().__new__(cls)
        self._init_kwargs = {**_setup.by_name(cls, args), **kwargs} if args else kwargs
        return self

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name in cls._tools:
            if hasattr(AgentEnv, name):
                raise TypeError(f"the tool {name!r} of {cls.__name__} hides AgentEnv.{name}: give it another name")

    def __init__(
        self,
        *,
        tasks: TaskPanel | Sequence[Task] | None = None,
        split: str = "train",
        reward: str | RewardSpec | Mapping[str, float] = "sparse",
        max_turns: int | None = None,
        signals: Sequence[str] = (),
        privileged: bool = False,
        codec: str | Codec | None = None,
        render_mode: str | None = None,
        **unexpected: Any,
    ) -> None:
        world = type(self)
        if unexpected:
            raise _setup.unexpected(world, next(iter(unexpected)))
        _setup.check_world(world, privileged, render_mode)
        self.panel = _setup.find_panel(world, tasks, split)
        self.split = split
        self.max_turns = _setup.turn_limit(world, max_turns)
        self.signals = _setup.known_signals(world, signals)
        self.privileged = privileged
        self.render_mode = render_mode
        self._reward = spec_of(reward, world.rewards)
        self._codec = _setup.find_codec(world, codec)
        self._foreign = self._codec not in CODECS.values()
        self._native, self._marks = _setup.dialects(self, self._codec)
        self._own_anchor = world.anchor is not World.anchor
        self.observation_space = UnicodeText(self.max_observation)
        self.action_space = UnicodeText(self.max_action)
        self._over = True
        self._task: Task | None = None
        self._state: Any = None
        self._seed = self._branch = self._turn = 0
        self._observation = self._history = ""
        self._hashes = ("", "")  # of state and anchor
        self._start: tuple[Any, ...] = (None,) * 3  # what an episode began with, and the texts and hashes made of it
        self._frame: dict[str, Any] = {}
        self._last: tuple[Any, tuple[Any, ...]] | None = None  # makes the last info anew: a function, its arguments

    # ---- Gymnasium -------------------------------------------------------------------------------------------------

    def reset(  # type: ignore[override]
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[str, TurnInfo]:
        """Start an episode.

        Args:
            seed: the episode's seed; None: the next one of `np_random`.
            options: "task", the id of a task of any split (without it the episode's draws pick one of `split`);
                "branch", for draws of its own after an equal start.

        Raises:
            ValueError: a seed outside [0, 2⁶³), an unknown option.
            KeyError: an unknown task id; the message offers the nearest.
        """
        options = _setup.checked_options(options)
        for name in options:
            if name not in ("task", "branch"):
                raise ValueError(unknown("reset option", name, ["task", "branch"]))
        named = options.get("task")
        task: Task | None = None if named is None else self.panel.task(named)
        branch = checked_seed(options.get("branch", 0), "branch")
        chosen = None if seed is None else checked_seed(seed)
        if chosen is None:
            chosen = int(self.np_random.bit_generator.random_raw()) >> 1
        else:
            self._np_random, self._np_random_seed = None, chosen
        task = task or TurnRng(chosen, stream="task").choice(self.panel[self.split])
        try:
            state, signals = self._opened(task, chosen)
        except Exception as error:
            error.add_note(f"in reset of {self.env_id}, task {task.id!r}, seed {chosen}, branch {branch}, turn 0")
            raise
        self._seed, self._branch, self._turn, self._over = chosen, branch, 0, False
        *_, self._observation, system, self._hashes, self._history = self._start
        self._task, self._state = task, state
        self._frame, self._last = _info.frame(self, task.id, chosen), (_info.opening, (system, signals))
        return self._observation, self._current_info()

    def _opened(self, task: Task, seed: int) -> tuple[State, Mapping[str, Any]]:
        """Return the first state of a task and the signals at it; `_start` holds what else the episode begins with.

        A world that keeps its openings gives the same objects again for the members of a group.
        """
        opening = self.initial(task, TurnRng(seed))
        if not isinstance(opening, Opening) or not isinstance(opening.system, str):
            raise WorldError(
                f"{type(self).__name__}.initial returned {opening!r:.60}: it must return an Opening of texts"
            )
        state, said, rules = opening.state, opening.observation, opening.system
        known = self._start
        if known[0] is not state or known[1] is not said or known[2] is not rules or self._own_copy:
            observation, system = self._shown(said), clean(rules)
            hashes, history = self._hash(state), _info.begun(system, observation)
            self._start = state, said, rules, observation, system, hashes, history
        return state, _info.signals_of(self, state, seed, 0, running=True)

    def step(self, action: str | ToolCall) -> tuple[str, float, bool, bool, TurnInfo]:  # type: ignore[override]
        """Take one turn.

        Returns:
            (observation, reward, terminated, truncated, info). Model output never raises.

        Raises:
            StepAfterEnd: the episode is over or was never started.
            TypeError: the action is neither a str nor a ToolCall.
            WorldError: the world broke the contract. This and any other error of the world names the turn in a note.
        """
        if self._over:
            raise StepAfterEnd(f"{type(self).__name__}: the episode is over (turn {self._turn}); call reset() first")
        try:
            return self._take(action)
        except Exception as error:
            task = "" if self._task is None else self._task.id
            where = f"{self.env_id}, task {task!r}, seed {self._seed}, branch {self._branch}, turn {self._turn}"
            error.add_note(f"in step of {where}, action {action!r:.200}")
            raise

    def _take(self, action: str | ToolCall) -> tuple[str, float, bool, bool, TurnInfo]:
        """Compute everything, then change the world: an error leaves it as it was."""
        rng = TurnRng(self._seed, self._branch, self._turn)
        return self._taken(action, *self.apply(self._state, action, rng))

    def abandon(self, error: InfraError) -> tuple[str, float, bool, bool, TurnInfo]:
        """End the episode with infra_error, because who should act cannot; returns what `step` returns.

        Raises:
            StepAfterEnd: the episode is over or was never started.
        """
        if self._over:
            raise StepAfterEnd(f"{type(self).__name__}: the episode is over (turn {self._turn}); call reset() first")
        return self._taken("", self._lost(self._state, error), True, None)

    def _taken(
        self, action: str | ToolCall, turn: Turn[Any], valid: bool, parsed: Action | None
    ) -> tuple[str, float, bool, bool, TurnInfo]:
        state, taken, outcome = turn.state, self._turn + 1, turn.outcome
        if outcome is None:
            limit: Any = self.limit(state) if self._own_limit else self.max_turns
            if taken >= (limit if type(limit) is int else _setup.checked_limit(self, limit)):
                outcome = _setup.checked_timeout(self, self.timeout(state))
        over = outcome is not None
        observation: Any = turn.observation
        if type(observation) is not str or len(observation) > self.max_observation or not observation.isascii():
            observation = self._shown(observation)
        hashes = self._hashes if state is self._state and not self._own_copy else self._hash(state)
        paid = self._paid(turn, valid, outcome) if turn.rewards or outcome is not None or not valid else NOTHING_PAID
        said, written = _info.written_action(action, parsed, self.max_action)
        extras = _info.extras_of(turn, outcome)
        if self.signals or self.privileged:
            extras.update(_info.signals_of(self, state, self._seed, taken, not over))
        if self._marks is not None and self.forged(action):
            extras["metrics"] = {**extras.get("metrics", {}), "forged_observation": 1.0}
        last = (turn.kind, valid, paid, said, written, extras)
        self._history = _info.chained(self._history, written, observation)
        self._state, self._turn, self._over, self._hashes = state, taken, over, hashes
        self._observation, self._last = observation, (_info.stepped, last)
        reward = paid[2]
        if self._reward is not SPARSE:
            reward = self._reward.turn_reward(paid[0], valid) + self._reward.outcome * reward
        truncated = outcome is not None and outcome.reason.truncates
        return observation, reward, over and not truncated, truncated, _info.stepped(self, *last)

    def render(self) -> str:
        """Return the last observation as text, without control characters."""
        return "".join(char if char.isprintable() or char in "\n\t" else "�" for char in self._observation)

    # ---- moments ---------------------------------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """Return this moment; in worlds with immutable states a pointer.

        Raises:
            StepAfterEnd: no episode was started.
        """
        return _moments.snapshot(self)

    def restore(self, snapshot: Snapshot | bytes, *, branch: int | None = None) -> tuple[str, TurnInfo]:
        """Return to a moment of this or of an equal world, in this or in another process.

        Args:
            snapshot: a Snapshot, or the bytes of one.
            branch: draws of their own for what follows, 0 ≤ branch < 2⁶³; None: those of the snapshot.

        Returns:
            That moment's observation and info, with the signals that this world was asked for.

        Raises:
            SnapshotError: another world, version, panel or base data, or damaged bytes; nothing has changed then.
        """
        return _moments.restore(self, snapshot, branch)

    def fork(self, n: int = 1, *, reseed: bool = False) -> list[Self]:
        """Return `n` independent copies at this moment; with `reseed` each goes on with draws of its own.

        The i-th reseeded copy of one moment always gets the same draws; `restore(snapshot, branch=…)` gives others.
        """
        return _moments.fork(self, n, reseed)

    def copy(self) -> Self:
        """Return an independent world at the same moment, started or not; episode seeds of its own."""
        return _moments.copy(self)

    # ---- the rest ---------------------------------------------------------------------------------------------------

    @property
    def env_id(self) -> str:
        """Return the registered id, or the class's name where the world was built directly."""
        return self.spec.id if self.spec is not None else type(self).__name__

    @property
    def tool_schemas(self) -> list[dict[str, Any]]:
        """Return fresh OpenAI-style schemas of the tools; empty in worlds without tools."""
        return self._tools.schemas()

    @property
    def instructions(self) -> str:
        """Return the text that tells a model how to act here, tools included; "" under a codec of one's own.

        It is in no message: put it into the system prompt if the model does not get the tools otherwise.
        """
        return self._codec.instructions(self._tools) if isinstance(self._codec, Dialect) else ""

    @property
    def _np_random(self) -> np.random.Generator | None:
        """Gymnasium's own generator; made of its seed when somebody asks, since that takes half of a reset's time."""
        if self._generator is None and self._np_random_seed is not None:
            self._generator = seeding.np_random(self._np_random_seed)[0]
        return self._generator

    @_np_random.setter
    def _np_random(self, generator: np.random.Generator | None) -> None:
        self._generator = generator

    @property
    def state(self) -> State:
        """Return the current state; never change it."""
        state: State = self._state
        return state

    def spec_dict(self) -> dict[str, Any]:
        """Return what rebuilds this world, as JSON: id, version, kwargs, panel hash, and which kwargs are opaque.

        Opaque is what JSON cannot hold or would change, such as a dict whose keys are no str; but tuples are written
        as lists.
        """
        plain, opaque = {}, []
        for name, value in self._init_kwargs.items():
            try:
                plain[name] = _setup.as_json(value)
            except (TypeError, ValueError, RecursionError):
                opaque.append(name)
        return {"id": self.env_id, "version": self.version, "kwargs": plain, "panel": self.panel.hash, "opaque": opaque}

    def _current_info(self) -> TurnInfo:
        """Return the last info made anew, so that no caller's change to the one handed out is seen."""
        assert self._last is not None, "there is no info before reset()"
        make, arguments = self._last
        info: TurnInfo = make(self, *arguments)
        return info

    def _shown(self, observation: str) -> str:
        if not isinstance(observation, str):
            raise WorldError(f"{type(self).__name__} gave an observation of type {type(observation).__name__}, not str")
        return clean(observation[: self.max_observation])

    def _hash(self, state: Any) -> tuple[str, str]:
        """Return the hashes of state and anchor."""
        mine = state_hash(self.canonical(state))
        return mine, state_hash(self.anchor(state)) if self._own_anchor else mine

    def _paid(self, turn: Turn[Any], valid: bool, outcome: Outcome | None) -> tuple[dict[str, float], float, float]:
        """Return the named rewards, their sum under the world's own weights, and the outcome reward."""
        components: dict[str, float] = {}
        paid = final = 0.0
        if turn.rewards or not valid:
            given: Mapping[Any, Any] = turn.rewards
            if type(given) is not dict and not isinstance(given, Mapping):
                raise WorldError(
                    f"{type(self).__name__} returned a Turn with rewards={given!r:.60}: pay by name, as "
                    "rewards={'found': 1.0}"
                )
            for name, value in given.items():
                if type(name) is not str or type(value) is str or value is None:
                    raise WorldError(f"{type(self).__name__} paid {name!r:.60}: {value!r:.60}: pay numbers under a str")
            components, paid = type(self).rewards.paid(turn.rewards, valid)
            if paid - paid != 0.0:  # also where a weight is 0: 0 times infinity is not a number
                raise WorldError(f"{type(self).__name__} paid rewards that are not finite: {components}")
        if outcome is not None:
            fault = _setup.outcome_fault(outcome)
            if fault:
                raise WorldError(f"{type(self).__name__} ended with {outcome}: {fault}")
            final = float(outcome.reward)
        return components, paid, final
