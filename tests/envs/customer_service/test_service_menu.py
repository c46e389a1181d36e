"""The menu: what is on it, what is not yet, and that nothing marks the expert's action."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from little_shop import SHOP, sheets
from test_service_expert import start, world

from agentgym import TurnRng
from agentgym.envs.customer_service import menu, misses, offers, plan, quality
from agentgym.envs.customer_service.catalog import catalog, keys_of, tables_of
from agentgym.envs.customer_service.env import CustomerServiceEnv, written
from agentgym.envs.customer_service.sheet import AGENT, Call, Tell
from agentgym.envs.customer_service.state import ServiceState, case_of


def along(env: CustomerServiceEnv, task: str) -> list[ServiceState]:
    """Return the states on the expert's way through a task."""
    states = [env.initial(env.panel.task(task), TurnRng(0)).state]
    while True:
        turn, _, _ = env.apply(states[-1], env.advice(states[-1]), TurnRng(0))
        if turn.outcome is not None:
            return states
        states.append(turn.state)


def test_the_experts_action_is_on_every_menu_once_among_eight_to_twelve() -> None:
    env = world()
    for task in env.panel["train"]:
        for state in along(env, task.id):
            offered = env.menu(state)
            assert offered.count(env.expert(state)) == 1
            assert len(set(offered)) == len(offered)
            assert 8 <= len(offered) <= menu.SIZE
            assert list(menu.entries(state)) == sorted(menu._made(state), key=str)  # remembered as it is made
            assert offered == env.menu(state)


@pytest.mark.parametrize("domain", ["retail", "airline", "telecom"])
def test_menus_of_the_shipped_domains_hold_the_experts_action(domain: str) -> None:
    env = CustomerServiceEnv(domain=domain)
    for task in env.panel["dev"][::8]:
        for state in along(env, task.id):
            offered = env.menu(state)
            assert offered.count(env.expert(state)) == 1
            assert len(offered) == menu.SIZE


def test_random_play_never_leaves_the_menu_without_a_choice() -> None:
    env = world()
    for task in env.panel["train"]:
        rng = TurnRng(3, stream=task.id)
        state = env.initial(task, rng).state
        for _ in range(15):
            offered = env.menu(state)
            assert env.expert(state) in offered
            turn, valid, _ = env.apply(state, rng.choice(offered), rng)
            assert valid
            if turn.outcome is not None:
                break
            state = turn.state


def texts_of(state: ServiceState) -> list[str]:
    return [entry for entry in menu.entries(state) if isinstance(entry, str)]


def calls_of(state: ServiceState) -> list[Call]:
    return [entry for entry in menu.entries(state) if isinstance(entry, Call)]


def test_the_right_write_is_not_on_offer_before_it_can_be_known() -> None:
    first, *_, last, _ = along(world(), "cancel/0")
    right = first.case.golds[-1]
    assert right.name == "cancel_order"
    assert right not in calls_of(first)
    assert any(call.name == "cancel_order" for call in calls_of(first))  # but near misses are
    assert right in calls_of(last)
    assert any(call.name == right.name and call != right for call in calls_of(last))


def test_right_figures_are_not_on_offer_before_they_were_looked_up() -> None:
    # c-1's second order costs 12.25; its goal comes after the doorbell's
    states = [state for state in along(world(), "quiet/0") if state.number == 1]
    before, after = states
    assert plan.next_step(before).kind == plan.CALL
    assert not [text for text in texts_of(before) if "12.25" in text]
    assert [text for text in texts_of(before) if "The price was" in text]
    assert [text for text in texts_of(after) if "12.25" in text]


def test_every_kind_of_act_is_on_offer_whatever_is_due() -> None:
    for state in along(world(), "cancel/0"):
        kinds = {SHOP.tools[call.name].tag for call in calls_of(state)}
        assert kinds == {"read", "write"}
        assert any(text.endswith("?") for text in texts_of(state))
        refusals = [line for lines in SHOP.voice.refuses.values() for line in lines]
        assert set(refusals) & set(texts_of(state))


def test_what_the_customer_told_is_repeated_right_or_with_a_slip() -> None:
    state = start("cancel/0")
    assert set(offers.NOTHING) <= set(texts_of(state))
    told = replace(state, customer=replace(state.customer, told=frozenset({"email", "order"})))
    echoes = [
        text for text in texts_of(told) if text.startswith(("So ", "You said", "I have noted", "Let me see", "Thank"))
    ]
    assert len(echoes) == 2
    assert all("ada@example.org" in text and "o-1" in text for text in echoes)
    assert offers.listed(["a"]) == "a"
    assert offers.listed(["a", "b", "c"]) == "a, b and c"


# ---- near misses -----------------------------------------------------------------------------------------------------


def test_near_calls_differ_in_one_argument() -> None:
    case = start("cancel/0").case
    right = case.golds[-1]
    found = misses.near_calls(case, right, TurnRng(0))
    for call in found:
        assert call.name == right.name
        assert sum(call.arguments[name] != value for name, value in right.arguments.items()) == 1
    # the customer's other order, and the tool's other reason
    others = {value for call in found for value in call.arguments.values()} - set(right.arguments.values())
    assert others == {"o-12", *({"no longer needed", "ordered by mistake"} - {right.arguments["why"]})}


