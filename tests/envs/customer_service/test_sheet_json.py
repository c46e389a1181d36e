"""Task sheets as JSON: what is written is read again, and what is wrong is named with its place."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentgym.envs.customer_service.sheet import CUSTOMER, Call, Goal, Sheet, Tell
from agentgym.envs.customer_service.sheet_json import as_json, plain_call, read_sheet

SMALL = {"domain": "shop", "family": "f", "customer": "C-1", "facts": {"name": "Ann"}, "goals": [{"intent": "cancel"}]}


def full() -> Sheet:
    """Return a sheet in which every entry is other than by default."""
    later = Goal("return", {"line": "2"}, ("line",), (Call("return_line", {"line": 2}),))
    goal = Goal(
        "cancel",
        {"order": "ORD-1"},
        ("order",),
        (Call("cancel", {"order": "ORD-1"}), Call("restart", {}, CUSTOMER)),
        (Call("get_order", {"order": "ORD-1"}),),
        (Tell("refund", "12.50"),),
        "shipped",
        2,
        fallback=later,
        change=Goal("exchange"),
    )
    setup = (("devices", "D-1", {"airplane": True}),)
    return Sheet("shop", "f", "C-1", {"name": "Ann"}, (goal,), (Call("find", {}),), ("email",), setup, "grumpy", 0)


def test_a_sheet_is_written_as_json_and_read_again() -> None:
    for sheet in (full(), read_sheet(SMALL)):
        assert read_sheet(json.loads(json.dumps(as_json(sheet)))) == sheet
    assert as_json(read_sheet(SMALL)) == SMALL


def test_chains_follow_refusals_and_changes_of_mind() -> None:
    refused = Goal("a", reason="late", gold=(Call("never", {}),), fallback=Goal("b", gold=(Call("do", {}),)))
    changed = Goal("c", gold=(Call("not_this", {}),), change=Goal("d", gold=(Call("this", {}),)))
    allowed = Goal("e", fallback=Goal("f"))  # nothing forbids it, so it is never refused rightly
    sheet = Sheet("shop", "f", "C-1", {}, (refused, changed, allowed))
    assert [goal.intent for goal in sheet.all_goals] == ["a", "b", "c", "d", "e"]
    assert [call.name for call in sheet.gold] == ["do", "this"]


def test_a_call_is_one_text_whatever_the_order_of_its_arguments() -> None:
    assert (
        plain_call(Call("f", {"b": 1, "a": "é"}))
        == '["f",{"a":"é","b":1}]'
        == plain_call(Call("f", {"a": "é", "b": 1}))
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"goals": 3}, r"the sheet\.goals must be a list, not 3"),
        (
            {"goals": [{"intent": "x", "fact": {}}]},
            r"the sheet\.goals\[0\]: unknown entry 'fact'; did you mean 'facts'",
        ),
        ({"goals": [{}]}, r"the sheet\.goals\[0\] lacks the entry 'intent'"),
        ({"goals": [{"intent": 3}]}, r"the sheet\.goals\[0\]\.intent must be a text, not 3"),
        ({"goals": [{"intent": "x", "gold": ["cancel"]}]}, r"goals\[0\]\.gold\[0\] must be \[name, arguments\]"),
        (
            {"goals": [{"intent": "x", "gold": [["a", {}, "nobody"]]}]},
            r"gold\[0\]: unknown side 'nobody'; known: agent",
        ),
        ({"goals": [{"intent": "x", "insist": -1}]}, r"insist must be an integer of at least 0, not -1"),
        ({"facts": {"name": 3}}, r"facts\['name'\] must be a text, not 3"),
        ({"setup": [["devices", "D-1"]]}, r"setup\[0\] must be \[table, key, fields\]"),
        ({"patience": True}, r"patience must be an integer"),
        ({"moood": "calm"}, r"the sheet: unknown entry 'moood'; did you mean 'mood'"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_sheet({**SMALL, **change})


def test_a_sheet_must_be_an_object_that_names_its_customer() -> None:
    with pytest.raises(ValueError, match=r"task 't1' must be an object, not 'x'"):
        read_sheet("x", "task 't1'")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="task 't1' lacks the entry 'customer'"):
        read_sheet({key: value for key, value in SMALL.items() if key != "customer"}, "task 't1'")
