"""Tasks and panels: which first states there are, by (level, seed), in splits that share none.

A task names a level and a seed; the level is one of minigrid's 96 BabyAI ids, or one of the five tasks of the mixed
local level (`mixed`). Panels: one for each id, one for each family of ids, one for each mixed task and number of
distractors. Which seeds belong to which split is in data/seeds.json, written by `python -m
agentgym.envs.babyai.make_panels`; no level is made to load a panel.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from itertools import islice, zip_longest
from typing import Any

from agentgym.envs.babyai import levels, mixed
from agentgym.envs.babyai.state import GridState
from agentgym.errors import unknown
from agentgym.rng import TurnRng
from agentgym.task import Task, TaskPanel

SPLITS = ("train", "dev", "test")
SIZES = (2000, 200, 500)
CACHE = 1024  # first states of the mixed level kept

FAMILIES: Mapping[str, tuple[str, ...]] = {
    "ActionObjDoor": ("ActionObjDoor-v0",),
    "BossLevel": ("BossLevel-v0", "BossLevelNoUnlock-v0", "MiniBossLevel-v0"),
    "FindObj": ("FindObjS5-v0", "FindObjS6-v0", "FindObjS7-v0"),
    "GoToDoor": ("GoToDoor-v0", "GoToObjDoor-v0"),
    "GoToLocal": (
        "GoToLocal-v0", "GoToLocalS5N2-v0", "GoToLocalS6N2-v0", "GoToLocalS6N3-v0", "GoToLocalS6N4-v0",
        "GoToLocalS7N4-v0", "GoToLocalS7N5-v0", "GoToLocalS8N2-v0", "GoToLocalS8N3-v0", "GoToLocalS8N4-v0",
        "GoToLocalS8N5-v0", "GoToLocalS8N6-v0", "GoToLocalS8N7-v0",
    ),
    "GoToMaze": ("GoTo-v0", "GoToImpUnlock-v0", "GoToOpen-v0"),
    "GoToObj": ("GoToObj-v0", "GoToObjS4-v0", "GoToObjS6-v1"),
    "GoToObjMaze": (
        "GoToObjMaze-v0", "GoToObjMazeOpen-v0", "GoToObjMazeS4-v0", "GoToObjMazeS4R2-v0", "GoToObjMazeS5-v0",
        "GoToObjMazeS6-v0", "GoToObjMazeS7-v0",
    ),
    "GoToRedBall": ("GoToRedBall-v0", "GoToRedBallGrey-v0", "GoToRedBallNoDists-v0", "GoToRedBlueBall-v0"),
    "GoToSeq": ("GoToSeq-v0", "GoToSeqS5R2-v0"),
    "KeyCorridor": (
        "KeyCorridor-v0", "KeyCorridorS3R1-v0", "KeyCorridorS3R2-v0", "KeyCorridorS3R3-v0", "KeyCorridorS4R3-v0",
        "KeyCorridorS5R3-v0", "KeyCorridorS6R3-v0",
    ),
    "KeyInBox": ("KeyInBox-v0",),
    "MoveTwoAcross": ("MoveTwoAcrossS5N2-v0", "MoveTwoAcrossS8N9-v0"),
    "OneRoom": ("OneRoomS12-v0", "OneRoomS16-v0", "OneRoomS20-v0", "OneRoomS8-v0"),
    "OpenDoor": ("OpenDoor-v0", "OpenDoorColor-v0", "OpenDoorDebug-v0", "OpenDoorLoc-v0", "OpenRedDoor-v0"),
    "OpenDoorsOrder": (
        "OpenDoorsOrderN2-v0", "OpenDoorsOrderN2Debug-v0", "OpenDoorsOrderN4-v0", "OpenDoorsOrderN4Debug-v0",
    ),
    "OpenMaze": ("Open-v0",),
    "OpenTwoDoors": ("OpenRedBlueDoors-v0", "OpenRedBlueDoorsDebug-v0", "OpenTwoDoors-v0"),
    "PickupAbove": ("PickupAbove-v0",),
    "PickupDist": ("PickupDist-v0", "PickupDistDebug-v0"),
    "PickupLoc": ("PickupLoc-v0",),
    "PickupMaze": ("Pickup-v0", "UnblockPickup-v0"),
    "PutNext": (
        "PutNextS4N1-v0", "PutNextS5N1-v0", "PutNextS5N2-v0", "PutNextS5N2Carrying-v0", "PutNextS6N3-v0",
        "PutNextS6N3Carrying-v0", "PutNextS7N4-v0", "PutNextS7N4Carrying-v0",
    ),
    "PutNextLocal": ("PutNextLocal-v0", "PutNextLocalS5N3-v0", "PutNextLocalS6N4-v0"),
    "Synth": ("Synth-v0", "SynthLoc-v0", "SynthS5R2-v0", "SynthSeq-v0"),
    "Unlock": ("Unlock-v0", "UnlockLocal-v0", "UnlockLocalDist-v0"),
    "UnlockPickup": ("BlockedUnlockPickup-v0", "UnlockPickup-v0", "UnlockPickupDist-v0"),
    "UnlockToUnlock": ("UnlockToUnlock-v0",),
}  # fmt: skip
"""Family → its ids without "BabyAI-"; each id is in exactly one."""

MIXED = mixed.TASKS
PANELS = (*MIXED, *FAMILIES)
"""The panels by name; each id of `LEVELS` is one more."""
LEVELS = tuple(sorted(f"BabyAI-{short}" for members in FAMILIES.values() for short in members))
MOST_DISTS = 8
"""The most distractors of a mixed panel; a task of one's own may have mixed.MOST_DISTS."""


