"""Users, judges and models described in plain JSON, as gym.make and records hold them."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock
from typing import Any, Final
from weakref import WeakValueDictionary

from agentgym.errors import unknown
from agentgym.http import Patience
from agentgym.llm.budget import Budget
from agentgym.llm.cassette import canonical, open_cassette
from agentgym.llm.endpoint import Endpoint
from agentgym.llm.model import Model
from agentgym.llm.speakers import LLMJudge, LLMUser

MODEL: Final = ("endpoint", "model", "key", "cassette", "mode", "calls", "tokens", "timeout", "attempts", "total")
_USER: Final = ("tries", "options")
_JUDGE: Final = ("tries", "votes", "spread", "options")
_PATIENCE: Final = ("timeout", "attempts", "total")

_OPEN: WeakValueDictionary[str, Model] = WeakValueDictionary()
_OPENING: Final = Lock()


def open_model(spec: Mapping[str, Any]) -> Model:
    """Return the model that plain JSON describes: one object a process and description, while somebody holds it.

    So the worlds of one run share connections, cassette and budget.

    Args:
        spec: "model", its name; "endpoint", the URL where it is asked; "key", the environment variable that holds the
            key; "cassette", a file; "mode", "record" or "replay" (without an endpoint it is replayed, with one
            recorded); "calls" and "tokens", the budget; "timeout", "attempts" and "total", the patience.

    Raises:
        ValueError: an unknown name, with the nearest; no model; neither endpoint nor cassette; bad bounds.
        CassetteError, EndpointError: as `Cassette` and `Endpoint.open`.
    """
    _known(spec, MODEL, "model")
    name = spec.get("model")
    if not isinstance(name, str) or not name:
        raise ValueError(f"a model needs its name, as in {{'model': 'NAME', 'endpoint': URL}}, not {name!r:.60}")
    url, path = (_text(spec, each) for each in ("endpoint", "cassette"))
    if not url and not path:
        raise ValueError(f"the model {name!r} needs an 'endpoint' that it is asked at, or a 'cassette' that replays it")
    mode = _text(spec, "mode") or ("record" if url else "replay")
    if mode == "record" and not url:
        raise ValueError(f"to record {name!r} takes an 'endpoint': name it, or leave 'mode' out to replay the cassette")
    if not path and mode == "replay":
        raise ValueError(f"to replay {name!r} takes a 'cassette': name the file, or leave 'mode' out")
    text = canonical(spec)
    with _OPENING:
        found = _OPEN.get(text)
        if found is None:
            found = _OPEN[text] = _made(spec, name, url, path, mode)
        return found


def _made(spec: Mapping[str, Any], name: str, url: str, path: str, mode: str) -> Model:
    endpoint = None
    if url:
        patience = {each: spec[each] for each in _PATIENCE if spec.get(each) is not None}
        usual = Endpoint(url, name).patience
        bounds = {each: getattr(usual, each) for each in ("timeout", "attempts", "total", "most", "pause", "longest")}
        endpoint = Endpoint(url, name, _text(spec, "key"), Patience(**{**bounds, **patience}))
    cassette = open_cassette(path, name, mode) if path else None
    return Model(endpoint, cassette, Budget(spec.get("calls"), spec.get("tokens")))


def user_from(spec: Mapping[str, Any]) -> LLMUser:
    """Return the user that plain JSON describes: a model as `open_model` reads it, and "tries" and "options".

    Raises:
        ValueError, CassetteError, EndpointError: as `open_model`.
    """
    _known(spec, (*MODEL, *_USER), "user")
    return LLMUser(open_model(_only(spec, MODEL)), **_only(spec, _USER))


def judge_from(spec: Mapping[str, Any]) -> LLMJudge:
    """Return the judge that plain JSON describes: a model, and "tries", "votes", "spread" and "options".

    Raises:
        ValueError, CassetteError, EndpointError: as `open_model`.
    """
    _known(spec, (*MODEL, *_JUDGE), "judge")
    return LLMJudge(open_model(_only(spec, MODEL)), **_only(spec, _JUDGE))


def _only(spec: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: spec[name] for name in names if spec.get(name) is not None}


def _known(spec: Mapping[str, Any], names: tuple[str, ...], what: str) -> None:
    for name in spec:
        if name not in names:
            raise ValueError(unknown("entry", name, names, f"of a {what}'s description"))


def _text(spec: Mapping[str, Any], name: str) -> str:
    value = spec.get(name)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{name!r} must be a text, not {value!r:.60}")
    return value or ""
