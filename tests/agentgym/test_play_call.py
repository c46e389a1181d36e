"""What a person types for a call: names and values, by the tools' schemas."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from agentgym import ToolCall
from agentgym._play_call import guide, read_call, short
from agentgym.cli import main
from agentgym.tool import function_spec
from agentgym.turn import InvalidAction


def send(*, to: str, why: Literal["late", "lost"], copies: int = 1, tags: list[str] = ()) -> None:  # type: ignore[assignment]
    """Send a parcel."""


def look(*, key: str) -> None:
    """Look up."""


def find(*, query: str, k: int = 3) -> None:
    """Find."""


def pause() -> None:
    """Wait."""


TOOLS = {run.__name__: function_spec(run.__name__, run) for run in (send, look, find, pause)}


@pytest.mark.parametrize(
    ("typed", "call"),
    [
        ("/look A-7", ToolCall("look", {"key": "A-7"})),
        ("/look key=A-7", ToolCall("look", {"key": "A-7"})),
        ("/look a=b", ToolCall("look", {"key": "a=b"})),
        ("/look  the big  key ", ToolCall("look", {"key": "the big  key"})),
        ("/look Ann's key", ToolCall("look", {"key": "Ann's key"})),
        ('/look "the big" key', ToolCall("look", {"key": '"the big" key'})),
        ('/look "the big key"', ToolCall("look", {"key": "the big key"})),
        ("/look SELECT 'a' = b", ToolCall("look", {"key": "SELECT 'a' = b"})),
        ("/find who was Ann Hill k=5", ToolCall("find", {"query": "who was Ann Hill", "k": 5})),
        ("/find k=5 Ann Hill", ToolCall("find", {"query": "Ann Hill", "k": 5})),
        ('/find query="Ann Hill"', ToolCall("find", {"query": "Ann Hill"})),
        ("/find", ToolCall("find", {})),
        ("/pause", ToolCall("pause", {})),
        ('/send to="Ann Hill" why=lost copies=2', ToolCall("send", {"to": "Ann Hill", "why": "lost", "copies": 2})),
        ("/send why=late Ann", ToolCall("send", {"why": "late", "to": "Ann"})),
        ("/send to=a why=late tags=x,y", ToolCall("send", {"to": "a", "why": "late", "tags": ["x", "y"]})),
        ("/send to=a why=late tags='[\"x, y\"]'", ToolCall("send", {"to": "a", "why": "late", "tags": ["x, y"]})),
        ("/send to=a why=late copies=two", ToolCall("send", {"to": "a", "why": "late", "copies": "two"})),
    ],
)
def test_a_line_is_a_call(typed: str, call: ToolCall) -> None:
    assert read_call(typed, TOOLS) == call


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("/lok A-7", "unknown tool 'lok'; did you mean 'look'"),
        ('/look "A-7', "No closing quotation: put quotes"),
        ("/send Ann", "'Ann' could be any of to, why, copies, tags: name it"),
        ("/pause now", "'now' could be any of no argument"),
    ],
)
def test_what_is_no_call_says_why(typed: str, message: str) -> None:
    with pytest.raises(InvalidAction, match=message):
        read_call(typed, TOOLS)


def test_the_guide_shows_a_line_a_tool() -> None:
    assert guide(TOOLS).splitlines()[1:] == [
        "/send to why=late|lost [copies=…] [tags=…] - Send a parcel.",
        "/look key - Look up.",
        "/find query [k=…] - Find.",
        "/pause - Wait.",
    ]


def test_the_same_in_short() -> None:
    assert short({"look": TOOLS["look"], "find": TOOLS["find"], "pause": TOOLS["pause"]}) == (
        "Or in short, without tags: /look key, /find query [k=…], /pause."
    )


def test_a_person_serves_a_customer(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    typed = iter(["/get_ordr x\n", "/get_order ORD-1\n", "quit\n"])
    monkeypatch.setattr(
        "sys.stdin", type("Typed", (), {"isatty": lambda self: False, "readline": lambda self: next(typed)})()
    )
    assert main(["play", "agentgym/CustomerService-v0", "--task", "retail/cancel_order/test/1"]) == 0
    shown: Any = capsys.readouterr().out
    assert "/get_order order_id - Show an order" in shown and '"type": "function"' not in shown
    assert "did you mean 'get_order'" in shown and "Error: there is no order ORD-1" in shown
    assert shown.count("turn 0 >") == 2 and "turn 1 >" in shown
