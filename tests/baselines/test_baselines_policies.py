"""Menu policies: exact probabilities, draws of their own, and a gradient that can be derived by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from agentgym.baselines.features import TextFeatures
from agentgym.baselines.hindsight import HindsightPolicy
from agentgym.baselines.policies import ExpertPolicy, LogLinearPolicy, MenuPolicy, NoopPolicy, RandomPolicy
from agentgym.batch import TurnBatch
from agentgym.credit import ricol_target
from agentgym.rng import TurnRng
from agentgym.rollout import View


def view(key: str = "s", menu: tuple[str, ...] = ("a", "b"), describe: str = "goal\nline", turn: int = 0) -> View:
    return View([], turn, TurnRng(1, 0, turn, "policy"), key, {}, menu, "a", describe)


def batch_of(policy: LogLinearPolicy | HindsightPolicy, actions: list[str], won: list[bool]) -> TurnBatch:
    """One-turn rollouts from the one state "s" with the menu (a, b)."""
    logps = policy.log_probs([view() for _ in actions])
    return TurnBatch.from_rows(
        [
            {
                "group": "g",
                "trajectory": index,
                "turn": 0,
                "state": "s",
                "menu": ["a", "b"],
                "action": action,
                "success": won[index],
                "menu_logprobs": logps[index].tolist(),
            }
            for index, action in enumerate(actions)
        ]
    )


def test_random_and_noop() -> None:
    (reply,) = RandomPolicy()([view(menu=("a", "b", "c", "d"))])
    assert reply.menu_logprobs == pytest.approx([-math.log(4)] * 4)
    assert reply.logprob == pytest.approx(-math.log(4))
    assert [reply.text for reply in NoopPolicy()([view(), view()])] == ["", ""]


def test_replies_do_not_depend_on_what_else_is_in_the_batch() -> None:
    menu = ("a", "b", "c", "d", "e")
    together = RandomPolicy()([view(menu=menu, turn=turn) for turn in range(20)])
    alone = [RandomPolicy()([view(menu=menu, turn=turn)])[0] for turn in range(20)]
    assert [reply.text for reply in together] == [reply.text for reply in alone]
    assert len({reply.text for reply in together}) > 1


def test_epsilon_expert_is_a_mixture() -> None:
    # ε = 0.5 over two entries: the expert's a has 0.5 + 0.25.
    (logp,) = ExpertPolicy(0.5).log_probs([view()])
    assert np.exp(logp) == pytest.approx([0.75, 0.25])
    (logp,) = ExpertPolicy(0.0).log_probs([view()])
    assert np.isfinite(logp).all()
    assert np.exp(logp) == pytest.approx([1.0, 0.0])
    assert {ExpertPolicy(0.0)([view(turn=turn)])[0].text for turn in range(50)} == {"a"}
    (logp,) = ExpertPolicy(0.0).log_probs([view(menu=("b", "c"))])  # the expert has given up
    assert np.exp(logp) == pytest.approx([0.5, 0.5])


def test_an_expert_with_slips_errs_in_the_same_few_ways_in_a_state() -> None:
    menu = ("a", "b", "c", "d", "e")
    (logp,) = ExpertPolicy(0.5, slips=2).log_probs([view(menu=menu)])
    # The expert's a has 0.5; two of the other four have 0.25 each.
    assert sorted(np.exp(logp)) == pytest.approx([0.0, 0.0, 0.25, 0.25, 0.5])
    assert np.exp(logp)[0] == pytest.approx(0.5)
    (turned,) = ExpertPolicy(0.5, slips=2).log_probs([view(menu=menu[::-1], turn=7)])
    assert turned[::-1] == pytest.approx(logp)  # neither the turn nor the order of the menu counts
    ways = [np.exp(ExpertPolicy(0.5, slips=2).log_probs([view(f"s{n}", menu)])[0]) > 0.1 for n in range(40)]
    assert {place for way in ways for place in np.flatnonzero(way)} == {0, 1, 2, 3, 4}
    (logp,) = ExpertPolicy(0.5, slips=9).log_probs([view()])  # of one other entry, that one
    assert np.exp(logp) == pytest.approx([0.5, 0.5])
    (logp,) = ExpertPolicy(0.5, slips=1).log_probs([view(menu=("a",))])
    assert np.exp(logp) == pytest.approx([1.0])
    (logp,) = ExpertPolicy(0.1, slips=1).log_probs([view(menu=("b", "c"))])  # the expert has given up
    assert sorted(np.exp(logp)) == pytest.approx([0.0, 1.0])
    with pytest.raises(ValueError, match="slips"):
        ExpertPolicy(0.5, slips=-1)


@pytest.mark.parametrize("epsilon", [-0.1, 1.1, float("nan")])
def test_epsilon_outside_the_unit_interval_is_refused(epsilon: float) -> None:
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        ExpertPolicy(epsilon)


def test_a_new_log_linear_policy_is_uniform() -> None:
    (logp,) = LogLinearPolicy(256).log_probs([view(menu=("a", "b", "c"))])
    assert np.exp(logp) == pytest.approx([1 / 3] * 3)


def test_one_update_moves_the_logits_as_the_gradient_says() -> None:
    # Features of "goal\nline": bias and "line" (masked and number-free forms are the same text): F = 2 a pair, and no
    # two pairs share a weight in a large table. ∇ log π(a) for a uniform pair: +½ on a's features, −½ on b's. One row
    # with A = 1 and step 1: each of a's weights +½, b's −½, so the logits become F·½ = 1 and −1; π(a) = σ(2).
    policy = LogLinearPolicy(1 << 15)
    batch = batch_of(policy, ["a"], [True])
    policy.update(batch, np.array([1.0]), 1.0)
    (logp,) = policy.log_probs([view()])
    assert math.exp(logp[0]) == pytest.approx(1 / (1 + math.exp(-2)))


def test_an_update_averages_over_turns_and_copies_are_independent() -> None:
    policy = LogLinearPolicy(1 << 15)
    batch = batch_of(policy, ["a", "b"], [True, False])
    twin = policy.copy()
    policy.update(batch, np.array([1.0, 1.0]), 1.0)  # the two gradients cancel
    assert policy.weights == pytest.approx(np.zeros(1 << 15))
    policy.update(batch, np.array([1.0, 0.0]), 1.0)  # half the step of the case above: logits ±½
    assert math.exp(policy.log_probs([view()])[0][0]) == pytest.approx(1 / (1 + math.exp(-1)))
    assert not twin.weights.any()


def test_the_gradient_is_that_of_the_log_probability() -> None:
    rng = np.random.default_rng(0)
    policy = LogLinearPolicy(64)  # small, so that pairs collide
    policy.weights[:] = rng.normal(size=64)
    batch = batch_of(policy, ["b"], [True])
    before = policy.weights.copy()
    policy.update(batch, np.array([1.0]), 1.0)
    gradient = policy.weights - before
    for index in np.flatnonzero(gradient)[:5]:
        policy.weights[:] = before
        policy.weights[index] += 1e-6
        high = policy.log_probs([view()])[0][1]
        policy.weights[index] -= 2e-6
        low = policy.log_probs([view()])[0][1]
        assert gradient[index] == pytest.approx((high - low) / 2e-6, abs=1e-6)


def test_words_of_the_goal_are_masked_so_that_goals_share_what_they_learn() -> None:
    features = TextFeatures(1 << 12)
    features.remember([view("red", describe="go to the red ball\na red ball 2 steps left")])
    features.remember([view("blue", describe="go to the blue ball\na blue ball 2 steps left")])
    features.remember([view("other", describe="go to the blue ball\na grey box 2 steps left")])
    sets = {key: set(features.menus([key], [("x",)]).pairs.tolist()) for key in ("red", "blue", "other")}
    assert len(sets["red"]) == 4  # bias, the line, masked, masked without numbers
    assert len(sets["red"] & sets["blue"]) == 3  # all but the line itself
    assert len(sets["red"] & sets["other"]) == 1  # the bias


def test_hindsight_raises_what_successes_did_and_leaves_a_batch_without_success_alone() -> None:
    hindsight = HindsightPolicy(LogLinearPolicy(256))
    batch = batch_of(hindsight, ["a", "a", "b", "b"], [True, True, False, True])
    # Of the three successes two took a: the fitted h(a) goes to 2/3 from π(a) = 1/2.
    found = np.exp(hindsight.hindsight_logprob(batch))
    assert found == pytest.approx([2 / 3, 2 / 3, 1 / 3, 1 / 3], abs=0.01)
    failed = batch_of(hindsight, ["a", "b"], [False, False])
    assert np.exp(hindsight.hindsight_logprob(failed)) == pytest.approx([0.5, 0.5])
    assert "hindsight_logprob" in hindsight.with_hindsight(batch)


@pytest.mark.parametrize("size", [0, 1, 3, 1000])
def test_tables_are_powers_of_two(size: int) -> None:
    with pytest.raises(ValueError, match="power of two"):
        TextFeatures(size)


@pytest.mark.parametrize(
    "policy", [RandomPolicy(), ExpertPolicy(0.5), LogLinearPolicy(256)], ids=["random", "expert", "loglinear"]
)
def test_an_empty_menu_is_refused_in_plain_words(policy: MenuPolicy) -> None:
    for ask in (policy, policy.log_probs):
        with pytest.raises(ValueError, match="the menu is empty at turn 3, and a menu policy has nothing to choose"):
            ask([view(), view(menu=(), turn=3)])


def test_hindsight_states_its_distribution_over_the_whole_menu() -> None:
    hindsight = HindsightPolicy(LogLinearPolicy(256))
    batch = hindsight.with_hindsight(batch_of(hindsight, ["a", "a", "b", "b"], [True, True, False, True]))
    for row, matrix in enumerate(batch.menu_hindsight_logprobs):
        assert matrix.shape == (1, 2)
        assert np.exp(matrix).sum() == pytest.approx(1.0)
        assert matrix[0, "ab".index(batch.action[row])] == batch.hindsight_logprob[row]
    nothing = hindsight.with_hindsight(batch.select([]))
    assert len(nothing.menu_hindsight_logprobs) == len(nothing.hindsight_logprob) == 0


def test_samples_of_hindsight_are_fits_to_parts_of_the_rollouts() -> None:
    # Part 0 holds rollouts 0 and 2, of which 0 succeeded with a; part 1 rollouts 1 and 3, 1 with b; part 2 none.
    hindsight = HindsightPolicy(LogLinearPolicy(256), samples=2)
    batch = batch_of(hindsight, ["a", "b", "b", "a"], [True, True, False, False])
    first, second = np.exp(hindsight.menu_hindsight_logprobs(batch)[3])
    assert first[0] > 0.9
    assert second[1] > 0.9
    three = HindsightPolicy(LogLinearPolicy(256), samples=3)
    batch = batch_of(three, ["a", "b", "b"], [True, True, False])
    assert np.exp(three.menu_hindsight_logprobs(batch)[0][2]) == pytest.approx([0.5, 0.5])
    with pytest.raises(ValueError, match="samples must be at least 1"):
        HindsightPolicy(LogLinearPolicy(256), samples=0)


def test_one_step_towards_a_target() -> None:
    # F = 2 features a pair, as above. The step is q - π = ±¼ on each feature of a and b: logits ±½, so π(a) = σ(1).
    policy = LogLinearPolicy(1 << 15)
    batch = batch_of(policy, ["a"], [True])
    policy.approach(batch, [[0.75, 0.25]], 1.0)
    assert math.exp(policy.log_probs([view()])[0][0]) == pytest.approx(1 / (1 + math.exp(-1)))
    # It comes to rest where the policy is the target, here RICOL's between ½, ½ and ¼, ¾.
    target = ricol_target([0.5, 0.5], [0.25, 0.75], 0.5)
    for _ in range(60):
        policy.approach(batch, [target], 0.5)
    assert np.exp(policy.log_probs([view()])[0]) == pytest.approx(target, abs=1e-6)
    policy.approach(batch.select([]), [], 1.0)
    with pytest.raises(ValueError, match="targets hold 3 probabilities for menus of 2 entries"):
        policy.approach(batch, [[0.5, 0.25, 0.25]], 1.0)
