import numpy as np
import pytest

from agentgym.credit.algebra import (
    center,
    finite,
    leave_one_out,
    mix,
    population,
    rescale,
    softmax_within,
    standardise,
    zero_spread,
)
from agentgym.credit.returns import discounted_return, turns_left

ONE = population([0, 0, 0])


def assert_close(got, wanted):
    np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-12)


def test_population_joins_keys():
    # (group, turn) pairs (0,0) (0,1) (1,0) (0,1): the second and the last agree in both.
    joint = population([0, 0, 1, 0], [0, 1, 0, 1])
    assert joint.codes.tolist() == [0, 1, 2, 1]
    assert joint.size == 3
    assert joint.counts.tolist() == [1, 2, 1]


def test_population_of_sparse_codes_stays_small():
    sparse = population([10**9, 5, 10**9])
    assert sparse.size == 2
    assert sparse.codes.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ((), "keys of one length"),
        (([0, 1], [0]), "lengths"),
        (([0, -3],), "negative at position 1"),
        (([0.0, 1.0],), "integer codes"),
        (([[0], [1]],), "vector"),
    ],
)
def test_population_refuses(keys, message):
    with pytest.raises(ValueError, match=message):
        population(*keys)


def test_center_per_population():
    # Means 2 of (1, 3) and 10 of (10): deviations -1, 1 and 0.
    assert_close(center([1, 10, 3], population([0, 1, 0])), [-1, 0, 1])


def test_center_counts_votes():
    # Votes 1, 2, 5 on 1, 0, 0: mean 1/8.
    assert_close(center([1, 0, 0], ONE, weights=[1, 2, 5]), [7 / 8, -1 / 8, -1 / 8])


def test_standardise_with_trajectory_and_turn_votes():
    # 1, 0, 0 once each, ddof 1: mean 1/3, variance (4/9 + 1/9 + 1/9)/2 = 1/3, so (2/3)·√3 and -(1/3)·√3.
    assert_close(standardise([1, 0, 0], ONE, ddof=1, eps=0), [2 / 3**0.5, -1 / 3**0.5, -1 / 3**0.5])
    # With 1, 2, 5 votes: mean 1/8, variance (49/64 + 7/64)/7 = 1/8, so (7/8)·√8 and -(1/8)·√8.
    by_turn = standardise([1, 0, 0], ONE, weights=[1, 2, 5], ddof=1, eps=0)
    assert_close(by_turn, [7 / 8 * 8**0.5, -(8**0.5) / 8, -(8**0.5) / 8])


def test_eps_is_added_to_the_std():
    # 0, 2: mean 1, std 1; with eps 1 the divisor is 2.
    assert_close(standardise([0, 2], population([0, 0]), eps=1.0), [-0.5, 0.5])


def test_normalise_none_only_centres():
    assert_close(standardise([0, 4], population([0, 0]), normalise="none", eps=1.0), [-2, 2])


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("value", [0.7, 0.1, 1e6, 1 / 3])
@pytest.mark.parametrize("eps", [0.0, 1e-8])
def test_equal_values_give_exactly_zero(dtype, value, eps):
    if dtype is np.float16 and value > 6e4:
        value = 6e4
    x = np.full(7, value, dtype=dtype)
    for ddof in (0, 1):
        assert (standardise(x, population([0] * 7), ddof=ddof, eps=eps) == 0.0).all()


def test_rounding_noise_is_no_spread():
    # 0.1 + 0.2 is 0.30000000000000004: naive code makes 1 and -1 of it.
    assert (standardise([0.1 + 0.2, 0.3], population([0, 0]), eps=0.0) == 0.0).all()
    # The threshold grows with the values: 1e6 and 1e6 + 1e-7 differ by 1e-13 of themselves.
    assert zero_spread([1e6, 1e6 + 1e-7], population([0, 0])).tolist() == [True]
    assert zero_spread([1.0, 1.0 + 1e-11], population([0, 0])).tolist() == [False]


def test_a_lone_value_gives_zero_or_stays_raw():
    lone = population([0, 1, 1])
    assert_close(standardise([5, 0, 2], lone, eps=0), [0, -1, 1])
    keep = lone.counts == 1
    assert_close(standardise([5, 0, 2], lone, eps=0.25, raw=keep), [4, -0.8, 0.8])  # 5 / 1.25, ±1 / 1.25
    assert_close(standardise([5, 0, 2], lone, normalise="none", raw=keep), [5, -1, 1])
    assert_close(center([5, 0, 2], lone, raw=keep), [5, -1, 1])


