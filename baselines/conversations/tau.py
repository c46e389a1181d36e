"""Recorded runs of tau-bench and tau2 as a TurnBatch: their calls made again on tools of our own, and graded anew."""

from __future__ import annotations

import json
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple

from agentgym import data as store
from agentgym.batch import BatchError, TurnBatch
from agentgym.envs.customer_service.database import Database
from agentgym.envs.customer_service.sources.entries import Unplayable
from agentgym.envs.customer_service.sources.files import Files
from agentgym.envs.customer_service.sources.recorded import Run, Unreadable, runs_of
from agentgym.envs.customer_service.sources.replayed import Replay, replay
from agentgym.errors import DataError


class Recorded(NamedTuple):
    """A file of recorded runs.

    Attributes:
        batch: the turns of the agent.
        rewards: of each run, in the order of the file: (task, trial, recorded, graded); None where nothing is recorded,
            or where only a judge could tell.
        notes: what differs between the record and what comes out now, a line each.
    """

    batch: TurnBatch
    rewards: list[tuple[str, int, float | None, float | None]]
    notes: list[str]


def read_tau(path: str | PathLike[str], data: str | PathLike[str]) -> Recorded:
    """Return the turns of a file of tau-bench's trajectories or tau2's results.

    One row a message of the agent. Beside what `TurnBatch.from_messages` makes of a chat log, it has `tag` (gold, soft,
    read, state, error, duplicate, message), `components` with soft_match, `state`, `next_state` and `anchor` (the
    database and which calls were made; not what was said), `valid`, `success`, `terminated` and `truncated`. The group
    is the task, the outcome the recorded reward; where a file has none, the one that is graded here.

    Args:
        path: of the file.
        data: where the databases are: the name of a set that was added (`agentgym data add`), or the set's folder.

    Raises:
        BatchError: the file cannot be read, or holds what no such file holds; the message names the run.
        DataError: there is no such set, or it lacks the database of a domain.
    """
    file = Path(fspath(path))
    try:
        runs = runs_of(json.loads(file.read_text("utf-8")))
    except OSError as error:
        raise BatchError(f"{file} cannot be read ({(error.strerror or str(error)).lower()})") from error
    except (ValueError, RecursionError) as error:  # no JSON, no text, or no runs
        what = str(error) if isinstance(error, Unreadable) else f"it is no JSON ({error})"
        raise BatchError(f"{file}: {what}") from None
    bases = _databases(_folder(data), runs)
    replays = []
    for run in runs:
        try:
            replays.append(replay(run, bases[run.domain]))
        except Unplayable as error:
            raise BatchError(f"{file}: task {run.task}: {error}") from None
    rewards = [(run.task, run.trial, run.reward, graded(run, made)) for run, made in zip(runs, replays, strict=True)]
    return Recorded(_batch(file, runs, replays), rewards, _notes(runs, replays))


def graded(run: Run, made: Replay) -> float | None:
    """Return the reward of a run as it is graded here; None where only a judge could tell. Unfinished runs get 0."""
    return made.grade.reward if run.over else 0.0


def _folder(data: str | PathLike[str]) -> Path:
    folder = Path(data).expanduser()
    if folder.is_dir():
        return folder
    name = fspath(data)
    if folder.name != name:
        raise DataError(f"{folder}: no folder, and no name of a data set (`agentgym data list` shows them)")
    return store.get(name).folder


def _databases(folder: Path, runs: list[Run]) -> dict[str, Database]:
    found = {}
    for kind, domain in dict.fromkeys((run.kind, run.domain) for run in runs):
        files = Files(folder, kind)
        database = files.database(domain)
        if database is None:
            raise DataError(f"{folder}: {files.problems[-1]}")
        found[domain] = database
    return found


def _batch(file: Path, runs: list[Run], replays: list[Replay]) -> TurnBatch:
    alone = len({(run.domain, run.task, run.trial) for run in runs}) == len(runs)  # task and trial name a run
    outcomes = [run.reward for run in runs]
    if None in outcomes:
        outcomes = [graded(run, made) for run, made in zip(runs, replays, strict=True)]
    logs = [
        {"messages": [said.message() for said in run.said if not said.private], "task": f"{run.domain}/{run.task}"}
        | {"trajectory": run.trial if alone else number}
        | ({} if None in outcomes else {"outcome": outcome, "success": (outcome or 0.0) >= 1.0})
        for number, (run, outcome) in enumerate(zip(runs, outcomes, strict=True))
    ]
    try:
        batch = TurnBatch.from_messages(logs, {"recorded": {"file": file.name, "kind": runs[0].kind}})
    except BatchError as error:
        raise BatchError(f"{file}: {error}") from None
    turns = [turn for made in replays for turn in made.turns]
    last = [place + 1 == len(made.turns) for made in replays for place in range(len(made.turns))]
    over = [run.over for run, made in zip(runs, replays, strict=True) for _ in made.turns]
    columns: dict[str, Any] = {
        "tag": [turn.tag for turn in turns],
        "components": [{"soft_match": turn.soft_match} for turn in turns],
        "state": [turn.state for turn in turns],
        "next_state": [turn.next_state for turn in turns],
        "anchor": [turn.state for turn in turns],
        "valid": [turn.valid for turn in turns],
        "terminated": [end and there for end, there in zip(last, over, strict=True)],
        "truncated": [end and not there for end, there in zip(last, over, strict=True)],
    }
    return batch.with_columns(columns)


def _notes(runs: list[Run], replays: list[Replay]) -> list[str]:
    notes = []
    for run, made in zip(runs, replays, strict=True):
        now = graded(run, made)
        if run.reward is not None and now != run.reward:
            why = "only a judge could tell" if now is None else f"graded {now:g} here ({_parts(made)})"
            notes.append(f"task {run.task}, trial {run.trial}: recorded reward {run.reward:g}, {why}")
    differing = [one for made in replays for one in made.differing]
    if differing:
        tools = ", ".join(dict.fromkeys(name or "an unknown call" for name, _, _ in differing))
        calls = sum(made.calls for made in replays)
        notes.append(f"{len(differing)} of {calls} results come out otherwise than recorded ({tools})")
    return notes


def _parts(made: Replay) -> str:
    parts = made.grade.parts
    return ", ".join(f"{name} {'?' if parts[name] is None else format(parts[name], 'g')}" for name in made.grade.basis)
