"""No simulator error over the gold dialogues and over aimless play of every domain; and the audit finds such errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from toy_service import BOOKSHOP, Talk, cancel, faster, returning, sheet, total

from agentgym import TurnRng
from agentgym.action import Say
from agentgym.envs.customer_service.customer.audit import audit
from agentgym.envs.customer_service.customer.talk import Reaction, View, goal_of, opening, react
from agentgym.envs.customer_service.env import CustomerServiceEnv
from agentgym.envs.customer_service.tasks import DOMAINS

Choose = Callable[[CustomerServiceEnv, Any, TurnRng], str]


def errors(env: CustomerServiceEnv, task: Any, choose: Choose) -> tuple[list[str], bool, int]:
    """Play a task: the customer's errors in all turns, whether the agent succeeded, how many messages there were."""
    state, found, messages = env.initial(task, TurnRng(3)).state, [], 0
    for number in range(env.max_turns):
        rng = TurnRng(3, 0, number)
        action = choose(env, state, rng)
        turn, _, parsed = env.apply(state, action, rng)
        if isinstance(parsed, Say):
            view = View(state.database, state.looked, state.served)
            before, case = state.customer, state.case
            reaction = react(case.domain, case.sheet, before, parsed.text, view)
            assert (reaction.text, reaction.state) == (turn.observation, turn.state.customer)
            found += audit(case.domain, case.sheet, before, parsed.text, view, reaction)
            messages += 1
        if turn.outcome is not None:
            return found, turn.outcome.success, messages
        state = turn.state
    return found, False, messages


def by_expert(env: CustomerServiceEnv, state: Any, rng: TurnRng) -> str:
    return env.expert(state)


def by_chance(env: CustomerServiceEnv, state: Any, rng: TurnRng) -> str:
    return rng.choice(env.menu(state))


def tasks(env: CustomerServiceEnv, every: int) -> Iterator[Any]:
    yield from env.panel["test"][::every]


@pytest.mark.parametrize("domain", DOMAINS)
def test_gold_dialogues_are_without_errors(domain: str) -> None:
    env = CustomerServiceEnv(domain=domain, train=1)
    for task in tasks(env, 12):
        assert errors(env, task, by_expert)[:2] == ([], True), task.id


@pytest.mark.slow
@pytest.mark.parametrize("domain", DOMAINS)
def test_every_gold_dialogue_is_without_errors(domain: str) -> None:
    env = CustomerServiceEnv(domain=domain, train=1)
    for task in tasks(env, 1):
        assert errors(env, task, by_expert)[:2] == ([], True), task.id


@pytest.mark.parametrize("domain", DOMAINS)
def test_aimless_play_meets_no_errors(domain: str) -> None:
    env = CustomerServiceEnv(domain=domain, train=1)
    messages = 0
    for task in tasks(env, 16):
        found, _, count = errors(env, task, by_chance)
        messages += count
        assert found == [], task.id
    assert messages > 50


def turn(talk: Talk, text: str) -> tuple[Reaction, Callable[..., list[str]]]:
    """The reaction to a message, and the audit of a changed one."""
    before, view = talk.state, talk.view()
    reaction = react(BOOKSHOP, talk.sheet, before, text, view)
    return reaction, lambda **changes: audit(BOOKSHOP, talk.sheet, before, text, view, reaction._replace(**changes))


def test_a_false_fact_is_found() -> None:
    reaction, audited = turn(Talk(sheet(cancel())), "What is your e-mail?")
    assert audited() == []
    wrong = reaction.text.replace("ada@engine.example", "eve@engine.example")
    assert len([error for error in audited(text=wrong) if error.startswith("false")]) == 1
    assert len([error for error in audited(text=wrong) if error.startswith("withheld")]) == 1
    assert audited(text=reaction.text + " The order is B-12.") != []  # another order than the sheet's


def test_another_value_of_a_choice_is_found() -> None:
    reaction, audited = turn(Talk(sheet(faster(speed="fast"))), "Which shipping would you like?")
    assert "fast" in reaction.text
    assert [error[:5] for error in audited(text="I'd take slow post, not a fast one.")] == []
    assert "false" in {error[:5] for error in audited(text="I'd take slow post.")}


def test_a_withheld_fact_is_found() -> None:
    reaction, audited = turn(Talk(sheet(cancel())), "Name and postcode, please?")
    assert audited(text="I'm Ada Byron.") == [
        "withheld: postcode was asked for, and 'NW1 4RY' is not in \"I'm Ada Byron.\""
    ]
    assert audited(text="I won't say.", state=reaction.state)[0].startswith("withheld: name")


def test_an_unasked_change_of_goal_is_found() -> None:
    talk = Talk(sheet(cancel(), total()))
    reaction, audited = turn(talk, "Please hold on.")
    moved = replace(reaction.state, goal=1)
    assert "no change of mind is in the sheet" in " ".join(audited(state=moved))
    settled = replace(moved, results=("served",))
    assert any("before its writes and tells" in error for error in audited(state=settled))
    skipped = replace(reaction.state, goal=2, results=("served", "served"))
    assert any("results went from" in error for error in audited(state=skipped))


def test_an_early_end_is_found() -> None:
    reaction, audited = turn(Talk(sheet(cancel(), total())), "Shall I cancel order B-10?")
    assert reaction.kind == "agreed"
    found = audited(state=replace(reaction.state, ended=True))
    assert "the talk ended before all goals were settled" in found
    assert "the talk ended in the turn of a yes" in found
    assert audited(state=replace(reaction.state, ended=True, patience=0)) == ["the talk ended in the turn of a yes"]


def test_giving_in_without_ground_is_found() -> None:
    talk = Talk(sheet(cancel(), total()))
    reaction, audited = turn(talk, "No, sorry, that is not possible.")
    assert reaction.kind == "pushed"
    gone = replace(reaction.state, goal=1, results=("refused",))
    assert any("given up though it is allowed" in error for error in audited(state=gone))
    forbidden, audited = turn(Talk(sheet(returning(), total())), "No.")
    dropped = replace(forbidden.state, goal=1, results=("dropped",))
    assert any("without the right reason" in error for error in audited(state=dropped))


def test_going_on_after_the_end_is_found() -> None:
    wanted = sheet(cancel())
    state, _ = opening(BOOKSHOP, wanted, 1)
    ended = replace(state, goal=1, results=("served",), ended=True)
    view = View(BOOKSHOP.database, frozenset(), False)
    silent = react(BOOKSHOP, wanted, ended, "Hello?", view)
    assert audit(BOOKSHOP, wanted, ended, "Hello?", view, silent) == []
    assert audit(BOOKSHOP, wanted, ended, "Hello?", view, silent._replace(text="Yes?")) != []
    assert goal_of(wanted, ended) is None
