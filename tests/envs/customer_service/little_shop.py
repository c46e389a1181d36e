"""A domain of four customers with two orders each: every way a talk can go, small enough to follow by hand."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, Literal

from agentgym.envs.customer_service.customer.words import CustomerWords
from agentgym.envs.customer_service.database import Database
from agentgym.envs.customer_service.domain import Desk, Domain, Family, Refused, serves
from agentgym.envs.customer_service.sheet import CUSTOMER, Call, Goal, Sheet, Tell
from agentgym.envs.customer_service.voice import Voice
from agentgym.rng import TurnRng

PEOPLE = ("Ada Hill", "Ben Moor", "Cleo Dale", "Dan Wood")
WHYS = ("no longer needed", "ordered by mistake")
STREETS = ("3 Mill Lane", "9 Quay Street")


def email_of(name: str) -> str:
    """Return a customer's address."""
    return f"{name.split()[0].lower()}@example.org"


class LittleShop(Domain):
    """A shop; each customer has a packed and a shipped order, and a doorbell at home."""

    name: ClassVar[str] = "little_shop"
    title: ClassVar[str] = "the little shop"
    clock: ClassVar[str] = "2025-03-01 12:00:00"
    policy = "# Policy\n\nFind the customer by `find_customer` first. Shipped orders are not cancelled."

    @cached_property
    def database(self) -> Database:
        """Customer c-1 has the orders o-11 (packed) and o-12 (shipped), c-2 has o-21 and o-22, and so on."""
        customers: dict[str, Any] = {}
        orders: dict[str, Any] = {}
        bells: dict[str, Any] = {}
        for number, name in enumerate(PEOPLE, 1):
            key = f"c-{number}"
            customers[key] = {"name": name, "email": email_of(name), "orders": [f"o-{number}1", f"o-{number}2"]}
            for part, status in ((1, "packed"), (2, "shipped")):
                orders[f"o-{number}{part}"] = {
                    "customer": key,
                    "status": status,
                    "street": "1 High Road",
                    "price": 10.25 * number + part,
                    "why": "",
                }
            bells[f"b-{number}"] = {"customer": key, "on": True}
        return Database({"customers": customers, "orders": orders, "bells": bells})

    @serves("read")
    def find_customer(self, desk: Desk, *, email: str) -> Any:
        """Find a customer."""
        for key, record in desk.database["customers"].items():
            if record["email"] == email:
                return {"customer_id": key, **record}
        raise Refused(f"there is no customer with the e-mail {email}")

    @serves("read")
    def get_order(self, desk: Desk, *, order_id: str) -> Any:
        """Look an order up."""
        return desk.find("orders", order_id, "order")

    @serves("write")
    def cancel_order(self, desk: Desk, *, order_id: str, why: Literal["no longer needed", "ordered by mistake"]) -> Any:
        """Cancel an order that is not shipped."""
        if desk.find("orders", order_id, "order")["status"] != "packed":
            raise Refused(f"the order {order_id} is not packed; only packed orders can be cancelled")
        return desk.change("orders", order_id, status="cancelled", why=why)

    @serves("write")
    def move_order(self, desk: Desk, *, order_id: str, street: str) -> Any:
        """Send an order elsewhere."""
        if desk.find("orders", order_id, "order")["status"] != "packed":
            raise Refused(f"the order {order_id} is not packed; only packed orders can be moved")
        return desk.change("orders", order_id, street=street)

    @serves("write", side=CUSTOMER)
    def switch_bell(self, desk: Desk, *, bell_id: str, on: bool) -> Any:
        """Switch the doorbell on or off."""
        desk.change("bells", bell_id, on=on)
        return "on" if on else "off"


def _sheet(family: str, key: str, database: Database, *goals: Goal, mood: str = "calm") -> Sheet:
    record = database["customers"][key]
    facts = {"email": record["email"], "name": record["name"]}
    identify = (Call("find_customer", {"email": record["email"]}),)
    return Sheet("little_shop", family, key, facts, goals, identify, mood=mood)


def _cancel(database: Database, key: str, rng: TurnRng) -> Sheet:
    order, why = database["customers"][key]["orders"][0], rng.choice(WHYS)
    return _sheet("cancel", key, database, Goal(
        "cancel", {"order": order, "why": why}, (), (Call("cancel_order", {"order_id": order, "why": why}),),
        (Call("get_order", {"order_id": order}),),
    ))  # fmt: skip


def _too_late(database: Database, key: str, rng: TurnRng) -> Sheet:
    first, second = database["customers"][key]["orders"]
    price = f"{database['orders'][first]['price']:.2f}"
    price_goal = Goal(
        "price", {"order": first}, ("order",), (), (Call("get_order", {"order_id": first}),),
        (Tell("price", price),),
    )  # fmt: skip
    return _sheet("too_late", key, database, Goal(
        "cancel", {"order": second, "why": rng.choice(WHYS)}, ("order",), (),
        (Call("get_order", {"order_id": second}),), reason="shipped", insist=1, fallback=price_goal,
    ), mood="grumpy")  # fmt: skip


