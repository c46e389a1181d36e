"""Small worlds and policies whose true values can be worked out by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from agentgym import AgentEnv, EndReason, InvalidAction, Opening, Outcome, RewardSpec, Say, Task, TurnRng
from agentgym.rollout import Reply, View
from agentgym.turn import Turn


class Corridor(AgentEnv[int]):
    """Places 0 to 3, start at 1; 3 is the goal (pays 1), 0 a pit (pays 0); time up at 2 pays a half.

    Each move right pays progress 1, each move left −1. With `slip` a move goes the other way by chance 0.2.
    """

    panel = (Task("one", {"start": 1}), Task("two", {"start": 2}))
    max_turns = 3
    rewards = RewardSpec({"progress": 0.1})
    slip = 0.0

    def initial(self, task: Task, rng: TurnRng) -> Opening[int]:
        return Opening(task.data["start"], f"You stand at {task.data['start']}.")

    def transition(self, state: int, action: Any, rng: TurnRng) -> Turn[int]:
        if not isinstance(action, Say) or action.text not in ("left", "right", "wait"):
            raise InvalidAction("say left, right or wait")
        move = {"left": -1, "right": 1, "wait": 0}[action.text]
        if self.slip and rng.random() < self.slip:
            move = -move
        place, paid = state + move, {"progress": float(move)}
        if place == 3:
            return Turn(place, "There.", paid, Outcome(True, 1.0))
        if place == 0:
            return Turn(place, "You fall.", paid, Outcome(False, 0.0, EndReason.FAILED))
        return Turn(place, f"You stand at {place}.", paid)

    def timeout(self, state: int) -> Outcome:
        return Outcome(False, 0.5 if state == 2 else 0.0, EndReason.TURN_LIMIT)

    def menu(self, state: int) -> Sequence[str]:
        return ("left", "right")

    def describe(self, state: int) -> str:
        return f"You stand at {state}."

    def expert(self, state: int) -> str:
        return "right"


class Slippery(Corridor):
    """The same on ice."""

    slip = 0.2


class Tilted:
    """Goes right with probability `right`, whatever the place; `stationary` may be switched off."""

    signals = ("menu",)
    markov = True

    def __init__(self, right: float = 2 / 3, stationary: bool = True) -> None:
        self.right, self.stationary = right, stationary
        self.asked = 0

    def chance(self, view: View) -> float:
        return self.right

    def __call__(self, views: Sequence[View]) -> list[Reply]:
        replies = []
        for view in views:
            self.asked += 1
            right = self.chance(view)
            share = {"right": right, "left": 1.0 - right}
            logs = [math.log(share[text]) if share[text] else -math.inf for text in view.menu]
            replies.append(Reply("right" if view.rng.random() < right else "left", menu_logprobs=logs))
        return replies
