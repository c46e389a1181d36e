"""A grid whose states anybody can name well or badly: the world of the claims about step groups and state graphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agentgym import AgentEnv, EndReason, InvalidAction, Opening, Outcome, RewardSpec, Say, Task, TurnRng
from agentgym.batch import TurnBatch
from agentgym.turn import Turn

SIDE = 6
MOVES = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
WAYS = (((0, 0), (5, 5)), ((5, 0), (0, 5)), ((0, 5), (5, 1)), ((2, 0), (3, 5)), ((5, 2), (0, 2)), ((0, 3), (5, 4)))
"""Start and goal of each task."""

Cell = tuple[int, int]


@dataclass(frozen=True)
class Place:
    """Where the agent is, and where it has to go."""

    row: int
    column: int
    goal: Cell


class Grid(AgentEnv[Place]):
    """Six by six cells without obstacles; reaching the goal within twenty moves pays 1. A move into the wall stays."""

    panel = tuple(Task(f"way-{n}", {"start": way[0], "goal": way[1]}) for n, way in enumerate(WAYS))
    max_turns = 20
    rewards = RewardSpec({})

    def initial(self, task: Task, rng: TurnRng) -> Opening[Place]:
        """Stand at the task's start."""
        (row, column), (down, right) = task.data["start"], task.data["goal"]
        return Opening(Place(row, column, (down, right)), f"{row} {column}")

    def transition(self, state: Place, action: Any, rng: TurnRng) -> Turn[Place]:
        """Move by a cell."""
        if not isinstance(action, Say) or action.text not in MOVES:
            raise InvalidAction("say up, down, left or right")
        there = moved((state.row, state.column), action.text)
        end = Outcome(True, 1.0, EndReason.SOLVED) if there == state.goal else None
        return Turn(Place(*there, state.goal), f"{there[0]} {there[1]}", {}, end)

    def menu(self, state: Place) -> Sequence[str]:
        """Offer the four moves."""
        return tuple(MOVES)

    def expert(self, state: Place) -> str:
        """Return a move that shortens the way, rows first."""
        if state.row != state.goal[0]:
            return "down" if state.row < state.goal[0] else "up"
        return "right" if state.column < state.goal[1] else "left"


def moved(cell: Cell, move: str) -> Cell:
    """Return the cell that a move leads to."""
    down, right = MOVES[move]
    return min(max(cell[0] + down, 0), SIDE - 1), min(max(cell[1] + right, 0), SIDE - 1)


def cells(batch: TurnBatch) -> tuple[list[Cell], list[Cell]]:
    """Return the cell before and the one after each row's move."""
    before = [(int(text.split()[0]), int(text.split()[1])) for text in batch["observation"]]
    return before, [moved(cell, str(move)) for cell, move in zip(before, batch["action"], strict=True)]


def clean(batch: TurnBatch) -> TurnBatch:
    """Every cell its own name."""
    return named(batch, *([f"{row} {column}" for row, column in each] for each in cells(batch)))


def merged(batch: TurnBatch) -> TurnBatch:
    """Four cells, two by two, one name: an equal name no longer means an equal state."""
    return named(batch, *([f"{row // 2} {column // 2}" for row, column in each] for each in cells(batch)))


def named(batch: TurnBatch, before: Sequence[str], after: Sequence[str]) -> TurnBatch:
    """Return the batch with other names for its states.

    Args:
        batch: n rows.
        before: name of each row's state before acting; becomes `anchor`.
        after: of the state it led to; becomes `next_state` of the last turns, the others lead to the next row's name.
    """
    here, there = np.array(before, dtype=object), np.array(after, dtype=object)
    inner = ~batch.last[batch.order]
    rows = batch.order[inner]
    there[rows] = here[batch.order[np.flatnonzero(inner) + 1]]
    return batch.with_columns(anchor=here, next_state=there)


def fragmented(batch: TurnBatch, share: float = 0.5, seed: int = 0) -> TurnBatch:
    """Give a share of the visits a private name, which no other visit has; names of the others stay.

    Args:
        batch: rows with `anchor` and `next_state`.
        share: of the visits, a rollout's end among them.
        seed: of the draws.
    """
    rng = TurnRng(seed, stream="fragmented")
    before = [f"alone {row}" if rng.random() < share else str(name) for row, name in enumerate(batch["anchor"])]
    after = [f"end {row}" if rng.random() < share else str(name) for row, name in enumerate(batch["next_state"])]
    return named(batch, before, after)