def _second_thought(database: Database, key: str, rng: TurnRng) -> Sheet:
    order, street = database["customers"][key]["orders"][0], rng.choice(STREETS)
    read = (Call("get_order", {"order_id": order}),)
    moved = Goal(
        "move", {"order": order, "street": street}, ("street",),
        (Call("move_order", {"order_id": order, "street": street}),), read,
    )  # fmt: skip
    cancelled = Call("cancel_order", {"order_id": order, "why": "no longer needed"})
    return _sheet("second_thought", key, database, Goal(
        "cancel", {"order": order, "why": "no longer needed"}, ("order",), (cancelled,), read, change=moved,
    ), mood="chatty")  # fmt: skip


def _quiet(database: Database, key: str, rng: TurnRng) -> Sheet:
    order = database["customers"][key]["orders"][1]
    price = f"{database['orders'][order]['price']:.2f}"
    off = Goal("quiet", {}, (), (Call("switch_bell", {"bell_id": f"b-{key[2:]}", "on": False}, CUSTOMER),))
    return _sheet("quiet", key, database, off, Goal(
        "price", {"order": order}, ("order",), (), (Call("get_order", {"order_id": order}),), (Tell("price", price),),
    ), mood="hurried")  # fmt: skip


LittleShop.families = (
    Family("cancel", _cancel), Family("too_late", _too_late), Family("second_thought", _second_thought),
    Family("quiet", _quiet),
)  # fmt: skip

LittleShop.words = CustomerWords(
    wants={
        "cancel": (
            "I want to cancel an order.",
            "An order of mine has to be cancelled.",
            "I want to cancel order {order}.",
        ),
        "move": ("Actually, send it to {street} instead.",),
        "price": ("What did order {order} cost?",),
        "quiet": ("How do I get my doorbell to be quiet?",),
    },
    again={
        "cancel": ("it is about cancelling",),
        "move": ("it is about another street",),
        "price": ("the price",),
        "quiet": ("it is about the bell",),
    },
    says={
        "email": ("It is {value}.",),
        "name": ("My name is {value}.",),
        "order": ("Order {value}.",),
        "why": ("Because it was {value}.",),
        "street": ("To {value}.",),
    },
    names={"email": "my e-mail", "name": "my name", "order": "the number", "why": "why", "street": "the street"},
    asked={
        "email": (r"e-?mail",),
        "name": (r"\bname\b",),
        "order": (r"(which|what) order|order (number|id)",),
        "why": (r"\bwhy\b|\breason\b",),
        "street": (r"\bstreet\b|\baddress\b|where to",),
    },
    acts={"cancel": (r"cancel",), "move": (r"\bsend|\bmove",), "price": (r"price|cost",), "quiet": (r"bell",)},
    questions={"price": ("And what did it cost?",)},
    pretexts={"cancel": ("But it cannot be far yet!",)},
    refused={"shipped": (r"shipped|on its way",), "stranger": (r"not yours|someone else",)},
    reports={"switch_bell": ("Done, it is {result}.",)},
    instructed={"switch_bell": (r"(turn|switch).*bell",)},
    choices={"why": {"no longer needed": (r"no longer",), "ordered by mistake": (r"mistake",)}},
    handles=(r"\bo-\d+",),
)

LittleShop.voice = Voice(
    asks={
        "email": ("May I have the e-mail of your account?",), "name": ("What is your full name, please?",),
        "order": ("Which order is it about?", "What is the order number?"), "why": ("What is the reason for it?",),
        "street": ("What address shall I note?",),
    },
    proposes={
        "cancel": ("I would cancel order {order} ({why}). Shall I go ahead?",),
        "move": ("I would move order {order} to {street}. Do you agree?",),
    },
    done={"cancel": ("Order {order} is cancelled.",), "move": ("Order {order} goes to {street} now.",)},
    refuses={
        "shipped": ("I am sorry, that order is already shipped, so I cannot do that.",
                    "It is on its way already; I am afraid it cannot be stopped."),
        "stranger": ("I am sorry, that order is not yours, so I cannot change it.",),
    },
    tells={"price": ("The price was {text}.",)},
    instructs={"switch_bell": ("Please switch your bell off at its side.",)},
)  # fmt: skip

SHOP = LittleShop()


def sheets(family: str) -> Sequence[Sheet]:
    """Return the sheets of a family, one a customer."""
    draw = next(known.draw for known in SHOP.families if known.name == family)
    found = [draw(SHOP.database, key, TurnRng(0, stream=f"{family} {key}")) for key in SHOP.database["customers"]]
    return [sheet for sheet in found if sheet is not None]
