"""A wrapped loop gives byte for byte the advantages that estimate gives on the rollouts as collect records them."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics
from wrapper_loops import KINDS, MODES, Expected, by_member, check, infra, play_single, play_vector, reference, vector

from agentgym import credit
from agentgym.wrappers import RecordTurns, RewardTerms, StepGroupAdvantage, TurnAdvantage

ESTIMATORS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("mt_grpo", {}),
    ("mt_grpo", {"variant": "own_turn", "coef": 0.5}),
    ("gigpo", {}),
    ("gigpo", {"preset": "verl_agent", "step_weight": 0.5}),
    ("grpo", {"preset": "trl"}),
    ("state_graph", {}),
)


@pytest.mark.parametrize("estimator, options", ESTIMATORS, ids=str)
@pytest.mark.parametrize("name", ["Counter", "Dice", "Talk", "Shop", "Ledger"])
def test_one_world(name: str, estimator: str, options: dict[str, Any]) -> None:
    env = TurnAdvantage(gymnasium.make(f"test/{name}-v0"), estimator, group_size=4, **options)
    came = play_single(env, name, 4, groups=3, seed=11)
    assert len(came) == 12
    assert len({played[:2] for played, _ in came}) == 3  # another start for every group
    check(came, Expected(name, 4, estimator, options))
    if name not in ("Dice", "Ledger"):  # these pay equally whatever is said
        assert any(values.any() for _, values in came)


@pytest.mark.parametrize("name", ["Counter", "Dice", "Talk"])
@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
@pytest.mark.parametrize("kind", KINDS[:2])
def test_vectors(kind: str, mode: AutoresetMode, name: str) -> None:
    size = 3
    envs = StepGroupAdvantage(vector(name, kind, mode, 6, size), group_size=None if kind == "group" else size)
    came = play_vector(envs, name, size, kind, mode, steps=40, seeds=[5, 6])
    assert len(came) >= 4 * size  # each group at least twice
    assert len({played[:2] for played, _ in came}) >= 4
    check(came, Expected(name, size, "gigpo"))
    assert any(values.any() for _, values in came)
    assert envs.dropped == envs.infra_errors == 0


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
def test_worlds_in_processes(mode: AutoresetMode) -> None:
    envs = TurnAdvantage(vector("Dice", "async", mode, 4, 2), group_size=2)
    try:
        came = play_vector(envs, "Dice", 2, "async", mode, steps=30, seeds=[7, 8])
    finally:
        envs.close()
    assert len(came) >= 8
    check(came, Expected("Dice", 2, "mt_grpo"))


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
@pytest.mark.parametrize("kind", KINDS[:2])
def test_episodes_that_the_infrastructure_ended_are_left_out_and_counted(kind: str, mode: AutoresetMode) -> None:
    envs = TurnAdvantage(vector("Flaky", kind, mode, 8, 4), "grpo", group_size=4)
    came = play_vector(envs, "Flaky", 4, kind, mode, steps=40, seeds=[1, 2])
    check(came, Expected("Flaky", 4, "grpo"))
    assert envs.infra_errors > 5 and envs.dropped == 0
    sizes = [sum(other[:2] == played[:2] for other, _ in came) for played, _ in came]
    assert {1, 2, 3} & set(sizes)  # groups of which some member failed had credit all the same


def test_one_world_whose_episodes_fail() -> None:
    env = TurnAdvantage(gymnasium.make("test/Flaky-v0"), "grpo", group_size=4)
    came = play_single(env, "Flaky", 4, groups=5, seed=1)
    check(came, Expected("Flaky", 4, "grpo"))
    failed = [played for played, _ in came if infra("Flaky", played)]
    assert env.infra_errors == len(failed) > 3
    assert all(len(values) == 0 for played, values in came if played in failed)
    assert all(len(values) > 0 for played, values in came if played not in failed)


def test_a_group_by_hand() -> None:
    # The task is to reach 2. One member goes up twice: R = 1 + 1 (progress) + 1 (outcome) = 3; the other quits at
    # once: R = 0. Mean 1.5, standard deviation 1.5, eps 1e-6: (3 − 1.5)/1.500001 = 0.99999933 and its negative.
    env = TurnAdvantage(gymnasium.make("test/Counter-v0"), "grpo", group_size=2)
    env.reset(seed=0, options={"task": "two"})
    env.step("up")
    assert env.step("up")[2]
    env.reset()
    info = env.step("quit")[4]
    first, second = info["credit"]
    assert first.tolist() == pytest.approx([0.99999933] * 2, abs=1e-8)
    assert second.tolist() == pytest.approx([-0.99999933], abs=1e-8)


@pytest.mark.parametrize("kind", KINDS[:2])
def test_other_wrappers_around_and_inside_change_no_credit(kind: str) -> None:
    mode = AutoresetMode.SAME_STEP
    inside: Any = RecordTurns(RecordEpisodeStatistics(vector("Counter", kind, mode, 4, 2)))
    envs = RewardTerms(TurnAdvantage(RewardTerms(inside, "sparse"), group_size=2))
    came = play_vector(envs, "Counter", 2, kind, mode, steps=25, seeds=[3, 4])
    assert len(came) >= 8
    check(came, Expected("Counter", 2, "mt_grpo"))


def test_a_function_is_an_estimator_too() -> None:
    def length(batch: Any, *, scale: float = 1.0) -> np.ndarray:
        return scale * batch.lengths[batch.rollout]

    env = TurnAdvantage(gymnasium.make("test/Counter-v0"), length, group_size=2, scale=2.0)
    for played, values in play_single(env, "Counter", 2, groups=2, seed=4):
        rows = by_member(batch := reference("Counter", *played[:2], 2), batch.turn)[played[2]]
        assert values.tolist() == [2.0 * len(rows)] * len(rows)


def test_signals_become_columns() -> None:
    gain = credit.column("next_potential", minus="potential")
    env = TurnAdvantage(gymnasium.make("test/Counter-v0", signals=("potential",)), gain, group_size=2)
    came = play_single(env, "Counter", 2, groups=2, seed=4)
    check(came, Expected("Counter", 2, gain, signals=("potential",)))
    assert any(values.any() for _, values in came)
