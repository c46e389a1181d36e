"""What a world returns, and the record of it that every step hands out: Opening, Turn, Outcome, TurnInfo."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final, Generic, NotRequired, TypedDict, TypeVar

State = TypeVar("State")


class _Nothing(dict[str, float]):
    """An empty mapping that stays empty; hashable, so that dataclasses take it as a default."""

    def _refuse(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError("the shared empty mapping cannot be changed: pass a dict of your own")

    __setitem__ = update = setdefault = __ior__ = _refuse
    __hash__ = object.__hash__  # type: ignore[assignment]


EMPTY: Final[Mapping[str, float]] = _Nothing()
SCHEMA: Final = 1
"""Version of the info schema; it changes when a key changes its meaning or type."""


class EndReason(StrEnum):
    """Why an episode ended; `info["end_reason"]` is the value, "" while it runs."""

    SOLVED = "solved"
    FAILED = "failed"
    GAVE_UP = "gave_up"
    USER_LEFT = "user_left"
    VIOLATION = "violation"
    TURN_LIMIT = "turn_limit"
    TOKEN_LIMIT = "token_limit"
    INFRA_ERROR = "infra_error"

    @property
    def truncates(self) -> bool:
        """Whether the episode was cut rather than ended by the world's rules."""
        return self in _TRUNCATING


_TRUNCATING = frozenset({EndReason.TURN_LIMIT, EndReason.TOKEN_LIMIT, EndReason.INFRA_ERROR})


class InvalidAction(Exception):
    """Raised by a world when an action cannot be done: say what was wrong and what is allowed.

    The text becomes the observation; the state stays, the turn counts, `valid` is False.
    """


_NAME = re.compile(r"[A-Za-z0-9_.-]{1,40}").fullmatch


def safe_name(name: object) -> str:
    """Return a name from an agent's text in quotes, or «an unknown name» where it could carry markup or a message."""
    return repr(name) if type(name) is str and _NAME(name) else "an unknown name"


@dataclass(slots=True)
class Opening(Generic[State]):
    """The start of an episode: first state, first observation, system text (rules of the world; may be empty)."""

    state: State
    observation: str
    system: str = ""


@dataclass(slots=True)
class Outcome:
    """The end of an episode: success, the outcome reward (unweighted, finite), the reason, free text."""

    success: bool
    reward: float
    reason: EndReason = EndReason.SOLVED
    detail: str = ""


@dataclass(slots=True)
class Turn(Generic[State]):
    """What one action did. Only `state` and `observation` are required; `None` or empty: the key is absent from info.

    Attributes:
        state: the state after the action; the same object when nothing changed.
        observation: what is new for the agent.
        rewards: the named rewards of this turn, raw.
        outcome: set on the last turn only.
        tag: class of the turn for reward calibration (gold, soft, read, state, error, duplicate, message).
        kind: kind of action ("" = as the shell sees it: "say", "tool" or "invalid").
        step_score: score of the work so far in [0, 1].
        subgoal, switch: current subgoal, and whether this turn began a new one.
        critique: −1, 0 or +1: did this turn help. channel: which of several critiques.
        violations, safe: broken rules, and whether this turn kept them.
        rubrics: each rubric that is about this turn → the rollout's score under it as this turn leaves it.
        metrics: numbers for logs. plan: items of a plan stated in this turn.
        tool_result: whether the environment answered this turn's action with a tool result.
    """

    state: State
    observation: str
    rewards: Mapping[str, float] = EMPTY
    outcome: Outcome | None = None
    tag: str = ""
    kind: str = ""
    step_score: float | None = None
    subgoal: str | None = None
    switch: bool | None = None
    critique: float | None = None
    channel: str = ""
    violations: Sequence[str] = ()
    rubrics: Mapping[str, float] = EMPTY
    metrics: Mapping[str, float] = EMPTY
    tool_result: bool | None = None
    plan: Sequence[str] = ()
    safe: bool | None = None


class TurnInfo(TypedDict):
    """The info dict of reset and of every step: JSON-only, one Python type a key for ever, no None.

    A value that is not there is a key that is not there. Everything speaks of the moment *after* the action; `valid`,
    `error`, `action`, `kind`, `components`, `turn_reward` speak of the action itself (on reset: true, "", "", "", {},
    0).
    """

    schema: int
    env_id: str
    panel: str
    task: str
    seed: int
    branch: int
    turn: int
    messages: list[dict[str, Any]]
    valid: bool
    error: str
    action: str
    kind: str
    components: dict[str, float]
    turn_reward: float
    outcome_reward: float
    success: bool
    end_reason: str
    end_detail: str
    state_hash: str
    anchor_hash: str
    history_hash: str
    metrics: dict[str, float]
    tools: NotRequired[list[dict[str, Any]]]
    tag: NotRequired[str]
    step_score: NotRequired[float]
    critique: NotRequired[float]
    channel: NotRequired[str]
    subgoal: NotRequired[str]
    switch: NotRequired[bool]
    tool_result: NotRequired[bool]
    violations: NotRequired[list[str]]
    rubrics: NotRequired[dict[str, float]]
    plan: NotRequired[list[str]]
    safe: NotRequired[bool]
    menu: NotRequired[list[str]]
    potential: NotRequired[float]
    expert: NotRequired[str]
    describe: NotRequired[str]
    privileged: NotRequired[str]


