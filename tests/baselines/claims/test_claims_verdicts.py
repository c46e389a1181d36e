import pytest

from agentgym.baselines.claims.verdicts import WORDS, direction, interval, safer, signed, together


def test_intervals_are_written_with_their_ends():
    row = {"value": 0.125, "low": -0.5, "high": 1.0}
    assert interval(row, 3) == "0.125 (-0.500 to 1.000)"
    assert signed(row, 1) == "+0.1 (-0.5 to +1.0)"


def test_a_rounded_zero_has_no_wrong_sign():
    row = {"value": -1e-9, "low": -0.0, "high": 1e-9}
    assert interval(row) == "0.00 (0.00 to 0.00)"
    assert signed(row) == "+0.00 (+0.00 to +0.00)"


@pytest.mark.parametrize(
    "low, high, word",
    [(0.1, 0.2, "shown"), (-0.2, -0.1, "refuted"), (-0.1, 0.1, "not told apart"), (0.0, 0.1, "not told apart")],
)
def test_an_interval_tells_a_direction_where_it_leaves_out_0(low, high, word):
    assert direction({"low": low, "high": high}) == word
    assert safer({"low": -high, "high": -low}) == word  # of broken rules fewer are better
    assert word in WORDS


@pytest.mark.parametrize(
    "words, word",
    [
        (["shown"], "shown"),
        (["shown", "not told apart"], "shown"),
        (["refuted", "refuted"], "refuted"),
        (["shown", "refuted"], "mixed"),
        (["not told apart"] * 2, "not told apart"),
    ],
)
def test_several_measures_make_one_word(words, word):
    assert together(words) == word
