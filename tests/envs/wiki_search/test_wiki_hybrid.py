import numpy as np
import pytest

from agentgym.envs.wiki_search.hybrid import Hybrid, fuse
from agentgym.envs.wiki_search.ranking import best


class Fixed:
    def __init__(self, *passages: int) -> None:
        self.passages, self.asked = passages, []

    def search(self, query: str, k: int = 10) -> list[tuple[int, float]]:
        self.asked.append((query, k))
        return [(passage, -1.0) for passage in self.passages[:k]]


def test_ranks_are_fused_by_hand() -> None:
    # 7: 1/61 + 1/62 = 0.032522; 3: 1/62 + 1/61, the same; 9: 1/63 = 0.015873. Of the two equal ones 3 comes first.
    assert fuse([[(7, 9.0), (3, 8.0), (9, 1.0)], [(3, 0.5), (7, 0.4)]]) == [(3, 0.032522), (7, 0.032522), (9, 0.015873)]
    assert fuse([[(7, 9.0), (3, 8.0)], []], k=1) == [(7, 0.016393)]
    assert fuse([]) == fuse([[], []]) == []


def test_a_hybrid_asks_every_searcher_as_deep_as_it_was_told() -> None:
    first, second = Fixed(1, 2, 3), Fixed(3, 4)
    hybrid = Hybrid([first, second], depth=3)
    # 3: 1/63 + 1/61 = 0.032266; 1: 1/61 = 0.016393; 2 and 4: 1/62 = 0.016129
    assert hybrid.search("q", 4) == [(3, 0.032266), (1, 0.016393), (2, 0.016129), (4, 0.016129)]
    assert first.asked == second.asked == [("q", 4)]
    hybrid.search("q", 1)
    assert first.asked[-1] == ("q", 3)
    assert Hybrid([first, second], depth=1).search("q", 1) == [(1, 0.016393)]  # 3 is seen in one ranking only


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Hybrid([]), "searchers is empty"),
        (lambda: Hybrid([Fixed(1)], depth=0), "depth must be an int of at least 1, not 0"),
        (lambda: Hybrid([Fixed(1)]).search("q", 0), "k must be an int of at least 1, not 0"),
        (lambda: fuse([], True), "k must be an int of at least 1, not True"),
    ],
)
def test_what_makes_no_sense_is_a_callers_error(make, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_the_one_order_is_rounded_score_then_id() -> None:
    ids = np.array([5, 3, 9, 1])
    # To 6 digits 1.00000049 and 1.0 are equal; -0.0 and 0.0 too, and are shown as 0.0.
    scores = np.array([1.0, 1.00000049, -0.0, 0.0])
    assert best(ids, scores, 9) == [(3, 1.0), (5, 1.0), (1, 0.0), (9, 0.0)]
    assert str(best(ids, scores, 9)[-1]) == "(9, 0.0)"
    assert best(ids, scores, 1) == [(3, 1.0)]


@pytest.mark.parametrize("k", [1, 3, 10, 50])
def test_the_first_k_are_the_beginning_of_the_whole_ranking(k: int) -> None:
    draw = np.random.Generator(np.random.PCG64(3))
    ids = draw.permutation(200)
    scores = (
        np.round(draw.random(200), 1) + draw.random(200) * 1e-7
    )  # groups of some twenty that are equal when rounded
    whole = best(ids, scores, 200)
    assert whole == sorted(whole, key=lambda pair: (-pair[1], pair[0]))
    assert best(ids, scores, k) == whole[:k]
