"""The task sheet of a public task: its gold path as a script that a customer can play.

What the customer says of themselves is what the task's texts hold and the database confirms; what they know of their
request is what the gold writes need, worded from the database. The reason for the call is turned to the first person.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from agentgym.envs.customer_service.database import Database
from agentgym.envs.customer_service.official.domains import Official
from agentgym.envs.customer_service.sheet import AGENT, CUSTOMER, Call, Goal, Sheet, Tell
from agentgym.envs.customer_service.sources.words import INTENT, POLICY

_FIRST: Final = (
    (r"\byou (?=(mobile|name|phone|user)\b)", "my "),
    (r"\byou are\b", "I am"), (r"\byou're\b", "I'm"), (r"\byou were\b", "I was"), (r"\byou've\b", "I've"),
    (r"\byou'd\b", "I'd"), (r"\byou'll\b", "I'll"), (r"\byourself\b", "myself"), (r"\byours\b", "mine"),
    (r"\byour\b", "my"), (r"(?<=\bfor )you\b", "me"), (r"(?<=\bto )you\b", "me"), (r"(?<=\bgive )you\b", "me"),
    (r"(?<=\bgives )you\b", "me"), (r"(?<=\bask )you\b", "me"), (r"(?<=\basks )you\b", "me"),
    (r"(?<=\bwith )you\b", "me"), (r"(?<=\btells )you\b", "me"), (r"\byou\b", "I"),
)  # fmt: skip
_FACT_OF: Final = {
    "order_id": "order_id", "item_ids": "items", "new_item_ids": "new_items", "payment_method_id": "payment",
    "payment_id": "payment", "payment_methods": "payment", "reason": "reason", "reservation_id": "reservation_id",
    "cabin": "cabin", "flights": "flights", "passengers": "passengers", "total_baggages": "bags",
    "insurance": "insurance", "origin": "origin", "destination": "destination", "flight_type": "flight_type",
    "gb_amount": "data",
}  # fmt: skip
HAND_OVER: Final = "transfer_to_human_agents"
_ADDRESS: Final = ("address1", "address2", "city", "state", "zip", "country")
_KEYS: Final = {
    "airline": ("users", "user_id"),
    "retail": ("users", "user_id"),
    "telecom": ("customers", "customer_id"),
}


def first_person(text: str) -> str:
    """Return instructions to a player as the player says them: "You want your money back" → "I want my money back"."""
    for pattern, said in _FIRST:
        text = re.sub(pattern, said, text, flags=re.IGNORECASE)
    return re.sub(r"(?:^|(?<=[.!?]\s))[a-z]", lambda found: found[0].upper(), text.strip())


def sheet_of(data: Mapping[str, Any], official: Official, start: Database) -> Sheet:
    """Return the sheet of a public task's data (`sources.entries`)."""
    scenario = data["scenario"]
    told = " ".join(scenario[name] for name in ("known_info", "reason_for_call", "task_instructions", "ticket"))
    customer = _customer(data, official, start, told)
    writes = tuple(_calls(data, official, "write", HAND_OVER))
    gold = tuple(_done(writes, official, start))
    looks = (call for call in _calls(data, official, "read") if call.side == AGENT)
    reads = tuple(call for call in looks if not official.call(start, call.name, call.arguments).error)
    request = _opening(scenario)
    facts = {**_request(writes, start), "request": request, "short": re.split(r"(?<=[.!?])\s", request)[0]}
    tells = tuple(Tell("told", text.replace(",", "")) for text in data["communicate"])
    reason = POLICY if not gold and not tells else ""
    goal = Goal(INTENT, facts, ("request", "short"), gold, reads, tells, reason, 1 if reason else 0)
    person = dict(_person(start[_KEYS[official.name][0]].get(customer, {}), customer, told))
    unknown = tuple(name for name in ("email", "user_id") if name not in person and name in scenario["unknown_info"])
    return Sheet(
        official.name, "public", customer, person, (goal,), tuple(_identify(official, customer, person, start)),
        tuple(unknown), patience=12,
    )  # fmt: skip


def _opening(scenario: Mapping[str, str]) -> str:
    reason = scenario["reason_for_call"] or scenario["ticket"] or scenario["task_instructions"]
    return first_person(" ".join(reason.split()))


def _calls(data: Mapping[str, Any], official: Official, tag: str, also: str = "") -> Iterator[Call]:
    """Yield the gold actions with this tag, and those of the tool `also`."""
    for action in data["gold"]:
        mine = action["side"] == "assistant"
        kit = official.tools if mine else official.user_tools
        assert kit is not None, "a task with actions of the customer plays where the customer has tools"
        if kit.tools[action["name"]].tag == tag or action["name"] == also:
            yield Call(action["name"], action["arguments"], AGENT if mine else CUSTOMER)


