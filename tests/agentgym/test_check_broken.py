"""Each deliberately broken world breaks its rule and no other; that it breaks its rule, the mutations say too."""

from __future__ import annotations

from typing import Any

import pytest
from broken_envs.all import CASES

from agentgym import AgentEnv
from agentgym.check import RULES, check

IDS = [f"{name}: {world.__name__}" for name, world in CASES]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "world"), CASES, ids=IDS)
def test_a_broken_world_breaks_its_rule_alone(name: str, world: type[AgentEnv[Any]]) -> None:
    report = check(world)
    assert report.broken == [name], str(report)


@pytest.mark.parametrize(("name", "world"), CASES[::15], ids=IDS[::15])
def test_some_break_no_other_rule_that_needs_no_process(name: str, world: type[AgentEnv[Any]]) -> None:
    rules = [rule for rule in RULES if rule == name or rule not in ("panel", "processes", "elsewhere")]
    report = check(world, rules=rules)
    assert report.broken == [name], str(report)


def test_every_rule_has_a_world_that_breaks_it() -> None:
    assert {name for name, _ in CASES} == set(RULES)
    assert len({world for _, world in CASES}) == len(CASES) >= 25
