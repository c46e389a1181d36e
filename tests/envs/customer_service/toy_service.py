"""A bookshop small enough to be followed by hand: three customers, five orders, six tools, five scenario families."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

from agentgym.envs.customer_service.customer.audit import audit
from agentgym.envs.customer_service.customer.talk import View, goal_of, opening, react
from agentgym.envs.customer_service.customer.words import CustomerWords
from agentgym.envs.customer_service.database import Database
from agentgym.envs.customer_service.domain import Desk, Domain, Family, Refused, serves
from agentgym.envs.customer_service.sheet import CUSTOMER, Call, Goal, Sheet, Tell
from agentgym.envs.customer_service.voice import Voice
from agentgym.rng import TurnRng

WORDS = CustomerWords(
    wants={
        "cancel": [
            "I want to cancel order {order}.",
            "Please cancel order {order} for me.",
            "I want to cancel an order.",
        ],
        "return": ["I'd like to send order {order} back.", "I want to return order {order}."],
        "ship": ["Please send order {order} by {speed} post.", "I'd like order {order} shipped faster or cheaper."],
        "total": ["What did order {order} come to?", "How much was order {order}?"],
        "reader": ["My reading device does not open any book.", "My reader is stuck."],
    },
    again={
        "cancel": ["I want that order cancelled."],
        "return": ["I want to return the order."],
        "ship": ["I want the other kind of shipping."],
        "total": ["I want to know what the order came to."],
        "reader": ["I want my reader to work."],
    },
    says={
        "name": ["My name is {value}.", "I'm {value}."],
        "email": ["My e-mail is {value}.", "It's {value}."],
        "postcode": ["{value} is my postcode.", "The postcode is {value}."],
        "order": ["The order is {value}.", "It's order {value}."],
        "speed": ["{value} post, please.", "I'd take {value} post."],
        "reason": ["Because {value}.", "The reason is that {value}."],
    },
    names={
        "name": "my name",
        "email": "my e-mail",
        "postcode": "my postcode",
        "order": "my order number",
        "speed": "the shipping",
        "reason": "the reason",
    },
    asked={
        "name": [r"\bname\b"],
        "email": [r"\be-?mail"],
        "postcode": [r"\b(?:post(?:al )?code|zip)"],
        "order": [r"\border (?:number|id|no\b|#)", r"\bwhich order"],
        "speed": [
            r"\b(?:shipping|delivery|post) (?:speed|method|option|kind)",
            r"\bwhich (?:kind of )?(?:shipping|post)",
        ],
        "reason": [r"\breason\b", r"\bwhy\b"],
    },
    acts={
        "cancel": [r"\bcancel"],
        "return": [r"\breturn", r"\bsend(?:ing)? .{0,30}back"],
        "ship": [r"\bship", r"\bpost\b", r"\bdeliver"],
        "total": [r"\blook up .{0,40}(?:total|price|amount)"],
        "reader": [r"\b(?:reader|device)"],
    },
    questions={"amount": ["How much was it?", "What is the amount?"], "back": ["What do I get back?"]},
    pretexts={"return": ["But I never opened it.", "But the cover is ugly.", "Last time you let me."]},
    refused={
        "late": [r"\b(?:30|thirty) days", r"\btoo (?:late|long ago)\b", r"\breturn (?:window|period)"],
        "used": [r"\bopened\b", r"\bused\b"],
        "shipped": [r"\bshipped\b", r"\bon its way\b"],
        "gift": [r"\bgift"],
    },
    instructed={
        "restart_reader": [r"\b(?:restart|reboot|turn .{0,20}off and on)"],
        "look_at_light": [r"\b(?:light|lamp)\b"],
    },
    reports={"restart_reader": ["I restarted it. {result}"], "look_at_light": ["The light is {result}."]},
    choices={"speed": {"fast": [r"\bfast\b", r"\bexpress\b"], "slow": [r"\bslow\b", r"\beconomy\b"]}},
    handles=[r"\bb-\d+"],
)

VOICE = Voice(asks={}, proposes={}, done={})

ADA = {"name": "Ada Byron", "email": "ada@engine.example", "postcode": "NW1 4RY"}
BASE: dict[str, dict[str, dict[str, Any]]] = {
    "customers": {
        "ada": {**ADA, "reader": "stuck"},
        "bob": {"name": "Bob Sand", "email": "bob@dune.example", "postcode": "LS2 9JT", "reader": "fine"},
        "cyd": {"name": "Cyd Low", "email": "cyd@low.example", "postcode": "CF10 1EP", "reader": "fine"},
    },
    "orders": {
        "B-10": {"customer": "ada", "status": "open", "speed": "slow", "total": 41.5, "days": 2},
        "B-11": {"customer": "ada", "status": "delivered", "speed": "fast", "total": 1017.25, "days": 45},
        "B-12": {"customer": "ada", "status": "open", "speed": "slow", "total": 9.99, "days": 1},
        "B-20": {"customer": "bob", "status": "open", "speed": "slow", "total": 12.0, "days": 1},
        "B-30": {"customer": "cyd", "status": "delivered", "speed": "slow", "total": 7.1, "days": 3},
    },
}


class Bookshop(Domain):
    """A bookshop."""

    name: ClassVar[str] = "bookshop"
    title: ClassVar[str] = "the bookshop Toy Pages"
    clock: ClassVar[str] = "2030-01-01 12:00:00"
    words: ClassVar[CustomerWords] = WORDS
    voice: ClassVar[Voice] = VOICE

    @cached_property
    def database(self) -> Database:
        return Database(BASE)

    @cached_property
    def policy(self) -> str:
        return "# Policy\n\nOpen orders can be cancelled. Orders are taken back within 30 days."

    @serves("read")
    def find_customer(self, desk: Desk, *, email: str) -> dict[str, Any]:
        """Find a customer.

        Args:
            email: the customer's e-mail.
        """
        for key in desk.database.rows("customers"):
            if desk.database["customers"][key]["email"] == email:
                return {"customer": key, **desk.database["customers"][key]}
        raise Refused(f"there is no customer with the e-mail {email}")

    @serves("read")
    def get_order(self, desk: Desk, *, order: str) -> dict[str, Any]:
        """Look up an order.

        Args:
            order: its number.
        """
        return desk.find("orders", order, "order")

    @serves("write")
    def cancel_order(self, desk: Desk, *, order: str) -> str:
        """Cancel an open order.

        Args:
            order: its number.
        """
        if desk.find("orders", order, "order")["status"] != "open":
            raise Refused(f"order {order} is not open; only open orders can be cancelled")
        desk.change("orders", order, status="cancelled")
        return "cancelled"

    @serves("write")
    def set_speed(self, desk: Desk, *, order: str, speed: str) -> str:
        """Change how an open order is sent.

        Args:
            order: its number.
            speed: fast or slow.
        """
        desk.find("orders", order, "order")
        desk.change("orders", order, speed=speed)
        return "changed"

    @serves("write", side=CUSTOMER)
    def restart_reader(self, desk: Desk, *, customer: str) -> str:
        """Restart the customer's reader.

        Args:
            customer: whose it is.
        """
        desk.change("customers", customer, reader="fine")
        return "It opens books again."

    @serves("read", side=CUSTOMER)
    def look_at_light(self, desk: Desk) -> str:
        """Look at the reader's light."""
        return "green"