_FAMILY_OF = {f"BabyAI-{short}": family for family, members in FAMILIES.items() for short in members}


def panel(name: str, num_dists: int | None = None) -> TaskPanel:
    """Return a panel; the same object every time.

    Args:
        name: one of PANELS, or of LEVELS ("BabyAI-" and "-v0" may be left out where no panel has that name).
        num_dists: distractors of a mixed panel, 0 … 8; None: 8.

    Raises:
        ValueError: no such panel (the nearest name is offered), or num_dists where it does not belong.
        TypeError: the level is no name.
    """
    if not isinstance(name, str):
        raise TypeError(f"level must be the name of a panel or of a level, not {name!r:.60}: {', '.join(MIXED)}, …")
    if name in MIXED:
        number = mixed.NUM_DISTS if num_dists is None else num_dists
        if type(number) is not int or not 0 <= number <= MOST_DISTS:  # before a cache that takes 2.0 and True for 2, 1
            raise ValueError(f"num_dists is {num_dists!r}: give an integer from 0 to {MOST_DISTS}")
        return _mixed_panel(name, number)
    if num_dists is not None:
        raise ValueError(f"num_dists belongs to the mixed panels ({', '.join(MIXED)}), not to {name!r}: leave it out")
    if name in FAMILIES:
        return _family_panel(name)
    level = next((level for level in (name, f"BabyAI-{name}", f"BabyAI-{name}-v0") if level in LEVELS), None)
    if level is None:
        raise ValueError(unknown("BabyAI panel or level", name, (*PANELS, *LEVELS)))
    return _level_panel(level)


def seeds(entry: Mapping[str, Any]) -> list[list[int]]:
    """Return the seeds of train, dev and test from an entry of the data file.

    Seeds count up from 0; `skip` holds those whose first state had come before. The first `sizes[0]` others are
    train, the next `sizes[1]` dev, the next `sizes[2]` test.
    """
    skip = frozenset(entry["skip"])
    kept = [seed for seed in range(entry["stop"]) if seed not in skip]
    train, dev, test = entry["sizes"]
    return [kept[:train], kept[train : train + dev], kept[train + dev : train + dev + test]]


def longest(name: str, num_dists: int | None = None) -> int:
    """Return the greatest step limit of a panel's levels; arguments as for `panel`."""
    if name in MIXED:
        entries = [data()[name][str(mixed.NUM_DISTS if num_dists is None else num_dists)]]
    elif name in FAMILIES:
        entries = list(data()[name].values())
    else:
        level = panel(name).name
        entries = [data()[_FAMILY_OF[level]][level]]
    limits: list[int] = [limit for entry in entries for limit in entry["limits"]]
    return max(limits)


