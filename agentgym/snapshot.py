"""Snapshot: a moment of an episode, frozen; a pointer in memory, canonical bytes on disk."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from agentgym.digest import decode, encode
from agentgym.errors import SnapshotError
from agentgym.turn import TurnInfo, copy_json, validate_info

_MAGIC = b"agentgym-snapshot-1\n"
_KINDS = [str] * 5 + [int] * 3 + [bool, bytes, str, str]


@dataclass(frozen=True, slots=True)
class Packed:
    """A state still in its canonical bytes; the world that restores it decodes it with its own classes."""

    data: bytes


def _itself(state: Any) -> Any:
    return state


@dataclass(frozen=True)
class Snapshot:
    """Everything that decides how the episode goes on.

    Attributes:
        world, version, panel, base: id and version of the world, hash of its panel, hash of its base data ("" if none).
        task, seed, branch, turn: where the episode stands.
        state: the state itself, or `Packed` after `from_bytes`.
        observation: the last one.
        record: its info record; read `info`, a fresh copy of it.
        over: whether the episode had ended.
        pack: makes the state a plain value, for `to_bytes`.
        asked: the signals and `privileged` of the world that took it; None after `from_bytes`.
    """

    world: str
    version: str
    panel: str
    base: str
    task: str
    seed: int
    branch: int
    turn: int
    state: Any
    observation: str
    record: TurnInfo = field(repr=False)
    over: bool
    pack: Callable[[Any], Any] = field(default=_itself, compare=False, repr=False)
    asked: tuple[frozenset[str], bool] | None = field(default=None, compare=False, repr=False)

    @property
    def info(self) -> TurnInfo:
        """Return the info record of this moment, as a fresh copy."""
        info: TurnInfo = copy_json(self.record)
        return info

    def to_bytes(self) -> bytes:
        """Return the canonical bytes: a header, a 128-bit digest, the encoded fields. Equal moments, equal bytes."""
        state = self.state.data if isinstance(self.state, Packed) else encode(self.pack(self.state))
        body = encode(
            (
                (self.world, self.version, self.panel, self.base, self.task),
                (self.seed, self.branch, self.turn, self.over),
                state,
                self.observation,
                json.dumps(self.record, sort_keys=True),
            )
        )
        return _MAGIC + blake2b(body, digest_size=16).digest() + body

    @classmethod
    def from_bytes(cls, data: bytes) -> Snapshot:
        """Return the snapshot that these bytes hold; nothing in them is executed.

        Raises:
            SnapshotError: not a snapshot, another format version, or damaged bytes.
        """
        head = len(_MAGIC)
        if data[:head] != _MAGIC:
            raise SnapshotError("these bytes are not an agentgym snapshot of format 1: write them with to_bytes()")
        body = data[head + 16 :]
        if blake2b(body, digest_size=16).digest() != data[head : head + 16]:
            raise SnapshotError("damaged snapshot: its digest does not fit its bytes; take it from an intact copy")
        try:
            names, place, state, observation, text = decode(body)
            world, version, panel, base, task = names
            seed, branch, turn, over = place
            kinds = [type(value) for value in (*names, *place, state, observation, text)]
            if kinds != _KINDS or min(seed, branch, turn) < 0:
                raise ValueError("its fields are of other types")
            record: TurnInfo = json.loads(text)
            validate_info(record, "its info")
            told = [record["task"], record["seed"], record["branch"], record["turn"], bool(record["end_reason"])]
            if told != [task, seed, branch, turn, over]:
                raise ValueError("its info speaks of another moment")
        except (ValueError, TypeError, RecursionError) as error:
            raise SnapshotError(f"damaged snapshot: {error}") from error
        return cls(world, version, panel, base, task, seed, branch, turn, Packed(state), observation, record, over)

    def __reduce__(self) -> tuple[Any, ...]:
        return Snapshot.from_bytes, (self.to_bytes(),)
