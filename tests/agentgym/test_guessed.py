"""What the marks of a menu's entries tell about the right one, and how varied texts are."""

import pytest

from agentgym.chance import both_ways, guessed
from agentgym.wording import distinct_2, longest_frame, words_of


def test_who_takes_the_best_entry_draws_among_equals() -> None:
    """Two menus of 2 and 4: chance 3/4. "a": right, then one of two: 3/2 → 2.0; "b": wrong, then one of four: 1/3."""
    found = guessed(
        [
            (["x", "y"], "x", {"a": [1.0, 0.0], "b": [0.0, 1.0]}),
            (["p", "q", "r", "s"], "q", {"a": [0.0, 2.0, 2.0, 1.0], "b": [5.0, 5.0, 5.0, 5.0]}),
        ]
    )
    assert found.sizes == [2, 4] and found.missing == 0
    assert found.gains == {"a": pytest.approx(2.0), "b": pytest.approx(1 / 3)}


def test_a_menu_without_the_right_entry_or_with_it_twice_is_counted() -> None:
    ways = {"a": [1.0, 0.0]}
    assert guessed([(["x", "y"], "z", ways), (["x", "x"], "x", ways), (["x", "y"], "y", ways)]).missing == 2


def test_features_are_taken_both_ways() -> None:
    assert both_ways(2, {"length": [3.0, 5.0]}) == {
        "first": [0.0, -1.0],
        "last": [0.0, 1.0],
        "most length": [3.0, 5.0],
        "least length": [-3.0, -5.0],
    }


def test_words_are_small_and_keep_their_apostrophes() -> None:
    assert words_of("I don’t KNOW, it's snake_case!") == ("i", "don't", "know", "it's", "snake", "case")


def test_pairs_and_frames() -> None:
    """a b, b c and a b, b d: three of four differ. Of runs as long the one in most texts, then the last."""
    assert distinct_2(["a b c", "A b d"]) == 0.75
    assert distinct_2([]) == distinct_2(["alone"]) == 0.0
    assert longest_frame(["I would like that", "well I would like it", "no"], 2) == ("i would like", 2)
    assert longest_frame(["b a", "a b"], 2) == ("b", 2)
    assert longest_frame(["a", "b"], 2) == longest_frame([], 1) == ("", 0)
