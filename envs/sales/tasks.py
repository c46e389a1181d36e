"""The shipped buyers: drawn once from each industry's words, and checked to be what they are meant to be."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

from agentgym.envs.sales import value
from agentgym.envs.sales.buyer import DOUBTS, SPREAD, Buyer, Case, Need, as_json, case_of, meets
from agentgym.envs.sales.catalogue import Industry, industries, industry
from agentgym.envs.sales.negotiation import case_of_listing
from agentgym.rng import TurnRng
from agentgym.task import Task, TaskPanel

SIZES: Final = {"train": 28, "dev": 5, "test": 9}
"""Buyers of each industry in each split."""
SHELF: Final = 4
"""Products that a shop has for a buyer."""
LOST: Final = 7
"""One of so many buyers cannot be won, each for one of the reasons in turn."""
NAMES: Final = {
    "train": ("Ada", "Ben", "Chloe", "Dario", "Elif", "Femi", "Greta", "Hugo", "Ines", "Jonas", "Kira", "Luan", "Mara",
              "Nils", "Olga", "Pavel", "Rosa", "Sven", "Tara", "Umar"),
    "dev": ("Vera", "Wim", "Xenia", "Yusuf", "Zoe", "Anton", "Bea", "Carlo"),
    "test": ("Dora", "Emil", "Fay", "Gil", "Hana", "Ivo", "Juno", "Karim", "Lena", "Milo", "Nora", "Otis"),
}  # fmt: skip


@lru_cache(maxsize=1)
def panel() -> TaskPanel:
    """Return the panel of all industries."""
    splits: dict[str, list[Task]] = {split: [] for split in SIZES}
    seen: set[str] = set()
    for key in industries():
        for split, size in SIZES.items():
            for number in range(size):
                buyer = next(one for one in _drawn(industry(key), split, number) if _print(one) not in seen)
                seen.add(_print(buyer))
                splits[split].append(Task(f"{key}/{split}/{number}", as_json(buyer)))
    return TaskPanel("sales", splits)


def _print(buyer: Buyer) -> str:
    """Return what makes two buyers the same: what they look for, whatever their names, budgets and moods."""
    return repr((buyer.industry, buyer.shelf, sorted(map(repr, buyer.needs))))


def _drawn(sells: Industry, split: str, number: int) -> Iterator[Buyer]:
    """Yield buyers that fit a place of the panel, one after the other."""
    lost = ("need", "budget", "rival")[number // LOST % 3] if number % LOST == LOST - 1 else ""
    for attempt in range(2000):
        rng = TurnRng(attempt, stream=f"buyer {sells.key} {split} {number}")
        buyer = _buyer(sells, split, rng)
        buyer = _spoilt(buyer, sells, lost, rng) if lost else buyer
        case = case_of("draft", as_json(buyer))
        if len(buyer.needs) < 2 or (value.best(case) < 0) is not bool(lost) or (lost and len(value.blocks(case)) != 1):
            continue
        if lost and not _is_lost(case, lost):
            continue
        yield buyer
    raise RuntimeError(f"no buyer of {sells.plural} fits place {number} of {split}")


def _is_lost(case: Case, why: str) -> bool:
    """Return whether a buyer cannot be won for this reason: one that is lost by a need finds nothing that meets it."""
    reason = next(iter(value.blocks(case)))
    if why != "need":
        return reason == why
    return reason in case.needs and not any(reason in met for met in case.met)


def _buyer(sells: Industry, split: str, rng: TurnRng) -> Buyer:
    """Return a buyer for whom one product of the shelf is right."""
    shelf = tuple(sorted(rng.shuffled(range(len(sells.products)))[:SHELF]))
    right = rng.choice(shelf)
    product = sells.products[right]
    facts = {fact.attribute: fact for fact in product.facts}
    fitting = [
        (name, wanted)
        for name, topic in sells.topics.items()
        for wanted in rng.shuffled(topic.values)[:1]
        if meets(topic.sense, wanted, facts[name])
    ]
    chosen = rng.shuffled(fitting)[: rng.integers(2, 5)]
    musts = rng.integers(len(chosen)) if chosen else 0
    right = min(
        (number for number in shelf if _meets_all(sells, number, chosen)), key=lambda number: sells.floors[number]
    )
    product = sells.products[right]
    floor, price = sells.floors[right], int(product.price)
    ready = floor + (price - floor) * rng.integers(30, 140) // 100
    gain = max(price * rng.integers(2, 8) // 100, 1) if rng.integers(3) == 0 else 0
    doubts = _doubts(sells, product.stock >= 0, product.warranty_months > 0, gain > 0, rng)
    trust = rng.integers(50, 81)
    whole = ready + int(product.delivery_price) + gain + price * (100 - trust) // 1000 + price * SPREAD // 100 + 2
    weights = [rng.integers(*sells.topics[name].worth) for name, _ in chosen]
    rest = whole * rng.integers(50, 66) // 100
    needs = [
        Need(name, wanted, rest * weight // sum(weights), place == musts)
        for place, ((name, wanted), weight) in enumerate(zip(chosen, weights, strict=True))
    ]
    base = whole - sum(need.worth for need in needs)
    return Buyer(
        name=rng.choice(NAMES[split]), industry=sells.key, shelf=shelf, about=rng.integers(len(sells.about)),
        base=base, needs=tuple(needs), opens=rng.integers(2),
        budget=ready + int(product.delivery_price) + price * rng.integers(0, 25) // 100, doubts=doubts,
        rival=rng.choice(sells.rivals) if gain else "", rival_price=floor * rng.integers(80, 105) // 100 if gain else 0,
        gain=gain, trust=trust, patience=rng.integers(18, 27), careful=rng.integers(3) > 0,
        haggles=rng.integers(2) == 0, curious=rng.integers(2, 6) if rng.integers(2) == 0 else 0,
    )  # fmt: skip


def _meets_all(sells: Industry, number: int, wanted: list[tuple[str, Any]]) -> bool:
    product = sells.products[number]
    return all(meets(sells.topics[name].sense, value, product.fact(name)) for name, value in wanted)


def _doubts(sells: Industry, stock: bool, warranty: bool, rival: bool, rng: TurnRng) -> dict[str, int]:
    """Return one to three objections with what each takes off."""
    able = {"gone": stock, "breaks": warranty, "rival": rival}
    names = [doubt for doubt in DOUBTS if able.get(doubt, True)]
    chosen = rng.shuffled(names)[: rng.integers(1, 4)]
    if rival and "rival" not in chosen:
        chosen[0] = "rival"
    return {doubt: max(sells.ordinary * rng.integers(4, 9) // 100, 1) for doubt in chosen}


def _spoilt(buyer: Buyer, sells: Industry, why: str, rng: TurnRng) -> Buyer:
    """Return a buyer who cannot be won: without the money, with a better offer, or with a need that nothing meets."""
    if why == "budget":
        low = min(sells.floors[number] for number in buyer.shelf)
        return replace(buyer, budget=low * rng.integers(70, 96) // 100)
    if why == "rival":
        gain = sum(need.worth for need in buyer.needs) + sells.ordinary * rng.integers(20, 40) // 100
        price = min(sells.floors[number] for number in buyer.shelf) * rng.integers(70, 90) // 100
        return replace(buyer, gain=gain, rival=rng.choice(sells.rivals), rival_price=price)
    place = rng.integers(len(buyer.needs)) if buyer.needs else 0
    topics = [name for name in sells.topics if name not in {need.attribute for need in buyer.needs}]
    if not topics:
        return buyer
    name = rng.choice(topics)
    topic = sells.topics[name]
    hard = topic.values[0] if topic.sense == "max" else topic.values[-1]
    needs = [replace(need, must=False) for need in buyer.needs]
    needs[place : place + 1] = [Need(name, hard, max(sells.ordinary * topic.worth[1] // 100, 1), True)]
    return replace(buyer, needs=tuple(needs))


def case(task: Task) -> Case:
    """Return the case of a task. Raises ValueError naming what is wrong with its data."""
    data: dict[str, Any] = dict(task.data)
    return case_of_listing(task.id, data["listing"]) if "listing" in data else case_of(task.id, data)


def random_success() -> Mapping[str, float]:
    """Return by panel how often uniform random choice from the menu serves a test buyer rightly (`measure_random`)."""
    kept = files(__package__) / "data" / "random.json"
    found = json.loads(kept.read_text("utf-8")) if kept.is_file() else {}
    return {name: measured["success"] for name, measured in found.items()}
