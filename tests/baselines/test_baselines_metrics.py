"""Evaluation metrics: values small enough to count by hand."""

from __future__ import annotations

from itertools import combinations

import pytest

from agentgym.baselines.benchmark.metrics import evaluate, pass_at_k
from agentgym.batch import TurnBatch
from agentgym.score import pass_hat_k


@pytest.mark.parametrize(("successes", "rollouts"), [(0, 3), (1, 3), (2, 5), (5, 5)])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_pass_at_k_and_pass_hat_k_count_all_choices_of_k(successes: int, rollouts: int, k: int) -> None:
    won = [index < successes for index in range(rollouts)]
    choices = list(combinations(won, k))
    assert pass_at_k(successes, rollouts, k) == pytest.approx(sum(any(c) for c in choices) / len(choices))
    assert pass_hat_k([won], k) == pytest.approx(sum(all(c) for c in choices) / len(choices))


@pytest.mark.parametrize(("successes", "rollouts", "k"), [(4, 3, 1), (-1, 3, 1), (1, 3, 4), (1, 3, 0)])
def test_impossible_counts_are_refused(successes: int, rollouts: int, k: int) -> None:
    with pytest.raises(ValueError, match="1 <= k <= rollouts"):
        pass_at_k(successes, rollouts, k)


def batch_of(task_wins: dict[str, list[bool]]) -> TurnBatch:
    """One- and two-turn rollouts: a success takes one turn, a failure two, the second of them invalid."""
    rows = []
    for task, wins in task_wins.items():
        for member, won in enumerate(wins):
            for turn in range(1 if won else 2):
                rows.append(
                    {
                        "group": task,
                        "trajectory": f"{task}/{member}",
                        "turn": turn,
                        "task": task,
                        "success": won,
                        "turn_reward": 0.25,
                        "outcome_reward": 1.0 if won else 0.0,
                        "valid": turn == 0,
                    }
                )
    return TurnBatch.from_rows(rows)


def test_evaluate_weighs_tasks_equally() -> None:
    # Task a: 2 of 2 succeed; task b: 1 of 4. success = (1 + 1/4)/2 = 0.625; the smallest number of rollouts is 2.
    # pass@2: a 1, b 1 − C(3,2)/C(4,2) = 1 − 3/6 = 0.5 -> 0.75. pass^2: a 1, b C(1,2)/6 = 0 -> 0.5.
    # Turns: 3 successes × 1 + 3 failures × 2 = 9 over 6 rollouts = 1.5; invalid 3 of 9; return (9·0.25 + 3)/6 = 0.875.
    found = evaluate(batch_of({"a": [True, True], "b": [True, False, False, False]}))
    assert found == pytest.approx(
        {
            "success": 0.625,
            "avg@2": 0.625,
            "pass@1": 0.625,
            "pass^1": 0.625,
            "pass@2": 0.75,
            "pass^2": 0.5,
            "turns": 1.5,
            "return": 0.875,
            "invalid_rate": 1 / 3,
        }
    )


def test_nothing_to_evaluate_is_an_error() -> None:
    with pytest.raises(ValueError, match="no rollout"):
        evaluate(batch_of({}))
