"""Agreement measures by hand, and against loops over really resampled rows."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym.fidelity import agreement

ONE = np.ones((1, 1))


def measured(x, y, tasks=None, weights=ONE) -> dict[str, np.ndarray]:
    """Return the three correlations of two columns under each weighting of the tasks."""
    x, y = np.array(x, float), np.array(y, float)
    tasks = np.zeros(len(x), np.int64) if tasks is None else np.array(tasks)
    size = weights.shape[1]
    spearman, kendall = agreement.rank_correlations(agreement.levels(x), agreement.levels(y), tasks, size, weights)
    return {
        "spearman": spearman,
        "kendall": kendall,
        "pearson": agreement.pearson(x, y, tasks, size, weights),
    }


def test_ties_by_hand() -> None:
    found = measured([1, 2, 2, 3], [1, 3, 2, 2])
    # Pairs: 3 concordant (all with the first), 1 discordant (2nd, 4th), 1 tied in x, 1 in y: (3 - 1) / sqrt(5 * 5).
    assert found["kendall"] == pytest.approx([0.4])
    # Ranks 1, 2.5, 2.5, 4 and 1, 4, 2.5, 2.5; centred -1.5 0 0 1.5 and -1.5 1.5 0 0: 2.25 / 4.5.
    assert found["spearman"] == pytest.approx([0.5])
    # Centred -1 0 0 1 and -1 1 0 0: 1 / sqrt(2 * 2).
    assert found["pearson"] == pytest.approx([0.5])


@pytest.mark.parametrize("x", [[0, 0, 0], [0.1 + 0.2, 0.3, 0.3 + 1e-12], [5, 5, 5]])
def test_a_constant_column_has_no_correlation_and_no_nan(x) -> None:
    for found in (*measured(x, [1, 2, 3]).values(), *measured([1, 2, 3], x).values()):
        assert found.tolist() == [0.0]


@pytest.mark.parametrize(("y", "sign"), [([1, 2, 3, 4], 1.0), ([4, 3, 2, 1], -1.0)])
def test_perfect_order_either_way(y, sign: float) -> None:
    for found in measured([10, 20, 30, 40], y).values():
        assert found == pytest.approx([sign])


def test_values_that_differ_by_rounding_are_tied() -> None:
    assert agreement.levels(np.array([0.3, 0.1 + 0.2, -1.0, 0.3 + 1e-6])).tolist() == [1, 1, 0, 2]
    assert agreement.levels(np.zeros(3)).tolist() == [0, 0, 0]
    assert agreement.levels(np.array([])).tolist() == []


def test_a_task_drawn_twice_is_two_copies() -> None:
    # Tasks 0: (1, 1), 1: (2, 3), 2: (3, 2). Drawn 2, 0, 1 times: rows (1,1) (1,1) (3,2). One pair tied in both, two
    # concordant: tau-b = 2 / sqrt(2 * 2) = 1. Drawn 0, 1, 1 times: one discordant pair: -1. Drawn 0, 2, 0: all tied: 0.
    weights = np.array([[2.0, 0.0, 1.0], [0.0, 1.0, 1.0], [0.0, 2.0, 0.0]])
    found = measured([1, 2, 3], [1, 3, 2], [0, 1, 2], weights)
    for values in found.values():
        assert values == pytest.approx([1.0, -1.0, 0.0])


def slow(x: list[float], y: list[float]) -> dict[str, float]:
    """Return the same three by plain loops over all pairs of rows."""
    pairs = [(i, j) for i in range(len(x)) for j in range(i)]
    sign = [((x[i] > x[j]) - (x[i] < x[j]), (y[i] > y[j]) - (y[i] < y[j])) for i, j in pairs]
    told_x, told_y = sum(a != 0 for a, _ in sign), sum(b != 0 for _, b in sign)
    both = sum(a * b for a, b in sign)

    def ranks(values):
        return [sum(v < own for v in values) + (sum(v == own for v in values) + 1) / 2 for own in values]

    def pearson(a, b):
        ma, mb = math.fsum(a) / len(a), math.fsum(b) / len(b)
        cov = math.fsum((p - ma) * (q - mb) for p, q in zip(a, b, strict=True))
        va, vb = math.fsum((p - ma) ** 2 for p in a), math.fsum((q - mb) ** 2 for q in b)
        return cov / math.sqrt(va * vb) if va > 1e-18 and vb > 1e-18 else 0.0

    return {
        "kendall": both / math.sqrt(told_x * told_y) if told_x and told_y else 0.0,
        "spearman": pearson(ranks(x), ranks(y)),
        "pearson": pearson(x, y),
    }


ROWS = st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3), st.integers(0, 3)), min_size=2, max_size=25)


@given(ROWS, st.lists(st.integers(0, 3), min_size=4, max_size=4))
def test_weights_equal_really_resampled_rows(rows, weight: list[int]) -> None:
    x, y, tasks = ([row[place] for row in rows] for place in range(3))
    again = [index for index, task in enumerate(tasks) for _ in range(weight[task])]
    if len(again) < 2:
        return
    found = measured(x, y, tasks, np.array([[1.0] * 4, weight]))
    for picked, place in ((range(len(x)), 0), (again, 1)):
        expected = slow([float(x[index]) for index in picked], [float(y[index]) for index in picked])
        for metric, value in expected.items():
            assert found[metric][place] == pytest.approx(value, abs=1e-9), metric


@given(ROWS, st.lists(st.integers(0, 3), min_size=4, max_size=4))
def test_many_tasks_are_ranked_draw_by_draw_to_the_same_numbers(rows, weight: list[int]) -> None:
    x, y, tasks = (np.array([row[place] for row in rows]) for place in range(3))
    columns = agreement.levels(x.astype(float)), agreement.levels(y.astype(float)), tasks, 4
    weights = np.array([[1.0] * 4, weight])
    by_triples, by_draw = agreement._sums_by_triples(*columns, weights), agreement._sums_by_draw(*columns, weights)
    assert by_triples.tolist() == by_draw.tolist()  # halves of whole numbers: exact either way


def test_spearman_alone_is_that_of_both(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y, tasks = np.array([0, 1, 1, 2]), np.array([0, 2, 1, 1]), np.array([0, 0, 1, 2])
    weights = np.array([[1.0, 1.0, 1.0], [2.0, 0.0, 1.0]])
    for most in (48, 2):  # in sums over triples of tasks, and draw by draw
        monkeypatch.setattr(agreement, "_TRIPLES", most)
        alone = agreement.spearman(x, y, tasks, 3, weights)
        assert alone.tolist() == agreement.rank_correlations(x, y, tasks, 3, weights)[0].tolist()
        assert alone[0] == pytest.approx(0.5)  # the sample of test_ties_by_hand


@given(ROWS)
def test_discordant_pairs_by_task(rows) -> None:
    x, y, tasks = (np.array([row[place] for row in rows]) for place in range(3))
    level, other = agreement.levels(x.astype(float)), agreement.levels(y.astype(float))
    found = agreement.discordant(level, other, tasks, 4)
    expected = np.zeros((4, 4))
    for i in range(len(x)):
        for j in range(i):
            if (x[i] - x[j]) * (y[i] - y[j]) < 0:
                expected[tasks[i], tasks[j]] += 0.5
                expected[tasks[j], tasks[i]] += 0.5
    assert ((found + found.T) / 2).tolist() == expected.tolist()


def test_ten_times_the_rows_cost_far_less_than_a_hundred_times() -> None:
    """Kendall without a loop over pairs: 100,000 rows have five thousand million pairs."""
    rows = 100_000
    x = np.arange(rows)
    y = x ^ 1  # neighbours exchanged: rows / 2 discordant pairs
    assert agreement.discordant(x, y, np.zeros(rows, np.int64), 1).tolist() == [[rows / 2]]


@pytest.mark.parametrize(
    ("x", "truth", "scale", "bias", "variance"),
    [
        ([1, 2], [2, 4], 2.0, 0.0, 0.0),
        ([1, 1], [1, 3], 2.0, 0.0, 1.0),  # errors 1, -1
        ([1, 0], [1, 1], 1.0, -0.5, 0.25),  # errors 0, -1
        ([1, -1], [-1, 1], 0.0, 0.0, 1.0),  # no positive scale is better than none
        ([0, 0], [3, 1], 0.0, -2.0, 1.0),  # errors -3, -1
        ([1e-9, 2e-9], [2e6, 4e6], 2e15, 0.0, 0.0),
    ],
)
def test_scale_bias_and_variance_by_hand(x, truth, scale: float, bias: float, variance: float) -> None:
    tasks = np.zeros(2, np.int64)
    found = agreement.scaled_error(np.array(x, float), np.array(truth, float), tasks, 1, ONE)
    assert [float(values[0]) for values in found] == pytest.approx([scale, bias, variance], abs=1e-6)


def test_sign_agreement_by_hand() -> None:
    # Of the rows told apart: right, wrong, and a zero that counts a half.
    x, truth = np.array([1.0, 1.0, 5.0, 0.0]), np.array([1.0, -1.0, 0.0, 2.0])
    told = np.array([True, True, False, True])
    tasks = np.zeros(4, np.int64)
    assert agreement.sign_agreement(x, truth, told, tasks, 1, ONE).tolist() == [0.5]
    assert agreement.sign_agreement(x, truth, ~told & False, tasks, 1, ONE).tolist() == [0.5]
    assert agreement.sign_agreement(truth, truth, told, tasks, 1, ONE).tolist() == [1.0]
