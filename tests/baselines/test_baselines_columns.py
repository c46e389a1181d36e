"""Who makes which column, in which order, for which estimator; what nobody makes is named."""

from __future__ import annotations

from typing import Any

import bench_world
import numpy as np
import pytest

from agentgym import credit
from agentgym.baselines.columns import MAKERS, Actor, Crew, Maker, Plan, offered, plan, reason
from agentgym.baselines.policies import RandomPolicy
from agentgym.batch import COLUMNS, TurnBatch
from agentgym.credit.registry import Estimator
from agentgym.rollout import build, collect

bench_world.register()
HERE = __name__


class Halves(Actor):
    """Says 0.5 everywhere, and counts how often it was asked."""

    asked = 0

    def make(self, batch: TurnBatch, world: Any) -> TurnBatch:
        type(self).asked += 1
        return batch.with_columns(value=np.full(len(batch), 0.5), value_low=np.full(len(batch), 0.25))


class Doubles(Actor):
    """Reads what Halves made."""

    def make(self, batch: TurnBatch, world: Any) -> TurnBatch:
        return batch.with_columns(value_high=2.0 * batch.value)


HALVES = Maker(("value", "value_low"), f"{HERE}:Halves", signals=("potential",))
DOUBLES = Maker(("value_high",), f"{HERE}:Doubles", reads=("value", "menu"))


def reading(*needs: str, name: str = "mine") -> Estimator:
    return Estimator(name, lambda batch: np.asarray(batch[needs[0]]), "", needs)


def test_a_plan_holds_the_makers_in_order_with_those_that_they_read() -> None:
    found = plan((HALVES, DOUBLES), reading("value_high", "turn_reward"), ["turn_reward", "menu"])
    assert found == Plan((HALVES, DOUBLES), ())
    assert found.signals == ("potential",)
    # what the record has is not made: Halves is not needed where somebody gave the value
    assert plan((HALVES, DOUBLES), reading("value_high"), ["value", "menu"]).makers == (DOUBLES,)


def test_what_nobody_makes_is_missing_each_once() -> None:
    assert plan((HALVES, DOUBLES), reading("value_high", "menu", "potential"), []).missing == (
        "menu", "potential",
    )  # fmt: skip
    assert plan((DOUBLES, HALVES), reading("value_high"), ["menu"]).missing == ("value",)  # only makers before it
    assert reason("mine", ["potential"], "w") == (
        "estimator 'mine' needs the column 'potential'; rollouts of w do not have it"
    )
    assert reason("mine", ["a", "b"], "w").endswith("needs the columns 'a', 'b'; rollouts of w do not have them")


def test_of_two_makers_the_later_one_is_asked_and_only_for_its_estimators() -> None:
    special = Maker(("value",), "somewhere:Special", only=("vine",))
    makers = (HALVES, special)
    assert plan(makers, reading("value", name="vine")).makers == (special,)
    assert plan(makers, reading("value", name="gae")).makers == (HALVES,)
    assert plan((HALVES, DOUBLES, Maker(("value_high",), "x:y")), reading("value_high")).makers[0].where == "x:y"


def test_options_decide_what_is_read() -> None:
    """hcapo reads the policy's own log-probabilities in one of its variants alone."""
    hcapo = credit.info("hcapo")
    have = ["turn_reward", "outcome_reward", "success"]
    assert plan(MAKERS, hcapo, have).missing == ()
    assert plan(MAKERS, hcapo, have, {"variant": "policy_ratio"}).missing == ("logprob",)


def test_a_crew_plays_as_its_policy_and_a_maker_works_once_for_all_plans() -> None:
    world = build(bench_world.ENV)
    crew = Crew(RandomPolicy(), [HALVES, DOUBLES, HALVES])
    batch = collect(world, crew.policy, tasks=2, group_size=3, seed=1)
    assert batch.action.tolist() == collect(world, RandomPolicy(), tasks=2, group_size=3, seed=1).action.tolist()
    Halves.asked = 0
    have = batch.columns
    plans = [plan((HALVES, DOUBLES), reading(*needs), have) for needs in (("value",), ("value_high",), ("action",))]
    one, two, three = crew.make(batch, world, plans)
    assert Halves.asked == 1
    assert one.value.tolist() == [0.5] * len(batch)
    assert two.value_high.tolist() == [1.0] * len(batch)
    assert "value_high" not in one
    assert three == batch
    crew.forget()


def test_ragged_columns_travel_between_batches() -> None:
    batch = collect(build(bench_world.ENV), RandomPolicy(), tasks=1, group_size=2)
    more = batch.with_columns(rubric_scores=[[1.0] * (row % 3) for row in range(len(batch))])
    again = batch.with_columns({"rubric_scores": more["rubric_scores"]})
    assert again == more


def test_only_signals_that_a_world_offers_are_asked_for() -> None:
    world = build(bench_world.ENV)
    assert offered(world, ["potential", "menu", "describe", "menu", "anything"]) == ["menu", "describe"]


@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: ", ".join(maker.gives))
def test_the_makers_are_there_and_give_columns_of_the_schema(maker: Maker) -> None:
    assert set(COLUMNS) >= {*maker.gives, *maker.reads}
    assert isinstance(maker.begin(RandomPolicy()), Actor)
    assert set(maker.only) <= set(credit.names())
