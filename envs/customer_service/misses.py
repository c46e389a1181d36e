"""Near misses: calls, proposals and reports that differ from the right ones in a detail.

They are made of what the talk is about: other records that the customer's records name, other choices of the same
argument, other amounts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final
from zlib import crc32

from agentgym.envs.customer_service.catalog import catalog, keys_of, tables_of
from agentgym.envs.customer_service.database import Database
from agentgym.envs.customer_service.plan import texts
from agentgym.envs.customer_service.sheet import Call, Goal, Tell
from agentgym.envs.customer_service.state import Case
from agentgym.rng import TurnRng

FAR: Final = 3
"""Records of strangers that stand in where the customer's own name no other one."""

_NUMBER: Final = re.compile(r"[0-9]")


@lru_cache(maxsize=2048)
def known_keys(case: Case) -> Mapping[str, tuple[str, ...]]:
    """Return table → keys of the records that the talk is about: the customer's, those looked up, those they name."""
    tables = tables_of(case.start)
    calls = [*case.sheet.identify, *(call for goal in case.goals for call in (*goal.reads, *goal.gold))]
    own = _belongings(case.start).get(case.sheet.customer, ())
    first = [case.sheet.customer, *(text for call in calls for text in texts(call.arguments)), *own]
    found: dict[str, dict[str, None]] = {}
    for key in dict.fromkeys(first):
        if key in tables:
            found.setdefault(tables[key], {})[key] = None
            for text in texts(case.start[tables[key]].get(key)):
                if text in tables:
                    found.setdefault(tables[text], {})[text] = None
    return {table: tuple(keys) for table, keys in found.items()}


def _belongings(database: Database) -> Mapping[str, tuple[str, ...]]:
    """Return customer → keys of the records that belong to them; of the base."""
    return database.index("belongings of customers", _owned)


def _owned(database: Database) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for table in database.values():
        for key, record in table.items():
            found.setdefault(str(record.get("customer", "")), []).append(key)
    return {owner: tuple(keys) for owner, keys in found.items()}


@lru_cache(maxsize=16384)
def siblings(case: Case, key: str) -> tuple[str, ...]:
    """Return keys of other records of the same kind, always in the same order; () for what is no key.

    They are those that the talk is about, if there are others, else those of strangers.
    """
    table = tables_of(case.start).get(key)
    if table is None:
        return ()
    rng = TurnRng(crc32(f"{case.task} {key}".encode()), stream="siblings")
    own = [other for other in known_keys(case).get(table, ()) if other != key]
    if own:
        return tuple(rng.shuffled(own))
    everyone = keys_of(case.start)[table]
    return tuple(other for other in (rng.choice(everyone) for _ in range(FAR)) if other != key)


def is_known(case: Case, call: Call) -> bool:
    """Return whether a call names a record of this talk."""
    tables, known = tables_of(case.start), known_keys(case)
    return any(text in known.get(tables.get(text, ""), ()) for text in texts(call.arguments))


def near_calls(case: Case, call: Call, rng: TurnRng) -> list[Call]:
    """Return calls that differ from a call in one argument, shuffled."""
    found = [
        Call(call.name, {**call.arguments, name: other}, call.side)
        for name, value in call.arguments.items()
        for other in _others(case, call.name, name, value, rng)
    ]
    return rng.shuffled(found)


def adapted(case: Case, call: Call, goal: Goal | None, rng: TurnRng) -> Call:
    """Return another talk's call with records of this one, the right ones or their siblings, in place of its own."""
    tables, known = tables_of(case.start), known_keys(case)
    named = [text for read in (goal.reads if goal else ()) for text in texts(read.arguments) if text in tables]

    def replaced(value: Any) -> Any:
        if isinstance(value, list):
            return [replaced(item) for item in value]
        table = tables.get(value) if isinstance(value, str) else None
        if table is None:
            return value
        near = [key for key in named if tables[key] == table] or known.get(table, ())
        key: str = rng.choice(near) if near else value
        others = siblings(case, key)
        return others[0] if others and rng.random() < 0.75 else key

    return Call(call.name, {name: replaced(value) for name, value in call.arguments.items()}, call.side)


def _others(case: Case, tool: str, name: str, value: Any, rng: TurnRng) -> list[Any]:
    """Return other values of an argument, the more likely ones first."""
    if isinstance(value, bool):
        return [not value]
    kind: Mapping[str, Any] = case.domain.tools[tool].spec.parameters["properties"].get(name, {})
    if "enum" in kind:
        return [other for other in kind["enum"] if other != value and other is not None]
    if isinstance(value, str):
        near = list(siblings(case, value)[:2])
        misread = [_misread(value, rng)] if not near and _NUMBER.search(value) else []
        return near or misread or _seen(case, tool, name, value, rng)
    if isinstance(value, list):
        return _other_lists(case, value, rng)
    if isinstance(value, int | float):
        return _seen(case, tool, name, value, rng) or [value + 1]
    return []


def _seen(case: Case, tool: str, name: str, value: Any, rng: TurnRng) -> list[Any]:
    """Return what the argument is in other talks."""
    seen = [other for other in catalog(case.domain).values.get((tool, name), ()) if other != value]
    return rng.shuffled(seen)[:2]


def _other_lists(case: Case, value: Sequence[Any], rng: TurnRng) -> list[Any]:
    """Return a list without one of its items, or with one exchanged."""
    found: list[Any] = []
    for place, item in enumerate(value):
        rest = [*value[:place], *value[place + 1 :]]
        if rest:
            found.append(rest)
        if isinstance(item, str):
            found += [[*value[:place], other, *value[place + 1 :]] for other in siblings(case, item)[:1]]
    return rng.shuffled(found)


def other_facts(case: Case, goal: Goal, used: set[str], rng: TurnRng) -> Iterator[dict[str, str]]:
    """Yield a goal's facts with one of those `used` changed, in drawn order."""
    seen = catalog(case.domain).facts
    for fact in rng.shuffled([fact for fact in goal.facts if fact in used]):
        value = goal.facts[fact]
        others = list(siblings(case, value)) or [other for other in seen.get(fact, ()) if other != value]
        for other in rng.shuffled(others)[:2]:
            yield {**goal.facts, fact: other}


def other_tells(case: Case, tells: Sequence[Tell], rng: TurnRng) -> tuple[Tell, ...]:
    """Return what is to be told with one text wrong: that of another talk, or with another digit."""
    if not tells:
        return ()
    place = rng.integers(len(tells))
    tell = tells[place]
    others = [text for text in catalog(case.domain).tells.get(tell.topic, ()) if text != tell.text]
    wrong = rng.choice(others) if others else _misread(tell.text, rng)
    return (*tells[:place], Tell(tell.topic, wrong), *tells[place + 1 :])


def slip(values: Sequence[str], rng: TurnRng) -> list[str]:
    """Return values with a digit wrong in one of those that have digits; [] where none has."""
    able = [place for place, value in enumerate(values) if _NUMBER.search(value)]
    if not able:
        return []
    place = rng.choice(able)
    return [*values[:place], _misread(values[place], rng), *values[place + 1 :]]


def _misread(text: str, rng: TurnRng) -> str:
    """Return a text with its last digit another one; one without digits with a word before it."""
    places = [match.start() for match in _NUMBER.finditer(text)]
    if not places:
        return f"not {text}"
    place = places[-1]
    digit = (int(text[place]) + rng.integers(1, 10)) % 10
    return f"{text[:place]}{digit}{text[place + 1 :]}"
