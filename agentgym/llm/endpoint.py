"""Endpoints of chat completions as OpenAI defined them: what is sent, and what of an answer is believed."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from agentgym.errors import AgentGymError
from agentgym.http import Asker, NoAnswer, Patience, split_url

CHAT: Final = "/chat/completions"
_PATH: Final = "/v1"
"""Where an endpoint's path is not given."""
_KEYLESS: Final = ("status 401", "status 403")


class EndpointError(AgentGymError):
    """An endpoint cannot be asked as it was described; the message names what is missing and the remedy."""


@dataclass(frozen=True, slots=True)
class Called:
    """A call of a tool in a reply: its name, and its arguments as the model wrote them."""

    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model replied.

    Attributes:
        text: its words; "" where it only called tools, or refused.
        finish: why it stopped: "stop", "length", "tool_calls", "content_filter" or whatever the server says.
        refusal: why it will not answer, where it says so apart from its words.
        calls: of tools.
        tokens: (of the request, of the reply); where the server does not count, a quarter of the letters.
        served: what the server calls the model that spoke.
    """

    text: str
    finish: str = "stop"
    refusal: str = ""
    calls: tuple[Called, ...] = ()
    tokens: tuple[int, int] = (0, 0)
    served: str = ""

    def packed(self) -> dict[str, Any]:
        """Return plain JSON, which `unpacked` reads."""
        found: dict[str, Any] = {"text": self.text, "finish": self.finish, "tokens": list(self.tokens)}
        found |= {name: getattr(self, name) for name in ("refusal", "served") if getattr(self, name)}
        if self.calls:
            found["calls"] = [[call.name, call.arguments] for call in self.calls]
        return found

    @classmethod
    def unpacked(cls, value: Any) -> Completion:
        """Return what `packed` gave. Raises ValueError: it is something else."""
        match value:
            case {"text": str(text), "finish": str(finish), "tokens": [int(asked), int(said)]}:
                calls = tuple(Called(str(name), str(given)) for name, given in value.get("calls", ()))
                more = str(value.get("refusal", "")), str(value.get("served", ""))
                return cls(text, finish, more[0], calls, (asked, said), more[1])
        raise ValueError("a reply needs text, finish and tokens")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is asked, and how patiently.

    Attributes:
        url: of the server, as its makers give it: "http://127.0.0.1:8000/v1". What follows is added.
        model: the name under which the server knows it.
        key: the name of the environment variable that holds the key; "" where none is needed. The key itself is in no
            record, message or error.
        patience: bounds of time and tries. By default four more tries after the first, with pauses of half a second
            that double up to a minute, or are as long as the server asks.

    Raises:
        ValueError: the URL is none, or there is no model's name.
    """

    url: str
    model: str
    key: str = ""
    patience: Patience = field(
        default_factory=lambda: Patience(timeout=60.0, attempts=5, total=300.0, most=4 << 20, pause=0.5, longest=60.0)
    )

    def __post_init__(self) -> None:
        split_url(self.url)
        if not isinstance(self.model, str) or not self.model:
            raise ValueError(f"an endpoint needs the name of its model, not {self.model!r:.60}")

    def open(self) -> Client:
        """Return a client. Raises EndpointError: the variable that should hold the key is not set."""
        headers = {}
        if self.key:
            secret = os.environ.get(self.key, "").strip()
            if not secret:
                raise EndpointError(
                    f"the environment variable {self.key} is not set, and {self.url} needs the key that it holds: "
                    f"export {self.key}=…, or replay a cassette, which needs none"
                )
            if not secret.isascii() or not secret.isprintable():
                raise EndpointError(f"the environment variable {self.key} holds characters that no key has")
            headers["Authorization"] = f"Bearer {secret}"
        return Client(self, headers)


