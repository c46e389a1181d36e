"""Rules: how episodes end, and that they do."""

from __future__ import annotations

from collections import Counter

from agentgym.check.rule import Broken, require, rule
from agentgym.check.subject import Subject, Trace
from agentgym.env import AgentEnv
from agentgym.errors import StepAfterEnd
from agentgym.turn import EndReason


@rule("ends")
def ends(subject: Subject) -> str:
    """An episode ends by terminated or truncated, with its reason; a success is solved; no step follows."""
    env = subject.make()
    reasons: Counter[str] = Counter()
    for task, seed in subject.few(16):
        trace = subject.play(env, task, seed)
        for turn in range(1, len(trace.returned)):
            _flags(trace, turn)
        if trace.over and trace.error is None:
            _closed(env, trace)
            reasons[trace.info["end_reason"]] += 1
    return ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items()))


def _flags(trace: Trace, turn: int) -> None:
    """Check what one record says about the end."""
    _, _, terminated, truncated, info = trace.records[turn]
    reason, where = info["end_reason"], trace.at(turn)
    cut = bool(reason) and EndReason(reason).truncates
    require(
        (terminated, truncated) == (bool(reason) and not cut, cut),
        f"{where}: terminated is {terminated} and truncated {truncated}, but info['end_reason'] is {reason!r}",
    )
    require(
        info["success"] is (reason == EndReason.SOLVED),
        f"{where}: success is {info['success']} and the reason {reason!r}: what succeeds is 'solved'",
    )


def _closed(env: AgentEnv[object], trace: Trace) -> None:
    """Check that the world takes no step after the end and stays as it is."""
    before, where = env.snapshot().to_bytes(), f"{trace.at(len(trace.actions))}, which ended the episode"
    try:
        env.step("")
    except StepAfterEnd:
        pass
    else:
        raise Broken(f"{where}: another step was taken: step must raise StepAfterEnd")
    require(env.snapshot().to_bytes() == before, f"{where}: the step that was refused changed the world")


@rule("limit")
def limit(subject: Subject) -> str:
    """Doing nothing ends the episode at its limit, and max_turns= makes it end sooner."""
    longest = 0
    for env in (subject.make(), subject.make(max_turns=2)):
        for task, seed in subject.few(3):
            trace = subject.start(env, task, seed)
            while not trace.over and len(trace.actions) <= env.max_turns:
                subject.step(env, trace, "")
            turns = len(trace.actions)
            require(
                turns <= env.max_turns and trace.over,
                f"{trace.where}: {turns} turns of doing nothing did not end the episode: max_turns is {env.max_turns}",
            )
            longest = max(longest, turns)
    return f"{longest} turns at most"
