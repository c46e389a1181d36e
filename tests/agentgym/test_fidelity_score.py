"""Scores, comparisons, rankings and reference lines."""

import math

import numpy as np
import pytest

from agentgym import MissingColumn, Task, credit
from agentgym.batch import TurnBatch
from agentgym.fidelity import (
    FidelityError,
    Judge,
    Truth,
    compare,
    rank,
    reference_lines,
    score,
    true_advantages,
)
from agentgym.fidelity.record import ceiling_of, row_hash
from agentgym.rollout import collect
from tests.agentgym.fidelity_worlds import Corridor, Slippery, Tilted


def batch_of(rows: list[dict]) -> TurnBatch:
    filled = [{"group": row["task"], "outcome_reward": 0.0, "turn": 0, **row} for row in rows]
    return TurnBatch.from_rows([{"trajectory": index, **row} for index, row in enumerate(filled)])


def truth_of(batch: TurnBatch, advantage, *, value=0.0, stderr=0.0, ceiling=1.0, **more) -> Truth:
    found = np.array(advantage, float)
    values, errors = np.full(len(found), value), np.full(len(found), stderr)
    return Truth(found, values, found + values, errors, ceiling, "tree", 0, rows=row_hash(batch), **more)


FOUR = batch_of([{"task": "a"}, {"task": "a"}, {"task": "b"}, {"task": "b"}])


@pytest.fixture(scope="module")
def played():
    """Forty tasks on the corridor, groups of 8, and their truth."""
    panel = [Task(f"{start}-{number}", {"start": start}) for number in range(20) for start in (1, 2)]
    world = Corridor(tasks=panel, max_turns=5)
    batch = collect(world, Tilted(0.5), group_size=8, seed=1)
    return batch, true_advantages(batch, Tilted(0.5), env=world)


def test_scores_by_hand() -> None:
    # The vectors of the ties worked out in test_fidelity_agreement: 0.4, 0.5, 0.5.
    found = score([1, 2, 2, 3], truth_of(FOUR, [1, 3, 2, 2]), FOUR, name="mine")
    assert found.name == "mine"
    assert found.kendall.value == pytest.approx(0.4)
    assert found.spearman.value == found.pearson.value == pytest.approx(0.5)
    assert found.sign.value == 1.0
    # c = sum(x a) / sum(x x) = (1 + 6 + 4 + 6) / (1 + 4 + 4 + 9) = 17/18
    assert found.scale.value == pytest.approx(17 / 18)
    assert (found.rows, found.tasks, found.ceiling) == (4, 2, 1.0)
    assert found.cosine is None


def test_signs_within_two_standard_errors_are_left_out() -> None:
    truth = truth_of(FOUR, [1.0, -1.0, 3.0, -3.0], stderr=0.6)
    assert score([-1, 1, 1, -1], truth, FOUR).sign.value == 1.0  # only the rows of ±3 tell


def test_the_cosine_of_the_policy_gradient_by_hand() -> None:
    half = [math.log(0.5)] * 2
    batch = batch_of(
        [
            {"task": "a", "state": "s", "action": "l", "menu": ["l", "r"], "menu_logprobs": half},
            {"task": "a", "state": "s", "action": "r", "menu": ["r", "l"], "menu_logprobs": half},
            {"task": "a", "state": "t", "action": "l", "menu": ["l", "r"], "menu_logprobs": half},
        ]
    )
    truth = truth_of(batch, [1.0, -1.0, 2.0])
    # At s the gradient is 1·(½, −½) − 1·(−½, ½) = (1, −1) over (l, r), at t 2·(½, −½) = (1, −1).
    assert score([1.0, -1.0, 2.0], truth, batch).cosine.value == pytest.approx(1.0)
    assert score([2.0, 0.0, 2.0], truth, batch).cosine.value == pytest.approx(1.0)  # the same sum at s
    assert score([1.0, -1.0, 0.0], truth, batch).cosine.value == pytest.approx(1 / math.sqrt(2))
    assert score([1.0, -1.0, -2.0], truth, batch).cosine.value == pytest.approx(0.0)
    assert score([1.0, 1.0, 0.0], truth, batch).cosine.value == 0.0  # cancels at s: no gradient at all


