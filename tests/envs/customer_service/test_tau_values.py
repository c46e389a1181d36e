"""What the official models take, and how a call is answered whatever its arguments are."""

from __future__ import annotations

import copy
import hashlib
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tau_airfield import airfield
from tau_oracle import exact
from tau_phone import with_phone
from tau_shop import shop

from agentgym.envs.customer_service.database import Database
from agentgym.envs.customer_service.official.domains import DOMAINS
from agentgym.envs.customer_service.official.toolkit import Draft, Refusal, Toolkit
from agentgym.envs.customer_service.official.values import (
    Invalid,
    Model,
    by_source,
    decimal,
    flag,
    keyed,
    listed,
    maybe,
    one_of,
    text,
    whole,
)

# ---- Checks ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value, kept",
    [(12, "12"), (12.0, "12"), ("12", "12"), (" 12 ", "12"), ("12.0", "12"), ("1_0", "10"), (True, "1"), ("-3", "-3"),
     ("+3", "3"), (-0.0, "0"), (10**30, str(10**30))],
)  # fmt: skip
def test_whole_numbers_are_taken_in_many_forms(value: Any, kept: str) -> None:
    assert exact(whole(value)) == kept


@pytest.mark.parametrize("value", [12.5, "1e2", None, [1], "", "1__0", "٣", "0x1", float("nan"), float("inf"), {}])
def test_what_is_no_whole_number(value: Any) -> None:
    with pytest.raises(Invalid, match="a whole number is needed"):
        whole(value)


def test_decimals_take_numbers_and_what_says_one_but_nothing_endless() -> None:
    assert [exact(decimal(value)) for value in (3, 2.5, "1e2", " 7 ", True)] == ["3.0", "2.5", "100.0", "7.0", "1.0"]
    for value in ("NaN", "inf", float("nan"), "abc", None, [1], 10**400):
        with pytest.raises(Invalid):
            decimal(value)


def test_flags_texts_and_choices() -> None:
    assert [flag(value) for value in (True, 1, "yes", "OFF", 0.0)] == [True, True, True, False, False]
    assert one_of("a", "b")("b") == "b" and maybe(text)(None) is None and maybe(text)("x") == "x"
    for check, value in ((flag, "maybe"), (flag, 2), (flag, None), (text, 5), (one_of("a"), "A"), (one_of("1"), 1)):
        with pytest.raises(Invalid):
            check(value)


def test_a_model_keeps_its_fields_in_its_own_order() -> None:
    point = Model("Point", {"x": whole, "y": whole, "name": maybe(text)}, {"name": None})
    made = point({"extra": 1, "y": "2", "x": 1.0})
    assert exact(list(made.items())) == '[["x", 1], ["y", 2], ["name", null]]'
    with pytest.raises(Invalid, match=r"Point\.y: a whole number is needed, not 'a'"):
        point({"x": 1, "y": "a"})
    with pytest.raises(Invalid, match="Point lacks the field 'y'"):
        point({"x": 1})
    with pytest.raises(Invalid, match="Point: an object is needed, not 5"):
        point(5)
    with pytest.raises(Invalid, match="Point has no field 'z'"):
        Model("Point", {"x": whole}, closed=True)({"x": 1, "z": 2})


def test_lists_mappings_and_sources() -> None:
    assert listed(whole)(["1", 2]) == [1, 2] and keyed(whole)({"b": "1", "a": 2}) == {"b": 1, "a": 2}
    paid = by_source(card=Model("Card", {"source": text}), gift=Model("Gift", {"source": text, "left": decimal}))
    assert paid({"source": "gift", "left": 1, "more": 2}) == {"source": "gift", "left": 1.0}
    for check, value in ((listed(whole), "12"), (keyed(whole), [1]), (paid, {"source": "cash"}), (paid, {}), (paid, 1)):
        with pytest.raises(Invalid):
            check(value)


# ---- Calls -------------------------------------------------------------------------------------------------------


