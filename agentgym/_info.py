"""Builds the info record of reset and step for AgentEnv; always fresh objects, plain JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

from agentgym.action import ToolCall
from agentgym.turn import SCHEMA, Outcome, Turn, TurnInfo

if TYPE_CHECKING:
    from agentgym.env import AgentEnv


def opening(env: AgentEnv[Any], system: str) -> TurnInfo:
    """Return the info of reset."""
    messages = [{"role": "user", "content": env._observation}]
    if system:
        messages.insert(0, {"role": "system", "content": system})
    info = _base(env, messages, "", "", True, "", {}, 0.0, 0.0)
    if env._tools:
        info["tools"] = [spec.schema() for spec in env._tools.values()]
    if env.signals or env.privileged:
        _add_signals(env, info, running=True)
    return cast(TurnInfo, info)


def stepped(
    env: AgentEnv[Any],
    turn: Turn[Any],
    valid: bool,
    outcome: Outcome | None,
    components: dict[str, float],
    turn_reward: float,
    outcome_reward: float,
    said: str | ToolCall,
    written: str,
) -> TurnInfo:
    """Return the info of one step."""
    observation = env._observation
    if isinstance(said, str):
        call = "tool" if written[2:6] == "tool" else "say"
        messages = [{"role": "assistant", "content": said}, {"role": "user", "content": observation}]
    else:
        call = "tool"
        messages = _tool_messages(said, observation)
    kind = turn.kind or call
    info = _base(
        env, messages, written, kind, valid, "" if valid else observation, components, turn_reward, outcome_reward
    )
    if outcome is not None:
        info["success"] = bool(outcome.success)
        info["end_reason"] = outcome.reason.value
        info["end_detail"] = outcome.detail
    _add_optional(turn, info)
    if env.signals or env.privileged:
        _add_signals(env, info, running=outcome is None)
    return cast(TurnInfo, info)


def copied(info: TurnInfo) -> TurnInfo:
    """Return a copy that shares nothing mutable; JSON values only."""
    return cast(TurnInfo, {key: _copied(value) for key, value in info.items()})


def _copied(value: Any) -> Any:
    if type(value) is dict:
        return {key: _copied(item) for key, item in value.items()}
    return [_copied(item) for item in value] if type(value) is list else value


def _base(
    env: AgentEnv[Any],
    messages: list[dict[str, Any]],
    action: str,
    kind: str,
    valid: bool,
    error: str,
    components: dict[str, float],
    turn_reward: float,
    outcome_reward: float,
) -> dict[str, Any]:
    spec = env.spec
    return {
        "schema": SCHEMA,
        "env_id": spec.id if spec is not None else type(env).__name__,
        "panel": env.panel.name,
        "task": env._task.id,  # type: ignore[union-attr]
        "seed": env._seed,
        "branch": env._branch,
        "turn": env._turn,
        "messages": messages,
        "valid": valid,
        "error": error,
        "action": action,
        "kind": kind,
        "components": dict(components),
        "turn_reward": turn_reward,
        "outcome_reward": outcome_reward,
        "success": False,
        "end_reason": "",
        "end_detail": "",
        "state_hash": env._state_hash,
        "anchor_hash": env._anchor_hash,
        "history_hash": env._history,
        "metrics": {},
    }


def _tool_messages(call: ToolCall, observation: str) -> list[dict[str, Any]]:
    arguments = json.dumps(dict(call.arguments), default=repr)
    function = {"name": call.name, "arguments": arguments}
    calls = [{"id": call.id, "type": "function", "function": function}]
    asked = {"role": "assistant", "content": "", "tool_calls": calls}
    return [asked, {"role": "tool", "tool_call_id": call.id, "content": observation}]


def _add_optional(turn: Turn[Any], info: dict[str, Any]) -> None:
    if turn.tag:
        info["tag"] = turn.tag
    if turn.step_score is not None:
        info["step_score"] = float(turn.step_score)
    if turn.subgoal is not None:
        info["subgoal"] = turn.subgoal
    if turn.switch is not None:
        info["switch"] = bool(turn.switch)
    if turn.critique is not None:
        info["critique"] = float(turn.critique)
    if turn.channel:
        info["channel"] = turn.channel
    if turn.violations:
        info["violations"] = list(turn.violations)
    if turn.rubrics:
        info["rubrics"] = {name: float(value) for name, value in turn.rubrics.items()}
    if turn.metrics:
        info["metrics"] = {name: float(value) for name, value in turn.metrics.items()}
    if turn.tool_result is not None:
        info["tool_result"] = bool(turn.tool_result)
    if turn.plan:
        info["plan"] = list(turn.plan)
    if turn.safe is not None:
        info["safe"] = bool(turn.safe)


def _add_signals(env: AgentEnv[Any], info: dict[str, Any], running: bool) -> None:
    signals, state = env.signals, env._state
    if "potential" in signals:
        info["potential"] = float(env.potential(state))
    if "describe" in signals:
        info["describe"] = env.describe(state)
    if running and "menu" in signals:
        info["menu"] = env.offer(state, env._seed, env._turn)
    if running and "expert" in signals:
        info["expert"] = env.expert(state)
    if env.privileged:
        info["privileged"] = json.dumps(env.secrets(state), sort_keys=True)
