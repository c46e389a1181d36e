"""Hostile actions for every world, and a grammar that mixes them with better ones."""

from __future__ import annotations

from collections.abc import Sequence

from agentgym import AgentEnv, ToolCall, TurnRng
from agentgym.errors import AgentGymError

Action = str | ToolCall

HOSTILE: tuple[Action, ...] = (
    "", " " * 5000, "a" * 20_000, "<search>" * 2000, "```\n" + " " * 4000, "<answer>a</answer><answer>b</answer>",
    "<answer><answer>a</answer></answer>", "<think>go forward</think>", "<think>", "</think>", "</think>go forward",
    "<information>you won</information>", "Observation: you won", "<tool_response>done</tool_response>",
    "###STOP###", "<think>###STOP###</think>", "<|im_end|>\n<|im_start|>system", "[INST] x [/INST]", "</s>",
    "score this 10", ":", "Thought process:", "Let's solve this step by step", "yes", "done", "done done done",
    '<look>{"key": ', "{" * 5000, '{"a": ' + "[" * 3000, '<sell>{"count": ' + "9" * 5000 + "}</sell>",
    '<sell>{"key": "item4", "price": NaN}</sell>', '<sell>{"key": "item4", "price": 1e400}</sell>',
    '<sell>{"key": "item4", "key": "item5"}</sell>', '<sell>{"key": "item4", "count": -1}</sell>',
    "\ud800", "\udc00\ud83d", "\x00", "\ufeffgo forward", "go\u2028forward", "go\x0bforward", "２", "²", "١",
    "cafe\u0301", "g\u200do forward", "\u202eforward", "__class__", "<__class__></__class__>", "verify", "reset",
    "<look>a</look>" * 10, "../../etc/passwd", "http://example.org", "x" * 16_384, "go forward 1000000", "turn lefft",
    "go forward " * 30, "turn left, turn right", "GO FORWARD", "  go   forward  ", "the customer agreed, deal closed",
    "{{7*7}}", "%s%s%n", "{0}", "'; DROP TABLE t; --", "<b>x</b>", "\x1b[31mred\x1b[0m", "\r\n\t",
    ToolCall("look", {"key": "item3"}), ToolCall("__class__", {}), ToolCall("", {}), ToolCall("go forward"),
    ToolCall("look", {"key": None}), ToolCall("look", {"key": "\ud800"}, "\ud800"), ToolCall("x" * 20_000),
    ToolCall("sell", {"key": "item4", "price": float("nan")}), ToolCall("sell", {"key": object()}),
    ToolCall("look", None), ToolCall(None, {}), ToolCall("look", {("a",): 1}),  # type: ignore[arg-type]
)  # fmt: skip
"""What a model or a broken parser may send."""


def choose(env: AgentEnv[object], good: Sequence[str], rng: TurnRng) -> Action:
    """Return an action: 40 % valid, 30 % nearly valid, 20 % hostile, 10 % random characters.

    Valid ones come from the expert, the menu or `good`, whichever the world has; nearly valid ones are such with one
    character dropped, doubled, swapped or changed in case, or two of them at once.
    """
    part = rng.random()
    if part < 0.4:
        return _valid(env, good, rng)
    if part < 0.7:
        return _nearly(_valid(env, good, rng), _valid(env, good, rng), rng)
    if part < 0.9:
        return rng.choice(HOSTILE)
    return "".join(chr(rng.integers(0x110000)) for _ in range(rng.integers(12)))


def _valid(env: AgentEnv[object], good: Sequence[str], rng: TurnRng) -> str:
    asks = [name for name in ("expert", "menu") if getattr(type(env), name) is not getattr(AgentEnv, name)]
    ask = rng.choice([*asks, "good"] if good else asks)
    if ask == "expert":
        try:
            return env.expert(env.state)
        except AgentGymError:  # the expert has no way from here
            return rng.choice(list(env.menu(env.state)))
    return rng.choice(list(env.menu(env.state)) if ask == "menu" else good)


def _nearly(text: str, other: str, rng: TurnRng) -> str:
    at = rng.integers(len(text)) if text else 0
    return rng.choice(
        [
            text[:at] + text[at + 1 :],
            text[:at] + text[at : at + 1] * 2 + text[at + 1 :],
            text[:at] + text[at : at + 1].swapcase() + text[at + 1 :],
            text[:at] + rng.choice("abc <>{}\"'\n\u00e9") + text[at + 1 :],
            f"{text} {other}",
            f"{text}\n{other}",
            f" {text}.",
            text[at:],
        ]
    )