def goal(intent: str, order: str = "B-10", **more: Any) -> Goal:
    """A goal about one order; it opens with the order's number."""
    facts = {"order": order, **more.pop("facts", {})}
    reads = (Call("get_order", {"order": order}),)
    return Goal(intent, **{"facts": facts, "opens": ("order",), "reads": reads, **more})


def cancel(order: str = "B-10", **more: Any) -> Goal:
    """A request that the shop can fulfil."""
    facts = {"reason": "I found it cheaper"}
    return goal("cancel", order, facts=facts, gold=(Call("cancel_order", {"order": order}),), **more)


def total(order: str = "B-11") -> Goal:
    """A question for an amount."""
    return goal("total", order, tells=(Tell("amount", f"{BASE['orders'][order]['total']:,.2f}"),))


def returning(**more: Any) -> Goal:
    """A request that policy forbids, pushed for once."""
    return goal("return", "B-11", reason="late", **{"insist": 1, **more})


def faster(order: str = "B-10", speed: str = "fast", **more: Any) -> Goal:
    """A request with a choice."""
    gold = (Call("set_speed", {"order": order, "speed": speed}),)
    return goal("ship", order, facts={"speed": speed}, gold=gold, **more)


def stuck() -> Goal:
    """A request that the customer has to help with."""
    return Goal("reader", gold=(Call("restart_reader", {"customer": "ada"}, CUSTOMER),))


def sheet(*goals: Goal, **more: Any) -> Sheet:
    """Ada's sheet."""
    identify = (Call("find_customer", {"email": ADA["email"]}),)
    return Sheet("bookshop", "test", "ada", **{"facts": ADA, "goals": goals, "identify": identify, **more})


def _family(name: str, *goals: Goal) -> Family:
    def draw(database: Database, customer: str, rng: TurnRng) -> Sheet | None:
        return sheet(*goals) if customer == "ada" else None

    return Family(name, draw)


Bookshop.families = (
    _family("cancel", cancel()),
    _family("return", returning(fallback=cancel("B-12")), total()),
    _family("reader", stuck(), faster()),
)

BOOKSHOP = Bookshop()
ALL: Sequence[str] = tuple(BASE["orders"])


def done(database: Database, call: Call) -> bool:
    """Whether a write of the shop is in the database."""
    arguments = call.arguments
    if call.name == "cancel_order":
        return bool(database["orders"][arguments["order"]]["status"] == "cancelled")
    if call.name == "set_speed":
        return bool(database["orders"][arguments["order"]]["speed"] == arguments["speed"])
    return bool(database["customers"][arguments["customer"]]["reader"] == "fine")


class Talk:
    """A talk with a customer of the shop, message by message; every turn is audited.

    Attributes:
        state, database: as they are now.
        texts: what the customer has said.
        kinds: what each message was taken for.
        faults: what the messages did wrong.
    """

    def __init__(self, wanted: Sheet, manner: int = 7) -> None:
        self.sheet = wanted
        self.state, text = opening(BOOKSHOP, wanted, manner)
        self.texts, self.kinds, self.faults = [text], [""], [()]
        self.database = BOOKSHOP.start(wanted)
        self.looked: frozenset[str] = frozenset()

    def call(self, name: str, **arguments: Any) -> str:
        """The agent calls a tool."""
        reply = BOOKSHOP.call(self.database, Call(name, arguments))
        self.database = reply.database
        if not reply.error:
            self.looked |= {str(value) for value in arguments.values()}
        return reply.text

    def view(self) -> View:
        at_hand = goal_of(self.sheet, self.state)
        served = at_hand is not None and all(done(self.database, call) for call in at_hand.gold)
        return View(self.database, self.looked, served)

    def say(self, text: str) -> str:
        """The agent says something; what the message was taken for."""
        before, view = self.state, self.view()
        reaction = react(BOOKSHOP, self.sheet, before, text, view)
        assert audit(BOOKSHOP, self.sheet, before, text, view, reaction) == []
        self.state, self.database = reaction.state, reaction.database
        self.texts.append(reaction.text)
        self.kinds.append(reaction.kind)
        self.faults.append(reaction.faults)
        return reaction.kind
