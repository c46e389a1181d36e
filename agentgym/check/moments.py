"""Rules: any moment of an episode can be kept, gone back to and split."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from agentgym.check.explore import LATE, TRIES, explored, future
from agentgym.check.facts import begin, builds_upon, episodes, fault, once, told_from
from agentgym.check.rule import require, rule
from agentgym.check.subject import Subject, Trace
from agentgym.env import AgentEnv
from agentgym.errors import SnapshotError
from agentgym.rng import TurnRng
from agentgym.snapshot import Snapshot
from agentgym.task import Task

REFUSED = ("world", "version", "panel", "base", "task")
"""Parts of a snapshot that must be those of the world that restores it."""
MANY = 20
"""Results that must have depended on the seed before one may say that none ever depends on the branch."""
DRAWS = 3


@dataclass(frozen=True, slots=True)
class Kept:
    """An episode, the world that played it, and some of its moments, by the turn at which they were taken."""

    task: Task
    seed: int
    trace: Trace
    env: AgentEnv[Any]
    moments: dict[int, Snapshot]


@once
def kept(subject: Subject) -> list[Kept]:
    """Return a few episodes with their first, middle, last running and ended moment, or fewer of short ones."""
    found = []
    for task, seed in episodes(subject):
        env = subject.make(signals=subject.signals())
        trace = begin(subject, env, task, seed)
        rng = TurnRng(subject.seed, stream=f"kept {task.id} {seed}")
        taken: dict[int, Snapshot] = {}
        while trace.error is None:
            taken[len(trace.actions)] = env.snapshot()
            if trace.over or len(trace.actions) >= 40:
                break
            subject.go_on(env, trace, 1, rng)
        last = max(taken, default=0)
        turns = [turn for turn in sorted({0, last // 2, last - 1, last}) if turn in taken]
        found.append(Kept(task, seed, trace, env, {turn: taken[turn] for turn in turns}))
    return found


def gone_on(subject: Subject, env: AgentEnv[Any], one: Kept, turn: int, moment: Snapshot | bytes) -> str:
    """Go back to a moment and repeat what followed; return the first difference, "" for none."""
    try:
        observation, info = env.restore(moment)
    except Exception as error:  # noqa: BLE001 - whatever it raises, the moment is lost
        return f"{one.trace.at(turn)}: restore raises {type(error).__name__}: {error}"
    return _repeated(subject, env, one, turn, [observation, info])


def _repeated(subject: Subject, env: AgentEnv[Any], one: Kept, turn: int, moment: list[Any]) -> str:
    records = one.trace.records
    rest = Trace(one.trace.where, records=[moment])
    for action in one.trace.actions[turn:]:
        if len(rest.records) > 1 and rest.over:
            break
        subject.step(env, rest, action)
    return told_from(one.trace, [[records[turn][0], records[turn][-1]], *records[turn + 1 :]], rest.records, turn)


@fault("snapshot")
def _strays(subject: Subject) -> str:
    for one in kept(subject):
        for turn, moment in one.moments.items():
            for env in (one.env, subject.make(signals=subject.signals())):
                if found := gone_on(subject, env, one, turn, moment):
                    return f"after restore(snapshot), {found}: restore must set all that later turns depend on"
    return ""


@rule("snapshot")
def snapshot(subject: Subject) -> str:
    """Going back to a moment and acting as before gives the same trace; a snapshot of something else is refused.

    From the first, a middle, the last and the ended moment, in the world that played on and in another one. `restore`
    returns that moment's observation and info.
    """
    builds_upon(subject)
    found = _strays(subject)
    require(not found, found)
    taken = next((moment for one in kept(subject) for moment in one.moments.values()), None)
    accepted = "" if taken is None else _accepted(subject.make(), taken)
    require(not accepted, f"restore takes a snapshot of another {accepted}: it must raise SnapshotError")
    return f"{sum(len(one.moments) for one in kept(subject))} moments, two worlds each"


def _accepted(env: AgentEnv[Any], moment: Snapshot) -> str:
    """Return a part of a snapshot that may be wrong without being refused, "" for none."""
    for name in REFUSED:
        try:
            other: dict[str, Any] = {name: "something else"}
            env.restore(replace(moment, **other))
        except SnapshotError:
            continue
        return name
    return ""


@fault("bytes")
def _lost(subject: Subject) -> str:
    for one in kept(subject):
        for turn, moment in one.moments.items():
            try:
                data = moment.to_bytes()
            except Exception as error:  # noqa: BLE001 - whatever it raises, the moment cannot be written
                return f"{one.trace.at(turn)}: to_bytes raises {type(error).__name__}: {error}"
            if found := gone_on(subject, subject.make(signals=subject.signals()), one, turn, data):
                return f"from bytes, {found}: pack(state) must give plain values from which unpack makes it again"
    return ""


@rule("bytes")
def snapshot_bytes(subject: Subject) -> str:
    """A snapshot's bytes hold the moment: another world goes on from them the same, and writes the same bytes."""
    builds_upon(subject, "bytes")
    lost = _lost(subject)
    require(not lost, lost)
    other = ""
    for one in kept(subject):
        for turn, moment in one.moments.items():
            other = other or _other_bytes(subject, one, turn, moment.to_bytes())
    require(not other, other)
    return f"{sum(len(one.moments) for one in kept(subject))} moments"