ALWAYS: Final[Mapping[str, type]] = MappingProxyType(
    {
        "schema": int, "env_id": str, "panel": str, "task": str, "seed": int, "branch": int, "turn": int,
        "messages": list, "valid": bool, "error": str, "action": str, "kind": str, "components": dict,
        "turn_reward": float, "outcome_reward": float, "success": bool, "end_reason": str, "end_detail": str,
        "state_hash": str, "anchor_hash": str, "history_hash": str, "metrics": dict,
    }
)  # fmt: skip
"""Keys of every info and their types."""

SOMETIMES: Final[Mapping[str, type]] = MappingProxyType(
    {
        "tools": list, "tag": str, "step_score": float, "critique": float, "channel": str, "subgoal": str,
        "switch": bool, "tool_result": bool, "violations": list, "rubrics": dict, "plan": list, "safe": bool,
        "menu": list, "potential": float, "expert": str, "describe": str, "privileged": str,
    }
)  # fmt: skip
"""Keys that are there when the world has them or when a signal asked for them."""

ROLES: Final = frozenset({"system", "user", "assistant", "tool"})
"""Roles of the messages in info."""

_REASONS = frozenset({"", *(reason.value for reason in EndReason)})
_TEXTS = ("violations", "plan", "menu")
_NESTING = frozenset({dict, list})
_HASHES = ("state_hash", "anchor_hash", "history_hash")


def copy_json(value: Any) -> Any:
    """Return a copy of plain JSON that shares nothing that can be changed."""
    if type(value) is dict:
        return {key: copy_json(item) if type(item) in _NESTING else item for key, item in value.items()}
    return [copy_json(item) for item in value] if type(value) is list else value


def validate_info(info: Mapping[str, Any], where: str = "info") -> None:
    """Raise ValueError or TypeError unless `info` follows the schema: keys, types, finite numbers, plain JSON.

    Args:
        info: the dict that `reset` or `step` returned.
        where: how to call it in the message, such as "info of turn 3".
    """
    for key in ALWAYS:
        if key not in info:
            raise ValueError(f"{where} lacks the key {key!r}")
    for key, value in info.items():
        kind = ALWAYS.get(key) or SOMETIMES.get(key)
        if kind is None:
            raise ValueError(f"{where} has the key {key!r}, which is not in the schema: put numbers into metrics")
        _check_type(value, kind, f"{where}[{key!r}]")
    _check_lists(info, where)
    _check_story(info, where)
    try:
        same = json.loads(json.dumps(info, allow_nan=False)) == info
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"{where} is not plain JSON: {error}") from error
    if not same:
        raise ValueError(f"{where} changes on its way through JSON: a tuple, a key that is no str, or a lone surrogate")


def _check_type(value: object, kind: type, where: str) -> None:
    if type(value) is not kind:  # bool is an int and an int is not a float here: vector infos would mix them up
        raise TypeError(f"{where} must be {kind.__name__}, not {type(value).__name__} ({value!r:.60})")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{where} is {value}, which is not finite")
    if type(value) is int and not -(2**63) <= value < 2**63:
        raise ValueError(f"{where} = {value} does not fit into 64 bits")
    if isinstance(value, dict):
        for name, item in value.items():
            if type(name) is not str or type(item) is not float or not math.isfinite(item):
                raise TypeError(f"{where}[{name!r}] must be a finite float under a str, not {item!r:.60}")


def _check_lists(info: Mapping[str, Any], where: str) -> None:
    for key in _TEXTS:
        for index, item in enumerate(info.get(key, ())):
            _check_type(item, str, f"{where}[{key!r}][{index}]")
    for index, schema in enumerate(info.get("tools", ())):
        if type(schema) is not dict:
            raise TypeError(f"{where}['tools'][{index}] must be dict, not {type(schema).__name__}")
    for index, message in enumerate(info["messages"]):
        at = f"{where}['messages'][{index}]"
        if type(message) is not dict:
            raise TypeError(f"{at} must be dict, not {type(message).__name__}")
        role, content = message.get("role"), message.get("content")
        if type(role) is not str or role not in ROLES or type(content) is not str:
            raise ValueError(f"{at} needs a role of {sorted(ROLES)} and a content of type str")


def _check_story(info: Mapping[str, Any], where: str) -> None:
    """Check what holds between the keys, and what values each may have."""
    if info["schema"] != SCHEMA:
        raise ValueError(f"{where} follows version {info['schema']} of the schema; version {SCHEMA} is read here")
    if info["end_reason"] not in _REASONS:
        raise ValueError(f"{where}['end_reason'] is {info['end_reason']!r}, not one of {sorted(_REASONS)}")
    if not info["end_reason"] and (info["end_detail"] or info["success"] or info["outcome_reward"]):
        raise ValueError(f"{where} has success, outcome_reward or end_detail before the end")
    if info["valid"] is bool(info["error"]):
        raise ValueError(f"{where}: error must say what was wrong when valid is False, and be empty when it is True")
    for key in ("seed", "branch", "turn"):
        if info[key] < 0:
            raise ValueError(f"{where}[{key!r}] is {info[key]}, below 0")
    for key in _HASHES:
        if len(info[key]) != 32 or not set(info[key]) <= set("0123456789abcdef"):
            raise ValueError(f"{where}[{key!r}] is {info[key]!r:.40}, not 32 hex digits")
    if info["action"] and not _is_object(info["action"]):
        raise ValueError(f"{where}['action'] must be a JSON object as text on one line, not {info['action']!r:.60}")


def _is_object(text: str) -> bool:
    """Return whether a text is one JSON object from its first character to its last, on one line."""
    if not (text.startswith("{") and text.endswith("}")) or "\n" in text:
        return False
    try:
        json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return False
    return True


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not in JSON")
