"""The expert: what it does at every point of a talk, in which words, and that it finds its way from anywhere."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path
from typing import Any

import little_shop
import pytest
from little_shop import SHOP, sheets

from agentgym import TurnRng
from agentgym.envs.customer_service import expert, plan
from agentgym.envs.customer_service.env import CustomerServiceEnv
from agentgym.envs.customer_service.sheet import Call, Tell
from agentgym.envs.customer_service.sheet_json import as_json
from agentgym.envs.customer_service.state import ServiceState, case_of
from agentgym.task import Task, TaskPanel

FAMILIES = tuple(family.name for family in SHOP.families)


def world(**arguments: Any) -> CustomerServiceEnv:
    """Return the world of the little shop, with a task for each family and customer."""
    tasks = [Task(f"{name}/{place}", as_json(sheet)) for name in FAMILIES for place, sheet in enumerate(sheets(name))]
    return CustomerServiceEnv(domain="little_shop:SHOP", tasks=TaskPanel("little", {"train": tasks}), **arguments)


def steps(task: str) -> list[str]:
    """Return what the expert does in a task, in short, and how it ended."""
    env, found = world(), []
    state = env.initial(env.panel.task(task), TurnRng(0)).state
    for number in range(env.max_turns):
        step = plan.next_step(state)
        name = step.call.name if step.call else step.reason or "+".join(step.facts)
        tells = "+".join(tell.text for tell in step.tells)
        found.append(" ".join(part for part in (step.kind, name, tells) if part))
        turn, valid, _ = env.apply(state, env.advice(state), TurnRng(0, 0, number))
        assert valid
        assert not turn.violations
        if turn.outcome is not None:
            return [*found, turn.outcome.reason.value]
        state = turn.state
    return found


def test_it_identifies_asks_looks_up_confirms_and_writes() -> None:
    assert steps("cancel/0") == [
        "ask email", "call find_customer", "ask order+why", "call get_order", "propose", "call cancel_order", "done",
        "solved",
    ]  # fmt: skip


def test_it_refuses_again_when_pushed_and_goes_on_with_what_is_asked_instead() -> None:
    # the order is named at the start; why it should be cancelled is of no interest where it cannot be; c-1's first
    # order costs 10.25 · 1 + 1
    assert steps("too_late/0") == [
        "ask email", "call find_customer", "call get_order", "refuse shipped", "refuse shipped", "call get_order",
        "done 11.25", "solved",
    ]  # fmt: skip


def test_it_follows_a_change_of_mind() -> None:
    found = steps("second_thought/0")
    assert found[-4:] == ["propose", "call move_order", "done", "solved"]
    assert "call cancel_order" not in found


def test_it_tells_customers_what_to_do_with_their_own_things() -> None:
    # c-1's second order costs 10.25 · 1 + 2
    assert steps("quiet/0") == [
        "ask email", "call find_customer", "instruct switch_bell", "done", "call get_order", "done 12.25", "solved",
    ]  # fmt: skip


def test_it_solves_every_task_without_breaking_a_rule() -> None:
    for task in world().panel["train"]:
        assert steps(task.id)[-1] == "solved"


def start(task: str) -> ServiceState:
    """Return the first state of a task."""
    env = world()
    return env.initial(env.panel.task(task), TurnRng(0)).state


def test_it_knows_a_way_from_wherever_others_led() -> None:
    # Random choices until the talk is over or 12 turns have passed; the expert always has an action, and where nothing
    # wrong was written and nobody was put off it still solves the task.
    env = world()
    mended = 0
    for task in env.panel["train"]:
        for seed in range(4):
            state, rng = env.initial(task, TurnRng(seed)).state, TurnRng(seed, stream=task.id)
            over = None
            for _ in range(12):
                if over is None:
                    turn, _, _ = env.apply(state, rng.choice(env.choices(state)), rng)
                    state, over = turn.state, turn.outcome
            clean = over is None and state.database in (state.case.start, state.case.end)
            clean = clean and "dropped" not in state.customer.results
            for _ in range(env.max_turns):
                if over is None:
                    turn, _, _ = env.apply(state, env.advice(state), rng)
                    state, over = turn.state, turn.outcome
            if clean:
                mended += over is not None and over.success
                assert over is not None
    assert mended >= 10  # of 64 talks


def test_a_write_that_somebody_made_already_is_not_made_again() -> None:
    state = start("cancel/0")
    order = Call("cancel_order", {"order_id": "o-11", "why": state.goal.facts["why"]})  # type: ignore[union-attr]
    done = replace(state, database=SHOP.call(state.database, order).database)
    goal = done.goal
    assert goal is not None
    assert plan.writes_left(state, goal, 0) == (order,)
    assert plan.writes_left(done, goal, 0) == ()


def test_of_several_writes_the_first_that_is_missing_comes_first() -> None:
    sheet = sheets("cancel")[0]
    first = Call("move_order", {"order_id": "o-11", "street": "3 Mill Lane"})
    second = Call("cancel_order", {"order_id": "o-11", "why": "no longer needed"})
    case = case_of("two", SHOP, replace(sheet, goals=(replace(sheet.goals[0], gold=(first, second)),)))
    state = replace(start("cancel/0"), case=case)
    goal = case.goals[0]
    assert plan.writes_left(state, goal, 0) == (first, second)
    moved = replace(state, database=SHOP.call(state.database, first).database)
    assert plan.writes_left(moved, goal, 0) == (second,)
    # cancelled first, the order cannot be moved any more: nothing that is left to do could complete the goal
    wrong = replace(state, database=SHOP.call(state.database, second).database)
    assert plan.writes_left(wrong, goal, 0) == ()


def test_what_look_ups_show_is_told_with_the_question_for_a_yes() -> None:
    sheet = sheets("cancel")[0]
    # the price, 11.25, stands in the order; 3.21 nowhere
    tells = (Tell("price", "11.25"), Tell("price", "3.21"))
    case = case_of("tells", SHOP, replace(sheet, goals=(replace(sheet.goals[0], tells=tells),)))
    state = replace(start("cancel/0"), case=case)
    goal = case.goals[0]
    assert plan.tells_now(state, goal) == tells[:1]
    heard = replace(state, customer=replace(state.customer, said=frozenset({(0, 0)})))
    assert plan.tells_now(heard, goal) == ()
    forbidden = case_of("no", SHOP, replace(sheet, goals=(replace(goal, gold=(), reason="shipped"),)))
    assert plan.tells_now(replace(state, case=forbidden), forbidden.goals[0]) == tells


def test_facts_are_asked_for_where_they_are_needed_and_not_told() -> None:
    state = start("cancel/0")
    case, goal = state.case, state.case.goals[0]
    assert plan.identity_facts(case) == ("email",)  # the name is in no call by which the customer is found
    assert plan.needed_facts(case, goal) == ("order", "why")
    assert plan.needed_facts(case, replace(goal, reason="shipped")) == ("order",)
    told = replace(state, customer=replace(state.customer, told=frozenset({"order"})))
    assert plan.missing(told, ("order", "why")) == ("why",)
    forgetful = case_of("unknown", SHOP, replace(case.sheet, unknown=("why",)))
    assert plan.missing(replace(told, case=forgetful), ("order", "why")) == ()


def test_values_are_compared_without_case_and_white_space_wherever_they_stand() -> None:
    calls = [Call("tool", {"who": "ADA  Hill", "things": ["o-1", {"deep": 3}], "nothing": None})]
    facts = {"name": "Ada Hill", "order": "o-1", "count": "3", "street": "3 Mill Lane"}
    assert plan.named(facts, calls) == ["name", "order", "count"]


# ---- words -----------------------------------------------------------------------------------------------------------


def test_the_same_state_gets_the_same_words_and_another_count_others() -> None:
    case = start("too_late/0").case
    texts = SHOP.voice.refuses["shipped"]
    said = [expert.said(case, SHOP.voice.refuses, "shipped", {}, count) for count in range(3)]
    assert said[0] == said[2] != said[1]
    assert set(said) == set(texts)


def test_texts_whose_slots_are_not_known_are_passed_over() -> None:
    case = start("cancel/0").case
    texts = {"hello": ("Dear {title}", "Hello {name}")}
    assert expert.said(case, texts, "hello", {"name": "Ada"}, 0) == "Hello Ada"
    with pytest.raises(KeyError, match="nothing is known for title"):
        expert.said(case, texts, "hello", {}, 0)
    with pytest.raises(KeyError, match="no text for 'bye'"):
        expert.said(case, texts, "bye", {}, 0)


def test_nothing_of_the_expert_imports_the_customers_rules() -> None:
    folder = Path(expert.__file__).parent
    for name in ("expert", "plan", "voice", "menu", "misses", "catalog"):
        tree = ast.parse((folder / f"{name}.py").read_text("utf-8"))
        modules = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        assert not [module for module in modules if ".customer" in module.replace("customer_service", "")]


def test_the_little_shop_is_playable() -> None:
    assert world().problems == []
    assert len(world().panel["train"]) == len(little_shop.PEOPLE) * len(FAMILIES)
