"""The sparse solver against a matrix, and the graphs that only it can do."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym import credit
from agentgym.batch import TurnBatch
from agentgym.credit import elimination
from agentgym.credit.elimination import SMALL, dense, solve


@st.composite
def systems(draw):
    """Random walks with loops and self-loops over few to many states, as (source, target, gamma, diagonal, right)."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    size = draw(st.integers(SMALL + 1, 150))
    edges = draw(st.integers(0, 4 * size))
    source = rng.integers(size, size=edges)
    reach = draw(st.sampled_from([1, 3, size]))  # neighbours only, near ones, anywhere
    target = np.where(rng.random(edges) < 0.1, source, (source + rng.integers(-reach, reach + 1, size=edges)) % size)
    leaving = rng.integers(0, 2, size=size)
    turns = np.bincount(source, minlength=size) + leaving
    diagonal = turns + draw(st.sampled_from([0.3, 1.0]))
    return source, target, draw(st.sampled_from([0.0, 0.5, 0.95, 1.0])), diagonal, rng.normal(size=size)


@given(systems())
def test_agrees_with_the_matrix(system):
    wanted = dense(*system)
    np.testing.assert_allclose(solve(*system), wanted, rtol=0, atol=1e-12 * np.abs(wanted).max())


@pytest.mark.parametrize("growth", [-(10**9), 10**9])
@given(system=systems())
def test_agrees_with_the_matrix_when_all_or_nothing_is_left_to_it(growth, system):
    wanted, usual = dense(*system), elimination.GROWTH
    elimination.GROWTH = growth
    try:
        np.testing.assert_allclose(solve(*system), wanted, rtol=0, atol=1e-12 * np.abs(wanted).max())
    finally:
        elimination.GROWTH = usual


@given(st.lists(systems(), min_size=1, max_size=4))
def test_systems_of_one_size_are_solved_in_one_go(drawn):
    gamma, size = drawn[0][2], min(len(system[4]) for system in drawn)
    cut = [[of[(source < size) & (target < size)] for of in (source, target)] for source, target, *_ in drawn]
    ends = [(diagonal[:size], right[:size]) for *_, diagonal, right in drawn]
    apart = [dense(*edges, gamma, *end) for edges, end in zip(cut, ends, strict=True)]
    source, target = (np.concatenate([pair[k] + n * size for n, pair in enumerate(cut)]) for k in (0, 1))
    diagonal, right = (np.concatenate([end[k] for end in ends]) for k in (0, 1))
    wanted = np.concatenate(apart)
    np.testing.assert_array_equal(dense(source, target, gamma, diagonal, right, size), wanted)
    if size <= SMALL:
        np.testing.assert_array_equal(solve(source, target, gamma, diagonal, right, size), wanted)


def test_small_systems_of_one_size_go_together_and_large_ones_alone(monkeypatch):
    large = SMALL + 1
    assert list(elimination.alike([2, 2, 2, 3, large, large])) == [(0, 3), (3, 4), (4, 5), (5, 6)]
    monkeypatch.setattr(elimination, "CELLS", 8)  # two matrices of 2 × 2
    assert list(elimination.alike([2, 2, 2, 3, 3])) == [(0, 2), (2, 3), (3, 4), (4, 5)]
    assert list(elimination.alike([])) == []


def test_a_chain_by_hand():
    # s0 → s1 → … → s99, the last pays 1, γ ½, one turn each: V(s) = ½^(99 - s).
    steps = np.arange(99)
    value = solve(steps, steps + 1, 0.5, np.ones(100), np.eye(100)[99])
    np.testing.assert_array_equal(value, 0.5 ** np.arange(99.0, -1.0, -1.0))


def test_a_loop_by_hand():
    # A ring of 60 states in which each turn pays 1, γ ½: V = 1 + ½·V = 2 everywhere.
    ring = np.arange(60)
    np.testing.assert_allclose(solve(ring, (ring + 1) % 60, 0.5, np.ones(60), np.ones(60)), 2.0, rtol=1e-14)


def test_a_ring_that_nothing_leaves_is_singular():
    ring = np.arange(60)
    with pytest.raises(np.linalg.LinAlgError):
        solve(ring, (ring + 1) % 60, 1.0, np.ones(60), np.ones(60))


def walks(states, turns, terminated=True):
    """One group; `states[i]` are the numbers of rollout i's states, the last one where it ends up; outcome i."""
    rows = len(states) * turns
    here, last = np.array([walk[:-1] for walk in states]).ravel(), np.tile(np.arange(turns) == turns - 1, len(states))
    return TurnBatch.from_columns(
        {
            "group": np.zeros(rows, dtype=int),
            "trajectory": np.repeat(np.arange(len(states)), turns),
            "turn": np.tile(np.arange(turns), len(states)),
            "turn_reward": np.zeros(rows),
            "outcome_reward": np.where(last, np.repeat(np.arange(len(states), dtype=float), turns), 0.0),
            "anchor": [f"s{number}" for number in here],
            "next_state": [f"s{number}" for number in np.array([walk[1:] for walk in states]).ravel()],
            "terminated": last & terminated,
        }
    )


def test_long_rollouts_through_distinct_states():
    # 8 rollouts of 1000 states seen once, κ 0: V is what followed, so A is 0 (dense: 8000³, a quarter of a minute).
    batch = walks([list(range(1001 * i, 1001 * (i + 1))) for i in range(8)], 1000)
    began = time.perf_counter()
    got = credit.state_graph(batch, prior=0.0, normalise="none")
    assert time.perf_counter() - began < 3.0
    np.testing.assert_allclose(got.total, 0.0, atol=1e-12)
    np.testing.assert_allclose(got.diagnostics["value"][7000], 7 * 0.95**999, rtol=1e-12)


@pytest.mark.parametrize("turns", [2, 80])
def test_a_loop_without_a_way_out_is_refused_with_the_remedy(turns):
    # A ring of `turns` states, cut off where it began: with γ 1 and no pull any constant may be added to V.
    ring = [[*range(turns), 0]] * 2
    for gamma, prior in [(1.0, 1e-300), (1.0 - 2**-53, 0.0)]:
        with pytest.raises(ValueError, match="lower gamma below 1 or raise prior"):
            credit.state_graph(walks(ring, turns, terminated=False), gamma=gamma, prior=prior)
    # Where one rollout's end is an end, V is what follows on average: outcomes 0 and 1, each half the time, so ½.
    out = walks(ring, turns)
    np.testing.assert_allclose(credit.state_graph(out, gamma=1.0, prior=1e-300).diagnostics["value"], 0.5, rtol=1e-12)


def test_an_infinite_prior_is_refused():
    with pytest.raises(ValueError, match="'prior' of estimator 'state_graph' takes a finite number"):
        credit.state_graph(walks([[0, 1]], 1), prior=np.inf)
