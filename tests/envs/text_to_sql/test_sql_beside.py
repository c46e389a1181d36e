"""Which wrong queries stand beside the gold: what is measured, and that the gold is drawn to its ranks."""

from __future__ import annotations

from collections import Counter

import pytest

from agentgym.envs.text_to_sql.shipped import quality_menu
from agentgym.envs.text_to_sql.shipped.beside import BESIDE, beside, measures, rank, share_said
from agentgym.rng import TurnRng

TEXT = "How old is the oldest singer?"
QUERIES = ["SELECT MAX(age) FROM singer", "SELECT age FROM singer", "SELECT MAX(age) FROM singer LIMIT 1"]


def value(name: str) -> list[float]:
    found = {key: measure for group in measures(QUERIES, TEXT).values() for key, measure in group.items()}
    return found[name](range(3))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("length", [27, 22, 35]),
        ("number of pieces", [4, 4, 6]),
        ("number of punctuation marks", [2, 0, 2]),
        ("number of words that the text says", [1, 1, 1]),  # singer
        ("share of words that the text says", [1 / 5, 1 / 4, 1 / 7]),
        # words shared of words in all, with each of the three: 1 + 4/5 + 5/7, 4/5 + 1 + 4/7, 5/7 + 4/7 + 1
        ("likeness in words", [2.514285714, 2.371428571, 2.285714286]),
        # pieces: 4, 4 and 6; the second has SELECT, FROM and singer in common with the others, of 5 and of 7 in all
        ("likeness in pieces", [1 + 3 / 5 + 4 / 6, 3 / 5 + 1 + 3 / 7, 4 / 6 + 3 / 7 + 1]),
        # pairs: 3, 3 and 5; of the second's only FROM singer is in the others
        ("likeness in pairs of pieces", [1 + 1 / 5 + 3 / 5, 1 / 5 + 1 + 1 / 7, 3 / 5 + 1 / 7 + 1]),
    ],
)
def test_measures(name: str, values: list[float]) -> None:
    assert value(name) == pytest.approx(values, abs=1e-8)


def test_a_measure_sees_the_menu_alone() -> None:
    likeness = measures(QUERIES, TEXT)["likeness"]["likeness in words"]
    assert likeness([0, 1]) == pytest.approx([1.8, 1.8])
    assert likeness([1, 0]) == pytest.approx([1.8, 1.8])


def test_words_are_shared_whatever_their_case() -> None:
    assert share_said("SELECT Old FROM Singer", TEXT) == 0.5
    assert share_said("", TEXT) == 0.0


def test_ranks_count_ties_half() -> None:
    assert rank([5.0, 1.0, 5.0, 9.0], 5.0) == 1.5
    assert rank([5.0, 1.0], 1.0) == 0.0


def chains(number: int) -> tuple[str, list[list[str]]]:
    """Return a gold, and groups of queries around it and around two others, one condition more or other each time."""
    gold = f"SELECT name FROM singer WHERE age > {number}"
    around = [f"{gold} AND c{n} = {n}" for n in range(12)]
    far = [f"SELECT name FROM singer WHERE b = {n} AND hall = 'x' AND age > 1" for n in range(12)]
    short = [f"SELECT c{n} FROM singer" for n in range(12)]
    return gold, [around, far, short]


def test_as_many_are_taken_and_the_draw_repeats() -> None:
    gold, groups = chains(30)
    found = beside(gold, groups, TEXT, TurnRng(1))
    assert len(set(found)) == BESIDE and set(found) <= {query for group in groups for query in group}
    assert found == beside(gold, groups, TEXT, TurnRng(1))
    assert found != beside(gold, groups, TEXT, TurnRng(2))


def test_few_are_all_taken() -> None:
    gold, groups = chains(30)
    assert sorted(beside(gold, [groups[0][:5], groups[1][:3]], TEXT, TurnRng(1))) == sorted(
        groups[0][:5] + groups[1][:3]
    )


def test_the_gold_stands_nowhere_in_particular() -> None:
    places: Counter[str] = Counter()
    for number in range(60):
        gold, groups = chains(number)
        menu = [gold, *beside(gold, groups, TEXT, TurnRng(number))]
        where = rank(lengths := [float(len(query)) for query in menu], lengths[0])
        places["short" if where < 4 else "long" if where > 8 else "middle"] += 1
    # drawn evenly each would be 20 times in 60; a gold that is always shortest or longest would fill one place
    assert min(places["short"], places["middle"], places["long"]) >= 8, places


def test_ways_of_guessing() -> None:
    ways = quality_menu.guesses(QUERIES, TEXT)
    assert ways["greatest length"] == [27, 22, 35] and ways["least length"] == [-27, -22, -35]
    assert ways["greatest place"] == [0, 1, 2]
    # ranks of the first query: length 1, pieces 0.5, marks 1.5, words said 1, share 1, likeness 2, 2, 2
    assert ways["one that is greatest in all"][0] == 11.0 == -ways["one that is least in all"][0]
    # from the middle rank, 1: 0, 0.5, 0.5, 0, 0, 1, 1, 1
    assert ways["most middling"][0] == -4.0
