"""EQ-Bench v2: how answers are read and scored."""

import math

import pytest

from agentgym.envs.emotional_support.questions.eq_bench import Intensities, full_scale, normalised, report
from agentgym.turn import InvalidAction
from tests.envs.emotional_support.question_files import NAMES, PROMPT
from tests.linear import ratios

REFERENCE = tuple(zip(NAMES, (0.0, 6.0, 2.0, 7.0), strict=True))
RELATIVE = tuple(zip(NAMES, (0.0, 4.0, 1.0, 5.0), strict=True))
PLAIN = Intensities(PROMPT, REFERENCE, RELATIVE)
REVISED = Intensities(PROMPT, REFERENCE, RELATIVE, revise=True)


def given(*values):
    return tuple(zip(NAMES, map(float, values), strict=True))


def written(*values):
    return "\n".join(f"{name}: {value}" for name, value in zip(NAMES, values, strict=True))


@pytest.mark.parametrize(
    ("values", "score"),
    [
        ((0, 6, 2, 7), 10.0),
        # one off by 1: 6.5 / (1 + e^3.6) = 6.5 / 37.598 = 0.17288; 10 - 0.7477 * 0.17288
        ((1, 6, 2, 7), 9.8707),
        # one off by 4, the middle of the curve: 6.5 / 2 = 3.25
        ((0, 2, 2, 7), 7.5700),
        # one off by 5: 6.5 / (1 + e^-1.2) = 6.5 / 1.30119 = 4.99541
        ((5, 6, 2, 7), 6.2649),
        # one off by 6, counted as it is
        ((6, 6, 2, 7), 5.5138),
        # off by 10, 6, 8 and 7: 31 in all; 10 - 0.7477 * 31
        ((10, 0, 10, 0), -13.1787),
    ],
)
def test_the_full_scale_by_hand(values, score) -> None:
    assert full_scale(REFERENCE, given(*values)) == pytest.approx(score, abs=1e-4)


@pytest.mark.parametrize(
    ("values", "score"),
    [
        ((0, 8, 2, 10), 10.0),  # half of it is the reference
        ((5, 5, 5, 5), 2.0),  # 2.5 each: off by 2.5, 1.5, 1.5 and 2.5, 8 in all
        ((1, 0, 0, 0), -10.0),  # 10 to the first: off by 10, 4, 1 and 5
    ],
)
def test_the_older_scale_by_hand(values, score) -> None:
    assert normalised(RELATIVE, given(*values)) == pytest.approx(score)


@pytest.mark.parametrize(
    "text",
    [
        written(0, 6, 2, 7),
        "Here you are.\n\nSad: 6\nGlad:  0, Cross:\n2 Bored: 7\n[End of answer]",
        "Glad: 9\n" + written(0, 6, 2, 7),  # what is said last of an emotion counts
        written("0", "6.9", "2/10", "7 (very)"),  # whole numbers are read
        "I feel:Glad: 0 Sad: 6 Cross: 2 Bored: 7",
    ],
)
def test_what_is_read_as_an_answer(text) -> None:
    assert PLAIN.read(text) == (given(0, 6, 2, 7),)


@pytest.mark.parametrize(
    "text",
    [
        "Glad, I should say.",
        written(0, 6, 2, 7).replace("Cross", "Angry"),
        written(0, 6, 2, 7).lower(),  # names as they are given
        written(0, 6, 2, 7) + "\nEnvious: 3",  # five
        written(0, 6, 2, 7).replace("Bored: 7", ""),
        written(0, 6, 2, 7).replace(": ", ":"),  # the project asks for a blank
        written("**0**", "**6**", "**2**", "**7**"),
        written(-1, 6, 2, 7),
        written(0, 6, 2, 11),
        written(0, 6, 2, 10**400),
        written(0, 0, 0, 0),  # nothing is felt
    ],
)
def test_what_is_no_answer(text) -> None:
    with pytest.raises(InvalidAction, match="no answer was found: write Glad: <score>, Sad: <score>, Cross"):
        PLAIN.read(text)


def test_first_pass_and_revised_answers() -> None:
    first, second = written(1, 6, 2, 7), written(0, 6, 2, 7)
    text = f"First pass scores:\n{first}\n\nCritique: Sad: 9 was on my mind.\n\nRevised scores:\n{second}\n"
    with pytest.raises(InvalidAction):
        REVISED.read(text.replace("Bored: 7\n\nCritique", "Critique"))
    answer = REVISED.read(text)
    assert answer == (given(1, 9, 2, 7), given(0, 6, 2, 7))  # the critique is part of the first pass, as in the project
    share, metrics = REVISED.grade(answer)
    assert (share, metrics["score"], metrics["revised"]) == (1.0, 10.0, 10.0)
    # off by 1 and by 3: 0.17288 + 6.5 / (1 + e^1.2) = 6.5 / 4.32012 = 1.50459; 10 - 0.7477 * 1.67747
    assert metrics["first_pass"] == pytest.approx(8.7458, abs=1e-4)
    for broken in (second, f"Revised scores:\n{second}", f"First pass scores:\n{first}"):
        with pytest.raises(
            InvalidAction, match="under each of the headings «First pass scores:» and «Revised scores:»"
        ):
            REVISED.read(broken)


def test_the_prompt_without_revision_does_not_speak_of_one() -> None:
    assert REVISED.text == PROMPT
    for gone in ("critique", "revised", "First pass", "Revised"):
        assert gone not in PLAIN.text
    assert "a score from 0-10.\n\nGlad: <score>\n\n\n[End of answer]\n" in PLAIN.text
    assert PLAIN.text.endswith("\nYour answer:\n")
    own = Intensities("How glad is A?", REFERENCE, RELATIVE)
    assert own.text == "How glad is A?"  # a prompt of another form stays


def test_the_menu_holds_the_reference_once_and_nothing_marks_it() -> None:
    for asked in (PLAIN, REVISED):
        menu = asked.choices()
        assert len(menu) == len(set(menu)) == 8  # of 24 ways to deal out four different intensities
        assert menu.count(asked.gold()) == 1
        scores = [asked.grade(asked.read(entry))[0] for entry in menu]
        assert sorted(scores)[-1] == 1.0 > sorted(scores)[-2]
        assert len({"".join(sorted(entry)) for entry in menu}) == 1  # the same characters in another order


def test_what_is_reported_of_a_run() -> None:
    plain = [{"score": 10.0}, {"score": 4.0}, None]
    assert report(plain) == {"score": 70.0, "parseable": 2.0}
    both = [{"score": 4.0, "first_pass": 8.0, "revised": 4.0}, {"score": 10.0, "first_pass": 9.0, "revised": 10.0}]
    assert report(both) == {"first_pass": 85.0, "revised": 70.0, "score": 85.0, "parseable": 2.0}
    assert report([None]) == {"score": 0.0, "parseable": 0.0}


@pytest.mark.parametrize("piece", ["a", "a:", "a: ", "Glad: 1 ", ": ", "a:\n", "9", "First pass scores:", "é"])
def test_reading_is_linear(piece) -> None:
    def read(text):
        PLAIN.read(text)

    assert min(ratios(read, lambda size: piece * (size // len(piece)), 60_000, 3)) < 30
    assert math.isfinite(PLAIN.grade(PLAIN.read(written(10, 0, 10, 0)))[0])
