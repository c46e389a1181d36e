"""Recorded runs made again on the official tools: what every turn of the agent was, and how the run is graded."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from agentgym.digest import state_hash
from agentgym.envs.customer_service.database import Database
from agentgym.envs.customer_service.official.domains import Official, officials
from agentgym.envs.customer_service.official.grading import Call, Grade, grade
from agentgym.envs.customer_service.rewards import tag_of
from agentgym.envs.customer_service.sources.entries import begin
from agentgym.envs.customer_service.sources.recorded import Run
from agentgym.score import soft_match

ORDER: Final = ("gold", "soft", "state", "error", "duplicate", "read", "message")
"""Of several calls in one message the first of these is the tag of the turn."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn of the agent: one message, and what its calls did.

    Attributes:
        tag: gold, soft, read, state, error, duplicate or message, as in `rewards.tag_of`.
        soft_match: how well the best of its calls fits a gold call; 0 for a message.
        state, next_state: hash of the database and of which calls the agent has made, before and after.
        valid: whether all tools that it called are there.
    """

    tag: str
    soft_match: float
    state: str
    next_state: str
    valid: bool


@dataclass(frozen=True, slots=True)
class Replay:
    """A run that was made again.

    Attributes:
        turns: one for each message of the agent.
        grade: of the end that it comes to.
        calls: how many calls were answered.
        differing: (tool, recorded, now) of the results that come out otherwise now.
    """

    turns: tuple[Turn, ...]
    grade: Grade
    calls: int
    differing: tuple[tuple[str, str, str], ...]


def replay(run: Run, base: Database) -> Replay:
    """Make the calls of a run again.

    Args:
        run: it.
        base: the database of its domain, as its kind of set keeps it (`Files(folder, kind).database`).

    Raises:
        Unplayable: its task cannot be prepared.
    """
    official = officials(run.kind)[run.domain]
    start = begin(base, run.data["prepare"])
    tape = _Tape(run, official, start)
    for said in run.said:
        tape.play(said)
    end = start
    for action in run.data["gold"]:
        end = official.call(end, action["name"], action["arguments"], action["side"]).database
    data = {**run.data, "end": end.digest}
    graded = grade(data, tape.database, tape.made, tape.told)
    return Replay(tuple(tape.turns), graded, tape.answered, tuple(tape.differing))


class _Tape:
    """A run under way."""

    def __init__(self, run: Run, official: Official, database: Database) -> None:
        self.run, self.official, self.database = run, official, database
        self.turns: list[Turn] = []
        self.made: list[Call] = []
        self.told: list[str] = []
        self.called: set[str] = set()
        self.results: dict[str, tuple[str, str]] = {}
        self.differing: list[tuple[str, str, str]] = []
        self.answered = 0

    def play(self, said: Any) -> None:
        """Take one message."""
        if said.role == "tool":
            self._compare(said)
        elif said.role == "assistant":
            if said.text and (self.run.kind == "tau2" or not said.calls):
                self.told.append(said.text)
            self._agent(said.calls)
        else:
            for key, call in said.calls:
                self._call(key, call)

    def _agent(self, calls: tuple[tuple[str, Call], ...]) -> None:
        before, tags, fits, valid = self._hash(), [], [], True
        for key, call in calls:
            fit, repeated, old = self._fit(call), _key(call) in self.called, self.database
            error = self._call(key, call)
            tool = self.official.tools.tools.get(call.name)
            valid = valid and tool is not None
            written = self.database is not old and self.database != old
            tags.append("error" if error or tool is None else tag_of(tool.tag, fit, repeated, written))
            fits.append(fit)
            if not error:
                self.called.add(_key(call))
        tag = min(tags or ["message"], key=ORDER.index)
        self.turns.append(Turn(tag, max(fits, default=0.0), before, self._hash(), valid))

    def _call(self, key: str, call: Call) -> bool:
        """Make a call; return whether it failed."""
        found = self.official.call(self.database, call.name, call.arguments, call.side)
        self.database = found.database
        self.made.append(call)
        self.results[key] = call.name, found.text
        return found.error

    def _compare(self, said: Any) -> None:
        name, text = self.results.get(said.answers, ("", said.text))
        self.answered += 1
        if text != said.text:
            self.differing.append((name, said.text, text))

    def _fit(self, call: Call) -> float:
        golds = self.run.data["gold"]
        fits = (soft_match(call.arguments, gold["arguments"]) for gold in golds if _same(gold, call))
        return max(fits, default=0.0)

    def _hash(self) -> str:
        return state_hash((self.run.domain, self.run.task, self.database.digest, tuple(sorted(self.called))))


def _same(gold: Mapping[str, Any], call: Call) -> bool:
    return gold["side"] == call.side and gold["name"] == call.name


def _key(call: Call) -> str:
    return f"{call.name}:{json.dumps(call.arguments, sort_keys=True)}"
