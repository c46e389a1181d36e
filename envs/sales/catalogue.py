"""The catalogue: industries, their products, and the words by which people speak of what matters in them.

One file in data/industries holds an industry: what a product is called, its attributes with the reasons why somebody
cares, the products with list price and floor (the least that a seller may take), and names of other sellers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Final

from agentgym.envs.sales.product import Disclosure, Fact, Product
from agentgym.errors import unknown

FOLDER: Final = Path(__file__).parent / "data" / "industries"
SENSES: Final = ("max", "min", "yes", "is")
"""How a need reads an attribute: no more than a number, no less, it has it, it is that."""


@dataclass(frozen=True)
class Topic:
    """An attribute that buyers care about, with the words for it.

    Attributes:
        attribute: the fact's name.
        sense: one of `SENSES`.
        unit: of a number.
        stems: patterns of how words begin by which a question is about it, lower case.
        values: what buyers may ask for.
        worth: least and most that it is worth to a buyer, in per cent of an ordinary price.
        why, want: what buyers say: the reason, and the need, with {v}.
        ask: what a seller asks about the need.
        state, deny: what a seller says of a product, with {v}; `deny` where it lacks it.
        wonder: what a buyer asks about a product, without a question mark.
    """

    attribute: str
    sense: str
    unit: str
    stems: tuple[str, ...]
    values: tuple[Any, ...]
    worth: tuple[int, int]
    why: tuple[str, ...]
    want: tuple[str, ...]
    ask: tuple[str, ...]
    state: tuple[str, ...]
    deny: tuple[str, ...]
    wonder: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Industry:
    """What is sold in an industry, and how people speak of it.

    Attributes:
        key: name of its file.
        noun, a, plural: what a product is called: "laptop", "a laptop", "laptops".
        shop: the seller.
        about: what for a buyer looks for one.
        topics: attribute → its words.
        products: what is sold.
        floors: for each product the least that it may be sold for, in US dollars.
        rivals: names of other sellers.
    """

    key: str
    noun: str
    a: str
    plural: str
    shop: str
    about: tuple[str, ...]
    topics: Mapping[str, Topic]
    products: tuple[Product, ...]
    floors: tuple[int, ...]
    rivals: tuple[str, ...]

    @cached_property
    def ordinary(self) -> int:
        """The price in the middle of all, in US dollars."""
        prices = sorted(int(product.price) for product in self.products)
        return prices[len(prices) // 2]


def industries() -> tuple[str, ...]:
    """Return the keys of all industries, sorted."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.json")))


@lru_cache(maxsize=32)
def industry(key: str) -> Industry:
    """Return an industry.

    Raises:
        ValueError: there is none of this key; the message offers the nearest.
    """
    path = FOLDER / f"{key}.json"
    if key not in industries():
        raise ValueError(unknown("industry", key, industries()))
    return read(key, json.loads(path.read_text("utf-8")))


def read(key: str, data: Mapping[str, Any]) -> Industry:
    """Return the industry that a file's data describes.

    Raises:
        KeyError, ValueError: something is missing or of a kind that nobody knows.
    """
    attributes: Mapping[str, Any] = data["attributes"]
    disclosures = tuple(
        Disclosure(each["text"], tuple(map(tuple, each["words"]))) for each in data.get("disclosures", ())
    )
    products = tuple(_product(each, attributes, data["industry"], disclosures) for each in data["products"])
    return Industry(
        key, data["noun"], data["a"], data["plural"], data["shop"], tuple(data["about"]),
        {name: _topic(name, each) for name, each in attributes.items()},
        products, tuple(each["floor"] for each in data["products"]), tuple(data["rivals"]),
    )  # fmt: skip


def _topic(name: str, data: Mapping[str, Any]) -> Topic:
    if data["sense"] not in SENSES:
        raise ValueError(unknown("sense", data["sense"], SENSES, f"of {name!r}"))
    values = data.get("values", (True,))
    texts = {part: tuple(data.get(part, ())) for part in ("stems", "why", "want", "ask", "state", "deny", "wonder")}
    low, high = data["worth"]
    return Topic(name, data["sense"], data.get("unit", ""), values=tuple(values), worth=(low, high), **texts)


def _product(
    data: Mapping[str, Any], attributes: Mapping[str, Any], kind: str, disclosures: tuple[Disclosure, ...]
) -> Product:
    facts = tuple(_fact(name, data["facts"][name], each) for name, each in attributes.items())
    return Product(
        data["name"], kind, float(data["price"]), data["stock"], data["delivery_days"], data["warranty_months"],
        data["return_days"], facts, float(data["delivery_price"]), data.get("per", ""), data.get("restock_days", 0),
        disclosures, tuple(data["aliases"]),
    )  # fmt: skip


def _fact(name: str, value: Any, data: Mapping[str, Any]) -> Fact:
    kept = value if isinstance(value, bool) else tuple(value) if isinstance(value, list) else float(value)
    others = tuple(other for other in data.get("values", ()) if isinstance(kept, tuple) and other not in kept)
    return Fact(name, kept, data.get("unit", ""), tuple(data.get("words", ())), others)