def test_an_action_off_the_menu_moves_no_logit() -> None:
    certain = [math.log(0.5)] * 2
    rows = [{"task": "a", "state": "s", "action": text, "menu": ["l", "r"], "menu_logprobs": certain} for text in "lx"]
    batch = batch_of(rows)
    truth = truth_of(batch, [1.0, -5.0])
    assert score([1.0, 77.0], truth, batch).cosine.value == pytest.approx(1.0)


def test_reference_lines_stand_where_they_should(played) -> None:
    batch, truth = played
    lines = Judge(truth, batch).references()
    assert list(lines) == ["noise", "true_baseline", "truth"]
    best, baseline, noise = lines["truth"], lines["true_baseline"], lines["noise"]
    for metric in ("spearman", "kendall", "pearson", "sign", "cosine"):
        assert getattr(best, metric) == pytest.approx((1.0, 1.0, 1.0))
    assert best.variance.value == pytest.approx(0.0, abs=1e-12)
    for metric in ("spearman", "kendall", "pearson", "cosine"):
        low, high = getattr(noise, metric)[1:]
        assert low < 0.0 < high
        assert abs(getattr(noise, metric).value) < 4 / math.sqrt(len(batch))
        assert getattr(baseline, metric).low > 0.1
    assert noise.sign.value == pytest.approx(0.5, abs=0.1)


def test_noise_has_expectation_zero(played) -> None:
    batch, truth = played
    judge = Judge(truth, batch, samples=2)
    values = [judge.score(reference_lines(truth, batch, seed=seed)["noise"]).spearman.value for seed in range(20)]
    spread = np.std(values, ddof=1)
    assert abs(np.mean(values)) < 4 * spread / math.sqrt(20)
    assert spread == pytest.approx(1 / math.sqrt(len(batch)), rel=0.5)


def test_the_true_baseline_is_what_came_less_what_was_due(played) -> None:
    batch, truth = played
    line = reference_lines(truth, batch)["true_baseline"]
    outcome = {name: batch.outcome_reward[batch.trajectory == name].sum() for name in set(batch.trajectory)}
    expected = [outcome[name] for name in batch.trajectory] - truth.value
    assert line.tolist() == pytest.approx(expected.tolist())


def test_the_true_baseline_follows_gamma_and_the_objective() -> None:
    rows = [
        {"task": "a", "trajectory": 0, "turn": turn, "turn_reward": 1.0, "outcome_reward": 8.0 if turn == 2 else 0.0}
        for turn in range(3)
    ]
    batch = batch_of(rows)
    # Returns by hand with gamma 1/2: outcome alone 2, 4, 8; total 1 + 1/2 (1 + 1/2 * 9), 1 + 1/2 * 9, 9.
    alone = truth_of(batch, [0.0] * 3, value=1.0, gamma=0.5)
    assert reference_lines(alone, batch)["true_baseline"].tolist() == [1.0, 3.0, 7.0]
    total = truth_of(batch, [0.0] * 3, value=1.0, gamma=0.5, objective="total")
    assert reference_lines(total, batch)["true_baseline"].tolist() == [2.75, 4.5, 8.0]


def test_credits_columns_and_arrays_are_scored_alike(played) -> None:
    batch, truth = played
    judge = Judge(truth, batch)
    made = credit.estimate("grpo", batch)
    assert judge.score(made).name == "grpo"
    assert judge.score(made).spearman == judge.score(made.total).spearman
    assert judge.score("turn_reward").name == "turn_reward"
    assert judge.score("turn_reward").pearson == score(batch.turn_reward, truth, batch).pearson
    # In the corridor a step to the right is always the better one, so the progress is a nearly perfect signal.
    assert judge.score("turn_reward").spearman.value > judge.score(made).spearman.value > 0.2


