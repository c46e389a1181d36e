"""Every family of the shop is played through: by the expert, and by an agent with other words."""

from collections.abc import Iterator, Sequence

import pytest

from agentgym.action import Say, ToolCall
from agentgym.envs.customer_service import expert
from agentgym.envs.customer_service.customer.audit import audit
from agentgym.envs.customer_service.customer.hear import hear
from agentgym.envs.customer_service.customer.talk import View, opening, react
from agentgym.envs.customer_service.domain import Domain
from agentgym.envs.customer_service.domains.retail import RETAIL
from agentgym.envs.customer_service.domains.retail.tools import Retail
from agentgym.envs.customer_service.env import CustomerServiceEnv
from agentgym.envs.customer_service.plan import PROPOSE, next_step
from agentgym.envs.customer_service.sheet import Call
from agentgym.envs.customer_service.state import ServiceState
from agentgym.envs.customer_service.tasks import case, panel_of
from agentgym.rng import TurnRng
from agentgym.task import Task
from agentgym.turn import Outcome
from tests.envs.customer_service.retail_voice import OTHER

FAMILIES = [family.name for family in RETAIL.families]
WORLD = CustomerServiceEnv(domain="retail", train=1)
TURNS = 40


class Plain(Retail):
    """The shop, with the words of another agent."""

    voice = OTHER


def tasks_of(family: str, split: str = "dev") -> Sequence[Task]:
    return [task for task in panel_of(RETAIL, 1)[split] if task.id.split("/")[1] == family]


def play(domain: Domain, task: Task, manner: int) -> tuple[Outcome | None, list[str], list[str]]:
    """Return how a talk of the expert came out, what broke a rule or was wrong with the customer, and the talk."""
    served = case(task, domain)
    customer, said = opening(domain, served.sheet, manner)
    state, wrong, talk = ServiceState(served, served.start, customer), list[str](), [said]
    for _ in range(TURNS):
        doing = expert.advice(state)
        if isinstance(doing, Call):
            turn = WORLD.transition(state, ToolCall(doing.name, dict(doing.arguments)), TurnRng(0))
        else:
            view = View(state.database, state.looked, state.served)
            wrong += audit(
                domain,
                served.sheet,
                state.customer,
                doing,
                view,
                react(domain, served.sheet, state.customer, doing, view),
            )
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
        outcome, wrong, talk = play(RETAIL, task, 7919 * number)
        assert outcome is not None and outcome.success and wrong == [], "\n".join(talk)


def test_minds_are_changed_at_a_question_for_a_yes_and_not_before() -> None:
    for number, task in enumerate(tasks_of("second_thoughts", "test")):
        _, _, talk = play(RETAIL, task, number)
        wanted = case(task, RETAIL).sheet.goals[0].change
        assert wanted is not None
        texts = [text.format_map(wanted.facts) for text in RETAIL.words.wants[wanted.intent]]
        turn = next(place for place, line in enumerate(talk) if any(text in line for text in texts))
        asked = hear(RETAIL.words, talk[turn - 1].strip())
        assert asked.proposes and not asked.asks, talk[turn - 1]


def asked_for_a_yes(family: str) -> Iterator[ServiceState]:
    """Yield the states of a family's talks in which the expert asks for a yes to a request that is granted."""
    for task in tasks_of(family):
        served = case(task, RETAIL)
        state = ServiceState(served, served.start, opening(RETAIL, served.sheet, 5)[0])
        while next_step(state).kind != PROPOSE:
            doing = expert.advice(state)
            action = ToolCall(doing.name, dict(doing.arguments)) if isinstance(doing, Call) else Say(doing)
            state = WORLD.transition(state, action, TurnRng(0)).state
        yield state


def yes_to(state: ServiceState, said: str) -> bool:
    return WORLD.transition(state, Say(said), TurnRng(0)).state.customer.agreed


def other_value(fact: str, value: str) -> str:
    return next(known for known in RETAIL.words.choices[fact] if known != value)


@pytest.mark.parametrize(
    "family, text",
    [
        ("exchange_item", "I will exchange {items} for the {wish} version and use {payment}. Shall I proceed?"),
        ("change_item", "I'll change {items} to the {wish} version. Shall I go ahead?"),
        ("change_payment", "I'll switch the payment of {order} to {payment}. Would you like me to proceed?"),
        ("express_delivery", "I'll upgrade {order} to express delivery for £5.00 more. Is that okay?"),
        ("cancel_order", "I'll cancel the whole order, reason: {reason}. Do you confirm?"),
        ("return_items", "I'll return {items} with the refund to {refund}. Shall I proceed?"),
    ],
)
def test_a_yes_is_for_what_was_asked_for_alone(family: str, text: str) -> None:
    for state in asked_for_a_yes(family):
        goal = state.goal
        assert goal is not None and yes_to(state, text.format_map(goal.facts))
        for fact in ("wish", "payment", "reason", "refund", "order"):
            if f"{{{fact}}}" in text:
                wrong = "ORD-00000" if fact == "order" else other_value(fact, goal.facts[fact])
                assert not yes_to(state, text.format_map({**goal.facts, fact: wrong})), (fact, wrong)
        assert not yes_to(state, "I will now delete your account. Shall I proceed?")


def played_plainly() -> Iterator[tuple[str, bool, list[str]]]:
    """Yield family, success and talk of an agent with other words."""
    shop = Plain()
    for family in FAMILIES:
        for number, task in enumerate(tasks_of(family)):
            outcome, wrong, talk = play(shop, task, 104_729 * number)
            yield family, outcome is not None and outcome.success and not wrong, talk


def test_an_agent_with_other_words_is_understood() -> None:
    played = list(played_plainly())
    failed = ["\n".join(talk) for _, won, talk in played if not won]
    assert len(failed) <= 0.05 * len(played), "\n\n".join(failed[:3])