def test_other_values_follow_the_kind_of_the_value() -> None:
    case = start("cancel/0").case

    def others(tool: str, **arguments: Any) -> list[Any]:
        call = Call(tool, arguments)
        return [made.arguments for made in misses.near_calls(case, call, TurnRng(1))]

    assert others("switch_bell", bell_id="b-1", on=True)[0].keys() == {"bell_id", "on"}
    assert {"bell_id": "b-1", "on": False} in others("switch_bell", bell_id="b-1", on=True)
    # a street that is no key and in no other talk: one digit is another
    (street,) = [found["street"] for found in others("move_order", order_id="o-11", street="7 Elm Row") if
                 found["order_id"] == "o-11"]  # fmt: skip
    assert street[1:] == " Elm Row"
    assert street[0] != "7"


def test_records_of_strangers_stand_in_where_the_talk_knows_no_other() -> None:
    case = start("cancel/0").case
    assert misses.siblings(case, "o-11") == ("o-12",)
    bells = misses.siblings(case, "b-1")  # the customer has one bell
    assert bells and "b-1" not in bells
    assert set(bells) <= set(keys_of(case.start)["bells"])
    assert misses.siblings(case, "no key") == ()
    assert misses.known_keys(case)["orders"] == ("o-11", "o-12")


def test_other_tells_are_wrong_in_one() -> None:
    case = start("too_late/0").case
    tells = (Tell("price", "11.25"), Tell("other", "7 days"))
    for seed in range(8):
        wrong = misses.other_tells(case, tells, TurnRng(seed))
        assert sum(one != other for one, other in zip(tells, wrong, strict=True)) == 1
    assert misses.other_tells(case, (), TurnRng(0)) == ()
    assert misses.slip(["no digit"], TurnRng(0)) == []
    (slipped,) = misses.slip(["o-11"], TurnRng(0))
    assert slipped[:3] == "o-1"
    assert slipped != "o-11"


def test_another_talks_call_gets_the_records_of_this_one() -> None:
    case = start("cancel/0").case
    call = Call("move_order", {"order_id": "o-41", "street": "3 Mill Lane"})
    found = {misses.adapted(case, call, case.goals[0], TurnRng(seed)).arguments["order_id"] for seed in range(12)}
    assert found == {"o-11", "o-12"}


def test_near_misses_that_tools_refuse_come_last() -> None:
    case = start("cancel/0").case
    near = offers._near_writes(case, 0, 0)
    refused = [SHOP.call(case.start, call).error for call in near]
    assert refused == sorted(refused)
    assert set(refused) == {True, False}


# ---- the catalogue ---------------------------------------------------------------------------------------------------


def test_the_catalogue_holds_what_occurs_in_the_families() -> None:
    known = catalog(SHOP)
    assert set(known.writes) == {"cancel", "move", "quiet"}
    assert {call.name for call in known.reads} == {"find_customer", "get_order"}
    assert set(known.facts["street"]) == {"3 Mill Lane", "9 Quay Street"}
    # each customer's first order costs 10.25 times the customer's number and 1, the second one more
    assert {"11.25", "21.50", "31.75", "42.00"} <= set(known.tells["price"])
    assert catalog(SHOP) is known
    assert tables_of(SHOP.database)["o-11"] == "orders"


# ---- what is measured of menus ---------------------------------------------------------------------------------------


def test_marks_count_what_they_say() -> None:
    offered = ["<tool_call>a 12", "Yes, it is 12.", "Which one?"]
    found = quality.marks(offered, "It is number 12")
    assert found["first"] == [0.0, -1.0, -2.0]
    assert found["most length"] == [15.0, 14.0, 10.0]
    assert found["least length"] == [-15.0, -14.0, -10.0]
    assert found["most punctuation"] == [2.0, 2.0, 1.0]  # < and >; the comma and the stop; the question mark
    assert found["most digits"] == [2.0, 2.0, 0.0]
    assert found["most words shared with what was said last"] == [1.0, 3.0, 0.0]  # 12; it, is, 12
    assert found["calls of tools"] == [1.0, 0.0, 0.0]
    assert found["questions"] == [0.0, 0.0, 1.0]


def test_a_menu_that_gives_the_right_action_away_is_found_out() -> None:
    class Telling(CustomerServiceEnv):
        def menu(self, state: ServiceState) -> list[str]:
            right = self.expert(state)
            return [entry for entry in super().menu(state) if entry == right or len(entry) < len(right)]

    env = Telling(domain="little_shop:SHOP", tasks=world().panel)
    found = {row.name.partition(": ")[2]: row for row in quality.of_menus(env, env.panel["train"][:4])}
    longest = found["times chance, who takes the most length is right"]
    assert longest.value > 1.5
    assert not longest.holds
    assert not found["entries of the smallest menu"].holds


def test_what_is_promised_holds_in_the_little_shop() -> None:
    env = world()
    rows = {row.name.partition(": ")[2]: row for row in quality.measure(env, env.panel["train"])}
    assert rows["tasks that the expert solves, per cent"].value == 100.0
    assert rows["rules that it breaks"].value == 0
    assert rows["tasks that the empty action solves"].value == 0
    assert rows["menus without the expert's action, or with it twice"].value == 0


def test_a_case_without_goals_of_the_agent_has_a_menu() -> None:
    sheet = sheets("quiet")[0]
    case = case_of("bell", SHOP, replace(sheet, identify=()))
    state = replace(start("quiet/0"), case=case)
    assert written(menu.entries(state)[0])
    assert all(call.side == AGENT for call in calls_of(state))
