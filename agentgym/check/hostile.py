"""Rules: whatever a model writes, the world answers, in time in proportion to its length, and prints nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from time import process_time

from agentgym.check.rule import Broken, require, rule
from agentgym.check.run import raised
from agentgym.check.subject import Subject, Trace
from agentgym.env import AgentEnv

LENGTHS = 10
"""How many times longer the long action is."""

SLOWER = 30.0
"""How many times longer it may take: quadratic work takes 100 times as long, linear work ten times."""

ALWAYS = 0.05
"""Seconds that any action may take, below which no ratio is looked at."""


@rule("hostile")
def hostile(subject: Subject) -> str:
    """No action makes the world raise or print, neither as the first one nor later in an episode."""
    env, turns = subject.make(), 0
    heard = StringIO()
    with redirect_stdout(heard), redirect_stderr(heard):
        for trace in _bombarded(subject, env):
            if trace.error is not None:
                raise Broken(f"{trace.at(len(trace.actions))}: {raised(trace.error)}")
            turns += len(trace.actions)
    require(not heard.getvalue(), lambda: f"the world printed {heard.getvalue()[:80]!r}: a library never prints")
    return f"{turns} actions"


def _bombarded(subject: Subject, env: AgentEnv[object]) -> Iterator[Trace]:
    """Yield episodes: mixed ones, those that begin with a hostile action, and those of hostile actions alone."""
    for task, seed in subject.few(8):
        yield subject.play(env, task, seed)
    task, seed = subject.few(1)[0]
    for action in subject.hostile:
        yield subject.replay(env, task, seed, [action])
    left = [*subject.hostile, "a" * 1_000_000, " " * 1_000_000]
    while left:
        trace = subject.replay(env, task, seed, left)
        yield trace
        left = left[len(trace.actions) :]


@rule("linear")
def linear(subject: Subject) -> str:
    """An action ten times as long takes at most thirty times as long."""
    env = subject.make()
    task, seed = subject.few(1)[0]
    slowest = 0.0
    names = list(subject.world._tools)[:2]
    for unit in (
        " ",
        "a",
        "9",
        "{",
        '{"a":',
        "[",
        "<a",
        "<think>",
        "```\n",
        "a ",
        "\\",
        '"',
        *(f"<{name}>" for name in names),
    ):
        for left, right in (("", ""), ("x", "x")):
            short, long = (_text(unit, left, right, env.max_action // part) for part in (LENGTHS, 1))
            seconds = _seconds(subject, env, long)
            if seconds > ALWAYS:  # rarely more than once, so the clock decides nothing in a world that is quick
                seconds = min(seconds, *(_seconds(subject, env, long) for _ in range(2)))
            base = min(_seconds(subject, env, short) for _ in range(3)) if seconds > ALWAYS else seconds
            require(
                seconds <= max(ALWAYS, SLOWER * base),
                f"{task.id!r}, seed {seed}: {len(long)} characters {long[:12]!r}… took {seconds:.2f} s of CPU, a tenth "
                f"of them {base:.4f} s: read texts in linear time",
            )
            slowest = max(slowest, seconds)
    return f"{env.max_action} characters at most"


def _text(unit: str, left: str, right: str, length: int) -> str:
    """Return a text of at most `length` characters that repeats a unit."""
    return left + unit * ((length - len(left) - len(right)) // len(unit)) + right


def _seconds(subject: Subject, env: AgentEnv[object], action: str) -> float:
    """Return the CPU time of one step at the start of the first task."""
    task, seed = subject.few(1)[0]
    trace = subject.start(env, task, seed)
    start = process_time()
    subject.step(env, trace, action)
    return process_time() - start
