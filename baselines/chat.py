"""A policy behind any OpenAI-compatible endpoint, and behind a cassette of one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from agentgym.action import ToolCall
from agentgym.codec import CODECS, Dialect
from agentgym.errors import unknown
from agentgym.http import NoAnswer
from agentgym.llm import Called, Completion, Model, open_model
from agentgym.rollout import Reply, View
from agentgym.tool import Tools, ToolSpec

OPTIONS: Final[Mapping[str, Any]] = {"temperature": 0.7, "max_tokens": 512}


class ChatPolicy:
    """Asks a chat model for each action; what it writes is the action, whatever it is.

    The model is sent the messages of the rollout. How to call the tools of the world it is told in the system message,
    in the words of the codec; or it gets the tools' schemas, and its calls are written in the codec's form.

    Args:
        model: that acts, or what describes one (`agentgym.llm.open_model`).
        codec: the name of the dialect that the world reads, as in its codec=.
        native: whether the endpoint takes tools and gives calls.
        at_once: most calls in flight together.
        options: of the requests, on top of temperature 0.7 and max_tokens 512; None leaves one out.

    Raises:
        ValueError: an unknown codec, at_once is no int of at least 1, and as `open_model`.
    """

    signals: Sequence[str] = ()
    markov = False

    def __init__(
        self,
        model: Model | Mapping[str, Any],
        *,
        codec: str = "hermes",
        native: bool = False,
        at_once: int = 16,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        if codec not in CODECS:
            raise ValueError(unknown("codec", codec, CODECS))
        if type(at_once) is not int or at_once < 1:
            raise ValueError(f"at_once must be an int of at least 1, not {at_once!r:.60}")
        self.model = open_model(model) if isinstance(model, Mapping) else model
        self._codec, self._native, self._at_once = CODECS[codec], native, at_once
        self._options = {**OPTIONS, **(options or {})}
        self._pool: ThreadPoolExecutor | None = None

    def __call__(self, views: Sequence[View]) -> list[Reply]:
        """Return what the model writes for each view, all asked for together; lost where it gave no answer.

        Raises:
            EndpointError, CassetteMiss, BudgetSpent: as `Model.reply`; they stop the run.
        """
        if len(views) == 1 or self._at_once == 1:
            return [self._reply(view) for view in views]
        if self._pool is None:  # kept, and with it the connections of its threads
            self._pool = ThreadPoolExecutor(self._at_once, "agentgym-chat")
        return list(self._pool.map(self._reply, views))

    def snapshot(self) -> None:
        """Return None: the messages of a view are all it goes by."""

    def restore(self, moment: None) -> None:
        """Do nothing; see `snapshot`."""

    def _reply(self, view: View) -> Reply:
        options, messages = self._options, [dict(message) for message in view.messages]
        if options.get("temperature") != 0:
            options = {"seed": view.rng.bits() >> 33, **options}
        tools = _tools(view.tools)
        if self._native:
            options = {"tools": [dict(tool) for tool in view.tools] or None, **options}
        else:
            told = self._codec.instructions(tools)
            if messages and messages[0]["role"] == "system":
                messages[0] = {**messages[0], "content": f"{messages[0]['content']}\n\n{told}"}
            else:
                messages.insert(0, {"role": "system", "content": told})
        try:
            return Reply(_action(self.model.reply(messages, **options), self._codec, tools))
        except NoAnswer as error:
            return Reply("", lost=str(error))


def _tools(schemas: Sequence[Mapping[str, Any]]) -> Tools:
    """Return tools as their schemas describe them."""
    found = {}
    for schema in schemas:
        function = schema["function"]
        properties = function["parameters"]["properties"]
        single = next(iter(properties)) if len(properties) == 1 else None
        text = single if single is not None and properties[single].get("type") == "string" else None
        found[function["name"]] = ToolSpec(function["name"], function["description"], function["parameters"], text)
    return Tools(found)


def _action(reply: Completion, codec: Dialect, tools: Tools) -> str:
    """Return a reply as the text of an action: its words, then its calls, one a line."""
    parts = [reply.text or ("" if reply.calls else reply.refusal), *(_call(call, codec, tools) for call in reply.calls)]
    return "\n".join(part for part in parts if part)


def _call(call: Called, codec: Dialect, tools: Tools) -> str:
    """Return a call in a dialect; where that cannot write it, as it came, which no world takes for another one."""
    try:
        arguments = json.loads(call.arguments or "{}")
        return codec.render(ToolCall(call.name, arguments), tools)
    except (ValueError, TypeError, AttributeError, RecursionError):
        return f'<tool_call>{{"name": {json.dumps(call.name)}, "arguments": {call.arguments}}}</tool_call>'
