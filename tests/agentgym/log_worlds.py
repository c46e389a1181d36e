"""What the tests of logs and of acollect play with."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import worlds

from agentgym import EndReason, Outcome, TurnRng
from agentgym.rollout import Reply, View
from agentgym.turn import Turn

__all__ = ["Draw", "Frail", "Scripted", "Shown"]


class Frail(worlds.Counter):
    """Counter, whose line goes dead at "break" and which falls over at "fall"."""

    def transition(self, state: Any, action: Any, rng: TurnRng) -> Turn[Any]:
        if action.text == "break":
            return Turn(state, "", outcome=Outcome(False, 0.0, EndReason.INFRA_ERROR, "endpoint gone"))
        if action.text == "fall":
            raise ZeroDivisionError("the floor gave way")
        return super().transition(state, action, rng)


class Draw:
    """Draws from the menu evenly, and says how likely and in which tokens."""

    signals = ("menu",)
    markov = True

    def __call__(self, views: Sequence[View]) -> list[Reply]:
        out = []
        for view in views:
            even = [-math.log(len(view.menu))] * len(view.menu)
            text = view.rng.choice(view.menu)
            out.append(Reply(text, None, even, [len(text), view.turn], [-0.1, -1 / 3]))
        return out


class Scripted:
    """Says what the test world's script holds, good and bad, drawn by the view."""

    signals: Sequence[str] = ()
    markov = False

    def __init__(self, name: str) -> None:
        self.texts = worlds.SCRIPTS[name]

    def __call__(self, views: Sequence[View]) -> list[Any]:
        return [
            view.rng.choice(self.texts)
            if view.turn % 2
            else Reply(view.rng.choice(self.texts), logprob=-0.1 * view.turn)
            for view in views
        ]


class Shown:
    """Says the given texts, in turn."""

    def __init__(self, *texts: str) -> None:
        self.texts = texts

    def __call__(self, views: Sequence[View]) -> list[str]:
        return [self.texts[view.turn % len(self.texts)] for view in views]
