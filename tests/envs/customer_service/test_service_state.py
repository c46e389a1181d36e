"""The state: what its bytes tell apart, what is made once and handed on, and when a call leaves it as it is."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest
from little_shop import SHOP, sheets

from agentgym import Task, ToolCall
from agentgym.envs.customer_service import rewards
from agentgym.envs.customer_service.env import CustomerServiceEnv
from agentgym.envs.customer_service.sheet import Call
from agentgym.envs.customer_service.sheet_json import as_json
from agentgym.envs.customer_service.state import REFUSED, ServiceState, call_key, work

FAMILIES = [family.name for family in SHOP.families]
READ = ToolCall("get_order", {"order_id": "o-11"})
OTHER: dict[str, Any] = {
    "manner": 1, "goal": 1, "depth": 1, "told": frozenset({"x"}), "said": frozenset({(0, 7)}), "offered": True,
    "agreed": True, "yielded": True, "pushed": 3, "used": frozenset({("x", "y")}), "idle": 2, "patience": 1,
    "results": ("served",), "ended": True,
}  # fmt: skip
"""For each field of a customer a value that it does not have at the start."""


def state(family: str = "cancel") -> ServiceState:
    """Return the first state of a task of the little shop."""
    return started(family).state


def started(family: str) -> CustomerServiceEnv:
    tasks = [Task(f"{family}/{index}", as_json(sheet)) for index, sheet in enumerate(sheets(family))]
    env = CustomerServiceEnv(domain="little_shop:SHOP", tasks=tasks)
    env.reset(seed=0, options={"task": f"{family}/0"})
    return env


def fresh(made: ServiceState) -> ServiceState:
    """Return an equal state that has nothing ready."""
    return replace(made)


@pytest.mark.parametrize("name", [field.name for field in fields(state().customer)])
def test_every_field_of_the_customer_counts_and_three_are_out_of_sight(name: str) -> None:
    start = state()
    assert getattr(start.customer, name) != OTHER[name]
    other = replace(start, customer=replace(start.customer, **{name: OTHER[name]}))
    assert other.canonical() != start.canonical()
    assert (other.visible == start.visible) is (name in ("manner", "patience", "idle"))


def test_everything_else_counts_too() -> None:
    start = state()
    table = next(iter(start.database))
    key = next(iter(start.database[table]))
    others = [
        replace(start, database=start.database.remove(table, key)),
        replace(start, looked=frozenset({"o-11"})),
        replace(start, called=frozenset({"o-11"})),
        replace(start, made=frozenset({3})),
    ]
    assert len({one.canonical() for one in [start, *others]}) == len({one.visible for one in [start, *others]}) == 5
    assert fresh(start).canonical() == start.canonical()


def test_texts_cannot_run_together() -> None:
    start = state()
    sets = [{"a b"}, {"a", "b"}, {"a\nb"}, {'a" "b'}, {"a\\"}, {"ä"}, {"\\u00e4"}, set()]
    assert len({replace(start, looked=frozenset(texts)).visible for texts in sets}) == len(sets)
    assert len({replace(start, called=frozenset(texts)).visible for texts in sets}) == len(sets)


@pytest.mark.parametrize("family", FAMILIES)
def test_what_is_handed_on_is_what_would_be_made_anew(family: str) -> None:
    env, over = started(family), False
    while not over:
        _, _, terminated, truncated, info = env.step(env.expert(env.state))
        over, now, anew = terminated or truncated, env.state, fresh(env.state)
        assert (now.standing, now.remaining, now.number) == (anew.standing, anew.remaining, anew.number)
        assert now.canonical() == anew.canonical()
        assert now.remaining == counted(anew)
    assert info["success"] and env.state.remaining == 0


def counted(now: ServiceState) -> int:
    """Return what a state lacks, counted goal by goal."""
    case, customer = now.case, now.customer
    writes = sum(len(goal.due) for number, goal in enumerate(case.goals) if not case.is_served(number, now))
    tells = sum((n, k) not in customer.said for n, goal in enumerate(case.goals) for k in range(len(goal.tells)))
    refusals = case.results.count(REFUSED) - customer.results.count(REFUSED)
    return writes + tells + max(refusals, 0)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_number_of_a_goal_follows_the_chains(family: str) -> None:
    case = state(family).case
    assert case.firsts == tuple(
        sum(len(goal.chain) for goal in case.sheet.goals[:count]) for count in range(len(case.sheet.goals) + 1)
    )
    assert case.firsts[-1] == len(case.goals) and case.total == sum(map(work, case.goals))


def test_a_call_leaves_a_state_as_it_is_where_nothing_is_new() -> None:
    env = started("cancel")
    start = env.state
    env.step(READ)
    once = env.state
    assert once is not start and once.looked == {"o-11"} and len(once.called) == 1
    env.step(READ)
    assert env.state is once
    again = once.database.set("orders", "o-11", dict(once.database["orders"]["o-11"]))  # as it was
    assert once.called_with(again, frozenset(), "", frozenset()) is once
    changed = once.called_with(again, frozenset({"new"}), "key", frozenset({1}))
    assert changed.looked == {"o-11", "new"} and changed.called == once.called | {"key"} and changed.made == {1}


def test_a_call_with_the_key_of_a_gold_call_fits_it_whole() -> None:
    case = state().case
    gold = case.golds[0]
    assert case.right == set(map(call_key, case.golds)) and rewards.match(case, gold, call_key(gold)) == 1.0
    none = Call(gold.name, {})
    assert rewards.match(case, none, call_key(none)) == 0.5  # none of its arguments is right
    strange = Call("no_such_tool", {})
    assert rewards.match(case, strange, call_key(strange)) == 0.0
