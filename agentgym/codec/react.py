"""Thought, Action and Action Input on lines of their own: the codec react."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from agentgym.action import Action, Say, ToolCall
from agentgym.codec.base import Dialect, Tools, as_json, said, text_or_json
from agentgym.codec.json_call import answered
from agentgym.turn import InvalidAction, safe_name

_LABEL = re.compile(r"^[ \t]*+(Thought|Action Input|Action|Observation|Final Answer)(?: [0-9]{1,3})?:", re.MULTILINE)
_PAPER = re.compile(r"([A-Za-z_][A-Za-z0-9_]*+)\[(.*)", re.DOTALL)
_NEXT = re.compile(r"[A-Za-z0-9_]\[")
FINISH = "finish"
"""What the paper calls the tool `answer`."""


class React(Dialect):
    """`Action: tool` with `Action Input: …` below it is a call, `Final Answer: …` the answer; `Thought: …` is not read.

    A label counts at the start of a line, and its text runs to the next one. An input that begins with a brace is a
    JSON object; anything else is the text of a tool that needs one. An answer calls the tool `answer` where the world
    has one that needs one text, and is said otherwise; so is text without a call or an answer.

    The paper's own form is read too: `Action: Search[text]`, with the tool's name in any case, and `Finish[text]` for
    an answer. Labels may be numbered, as `Thought 1:` and `Action 1:` in its prompts.

    Source: Yao et al. 2023, arXiv 2210.03629; the two lines of a call and the final answer are as agent libraries
    write them.
    """

    name: ClassVar[str] = "react"
    environment: ClassVar[str] = "Observation:"
    _thinking: ClassVar[str] = "Begin with Thought: and your reasoning; that is not read."

    def __call__(self, text: str, tools: Tools) -> Action:  # noqa: D102 - as in Dialect
        found = [*_LABEL.finditer(text)]
        labels = [match[1] for match in found]
        counts = {label: labels.count(label) for label in ("Action", "Action Input", "Final Answer")}
        if not counts["Action"]:
            if counts["Final Answer"] > 1:
                raise _several(counts)
            if counts["Final Answer"]:
                return answered(_body(text, found, labels.index("Final Answer")), tools)
            return said(_without_thoughts(text, found))
        place = labels.index("Action")
        paper = _PAPER.fullmatch(_body(text, found, place))
        if paper and labels[place + 1 : place + 2] != ["Action Input"]:
            if counts != {"Action": 1, "Action Input": 0, "Final Answer": 0}:
                raise _several(counts)
            return _bracketed(paper[1], paper[2], tools)
        if labels[place + 1 : place + 2] != ["Action Input"]:
            raise InvalidAction("unclosed: Action: needs Action Input: on the next line; write {} for no arguments")
        if counts != {"Action": 1, "Action Input": 1, "Final Answer": 0}:
            raise _several(counts)
        return _call(_body(text, found, place), _body(text, found, place + 1), tools)

    def forges(self, text: str) -> bool:  # noqa: D102 - as in Dialect
        return "Observation" in text and any(match[1] == "Observation" for match in _LABEL.finditer(text))

    def _forms(self, action: Action, tools: Tools) -> Iterator[str]:
        if isinstance(action, Say):
            yield f"Final Answer: {action.text}"
            yield action.text
            return
        spec, values = tools.get(action.name), [*action.arguments.values()]
        if spec is not None and spec.text_argument is not None and len(values) == 1 and type(values[0]) is str:
            yield f"Action: {action.name}\nAction Input: {values[0]}"
        yield from (f"Action: {action.name}\nAction Input: {text}" for text in as_json(dict(action.arguments)))

    def _form(self) -> str:
        return "Call one tool a turn with two lines, Action: and the tool's name, then Action Input: and its arguments."

    def _speech(self, tools: Tools) -> str:
        return "Write what is not a call after Final Answer:." if tools else "Write your action after Final Answer:."


def _body(text: str, found: Sequence[re.Match[str]], place: int) -> str:
    """Return what follows a label, to the next one."""
    end = found[place + 1].start() if place + 1 < len(found) else len(text)
    return text[found[place].end() : end].strip()


def _without_thoughts(text: str, found: Sequence[re.Match[str]]) -> str:
    """Return a text without its thoughts."""
    starts = [0, *(match.start() for match in found)]
    labels = ["", *(match[1] for match in found)]
    ends = [*starts[1:], len(text)]
    return "".join(
        text[start:end] for label, start, end in zip(labels, starts, ends, strict=True) if label != "Thought"
    )


def _call(name: str, body: str, tools: Tools) -> ToolCall:
    spec = tools.get(name)
    if spec is None and not body.startswith("{"):
        return ToolCall(name, {})  # which the world refuses by its name
    return ToolCall(name, text_or_json(body, None if spec is None else spec.text_argument))


def _bracketed(name: str, rest: str, tools: Tools) -> Action:
    """Return the call in the paper's form, of which `rest` is what follows the opening bracket."""
    if not rest.endswith("]"):
        raise InvalidAction(f"unclosed: {safe_name(name)} has [ and no ] at its end; write Action: Search[…]")
    body = rest[:-1].strip()
    if _NEXT.search(body, max(body.find("]"), 0)) and "]" in body:
        raise InvalidAction("one call a turn: found several tools with brackets; write exactly one, or Action Input:")
    known = name if name in tools else next((tool for tool in tools if tool.lower() == name.lower()), name)
    if known not in tools and name.lower() == FINISH:
        return answered(body, tools)
    return _call(known, body, tools)


def _several(counts: Mapping[str, int]) -> InvalidAction:
    shown = ", ".join(f"{label}: × {count}" for label, count in counts.items() if count)
    return InvalidAction(f"one call a turn: found {shown}; write exactly one")
