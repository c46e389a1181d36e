"""What every scenario of Heathline begins with: a customer, one of their lines, and small questions besides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from agentgym.envs.customer_service import money
from agentgym.envs.customer_service.database import Database, Record
from agentgym.envs.customer_service.domains.telecom.accounts import bills_of
from agentgym.envs.customer_service.domains.telecom.plans import MOST_EXTRA_GB, PACKS
from agentgym.envs.customer_service.domains.telecom.reach import data_left
from agentgym.envs.customer_service.domains.telecom.rows import CLOCK, HOME, TODAY
from agentgym.envs.customer_service.domains.telecom.volumes import gigabytes
from agentgym.envs.customer_service.sheet import CUSTOMER, Call, Goal, Sheet, Tell
from agentgym.rng import TurnRng

_MOODS: Final = ("calm", "hurried", "grumpy", "chatty")
IN_ORDER: Final[Mapping[str, Any]] = {
    "airplane_mode": False,
    "sim": "seated",
    "mobile_data": True,
    "country": HOME,
    "restart_needed": False,
}


@dataclass(frozen=True)
class Scene:
    """A customer and the line that the talk is about.

    Attributes:
        database: the base.
        customer: key of the customer.
        line: the line's record.
        rng: what the sheet is drawn with.
    """

    database: Database
    customer: str
    line: Record
    rng: TurnRng

    @cached_property
    def record(self) -> Record:
        """The customer's record."""
        return self.database["customers"][self.customer]

    @cached_property
    def phone(self) -> Record:
        """The customer's phone as it is in the base."""
        return self.database["devices"][self.customer]

    @cached_property
    def plan(self) -> Record:
        """The plan of the line."""
        return self.database["plans"][self.line["plan_id"]]

    @cached_property
    def bills(self) -> list[Record]:
        """The bills of the line, the oldest first."""
        return bills_of(self.database, self.line["line_id"])

    @property
    def key(self) -> str:
        """The id of the line."""
        return str(self.line["line_id"])

    @property
    def overdue(self) -> list[Record]:
        """The bills of the line that are overdue."""
        return [bill for bill in self.bills if bill["status"] == "overdue"]

    @property
    def served(self) -> bool:
        """Whether the network is up where the customer lives."""
        return self.record["area"] not in self.database["outages"]

    @property
    def left(self) -> int:
        """Tenths of a gigabyte that the line may still use."""
        return data_left(self.database, self.line)

    @property
    def card_valid(self) -> bool:
        """Whether the card on file can be charged."""
        return bool(self.record["card"]["valid_until"] >= CLOCK[:7])

    @property
    def bound_until(self) -> str:
        """The end of the minimum term, "" where there is none any more."""
        until = self.line["minimum_term_until"]
        return until if until is not None and until > TODAY else ""

    def on_line(self, tool: str, **others: Any) -> Call:
        """Return an agent's call about the line."""
        return Call(tool, {"line_id": self.key, **others})

    def on_phone(self, tool: str) -> Call:
        """Return a call of the customer's."""
        return Call(tool, {"customer_id": self.customer}, CUSTOMER)

    def sheet(self, family: str, *goals: Goal, **phone: Any) -> Sheet:
        """Return the sheet of these goals; `phone` is how the phone is set when the talk begins."""
        facts = {"name": self.record["name"], "birth_date": self.record["birth_date"], "phone": self.line["phone"]}
        unknown: tuple[str, ...] = ()
        identify = Call("find_customer_by_phone", {"phone": facts["phone"], "birth_date": facts["birth_date"]})
        if len(self.record["line_ids"]) == 1 and self.rng.random() < 0.4:
            del facts["phone"]
            unknown = ("phone",)
            identify = Call("find_customer_by_name", dict(facts))
        return Sheet(
            "telecom",
            family,
            self.customer,
            facts,
            goals,
            (identify,),
            unknown,
            (("devices", self.customer, {**IN_ORDER, **phone}),) if phone else (),
            self.rng.choice(_MOODS),
        )


def scene(database: Database, customer: str, rng: TurnRng, *, in_phone: bool = False) -> Scene:
    """Return a scene about one of the customer's lines, drawn, or about the one in the phone."""
    keys = database["customers"][customer]["line_ids"]
    key = database["devices"][customer]["line_id"] if in_phone else rng.choice(keys)
    return Scene(database, customer, database["lines"][key], rng)


def healthy(database: Database, customer: str, rng: TurnRng) -> Scene | None:
    """Return a scene about the line in the phone where all is well with it but for what a sheet sets up."""
    found = scene(database, customer, rng, in_phone=True)
    return found if found.line["status"] == "active" and found.served and found.left > 0 else None


def question(scene: Scene, *but: str) -> Goal:
    """Return a small question whose answer only the records know; `but` are those that other goals change or ask."""
    bill = scene.bills[-1]
    kinds = {"data left": scene.left > 0, "term": bool(scene.bound_until), "bill": True, "card": True}
    kind = scene.rng.choice([name for name, able in kinds.items() if able and name not in but])
    look = (scene.on_line("get_line"),)
    if kind == "data left":
        return Goal("ask_data_left", reads=look, tells=(Tell("data_left", gigabytes(scene.left)),))
    if kind == "term":
        return Goal("ask_term", reads=look, tells=(Tell("term", scene.bound_until),))
    if kind == "bill":
        return Goal("ask_bill", reads=(scene.on_line("get_bills"),), tells=(Tell("bill_total", bill["total"]),))
    card = scene.record["card"]["last_four"]
    read = Call("get_customer", {"customer_id": scene.customer})
    return Goal("ask_card", reads=(read,), tells=(Tell("card", card),))


def errand(scene: Scene) -> Goal:
    """Return a small request besides: a question, or a pack of data where the line may have one."""
    able = packs(scene)
    if scene.overdue or not able or scene.rng.random() < 0.5:
        return question(scene)
    return pack_goal(scene, "add_data", scene.rng.choice(able))


def packs(scene: Scene) -> list[int]:
    """Return the packs of data, in gigabytes, that the line may still have this month."""
    return [pack for pack in PACKS if scene.line["extra_gb"] + pack <= MOST_EXTRA_GB]


def pack_goal(scene: Scene, intent: str, size: int, reads: tuple[Call, ...] = (), change: Goal | None = None) -> Goal:
    """Return the goal of having a pack of data added; who asks for data by name says at once how much."""
    facts = {"pack": f"{size} GB", "price": PACKS[size]}
    gold = (scene.on_line("add_data", pack_gb=size),)
    opens = ("pack",) if intent == "add_data" else ()
    return Goal(intent, facts, opens, gold, reads or (scene.on_line("get_line"),), change=change)


def total(bills: list[Record]) -> str:
    """Return the sum of bills as an amount."""
    return money.text(sum(money.cents(bill["total"]) for bill in bills))
