"""A proposal with another figure than the customer's own is declined; figures of other things are nobody's business."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from agentgym.envs.customer_service.customer.figures import names_another, shapes_of
from agentgym.envs.customer_service.customer.sentences import fold
from agentgym.envs.customer_service.env import CustomerServiceEnv

ADDRESS = "131 Rope Walk, Preston, PR12 2TP"
DATES = ["24 September", "26 September"]


def test_what_is_known_has_a_shape_where_it_has_a_number_and_letters_or_is_an_amount() -> None:
    assert shapes_of(["5 GB", "Willow 10", "10.00", "two of us", "3", "x"]) == {
        "0gb": {"5gb"}, "willow 0": {"willow 10"}, "0.0": {"10.00"},
    }  # fmt: skip
    assert shapes_of([ADDRESS]) == {"0rope walk": {"131rope walk"}, "@0 0@": {"pr12 2tp"}}
    assert shapes_of(DATES) == {"0september": {"24september", "26september"}}


@pytest.mark.parametrize(
    ("known", "text", "other"),
    [
        (["5 GB"], "Shall I add 8 GB?", True),
        (["5 GB"], "Shall I add 8GB?", True),
        (["5 GB"], "Shall I add 15 GB?", True),
        (["5 GB"], "Shall I add 5GB?", False),
        (["5 GB"], "You have used 8 GB. Shall I add 5 GB?", False),
        (["5 GB"], "Shall I do that within 8 days?", False),
        (["10.00"], "Shall I add it for 12.00 euros?", True),
        (["10.00"], "Shall I add it for 10.00 euros?", False),
        (["10.00"], "Shall I add it for 110.00 euros?", True),
        ([ADDRESS], "Is it 134 Rope Walk, Preston, PR12 2TP?", True),
        ([ADDRESS], "Is it 131 Rope Walk, Preston, PR13 2TP?", True),
        ([ADDRESS], "Is it 131 Rope Walk, Preston, PZ12 2TP?", True),
        ([ADDRESS], "Is it 131 Rope Walk, Preston, PR12 2TB?", True),
        ([ADDRESS], "From 9 Mill Lane to 131 Rope Walk, Preston, PR12 2TP?", False),
        (DATES, "Shall I move you from 24 September to 26 September?", False),
        (DATES, "Shall I move you to 28 September?", True),
        (["Willow 10"], "Shall I move you to Willow 100?", True),
        (["Willow 10"], "Shall I move you from Birch 20 to Willow 10 for 16.90?", False),
    ],
)
def test_another_figure_of_a_known_shape_is_noticed(known: list[str], text: str, other: bool) -> None:
    folded = fold(text)
    assert names_another([folded], folded, shapes_of(known)) is other


@pytest.mark.parametrize(
    ("domain", "family", "fact"),
    [("retail", "change_address", "address"), ("telecom", "used_up", "pack"), ("telecom", "bigger_plan", "plan")],
)
def test_customers_say_no_to_another_figure_and_yes_to_their_own(domain: str, family: str, fact: str) -> None:
    """The expert's own proposal with 8 before the first number of the fact is declined, on each of the test tasks."""
    env = CustomerServiceEnv(domain=domain, families=[family], split="test", train=1, signals=("expert",))
    for task in env.panel["test"]:
        _, info = env.reset(seed=1, options={"task": task.id})
        while not env.state.customer.agreed:
            before, action = env.fork(1)[0], info["expert"]
            *_, info = env.step(action)
        known = before.state.goal.facts[fact].split(",")[0]
        assert known in action
        number = next(word for word in known.split() if word[0].isdigit())
        before.step(action.replace(known, known.replace(number, f"8{number}")))
        assert not before.state.customer.agreed
        assert before.state.customer.patience == env.state.customer.patience - 1


def test_a_figure_in_what_leads_up_to_the_question_counts() -> None:
    """Of the expert's proposals of each test task, with one number of the goal's facts raised by 1: how many get a yes.

    Measured: airline 25 of 440, retail none of 155, telecom none of 232. What is left in airline is another flight of
    the customer's own, and "1 more" for bags.
    """
    for domain, most in (("airline", 30), ("retail", 0), ("telecom", 0)):
        assert sum(map(agreed_with_another_number, proposals(domain))) <= most


def proposals(domain: str) -> Iterator[tuple[CustomerServiceEnv, str, str]]:
    """Yield worlds before a proposal of the expert that gets a yes, the proposal, and the same with a wrong number."""
    env = CustomerServiceEnv(domain=domain, split="test", train=1, signals=("expert",))
    for task in env.panel["test"]:
        _, info = env.reset(seed=1, options={"task": task.id})
        over = False
        while not over:
            before, goal, agreed, action = env.copy(), env.state.goal, env.state.customer.agreed, info["expert"]
            _, _, terminated, truncated, info = env.step(action)
            over = terminated or truncated
            if goal is not None and not over and env.state.customer.agreed and not agreed:
                for number in {number for value in goal.facts.values() for number in re.findall(r"[\w:.-]*\d+", value)}:
                    if number in action:
                        raised = re.sub(r"\d+", lambda found: str(int(found[0]) + 1), number, count=1)
                        yield before.copy(), action, action.replace(number, raised)


def agreed_with_another_number(proposal: tuple[CustomerServiceEnv, str, str]) -> bool:
    env, _, wrong = proposal
    env.step(wrong)
    return env.state.customer.agreed