def test_entries_without_a_vote_are_compared_but_do_not_count():
    # Voters 0 and 2 with mean 1, std 1; the third has no vote.
    assert_close(standardise([0, 2, 5], ONE, weights=[1, 1, 0], eps=0), [-1, 1, 4])
    # Nobody votes, or the voters agree: 0.
    assert (standardise([0, 2, 5], ONE, weights=[0, 0, 0]) == 0).all()
    assert (standardise([2, 2, 5], ONE, weights=[1, 3, 0]) == 0).all()


def test_rescale_divides_without_centring():
    # std of 1, 3 is 1; eps 1 makes the divisor 2.
    assert_close(rescale([1, 3], population([0, 0]), eps=1.0), [0.5, 1.5])
    assert (rescale([3, 3], population([0, 0])) == 0.0).all()
    assert_close(rescale([3, 3], population([0, 0]), normalise="none"), [3, 3])


def test_leave_one_out():
    # 1 - (0 + 0)/2, 0 - (1 + 0)/2 twice.
    assert_close(leave_one_out([1, 0, 0], ONE), [1, -0.5, -0.5])
    # Turn votes 1, 2, 5: mean 1/8, N = 8, factor 8/7: 1, -1/7, -1/7.
    assert_close(leave_one_out([1, 0, 0], ONE, weights=[1, 2, 5]), [1, -1 / 7, -1 / 7])
    assert_close(leave_one_out([3], population([0])), [0])
    assert_close(leave_one_out([3], population([0]), raw=np.array([True])), [3])


def test_discounted_return_inside_rollouts():
    # Rollout 0 has rewards 1, 2, 4: G = 1 + (2 + 4/2)/2 = 3, 2 + 4/2 = 4, 4. Rollout 1 has 8.
    assert_close(discounted_return([1, 2, 4, 8], 0.5, np.arange(4), np.array([0, 3])), [3, 4, 4, 8])


def test_discounted_return_in_any_row_order():
    # The same four rows, given as (rollout 1), (rollout 0: turns 2, 0, 1).
    order = np.array([2, 3, 1, 0])
    assert_close(discounted_return([8, 4, 1, 2], 0.5, order, np.array([0, 3])), [8, 4, 3, 4])


@pytest.mark.parametrize("gamma", [0.0, 0.9, 1.0])
def test_discounted_return_of_every_length(gamma):
    lengths = np.array([1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 100])
    starts = np.cumsum(lengths) - lengths
    reward = np.random.default_rng(0).choice([0.0, 1.0, -0.5], lengths.sum())
    wanted = reward.copy()
    for begin, length in zip(starts, lengths, strict=True):
        for t in range(begin + length - 2, begin - 1, -1):
            wanted[t] = reward[t] + gamma * wanted[t + 1]
    assert_close(discounted_return(reward, gamma, np.arange(len(reward)), starts), wanted)


def test_discounted_return_with_a_discount_a_row():
    # Rollout 0: rewards 1, 2, 4, discounts ½, ¼, ½ (what follows a last turn is nothing): 2 + 4/4 = 3, 1 + 3/2 = 2.5.
    # Rollout 1: rewards 8, 2 and discount 0, which cuts the 2 off. The rows come last turn first.
    order, starts = np.array([2, 1, 0, 4, 3]), np.array([0, 3])
    made = discounted_return([4, 2, 1, 2, 8], np.array([0.5, 0.25, 0.5, 1.0, 0.0]), order, starts)
    assert_close(made, [4, 3, 2.5, 2, 8])


def test_discounts_a_row_in_rollouts_of_every_length():
    lengths = np.array([1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 100])
    starts, n = np.cumsum(lengths) - lengths, lengths.sum()
    rng = np.random.default_rng(1)
    reward, gamma, order = rng.choice([0.0, 1.0, -0.5], n), rng.choice([0.0, 0.5, 0.9, 1.0], n), rng.permutation(n)
    wanted = reward.copy()
    for begin, length in zip(starts, lengths, strict=True):
        for t in range(begin + length - 2, begin - 1, -1):
            wanted[order[t]] += gamma[order[t]] * wanted[order[t + 1]]
    assert_close(discounted_return(reward, gamma, order, starts), wanted)
    assert_close(
        discounted_return(reward, np.full(n, 0.9), order, starts), discounted_return(reward, 0.9, order, starts)
    )