def first_state(data: Mapping[str, Any], where: str = "task") -> GridState:
    """Return the first state of a task's data: {"level", "seed"}, for mixed tasks also "num_dists".

    "num_dists" is 0 … 12, 8 if left out.

    Raises:
        ValueError: a missing or wrong entry, or a seed of which there is no such level; `where` says whose.
    """
    level, seed = data.get("level"), data.get("seed")
    if not isinstance(level, str):
        raise ValueError(f"{where}: data['level'] must name a BabyAI level or a mixed task, not {level!r}")
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**63:
        raise ValueError(f"{where}: data['seed'] must be an integer with 0 <= seed < 2**63, not {seed!r}")
    if level in MIXED:
        return _mixed_state(level, seed, data.get("num_dists", mixed.NUM_DISTS), where)
    if level not in LEVELS:
        raise ValueError(f"{where}: " + unknown("BabyAI level", level, (*MIXED, *LEVELS)))
    return levels.make(level, seed)


def _mixed_state(level: str, seed: int, num_dists: Any, where: str) -> GridState:
    if isinstance(num_dists, bool) or not isinstance(num_dists, int):  # before a cache that takes 2.0 and True for 2, 1
        raise ValueError(
            f"{where}: data['num_dists'] must be an integer from 0 to {mixed.MOST_DISTS}, not {num_dists!r}"
        )
    try:
        return mixed_state(level, seed, num_dists)
    except ValueError as error:
        raise ValueError(f"{where}: seed {seed}: {error}") from None


@lru_cache(maxsize=CACHE)
def mixed_state(task: str, seed: int, num_dists: int) -> GridState:
    """Return the first state of a mixed task; the draws follow from these three alone."""
    return mixed.draw(task, TurnRng(seed, stream=f"babyai {task} {num_dists}"), num_dists=num_dists)


def random_success() -> dict[str, dict[str, Any]]:
    """Return by panel how often uniform random choice from the menu solves it.

    Keys of an entry: "success" (a share), "turns" (mean), "episodes", "seed", "split"; measured by `python -m
    agentgym.envs.babyai.measure_random`.
    """
    found: dict[str, dict[str, Any]] = _read("random.json")
    return found


@lru_cache(maxsize=1)
def data() -> Any:
    """Return the content of data/seeds.json."""
    return _read("seeds.json")


def _read(name: str) -> Any:
    return json.loads((files("agentgym.envs.babyai") / "data" / name).read_text("utf-8"))


@lru_cache(maxsize=32)
def _mixed_panel(name: str, num_dists: int) -> TaskPanel:
    usual = num_dists == mixed.NUM_DISTS
    prefix = name if usual else f"{name}-d{num_dists}"

    def task(seed: int) -> Task:
        return Task(f"{prefix}-{seed}", {"level": name, "seed": seed, "num_dists": num_dists})

    lists = seeds(data()[name][str(num_dists)])
    splits = {split: [task(seed) for seed in chosen] for split, chosen in zip(SPLITS, lists, strict=True)}
    return TaskPanel(prefix, splits)


@lru_cache(maxsize=8)
def _level_panel(level: str) -> TaskPanel:
    lists = _level_seeds(level)
    return TaskPanel(level, {split: [_task(level, seed) for seed in lists[i]] for i, split in enumerate(SPLITS)})


@lru_cache(maxsize=8)
def _family_panel(name: str) -> TaskPanel:
    """Return the members' tasks in turns, one of each level as long as it has any left."""
    members = [f"BabyAI-{short}" for short in FAMILIES[name]]
    lists = [_level_seeds(level) for level in members]
    splits: dict[str, list[Task]] = {}
    for i, split in enumerate(SPLITS):
        rounds = zip_longest(*(of_level[i] for of_level in lists))
        in_turns = (pair for row in rounds for pair in zip(members, row, strict=True) if pair[1] is not None)
        splits[split] = [_task(level, seed) for level, seed in islice(in_turns, SIZES[i])]
    return TaskPanel(name, splits)


def _level_seeds(level: str) -> list[list[int]]:
    return seeds(data()[_FAMILY_OF[level]][level])


def _task(level: str, seed: int) -> Task:
    return Task(f"{level.removeprefix('BabyAI-')}-{seed}", {"level": level, "seed": seed})