class Client:
    """Asks an endpoint; threads and forked processes may share it.

    Args:
        endpoint: which.
        headers: sent with each request.
    """

    def __init__(self, endpoint: Endpoint, headers: Mapping[str, str]) -> None:
        self.endpoint = endpoint
        base, path = split_url(endpoint.url)
        path = path.removesuffix(CHAT) or _PATH
        self._path = path + CHAT
        self._asker = Asker(base, endpoint.patience, headers)

    def ask(self, body: Mapping[str, Any]) -> Completion:
        """Return the reply to a request.

        Raises:
            NoAnswer: there was none within the endpoint's patience, or what came was no reply at all.
            EndpointError: the endpoint wants a key, or another one.
        """
        try:
            return self._asker.ask("POST", self._path, body, lambda raw: read_completion(raw, body))
        except NoAnswer as error:
            if not error.cause.startswith(_KEYLESS):
                raise
            key = self.endpoint.key
            what = f"refuses the key in the environment variable {key}" if key else "wants a key"
            remedy = "set another one" if key else "name the environment variable that holds it, as 'key'"
            raise EndpointError(f"{error.url} {what} ({error.cause}): {remedy}") from error


def read_completion(raw: bytes, body: Mapping[str, Any]) -> Completion:
    """Return the one reply that an answer holds.

    Args:
        raw: the body of an answer.
        body: the request, by which tokens are estimated where the server counts none.

    Raises:
        ValueError: no JSON, no choice or several, no message, no text, no call and no refusal in it.
    """
    if not raw.strip():
        raise ValueError("it is empty")
    try:
        value = json.loads(raw.decode("utf-8"))
    except RecursionError:
        raise ValueError("its JSON is nested too deeply") from None
    choices = value.get("choices") if isinstance(value, dict) else None
    if not isinstance(choices, list):
        raise ValueError(f"it holds no choices{_error_in(value)}")
    if len(choices) != 1:
        raise ValueError(f"it holds {len(choices)} choices where one was asked for")
    message = choices[0].get("message") if isinstance(choices[0], dict) else None
    if not isinstance(message, dict):
        raise ValueError("its choice has no message")
    text, calls = message.get("content"), _calls(message.get("tool_calls"))
    refusal, finish = message.get("refusal"), choices[0].get("finish_reason")
    finish = finish if isinstance(finish, str) else "stop"
    refusal = refusal if isinstance(refusal, str) else ""
    if not isinstance(text, str):
        if not calls and not refusal and finish != "content_filter":
            raise ValueError(f"its message has no content ({'null' if 'content' in message else 'none'})")
        text = ""
    text = text.encode("utf-8", "replace").decode()  # lone surrogates are no text
    served = value.get("model")
    tokens = _tokens(value.get("usage"), body, text)
    return Completion(text, finish, refusal, calls, tokens, served if isinstance(served, str) else "")


def _error_in(value: Any) -> str:
    """Return what an answer of status 200 says went wrong."""
    said = value.get("error") if isinstance(value, dict) else None
    return f" but an error: {json.dumps(said)[:120]}" if said else ""


def _calls(value: Any) -> tuple[Called, ...]:
    """Return the calls of tools in a message; what is none is passed over."""
    found = []
    for item in value if isinstance(value, list) else ():
        match item:
            case {"function": {"name": str(name), "arguments": str(arguments)}}:
                found.append(Called(name, arguments))
            case {"function": {"name": str(name), "arguments": dict(arguments)}}:  # as some servers have it
                found.append(Called(name, json.dumps(arguments)))
    return tuple(found)


def _tokens(usage: Any, body: Mapping[str, Any], text: str) -> tuple[int, int]:
    match usage:
        case {"prompt_tokens": int(asked), "completion_tokens": int(said)} if 0 <= asked < 1 << 40 > said >= 0:
            return int(asked), int(said)
        case _:
            messages: Sequence[Mapping[str, Any]] = body.get("messages", ())
            letters = sum(len(str(message.get("content") or "")) for message in messages)
            return -(-letters // 4), -(-len(text) // 4)
