"""judge: what a record says. run: train in every canary world and judge record, diary and lessons."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import gymnasium

import agentgym
from agentgym.canary import checks, diary, tokens
from agentgym.canary.evidence import Given, Trained, read_all
from agentgym.canary.lessons import LESSONS, cut, judged, starts
from agentgym.canary.report import DROPPED, NOT_CHECKED, Line, Report, ordered
from agentgym.canary.truth import game_of, known
from agentgym.canary.worlds import WORLDS
from agentgym.errors import StepAfterEnd, unknown

Train = Callable[[str], Given | None]
"""Trains in the world of an id and returns the rollouts that it trained on, in order; None: it does not tell."""

EACH: Final[Mapping[str, tuple[checks.Look, str]]] = {
    "opening": (checks.opening, ""),
    "observations": (checks.observations, ""),
    "actions": (checks.actions, ""),
    "rewards": (checks.rewards, "needs rewards, or reward"),
    "truncation": (checks.truncation, "needs truncated, and rollouts that were played to their end"),
    "outages": (checks.outages, ""),
    "lengths": (tokens.lengths, "needs two of ids, pieces, mask, logprobs, rescored, advantages"),
    "mask": (tokens.mask, "needs pieces and mask"),
    "replies": (tokens.replies, "needs pieces and mask"),
    "sampled": (tokens.sampled, "needs sampled, ids and mask"),
    "ratio": (tokens.ratio, "needs logprobs, rescored and mask"),
}
"""The checks that look at one rollout at a time, and what they need."""

RECORD_ALONE: Final = ("actions", "outages", "lengths", "replies", "sampled", "ratio", "constant", "credit")
"""The checks that no world can make without the record."""


def world_id(world: str) -> str:
    """Return the id of a canary world, as `gymnasium.make` takes it."""
    return f"agentgym.canary:canary/{world}-v0"


def judge(rollouts: Given) -> Report:
    """Return what a record of canary worlds says of the trainer that trained on it.

    Args:
        rollouts: dicts with the entries that `agentgym.canary.evidence` lists, lists of chat messages, a TurnBatch, or
            a file of JSON lines; of any canary worlds, together.

    Raises:
        BatchError: a rollout that cannot be read; the message names it.
    """
    return ordered(_of_record(read_all(rollouts)))


def _of_record(rollouts: Sequence[Trained]) -> list[Line]:
    pairs = known(rollouts)
    lost = [rollout for rollout in rollouts if game_of(rollout) is None]
    if lost:
        note = f"{len(lost)} of {len(rollouts)} rollouts hold no observation of a canary world; {lost[0].place}"
        return [Line(name, "record", DROPPED, note) for name in ("opening", "observations")]
    sent = [pair for pair in pairs if not checks.actions(*pair)]  # of the others nobody knows what the world paid
    lines = [
        checks.each(name, pairs if name in ("opening", "actions") else sent, look, needs)
        for name, (look, needs) in EACH.items()
    ]
    return [*lines, checks.groups(rollouts), checks.constant(sent), checks.credit(sent)]


def run(
    train: Train,
    *,
    worlds: Sequence[str] = (),
    lessons: bool = True,
    progress: Callable[[str, int, int], None] | None = None,
) -> Report:
    """Let a trainer train in canary worlds and return what it dropped.

    Args:
        train: is called with the id of each world, in turn. It trains there, from the same beginning each time, and
            returns what it trained on as for `judge`, or None. The worlds keep a diary of what they see meanwhile, in
            child processes too.
        worlds: their names; all where none is given.
        lessons: whether it trains long enough to learn. Without, what it learned says nothing: two updates in each
            world are enough for record and diary.
        progress: called with (world, how many are done, of how many) before each.

    Raises:
        ValueError: an unknown world.
        Exception: what `train` raises, but for a step after the end, which is a finding.
    """
    for name in worlds:
        if name not in WORLDS:
            raise ValueError(unknown("canary world", name, WORLDS))
    chosen = [name for name in WORLDS if not worlds or name in worlds]
    entries: list[diary.Entry] = []
    trained: dict[str, list[Trained]] = {}
    found: list[Line] = []
    for number, name in enumerate(chosen):
        if progress is not None:
            progress(name, number, len(chosen))
        with diary.kept() as path:
            try:
                given: Any = train(world_id(name))
            except StepAfterEnd as error:
                note = f"{name}: it stepped on after the end{_caller(error)}"
                found.append(Line("truncation", "diary", DROPPED, note))
                given = None
            entries += diary.read(path)
        told = [] if given is None else read_all(given)
        trained[name] = [replace(one, group=None if one.group is None else (name, one.group)) for one in told]
    by_world = {name: _episodes(name, entries, trained[name]) for name in chosen}
    if lessons:
        found += _learned(by_world)
    return ordered([*found, *_seen(by_world, bool(entries), [one for name in chosen for one in trained[name]])])


def _caller(error: BaseException) -> str:
    """Return the last place outside agentgym and Gymnasium that an error passed."""
    ours = tuple(str(Path(str(module.__file__)).parent) for module in (agentgym, gymnasium))
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if not frame.filename.startswith(ours):
            return f" ({frame.filename}, line {frame.lineno})"
    return ""


def _learned(by_world: Mapping[str, Sequence[diary.Entry]]) -> list[Line]:
    control = [judged("Control", by_world["Control"])] if "Control" in by_world else []
    learns = not control or control[0].status != DROPPED
    others = [name for name in by_world if name in LESSONS and name != "Control"]
    return control + [judged(name, by_world[name], learns=learns) for name in others]


def _seen(by_world: Mapping[str, Sequence[diary.Entry]], kept: bool, trained: Sequence[Trained]) -> list[Line]:
    """Return what the record says, and the diary where one was kept."""
    why = "the trainer did not return what it trained on"
    lines = _of_record(trained) if trained else [Line(name, "record", NOT_CHECKED, why) for name in RECORD_ALONE]
    if kept:
        entries = [entry for found in by_world.values() for entry in found]
        lines.append(starts(entries))
        if trained:
            many = sum(truth.truncated and truth.reason != "infra_error" for _, truth in known(trained))
            lines.append(cut(entries, many))
    return lines


def _episodes(world: str, entries: Sequence[diary.Entry], trained: Sequence[Trained]) -> list[diary.Entry]:
    """Return the episodes of a world: those of the diary, or of the record where no diary was kept."""
    found = [entry for entry in entries if entry.world == world]
    if found:
        return found
    return [
        diary.Entry(world, truth.seed, rollout.replies, truth.rewards, truth.terminated, truth.truncated, truth.reason)
        for rollout, truth in known(trained)
    ]
