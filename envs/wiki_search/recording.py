"""What a turn leaves in the record and in the memory of its episode, and calls as texts."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import replace
from typing import Final

from agentgym.action import Action, Say, ToolCall
from agentgym.codec import Dialect
from agentgym.envs.wiki_search import rewards
from agentgym.envs.wiki_search.evidence import novelty
from agentgym.envs.wiki_search.plan import plan_of
from agentgym.envs.wiki_search.presets import SearchTurn
from agentgym.envs.wiki_search.state import SearchState
from agentgym.tool import Tools
from agentgym.turn import Turn

ARGUMENT: Final = {"search": "query", "open": "title", "lookup": "text", "answer": "text"}
"""The text that each tool needs."""


def record(
    turn: Turn[SearchState],
    before: SearchState,
    action: Action,
    message: Callable[[], str],
    signals: Collection[str],
    remembers: bool,
) -> None:
    """Write into a turn that could be done what it planned, found and earned.

    Args:
        turn: as the tool returned it.
        before: the state before it.
        action: what was done.
        message: returns all that the agent wrote.
        signals: what the world was asked for.
        remembers: whether the scoring reads all turns, which are kept in the state then.
    """
    after = turn.state
    gained = after.gold.bit_count() - before.gold.bit_count()
    turn.metrics = {"shown": 0.0, **turn.metrics, "new_gold": float(gained), "recall": after.recall}
    novel = "novelty" in signals and isinstance(action, ToolCall) and action.name == "search"
    if novel:
        asked = [earlier.text for earlier in before.turns if earlier.kind == "search"]
        turn.metrics = {**turn.metrics, "novelty": novelty(argument(action), asked)}
    if remembers:
        done = _remembered(turn, before, action, message())
        turn.state = after = after._replace(turns=(*before.turns, done))
        if turn.outcome is not None:
            turn.outcome = rewards.outcome(after)
    elif novel:
        turn.state = after = after._replace(turns=(*before.turns, SearchTurn("search", argument(action))))
    turn.rewards = rewards.of_turn(before, after)


def planned(turn: Turn[SearchState], message: object) -> None:
    """Write a message's plan into its turn, which makes it one of kind "plan"."""
    if isinstance(message, str) and "<plan>" in message and (steps := plan_of(message)):
        turn.plan, turn.kind = steps, "plan"


def _remembered(turn: Turn[SearchState], before: SearchState, action: Action, message: str) -> SearchTurn:
    after, library, known = turn.state, before.question.library, set(before.seen)
    return SearchTurn(
        kind=action.name if isinstance(action, ToolCall) else "plan",
        text=argument(action),
        thought=rewards.thought(message),
        message=message,
        result="" if turn.tag in ("empty", "missing") else turn.observation,
        titles=tuple(library.passage(key).title for key in after.seen if key not in known),
        evidence=after.gold.bit_count() - before.gold.bit_count(),
    )


def argument(action: Action) -> str:
    """Return the text of a call, or what was said."""
    if isinstance(action, Say):
        return action.text
    return str(action.arguments.get(ARGUMENT[action.name], ""))


def written(action: Action, codec: Dialect, tools: Tools) -> str:
    """Return an action in a dialect, for who reads messages; as JSON where the dialect has no way to write it."""
    if isinstance(action, Say):
        return action.text
    try:
        return codec.render(action, tools)
    except ValueError:
        return json.dumps({"name": action.name, "arguments": dict(action.arguments)}, ensure_ascii=False)


def tagged(name: str, text: str, codec: Dialect, tools: Tools) -> str:
    """Return a call of a tool with one text in tags; where tags in the text leave no way, they are escaped as shown."""
    if "<" in text or text[:1] in ("{", "") or text.strip() != text:
        with suppress(ValueError):
            return codec.render(ToolCall(name, {ARGUMENT[name]: text}), tools)
        text = text.strip().replace("<", "&lt;")
    return f"<{name}>{text}</{name}>"


def with_default(tools: Tools, k: int) -> Tools:
    """Return the tools, in whose search k is the default."""
    spec = tools["search"]
    properties = {**spec.parameters["properties"]}
    properties["k"] = {**properties["k"], "default": k}
    return Tools({**tools, "search": replace(spec, parameters={**spec.parameters, "properties": properties})})