def _done(calls: Iterable[Call], official: Official, database: Database) -> Iterator[Call]:
    """Yield the calls that come to something when all are made in order: not those that fail and leave no trace."""
    for call in calls:
        found = official.call(database, call.name, call.arguments, "assistant" if call.side == AGENT else "user")
        if not found.error or found.database is not database:
            yield call
        database = found.database


def _customer(data: Mapping[str, Any], official: Official, start: Database, told: str) -> str:
    """Return the key of the customer's record; "" where the task does not tell who it is."""
    table, argument = _KEYS[official.name]
    arguments = [action["arguments"] for action in data["gold"]]
    keys = [held.get(argument) for held in arguments]
    keys += [_owner(start, value) for held in arguments for value in held.values() if type(value) is str]
    known = [key for key in keys if type(key) is str and key in start[table]]
    return known[0] if known else _told_of(start, table, told)


def _owner(start: Database, key: str) -> Any:
    """Return whose order or reservation it is."""
    records = (start.get(name, {}).get(key, {}) for name in ("orders", "reservations"))
    return next((record["user_id"] for record in records if record), None)


def _told_of(start: Database, table: str, told: str) -> str:
    """Return the key of the record that a text speaks of: by key, phone number or name and zip code, else by name."""
    lowered, named = told.lower(), ""
    for key in start.rows(table):
        record = start[table][key]
        name = _name(record).lower() in lowered
        if key.lower() in lowered or str(record.get("phone_number", "\0")) in told or name and _zip(record) in told:
            return key
        named = named or (key if name else "")
    return named


def _name(record: Mapping[str, Any]) -> str:
    name = record.get("name")
    return f"{name['first_name']} {name['last_name']}" if name else str(record.get("full_name", "\0"))


def _zip(record: Mapping[str, Any]) -> str:
    address = record.get("address", {})
    return str(address.get("zip") or address.get("zip_code") or "\0")


def _person(record: Mapping[str, Any], customer: str, told: str) -> Iterator[tuple[str, str]]:
    """Yield what the customer knows of themselves: what is in the record and in the task's texts."""
    lowered = told.lower()
    known = {
        "name": _name(record),
        "user_id": customer,
        "email": str(record.get("email", "\0")),
        "zip": _zip(record),
        "birth_date": str(record.get("dob", record.get("date_of_birth", "\0"))),
    }
    for fact, value in known.items():
        if value and value.lower() in lowered:
            yield fact, value
    phone = re.search(r"\b\d{3}-\d{3}-\d{4}\b", told)
    if phone:
        yield "phone", phone[0]


def _identify(official: Official, customer: str, person: Mapping[str, str], start: Database) -> Iterator[Call]:
    """Yield the look-up by which an agent finds the customer."""
    if official.name == "telecom" and "phone" in person:
        yield Call("get_customer_by_phone", {"phone_number": person["phone"]})
    elif official.name == "retail" and "email" in person:
        yield Call("find_user_id_by_email", {"email": person["email"]})
    elif official.name == "retail" and "zip" in person and customer:
        name = start["users"][customer]["name"]
        arguments = {"first_name": name["first_name"], "last_name": name["last_name"], "zip": person["zip"]}
        yield Call("find_user_id_by_name_zip", arguments)
    elif customer:
        tool = "get_customer_by_id" if official.name == "telecom" else "get_user_details"
        yield Call(tool, {_KEYS[official.name][1]: customer})


def _request(gold: Iterable[Call], start: Database) -> dict[str, str]:
    """Return fact → what the gold writes say of it, each value once, in order."""
    found: dict[str, dict[str, None]] = {}
    for call in gold:
        arguments = call.arguments
        for name, value in arguments.items():
            if name in _FACT_OF:
                found.setdefault(_FACT_OF[name], {})[_worded(name, value, start)] = None
        address = ", ".join(str(arguments[name]) for name in _ADDRESS if arguments.get(name))
        if address:
            found.setdefault("new_address", {})[address] = None
    return {fact: "; ".join(values) for fact, values in found.items()}


def _worded(name: str, value: Any, start: Database) -> str:
    """Return an argument as a customer would say it."""
    if name in ("item_ids", "new_item_ids") and isinstance(value, list):
        return ", ".join(_item(str(item), start) for item in value)
    if isinstance(value, list):
        return ", ".join(_worded(name, item, start) for item in value)
    if isinstance(value, Mapping):
        return " ".join(str(item) for item in value.values() if not isinstance(item, list | dict))
    return str(value)


def _item(item: str, start: Database) -> str:
    """Return an item by name, options and number; by its number alone where no product has it."""
    names = start.index("items by number", _items)
    return names.get(item, item)


def _items(base: Database) -> dict[str, str]:
    """Return item number → its product's name and its options."""
    found = {}
    for key in base.rows("products"):
        product = base["products"][key]
        for number, variant in product["variants"].items():
            options = ", ".join(str(option) for option in variant["options"].values())
            found[number] = f"the {product['name']} ({options}; item {number})"
    return found
