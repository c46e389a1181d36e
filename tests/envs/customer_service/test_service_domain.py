"""Domain: tools as methods, argument errors that name the argument, refusals that change nothing, owners, setup."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal

import pytest

from agentgym.envs.customer_service.database import Database
from agentgym.envs.customer_service.domain import Desk, Domain, Refused, serves
from agentgym.envs.customer_service.sheet import CUSTOMER, Call, Sheet
from agentgym.envs.customer_service.tasks import DOMAINS, domain_of
from agentgym.turn import InvalidAction


class Kiosk(Domain):
    """A kiosk with two papers."""

    name, title, clock, customers = "kiosk", "the kiosk", "2025-05-01 08:00:00", "readers"

    @cached_property
    def database(self) -> Database:
        """Two readers, one order."""
        readers = {"R-1": {"name": "Ann"}, "R-2": {"name": "Bo"}}
        return Database({"readers": readers, "orders": {"O-1": {"customer": "R-2", "state": "open", "log": []}}})

    @serves("read")
    def get_order(self, desk: Desk, *, order: str) -> Any:
        """Show an order.

        Args:
            order: its number.
        """
        return desk.find("orders", order, "order")

    @serves("write")
    def cancel(self, desk: Desk, *, order: str, reason: Literal["late", "wrong"], copies: int = 1) -> str:
        """Cancel an order."""
        record = desk.find("orders", order, "order")
        desk.change("orders", order, state="cancelled")
        if copies > 1:  # after the write, so that a test sees it dropped
            raise Refused(f"order {order} has 1 copy, not {copies}")
        return f"cancelled at {desk.clock}, was {record['state']}"

    @serves("write", CUSTOMER)
    def unfold(self, desk: Desk, *, order: str) -> str:
        """Unfold the paper; the reader's own affair."""
        desk.change("orders", order, state="unfolded")
        return "unfolded"


KIOSK = Kiosk()


def test_tools_have_schemas_tags_and_sides() -> None:
    tools = KIOSK.tools
    assert [(name, tool.tag, tool.side) for name, tool in tools.items()] == [
        ("get_order", "read", "agent"), ("cancel", "write", "agent"), ("unfold", "write", "customer"),
    ]  # fmt: skip
    order = tools["get_order"].spec.parameters["properties"]["order"]
    assert order == {"type": "string", "description": "its number."}
    assert tools["cancel"].spec.parameters["required"] == ["order", "reason"]


def test_a_read_shows_json_and_shares_the_database() -> None:
    reply = KIOSK.call(KIOSK.database, Call("get_order", {"order": "O-1"}))
    assert reply == (KIOSK.database, '{"customer": "R-2", "state": "open", "log": []}', False)
    assert reply.database is KIOSK.database


def test_a_write_costs_its_record_and_leaves_the_old_database_alone() -> None:
    reply = KIOSK.call(KIOSK.database, Call("cancel", {"order": "O-1", "reason": "late"}))
    assert reply.text == "cancelled at 2025-05-01 08:00:00, was open"
    assert reply.database["orders"]["O-1"]["state"] == "cancelled"
    assert KIOSK.database["orders"]["O-1"]["state"] == "open"
    assert reply.database["readers"] is KIOSK.database["readers"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (Call("cancel", {"order": "O-9", "reason": "late"}), "Error: there is no order O-9"),
        (Call("cancel", {"order": "O-1", "reason": "late", "copies": 2}), "Error: order O-1 has 1 copy, not 2"),
        (Call("cancel", {"order": "O-1"}), "Error: args: cancel needs the argument 'reason'"),
        (Call("cancel", {"order": "O-1", "reason": "bored"}), "Error: args: cancel.reason must be one of late, wrong"),
        (Call("cancel", {"order": 1, "reason": "late"}), "Error: args: cancel.order must be of type string, not int"),
        (Call("unfold", {"order": "O-1"}), "Error: there is no tool unfold"),
        (Call("get_order", {"order": "O-1"}, CUSTOMER), "Error: there is no tool get_order"),
        (Call("burn", {}), "Error: there is no tool burn"),
    ],
)
def test_a_call_that_fails_says_why_and_changes_nothing(call: Call, message: str) -> None:
    reply = KIOSK.call(KIOSK.database, call)
    assert reply.text.startswith(message) and reply.error and reply.database is KIOSK.database


def test_arguments_are_checked_by_name_and_type() -> None:
    assert KIOSK.checked("cancel", {"order": "O-1", "reason": "late"}) == {"order": "O-1", "reason": "late"}
    with pytest.raises(InvalidAction, match="cancel has no argument 'ordr'"):
        KIOSK.checked("cancel", {"ordr": "O-1"})


def test_records_belong_to_the_customer_that_they_name() -> None:
    owners = [KIOSK.owner(KIOSK.database, text) for text in ("R-1", "O-1", "late", "")]
    assert owners == ["R-1", "R-2", "", ""]


def test_a_sheet_prepares_the_database() -> None:
    sheet = Sheet("kiosk", "f", "R-2", {}, (), setup=(("orders", "O-1", {"state": "lost"}),))
    assert KIOSK.start(sheet)["orders"]["O-1"] == {"customer": "R-2", "state": "lost", "log": []}
    with pytest.raises(KeyError, match="O-7"):
        KIOSK.start(Sheet("kiosk", "f", "R-2", {}, (), setup=(("orders", "O-7", {}),)))


def test_a_policy_that_names_a_tool_that_is_not_there_is_a_problem() -> None:
    class Wrong(Kiosk):
        name = "wrong"
        policy = "Use `get_order`, then `get_ordr` or `burn_all(order)`. `open` and `not a tool` are words."

    assert Wrong().problems == tuple(
        f"the policy of wrong: unknown tool {text}" for text in (
            "'get_ordr'; did you mean 'get_order'? known: get_order, cancel, unfold",
            "'burn_all'; did you mean 'unfold'? known: get_order, cancel, unfold",
        )
    )  # fmt: skip
    assert [domain_of(name).problems for name in DOMAINS] == [(), (), ()]


@pytest.mark.parametrize(("found", "error"), [({1, 2}, TypeError), (float("nan"), ValueError), (None, KeyError)])
def test_a_tool_that_is_broken_is_named(found: object, error: type[Exception]) -> None:
    """A set and a NaN are no JSON; None stands for a tool that fails by itself."""

    class Broken(Kiosk):
        @serves("read")
        def look(self, desk: Desk) -> Any:
            """Look."""
            return desk.database["nothing"] if found is None else found

    kiosk = Broken()
    with pytest.raises(error) as raised:
        kiosk.call(kiosk.database, Call("look", {}))
    assert raised.value.__notes__ == ["in the tool look of the domain kiosk"]
