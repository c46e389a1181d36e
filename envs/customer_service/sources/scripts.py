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
from agentgym.envs.customer_service.sources.wording import beside, opening, request
from agentgym.envs.customer_service.sources.words import POLICY, intent_of

_PERSON: Final = ("name", "user_id", "email", "zip", "phone", "birth_date")
"""What customers may know of themselves; what the task does not tell they do not remember."""
_RECORDS: Final = ("order_id", "reservation_id")
HAND_OVER: Final = "transfer_to_human_agents"
_KEYS: Final = {
    "airline": ("users", "user_id"),
    "retail": ("users", "user_id"),
    "telecom": ("customers", "customer_id"),
}


def sheet_of(data: Mapping[str, Any], official: Official, start: Database) -> Sheet:
    """Return the sheet of a public task's data (`sources.entries`)."""
    scenario = data["scenario"]
    told = " ".join(scenario[name] for name in ("known_info", "reason_for_call", "task_instructions", "ticket"))
    customer = _customer(data, official, start, told)
    person = dict(_person(start[_KEYS[official.name][0]].get(customer, {}), customer, told))
    identify = tuple(_identify(official, customer, person, start))
    goal = _goal(data, official, start, customer, identify)
    unknown = tuple(name for name in (*_PERSON, *_RECORDS) if name not in person and name not in goal.facts)
    return Sheet(official.name, "public", customer, person, (goal,), identify, unknown, patience=12)


def _goal(
    data: Mapping[str, Any], official: Official, start: Database, customer: str, identify: tuple[Call, ...]
) -> Goal:
    """Return what is asked for: the gold writes, or else to be refused by someone who has looked."""
    scenario, writes = data["scenario"], tuple(_calls(data, official, "write", HAND_OVER))
    gold = tuple(_done(writes, official, start))
    looks = (call for call in _calls(data, official, "read") if call.side == AGENT)
    reads = tuple(call for call in looks if not official.call(start, call.name, call.arguments).error)
    tells = tuple(Tell("told", text.replace(",", "")) for text in data["communicate"])
    refused = not gold and not tells
    said = opening(scenario)
    known = {**beside(official.name, scenario, start), **request(writes, start, customer)}
    return Goal(
        intent_of(call.name for call in gold),
        {**known, "request": said, "short": re.split(r"(?<=[.!?])\s", said)[0]},
        opens=("request", "short"),
        gold=gold,
        reads=identify if refused and not reads else reads,
        tells=tells,
        reason=POLICY if refused else "",
        insist=int(refused),
    )


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
    """Yield what the customer knows of themselves: their name, and what is in the record and in the task's texts."""
    lowered = told.lower()
    known = {
        "name": _name(record),
        "user_id": customer,
        "email": str(record.get("email", "\0")),
        "zip": _zip(record),
        "birth_date": str(record.get("dob", record.get("date_of_birth", "\0"))),
    }
    for fact, value in known.items():
        if value and (value.lower() in lowered or (fact == "name" and "\0" not in value)):
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
