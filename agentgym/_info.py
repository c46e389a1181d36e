"""Builds the info record of reset and step for AgentEnv; always fresh objects, plain JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from hashlib import blake2b
from json.encoder import encode_basestring_ascii as quote
from typing import TYPE_CHECKING, Any, cast

from agentgym.action import Action, Say, ToolCall, clean
from agentgym.digest import json_writer
from agentgym.errors import WorldError
from agentgym.turn import SCHEMA, Outcome, Turn, TurnInfo, copy_json

if TYPE_CHECKING:
    from agentgym.env import AgentEnv

Signals = Mapping[str, Any]

_json = json_writer()

_PLAIN = frozenset({str, float, bool})
"""Types of what a turn adds to the record that nobody can change."""


_FLAT = frozenset({"metrics", "rubrics"})
"""Keys whose values are numbers by name."""


def frame(env: AgentEnv[Any], task: str, seed: int) -> dict[str, Any]:
    """Return an info record with what stays the same throughout an episode; the rest holds the values of reset."""
    info: TurnInfo = {
        "schema": SCHEMA, "env_id": env.env_id, "panel": env.panel.name, "task": task, "seed": seed, "branch": 0,
        "turn": 0, "messages": [], "valid": True, "error": "", "action": "", "kind": "", "components": {},
        "turn_reward": 0.0, "outcome_reward": 0.0, "success": False, "end_reason": "", "end_detail": "",
        "state_hash": "", "anchor_hash": "", "history_hash": "", "metrics": {},
    }  # fmt: skip
    return cast(dict[str, Any], info)


def opening(env: AgentEnv[Any], system: str, signals: Signals) -> TurnInfo:
    """Return the info of reset."""
    info = _framed(env)
    said = {"role": "user", "content": env._observation}
    info["messages"] = [{"role": "system", "content": system}, said] if system else [said]
    info["components"] = {}
    if env._tools:
        info["tools"] = env.tool_schemas
    if signals:
        info.update(copy_json(signals))
    return cast(TurnInfo, info)


def stepped(
    env: AgentEnv[Any],
    kind: str,
    valid: bool,
    paid: tuple[dict[str, float], float, float],
    said: str | ToolCall,
    written: str,
    extras: Mapping[str, Any],
) -> TurnInfo:
    """Return the info of one step; `paid` holds the components, the turn reward and the outcome reward."""
    info: Any = _framed(env)
    observation = env._observation
    if type(said) is str:
        info["kind"] = kind or ("tool" if written.startswith('{"tool"') else "say")
        info["messages"] = [{"role": "assistant", "content": said}, {"role": "user", "content": observation}]
    else:
        info["kind"] = kind or "tool"
        info["messages"] = _tool_messages(cast(ToolCall, said), env._turn, observation)
    if not valid:
        info["valid"], info["error"] = False, observation
    info["action"] = written
    components, info["turn_reward"], info["outcome_reward"] = paid
    info["components"] = components.copy()
    for key, item in extras.items():
        info[key] = item if type(item) in _PLAIN else item.copy() if key in _FLAT else copy_json(item)
    made: TurnInfo = info
    return made


def _framed(env: AgentEnv[Any]) -> dict[str, Any]:
    info = env._frame.copy()
    info["branch"] = env._branch
    info["turn"] = env._turn
    info["state_hash"], info["anchor_hash"] = env._hashes
    info["history_hash"] = env._history
    info["metrics"] = {}
    return info


def again(env: AgentEnv[Any], info: TurnInfo) -> TurnInfo:
    """Return the info of a restored moment, under the branch that the world is in now."""
    out = cast(TurnInfo, copy_json(info))
    out["branch"] = env._branch
    return out


def extras_of(turn: Turn[Any], outcome: Outcome | None) -> dict[str, Any]:
    """Return what a turn adds to the record besides what every record has, and how the episode ended."""
    out: dict[str, Any] = {}
    if turn.tag:
        out["tag"] = _text("tag", turn.tag)
    if turn.step_score is not None:
        out["step_score"] = _number("step_score", turn.step_score)
    if turn.subgoal is not None:
        out["subgoal"] = _text("subgoal", turn.subgoal)
    if turn.switch is not None:
        out["switch"] = bool(turn.switch)
    if turn.critique is not None:
        out["critique"] = _number("critique", turn.critique)
    if turn.channel:
        out["channel"] = _text("channel", turn.channel)
    if turn.violations:
        out["violations"] = _texts("violations", turn.violations)
    if turn.rubrics:
        out["rubrics"] = _numbers(turn.rubrics)
    if turn.metrics:
        out["metrics"] = _numbers(turn.metrics)
    if turn.tool_result is not None:
        out["tool_result"] = bool(turn.tool_result)
    if turn.plan:
        out["plan"] = _texts("plan", turn.plan)
    if turn.safe is not None:
        out["safe"] = bool(turn.safe)
    if outcome is not None:
        detail = clean(outcome.detail)
        out.update(success=bool(outcome.success), end_reason=outcome.reason.value, end_detail=detail)
    return out


def signals_of(env: AgentEnv[Any], state: Any, seed: int, turn: int, running: bool) -> Signals:
    """Return the signals asked for, at a state after `turn` turns; the menu and the expert only while it goes on."""
    asked = env.signals
    out: dict[str, Any] = {}
    if not asked and not env.privileged:
        return out
    if "potential" in asked:
        out["potential"] = _number("potential", env.potential(state))
    if "describe" in asked:
        out["describe"] = _text("describe", env.describe(state))
    if running and "menu" in asked:
        out["menu"] = _texts("menu", env.offer(state, seed, turn))
    if running and "expert" in asked:
        out["expert"] = _text("expert", env.advice(state))
    if env.privileged:
        out["privileged"] = json.dumps(env.secrets(state), sort_keys=True, allow_nan=False)
    return out


def written_action(action: str | ToolCall, parsed: Action | None, max_length: int) -> tuple[str | ToolCall, str]:
    """Return what the record keeps of an action: the text, cut, or the checked call; and the action as JSON text."""
    if type(action) is str and action.isascii():
        if type(parsed) is Say and len(action) <= max_length:  # as in almost every turn
            return action, '{"say": ' + quote(parsed.text) + "}"
        said: str | ToolCall = action[:max_length]
    else:
        said = clean(action[:max_length]) if isinstance(action, str) else _kept_call(action, parsed)
    if type(parsed) is Say:
        return said, '{"say": ' + quote(parsed.text) + "}"
    call = parsed if isinstance(parsed, ToolCall) else said
    if isinstance(call, ToolCall):
        return said, _written_call(call)
    return said, '{"say": ' + quote(call) + "}"


def _written_call(call: ToolCall) -> str:
    """Return a call as json.dumps writes it; most have one text as their argument, where that takes its time."""
    if len(call.arguments) == 1:
        ((name, value),) = call.arguments.items()
        if type(name) is type(value) is str:
            return f'{{"tool": {quote(call.name)}, "arguments": {{{quote(name)}: {quote(value)}}}}}'
    return _json({"tool": call.name, "arguments": call.arguments})


def _kept_call(call: ToolCall, parsed: Action | None) -> ToolCall:
    """Return the checked copy; of a call that was refused for its form, the name."""
    return parsed if isinstance(parsed, ToolCall) else ToolCall(clean(str(call.name)[:80]))


def begun(system: str, observation: str) -> str:
    """Return the hash of a history that begins with a system text, as `chained` does; most episodes share the text."""
    state = _begun(system).copy()
    state.update(observation.encode())
    found: str = state.hexdigest()
    return found


@lru_cache(maxsize=64)
def _begun(system: str) -> Any:
    return blake2b(f"\n{len(system)}\n{system}".encode(), digest_size=16)


def chained(history: str, action: str, observation: str) -> str:
    """Return the hash of a history that goes on with an action and an observation."""
    seen = f"{history}\n{len(action)}\n{action}{observation}".encode()
    return blake2b(seen, digest_size=16).hexdigest()


def _tool_messages(call: ToolCall, turn: int, observation: str) -> list[dict[str, Any]]:
    function = {"name": call.name, "arguments": json.dumps(call.arguments)}
    key = call.id or f"call_{turn}"
    asked = {"role": "assistant", "content": "", "tool_calls": [{"id": key, "type": "function", "function": function}]}
    return [asked, {"role": "tool", "tool_call_id": key, "content": observation}]


def _text(name: str, value: Any) -> str:
    if type(value) is str and value.isascii():
        return value
    if not isinstance(value, str):
        raise WorldError(f"the world gave {name} = {value!r:.60}: it must be a str")
    return clean(value)


def _texts(name: str, values: Any) -> list[str]:
    if isinstance(values, str):
        raise WorldError(f"the world gave {name} = {values!r:.60}: it must be a sequence of str")
    return [_text(f"an item of {name}", value) for value in values]


def _numbers(values: Mapping[str, Any]) -> dict[str, float]:
    for name, value in values.items():
        if type(value) is not float or value - value != 0.0 or type(name) is not str or not name.isascii():
            return {_text("the name of a number", name): _number(name, value) for name, value in values.items()}
    return dict(values)


def _number(name: str, value: Any) -> float:
    if type(value) is float and value - value == 0.0:
        return value
    if value is None or isinstance(value, str | bytes):
        raise WorldError(f"the world gave {name} = {value!r:.60}: it must be a number")
    number = float(value)
    if number - number != 0.0:
        raise WorldError(f"the world gave {name} = {number}; every number in info is finite")
    return number
