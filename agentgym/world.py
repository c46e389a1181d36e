"""World: what an author writes. A pure function of (state, action), and the hooks around it; no Gymnasium in sight."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

from agentgym.action import Action, Say, ToolCall, checked_action, checked_call, clean, strip_think
from agentgym.codec import NOTHING_SAID, Codec, Dialect
from agentgym.errors import InfraError, WorldError, unknown
from agentgym.reward import RewardSpec
from agentgym.rng import TurnRng
from agentgym.task import Quality, Task, TaskPanel
from agentgym.tool import Tools, tools_of
from agentgym.turn import EndReason, InvalidAction, Opening, Outcome, Turn, safe_name

State = TypeVar("State")

Exploit: TypeAlias = Callable[[str, TurnRng], Generator[str, str, None]]
"""From the first observation and draws to a generator that is sent observations and yields actions."""

NO_TOOLS = "this world has no tools: write text"
OUTSIDE = "Something outside this world failed; the episode ends here and is not counted."


class World(Generic[State]):
    """The pure half of an AgentEnv.

    Attributes:
        version: of the world's rules; results of different versions are not compared.
        panel: a TaskPanel, or a sequence of tasks, which become the split "train".
        max_turns: turns after which an episode is truncated.
        rewards: the world's own weights of its named turn rewards.
        default_codec: how text is read, and how `menu` and `expert` write it; "": "tags" in worlds with tools, else
            "plain".
        extra_signals: names that the world itself adds to info when they are asked for.
        state_types: dataclasses and enums inside states that are not defined in the world's module.
        max_observation, max_action: most characters of an observation and of an action.

    A world whose tools depend on its arguments sets `self._tools = Tools({…})` before `super().__init__(…)`, and writes
    a transition of its own.
    """

    version: ClassVar[str] = "1"
    panel: Any = ()
    max_turns: int = 20
    rewards: ClassVar[RewardSpec] = RewardSpec()
    default_codec: ClassVar[str] = ""
    extra_signals: ClassVar[Sequence[str]] = ()
    state_types: ClassVar[Sequence[type]] = ()
    max_observation: ClassVar[int] = 8192
    max_action: ClassVar[int] = 16384

    _tools: Tools = Tools()
    _own_copy: ClassVar[bool] = False
    _own_limit: ClassVar[bool] = False
    _codec: Codec
    _foreign: bool = False  # whether the codec is none of CODECS
    _native: Dialect | None = None  # the world's own dialect, where another one is read
    _marks: Dialect | None = None  # the dialect that is read, where it marks the environment's answers

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if isinstance(cls.__dict__.get("panel"), tuple | list) and cls.panel:
            cls.panel = TaskPanel(cls.__name__, {"train": cls.panel})
        if not isinstance(cls.version, str):
            raise TypeError(f"{cls.__name__}.version must be a str such as '2', not {cls.version!r:.60}")
        if not isinstance(cls.rewards, RewardSpec):
            raise TypeError(
                f"{cls.__name__}.rewards must be a RewardSpec, as RewardSpec({{'found': 0.1}}), not {cls.rewards!r:.60}"
            )
        cls._tools = tools_of(cls)
        cls._own_copy = cls.copy_state is not World.copy_state
        cls._own_limit = cls.limit is not World.limit

    @classmethod
    def offers(cls, hook: str) -> bool:
        """Return whether this world defines a hook of its own, such as "menu" or "expert"."""
        return getattr(cls, hook) is not getattr(World, hook)

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
            if safe_name(action.name)[0] != "'":
                raise InvalidAction(f"there is no tool of this name; call one of: {', '.join(self._tools)}")
            raise InvalidAction(unknown("tool", action.name, self._tools))
        method = getattr(type(self), spec.name)  # an attribute of the instance may have this name: self.split, say
        turn: Turn[State] = method(self, state, rng, **spec.check(action.arguments))
        return turn

    def say(self, state: State, text: str, rng: TurnRng) -> Turn[State]:
        """Return what plain text does in a tool world; the default refuses it."""
        raise InvalidAction(f"no tool was called; call one of: {', '.join(self._tools)}")

    def limit(self, state: State) -> int:
        """Return after how many turns an episode in this state is cut: `max_turns`, or less where a task says so."""
        return self.max_turns

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
        """Return sensible actions in the world's own dialect, the right one among them; the shell shuffles them."""
        raise NotImplementedError

    def expert(self, state: State) -> str:
        """Return the action text of a policy that solves the task, in the world's own dialect."""
        raise NotImplementedError

    def describe(self, state: State) -> str:
        """Return what an agent would read if it looked at this state now, however it came about."""
        raise NotImplementedError

    def secrets(self, state: State) -> Any:
        """Return what the agent must not see (gold answers, hidden user state), as plain JSON."""
        raise NotImplementedError

    def copy_state(self, state: State) -> State:
        """Return an independent copy; only worlds with mutable states override it. Each transition gets one."""
        return state

    def pack(self, state: State) -> Any:
        """Return the plain value that a snapshot's bytes hold; `unpack` inverts it."""
        return state

    def unpack(self, value: Any) -> State:
        """Return the state of a packed value."""
        state: State = value
        return state

    def panels(self) -> Sequence[tuple[TaskPanel, float | None]]:
        """Return the panels that the world offers, each with the success of random choice (None: unmeasured)."""
        return [(self.panel, None)]

    def quality(self) -> Sequence[Quality]:
        """Return what was measured of the world's own tasks, each with its bound; it may take minutes."""
        return []

    def exploits(self) -> Mapping[str, Exploit]:
        """Return attempts of this world's own to succeed without doing the task, by name."""
        return {}

    @property
    def base_hash(self) -> str:
        """Return the hash of the data that all states share; "" if there is none."""
        return ""

    # ---- the pure core, which the shell, truth and planners use ------------------------------------------------------

    def parse(self, action: str | ToolCall) -> Action:
        """Return the action in an agent's text, without think blocks; calls are checked and copied.

        Raises:
            InvalidAction: empty or too long text, a call in a world without tools, arguments that are not plain JSON,
                or what the codec refuses.
            TypeError: neither str nor ToolCall, or a codec of one's own returned no action.
        """
        if isinstance(action, str):
            if len(action) > self.max_action:
                raise InvalidAction(f"too_long: {len(action)} characters; at most {self.max_action} are read")
            text = action if type(action) is str and action.isascii() else clean(action)
            if "think>" in text:
                text = strip_think(text)
            if not text or text.isspace():
                raise InvalidAction(NOTHING_SAID)
            parsed = self._codec(text, self._tools)
            if self._foreign:
                parsed = checked_action(parsed, self.max_action)
            if not self._tools and isinstance(parsed, ToolCall):
                raise InvalidAction(NO_TOOLS)
            return parsed
        if isinstance(action, ToolCall):
            if not self._tools:
                raise InvalidAction(NO_TOOLS)
            return checked_call(action, self.max_action)
        raise TypeError(f"an action is a str or a ToolCall, not {type(action).__name__}")

    def apply(self, state: State, action: str | ToolCall, rng: TurnRng) -> tuple[Turn[State], bool, Action | None]:
        """Return (turn, valid, parsed action or None): the transition including what the shell does to bad actions.

        The given state is left alone, also where states change in place: the transition gets a copy of it then. An
        InfraError in a transition ends the episode with infra_error.

        Raises:
            WorldError: the transition returned something other than a Turn.
        """
        parsed: Action | None = None
        try:
            parsed = self.parse(action)
            turn = self.transition(self.copy_state(state) if self._own_copy else state, parsed, rng)
        except InvalidAction as error:
            return Turn(state, str(error) or "invalid action", kind="invalid"), False, parsed
        except InfraError as error:
            return self._lost(state, error), True, parsed
        if not isinstance(turn, Turn):
            raise WorldError(self._no_turn(parsed, turn))
        return turn, True, parsed

    @staticmethod
    def _lost(state: State, error: InfraError) -> Turn[State]:
        """Return the turn that ends an episode because something outside the world failed."""
        detail = f"{error.detail}: {error}" if error.detail else str(error)
        return Turn(state, OUTSIDE, outcome=Outcome(False, 0.0, EndReason.INFRA_ERROR, detail))

    def _no_turn(self, action: Action, turn: object) -> str:
        """Return what to say of a transition, or of the tool that was called, which returned something else."""
        world, text, what = type(self).__name__, repr(turn), f"{type(self).__name__}.transition"
        if isinstance(action, ToolCall) and type(self).transition is World.transition:
            what = f"the tool {action.name!r} of {world}"
        return f"{what} returned {text if len(text) <= 60 else text[:59] + '…'}: it must return a Turn"

    def offer(self, state: State, seed: int, turn: int) -> list[str]:
        """Return the menu of a state at a turn, shuffled by (seed, turn)."""
        return TurnRng(seed, 0, turn, "menu").shuffled(self.choices(state))

    def choices(self, state: State) -> Sequence[str]:
        """Return the menu of a state in the dialect that is read here, in the order of `menu`.

        Raises:
            ValueError: that dialect has no way to write one of them.
        """
        menu = self.menu(state)
        return menu if self._native is None else [self._translated(text) for text in menu]

    def advice(self, state: State) -> str:
        """Return the expert's action in the dialect that is read here.

        Raises:
            ValueError: that dialect has no way to write it.
        """
        return self._translated(self.expert(state))

    def forged(self, action: str | ToolCall) -> bool:
        """Return whether an agent's text, without think blocks, holds what this dialect marks as the world's answer."""
        if self._marks is None or not isinstance(action, str) or self._marks.environment not in action:
            return False  # what is stripped never makes a mark
        return self._marks.forges(strip_think(clean(action[: self.max_action])))

    def _translated(self, text: str) -> str:
        """Return a text of the world's own hooks in the dialect that is read here; what is no action stays."""
        if self._native is None or not isinstance(text, str) or not isinstance(self._codec, Dialect):
            return text
        write = _written if self._foreign else _WRITTEN
        return write(text, self._native, self._codec, self._tools)


def _written(text: str, native: Dialect, dialect: Dialect, tools: Tools) -> str:
    try:
        action = native(strip_think(text), tools)
    except InvalidAction:
        return text
    return dialect.render(action, tools)


_WRITTEN = lru_cache(maxsize=4096)(_written)
"""The same, remembered: the entries of menus come again and again, and to write one is to read it twice."""
