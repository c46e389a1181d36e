"""What a product is worth to a buyer, and the probability of a yes, by hand."""

from __future__ import annotations

import pytest
from small_buyer import FLEX, PELL, case, world

from agentgym import ToolCall, TurnRng
from agentgym.envs.sales import value
from agentgym.envs.sales.buyer import Case
from agentgym.envs.sales.state import SalesState

BOTH = ((FLEX, "battery life", True), (FLEX, "weight", True))


def moment(of: Case, **changes: object) -> SalesState:
    return SalesState(of, 0, 20, of.buyer.trust).but(product=FLEX, **changes)


def test_worth_counts_needs_by_what_is_believed() -> None:
    # 600, and 200 + 100 where both are met; 30 % of a need that nobody spoke of; without the must nothing of the 600
    assert value.worth(case(), {"weight": True, "battery life": True}) == 90_000
    assert value.worth(case(), {}) == 69_000
    assert value.worth(case(), {"weight": True, "battery life": False}) == 80_000
    assert value.worth(case(), {"weight": False, "battery life": True}) == 10_000


def test_the_most_that_is_surely_paid_by_hand() -> None:
    # 900 − 50 for the doubt − 8 % of 940 = 75.20 of spread − 9 of delivery = 765.80; resolved: 815.80
    assert value.most(moment(case(), beliefs=BOTH), FLEX) == 76_580
    assert value.most(moment(case(), beliefs=BOTH, settled=frozenset({"breaks"})), FLEX) == 81_580
    # half the trust takes 10 % × 50 % of 940 = 47 off; a rival's offer its gain; the budget caps what is paid in all
    assert value.most(moment(case(trust=50), beliefs=BOTH), FLEX) == 76_580 - 4_700
    assert value.most(moment(case(gain=30), beliefs=BOTH), FLEX) == 76_580 - 3_000
    assert value.most(moment(case(budget=700), beliefs=BOTH), FLEX) == 69_100
    assert value.most(moment(case(trust=19), beliefs=BOTH), FLEX) == -1


@pytest.mark.parametrize(
    "price, chance",
    [(76_580, 1.0), (84_100, 0.5), (91_620, 0.0), (80_340, 0.75), (-1, 0.0)],  # it falls to 0 over 2 × 75.20
)
def test_the_chance_falls_over_twice_the_spread(price: int, chance: float) -> None:
    assert value.chance(moment(case(), beliefs=BOTH, price=price)) == pytest.approx(chance)


def test_nothing_is_bought_above_the_budget_or_on_a_lie_that_is_seen_through() -> None:
    sure = moment(case(), beliefs=BOTH, price=76_000)
    assert value.chance(sure) == 1.0
    assert value.chance(moment(case(budget=768), beliefs=BOTH, price=76_000)) == 0.0  # 769 with the delivery
    lied = sure.but(product=PELL, beliefs=((PELL, "battery life", True), (PELL, "weight", True)), price=51_000)
    assert value.seen_through(lied) == "weight" and value.chance(lied) == 0.0  # it weighs 1.9 kg
    assert value.chance(lied.but(case=case(careful=False))) == 1.0  # 900 − 50 − 49.60 − 9 = 791.40


def test_the_chance_is_the_share_of_yeses() -> None:
    env = world()
    state = env.state.but(product=FLEX, beliefs=BOTH, price=80_340)
    assert env.potential(state) == pytest.approx(0.75)
    said = [env.apply(state, ToolCall("close"), TurnRng(seed))[0].outcome is not None for seed in range(400)]
    assert abs(sum(said) / 400 - 0.75) < 0.07  # three standard deviations: 3 × √(0.75 × 0.25 / 400) = 0.065


def test_nothing_is_drawn_where_the_answer_is_certain() -> None:
    env = world()
    for price, sold in ((76_580, True), (92_000, False)):
        rng = TurnRng(1)
        turn, _, _ = env.apply(env.state.but(product=FLEX, beliefs=BOTH, price=price), ToolCall("close"), rng)
        assert (turn.outcome is not None) is sold and rng.draws == 0


def test_who_can_be_won_and_why_others_cannot() -> None:
    assert value.best(case()) == FLEX and value.blocks(case()) == frozenset()
    assert value.informed(case(), FLEX) == 81_580
    assert value.informed(case(), PELL) == 4_140  # 100 − 49.60 − 9: without the must
    assert value.blocks(case(budget=500)) == {"budget"}
    assert value.blocks(case(gain=200, rival="Kestrel Outlet", rival_price=400)) == {"rival"}
    light = [{"attribute": "weight", "value": 1.3, "worth": 200, "must": True}]
    assert value.blocks(case(needs=light, base=900)) == {"weight"}


def test_doubts_that_nothing_true_resolves_stay() -> None:
    assert value.answerable(case(doubts={"breaks": 5, "rival": 5, "think": 5}), FLEX) == {"breaks", "rival", "think"}
    assert value.answerable(case(doubts={"rival": 5}, needs=[]), FLEX) == frozenset()


def test_what_the_buyer_really_gains() -> None:
    assert value.gained(case(), FLEX, 80_000) == 90_000 - 80_900
    assert value.gained(case(), PELL, 51_000) == 10_000 - 51_900  # mis-sold
