"""Every family of Heathline is played through: by the expert, and by an agent with other words."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from agentgym.action import Say, ToolCall
from agentgym.envs.customer_service import expert
from agentgym.envs.customer_service.customer.audit import audit
from agentgym.envs.customer_service.customer.talk import View, opening, react
from agentgym.envs.customer_service.domain import Domain
from agentgym.envs.customer_service.domains.telecom import TELECOM
from agentgym.envs.customer_service.domains.telecom.tools import Telecom
from agentgym.envs.customer_service.env import CustomerServiceEnv
from agentgym.envs.customer_service.sheet import CUSTOMER, Call
from agentgym.envs.customer_service.state import ServiceState
from agentgym.envs.customer_service.tasks import case
from agentgym.rng import TurnRng
from agentgym.task import Task
from agentgym.turn import Outcome
from tests.envs.customer_service.telecom_voice import OTHER

WORLD = CustomerServiceEnv(domain="telecom", train=1)
FAMILIES = [family.name for family in TELECOM.families]


class Plain(Telecom):
    """Heathline, with the words of another agent."""

    voice = OTHER


def tasks_of(family: str) -> list[Task]:
    return [task for task in WORLD.panel["dev"] if task.id.split("/")[1] == family]


def play(domain: Domain, task: Task, manner: int) -> tuple[Outcome | None, list[str], list[str]]:
    """Return how a talk of the expert came out, what broke a rule or was wrong with the customer, and the talk."""
    served = case(task, domain)
    customer, said = opening(domain, served.sheet, manner)
    state, wrong, talk = ServiceState(served, served.start, customer), list[str](), [said]
    for _ in range(40):
        doing = expert.advice(state)
        if isinstance(doing, Call):
            turn = WORLD.transition(state, ToolCall(doing.name, dict(doing.arguments)), TurnRng(0))
        else:
            view = View(state.database, state.looked, state.served)
            reaction = react(domain, served.sheet, state.customer, doing, view)
            wrong += audit(domain, served.sheet, state.customer, doing, view, reaction)
            turn = WORLD.transition(state, Say(doing), TurnRng(0))
        talk += [f"    {doing}", turn.observation]
        wrong += turn.violations
        state = turn.state
        if turn.outcome is not None:
            return turn.outcome, wrong, talk
    return None, wrong, talk


@pytest.mark.parametrize("family", FAMILIES)
def test_the_expert_serves_everybody_by_the_rules(family: str) -> None:
    for number, task in enumerate(tasks_of(family)):
        outcome, wrong, talk = play(TELECOM, task, 7919 * number)
        assert outcome is not None and outcome.success and wrong == [], "\n".join([*talk, *wrong])


def played_plainly() -> Iterator[tuple[bool, list[str]]]:
    """Yield success and talk of an agent with other words."""
    company = Plain()
    for family in FAMILIES:
        for number, task in enumerate(tasks_of(family)):
            outcome, wrong, talk = play(company, task, 104_729 * number)
            yield outcome is not None and outcome.success and not wrong, [task.id, *talk, *wrong]


def test_an_agent_with_other_words_is_understood() -> None:
    played = list(played_plainly())
    failed = ["\n".join(talk) for won, talk in played if not won]
    assert len(failed) <= 0.05 * len(played), "\n\n".join(failed[:3])


def test_who_is_told_the_wrong_thing_does_it_and_the_talk_fails() -> None:
    """The fault is mended, all is told, and still the talk is lost: the VPN of a phone in airplane mode is off too."""
    lost = 0
    for task in tasks_of("airplane_mode"):
        served = case(task, TELECOM)
        if not served.start["devices"][served.sheet.customer]["vpn"]:
            continue
        customer, _ = opening(TELECOM, served.sheet, 1)
        state = ServiceState(served, served.start, customer)
        turn = WORLD.transition(state, Say("Please turn off the VPN."), TurnRng(0))
        key = served.sheet.customer
        used = TELECOM.call(served.start, Call("vpn_off", {"customer_id": key}, CUSTOMER)).database
        assert turn.state.database == used != served.start
        outcome = None
        while outcome is None:
            doing = expert.advice(turn.state)
            told = Say(doing) if isinstance(doing, str) else ToolCall(doing.name, dict(doing.arguments))
            turn = WORLD.transition(turn.state, told, TurnRng(0))
            outcome = turn.outcome
        assert not outcome.success and outcome.reward == 0.0
        lost += 1
    assert lost
