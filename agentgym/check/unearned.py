"""Rule: what needs no understanding of the task does not solve it."""

from __future__ import annotations

from agentgym.check.exploits import EXPERT, RANDOM, WEAK, broken, played
from agentgym.check.rule import require, rule
from agentgym.check.subject import Subject

EPISODES = 24
"""Episodes that each exploit is played on."""

ERRORS = 4.0
"""Standard errors above random choice from which on a success is no luck; with 24 episodes and many exploits, 2 are."""


@rule("exploits")
def exploits(subject: Subject) -> str:
    """No exploit of the panel succeeds more often than one in twenty, or than random choice does.

    `python -m agentgym.baselines.exploits` plays them on whole splits, and names the success of each.
    """
    lines = played(subject.make(), subject.few(EPISODES))
    found = broken(lines, ERRORS)
    named = ", ".join(f"{line.name} in {line.success:.0%}" for line in found)
    require(
        not found, f"{named} of {EPISODES} episodes succeed without doing the task: let success need what it asks for"
    )
    tried = [line for line in lines if line.name not in (EXPERT, RANDOM, WEAK)]
    best = max(tried, key=lambda line: line.success)
    return f"{len(tried)} exploits, the best ({best.name}) in {best.success:.0%} of {EPISODES} episodes"
