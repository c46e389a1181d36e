"""AgentEnv: a pure transition function in a Gymnasium shell.

A world writes `initial` and `transition` (or @tool methods); the shell adds parsing, invalid actions, turn counting,
truncation, rewards, the info record, hashes, snapshots, seeding, spaces and rendering.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from json.encoder import encode_basestring_ascii as quote
from typing import Any, ClassVar, Generic, Self, TypeVar

import gymnasium
import numpy as np

from agentgym import _info
from agentgym.action import CODECS, Action, Codec, Say, ToolCall, strip_think
from agentgym.digest import decode, state_hash
from agentgym.errors import SnapshotError, StepAfterEnd, WorldError, unknown
from agentgym.reward import SPARSE, RewardSpec
from agentgym.rng import TurnRng
from agentgym.snapshot import Packed, Snapshot
from agentgym.space import UnicodeText
from agentgym.task import Task, TaskPanel
from agentgym.tool import ToolSpec, tools_of
from agentgym.turn import EndReason, InvalidAction, Opening, Outcome, Turn, TurnInfo

State = TypeVar("State")

HOOKS = ("menu", "potential", "expert", "describe")
"""Signals that a world may offer through a hook of the same name."""


class AgentEnv(gymnasium.Env[str, Any], Generic[State]):
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
        codec: "plain", "tags", or a function (text, tools) → action.
        render_mode: None or "ansi".

    Raises:
        ValueError: an unknown split, signal, codec, render mode or reward component; the message offers the nearest.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"], "render_fps": 4}  # type: ignore[misc]
    version: ClassVar[str] = "1"
    panel: Any = ()
    max_turns: int = 20
    rewards: ClassVar[RewardSpec] = RewardSpec()
    default_codec: ClassVar[str] = ""
    extra_signals: ClassVar[Sequence[str]] = ()
    state_types: ClassVar[Sequence[type]] = ()
    max_observation: ClassVar[int] = 8192
    max_action: ClassVar[int] = 16384

    _tools: ClassVar[Mapping[str, ToolSpec]] = {}
    _init_kwargs: dict[str, Any]

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """Record the constructor's arguments, so that the world can be rebuilt from a record."""
        self = super().__new__(cls)
        self._init_kwargs = kwargs
        return self

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if isinstance(cls.__dict__.get("panel"), tuple | list) and cls.panel:
            cls.panel = TaskPanel(cls.__name__, {"train": cls.panel})
        cls._tools = tools_of(cls)

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
    ) -> None:
        panel = tasks if tasks is not None else self.panel
        self.panel = panel if isinstance(panel, TaskPanel) else TaskPanel(type(self).__name__, {"train": panel})
        if split not in self.panel:
            raise ValueError(unknown(f"split of panel {self.panel.name!r}", split, self.panel))
        if max_turns is not None and (isinstance(max_turns, bool) or int(max_turns) != max_turns or max_turns < 1):
            raise ValueError(f"max_turns must be an integer of at least 1, not {max_turns!r}")
        if render_mode not in (None, "ansi"):
            raise ValueError(unknown("render mode", render_mode, ["ansi"]))
        self.split = split
        self.max_turns = int(max_turns) if max_turns is not None else type(self).max_turns
        self.signals = self._known_signals(signals)
        self.privileged = privileged
        self.render_mode = render_mode
        self._reward = self._reward_spec(reward)
        self._codec = self._find_codec(codec)
        self._own_anchor = type(self).anchor is not AgentEnv.anchor
        self._own_copy = type(self).copy_state is not AgentEnv.copy_state
        self.observation_space = UnicodeText(self.max_observation)
        self.action_space = UnicodeText(self.max_action)
        self._over = True
        self._task: Task | None = None
        self._state: Any = None
        self._seed = self._branch = self._turn = 0
        self._observation = self._state_hash = self._anchor_hash = self._history = ""
        self._last: tuple[Any, ...] | TurnInfo = ()  # what the last info was made of; never the dict handed out

    # ---- what a world writes ---------------------------------------------------------------------------------------

    def initial(self, task: Task, rng: TurnRng) -> Opening[State]:
        """Return the first state, the first observation and the system text of a task."""
        raise NotImplementedError(f"{type(self).__name__} must define initial(task, rng)")

    def transition(self, state: State, action: Action, rng: TurnRng) -> Turn[State]:
        """Return what an action does; pure. The default calls the tool, or `say` for plain text.

        Raises:
            InvalidAction: it cannot be done; the message becomes the observation.
        """
        if isinstance(action, Say):
            return self.say(state, action.text, rng)
        spec = self._tools.get(action.name)
        if spec is None:
            raise InvalidAction(unknown("tool", action.name, self._tools))
        turn: Turn[State] = getattr(self, spec.name)(state, rng, **spec.check(action.arguments))
        return turn

    def say(self, state: State, text: str, rng: TurnRng) -> Turn[State]:
        """Return what plain text does in a tool world; the default refuses it."""
        raise InvalidAction(f"no tool was called; call one of: {', '.join(self._tools)}")

    def timeout(self, state: State) -> Outcome:
        """Return the outcome when the turns are used up."""
        return Outcome(False, 0.0, EndReason.TURN_LIMIT)

    def canonical(self, state: State) -> Any:
        """Return what is hashed as the state: everything that decides its futures, and nothing else."""
        return state

    def anchor(self, state: State) -> Any:
        """Return what the agent can tell apart, for step groups; the default is `canonical`."""
        return self.canonical(state)

    def potential(self, state: State) -> float:
        """Return a number that rises towards success."""
        raise NotImplementedError

    def menu(self, state: State) -> Sequence[str]:
        """Return sensible actions, the right one among them; the shell shuffles them."""
        raise NotImplementedError

    def expert(self, state: State) -> str:
        """Return the action text of a policy that solves the task."""
        raise NotImplementedError

    def describe(self, state: State) -> str:
        """Return what an agent would read if it looked at this state now, however it came about."""
        raise NotImplementedError

    def secrets(self, state: State) -> Any:
        """Return what the agent must not see (gold answers, hidden user state), as plain JSON."""
        raise NotImplementedError

    def copy_state(self, state: State) -> State:
        """Return an independent copy; only worlds with mutable states override it."""
        return state

    def pack(self, state: State) -> Any:
        """Return the plain value that a snapshot's bytes hold; `unpack` inverts it."""
        return state

    def unpack(self, value: Any) -> State:
        """Return the state of a packed value."""
        state: State = value
        return state

    @property
    def base_hash(self) -> str:
        """Return the hash of the data that all states share; "" if there is none."""
        return ""

    # ---- the pure core, which truth and planners use too -----------------------------------------------------------

    def parse(self, action: str | ToolCall) -> Action:
        """Return the action in an agent's text.

        Raises:
            InvalidAction: empty or too long text, or what the codec refuses.
            TypeError: neither str nor ToolCall.
        """
        if isinstance(action, ToolCall):
            return action
        if not isinstance(action, str):
            raise TypeError(f"an action is a str or a ToolCall, not {type(action).__name__}")
        if len(action) > self.max_action:
            raise InvalidAction(f"too_long: {len(action)} characters; at most {self.max_action} are read")
        text = strip_think(action)
        if not text or text.isspace():
            raise InvalidAction("empty: write an action")
        return self._codec(text, self._tools)

    def apply(self, state: State, action: str | ToolCall, rng: TurnRng) -> tuple[Turn[State], bool, Action | None]:
        """Return (turn, valid, parsed action or None): the transition including what the shell does to bad actions."""
        parsed: Action | None = None
        try:
            parsed = self.parse(action)
            return self.transition(state, parsed, rng), True, parsed
        except InvalidAction as error:
            return Turn(state, str(error), kind="invalid"), False, parsed

    def offer(self, state: State, seed: int, turn: int) -> list[str]:
        """Return the menu of a state at a turn, shuffled by (seed, turn)."""
        return TurnRng(seed, 0, turn, "menu").shuffled(self.menu(state))

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
        options = options or {}
        for name in options:
            if name not in ("task", "branch"):
                raise ValueError(unknown("reset option", name, ["task", "branch"]))
        named = options.get("task")
        task = None if named is None else self.panel.task(named)
        branch = checked_seed(options.get("branch", 0), "branch")
        super().reset(seed=None if seed is None else checked_seed(seed))
        self._seed = int(seed) if seed is not None else int(self.np_random.bit_generator.random_raw()) >> 1
        self._task = task or TurnRng(self._seed, stream="task").choice(self.panel[self.split])
        opening = self.initial(self._task, TurnRng(self._seed))
        self._branch, self._turn, self._over = branch, 0, False
        self._adopt(opening.state, fresh=True)
        self._observation = opening.observation[: self.max_observation]
        self._history = _chain("", opening.system, self._observation)
        self._last = (opening.system,)
        return self._observation, _info.opening(self, opening.system)

    def step(self, action: str | ToolCall) -> tuple[str, float, bool, bool, TurnInfo]:  # type: ignore[override]
        """Take one turn.

        Returns:
            (observation, reward, terminated, truncated, info). Model output never raises.

        Raises:
            StepAfterEnd: the episode is over or was never started.
            TypeError: the action is neither a str nor a ToolCall.
        """
        if self._over:
            raise StepAfterEnd(f"{type(self).__name__}: the episode is over (turn {self._turn}); call reset() first")
        turn, valid, parsed = self.apply(self._state, action, TurnRng(self._seed, self._branch, self._turn))
        self._turn += 1
        outcome = turn.outcome
        if outcome is None and self._turn >= self.max_turns:
            outcome = self.timeout(turn.state)
        if turn.state is not self._state or self._own_copy:
            self._adopt(turn.state)
        self._observation = turn.observation[: self.max_observation]
        components, turn_reward = self._paid(turn, valid)
        outcome_reward = 0.0 if outcome is None else self._outcome_reward(outcome)
        said = action[: self.max_action] if isinstance(action, str) else action
        written = _written(said, parsed)
        self._history = _chain(self._history, written, self._observation)
        self._over = outcome is not None
        self._last = (turn, valid, outcome, components, turn_reward, outcome_reward, said, written)
        spec = self._reward
        reward = turn_reward if spec is type(self).rewards else spec.turn_reward(components, valid)
        reward += spec.outcome * outcome_reward
        truncated = outcome is not None and outcome.reason.truncates
        info = _info.stepped(self, *self._last)
        return self._observation, reward, self._over and not truncated, truncated, info

    def render(self) -> str:
        """Return the last observation as text, without control characters."""
        return "".join(char if char.isprintable() or char in "\n\t" else "�" for char in self._observation)

    # ---- snapshots -------------------------------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """Return this moment; in worlds with immutable states a pointer.

        Raises:
            StepAfterEnd: no episode was started.
        """
        if self._task is None:
            raise StepAfterEnd(f"{type(self).__name__}: nothing to snapshot; call reset() first")
        return Snapshot(
            self.env_id, self.version, self.panel.hash, self.base_hash, self._task.id, self._seed, self._branch,
            self._turn, self.copy_state(self._state), self._observation, self._current_info(), self._over, self.pack,
        )  # fmt: skip

    def restore(self, snapshot: Snapshot | bytes, *, branch: int | None = None) -> tuple[str, TurnInfo]:
        """Return to a moment of this or of an equal world, in this or in another process.

        Args:
            snapshot: a Snapshot, or the bytes of one.
            branch: draws of their own for what follows, 0 ≤ branch < 2⁶³; None: those of the snapshot.

        Returns:
            That moment's observation and info.

        Raises:
            SnapshotError: another world, version, panel or base data; nothing has changed then.
        """
        if isinstance(snapshot, bytes):
            snapshot = Snapshot.from_bytes(snapshot)
        mine = {"world": self.env_id, "version": self.version, "panel": self.panel.hash, "base": self.base_hash}
        for name, value in mine.items():
            if getattr(snapshot, name) != value:
                raise SnapshotError(f"the snapshot is of {name} {getattr(snapshot, name)!r}, this world has {value!r}")
        state = snapshot.state
        if isinstance(state, Packed):
            try:
                state = self.unpack(decode(state.data, self._state_types()))
            except ValueError as error:
                raise SnapshotError(f"the snapshot's state cannot be read: {error}") from error
        info: TurnInfo = _info.copied(snapshot.info)
        self._task = self.panel.task(snapshot.task)
        self._seed, self._turn, self._over = snapshot.seed, snapshot.turn, snapshot.over
        self._branch = snapshot.branch if branch is None else checked_seed(branch, "branch")
        info["branch"] = self._branch
        self._adopt(self.copy_state(state), fresh=True)
        self._observation, self._history, self._last = snapshot.observation, info["history_hash"], info
        return snapshot.observation, _info.copied(info)

    def fork(self, n: int = 1, *, reseed: bool = False) -> list[Self]:
        """Return `n` independent copies at this moment; with `reseed` each goes on with draws of its own.

        The i-th reseeded copy of one moment always gets the same draws; `restore(snapshot, branch=…)` gives others.
        """
        if self._task is None:
            raise StepAfterEnd(f"{type(self).__name__}: nothing to fork; call reset() first")
        copies = []
        for index in range(n):
            copy = self.copy()
            if reseed:
                address = b"%d,%d,%d" % (self._branch, self._turn, index)
                copy._branch = int.from_bytes(blake2b(address, digest_size=8).digest(), "big") >> 1
            copies.append(copy)
        return copies

    def copy(self) -> Self:
        """Return an independent world at the same moment, started or not; episode seeds of its own."""
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__)
        copy._np_random = None
        copy._np_random_seed = None
        if self._own_copy and self._task is not None:
            copy._state = self.copy_state(self._state)
        return copy

    # ---- the rest ---------------------------------------------------------------------------------------------------

    @property
    def env_id(self) -> str:
        """Return the registered id, or the class's name where the world was built directly."""
        return self.spec.id if self.spec is not None else type(self).__name__

    @property
    def tool_schemas(self) -> list[dict[str, Any]]:
        """Return fresh OpenAI-style schemas of the tools; empty in worlds without tools."""
        return [spec.schema() for spec in self._tools.values()]

    @property
    def state(self) -> State:
        """Return the current state; never change it."""
        state: State = self._state
        return state

    def spec_dict(self) -> dict[str, Any]:
        """Return what rebuilds this world, as JSON; arguments that are no JSON are named under "opaque"."""
        plain, opaque = {}, []
        for name, value in self._init_kwargs.items():
            try:
                plain[name] = json.loads(json.dumps(value, allow_nan=False))
            except (TypeError, ValueError):
                opaque.append(name)
        return {"id": self.env_id, "version": self.version, "kwargs": plain, "panel": self.panel.hash, "opaque": opaque}

    def _current_info(self) -> TurnInfo:
        """Return the last info made anew, so that no caller's change to the one handed out is seen."""
        if isinstance(self._last, dict):
            return _info.copied(self._last)
        return _info.opening(self, *self._last) if len(self._last) == 1 else _info.stepped(self, *self._last)

    def _adopt(self, state: Any, fresh: bool = False) -> None:
        if fresh or state is not self._state or self._own_copy:
            self._state = state
            self._state_hash = self._anchor_hash = state_hash(self.canonical(state))
            if self._own_anchor:
                self._anchor_hash = state_hash(self.anchor(state))

    def _paid(self, turn: Turn[Any], valid: bool) -> tuple[dict[str, float], float]:
        if not turn.rewards:
            return {}, 0.0 if valid else type(self).rewards.invalid
        components = {name: float(value) for name, value in turn.rewards.items()}
        paid = type(self).rewards.turn_reward(components, valid)
        if paid - paid != 0.0 or any(value - value != 0.0 for value in components.values()):
            raise WorldError(f"{type(self).__name__} paid a non-finite reward in turn {self._turn}: {components}")
        return components, paid

    def _outcome_reward(self, outcome: Outcome) -> float:
        reward = float(outcome.reward)
        if reward - reward != 0.0:
            raise WorldError(f"{type(self).__name__} ended with a reward that is not finite: {outcome}")
        return reward

    def _known_signals(self, signals: Sequence[str]) -> frozenset[str]:
        if isinstance(signals, str):
            raise TypeError(f"signals must be a sequence of names, such as ({signals!r},)")
        offered = [name for name in HOOKS if getattr(type(self), name) is not getattr(AgentEnv, name)]
        for name in signals:
            if name not in offered and name not in self.extra_signals:
                raise ValueError(unknown(f"signal of {type(self).__name__}", name, [*offered, *self.extra_signals]))
        return frozenset(signals)

    def _reward_spec(self, reward: str | RewardSpec | Mapping[str, float]) -> RewardSpec:
        if isinstance(reward, str):
            if reward not in ("sparse", "dense"):
                raise ValueError(unknown("reward", reward, ["sparse", "dense"]))
            return SPARSE if reward == "sparse" else type(self).rewards
        spec = reward if isinstance(reward, RewardSpec) else RewardSpec(reward)
        return spec.known(type(self).rewards.weights)

    def _find_codec(self, codec: str | Codec | None) -> Codec:
        if codec is None:
            codec = self.default_codec or ("tags" if self._tools else "plain")
        if isinstance(codec, str):
            if codec not in CODECS:
                raise ValueError(unknown("codec", codec, CODECS))
            return CODECS[codec]
        return codec

    def _state_types(self) -> dict[str, type]:
        import sys

        types: dict[str, type] = {}
        for owner in reversed(type(self).__mro__):
            members = vars(sys.modules[owner.__module__]) if owner.__module__ in sys.modules else {}
            types.update({kind.__qualname__: kind for kind in members.values() if isinstance(kind, type)})
        return types | {kind.__qualname__: kind for kind in self.state_types}


def checked_seed(seed: Any, name: str = "seed") -> int:
    """Return `seed` as an int; ValueError unless it is an integer with 0 ≤ seed < 2⁶³."""
    if isinstance(seed, bool | np.bool_) or not isinstance(seed, int | np.integer) or not 0 <= seed < 2**63:
        raise ValueError(f"{name} must be an integer with 0 <= {name} < 2**63, not {seed!r}")
    return int(seed)


def _written(action: str | ToolCall, parsed: Action | None) -> str:
    """Return the action as JSON text: what was said, or the call with its arguments."""
    call = action if isinstance(action, ToolCall) else parsed
    if isinstance(call, ToolCall):
        return json.dumps({"tool": call.name, "arguments": dict(call.arguments)}, default=repr)
    said = call.text if call is not None else str(action)
    return '{"say": ' + quote(said) + "}"


def _chain(history: str, action: str, observation: str) -> str:
    seen = f"{history}\n{len(action)}\n{action}{observation}".encode("utf-8", "surrogatepass")
    return blake2b(seen, digest_size=16).hexdigest()
