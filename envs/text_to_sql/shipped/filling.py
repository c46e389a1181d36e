"""What the databases draw their rows with, besides TurnRng itself: days, skewed choices, gaps, and people's names."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final, TypeVar

from agentgym.rng import TurnRng

Item = TypeVar("Item")

FIRST_NAMES: Final = (
    "Ada", "Alan", "Amara", "Anders", "Anneke", "Aoife", "Beatriz", "Bruno", "Carla", "Chen", "Clara", "Dana", "Davor",
    "Elena", "Emeka", "Erik", "Farah", "Felix", "Freya", "Gustav", "Hana", "Hugo", "Ines", "Ivan", "Jamal", "Jana",
    "Joao", "Kaito", "Karin", "Lars", "Leila", "Lucia", "Magnus", "Marta", "Mei", "Milan", "Nadia", "Nils", "Noor",
    "Olga", "Omar", "Paula", "Petra", "Priya", "Rafael", "Rosa", "Samir", "Sanna", "Sofia", "Tariq", "Tomas", "Ulla",
    "Vera", "Viktor", "Wanda", "Yara", "Yusuf", "Zoe",
)  # fmt: skip
LAST_NAMES: Final = (
    "Abara", "Adler", "Almeida", "Andersen", "Asante", "Baker", "Banerjee", "Bauer", "Berg", "Castro", "Cohen", "Dahl",
    "Diaz", "Dubois", "Eriksen", "Farrell", "Fischer", "Fontaine", "Garcia", "Greco", "Haddad", "Hansen", "Hoffmann",
    "Ito", "Jensen", "Kaur", "Keller", "Kim", "Kovac", "Kowalski", "Larsen", "Lehmann", "Lindqvist", "Lopez", "Marino",
    "Mbeki", "Meyer", "Moreau", "Nakamura", "Nguyen", "Novak", "Okafor", "Olsen", "Ortiz", "Patel", "Pereira", "Petrov",
    "Quinn", "Rahman", "Rossi", "Santos", "Schmidt", "Silva", "Singh", "Sokolov", "Suzuki", "Tanaka", "Torres", "Varga",
    "Virtanen", "Walsh", "Weber", "Wójcik", "Yilmaz", "Zhang",
)  # fmt: skip


def day(rng: TurnRng, first: str, last: str) -> str:
    """Return a day between two, both included, all as 'YYYY-MM-DD'."""
    start = date.fromisoformat(first)
    return (start + timedelta(rng.integers((date.fromisoformat(last) - start).days + 1))).isoformat()


def later(when: str, days: int) -> str:
    """Return the day `days` after one."""
    return (date.fromisoformat(when) + timedelta(days)).isoformat()


def skewed(rng: TurnRng, items: Sequence[Item], power: float = 2.0) -> Item:
    """Return one of the items, the earlier the likelier: uniform at power 1, steeper above."""
    return items[int(len(items) * rng.random() ** power)]


def maybe(rng: TurnRng, value: Item, gaps: float = 0.1) -> Item | None:
    """Return the value, or None with the chance `gaps`."""
    return None if rng.random() < gaps else value


def several(rng: TurnRng, items: Sequence[Item], number: int) -> list[Item]:
    """Return `number` different items, in the order in which they stand."""
    taken = sorted(rng.shuffled(range(len(items)))[:number])
    return [items[place] for place in taken]


def person(rng: TurnRng) -> tuple[str, str]:
    """Return a first and a last name."""
    return rng.choice(FIRST_NAMES), rng.choice(LAST_NAMES)
