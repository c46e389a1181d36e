"""pass^k: by hand, and what it refuses."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym.score import pass_hat_k


@pytest.mark.parametrize(
    ("tasks", "k", "wanted"),
    [
        # 3 of 4 succeed: C(3,k)/C(4,k) = 3/4, 3/6, 1/4, 0/1.
        ([[True, True, False, True]], 1, 3 / 4),
        ([[True, True, False, True]], 2, 3 / 6),
        ([[True, True, False, True]], 3, 1 / 4),
        ([[True, True, False, True]], 4, 0.0),
        # Two tasks, 2 of 2 and 1 of 4: (1/1 + 0/6) / 2; tasks weigh equally although one has more trials.
        ([[True, True], [False, True, False, False]], 2, 0.5),
        ([[True, True], [False, True, False, False]], 1, (1 + 1 / 4) / 2),
        ([[1.0, 0.0], [1, 1]], 2, 0.5),  # rewards of 1 and 0 are trials too
        ([[False] * 3], 1, 0.0),
        ([[True]] * 7, 1, 1.0),
    ],
)
def test_by_hand(tasks: list[list[bool]], k: int, wanted: float) -> None:
    assert pass_hat_k(tasks, k) == pytest.approx(wanted)


@given(st.lists(st.booleans(), min_size=1, max_size=8), st.data())
def test_the_share_of_all_choices_of_k_trials_in_which_each_succeeds(trials: list[bool], data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(trials)))
    choices = [all(choice) for choice in combinations(trials, k)]
    assert pass_hat_k([trials], k) == pytest.approx(sum(choices) / len(choices))


@pytest.mark.parametrize(
    ("tasks", "k", "said"),
    [
        ([[True] * 3, [True, False]], 3, "task 1 has 2 trials, and k must lie between 1 and that, got 3"),
        ([[True], [False]], 0, "task 0 has 1 trials, and k must lie between 1 and that, got 0"),
        ([[True], []], 1, "task 1 has 0 trials"),
        ([], 1, "there is none"),
    ],
)
def test_what_has_no_answer_is_refused(tasks: list[list[bool]], k: int, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        pass_hat_k(tasks, k)
