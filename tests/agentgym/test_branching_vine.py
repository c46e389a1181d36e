"""collect(branching=Vine()): values by fresh continuations, against the tree and against values by hand."""

import numpy as np
import pytest

from agentgym import RewardSpec, RolloutError, TurnBatch, collect, credit
from agentgym.branching import Vine
from agentgym.fidelity import FidelityError, fork_values, true_advantages
from tests.agentgym.fidelity_worlds import Corridor, Slippery, Tilted
from tests.agentgym.test_branching_slate import Broken, Counting, Script


@pytest.mark.parametrize(("world", "rewards"), [(Corridor, "total"), (Slippery, "outcome")])
def test_values_agree_with_the_tree_within_three_standard_errors(world, rewards):
    batch = collect(world, Tilted(), group_size=3, seed=3, noise="own", branching=Vine(k=300, rewards=rewards))
    tree = true_advantages(batch, Tilted(), env=world(), objective=rewards, method="tree", chance=512)
    # Returns lie in [-0.2, 1.2]: their std is at most 0.7, and that of the mean of 300 at most 0.7/√300.
    spread = 0.7 / 300**0.5
    apart = np.abs(batch.value - tree.value)
    assert (apart <= 3 * np.hypot(spread, tree.stderr)).all()
    assert apart.max() > 0
    # So the estimate is near the truth: it replaces Q by one draw of the world, which in a world without noise is Q.
    if world is Corridor:
        made = credit.vine(batch, rewards=rewards).total
        assert np.abs(made - tree.advantage).max() <= 6 * spread


def test_values_and_cost_by_hand():
    # It always goes right: from 1 two turns to the goal, from 2 one. Each moment is valued once, by 4 continuations:
    # 4·2 + 4·1 turns. Total return from 1: 0.1 + 0.1 + 1, from 2: 0.1 + 1; the outcome alone: 1.
    batch = collect(Corridor, Tilted(1.0), tasks=["one"], group_size=2, branching=Vine())
    assert batch.value == pytest.approx([1.2, 1.1] * 2)
    assert batch.meta["branching"] == {"scheme": "vine", "k": 4, "rewards": "total", "steps": 12}
    assert credit.vine(batch).total == pytest.approx([0.0] * 4)
    outcome = collect(Corridor, Tilted(1.0), tasks=["one"], group_size=1, branching=Vine(k=1, rewards="outcome"))
    assert outcome.value.tolist() == [1.0, 1.0]
    assert outcome.meta["branching"]["steps"] == 3
    assert credit.vine(outcome, rewards="outcome").total.tolist() == [0.0, 0.0]


def test_the_batch_is_that_of_collect_with_one_column_more():
    plain = collect(Slippery, Tilted(), group_size=3, seed=3)
    valued = collect(Slippery, Tilted(), group_size=3, seed=3, branching=Vine(k=2))
    assert valued.without("value").to_rows() == plain.to_rows()
    assert Vine(k=2).fill(plain, Tilted(), env=Slippery()) == valued


@pytest.mark.parametrize("max_live", [1, 3])
def test_the_values_do_not_depend_on_what_else_is_played(max_live):
    whole = collect(Slippery, Tilted(), group_size=3, seed=3, branching=Vine(k=2))
    assert collect(Slippery, Tilted(), group_size=3, seed=3, branching=Vine(k=2), max_live=max_live) == whole
    alone = collect(Slippery, Tilted(), tasks=["two"], group_size=3, seed=4, branching=Vine(k=2))
    assert whole.value[[task == "two" for task in whole.task]].tolist() == alone.value.tolist()


def test_its_draws_are_not_those_of_the_truth():
    batch = collect(Slippery, Tilted(), group_size=2)
    truth = true_advantages(batch, Tilted(), env=Slippery(), method="forks", continuations=4, objective="total")
    values, _ = fork_values(batch, Tilted(), env=Slippery())
    assert values.tolist() != truth.value.tolist()
    assert values.tolist() != fork_values(batch, Tilted(), env=Slippery(), seed=1)[0].tolist()


