"""The panel of seekers: every story is told by several people, and no story stands in two splits."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from agentgym.envs.emotional_support.rules import WEIGHTS
from agentgym.envs.emotional_support.seeker import MANNERS, RESISTANCE
from agentgym.envs.emotional_support.story import Template, templates
from agentgym.rng import TurnRng
from agentgym.task import Task, TaskPanel

DATA: Final = Path(__file__).parent / "data"
PANEL: Final = "seekers"
TELLERS: Final = 5  # people who tell each story

WOMEN: Final = (
    "Anna", "Beth", "Carmen", "Dora", "Elif", "Farah", "Grace", "Hanna", "Ines", "Joyce", "Karin", "Leila", "Mona",
    "Nadia", "Olga", "Priya", "Rosa", "Sina", "Tess", "Ursula", "Vera", "Yasmin",
)  # fmt: skip
MEN: Final = (
    "Adam", "Bruno", "Carl", "David", "Emil", "Farid", "George", "Hugo", "Ivan", "Jonas", "Kofi", "Leo", "Martin",
    "Nils", "Oskar", "Pavel", "Rafael", "Samir", "Tom", "Victor", "Walter", "Yusuf",
)  # fmt: skip
SPEAKERS: Final = ("Alex", "Robin", "Sam", "Jo", "Kim", "Noa", "Chris", "Toni", "Lou", "Max", "Nicky", "Charlie")
"""Names of seekers, whom no story calls he or she."""

_LEVELS: Final = ((1, 2), (0, 2), (0, 3))  # bounds of the drawn levels of the items with weight 2, 3 and 4


@lru_cache(maxsize=1)
def panel() -> TaskPanel:
    """Return the shipped panel."""
    splits: dict[str, list[Task]] = {"train": [], "dev": [], "test": []}
    for number, template in enumerate(templates().values()):
        split = ("train", "train", "test", "train", "dev")[number % 5]
        splits[split].extend(_tellers(template))
    return TaskPanel(PANEL, splits)


def _tellers(template: Template) -> Iterator[Task]:
    rng = TurnRng(1, stream=f"seekers {template.name}")
    manners, holds = rng.shuffled(MANNERS), rng.shuffled(tuple(RESISTANCE))
    names = rng.shuffled(SPEAKERS)
    women, men = rng.shuffled(WOMEN), rng.shuffled(MEN)
    for number in range(TELLERS):
        values = {"w": women[number], "w2": women[-1 - number], "m": men[number], "m2": men[-1 - number]}
        values |= {slot: given[number % len(given)] for slot, given in template.slots}
        lines = [[key, _filled(text, values)] for key, text in template.lines]
        data = {
            "name": names[number], "manner": manners[number], "resistance": holds[number], "items": _items(rng),
            "story": {"name": template.name, "lines": lines},
        }  # fmt: skip
        yield Task(f"{template.name}/{names[number].lower()}", data)


def _filled(text: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        text = text.replace("{" + name + "}", value)
    return text


def _items(rng: TurnRng) -> dict[str, int]:
    """Return levels of the nine items that leave −5 to −12 on every axis."""
    items: dict[str, int] = {}
    for axis in "CAP":
        names = [name for name in WEIGHTS if name[0] == axis]
        while True:
            drawn = {name: rng.integers(4) for name in names}
            if 6 <= sum(WEIGHTS[name] * level for name, level in drawn.items()) <= 12:
                break
        items |= drawn
    return items


def random_success() -> Mapping[str, float]:
    """Return the published success of uniform random choice from the menu, by panel; see `measure_random`."""
    path = DATA / "random.json"
    held: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return {name: found["success"] for name, found in held.items()}
