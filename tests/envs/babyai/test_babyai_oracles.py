"""Recorded minigrid episodes, fact for fact; the recordings are read from AGENTGYM_REFERENCE and never copied here.

What they prove has small cases of our own in test_babyai_traps, test_babyai_text and test_babyai_kernel.
"""

from __future__ import annotations

import gzip
import json
import os
import re
from pathlib import Path

import pytest
from minigrid_twin import facts

from agentgym.envs.babyai import kernel, levels, text
from agentgym.envs.babyai.build import Thing, build
from agentgym.envs.babyai.mission import Desc, Leaf, Seq

REFERENCE = os.environ.get("AGENTGYM_REFERENCE")
pytestmark = pytest.mark.skipif(not REFERENCE, reason="set AGENTGYM_REFERENCE to the folder with the recordings")


def episodes(name):
    with gzip.open(Path(REFERENCE, "oracles", "babyai", f"{name}.jsonl.gz"), "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def told(state):
    said = text.describe(state)
    return said.split("\n") if said else []


def flags(steps, limit, verdict):
    """Reward, terminated, truncated as our contract has them."""
    paid = kernel.reward(steps, limit) if verdict == "success" else 0
    return paid, verdict != "continue", steps >= limit and verdict == "continue"


def replay(episode, state):
    """Play an episode; assert rewards, flags, all facts and (where recorded) texts. Return the number of steps."""
    where = f"{episode['id']} seed {episode['seed']}"
    now = dict(episode["start"])
    assert {**facts(state), "n": 0} == now, where
    for t, action in enumerate(episode["actions"]):
        if "text" in episode:
            assert told(state) == episode["text"][t], f"{where} text {t}"
        state, verdict = kernel.step(state, action)
        theirs = (episode["reward"][t], episode["terminated"][t], episode["truncated"][t])
        theirs = (theirs[0], theirs[1], theirs[2] and not theirs[1])
        assert flags(t + 1, state.level.max_steps, verdict) == pytest.approx(theirs), f"{where} step {t}"
        now.update(episode["steps"][t])
        assert {**facts(state), "n": t + 1} == now, f"{where} step {t}"
    if "text" in episode:
        assert told(state) == episode["text"][-1], where
    return len(episode["actions"])


def walls(state):
    level = state.level
    rows = [state.cells[y * level.width : (y + 1) * level.width] for y in range(level.height)]
    return ["".join("#" if code == 1 else "." for code in row) for row in rows]


@pytest.mark.parametrize(("name", "count", "steps"), [("state", 300, 16181), ("bot", 90, 2944)])
def test_recorded_facts(name, count, steps):
    played = 0
    recorded = episodes(name)
    for episode in recorded:
        state = levels.make(episode["id"], episode["seed"])
        assert (state.level.mission, state.level.max_steps) == (episode["mission"], episode["max_steps"])
        assert walls(state) == [re.sub("[^#]", ".", row) for row in episode["walls"]]
        played += replay(episode, state)
    assert (len(recorded), played) == (count, steps)


def test_recorded_words():
    told_equal = 0
    for episode in episodes("text"):
        state = levels.make(episode["id"], episode["seed"])
        for t in range(len(episode["text"])):
            # The recording of a Carrying level's first text is made before the object is in the hands.
            if t or "Carrying" not in episode["id"]:
                assert told(state) == episode["text"][t], f"{episode['id']} seed {episode['seed']} text {t}"
                told_equal += 1
            if t < len(episode["actions"]):
                state, verdict = kernel.step(state, episode["actions"][t])
                reward, ended, _ = flags(t + 1, state.level.max_steps, verdict)
                assert (reward, ended) == pytest.approx((episode["reward"][t], episode["terminated"][t]))
    assert told_equal == 2619 + 90 - 3  # every step and every start, but the three Carrying starts


def test_recorded_time_limits():
    for episode in episodes("limit"):
        state = levels.make(episode["id"], episode["seed"])
        actions = [6] * episode["wait"] + episode["then"]
        paid, ended, cut, steps = 0.0, False, False, 0
        for action in actions:
            if ended or cut:
                break
            state, verdict = kernel.step(state, action)
            steps += 1
            paid, ended, cut = flags(steps, state.level.max_steps, verdict)
        expected = (episode["steps_taken"], episode["terminated"], episode["truncated"] and not episode["terminated"])
        assert (steps, ended, cut) == expected, episode["id"]
        assert paid == pytest.approx(episode["last_reward"])


PUT = re.compile(r"put (?:a|the) (\w+) (\w+) next to (?:a|the) (\w+) (\w+)")
GO_LAST = re.compile(r"pick up (?:a|the) (\w+) (\w+), then go to (?:a|the) (\w+) (\w+)")
GO_FIRST = re.compile(r"go to (?:a|the) (\w+) (\w+) after you pick up (?:a|the) (\w+) (\w+)")
ONE = re.compile(r"(go to|pick up|open) (?:a|the) (?:(\w+) )?(\w+)")


def tree(mission):
    """Read a mixed local mission back into an instruction."""
    if found := PUT.fullmatch(mission):
        a, b = Desc(found[2], found[1]), Desc(found[4], found[3])
        return Leaf("put next", a, b)
    if found := GO_LAST.fullmatch(mission):
        return Seq("before", Leaf("pick up", Desc(found[2], found[1])), Leaf("go to", Desc(found[4], found[3])))
    if found := GO_FIRST.fullmatch(mission):
        return Seq("after", Leaf("go to", Desc(found[2], found[1])), Leaf("pick up", Desc(found[4], found[3])))
    found = ONE.fullmatch(mission)
    return Leaf(found[1], Desc(found[3], found[2] or ""))


def test_recorded_mixed_local_episodes():
    played = 0
    for episode in episodes("mixed_local"):
        start = episode["start"]
        things = [Thing("door", color, x, y, state) for x, y, color, state in start["d"]]
        things += [
            Thing(kind, color, x, y, "", tuple(*rest) if rest[:1] != [None] and rest else ())
            for x, y, kind, color, *rest in start["o"]
        ]
        grid = [re.sub("[^#]", ".", row) for row in episode["walls"]]
        state = build(grid, things, tuple(start["a"]), tree(episode["mission"]), room_size=8)
        assert (state.level.mission, state.level.max_steps) == (episode["mission"], episode["max_steps"])
        played += replay(episode, state)
    assert played == 1018
