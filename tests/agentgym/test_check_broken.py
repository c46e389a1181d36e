"""Each deliberately broken world breaks its rule and no other."""

from __future__ import annotations

from typing import Any

import pytest
from broken_envs import contract

from agentgym import AgentEnv
from agentgym.check import check

CASES = [(name, world) for found in (contract.BROKEN,) for name, worlds in found.items() for world in worlds]


@pytest.mark.parametrize(("name", "world"), CASES, ids=[f"{name}: {world.__name__}" for name, world in CASES])
def test_a_broken_world_breaks_its_rule_alone(name: str, world: type[AgentEnv[Any]]) -> None:
    report = check(world)
    assert report.broken == [name], str(report)
