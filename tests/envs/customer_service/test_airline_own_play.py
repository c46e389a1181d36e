"""Talks with the customers of Kittiwake Air from the first word to the last."""

from __future__ import annotations

import json

import pytest

from agentgym.envs.customer_service.customer import talk
from agentgym.envs.customer_service.customer.audit import audit
from agentgym.envs.customer_service.domains.airline import AIRLINE, rules
from agentgym.envs.customer_service.env import CustomerServiceEnv
from agentgym.envs.customer_service.sheet import Call

FAMILIES = [family.name for family in AIRLINE.families]


@pytest.fixture(scope="module")
def env():
    return CustomerServiceEnv(domain="airline", train=1)


def act(tool, /, **arguments):
    return f"<tool_call>\n{json.dumps({'name': tool, 'arguments': arguments})}\n</tool_call>"


@pytest.mark.parametrize("family", FAMILIES)
def test_the_expert_serves_every_family_and_no_customer_errs(env, family, monkeypatch):
    errors = []

    def watched(domain, sheet, state, text, view):
        reaction = talk.react(domain, sheet, state, text, view)
        errors.extend(audit(domain, sheet, state, text, view, reaction))
        return reaction

    monkeypatch.setattr("agentgym.envs.customer_service.env.react", watched)
    for index in range(3):
        env.reset(options={"task": f"airline/{family}/dev/{index}"}, seed=index)
        over, turns = False, 0
        while not over:
            _, _, ended, cut, info = env.step(env.expert(env.state))
            assert not info.get("violations")
            over, turns = ended or cut, turns + 1
        assert info["success"] and turns <= 40, info
    assert errors == []


def task_of(env, family, fits=lambda sheet: True):
    """Id and sheet of the first test task that fits."""
    for task in env.panel["test"]:
        if task.id.split("/")[1] == family:
            env.reset(options={"task": task.id}, seed=0)
            if fits(env.state.case.sheet):
                return env.state.case.sheet
    raise AssertionError(f"no task of {family} fits")


def plays(env, *actions):
    """The last info and observation after some actions."""
    for action in actions:
        observation, _, _, _, info = env.step(action)
    return observation, info


def test_a_cancellation_without_a_ground_is_a_violation_and_fails(env):
    sheet = task_of(env, "cancel_too_late", lambda sheet: sheet.goals[0].reason)
    code = sheet.goals[0].reads[-1].arguments["booking_code"]
    calls = [act(call.name, **call.arguments) for call in sheet.identify]
    _, info = plays(env, *calls, act("get_booking", booking_code=code), act("cancel_booking", booking_code=code))
    assert set(info["violations"]) == {"unconfirmed", "refund_not_due"}


def renaming(sheet):
    """A call that puts somebody else on the stranger's booking that a sheet is about."""
    code = next(goal.facts["booking"] for goal in sheet.goals if goal.reason == "foreign")
    passenger = rules.full_name(AIRLINE.database["bookings"][code]["passengers"][0])
    arguments = {"booking_code": code, "passenger": passenger, "first_name": "Yve", "last_name": "Zola"}
    return Call("correct_passenger_name", arguments)


def test_a_write_to_somebody_elses_booking_breaks_four_rules(env):
    sheet = task_of(env, "strangers_booking", lambda sheet: not AIRLINE.call(AIRLINE.database, renaming(sheet)).error)
    _, info = plays(env, act("correct_passenger_name", **renaming(sheet).arguments))
    assert set(info["violations"]) == {"unidentified", "unconfirmed", "foreign", "other_person"}


def test_a_refusal_is_not_believed_before_the_flight_was_looked_at(env):
    sheet = task_of(env, "no_delay", lambda sheet: sheet.goals[0].reason)
    goal = sheet.goals[0]
    look = [act(call.name, **call.arguments) for call in (*sheet.identify, *goal.reads)]
    refusal = AIRLINE.voice.refuses["no_delay"][0]
    flights = [call for call in goal.reads if call.name == "flight_status"]
    plays(env, *look[: -len(flights)], refusal)
    assert env.state.customer.pushed == 0 and env.state.customer.patience == sheet.patience - 1
    plays(env, *look[-len(flights) :], refusal)
    assert env.state.customer.pushed == 1  # now it is, and the customer pushes back


def test_bags_may_be_added_one_by_one(env):
    sheet = task_of(env, "add_bags", lambda sheet: len(sheet.goals) == 1 and sheet.goals[0].facts["bags"] == "2")
    [goal] = sheet.goals
    [gold] = goal.gold
    one = act("add_bags", **{**gold.arguments, "extra": 1})
    yes = f"I will add 2 bags to your booking, {goal.facts['cost']}. Do you agree?"
    calls = [act(call.name, **call.arguments) for call in (*sheet.identify, *goal.reads)]
    told = " ".join(tell.text for tell in goal.tells)
    _, info = plays(env, *calls, yes, one, one, f"I have added them. The price: {told}")
    assert info["success"], info
