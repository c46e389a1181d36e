import numpy as np
import pytest

from agentgym.envs.wiki_search import ranking
from agentgym.envs.wiki_search.ranking import best


@pytest.mark.parametrize("few", [0, 200, 10_000])  # sorted by numpy, or by Python
@pytest.mark.parametrize("k", [1, 7, 300, 5_000])
def test_the_order_is_that_of_rounded_scores_and_ids(few: int, k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranking, "_FEW", few)
    draw = np.random.Generator(np.random.PCG64(1))
    ids = draw.permutation(2_000)
    scores = draw.integers(-40, 40, 2_000) / 7 + draw.normal(size=2_000) * 4e-7  # near ties, apart or not when rounded
    rounded = np.round(scores, 6)
    expected = sorted(zip((-rounded).tolist(), ids.tolist(), strict=True))[:k]
    assert best(ids, scores, k) == [(place, -lost) for lost, place in expected]


def test_nothing_is_minus_nought_and_4_byte_scores_are_rounded_as_8_byte_ones() -> None:
    found = best(np.array([3, 1, 2]), np.array([-0.0, -1e-9, 0.1], dtype=np.float32), 3)
    assert [(place, str(score)) for place, score in found] == [(2, "0.1"), (1, "0.0"), (3, "0.0")]


@pytest.mark.parametrize("k", [0, -1, True, 1.0])
def test_what_is_no_number_of_passages_is_a_callers_error(k: object) -> None:
    with pytest.raises(ValueError, match="k must be an int of at least 1, not"):
        ranking.check_k(k)