def test_what_was_written_before_a_failure_stays() -> None:
    kit, base = Toolkit(), Database({"stock": {"pear": {"left": 3}}})

    @kit.tool("write")
    def take(draft: Draft, *, how: str, count: int = 1) -> str:
        """Take pears.

        Args:
            how: what happens then.
            count: how many.
        """
        draft.change("stock", "pear", left=draft.find("stock", "pear", "No pear")["left"] - count)
        if how == "refuse":
            raise Refusal("No more")
        return str({"fail": 1}[how]) if how else "done"

    assert kit.call(base, "take", {"how": ""})[1:] == ("done", False, "ok")
    for how, kind, message in (
        ("refuse", "domain_error", "Error: No more"),
        ("x", "internal_error", "Error: KeyError: 'x'"),
    ):
        found = kit.call(base, "take", {"how": how, "count": 2})
        assert (found.error, found.kind, found.text) == (True, kind, message)
        assert found.database["stock"]["pear"] == {"left": 1} and base["stock"]["pear"] == {"left": 3}
    for arguments in ({}, {"how": "", "more": 1}):
        found = kit.call(base, "take", arguments)
        assert found.kind == "argument_error" and found.database is base
    assert kit.tools["take"].spec.parameters["required"] == ["how"] and kit.tools["take"].tag == "write"


STARTS = {"airline": airfield(), "retail": shop(), "telecom": with_phone()}
WORDS = (
    *("ada", "#1", "#2", "#3", "R1", "C2", "L2", "B2", "gift", "card", "cert", "c1", "c2", "l2", "F1", "2024-05-20"),
    *("AAA", "economy", "yes", "one_way", "no longer needed", "messaging", "sms", "2g_only"),
    *("", "\ud800", "\0", "9" * 5000),
)
scalars = st.sampled_from([*WORDS, None, True, 0, 1, -1, 2.5, 10**400, float("nan"), float("-inf")])
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([
        "flight_number", "date", "payment_id", "amount", "first_name", "last_name", "dob", "apn_name", "mms_port",
    ]), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


@pytest.mark.parametrize("name", sorted(DOMAINS))
@settings(max_examples=30)
@given(choices=st.data())
def test_no_argument_breaks_a_tool_or_changes_what_was_there(name: str, choices: st.DataObject) -> None:
    domain = DOMAINS[name]
    kits = {"assistant": domain.tools, **({"user": domain.user_tools} if domain.user_tools else {})}
    database = STARTS[name]
    for _ in range(4):
        side = choices.draw(st.sampled_from(sorted(kits)))
        tool = choices.draw(st.sampled_from(sorted(kits[side].tools)))
        allowed = sorted(kits[side].tools[tool].allowed)
        arguments = {key: choices.draw(values) for key in allowed}
        kept, before = copy.deepcopy(arguments), database.digest
        found = domain.call(database, tool, arguments, side)
        again = domain.call(database, tool, arguments, side)
        assert repr(arguments) == repr(kept) and database.digest == before
        assert (again.database, again[1:]) == (found.database, found[1:])
        assert found.error is (found.kind != "ok") and found.error is found.text.startswith("Error: ")
        tables = {key: dict(table) for key, table in found.database.items()}
        assert found.database.digest == Database(tables).digest  # nothing was changed in place
        assert json.loads(json.dumps(tables, allow_nan=False)) == tables
        database = found.database
    assert STARTS[name].digest == STARTS[name].fresh.digest or name == "telecom"


def test_the_official_hash_takes_in_list_order_and_types_but_not_the_order_of_keys() -> None:
    domain, base = DOMAINS["retail"], shop()
    order = base["orders"]["#1"]

    def hashed(**fields: Any) -> str:
        return domain.official_hash(base.set("orders", "#1", {**order, **fields}))

    plain = json.dumps({name: dict(base[name]) for name in base}, sort_keys=True)
    assert hashed() == hashlib.sha256(plain.encode()).hexdigest()
    assert hashed(address=dict(reversed(order["address"].items()))) == hashed()
    turned = order["items"][::-1]
    assert len({hashed(), hashed(items=turned), hashed(cancel_reason=1), hashed(cancel_reason=1.0)}) == 4
