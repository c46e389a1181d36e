"""Values for vine by continuations, in a world that can be counted through."""

from __future__ import annotations

import bench_world
import numpy as np

from agentgym import credit
from agentgym.baselines.columns import MAKERS, Crew, plan
from agentgym.baselines.policies import ExpertPolicy, RandomPolicy
from agentgym.branching import Vine
from agentgym.rollout import build, collect

bench_world.register()


def test_a_crew_values_what_it_played_for_vine_alone() -> None:
    world = build(bench_world.ENV)
    found = plan(MAKERS, credit.info("vine"), collect(world, RandomPolicy(), tasks=1, group_size=2).columns)
    assert found.missing == ()
    assert [maker.where for maker in found.makers] == ["agentgym.baselines.continuations:VinePolicy"]
    assert not [maker for maker in plan(MAKERS, credit.info("gae")).makers if maker.only]
    crew = Crew(RandomPolicy(), found.makers)
    batch = collect(world, crew.policy, tasks=2, group_size=3)
    [made] = crew.make(batch, world, [found])
    assert made.value.tolist() == Vine().fill(batch, RandomPolicy()).value.tolist()
    assert np.isfinite(credit.estimate("vine", made).total).all()


def test_the_acting_policy_goes_on_not_another() -> None:
    # The expert wins in every rollout alike, so V is what a rollout went on to earn and every advantage is 0.
    world = build(bench_world.ENV)
    found = plan(MAKERS, credit.info("vine"))
    crew = Crew(ExpertPolicy(), found.makers)
    batch = collect(world, crew.policy, tasks=2, group_size=1)
    [made] = crew.make(batch, world, [found])
    assert np.allclose(credit.estimate("vine", made).total, 0.0)


def test_continuations_are_no_business_of_the_other_makers_nor_of_the_record() -> None:
    world = build(bench_world.ENV, signals=("describe", "menu"))
    makers = [plan(MAKERS, credit.info(name)).makers for name in ("hcapo", "vine")]
    crew = Crew(RandomPolicy(), [maker for each in makers for maker in each])
    batch = collect(world, crew.policy, tasks=5, group_size=1)
    seen = [len(actor.features._contexts) for actor in crew._actors.values()]
    [made] = crew.make(batch, world, [plan(MAKERS, credit.info("vine"))])
    assert [len(actor.features._contexts) for actor in crew._actors.values()] == seen
    assert made.value.tolist() == Vine().fill(batch, RandomPolicy()).value.tolist()
    assert made.meta["env"] == batch.meta["env"]
