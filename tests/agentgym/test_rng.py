"""Draws: equal addresses give equal draws, the values are those of BLAKE2b, and the distributions are right."""

import math
from collections import Counter
from hashlib import blake2b

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym.rng import OPENING, TurnRng, checked_seed

seeds = st.integers(0, 2**63 - 1)


def by_hand(seed: int, branch: int, turn: int, stream: str, index: int) -> int:
    """The draw from its definition: 64 bits of BLAKE2b over the written address, most significant byte first."""
    address = f"{seed},{branch},{turn},{stream},{index}".encode()
    value = 0
    for byte in blake2b(address, digest_size=8).digest():
        value = value * 256 + byte
    return value


@given(seeds, seeds, st.integers(-1, 999), st.sampled_from(["", "menu", "task"]))
def test_draws_are_the_hashes_of_their_addresses(seed: int, branch: int, turn: int, stream: str) -> None:
    rng = TurnRng(seed, branch, turn, stream)
    assert [rng.bits() for _ in range(3)] == [by_hand(seed, branch, turn, stream, index) for index in range(3)]


def test_known_draws() -> None:
    # BLAKE2b-64 of b"0,0,-1,,0", b"7,2,5,menu,0", from `b2sum -l 64`; every release must draw the same.
    assert TurnRng(0).bits() == 0x312AC27CE7DEAA40
    assert TurnRng(7, 2, 5, "menu").bits() == 0xCACC84E17F13C956


def test_each_part_of_the_address_matters() -> None:
    rngs = [TurnRng(1), TurnRng(2), TurnRng(1, 1), TurnRng(1, 0, 0), TurnRng(1, 0, 1), TurnRng(1, 0, 0, "a")]
    # 1,1 and 11 must not run together: the parts are separated
    rngs += [TurnRng(11, 0, 0), TurnRng(1, 10, 0), TurnRng(1, 1, 0)]
    assert len({rng.bits() for rng in rngs}) == len(rngs)


def test_draws_are_counted_and_nothing_is_drawn_before_the_first() -> None:
    rng = TurnRng(5, 0, 3)
    assert rng.draws == 0
    rng.random()
    rng.choice("ab")
    assert rng.draws == 2
    assert (OPENING, rng.turn) == (-1, 3)
    assert repr(rng) == "TurnRng(seed=5, branch=0, turn=3, stream='')"


@given(seeds)
def test_random_is_the_upper_53_bits(seed: int) -> None:
    assert TurnRng(seed).random() == (by_hand(seed, 0, -1, "", 0) // 2**11) / 2**53


@given(seeds, st.integers(-50, 50), st.integers(1, 2**64))
def test_integers_stay_in_range(seed: int, low: int, width: int) -> None:
    assert low <= TurnRng(seed).integers(low, low + width) < low + width


def test_integers_reject_what_would_tilt_them() -> None:
    # With a width of 3·2⁶² only one whole multiple fits into 2⁶⁴: a value at or above 3·2⁶² must be drawn again.
    width = 3 * 2**62
    seed = next(seed for seed in range(99) if by_hand(seed, 0, -1, "", 0) >= width)
    rng = TurnRng(seed)
    assert rng.integers(width) == next(
        value for index in range(99) if (value := by_hand(seed, 0, -1, "", index)) < width
    )
    assert rng.draws > 1


@pytest.mark.parametrize("arguments", [(0,), (-3,), (5, 5), (5, 4), (0, 2**64 + 1)])
def test_integers_refuse_ranges_that_are_empty_or_too_wide(arguments: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="needs low < high"):
        TurnRng(0).integers(*arguments)


def test_integers_and_choice_are_uniform() -> None:
    rng = TurnRng(3)
    counts = Counter(rng.choice("abcd") for _ in range(4000))
    # 1000 expected each, standard deviation sqrt(4000 · 1/4 · 3/4) = 27; five of them
    assert all(abs(count - 1000) < 137 for count in counts.values())


def test_weighted_choice() -> None:
    rng = TurnRng(4)
    counts = Counter(rng.choice("abc", [1, 0, 3]) for _ in range(4000))
    assert counts["b"] == 0
    assert abs(counts["a"] - 1000) < 137  # as above: 4000 draws of probability 1/4
    assert TurnRng(0).choice("ab", [0.0, 1e-300]) == "b"
    assert TurnRng(0).choice(np.array([5]), [2]) == 5


@pytest.mark.parametrize("weights", [[1], [1, -1], [1, math.nan], [1, math.inf], [0, 0], [1e308, 1e308]])
def test_bad_weights_are_refused(weights: list[float]) -> None:
    with pytest.raises(ValueError, match="weights"):
        TurnRng(0).choice("ab", weights)
    with pytest.raises(ValueError, match="at least one"):
        TurnRng(0).choice([])


@given(seeds, st.lists(st.integers(), max_size=12))
def test_shuffled_is_a_permutation_and_leaves_the_argument(seed: int, items: list[int]) -> None:
    before = list(items)
    out = TurnRng(seed).shuffled(items)
    assert sorted(out) == sorted(items)
    assert items == before
    assert out is not items


@given(seeds, st.integers(0, 40))
def test_shuffled_swaps_from_the_end_with_what_integers_draws(seed: int, size: int) -> None:
    rng, other, items = TurnRng(seed), TurnRng(seed), list(range(size))
    for end in range(size - 1, 0, -1):
        place = other.integers(end + 1)
        items[end], items[place] = items[place], items[end]
    assert rng.shuffled(range(size)) == items and rng.draws == other.draws


def test_all_orders_come_up_equally_often() -> None:
    counts = Counter(tuple(TurnRng(seed).shuffled("abc")) for seed in range(3000))
    # 500 expected of each of the 6, standard deviation sqrt(3000 · 1/6 · 5/6) = 20; five of them
    assert len(counts) == 6
    assert all(abs(count - 500) < 102 for count in counts.values())


def test_normal_has_mean_0_and_deviation_1() -> None:
    rng = TurnRng(8)
    draws = [rng.normal() for _ in range(4000)]
    mean = sum(draws) / 4000
    assert abs(mean) < 5 / math.sqrt(4000)
    assert abs(sum(draw * draw for draw in draws) / 4000 - 1) < 5 * math.sqrt(2 / 4000)
    assert all(round(draw, 9) == draw for draw in draws)


@pytest.mark.parametrize("seed", [0, 2**63 - 1, np.int64(7), np.uint8(7)])
def test_seeds(seed: int) -> None:
    assert checked_seed(seed) == int(seed)
    assert type(checked_seed(seed)) is int


@pytest.mark.parametrize("seed", [-1, 2**63, True, np.True_, 1.0, "1", None, np.float64(3), [1]])
def test_bad_seeds_are_refused_by_name(seed: object) -> None:
    with pytest.raises(ValueError, match=r"branch must be an integer with 0 <= branch < 2\*\*63"):
        checked_seed(seed, "branch")


def test_bounds_of_integers_may_be_numpys_and_are_whole() -> None:
    for low, high in [(np.int64(-3), np.uint8(5)), (np.int32(5), None)]:
        drawn = TurnRng(3).integers(low, high)
        assert type(drawn) is int
        assert drawn == TurnRng(3).integers(int(low), None if high is None else int(high))
    for bound in (2.5, 2.0, "2", np.float64(3)):
        with pytest.raises(TypeError, match="integer"):
            TurnRng(3).integers(bound)  # type: ignore[arg-type]
