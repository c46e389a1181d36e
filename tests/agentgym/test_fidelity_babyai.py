"""Truth on real levels: the two methods agree, and the turns left count."""

import numpy as np
import pytest

from agentgym.baselines.policies import LogLinearPolicy, RandomPolicy
from agentgym.fidelity import Graphs, Judge, true_advantages
from agentgym.rollout import collect


class Forgetful(RandomPolicy):
    """The same policy without the promise: asked at every turn, with the menu in the episode's order."""

    stationary = False


@pytest.fixture(scope="module", params=["goto", "pickup"])
def batch(request):
    kwargs = {"level": request.param, "num_dists": 1, "max_turns": 10, "outcome": "binary"}
    return collect("agentgym/BabyAI-v0", RandomPolicy(), tasks=2, group_size=4, seed=1, env_kwargs=kwargs)


def test_tree_and_forks_agree_within_three_standard_errors(batch) -> None:
    small = batch.select(np.isin(batch.trajectory, [f"{group}/0" for group in set(batch.group)]))
    count = 24
    tree = true_advantages(small, RandomPolicy())
    forks = true_advantages(small, RandomPolicy(), method="forks", continuations=count)
    assert tree.method == "tree"
    assert tree.note.startswith("exact")
    assert 0.0 < tree.value.max() < 1.0
    # Outcomes are 0 or 1, so the tree knows how far means of `count` continuations stray; 1/count is a single
    # success more or less, where hardly any is expected.
    spread = {name: getattr(tree, name) * (1.0 - getattr(tree, name)) / count for name in ("value", "q")}
    spread["advantage"] = spread["value"] + spread["q"]
    for name, variance in spread.items():
        apart = np.abs(getattr(tree, name) - getattr(forks, name))
        assert (apart <= 3 * np.sqrt(variance) + 1 / count).all(), name


def test_asked_once_or_at_every_turn_the_truth_is_the_same(batch) -> None:
    graphs = Graphs()
    once = true_advantages(batch, RandomPolicy(), graphs=graphs)
    always = true_advantages(batch, Forgetful(), graphs=graphs)
    assert once.advantage.tolist() == pytest.approx(always.advantage.tolist(), abs=1e-12)
    assert once.nodes == always.nodes  # two tasks of different seeds share no node either way


def test_an_untrained_policy_is_the_random_one(batch) -> None:
    plain, linear = (true_advantages(batch, policy) for policy in (RandomPolicy(), LogLinearPolicy()))
    assert plain.advantage.tolist() == pytest.approx(linear.advantage.tolist(), abs=1e-12)


def test_two_visits_of_a_state_differ_by_the_turns_left() -> None:
    kwargs = {"level": "goto", "num_dists": 0, "max_turns": 12, "outcome": "binary"}
    batch = collect("agentgym/BabyAI-v0", RandomPolicy(), tasks=2, group_size=8, env_kwargs=kwargs)
    truth = true_advantages(batch, RandomPolicy())
    first = {}
    pairs = []
    for row in np.argsort(batch.turn, kind="stable").tolist():
        earlier = first.setdefault((batch.task[row], batch.state[row]), row)
        if batch.turn[row] > batch.turn[earlier]:
            pairs.append((earlier, row))
    assert pairs
    for earlier, later in pairs:
        assert truth.value[later] <= truth.value[earlier] + 1e-12  # fewer turns never help
    assert sum(truth.value[later] < truth.value[earlier] for earlier, later in pairs) > len(pairs) / 2


def test_the_reward_that_falls_with_time_is_in_the_truth() -> None:
    kwargs = {"level": "goto", "num_dists": 0, "max_turns": 8}
    options = {"tasks": 3, "group_size": 4, "seed": 2}
    policy = RandomPolicy()
    scaled = collect("agentgym/BabyAI-v0", policy, env_kwargs=kwargs, **options)
    binary = collect("agentgym/BabyAI-v0", policy, env_kwargs={**kwargs, "outcome": "binary"}, **options)
    falling, flat = true_advantages(scaled, policy), true_advantages(binary, policy)
    paid = flat.value > 0
    assert paid.any()
    assert (falling.value[paid] < flat.value[paid]).all()
    assert (falling.value[paid] > 0.85 * flat.value[paid]).all()  # 1 - 0.9 * 8 / 64 at the latest


def test_the_reference_lines_on_a_real_panel(batch) -> None:
    truth = true_advantages(batch, RandomPolicy())
    lines = Judge(truth, batch, samples=50).references()
    assert lines["truth"].spearman.value == pytest.approx(1.0)
    assert lines["truth"].cosine.value == pytest.approx(1.0)
    assert abs(lines["noise"].spearman.value) < 4 / np.sqrt(len(batch))
