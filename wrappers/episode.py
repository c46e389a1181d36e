"""One episode as a wrapper saw it, copied out of what the caller holds, and the record that finished ones make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentgym.batch import TurnBatch
from agentgym.batch.played import batch_of
from agentgym.rng import TurnRng
from agentgym.rollout import Reply, View
from agentgym.turn import ALWAYS, SOMETIMES, copy_json

Floats = NDArray[np.float64]
KINDS: Mapping[str, type] = {**ALWAYS, **SOMETIMES}
"""The keys of an info record that are kept, and their types."""
_FLAT = frozenset({str, int, float, bool})


def kept(info: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of the schema's part of an info; what other wrappers add is left out.

    Raises:
        TypeError: it is no info of agentgym's contract.
    """
    if "state_hash" not in info or "anchor_hash" not in info:
        raise TypeError("info has no state_hash: these wrappers are for worlds of agentgym's contract (AgentEnv)")
    return {key: value if type(value) in _FLAT else copy_json(value) for key, value in info.items() if key in KINDS}


@dataclass(slots=True)
class Episode:
    """An episode under way or finished; what `agentgym.batch.played.batch_of` reads, and no more.

    Attributes:
        observation: what the agent read last.
        info: the last info, a copy.
        started: running number of the start, which orders episodes that began together.
        group, member, seed: where it belongs in a batch.
        rows: (observation, info before, reply, info after) of each turn.
        flags: (terminated, truncated) at the end.
        hindsight: (turns,) log-probabilities that a score gave, where one was asked.
    """

    observation: str
    info: dict[str, Any]
    started: int = 0
    group: str = ""
    member: int = 0
    seed: int = 0
    rows: list[tuple[str, Any, Any, Any]] = field(default_factory=list)
    flags: tuple[bool, bool] = (False, False)
    hindsight: Floats | None = None

    @classmethod
    def begin(cls, observation: str, info: Mapping[str, Any], started: int) -> Episode:
        """Return an episode at its start."""
        return cls(observation, kept(info), started)

    @property
    def failed(self) -> bool:
        """Whether an infrastructure error ended it: it is left out of every estimate and counted."""
        return bool(self.info["end_reason"] == "infra_error")

    @property
    def start(self) -> tuple[str, str]:
        """Task and hash of the first state, which all members of a group share."""
        first = self.rows[0][1] if self.rows else self.info
        return first["task"], first["state_hash"]

    @property
    def name(self) -> str:
        """How a message calls it."""
        return f"task {self.info['task']!r}, seed {self.info['seed']}"

    def take(self, action: Any, observation: str, info: Mapping[str, Any], flags: tuple[bool, bool]) -> None:
        """Add one turn; what terminates is not truncated, as where a time limit inside runs out in the last turn.

        Raises:
            RuntimeError: this is not the turn after the last one: the world was moved underneath the wrapper.
        """
        after = kept(info)
        if (after["turn"], after["task"], after["seed"]) != (len(self.rows) + 1, self.info["task"], self.info["seed"]):
            raise RuntimeError(
                f"the world is at turn {after['turn']} of task {after['task']!r}, seed {after['seed']}, where turn "
                f"{len(self.rows) + 1} of {self.name} was due: reset, restore and fork move the bare world "
                "underneath its wrappers; use them on a world without wrappers"
            )
        text = str.__str__(action) if isinstance(action, str) else after["action"]
        self.rows.append((self.observation, self.info, Reply(text), after))
        terminated, truncated = flags
        self.observation, self.info, self.flags = observation, after, (terminated, truncated and not terminated)

    def messages(self, turns: int | None = None) -> list[dict[str, Any]]:
        """Return a copy of the chat messages until after so many turns (None: all of it)."""
        opening = self.rows[0][1] if self.rows else self.info
        said = [opening, *(row[3] for row in self.rows[:turns])]
        return [copy_json(message) for info in said for message in info["messages"]]

    def views(self) -> list[View]:
        """Return what a policy sees before each of the turns, as `collect` would show it."""
        tools = tuple(self.rows[0][1].get("tools", ()))
        return [
            View(
                self.messages(turn), turn, TurnRng(before["seed"], self.member, turn, "policy"), before["state_hash"],
                MappingProxyType(copy_json(before)), tuple(before.get("menu", ())), before.get("expert", ""),
                before.get("describe", ""), tools,
            )
            for turn, (_, before, _, _) in enumerate(self.rows)
        ]  # fmt: skip


def number(episodes: Sequence[Episode]) -> None:
    """Make episodes of equal starts the members 0, 1, … of one group, in the order given."""
    task, seed = episodes[0].info["task"], episodes[0].info["seed"]
    for member, episode in enumerate(episodes):
        episode.group, episode.member, episode.seed = f"{task}#{seed}", member, seed


def as_record(episodes: Sequence[Episode], meta: Mapping[str, Any]) -> TurnBatch:
    """Return finished episodes as `collect` records them: those of equal task and seed form a group.

    Members of a group are numbered by the order of their starts; groups stand in the order of (seed, task).
    """
    members: dict[str, int] = {}
    for episode in sorted(episodes, key=lambda episode: episode.started):
        episode.seed = episode.info["seed"]
        episode.group = f"{episode.info['task']}#{episode.seed}"
        episode.member = members.get(episode.group, 0)
        members[episode.group] = episode.member + 1
    return batch_of(episodes, meta)
