"""`agentgym play`: an episode in the terminal, played by a person or by a policy."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Any

from agentgym._play_call import MARK, guide, read_call, short
from agentgym.action import ToolCall
from agentgym.env import AgentEnv
from agentgym.rng import TurnRng
from agentgym.turn import InvalidAction

LEAVE, HELP = "quit", "help"

Say = Callable[[str], None]
_JSON = '"type": "function"'  # instructions that hold this show every tool as a schema


def play(world: AgentEnv[Any], task: str | None, seed: int, policy: str | None, say: Say) -> None:
    """Play one episode; what a person types is read from stdin.

    Args:
        world: made with the signal "expert" or "menu" where a policy needs it.
        task: the task's id; None: the seed draws one.
        seed: the episode's seed.
        policy: "expert", "random", or None for a person.
        say: prints a text and ends the line.

    Raises:
        ValueError, KeyError: as `reset`.
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    _, info = world.reset(seed=seed, options={"task": task})
    told = [str(message["content"]) for message in info["messages"]]
    if policy is None:
        if world.tool_schemas:
            written = world.instructions
            told += [guide(world._tools)] if _JSON in written else [written, short(world._tools)]
        more = "; a call may go over several lines" if world.tool_schemas else ""
        told.append(
            f"Write an action each turn{more}. {HELP} shows all of this again; an empty line, Ctrl-D or {LEAVE} leaves."
        )
        if sys.stdin.isatty():
            with suppress(ImportError):
                import_module("readline")  # with it input() edits and recalls lines, of any length
    shown = "\n\n".join(told) + "\n"
    say(shown)
    try:
        _turns(world, info, policy, shown, say)
    except KeyboardInterrupt:
        say("")  # what the shell writes next begins a line of its own
        raise


def _turns(world: AgentEnv[Any], info: Any, policy: str | None, shown: str, say: Say) -> None:
    """Play to the end of the episode, or until the person leaves."""
    over, reward = False, 0.0
    while not over:
        action = _typed(world, info["turn"], shown, say) if policy is None else _chosen(policy, info)
        if action is None:
            say("stopped")
            return
        if policy is not None:
            say(f"> {action}")
        _, reward, terminated, truncated, info = world.step(action)
        over = terminated or truncated
        say(f"{world.render()}\n")
    turns = "1 turn" if info["turn"] == 1 else f"{info['turn']} turns"
    say(f"{info['end_reason']} after {turns}; reward {reward:.3f}")


def _typed(world: AgentEnv[Any], turn: int, shown: str, say: Say) -> str | ToolCall | None:
    """Return the next action, with all lines of a call that is written over several; None to leave."""
    prompt = f"turn {turn} > "
    while (action := _line(prompt, say)) is not None and action.strip() == HELP:
        say(shown)
    if action is None or not action.strip():
        return None
    if action.startswith(MARK) and world._tools:
        try:
            return read_call(action, world._tools)
        except InvalidAction as refusal:
            say(f"{refusal}")
            return _typed(world, turn, shown, say)
    while _is_open(world, action):
        more = _line("... > ", say)
        if more is None:
            return None
        action = f"{action}\n{more}"
    return action


def _line(prompt: str, say: Say) -> str | None:
    """Return the next line, which stands once on the screen, typed or piped; None to leave."""
    if sys.stdin.isatty():
        try:
            line = input(prompt)
        except EOFError:
            say("")
            return None
    else:
        read = sys.stdin.readline()
        line = read.rstrip("\r\n") if read else LEAVE
        say(prompt + read.rstrip("\r\n"))
    return None if line.strip() == LEAVE else line


def _is_open(world: AgentEnv[Any], action: str) -> bool:
    """Return whether an action is the beginning of a call that further lines may close."""
    try:
        world.parse(action)
    except InvalidAction as refusal:
        return str(refusal).startswith("unclosed:")
    return False


def _chosen(policy: str, info: Any) -> str:
    if policy == "expert":
        return str(info["expert"])
    return str(TurnRng(info["seed"], turn=info["turn"], stream="play").choice(info["menu"]))
