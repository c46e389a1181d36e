"""Database: overlays on one base, whose hash always equals a full one, and what is kept beside it."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym.digest import decode, encode, state_hash
from agentgym.envs.customer_service.database import Database, same

RAW: dict[str, dict[str, Any]] = {
    "orders": {"b": {"paid": 1.5, "items": ["x"]}, "a": {"paid": 2, "items": []}},
    "users": {"u": {"name": "Zoë", "orders": ["b"]}},
}
BASE = Database(RAW)

records = st.fixed_dictionaries({"paid": st.sampled_from([1, 1.0, True, "1", None]), "items": st.lists(st.text("xy"))})
writes = st.lists(
    st.tuples(st.sampled_from(["orders", "users"]), st.sampled_from("abcu"), st.none() | records), max_size=8
)
Writes = list[tuple[str, str, Any]]


def played(changes: Writes) -> tuple[Database, dict[str, dict[str, Any]]]:
    """Make the changes to a database and to plain dicts; None removes what is there."""
    database, plain = BASE, copy.deepcopy(RAW)
    for table, key, record in changes:
        if record is not None:
            database = database.set(table, key, record)
            plain[table][key] = record
        elif key in plain[table]:
            database = database.remove(table, key)
            del plain[table][key]
        else:
            with pytest.raises(KeyError):
                database.remove(table, key)
    return database, plain


def dumped(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


@given(writes)
def test_the_hash_is_that_of_a_full_rehash(changes: Writes) -> None:
    database, plain = played(changes)
    assert dumped({name: dict(table) for name, table in database.items()}) == dumped(plain)
    assert database.digest == Database(plain).digest
    assert database.digest == state_hash([(name, table.digest) for name, table in sorted(database.items())])
    assert state_hash(database) == state_hash(Database(plain))
    assert database == Database(plain) and hash(database) == hash(Database(plain))


@given(writes, writes)
def test_databases_are_equal_exactly_where_their_content_is_types_included(one: Writes, other: Writes) -> None:
    (first, plain), (second, second_plain) = played(one), played(other)
    assert (first == second) is (dumped(plain) == dumped(second_plain)) is (first.digest == second.digest)
    assert (first.changes(second) == {}) is (first == second)
    if first == second:
        assert encode(first.pack()) == encode(second.pack())


@given(writes)
def test_packing_and_unpacking_gives_the_same_database(changes: Writes) -> None:
    database, plain = played(changes)
    again = BASE.set("users", "z", {}).unpack(decode(encode(database.pack())))
    assert again == database
    assert dumped({name: dict(table) for name, table in again.items()}) == dumped(plain)


@given(writes)
def test_changes_name_what_differs_from_the_base(changes: Writes) -> None:
    database, plain = played(changes)
    expected: dict[str, dict[str, Any]] = {}
    for name, rows in plain.items():
        for key in {**RAW[name], **rows}:
            if dumped(RAW[name].get(key)) != dumped(rows.get(key)):
                expected.setdefault(name, {})[key] = rows.get(key)
    assert dumped(database.changes(BASE)) == dumped(expected)


def test_rows_come_in_the_files_order_and_new_ones_after_them() -> None:
    more = BASE.set("orders", "d", {}).set("orders", "c", {}).set("orders", "b", {"paid": 0})
    assert list(more.rows("orders")) == ["b", "a", "c", "d"]
    assert list(more.remove("orders", "b").rows("orders")) == ["a", "c", "d"]


def test_a_database_is_a_mapping_of_tables_that_nothing_changes() -> None:
    more = BASE.set("users", "v", {"name": "V"})
    assert list(BASE) == ["orders", "users"] and len(BASE) == 2 and len(BASE["users"]) == 1
    assert copy.deepcopy(more) is more and more.fresh == BASE and more["orders"] is BASE["orders"]
    assert "orders: 2, users: 2" in repr(more)
    with pytest.raises(KeyError):
        BASE.set("bills", "x", {})
    with pytest.raises(ValueError):
        BASE.set("users", "x", {"paid": float("inf")})


def test_an_index_is_made_of_the_base_and_once() -> None:
    seen: list[Database] = []

    def names(database: Database) -> list[str]:
        seen.append(database)
        return [record["name"] for record in database["users"].values()]

    more = BASE.set("users", "a", {"name": "A"})
    assert more.index("test names", names) == ["Zoë"] == BASE.index("test names", names)
    assert seen == [BASE]


def test_a_text_is_rendered_once_for_each_object() -> None:
    record, equal = {"paid": 1}, {"paid": 1}
    made: list[Any] = []

    def render(value: Any) -> str:
        made.append(value)
        return json.dumps(value)

    texts = [BASE.text("test", "k", value, render) for value in (record, record, equal, record)]
    assert texts == ['{"paid": 1}'] * 4
    assert [value is record for value in made] == [True, False, True]


def test_unpacking_over_other_tables_is_refused() -> None:
    with pytest.raises(ValueError, match=r"has the tables \['orders', 'users'\], this one \['stock'\]"):
        Database({"stock": {}}).unpack(BASE.pack())


def test_sameness_tells_types_apart() -> None:
    assert same({"a": [1, {"b": None}]}, {"a": [1, {"b": None}]})
    assert not any(same({"a": [1]}, {"a": [other]}) for other in (1.0, True, "1", 2))
    assert not same([1], [1, 2]) and not same({"a": 1}, {"b": 1})


@given(writes)
def test_the_holder_of_a_key_is_the_first_table_that_has_it(changes: Writes) -> None:
    database, plain = played(changes)
    for key in "abcux":
        assert database.holder(key) == next((name for name, table in plain.items() if key in table), "")
    packed = BASE.unpack(decode(encode(database.pack())))
    assert [packed.holder(key) for key in "abcux"] == [database.holder(key) for key in "abcux"]
