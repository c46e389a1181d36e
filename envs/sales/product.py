"""What a catalogue knows of a product: typed facts, each with the words by which sellers speak of it.

A fact is a number with a unit (weight 1.5 kg), a yes or no (waterproof), or a choice (made of oak; comes in black or
silver). Price, stock, delivery, warranty and returns stand in fields of their own, since every product has them;
`Product.known` gives them as facts as well, so that whoever checks or words claims meets facts alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from agentgym.errors import unknown

UNITS: Final[dict[str, tuple[str, float]]] = {
    # name: (what it measures, how many of the first unit of that quantity it is)
    "USD": ("money", 1.0),
    "g": ("weight", 1.0), "kg": ("weight", 1000.0), "lb": ("weight", 453.592), "oz": ("weight", 28.3495),
    "t": ("weight", 1e6),
    "mm": ("length", 1.0), "cm": ("length", 10.0), "m": ("length", 1000.0), "km": ("length", 1e6),
    "in": ("length", 25.4), "ft": ("length", 304.8), "mi": ("length", 1.609344e6),
    "m2": ("area", 1.0), "sqft": ("area", 0.092903),
    "ml": ("volume", 1.0), "l": ("volume", 1000.0), "gal": ("volume", 3785.41),
    "s": ("time", 1.0), "min": ("time", 60.0), "h": ("time", 3600.0), "day": ("time", 86400.0),
    "week": ("time", 604800.0), "month": ("time", 2629800.0), "year": ("time", 31557600.0),
    "W": ("power", 1.0), "kW": ("power", 1000.0), "hp": ("power", 745.7),
    "Wh": ("energy", 1.0), "kWh": ("energy", 1000.0), "mAh": ("charge", 1.0), "V": ("voltage", 1.0),
    "MB": ("data", 1.0), "GB": ("data", 1000.0), "TB": ("data", 1e6),
    "Mbps": ("data rate", 1.0), "Gbps": ("data rate", 1000.0),
    "km/h": ("speed", 1.0), "mph": ("speed", 1.609344), "rpm": ("turns", 1.0),
    "Hz": ("frequency", 1.0), "dB": ("noise", 1.0), "bar": ("pressure", 1.0), "Nm": ("torque", 1.0),
    "lm": ("light", 1.0), "MP": ("resolution", 1.0), "C": ("temperature", 1.0), "%": ("percentage", 1.0),
    "": ("count", 1.0),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that is true of a product.

    Attributes:
        attribute: its name as people say it, lower case and distinct within a product: "battery life", "waterproof".
        value: a number; True or False; or the words that are right, such as ("black", "silver").
        unit: for a number, a key of `UNITS`; "" counts things, and the attribute or `words` say which ("seats").
        words: other names and turns of phrase for the attribute, lower case: ("runs for", "charge lasts").
        others: for a choice, what it might be and is not, lower case: ("walnut", "pine").

    Raises:
        ValueError: a unit that nobody knows, or a unit at a value that is no number.
    """

    attribute: str
    value: bool | float | tuple[str, ...]
    unit: str = ""
    words: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            raise ValueError(unknown("unit", self.unit, UNITS, f"the fact {self.attribute!r}"))
        if self.unit and (isinstance(self.value, bool | tuple)):
            raise ValueError(f"the fact {self.attribute!r} has the unit {self.unit!r}, but {self.value!r} is no number")

    @property
    def kind(self) -> str:
        """Return "feature" for a yes or no, "choice" for words, and for a number what its unit measures."""
        if isinstance(self.value, bool):
            return "feature"
        return "choice" if isinstance(self.value, tuple) else UNITS[self.unit][0]

    @property
    def text(self) -> str:
        """Return the value as a catalogue prints it: "1.5 kg", "$249", "yes", "black or silver"."""
        if isinstance(self.value, bool):
            return "yes" if self.value else "no"
        if isinstance(self.value, tuple):
            return " or ".join(self.value)
        if self.unit == "USD":
            return f"${self.value:,.0f}" if float(self.value).is_integer() else f"${self.value:,.2f}"
        blank = "" if self.unit in ("", "%") else " "
        plural = "s" if self.unit in ("day", "week", "month", "year") and self.value != 1 else ""
        return f"{self.value:,.12g}{blank}{self.unit}{plural}"


@dataclass(frozen=True, slots=True)
class Disclosure:
    """What a seller has to say before a sale is closed.

    Attributes:
        text: a sentence that says it.
        words: groups of words, lower case; it was said once a sentence holds one of each group, whatever else is in it:
            (("renews", "renewal"), ("automatically", "automatic")).
    """

    text: str
    words: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Product:
    """A product and all that is true of it.

    Attributes:
        name: as it is sold, distinct within a catalogue: "Halden 300 cordless drill".
        industry: such as "electronics".
        price: list price in US dollars.
        stock: how many are there; 0: sold out; −1: it cannot run out, as software or a policy.
        delivery_days: days until it is with the buyer (or set up, or in force), from the order.
        warranty_months: 0: none.
        return_days: how long it can be given back for the money; 0: not at all.
        delivery_price: what the delivery costs in US dollars; 0: nothing.
        per: "" for a price that is paid once, else "month" or "year".
        restock_days: where the stock is 0, days until it is there again; 0: nobody knows.
        facts: all else.
        disclosures: what has to be said before a close.
        aliases: other names of the product itself, lower case: ("halden", "drill").
    """

    name: str
    industry: str
    price: float
    stock: int
    delivery_days: int
    warranty_months: int
    return_days: int
    facts: tuple[Fact, ...]
    delivery_price: float = 0.0
    per: str = ""
    restock_days: int = 0
    disclosures: tuple[Disclosure, ...] = ()
    aliases: tuple[str, ...] = field(default=())

    def __hash__(self) -> int:
        """Return the hash of the name: products are looked up by the thousand, and names are distinct."""
        return hash(self.name)

    @property
    def known(self) -> tuple[Fact, ...]:
        """Return the facts of the fields, then `facts`."""
        return (
            Fact("price", float(self.price), "USD", ("list price", "costs", "sells for")),
            *(
                [Fact("stock", float(self.stock), "", ("in stock", "units left", "available"))]
                if self.stock >= 0
                else []
            ),
            *([Fact("restock time", float(self.restock_days), "day", ("back in stock",))] if self._awaited else []),
            Fact("delivery time", float(self.delivery_days), "day", ("delivered", "delivery", "arrives", "ships")),
            Fact("delivery price", float(self.delivery_price), "USD", ("shipping cost", "delivery fee")),
            Fact("warranty", float(self.warranty_months), "month", ("guarantee", "covered for")),
            Fact("return period", float(self.return_days), "day", ("returns", "send it back", "money back")),
            *self.facts,
        )

    @property
    def _awaited(self) -> bool:
        return self.stock == 0 and self.restock_days > 0

    def fact(self, attribute: str) -> Fact:
        """Return the fact of that name.

        Raises:
            ValueError: the product has none of that name; the nearest one is offered.
        """
        for fact in self.known:
            if fact.attribute == attribute:
                return fact
        raise ValueError(
            unknown("attribute", attribute, [fact.attribute for fact in self.known], f"the product {self.name!r}")
        )
