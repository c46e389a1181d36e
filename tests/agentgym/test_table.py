"""Table: a mapping like a dict, whose incremental hash always equals a full one."""

import copy
import pickle
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from strategies import table_changes

from agentgym.digest import decode, encode, state_hash
from agentgym.table import Table

BASE = Table({"a": 0, "c": 1, "e": 2})
Changes = list[tuple[str, str, int]]


def played(changes: Changes) -> tuple[Table[str, int], dict[str, int]]:
    """Make the changes to a table and to a dict."""
    table, plain = BASE, {"a": 0, "c": 1, "e": 2}
    for what, key, value in changes:
        if what == "set":
            table, plain = table.set(key, value), {**plain, key: value}
        elif key in plain:
            table = table.remove(key)
            del plain[key]
        else:
            with pytest.raises(KeyError, match=key):
                table.remove(key)
    return table, plain


@given(table_changes)
def test_a_table_is_the_dict_in_key_order_with_the_hash_of_a_full_rehash(changes: Changes) -> None:
    table, plain = played(changes)
    assert list(table.items()) == sorted(plain.items())
    assert len(table) == len(plain)
    assert {key: table.get(key) for key in "abcdef"} == {key: plain.get(key) for key in "abcdef"}
    assert [(table.get(key, 7), key in table) for key in "abcdef"] == [
        (plain.get(key, 7), key in plain) for key in "abcdef"
    ]
    assert table.digest == Table(plain).digest
    assert state_hash(table) == state_hash(Table(plain))


@given(table_changes, table_changes)
def test_tables_are_equal_exactly_where_their_content_is(one: Changes, other: Changes) -> None:
    (table, plain), (second, second_plain) = played(one), played(other)
    assert (table == second) is (plain == second_plain)
    assert (table.digest == second.digest) is (plain == second_plain)
    if plain == second_plain:
        assert hash(table) == hash(second)
        assert encode(table.pack()) == encode(second.pack())


@given(table_changes)
def test_packing_and_unpacking_gives_the_same_table(changes: Changes) -> None:
    table, plain = played(changes)
    again = BASE.set("z", 9).unpack(decode(encode(table.pack())))
    assert dict(again) == plain
    assert again == table
    assert dict(pickle.loads(pickle.dumps(table))) == plain
    assert copy.deepcopy(table) is table


def test_what_is_packed_is_the_difference_alone() -> None:
    # c is set and set back, e is removed, b is new, d comes and goes: only e and b differ from the base
    table = BASE.set("c", 7).set("c", 1).remove("e").set("b", 5).set("d", 1).remove("d")
    assert table.pack()[1:] == ({"b": 5}, ("e",))
    assert BASE.pack()[1:] == ({}, ())


def test_older_tables_stay_as_they_were() -> None:
    before = BASE.digest
    changed = BASE.set("a", 5).remove("c")
    assert dict(BASE) == {"a": 0, "c": 1, "e": 2}
    assert BASE.digest == before
    assert changed.set("a", 0).set("c", 1) == BASE
    assert changed["a"] == 5
    assert "c" not in changed


def test_records_differ_by_type() -> None:
    assert len({Table({"a": value}).digest for value in (1, True, 1.0, "1", (1,), [1], None)}) == 7
    assert Table({1: "a"}).digest != Table({"1": "a"}).digest
    assert Table({"a": 1, "b": 2}).digest != Table({"a": 2, "b": 1}).digest
    empty: dict[str, int] = {}
    assert Table(empty).digest == Table({"a": 1}).remove("a").digest


def test_the_base_is_copied_once_and_then_shared() -> None:
    records = {"a": 0}
    table = Table(records)
    records["a"] = 1
    assert table["a"] == 0
    assert table.set("b", 1)._base is table._base


@pytest.mark.parametrize("records", [{1: 0, "a": 0}, {True: 0}, {(1,): 0}, {1.0: 0}])
def test_keys_of_other_or_mixed_types_are_refused(records: dict[Any, int]) -> None:
    with pytest.raises(TypeError, match="all str or all int, not"):
        Table(records)


def test_setting_a_key_of_another_type_is_refused() -> None:
    with pytest.raises(TypeError, match=r"the keys of this Table are str, 1 is int"):
        BASE.set(1, 0)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="True is bool"):
        Table({1: 0}).set(True, 0)
    none: dict[str, int] = {}
    with pytest.raises(TypeError, match="is bool"):
        Table(none).set(True, 0)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="is int"):
        Table(none).set("a", 0).set(1, 0)  # type: ignore[arg-type]


def test_unpacking_over_another_base_is_refused() -> None:
    with pytest.raises(ValueError, match="made over other base data"):
        Table({"a": 1}).unpack(BASE.set("a", 3).pack())


@dataclass(frozen=True)
class Counted:
    """A record that counts how often it is read for a hash."""

    value: int
    reads: Any = None

    def __getattribute__(self, name: str) -> Any:
        if name == "value":
            READS.append(object.__getattribute__(self, name))
        return object.__getattribute__(self, name)


READS: list[int] = []


def test_a_change_reads_the_new_record_alone() -> None:
    table = Table({key: Counted(key) for key in range(100)})
    READS.clear()
    table = table.set(7, Counted(700))
    assert READS == [700]
    READS.clear()
    table.remove(7).digest
    assert READS == []


def test_a_plain_table_hashes_json_alike_whatever_the_order_of_keys_and_tells_types_apart() -> None:
    table = Table({"a": {"x": 1, "y": [None, "é"]}}, plain=True)
    assert table.set("a", {"y": [None, "é"], "x": 1}) == table == Table(dict(table), plain=True)
    others = [table.set("a", {"x": value, "y": [None, "é"]}).digest for value in (1.0, True, "1", [1])]
    assert len({table.digest, *others}) == 5
    again = table.unpack(decode(encode(table.set("b", {}).remove("a").pack())))
    assert dict(again) == {"b": {}} and again.plain and again == Table({"b": {}}, plain=True)
    with pytest.raises(ValueError):
        table.set("a", {"x": float("nan")})


def test_records_that_only_stand_for_something_are_refused() -> None:
    class Stand:
        def canonical(self) -> int:
            return 1

    with pytest.raises(TypeError, match=r"cannot encode a .*Stand but only hash it"):
        Table({"a": Stand()})


def test_touched_names_what_was_written_or_removed() -> None:
    assert BASE.set("f", 1).set("a", 0).remove("c").touched == ("a", "c", "f")
    assert BASE.touched == () == BASE.set("f", 1).remove("f").touched


def test_packed_plain_records_keep_the_order_of_their_entries() -> None:
    table = Table({"a": {"z": 1, "b": {"y": 2, "x": 3}}}, plain=True)
    written = table.set("c", {"z": 0, "a": {"q": 1, "p": 2}})
    again = table.unpack(decode(encode(written.pack())))
    assert again == written and again["c"] == written["c"]
    assert list(again["c"]) == ["z", "a"] and list(again["c"]["a"]) == ["q", "p"]
