"""A trainer that drops one thing is told so by name; one that drops nothing passes."""

from __future__ import annotations

from typing import Any

import pytest

from agentgym import canary
from agentgym.canary.report import DROPPED, KEPT
from tests.agentgym.canary_trainer import FAULTS, Trainer

RECORD = {
    "opening": ("Hint", "opening"), "observations": ("Middle", "observations"), "actions": ("Middle", "actions"),
    "last_reward": ("Wages", "rewards"), "first_reward": ("Wages", "rewards"), "mask": ("Echo", "mask"),
    "replies": ("Middle", "replies"), "groups": ("Luck", "groups"), "left_out": ("Shift", "truncation"),
    "called_ended": ("Shift", "truncation"), "steps_on": ("Shift", "truncation"), "outages": ("Outage", "outages"),
    "lengths": ("Control", "lengths"), "sampled": ("Control", "sampled"), "ratio": ("Control", "ratio"),
    "constant": ("Flat", "constant"), "credit": ("Luck", "credit"),
}  # fmt: skip
"""For each fault: the world that shows it in a few rollouts, and the name under which it is told."""
LESSONS = {
    "opening": ("Hint", "opening"), "observations": ("Middle", "observations"), "last_reward": ("Wages", "rewards"),
    "first_reward": ("Wages", "rewards"), "mask": ("Echo", "mask"), "left_out": ("Shift", "truncation"),
}  # fmt: skip
"""Those whose policy learns something else."""


def told(fault: str, world: str, updates: int = 2) -> canary.Report:
    return canary.run(lambda name: Trainer(name, fault, updates).train(), worlds=[world], lessons=updates > 2)


def test_each_fault_of_the_trainer_is_tried() -> None:
    assert set(RECORD) == set(FAULTS)
    assert {check for _, check in RECORD.values()} == set(canary.ABOUT) - {"learning"}


def test_what_drops_nothing_passes_every_record() -> None:
    report = canary.run(lambda name: Trainer(name).train(), lessons=False)
    assert report.dropped == [], str(report)
    kept = {line.check for line in report.lines if line.source == "record" and line.status == KEPT}
    assert kept == set(canary.ABOUT) - {"learning"}  # not one check was left out


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named_and_nothing_else_is(fault: str) -> None:
    world, check = RECORD[fault]
    assert told("", world).dropped == []
    report = told(fault, world)
    assert report.dropped == [check], str(report)
    assert not report.ok


@pytest.mark.parametrize("fault", LESSONS)
def test_what_was_learned_names_the_fault_without_any_record(fault: str) -> None:
    """The trainer hands over nothing: the worlds' own diary tells what its policy came to play."""
    world, check = LESSONS[fault]

    def train(name: str) -> None:
        Trainer(name, fault, updates=20).train()

    lines = canary.run(train, worlds=[world]).lines
    assert [line.check for line in lines if line.source == "lesson" and line.status == DROPPED] == [check]


@pytest.mark.parametrize("fault, meaning", [("last_reward", "last turn's reward"), ("first_reward", "first turn's")])
def test_what_was_learned_tells_which_reward_was_taken(fault: str, meaning: str) -> None:
    (line,) = [line for line in told(fault, "Wages", 20).lines if line.source == "lesson"]
    assert meaning in line.note


@pytest.mark.slow
def test_every_lesson_is_learned_by_what_drops_nothing() -> None:
    def train(name: str) -> None:
        Trainer(name, updates=20).train()

    report = canary.run(train)
    lessons = [line for line in report.lines if line.source == "lesson"]
    assert [line.status for line in lessons] == [KEPT] * 7, str(report)
    assert report.ok


def test_a_trainer_that_learns_nothing_is_told_that_alone() -> None:
    """Control comes first; where nothing is learned there, the other lessons say nothing about the trainer."""

    class Deaf(Trainer):
        def learn(self, batch: Any) -> None:
            pass

    lines = canary.run(lambda name: Deaf(name, "", 3).train() or None, worlds=["Control", "Echo"]).lines
    said = {line.check: line for line in lines if line.source == "lesson"}
    assert said["learning"].status == DROPPED
    assert said["mask"].status == "not checked"
    assert "nothing was learned in Control" in said["mask"].note


def test_steps_after_the_end_are_told_with_their_place() -> None:
    (line,) = [line for line in told("steps_on", "Shift").lines if line.status == DROPPED]
    assert "stepped on after the end" in line.note and "canary_trainer.py" in line.note