def test_a_policy_with_a_memory_goes_on_from_what_it_remembered():
    # Right, left, right by its own count: places 2, 1, 2, then time is up at 2, which pays a half; turn rewards
    # 0.1 - 0.1 + 0.1. The same from each moment on, with the memory of that moment: 0.6, 0.5, 0.6.
    policy = Counting()
    batch = collect(Corridor, policy, tasks=["one"], group_size=2, branching=Vine(k=2))
    assert batch.action.tolist() == ["right", "left", "right"] * 2
    assert batch.value == pytest.approx([0.6, 0.5, 0.6] * 2)


def test_a_log_keeps_the_rollouts(tmp_path):
    options = {"tasks": ["one"], "group_size": 2, "branching": Vine(k=2)}
    batch = collect(Slippery, Tilted(), log=tmp_path / "log.jsonl", **options)
    assert TurnBatch.from_log(tmp_path / "log.jsonl").to_rows() == batch.without("value").to_rows()


def test_continuations_that_fail_leave_the_rollouts():
    with pytest.raises(RolloutError, match="the continuations failed") as caught:
        collect(Broken, Script("right"), tasks=["one"], group_size=1, branching=Vine(), env_kwargs={"max_turns": 1})
    assert len(caught.value.batch) == 1


def test_no_rollouts_no_values():
    batch = collect(Broken, Script("break"), tasks=["one"], group_size=1, branching=Vine(), max_lost=1.0)
    assert len(batch) == 0
    assert batch.meta["branching"]["steps"] == 0


def test_bad_arguments():
    with pytest.raises(ValueError, match="k must be an integer of at least 1"):
        Vine(k=0)
    with pytest.raises(ValueError, match=r"'outcomes' of rewards.*outcome"):
        Vine(rewards="outcomes")
    batch = collect(Corridor, Tilted(), tasks=["one"], group_size=1)
    for options, message in (({"continuations": 0}, "continuations must be"), ({"objective": "x"}, "objective")):
        with pytest.raises(ValueError, match=message):
            fork_values(batch, Tilted(), env=Corridor(), **options)
    with pytest.raises(FidelityError, match="the batch has no rows"):
        fork_values(collect(Broken, Script("break"), tasks=["one"], group_size=1, max_lost=1.0), Tilted())


def test_values_are_known_to_be_of_their_return_wherever_the_batch_goes():
    one, two = (
        collect(Corridor, Tilted(1.0), tasks=["one"], group_size=n, branching=Vine(k=n, rewards="outcome"))
        for n in (1, 2)
    )
    joint = TurnBatch.concat([one, two], relabel=True)  # they differ in steps, and agree in the return
    for batch in (one, joint):
        assert batch.meta["value"] == {"scheme": "vine", "rewards": "outcome"}
        for name in ("vine", "gae"):
            # Always right: from every state the outcome is 1, so that no turn changed anything.
            assert credit.estimate(name, batch, rewards="outcome").total.tolist() == [0.0] * len(batch)
            with pytest.raises(ValueError, match="are of rewards='outcome' and the estimate asks for 'total'"):
                credit.estimate(name, batch)
    total = collect(Corridor, Tilted(1.0), tasks=["one"], group_size=1, branching=Vine(k=1))
    with pytest.raises(ValueError, match="differ in meta\\['value'\\]: rewards 'outcome' and 'total'"):
        TurnBatch.concat([one, total], relabel=True)
    own = one.with_columns(value=[0.0, 0.0])  # values of one's own are of what one says
    assert "value" not in own.meta
    assert credit.gae(own).total.any()


def test_values_do_not_outlive_their_rewards():
    batch = collect(Corridor, Tilted(1.0), tasks=["one"], group_size=1, branching=Vine(k=1))
    again = batch.reweight(RewardSpec(default=2.0))
    assert "value" not in again
    assert "value" not in again.meta
    same = batch.reweight(Corridor.rewards)
    assert same.value.tolist() == batch.value.tolist()
    with pytest.raises(ValueError, match=r"base 'vine' reads the column value.*without the shaping"):
        credit.potential_shaping(batch.with_columns(potential=[0.0, 0.5], next_potential=[0.5, 1.0]), base="vine")
