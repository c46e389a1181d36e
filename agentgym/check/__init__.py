"""The conformance checker: `agentgym check ENV`, and `check(env)` for tests of one's own.

Rules stand in modules by topic; importing one registers its rules. All of them draw through TurnRng, so a report
follows from the world and the seed.
"""

from agentgym.check import (
    basics,
    determinism,
    effects,
    ends,
    hashes,
    hostile,
    info,
    leak,
    menu,
    moments,
    outcomes,
    processes,
    refused,
    rewards,
    signals,
    unearned,
)
from agentgym.check.report import Report, Result
from agentgym.check.rule import RULES, Broken, NotChecked, Rule, require, rule
from agentgym.check.run import check
from agentgym.check.subject import Subject, Trace

MODULES = (
    basics, determinism, effects, ends, hashes, hostile, info, leak, menu, moments, outcomes, processes, refused,
    rewards, signals, unearned,
)  # fmt: skip
"""The modules that hold the rules."""

__all__ = [
    "MODULES",
    "RULES",
    "Broken",
    "NotChecked",
    "Report",
    "Result",
    "Rule",
    "Subject",
    "Trace",
    "check",
    "require",
    "rule",
]
