"""Shopper: a customer's records as the goals of a talk are put together, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from itertools import takewhile
from typing import Final

from agentgym.envs.customer_service import money
from agentgym.envs.customer_service.database import Database, Record
from agentgym.envs.customer_service.domains.retail import ledger, rows
from agentgym.envs.customer_service.domains.retail.writes import Writes
from agentgym.envs.customer_service.sheet import Call, Goal, Sheet
from agentgym.rng import TurnRng

METHODS: Final = {
    "Visa card": "my Visa card",
    "Mastercard": "my Mastercard",
    "gift card": "my gift card",
    "Pennywell wallet": "my Pennywell wallet",
}
"""Kind of a payment method → what the customer calls it."""

MOODS: Final = ("calm", "calm", "hurried", "grumpy", "chatty")
_SHOP: Final = Writes()


class Shopper:
    """A customer whose sheet is being drawn.

    Attributes:
        database: after the writes of the goals so far, so that later goals start from what earlier ones left.
        goals: the goals so far.
        recalls: whether the customer knows the order numbers.
    """

    def __init__(self, database: Database, key: str, rng: TurnRng, *, recalls: bool = False) -> None:
        self.database = database
        self.key = key
        self.rng = rng
        self.goals: list[Goal] = []
        self.recalls = recalls or rng.integers(10) < 7
        self._used: set[str] = set()
        owned = database.index("owned", owned_by)[key]
        self._orders, self._methods = owned["orders"], owned["payment_methods"]

    @property
    def methods(self) -> list[Record]:
        """The payment methods."""
        return [self.database["payment_methods"][key] for key in self._methods]

    @property
    def gift_card(self) -> Record | None:
        """The gift card, if there is one."""
        return next((one for one in self.methods if "balance" in one), None)

    @property
    def all_orders(self) -> list[Record]:
        """Every order, in the order of the customer's list."""
        return [self.database["orders"][key] for key in self._orders]

    def orders(self, *states: str) -> list[Record]:
        """Return the orders in these states that no goal is about yet, shuffled."""
        found = [one for one in self.all_orders if one["status"] in states and one["order_id"] not in self._used]
        return self.rng.shuffled(found)

    def delivered(self, *, late: bool) -> list[Record]:
        """Return the delivered orders that no goal is about yet: those that may still go back, or those too late."""
        return [one for one in self.orders("delivered") if (self.age(one) > ledger.RETURN_DAYS) == late]

    def age(self, order: Record) -> int:
        """Return how many days ago an order was delivered."""
        arrived: str = self.database["shipments"][order["shipment_id"]]["delivered_on"]
        return (rows.TODAY - date.fromisoformat(arrived)).days

    def use(self, order: Record) -> None:
        """Note that a goal is about an order, so that no other one will be."""
        self._used.add(order["order_id"])

    def lines(self, order: Record, *, final: bool = False) -> list[Record]:
        """Return single pieces of an order that the product's name alone identifies among all that the customer has."""
        names = [line["name"] for one in self.all_orders for line in one["lines"]]
        return self.rng.shuffled(
            [
                line
                for line in order["lines"]
                if line["quantity"] == 1
                and line["status"] == "ordered"
                and names.count(line["name"]) == 1
                and self.database["products"][line["product_id"]]["final_sale"] == final
            ]
        )

    def others(self, line: Record, *, stocked: bool) -> list[tuple[str, Record]]:
        """Return (value, variant) of those that differ from a line's in this one option, in stock or sold out."""
        found = []
        for key in self.database["products"][line["product_id"]]["variants"]:
            variant = self.database["variants"][key]
            new = [value for name, value in variant["options"].items() if line["options"][name] != value]
            if len(new) == 1 and (variant["stock"] > 0) == stocked:
                found.append((new[0], variant))
        return self.rng.shuffled(found)

    def payers(self, cents: int) -> list[Record]:
        """Return the payment methods that can bear a charge, shuffled."""
        able = [one for one in self.methods if "balance" not in one or money.cents(one["balance"]) >= cents]
        return self.rng.shuffled(able)

    def look(self, order: Record, *, shipment: bool = False, line: Record | None = None) -> tuple[Call, ...]:
        """Return the reads about an order: of those before it too, in the same state, where its number is not known."""
        alike = [one for one in self.all_orders if one["status"] == order["status"]]
        before = [] if self.recalls or line is None else takewhile(lambda one: one is not order, alike)
        calls = [Call("get_order", {"order_id": one["order_id"]}) for one in (*before, order)]
        if shipment:
            calls.append(Call("get_shipment", {"shipment_id": order["shipment_id"]}))
        return tuple(calls)

    def product(self, line: Record) -> Call:
        """Return the read of a line's product."""
        return Call("get_product", {"product_id": line["product_id"]})

    def add(self, *goals: Goal) -> None:
        """Add goals, and carry their writes out.

        Raises:
            ValueError: a gold write fails.
        """
        for goal in goals:
            self.goals.append(goal)
            for call in (call for one in goal.chain for call in one.due):
                reply = _SHOP.call(self.database, call)
                if reply.error:
                    raise ValueError(f"{self.key}: {call} fails: {reply.text}")
                self.database = reply.database

    def sheet(self, family: str, *, by_name: bool = False) -> Sheet | None:
        """Return the sheet of the goals so far, None if there are none.

        Args:
            family: the family's name.
            by_name: the customer does not remember the e-mail address.
        """
        if not self.goals:
            return None
        customer = self.database.fresh["customers"][self.key]  # as it is when the talk begins
        name, postcode = customer["name"], customer["address"]["postcode"]
        facts = {"name": f"{name['first']} {name['last']}", "email": customer["email"], "postcode": postcode}
        find = Call("find_customer_by_email", {"email": customer["email"]})
        unknown = ["customer_number"] if self.recalls else ["customer_number", "order"]
        if by_name:
            unknown.append("email")
            del facts["email"]
            find = Call("find_customer_by_name_postcode", {"name": facts["name"], "postcode": postcode})
        return Sheet(
            domain="retail",
            family=family,
            customer=self.key,
            facts=facts,
            goals=tuple(self.goals),
            identify=(find, Call("get_customer", {"customer_id": self.key})),
            unknown=tuple(unknown),
            mood=self.rng.choice(MOODS),
            patience=self.rng.integers(4, 8),
        )


def owned_by(database: Database) -> dict[str, dict[str, list[str]]]:
    """Return customer → table → keys of the payment methods and orders that are theirs, which no tool changes."""
    found: dict[str, dict[str, list[str]]] = {
        key: {"payment_methods": [], "orders": []} for key in database["customers"]
    }
    for name in ("payment_methods", "orders"):
        for key in database.rows(name):
            found[database[name][key]["customer"]][name].append(key)
    return found


def listed(lines: Sequence[Record]) -> str:
    """Return what a customer calls some lines: "the Pie Dish and the Bath Mat"."""
    names = [f"the {line['name']}" for line in lines]
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