def test_discounts_a_row_are_checked_and_left_alone():
    gamma = np.array([0.5, 1.5, -1.0])
    with pytest.raises(ValueError, match=r"gamma must lie in \[0, 1\], got 1\.5"):
        discounted_return([1.0, 1.0, 1.0], gamma, np.arange(3), np.array([0]))
    with pytest.raises(ValueError, match=r"gamma must have shape \[3\], got \[2\]"):
        discounted_return([1.0, 1.0, 1.0], np.array([0.5, 0.5]), np.arange(3), np.array([0]))
    gamma = np.array([0.5, 0.5, 0.5])
    discounted_return([1.0, 1.0, 1.0], gamma, np.arange(3), np.array([0]))
    assert gamma.tolist() == [0.5, 0.5, 0.5]


def test_turns_left():
    assert turns_left(np.array([0, 3, 4]), 6).tolist() == [2, 1, 0, 0, 1, 0]


@pytest.mark.parametrize("gamma", [-0.1, 1.1, float("nan")])
def test_discount_outside_its_range(gamma):
    with pytest.raises(ValueError, match="gamma must lie in"):
        discounted_return([1.0], gamma, np.arange(1), np.array([0]))


def test_softmax_within():
    # e^0 : e^(2/2) within the first, one alone in the second; far from any overflow at 2000.
    weight = softmax_within([2000, 2002, -9], population([0, 0, 1]), temperature=2.0)
    assert_close(weight, [1 / (1 + np.e), np.e / (1 + np.e), 1])
    with pytest.raises(ValueError, match="temperature"):
        softmax_within([1.0], population([0]), temperature=0.0)


def test_mix_weighs_named_terms():
    mixed = mix({"a": [1, 2], "b": [10, 20]}, {"b": 0.5})
    assert_close(mixed["a"], [1, 2])
    assert_close(mixed["b"], [5, 10])
    with pytest.raises(ValueError, match="do not exist"):
        mix({"a": [1]}, {"c": 2.0})


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
def test_the_first_bad_position_is_named(bad):
    x = [0.0, 1.0, bad, bad]
    among = population([0] * 4)
    calls = [
        lambda: center(x, among),
        lambda: standardise(x, among),
        lambda: standardise([0.0] * 4, among, weights=x),
        lambda: rescale(x, among, normalise="none"),
        lambda: leave_one_out(x, among),
        lambda: softmax_within(x, among),
        lambda: discounted_return(x, 1.0, np.arange(4), np.array([0])),
        lambda: mix({"a": x}, {}),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="not finite at position 2"):
            call()


def test_shapes_and_options_are_checked():
    with pytest.raises(ValueError, match=r"shape \[3\], got \[2\]"):
        center([1, 2], ONE)
    with pytest.raises(ValueError, match="shape"):
        finite([[1.0]], "x")
    with pytest.raises(ValueError, match="weights must be at least 0"):
        center([1, 2, 3], ONE, weights=[1, -1, 1])
    for options in ({"normalise": "max"}, {"ddof": 2}, {"eps": -1.0}, {"eps": float("nan")}):
        with pytest.raises(ValueError, match=next(iter(options))):
            standardise([1, 2, 3], ONE, **options)


def test_inputs_are_left_alone():
    x, w = np.array([1.0, 2.0, 4.0]), np.array([1.0, 2.0, 0.0])
    before = x.copy(), w.copy()
    for result in (standardise(x, ONE, weights=w), rescale(x, ONE, normalise="none"), finite(x, "x")):
        result[:] = 9.0
    discounted_return(x, 0.5, np.arange(3), np.array([0]))
    assert (x == before[0]).all()
    assert (w == before[1]).all()


def test_nothing_is_fine():
    none = population([])
    assert none.size == 0
    for result in (center([], none), standardise([], none), rescale([], none), leave_one_out([], none)):
        assert result.shape == (0,)
    assert softmax_within([], none).shape == (0,)
    assert discounted_return([], 0.9, np.arange(0), np.arange(0)).shape == (0,)
    assert zero_spread([], none).shape == (0,)
    assert turns_left(np.arange(0), 0).shape == (0,)