def test_intervals_follow_from_the_seed_alone(played) -> None:
    batch, truth = played
    made = credit.estimate("grpo", batch)
    first, again = (score(made, truth, batch, samples=200, seed=3) for _ in range(2))
    assert all((first.draws[metric] == again.draws[metric]).all() for metric in first.draws)
    other = score(made, truth, batch, samples=200, seed=4)
    assert other.spearman.value == first.spearman.value
    assert other.spearman.low != first.spearman.low
    assert first.spearman.low < first.spearman.value < first.spearman.high


def test_intervals_cover_tasks_and_not_rows() -> None:
    # Two tasks, one scored +1 and one −1 throughout: over rows the correlation is known well, over tasks it is not.
    batch = batch_of([{"task": task} for task in "ab" for _ in range(50)])
    truth = truth_of(batch, [1.0, -1.0] * 50)
    found = score([1.0, -1.0] * 25 + [-1.0, 1.0] * 25, truth, batch)
    assert found.pearson == pytest.approx((0.0, -1.0, 1.0))


def test_one_task_alone_has_no_interval() -> None:
    batch = batch_of([{"task": "a"}, {"task": "a"}])
    truth = truth_of(batch, [1.0, 2.0])
    found = score([1.0, 2.0], truth, batch)
    assert found.spearman == (1.0, -math.inf, math.inf)
    assert not compare(found, score([2.0, 1.0], truth, batch)).separated


def test_paired_differences(played) -> None:
    batch, truth = played
    judge = Judge(truth, batch)
    good, plain = judge.score("turn_reward"), judge.score(credit.estimate("grpo", batch))
    found = compare(good, plain)
    assert found.value == pytest.approx(good.spearman.value - plain.spearman.value)
    assert found.separated
    assert 0.0 < found.low <= found.value <= found.high
    back = compare(plain, good, "kendall")
    assert back.metric == "kendall"
    assert back.high < 0.0
    same = compare(good, good)
    assert tuple(same) == ("spearman", 0.0, 0.0, 0.0, False)


def test_pairs_are_narrower_than_two_intervals(played) -> None:
    batch, truth = played
    judge = Judge(truth, batch)
    made = credit.estimate("grpo", batch).total
    noise = reference_lines(truth, batch)["noise"]
    first, second = judge.score(made), judge.score(made + 0.1 * noise)
    apart = compare(first, second)
    alone = first.spearman.high - first.spearman.low
    assert apart.high - apart.low < 0.5 * alone


def test_ranking_puts_the_best_first_and_names_break_ties(played) -> None:
    batch, truth = played
    judge = Judge(truth, batch)
    lines = judge.references()
    twin = judge.score(lines["truth"].draws["spearman"][0] * truth.advantage, "a twin")
    order = [found.name for found in rank([*lines.values(), twin])]
    assert order == ["a twin", "truth", "true_baseline", "noise"]
    assert rank(list(lines.values()), "variance")[0].name == "truth"


def test_a_low_ceiling_is_shown_and_nothing_is_ranked() -> None:
    truth = truth_of(FOUR, [1, 2, 3, 4], ceiling=0.89)
    judge = Judge(truth, FOUR)
    first, second = judge.score([1, 2, 3, 4], "a"), judge.score([4, 3, 2, 1], "b")
    assert first.ceiling == 0.89
    with pytest.raises(FidelityError, match=r"ceiling of 0\.89 .* method='tree', more continuations"):
        rank([first, second])
    assert not compare(first, second).separated


