"""Small worlds drawn as text: `##` wall, `..` empty, K key, B ball, X box, C closed, O open, L locked door, each with
its colour r g b p y e (grey); `Xyk` is no cell, contents are given apart."""

from __future__ import annotations

from typing import Any

from agentgym.envs.babyai.build import Thing, build
from agentgym.envs.babyai.kernel import ACTIONS, step
from agentgym.envs.babyai.mission import Desc, Leaf, Part
from agentgym.envs.babyai.state import GridState

COLOR = {"r": "red", "g": "green", "b": "blue", "p": "purple", "y": "yellow", "e": "grey"}
KIND = {"K": "key", "B": "ball", "X": "box"}
DOOR = {"C": "closed", "O": "open", "L": "locked"}
ANYTHING = Leaf("go to", Desc("ball", "red"))


def world(picture: str, agent: tuple[int, int, int], tree: Part = ANYTHING, **options: Any) -> GridState:
    """Return the first state of a drawn world. Options: inside={(x, y): (type, colour)}, in_hand=(x, y) and build's."""
    inside = options.pop("inside", {})
    in_hand = options.pop("in_hand", None)
    rows = [line.split() for line in picture.strip().splitlines()]
    things = []
    for y, row in enumerate(rows):
        for x, mark in enumerate(row):
            if mark[0] in KIND:
                things.append(Thing(KIND[mark[0]], COLOR[mark[1]], x, y, "", inside.get((x, y), ())))
            elif mark[0] in DOOR:
                things.append(Thing("door", COLOR[mark[1]], x, y, DOOR[mark[0]]))
    walls = ["".join("#" if mark == "##" else "." for mark in row) for row in rows]
    carrying = next((i for i, thing in enumerate(things) if (thing.x, thing.y) == in_hand), -1)
    options.setdefault("max_steps", 100)
    return build(walls, things, agent, tree, carrying=carrying, **options)


def play(state: GridState, *actions: str) -> tuple[GridState, list[str]]:
    """Play actions by name; return the last state and all verdicts."""
    verdicts = []
    for action in actions:
        state, verdict = step(state, ACTIONS.index(action))
        verdicts.append(verdict)
    return state, verdicts