def _other_bytes(subject: Subject, one: Kept, turn: int, data: bytes) -> str:
    """Return what is wrong with the bytes that a world writes of a moment that it restored from bytes."""
    env = subject.make(signals=subject.signals())
    try:
        env.restore(data)
    except Exception:  # noqa: BLE001 - that nothing can be restored is said already
        return ""
    if env.snapshot().to_bytes() == data:
        return ""
    return f"{one.trace.at(turn)}: restored from its bytes, a moment has other bytes: unpack must invert pack exactly"


@rule("fork")
def fork(subject: Subject) -> str:
    """Forked worlds go on like the one they were forked from, whatever the others of them do.

    Of three copies of a moment one plays something else to its end; then the others and the parent repeat what came.
    """
    builds_upon(subject)
    found = ""
    for index, one in enumerate(kept(subject)):
        for turn, moment in one.moments.items():
            parent = _played_to(subject, one, turn)
            wild, *others = parent.fork(3)
            trace = Trace(one.trace.where, records=[[moment.observation, moment.info]])
            if not moment.over:
                subject.go_on(wild, trace, 40, TurnRng(subject.seed, stream=f"wild {index} {turn}"))
            for env in (*others, parent):
                now = one.trace.records[turn]
                found = found or _repeated(subject, env, one, turn, [now[0], now[-1]])
    require(not found, f"after fork(3), once a copy has played, {found}: forks may share nothing that changes")
    return f"{sum(len(one.moments) for one in kept(subject))} moments, three copies each"


def _played_to(subject: Subject, one: Kept, turn: int) -> AgentEnv[Any]:
    """Return a new world that has played an episode up to a turn."""
    env = subject.make(signals=subject.signals())
    trace = begin(subject, env, one.task, one.seed)
    for action in one.trace.actions[:turn]:
        subject.step(env, trace, action)
    return env


@rule("branches")
def branches(subject: Subject) -> str:
    """Where draws matter, `fork(n, reseed=True)` gives each copy draws of its own.

    Where results of a turn follow from the seed in at least twenty cases, some must follow from the branch.
    """
    builds_upon(subject)
    env, found = explored(subject)
    by_seed = by_branch = 0
    for one in found:
        for state, action in islice(one.pairs(env), TRIES // 8):
            first = future(env, state, action, TurnRng(one.seed, 0, LATE))
            for draw in range(1, DRAWS + 1):
                by_seed += future(env, state, action, TurnRng(one.seed + draw, 0, LATE)) != first
                by_branch += future(env, state, action, TurnRng(one.seed, draw, LATE)) != first
    if by_seed < MANY:
        if not by_seed:
            return "its turns draw nothing"
        return f"its turns hardly ever draw: {by_seed} results follow from the seed, too few to judge by"
    require(
        by_branch > 0,
        f"{by_seed} results follow from the seed and none from the branch: draw from the rng that is passed in, "
        "not from one made from its seed",
    )
    return f"{by_branch} results follow from the branch"