def test_the_ceiling_steps_two_halves_up_to_the_whole() -> None:
    # Halves −1 0 1 and −1 1 0: r = (1 + 0 + 0) / (√2·√2) = 1/2, and 2r / (1 + r) = 2/3.
    first, second = np.array([-1.0, 0.0, 1.0]), np.array([-1.0, 1.0, 0.0])
    assert ceiling_of(first, second, first + second) == pytest.approx(2 / 3)
    assert ceiling_of(first, -first, first) == 0.0
    assert ceiling_of(first, second, np.zeros(3)) == 0.0


def test_a_low_ceiling_comes_from_few_draws() -> None:
    batch = collect(Slippery, Tilted(), group_size=8, seed=1, noise="own")
    few = true_advantages(batch, Tilted(), env=Slippery(), method="forks", continuations=2)
    many = true_advantages(batch, Tilted(), env=Slippery(), method="forks", continuations=256)
    assert few.ceiling < 0.9 < many.ceiling
    assert few.stderr.mean() > 4 * many.stderr.mean()


# ---- caller errors ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_values_that_are_not_finite_are_named(bad: float) -> None:
    with pytest.raises(FidelityError, match=r"'mine' is (nan|inf) in row 2"):
        score([0.0, 1.0, bad, 1.0], truth_of(FOUR, [1, 2, 3, 4]), FOUR, name="mine")


def test_wrong_shapes_and_columns_are_named() -> None:
    truth = truth_of(FOUR, [1, 2, 3, 4])
    with pytest.raises(FidelityError, match=r"shape \(3,\) and the batch 4 rows"):
        score([0.0, 1.0, 2.0], truth, FOUR)
    with pytest.raises(MissingColumn, match="score needs the column 'potential'"):
        score("potential", truth, FOUR)
    with pytest.raises(FidelityError, match="no rows"):
        score([], truth_of(FOUR.select([]), []), FOUR.select([]))
    with pytest.raises(ValueError, match="samples must be"):
        score([1, 2, 3, 4], truth, FOUR, samples=1)


def test_the_truth_of_another_batch_order_or_panel_is_refused() -> None:
    truth = truth_of(FOUR, [1, 2, 3, 4])
    with pytest.raises(FidelityError, match=r"4 rows\) is not of this batch \(4 rows\) in this order"):
        score([1, 2, 3, 4], truth, FOUR.select([1, 0, 2, 3]))
    with pytest.raises(FidelityError, match=r"4 rows\) is not of this batch \(2 rows\)"):
        reference_lines(truth, FOUR.select([0, 1]))
    with pytest.raises(FidelityError, match="panel with hash '' and the batch of 'abc'"):
        score([1, 2, 3, 4], truth, FOUR.with_meta(env={"panel": "abc"}))


def test_scores_of_different_batches_cannot_be_paired() -> None:
    truth = truth_of(FOUR, [1, 2, 3, 4])
    first = score([1, 2, 3, 4], truth, FOUR)
    with pytest.raises(FidelityError, match="score both with one Judge"):
        compare(first, score([1, 2, 3, 4], truth, FOUR, seed=1))
    with pytest.raises(FidelityError, match="score all with one Judge"):
        rank([first, score([1, 2, 3, 4], truth, FOUR, seed=1)])


def test_unknown_metrics_offer_the_nearest() -> None:
    truth = truth_of(FOUR, [1, 2, 3, 4])
    found = score([1, 2, 3, 4], truth, FOUR)
    with pytest.raises(ValueError, match="did you mean 'spearman'"):
        rank([found], "speerman")
    with pytest.raises(ValueError, match="unknown metric 'cosine' of 'values'"):
        compare(found, found, "cosine")


def test_the_rank_correlation_alone_is_that_of_the_score(played) -> None:
    batch, truth = played
    judge = Judge(truth, batch, samples=50)
    for values in ("outcome_reward", truth.advantage):
        assert judge.spearman(values) == judge.score(values).spearman
    with pytest.raises(FidelityError, match="must be finite in every row"):
        judge.spearman(np.full(len(batch), np.nan))
