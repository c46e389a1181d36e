"""Cassettes: files of what a model replied to which request, from which the same replies come again, byte for byte.

A cassette is JSON lines. The first is its head: {"schema": "agentgym.Cassette/1", "model": …}. Each other line is
{"key": …, "request": …, "reply": …}: the request as it is sent, the hash of it, and the first reply that it got.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping
from hashlib import blake2b
from threading import Lock
from typing import Any, Final
from weakref import WeakValueDictionary

from agentgym.errors import AgentGymError, unknown
from agentgym.llm.endpoint import Completion
from agentgym.llm.lines import append, read_from

SCHEMA: Final = "agentgym.Cassette/1"
MODES: Final = ("record", "replay")
_SHOWN: Final = 80


class CassetteError(AgentGymError):
    """A cassette is not what was asked for, is damaged, or lacks a reply; the message names file, place and remedy."""


class CassetteMiss(CassetteError):
    """A request that a cassette holds no reply to, while it may not be asked of any endpoint."""


def canonical(request: Mapping[str, Any]) -> str:
    """Return a request as the one text of ASCII JSON by which it is known: keys in order, no blanks."""
    return json.dumps(request, sort_keys=True, separators=(",", ":"), allow_nan=False)


def key_of(request: Mapping[str, Any]) -> str:
    """Return the hash by which a request is known: 32 hexadecimal digits."""
    return blake2b(canonical(request).encode(), digest_size=16).hexdigest()


class Cassette:
    """The replies of one model, in a file or in memory alone. Threads and processes may share the file.

    Args:
        path: the file; "" keeps replies in memory, for as long as the object lives.
        model: the name of the model that speaks.
        mode: "record" appends what is new, and makes the file where there is none; "replay" only reads.

    Raises:
        CassetteError: there is no file to replay, it cannot be read, it is damaged, or it is of another model.
        ValueError: an unknown mode.
    """

    def __init__(self, path: str | os.PathLike[str], model: str, mode: str = "replay") -> None:
        if mode not in MODES:
            raise ValueError(unknown("mode", mode, MODES, "of a cassette"))
        self.path, self.model, self.mode = str(path), model, mode
        self._lock = Lock()
        self._replies: dict[str, Completion] = {}
        self._read = self._line = 0  # bytes and lines that were read
        if self.path:
            with self._lock:
                torn = self._read_on()
                if mode == "record" and not self._line:
                    self._append({"schema": SCHEMA, "model": model})
            if torn and mode == "replay":
                what = f"the last {torn} bytes, from byte {self._read} on, are no whole line and are left out"
                warnings.warn(f"{self.path}: {what}", stacklevel=2)

    def __len__(self) -> int:
        return len(self._replies)

    def __repr__(self) -> str:
        return f"Cassette({self.path!r}, {self.model!r}, {self.mode!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return open_cassette, (self.path, self.model, self.mode)

    def find(self, request: Mapping[str, Any]) -> Completion | None:
        """Return the reply to a request; None where there is none. Raises CassetteError."""
        key = key_of(request)
        found = self._replies.get(key)
        if found is None and self.path:
            with self._lock:
                self._read_on()  # what others have appended meanwhile
            found = self._replies.get(key)
        return found

    def keep(self, request: Mapping[str, Any], reply: Completion) -> Completion:
        """Keep the reply to a request and return the one that stands: the first that anybody kept.

        Raises:
            CassetteError: the cassette is only replayed, or the file cannot be written.
        """
        if self.mode != "record":
            raise CassetteError(f"the cassette {self.path} is only replayed: open it with mode='record' to add to it")
        key = key_of(request)
        with self._lock:
            if key not in self._replies and self.path:
                self._append({"key": key, "request": request, "reply": reply.packed()})
            return self._replies.setdefault(key, reply)

    def miss(self, request: Mapping[str, Any]) -> CassetteMiss:
        """Return the error that says what is missing, where it differs from what is there, and what to do."""
        said = str((list(request.get("messages") or [{}])[-1]).get("content") or "")
        last = f"whose last message is {said if len(said) <= _SHOWN else said[: _SHOWN - 1] + '…'!r}"
        return CassetteMiss(
            f"the cassette {self.path} of {self.model!r} holds no reply to the request {key_of(request)}, {last}; "
            f"{self._nearest(canonical(request))}. Nothing was asked of any endpoint: record it by mode='record' with "
            "an endpoint, or play what was recorded"
        )

    def _nearest(self, asked: str) -> str:
        """Return in words where the nearest of the requests differs."""
        with self._lock:  # what is in the file is not kept in memory too
            lines = read_from(self.path, 0)[: self._read].split(b"\n")[1:-1]
        if not lines:
            return "it is empty"
        requests = [canonical(json.loads(line)["request"]) for line in lines]
        shared, row = max((_alike(asked, known), -row) for row, known in enumerate(requests))
        here, there = (text[max(0, shared - 20) : shared + 40] for text in (asked, requests[-row]))
        return f"the nearest of its {len(lines)} requests, in line {2 - row}, has {there!r} where this has {here!r}"

    # ---- the file ----------------------------------------------------------------------------------------------------

    def _append(self, line: Mapping[str, Any]) -> None:
        """Append a line, unless another process has appended one of the same key; then read on."""
        try:
            append(self.path, json.dumps(line, allow_nan=False).encode(), self._others(line.get("key")))
        except OSError as error:
            raise CassetteError(f"cannot write the cassette {self.path}: {error.strerror or error}") from error
        self._read_on()

    def _others(self, key: Any) -> Any:
        def known() -> bool:
            self._read_on()
            return self._line > 0 if key is None else key in self._replies

        return known

    def _read_on(self) -> int:
        """Read the lines that were appended since; return how many bytes follow them. Raises CassetteError."""
        try:
            raw = read_from(self.path, self._read)
        except FileNotFoundError:
            if self.mode == "record":
                return 0
            raise CassetteError(
                f"there is no cassette {self.path}: record one by mode='record' with an endpoint, or name another file"
            ) from None
        except OSError as error:
            raise CassetteError(f"cannot read the cassette {self.path}: {error.strerror or error}") from error
        *whole, rest = raw.split(b"\n")
        for line in whole:
            self._take(line)
            self._read += len(line) + 1
            self._line += 1
        if not self._line and self.mode == "replay":
            raise CassetteError(f"{self.path} is empty, which is no cassette: record it, or name another file")
        return len(rest)

    def _take(self, line: bytes) -> None:
        place = f"{self.path}, line {self._line + 1} (byte {self._read})"
        try:
            value = json.loads(line)
            if not self._line:
                self._head(value)
                return
            request, reply = value["request"], Completion.unpacked(value["reply"])
            key = key_of(request)
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise CassetteError(f"{place}: this is no line of a cassette ({error!s:.80}); leave it out") from None
        if key != value.get("key"):
            raise CassetteError(
                f"{place}: its request is not that of its key, so it was changed by hand: record it anew"
            )
        self._replies.setdefault(key, reply)

    def _head(self, value: Any) -> None:
        if not isinstance(value, dict) or value.get("schema") != SCHEMA:
            raise CassetteError(f"{self.path} does not begin as a cassette does ({SCHEMA!r}): name another file")
        if value.get("model") != self.model:
            raise CassetteError(
                f"the cassette {self.path} is of the model {value.get('model')!r}, not of {self.model!r}: name that "
                "model, or another cassette"
            )


def _alike(one: str, other: str) -> int:
    """Return how many letters two texts share from their start."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (mine, theirs) in pairs if mine != theirs), min(len(one), len(other)))


_OPEN: WeakValueDictionary[tuple[str, str, str], Cassette] = WeakValueDictionary()
_OPENING: Final = Lock()


def open_cassette(path: str | os.PathLike[str], model: str, mode: str = "replay") -> Cassette:
    """Return a cassette: one object a process, file, model and mode, for as long as somebody holds it.

    Raises:
        CassetteError, ValueError: as `Cassette`.
    """
    if not path:
        return Cassette("", model, mode)
    key = (os.path.realpath(path), model, mode)
    with _OPENING:
        found = _OPEN.get(key)
        if found is None:
            found = _OPEN[key] = Cassette(path, model, mode)
        return found
