"""Worlds that each break one rule of the contract, and no other."""

from __future__ import annotations

from itertools import count
from typing import Any

from broken_envs.sound import Sound
from gymnasium.spaces import Text

from agentgym import AgentEnv, Opening, Task, TaskPanel, Turn, TurnRng, UnicodeText

SERIAL = count()


class PanelOfTheMoment(Sound):
    """Builds other tasks every time."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs["tasks"] = [Task(f"task-{next(SERIAL)}", {"digits": 4})]
        super().__init__(**kwargs)


class TaskWithoutDigits(Sound):
    """Has a task that it cannot start."""

    panel = TaskPanel("safes", {"train": [Task("digits-4", {"digits": 4})], "test": [Task("none")]})


class PlainText(Sound):
    """Shows what its space does not hold."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.action_space = Text(1000)  # type: ignore[assignment]


class LongerThanItsSpace(Sound):
    """Declares fewer characters than it shows."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.observation_space = UnicodeText(50)

    def transition(self, state: Any, action: Any, rng: TurnRng) -> Turn[Any]:
        turn = super().transition(state, action, rng)
        turn.observation += " " * 40
        return turn


class SpaceOfTheEpisode(Sound):
    """Makes its space anew in every episode."""

    def initial(self, task: Task, rng: TurnRng) -> Opening[Any]:
        self.action_space = UnicodeText(self.max_action)
        return super().initial(task, rng)


class SpaceOfTheInstance(Sound):
    """Has other spaces in every instance."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.action_space = UnicodeText(self.max_action + next(SERIAL))


BROKEN: dict[str, list[type[AgentEnv[Any]]]] = {
    "made": [PanelOfTheMoment, TaskWithoutDigits],
    "spaces": [PlainText, LongerThanItsSpace, SpaceOfTheEpisode, SpaceOfTheInstance],
}
"""Rule → worlds that break it."""
