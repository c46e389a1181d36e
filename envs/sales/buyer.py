"""Who buys: needs, doubts, budget, another seller's offer; a case is a buyer before the shelf of a shop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Final

from agentgym.digest import state_hash
from agentgym.envs.sales.catalogue import Industry, industry
from agentgym.envs.sales.product import Fact, Product
from agentgym.errors import unknown

DOUBTS: Final[Mapping[str, tuple[str, ...]]] = {
    "price": ("lower price", "worth"),
    "breaks": ("warranty",),
    "regret": ("return period",),
    "wait": ("delivery time",),
    "gone": ("stock",),
    "stranger": ("return period", "warranty"),
    "fees": ("delivery price",),
    "rival": ("worth", "lower price"),
    "think": ("no hurry",),
}
"""Objection → what resolves it: a true fact of this name; "worth": a fact that meets a need which the buyer told;
"lower price": a quote below an earlier one; "no hurry": a message that leaves the buyer time."""

REASSURING: Final = ("warranty", "return period", "stock")
"""Facts that resolve an objection only where they are not 0."""

RISK: Final = 10
"""What a buyer without any trust takes off a product's worth, in per cent of its list price."""
SPREAD: Final = 8
"""Half the width of what mood adds to a decision, in per cent of the list price."""


@dataclass(frozen=True)
class Need:
    """A need: an attribute, the value asked for, what it is worth in US dollars; `must`: nothing is bought without."""

    attribute: str
    value: Any
    worth: int
    must: bool = False


@dataclass(frozen=True)
class Buyer:
    """A buyer; amounts in US dollars.

    Attributes:
        name: first name.
        industry: key of what is looked for.
        shelf: numbers of the products that the shop has for this buyer.
        about: which of the industry's purposes.
        base: what a product is worth without any of the needs.
        needs: in the order in which they are told when nobody asks for one of them.
        opens: how many of them the first message tells.
        budget: the most that is paid, delivery and all.
        doubts: objection → what it takes off the worth until it is resolved, in the order in which they are raised.
        rival: another seller's name, "" for none; rival_price: what it asks; gain: what the buyer would have of it.
        trust: at the beginning, 0 to 100.
        patience: how many ordinary turns the buyer stays.
        careful: whether the product's sheet is read before the money is paid.
        haggles: whether offers below a quote are made.
        target: what a buyer who bargains hopes to pay, below what it can; 0: it offers what it can.
        curious: how many things the buyer has told when it asks whether it talks to a machine; 0: never.
    """

    name: str
    industry: str
    shelf: tuple[int, ...]
    about: int
    base: int
    needs: tuple[Need, ...]
    opens: int
    budget: int
    doubts: Mapping[str, int]
    rival: str
    rival_price: int
    gain: int
    trust: int
    patience: int
    careful: bool
    haggles: bool
    curious: int
    target: int = 0


def as_json(buyer: Buyer) -> dict[str, Any]:
    """Return a buyer as plain JSON."""
    plain = asdict(buyer)
    return {**plain, "shelf": list(buyer.shelf), "needs": [asdict(need) for need in buyer.needs]}


def from_json(data: Mapping[str, Any]) -> Buyer:
    """Return the buyer of plain JSON.

    Raises:
        ValueError: a field that is missing or that nobody knows, an attribute or an objection that there is none of;
            the message names it.
    """
    fields = Buyer.__dataclass_fields__
    for name in data:
        if name not in fields:
            raise ValueError(unknown("field", name, fields, "of a buyer"))
    missing = [name for name in fields if name not in data and name != "target"]
    if missing:
        raise ValueError(f"the buyer lacks {', '.join(missing)}: give every field of sales.buyer.Buyer")
    sells = industry(data["industry"])
    for need in data["needs"]:
        if need["attribute"] not in sells.topics:
            raise ValueError(unknown("attribute", need["attribute"], sells.topics, f"of {sells.plural}"))
    for doubt in data["doubts"]:
        if doubt not in DOUBTS:
            raise ValueError(unknown("objection", doubt, DOUBTS))
    if not data["shelf"] or not all(0 <= number < len(sells.products) for number in data["shelf"]):
        raise ValueError(f"shelf must hold numbers of products, 0 to {len(sells.products) - 1}: {data['shelf']}")
    needs = tuple(Need(**need) for need in data["needs"])
    return Buyer(**{**data, "needs": needs, "shelf": tuple(data["shelf"]), "doubts": dict(data["doubts"])})


def meets(sense: str, wanted: Any, fact: Fact) -> bool:
    """Whether a fact is what a need of that sense asks for."""
    value: Any = fact.value
    if sense == "yes":
        return value is True
    if sense == "is":
        return wanted in value
    return bool(value <= wanted) if sense == "max" else bool(value >= wanted)


@dataclass(frozen=True, eq=False)
class Case:
    """A task ready to be played: a buyer, the shop, the products on its shelf.

    Attributes:
        task: its id.
        buyer: who comes.
        sells: the industry.
        shelf: the products.
        floors: the least that each may be sold for, in US cents.
        note: what else the sheet says.
    """

    task: str
    buyer: Buyer
    sells: Industry
    shelf: tuple[Product, ...]
    floors: tuple[int, ...]
    note: str = ""

    @cached_property
    def hash(self) -> str:
        """The hash of what the task says, the products among it."""
        products = [(product.name, *(fact.text for fact in product.known)) for product in self.shelf]
        return state_hash((as_json(self.buyer), products, self.floors, self.note))

    @cached_property
    def facts(self) -> tuple[Mapping[str, Fact], ...]:
        """For each product its facts by name."""
        return tuple({fact.attribute: fact for fact in product.known} for product in self.shelf)

    @cached_property
    def prices(self) -> tuple[int, ...]:
        """List prices in US cents."""
        return tuple(round(product.price * 100) for product in self.shelf)

    @cached_property
    def needs(self) -> Mapping[str, Need]:
        """The needs by attribute."""
        return {need.attribute: need for need in self.buyer.needs}

    @cached_property
    def met(self) -> tuple[frozenset[str], ...]:
        """For each product, the attributes of the needs that it meets."""
        return tuple(
            frozenset(
                need.attribute
                for need in self.buyer.needs
                if meets(self.sells.topics[need.attribute].sense, need.value, facts[need.attribute])
            )
            for facts in self.facts
        )


def case_of(task: str, data: Mapping[str, Any]) -> Case:
    """Return the case of a task's data.

    Raises:
        ValueError: as `from_json`, with the task's id.
    """
    try:
        buyer = from_json(data)
    except (TypeError, ValueError) as error:
        raise ValueError(f"task {task!r}: {error}") from None
    sells = industry(buyer.industry)
    shelf = tuple(sells.products[number] for number in buyer.shelf)
    return Case(task, buyer, sells, shelf, tuple(100 * sells.floors[number] for number in buyer.shelf))
