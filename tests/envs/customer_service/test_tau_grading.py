"""Official grading: each part, what counts, and what only a judge can tell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tau_folders import CANCEL, DATA_OFF, READ, on_phone, task, tau2, write
from tau_oracle import data as real
from tau_oracle import reference

from agentgym import data
from agentgym.data import Source
from agentgym.envs.customer_service.database import Database
from agentgym.envs.customer_service.official.domains import DOMAINS
from agentgym.envs.customer_service.official.grading import Call, Grade, communicated, grade, matches
from agentgym.envs.customer_service.sources import open_database
from agentgym.envs.customer_service.sources.entries import begin
from agentgym.task import Task

ALL = ["DB", "ENV_ASSERTION", "COMMUNICATE", "ACTION", "NL_ASSERTION"]


def play(source: Source, chosen: Task, *calls: Call) -> Database:
    database = begin(open_database(source, chosen), chosen.data["prepare"])
    for call in calls:
        database = DOMAINS[chosen.data["domain"]].call(database, call.name, call.arguments, call.side).database
    return database


def gold(chosen: Task) -> list[Call]:
    return [Call(action["side"], action["name"], action["arguments"]) for action in chosen.data["gold"]]


@pytest.fixture
def source(tmp_path: Path) -> Source:
    folder = tau2(tmp_path / "tau2-bench")
    basis = {"reward_basis": ALL, "communicate_info": ["1628"], "nl_assertions": ["The agent is polite."]}
    write(
        folder / "retail/tasks.json",
        [task("0", READ, CANCEL, **basis), task("1", CANCEL, reward_basis=["DB", "NL_ASSERTION"])],
    )
    return data.read("tau2", folder)


def graded(source: Source, number: str, *calls: Call, said: tuple[str, ...] = (), judge: Any = None) -> Grade:
    chosen = source.panel.task(number)
    return grade(chosen.data, play(source, chosen, *calls), calls, said, judge)


def test_the_gold_actions_and_the_words_are_worth_one(source: Source) -> None:
    calls = gold(source.panel.task("retail/0"))
    found = graded(
        source, "retail/0", *calls, said=("It is $1,628.00.",), judge=lambda statement: "polite" in statement
    )
    assert found.parts == dict.fromkeys(ALL, 1.0) and found.basis == tuple(ALL)
    assert (found.reward, found.measured, found.needs_judge, found.actions) == (1.0, 1.0, False, (True, True))


def test_without_a_judge_the_reward_is_unknown_unless_something_else_fails(source: Source) -> None:
    calls = gold(source.panel.task("retail/0"))
    found = graded(source, "retail/0", *calls, said=("1628",))
    assert (found.reward, found.measured, found.needs_judge) == (None, 1.0, True)
    assert found.parts["NL_ASSERTION"] is None
    assert graded(source, "retail/0", *calls).reward == 0.0  # not said
    assert graded(source, "retail/0", *calls, said=("1628",), judge=lambda statement: False).reward == 0.0


def test_without_statements_no_judge_is_needed(source: Source) -> None:
    found = graded(source, "retail/1", *gold(source.panel.task("retail/1")))
    assert (found.reward, found.needs_judge, found.parts["NL_ASSERTION"]) == (1.0, False, 1.0)
    assert graded(source, "retail/1").reward == 0.0  # nothing was done


def test_the_database_counts_whatever_the_path(source: Source) -> None:
    wrong = Call("assistant", "cancel_pending_order", {"order_id": "#9", "reason": "no longer needed"})
    right = Call("assistant", **CANCEL)
    read = Call("assistant", "list_all_product_types", {})
    found = graded(source, "retail/1", wrong, read, right, read)
    assert found.reward == 1.0
    other = Call("assistant", "cancel_pending_order", {"order_id": "#1", "reason": "ordered by mistake"})
    assert graded(source, "retail/1", other).parts["DB"] == 0.0


def test_assertions_are_asked_of_the_end(tmp_path: Path) -> None:
    folder = tau2(tmp_path / "tau2-bench")
    toggle = {"name": "toggle_data", "arguments": {}, "requestor": "user"}
    write(folder / "telecom/tasks_small.json", [on_phone("off", DATA_OFF, actions=[toggle])])
    phones = data.read("tau2", folder)
    on = Call("user", "toggle_data", {})
    assert graded(phones, "telecom/off", on).reward == 1.0
    assert graded(phones, "telecom/off").reward == graded(phones, "telecom/off", on, on).reward == 0.0
    spoilt = Call("user", "set_apn_settings", {"apn_settings": "internet"})
    assert graded(phones, "telecom/off", on, spoilt).parts["DB"] == 0.0


def test_an_assertion_about_a_broken_phone_does_not_hold(tmp_path: Path) -> None:
    folder = tau2(tmp_path / "tau2-bench")
    asked = {"env_type": "user", "func_name": "assert_can_send_mms", "arguments": {"expected_status": True}}
    write(folder / "telecom/tasks_small.json", [on_phone("mms", env_assertions=[asked])])
    phones = data.read("tau2", folder)
    assert graded(phones, "telecom/mms").reward == 1.0
    spoilt = Call("user", "set_apn_settings", {"apn_settings": "internet"})
    assert graded(phones, "telecom/mms", spoilt).reward == 0.0


def test_what_was_said_is_compared_without_case_and_without_its_commas() -> None:
    assert communicated(["Nothing", "That is 1,628 dollars"], "1628")
    assert communicated(["It is Tactile."], "tactile") and communicated(["x"], "")
    assert not communicated(["162", "8"], "1628")  # one message says it whole
    assert not communicated(["Ely, UK"], "Ely, UK")  # officially never found
    assert not communicated([], "1628")


@pytest.mark.parametrize(
    "compare, arguments, made",
    [
        (None, {"a": 1, "b": [2]}, True),
        (None, {"a": 1.0, "b": [2]}, True),
        (None, {"a": 1}, True),  # all that the call has
        (None, {"a": 1, "b": [3]}, False),
        (None, {"a": 1, "b": [2], "c": 3}, False),
        ([], {"z": 0}, True),
        (["a"], {"a": 1, "b": 9}, True),
        (["a"], {"b": [2]}, False),
    ],
)
def test_which_calls_are_a_gold_action(compare: Any, arguments: dict[str, Any], made: bool) -> None:
    action = {"side": "assistant", "name": "f", "arguments": {"a": 1, "b": [2]}, "compare": compare}
    assert matches(action, Call("assistant", "f", arguments)) is made
    assert not matches(action, Call("user", "f", arguments)) and not matches(action, Call("assistant", "g", arguments))


@reference
def test_of_every_real_task_the_gold_is_worth_one_and_doing_nothing_only_where_that_is_right() -> None:
    source = data.read("tau2", real("tau2-bench"))
    for split in source.panel:
        for chosen in source.panel[split]:
            calls = gold(chosen)
            said = tuple(chosen.data["communicate"])
            end = play(source, chosen, *calls)
            found = grade(chosen.data, end, calls, said, judge=lambda statement: True)
            assert found.reward == 1.0 and all(found.actions), chosen.id
            nothing = grade(chosen.data, play(source, chosen), [], (), judge=lambda statement: True)
            writes = chosen.data["start"] != chosen.data["end"]
            assert nothing.parts["DB"] == float(not writes), chosen.id
            if nothing.reward:
                assert not writes, chosen.id  # a refusal, or a talk that changes nothing
                assert not said or "COMMUNICATE" not in nothing.basis, chosen.id
