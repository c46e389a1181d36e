"""Rules: equal inputs give equal outputs, in this process; nothing outside the world and its arguments matters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from agentgym.check.facts import begin, builds_upon, episodes, fault, once, play, replay, told, told_from
from agentgym.check.rule import require, rule
from agentgym.check.subject import Subject, Trace
from agentgym.check.surroundings import AHEAD, surroundings
from agentgym.rng import TurnRng
from agentgym.task import Task

GARBAGE = 3
"""Episodes that an instance plays before it must play like a new one."""


_REMEDY = (
    "draw from the rng that is passed in alone (no uuid4, no os.urandom), and keep what changes in the state, never at "
    "the class or the module (a list there is shared by all instances)"
)


@dataclass(frozen=True, slots=True)
class _Plays:
    """One task, played five times in surroundings that are known.

    Attributes:
        first, again: by new instances in equal surroundings.
        reseeded: with global generators seeded otherwise. later: more than a year later.
        among: turn about with a world on another task and seed.
        touched: the global generator that the world moved, "" for none.
    """

    first: Trace
    again: Trace
    reseeded: Trace
    later: Trace
    among: Trace
    touched: str


@once
def _plays(subject: Subject) -> list[_Plays]:
    return [_played(subject, task, seed) for task, seed in episodes(subject)]


def _played(subject: Subject, task: Task, seed: int) -> _Plays:
    world = type(subject.world)

    def made(**around: Any) -> tuple[Trace, str]:
        with surroundings(world, **around) as outside:
            env = subject.make(signals=subject.signals())
            return play(subject, env, task, seed), outside.touched()

    (first, touched), (again, _) = made(), made()
    reseeded, later = made(generators=1)[0], made(ahead=AHEAD)[0]
    with surroundings(world):
        among = _among(subject, task, seed, first)
    return _Plays(first, again, reseeded, later, among, touched)


def _among(subject: Subject, task: Task, seed: int, first: Trace) -> Trace:
    """Return the trace of the same actions, played turn about with another instance of the world."""
    other, env = subject.make(signals=subject.signals()), subject.make(signals=subject.signals())
    rng = TurnRng(subject.seed, stream=f"among {task.id} {seed}")
    trace = begin(subject, env, task, seed)
    garbage = begin(subject, other, subject.tasks[-1], seed + 1)
    for action in first.actions:
        if trace.over:
            break
        subject.go_on(other, garbage, 1, rng)
        if garbage.over:
            garbage = begin(subject, other, task, seed + 2)
        subject.step(env, trace, action)
    return trace


@fault("generators")
def _moved(subject: Subject) -> str:
    for one in _plays(subject):
        if one.touched:
            return (
                f"{one.first.where}: playing draws from or seeds {one.touched}: draw from the rng that is passed in "
                "(in __init__ from nothing)"
            )
    return ""


@fault("generators")
def _read(subject: Subject) -> str:
    for one in _plays(subject):
        if not told(one.first, one.again) and (found := told(one.first, one.reseeded)):
            return f"with random and numpy.random seeded otherwise, {found}: draw from the rng that is passed in"
    return ""


@rule("generators")
def global_generators(subject: Subject) -> str:
    """An episode neither moves the generators of `random` and `numpy.random` nor depends on them.

    They are shared by everything in a process, so whatever else draws would change the world.
    """
    moved, read = _moved(subject), _read(subject)
    require(not moved, moved)
    require(not read, read)
    return f"{len(_plays(subject))} episodes"


@fault("clock")
def _late(subject: Subject) -> str:
    for one in _plays(subject):
        if not told(one.first, one.again) and (found := told(one.first, one.later)):
            return f"a year later, {found}: take times from the task, never from a clock"
    return ""


@rule("clock")
def clock(subject: Subject) -> str:
    """An episode is the same a year later.

    The functions of `time` and `datetime` are replaced while it is played, also where the world's modules imported them
    by name. A clock that compiled code reads itself is not seen.
    """
    builds_upon(subject, "clock")
    found = _late(subject)
    require(not found, found)
    return f"{len(_plays(subject))} episodes"


@fault("deterministic")
def _differs(subject: Subject) -> str:
    for one in _plays(subject):
        if found := told(one.first, one.again):
            return f"a second new world, given the same actions, differs: {found}: {_REMEDY}"
        if found := told(one.first, one.among):
            return f"turn about with another instance of the world it differs: {found}: {_REMEDY}"
    return ""


@rule("deterministic")
def same_again(subject: Subject) -> str:
    """Equal task, seed and actions give equal texts, rewards, infos and hashes, whatever other instances play.

    Compared to the byte: one new instance, a second one, and a third that plays turn about with a fourth on another
    seed. So nothing may be drawn from elsewhere, and nothing kept at the class or the module.
    """
    builds_upon(subject, "deterministic")
    found = _differs(subject)
    require(not found, found)
    turns = sum(len(one.first.actions) for one in _plays(subject))
    return f"{len(_plays(subject))} episodes of {turns} turns in all, three times each"


def baseline(subject: Subject) -> list[tuple[Task, int, Trace]]:
    """Return (task, seed, trace) of episodes played by new instances, with every signal."""
    return [(task, seed, one.first) for (task, seed), one in zip(episodes(subject), _plays(subject), strict=True)]


@rule("reset")
def reset(subject: Subject) -> str:
    """`reset` erases everything: after other episodes an instance plays like a new one."""
    builds_upon(subject)
    env = subject.make(signals=subject.signals())
    for index in range(GARBAGE):
        task = subject.tasks[index % len(subject.tasks)]
        play(subject, env, task, subject.seed + 100 + index, stream="garbage")
    found = ""
    for task, seed, first in baseline(subject):
        found = found or told(first, replay(subject, env, task, first, seed))
    require(not found, f"after {GARBAGE} or more episodes of the same instance it differs from a new one: {found}")
    return f"{len(baseline(subject))} episodes after {GARBAGE} and more"


@rule("unseeded")
def unseeded_reset(subject: Subject) -> str:
    """After `reset(seed=…)` the episodes of `reset()` follow from that seed."""
    builds_upon(subject)
    first, second = (_three_episodes(subject) for _ in range(2))
    found = told_from(first, first.records, second.records)
    require(not found, f"the three episodes after reset(seed={subject.seed}) differ between two new worlds: {found}")
    return "two episodes after a seeded one"


def _three_episodes(subject: Subject) -> Trace:
    env = subject.make(signals=subject.signals())
    whole = Trace("three episodes in a row")
    for number in range(3):
        moment = env.reset(seed=None if number else subject.seed)
        trace = Trace(f"episode {number + 1}", records=[list(moment)])
        subject.go_on(env, trace, 10, TurnRng(subject.seed, stream=f"episode {number}"))
        whole.records += trace.records
        whole.actions += ["reset()"] * bool(number) + trace.actions
    return whole
