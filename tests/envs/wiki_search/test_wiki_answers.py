"""Scores of answers: derived by hand here, and compared with the official scorers where their verdicts are at hand."""

from __future__ import annotations

import json
import os
import string
from pathlib import Path
from typing import Any

import pytest

from agentgym.envs.wiki_search.answers import SCORERS, normalize, score
from tests.linear import ratios

REFERENCE = os.environ.get("AGENTGYM_REFERENCE", "")
LONG = 1_000_000  # characters


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("The Sun", "sun"),
        ("Theatre", "theatre"),  # an article only as a word of its own
        ("a an the A. An! THE?", ""),
        ("Vitamin A", "vitamin"),
        ("Spider-Man", "spiderman"),  # punctuation is dropped, no blank comes in its place,
        ("Spider - Man", "spider man"),
        ("th-e end", "end"),  # and it is dropped before articles are looked for
        ("1.5", "15"),
        ("C#", "c"),
        (string.punctuation, ""),
        ("“Rush” – 1982。", "“rush” – 1982。"),  # beyond ASCII it stays
        ("x\u00a0y\u2003z\n", "x y z"),  # what Unicode calls white space splits,
        ("x\u200by", "x\u200by"),  # a zero-width space is none
        ("Beyonce\u0301", "beyonce\u0301"),  # no normal form: é in two signs is not é in one
        ("STRASSE", "strasse"),
        ("Straße", "straße"),  # lower(), not casefold()
        ("\ud800 x", "\ud800 x"),  # half a sign, as broken JSON brings it
        ("", ""),
    ],
)
def test_what_is_left_of_a_text(text: str, left: str) -> None:
    assert normalize(text) == left


def scores(prediction: str, *answers: str) -> dict[str, float]:
    return {scorer: score(scorer, prediction, answers) for scorer in SCORERS}


def test_an_equal_answer_is_right_for_all() -> None:
    assert scores("  the Sun. ", "Sun") == dict.fromkeys(SCORERS, 1.0)


def test_words_in_common_count_as_often_as_both_have_them() -> None:
    # «new york new york city» and «york york york»: york twice in common; precision 2/5, recall 2/3, F1 = 2·2/(5+3)
    f1 = 0.5
    found = scores("New York, New York City", "York York York")
    assert found == {"em": 0, "f1": f1, "f1_hotpot": f1, "f1_squad2": f1, "sub_em": 0}


def test_order_is_nothing_to_f1_and_all_to_em() -> None:
    assert scores("1999 July", "July 1999") == {"em": 0, "f1": 1, "f1_hotpot": 1, "f1_squad2": 1, "sub_em": 0}


def test_the_best_over_the_accepted_answers() -> None:
    # against «william clinton»: 2·1/(2+2) = 1/2; against «bill clinton iii»: 2·2/(2+3) = 4/5
    found = scores("Bill Clinton", "William Clinton", "Bill Clinton III")
    assert found == pytest.approx({"em": 0, "f1": 0.8, "f1_hotpot": 0.8, "f1_squad2": 0.8, "sub_em": 0})
    assert scores("Bill Clinton", "William", "the bill CLINTON")["em"] == 1


def test_hotpotqa_alone_closes_yes_and_no() -> None:
    # «no they are not» and «no»: one word in common, 2·1/(4+1) = 0.4
    found = scores("No, they are not", "no")
    assert found == pytest.approx({"em": 0, "f1": 0.4, "f1_hotpot": 0, "f1_squad2": 0.4, "sub_em": 1})
    assert scores("yes", "Yes, both") == pytest.approx(
        {"em": 0, "f1": 2 / 3, "f1_hotpot": 0, "f1_squad2": 2 / 3, "sub_em": 0}
    )
    assert scores("No answer!", "answer")["f1_hotpot"] == pytest.approx(2 / 3)  # «no answer» is not «noanswer»
    assert scores("noanswer", "noanswer here")["f1_hotpot"] == 0
    assert scores("Yes.", "yes") == dict.fromkeys(SCORERS, 1.0)
    # Closed for one accepted answer is not closed for the others.
    assert scores("no way", "no", "way out")["f1_hotpot"] == 0.5


def test_where_nothing_is_left() -> None:
    assert scores("The", "a") == {"em": 1, "f1": 0, "f1_hotpot": 0, "f1_squad2": 1, "sub_em": 1}
    assert scores("", "Sun") == dict.fromkeys(SCORERS, 0.0)
    assert scores("Sun", "...") == {"em": 0, "f1": 0, "f1_hotpot": 0, "f1_squad2": 0, "sub_em": 1}


def test_part_of_an_answer_may_be_part_of_a_word() -> None:
    assert score("sub_em", "a mandolin", ["Man"]) == 1
    assert score("sub_em", "Man", ["a mandolin"]) == 0


def test_callers_are_told_what_is_wrong() -> None:
    with pytest.raises(ValueError, match=r"unknown scorer 'f1_squad' *; did you mean 'f1_squad2'\?"):
        score("f1_squad", "x", ["x"])
    with pytest.raises(TypeError, match="not the text 'Paris'"):
        score("em", "P", "Paris")
    with pytest.raises(ValueError, match="no accepted answer"):
        score("em", "x", [])


@pytest.mark.parametrize("scorer", ["em", "f1", "sub_em"])
@pytest.mark.parametrize(
    "make",
    [
        lambda size: "a " * (size // 2),
        lambda size: "the" * (size // 3),
        lambda size: "." * size,
        lambda size: "x y" * (size // 3),
        lambda size: " " * size,
    ],
    ids=["articles", "one word", "dots", "words", "blanks"],
)
def test_a_megabyte_takes_linear_time(scorer: str, make: Any) -> None:
    found = ratios(lambda text: score(scorer, text, ["x y z", "the the"]), make, LONG, times=2)
    assert found[-1] <= 15


@pytest.mark.skipif(not REFERENCE, reason="AGENTGYM_REFERENCE names no folder with recorded scores")
def test_the_official_scorers_agree_on_every_pair() -> None:
    lines = Path(REFERENCE, "oracles", "qa", "qa_scores.jsonl").read_text("utf-8").splitlines()
    pairs = [json.loads(line) for line in lines]
    names = {"em": "em", "f1": "f1_squad1", "f1_hotpot": "f1_hotpot", "f1_squad2": "f1_squad2", "sub_em": "sub_em"}
    wrong = [
        (pair["note"], scorer, pair["prediction"])
        for pair in pairs
        for scorer in SCORERS
        if round(score(scorer, pair["prediction"], pair["gold"]), 12) != pair[names[scorer]]
    ]
    unlike = [pair["note"] for pair in pairs if normalize(pair["prediction"]) != pair["normalized"]]
    assert (len(pairs), wrong, unlike) == (125, [], [])
