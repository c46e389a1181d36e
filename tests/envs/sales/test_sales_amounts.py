"""Amounts in a sentence: numbers, units, ranges, bounds; and whether they are true of a fact."""

import pytest

from agentgym.envs.sales.claims.amounts import amounts
from agentgym.envs.sales.claims.numerals import number_at
from agentgym.envs.sales.claims.tokens import sentences, stem
from agentgym.envs.sales.claims.units import unit_at
from agentgym.envs.sales.claims.weigh import agrees, converted
from agentgym.envs.sales.product import UNITS, Fact


def tokens(text: str) -> list[str]:
    return sentences(text)[0].tokens


def read(text: str) -> list[tuple[float, float, str, str]]:
    return [(each.low, each.high, each.unit, each.bound) for each in amounts(tokens(text))]


@pytest.mark.parametrize(
    "text, number",
    [
        ("1,800", 1800.0),
        ("1.5", 1.5),
        (".5", 0.5),
        ("60 k", 60_000.0),
        ("seven", 7.0),
        ("twenty five", 25.0),
        ("one hundred and twenty", 120.0),
        ("three thousand five hundred", 3500.0),
        ("two and a half", 2.5),
        ("two and a quarter", 2.25),
        ("one point five", 1.5),
        ("a dozen", 12.0),
        ("a hundred", 100.0),
        ("a couple of", 2.0),
        ("half a", 0.5),
        ("half an", 0.5),
        ("three quarters of an", 0.75),
        ("a quarter of a", 0.25),
        ("half a million", 0.5),  # the million is read as what it is a half of only by `amounts`
        ("single", 1.0),
        ("several", 3.0),
    ],
)
def test_numbers(text: str, number: float) -> None:
    found = number_at(text.split(), 0)
    assert found is not None and found[0] == number


@pytest.mark.parametrize("text", ["", "it", "k", "24/7", "a table", "an hourglass", "half the", "quarterly"])
def test_what_is_no_number(text: str) -> None:
    assert number_at(tokens(text) if text else [], 0) is None


@pytest.mark.parametrize(
    "text, unit",
    [
        ("2 kilos", "kg"),
        ("2 full days", "day"),
        ("2 nights", "day"),
        ("2 m", "m"),
        ("two m", ""),  # a letter is a unit only right behind a figure
        ("2 square metres", "m2"),
        ("2 m²", "m2"),
        ("2 km/h", "km/h"),
        ("2 miles an hour", "mph"),
        ("2 per cent", "%"),
        ("2 %", "%"),
        ("2 revolutions per minute", "rpm"),
        ("2 newton metres", "Nm"),
        ('2 "', "in"),
        ("2 in the box", ""),
        ("2.5 in screen", "in"),
        ("2 screens", ""),
    ],
)
def test_units(text: str, unit: str) -> None:
    assert unit_at(tokens(text), 1)[0] == unit


def test_every_unit_of_a_fact_has_a_spelling() -> None:
    from agentgym.envs.sales.claims.units import UNIT

    compound = {"", "km/h", "m2"}  # also read as several words
    assert set(UNITS) - compound - set(UNIT.values()) == set()


@pytest.mark.parametrize(
    "text, low, high, unit, bound",
    [
        ("It weighs 1.5 kg.", 1.5, 1.5, "kg", "exact"),
        ("It costs $129.50.", 129.5, 129.5, "USD", "exact"),
        ("It takes an hour and a half.", 1.5, 1.5, "h", "exact"),
        ("It takes half an hour.", 0.5, 0.5, "h", "exact"),
        ("20 to 25 hours", 20.0, 25.0, "h", "exact"),
        ("between 20 and 25 hours", 20.0, 25.0, "h", "exact"),
        ("2-3 days", 2.0, 3.0, "day", "exact"),
        ("$200 to $300", 200.0, 300.0, "USD", "exact"),
        ("up to 20 hours", 20.0, 20.0, "h", "up to"),
        ("up to 48 hours before it", 48.0, 48.0, "h", "exact"),
        ("at least 20 hours", 20.0, 20.0, "h", "least"),
        ("20 hours or more", 20.0, 20.0, "h", "least"),
        ("more than 20 hours", 20.0, 20.0, "h", "least"),
        ("no more than 20 hours", 20.0, 20.0, "h", "most"),
        ("it isn't longer than 20 hours", 20.0, 20.0, "h", "most"),
        ("no less than 20 hours", 20.0, 20.0, "h", "least"),
        ("under 20 hours", 20.0, 20.0, "h", "most"),
        ("just under 20 hours", 20.0, 20.0, "h", "nearly"),
        ("a bit less than 20 hours", 20.0, 20.0, "h", "nearly"),
        ("almost 20 hours", 20.0, 20.0, "h", "nearly"),
        ("a bit over 20 hours", 20.0, 20.0, "h", "above"),
        ("about 20 hours", 20.0, 20.0, "h", "about"),
        ("20 hours or so", 20.0, 20.0, "h", "about"),
        ("close to 20 hours", 20.0, 20.0, "h", "about"),
        ("a good 20 hours", 20.0, 20.0, "h", "good"),
        ("within 20 hours", 20.0, 20.0, "h", "within"),
        ("20 hours max", 20.0, 20.0, "h", "most"),
        ("a maximum of 20 hours", 20.0, 20.0, "h", "most"),
        ("it doesn't even last 20 hours", 20.0, 20.0, "h", "most"),
        ("tomorrow", 1.0, 1.0, "day", "most"),
        ("the day after tomorrow", 2.0, 2.0, "day", "most"),
        ("the next day", 1.0, 1.0, "day", "most"),
        ("a fifth of it", 20.0, 20.0, "%", "exact"),
        ("half the price", 50.0, 50.0, "%", "exact"),
        ("a gigabit, as it takes a gigabit", 1.0, 1.0, "Gbps", "exact"),
    ],
)
def test_amounts(text: str, low: float, high: float, unit: str, bound: str) -> None:
    assert read(text)[0] == (pytest.approx(low), pytest.approx(high), unit, bound)


def test_sides_have_the_unit_of_the_last_one() -> None:
    assert read("180 by 90 cm") == [(180.0, 180.0, "cm", "exact"), (90.0, 90.0, "cm", "exact")]


@pytest.mark.parametrize("text", ["twice a week", "an evening a week", "we're here 24/7", "a nice table"])
def test_how_often_something_happens_is_no_amount(text: str) -> None:
    assert read(text) == []


def test_what_a_price_is_for() -> None:
    assert [each.per for each in amounts(tokens("$29 a month, 348 dollars per year, $3 a cup, $5 per person, $2"))] == [
        "month",
        "year",
        "other",
        "",
        "",
    ]


@pytest.mark.parametrize(
    "fact, text, true",
    [
        # exact figures: 1.5 % of what is measured, 3 % in another unit, nothing of what is counted
        (Fact("weight", 22.0, "kg"), "22.3 kg", True),
        (Fact("weight", 22.0, "kg"), "22.4 kg", False),
        (Fact("weight", 22.0, "kg"), "48 pounds", True),  # 21.77 kg, 1 % off
        (Fact("weight", 22.0, "kg"), "46 pounds", False),  # 20.9 kg, 5 % off
        (Fact("seats", 8), "8 people", True),
        (Fact("seats", 8), "9 people", False),
        (Fact("uptime", 99.5, "%"), "99.99 percent", False),
        (Fact("price", 129.5, "USD"), "129 dollars", True),
        (Fact("price", 129.5, "USD"), "127 dollars", False),
        # months and weeks: the calendar leaves 8 % open
        (Fact("term", 1.0, "month"), "4 weeks", True),
        (Fact("term", 1.0, "month"), "5 weeks", False),
        (Fact("warranty", 24.0, "month"), "2 years", True),
        # "up to": no more than that of what costs, that much can be of what is gained
        (Fact("charging time", 4.5, "h"), "up to 4 hours", False),
        (Fact("charging time", 4.5, "h"), "up to 5 hours", True),
        (Fact("battery life", 30.0, "h"), "up to 40 hours", False),
        (Fact("battery life", 30.0, "h"), "up to 20 hours", True),
        # "within": a time that something takes, or for which one may do it
        (Fact("delivery time", 4.0, "day"), "within 5 days", True),
        (Fact("delivery time", 4.0, "day"), "within 3 days", False),
        (Fact("return period", 30.0, "day"), "within 90 days", False),
        (Fact("return period", 30.0, "day"), "within 14 days", True),
        (Fact("battery life", 30.0, "h"), "about 33 hours", True),
        (Fact("battery life", 30.0, "h"), "about 34 hours", False),  # 10 % of 34 is 3.4
        (Fact("battery life", 30.0, "h"), "just under 35 hours", True),
        (Fact("battery life", 30.0, "h"), "just under 36 hours", False),  # 15 % of 36 is 5.4
        (Fact("battery life", 30.0, "h"), "25 to 35 hours", True),
        (Fact("battery life", 30.0, "h"), "10 to 20 hours", False),
    ],
)
def test_what_agrees(fact: Fact, text: str, true: bool) -> None:
    amount = amounts(tokens(text))[0]
    assert not isinstance(fact.value, bool | tuple)
    value = converted(float(fact.value), fact.unit, amount.unit)
    assert value is not None
    assert agrees(fact, amount, value) is true


def test_units_of_different_quantities_cannot_be_converted() -> None:
    assert converted(1.0, "kg", "m") is None
    assert converted(1.0, "mi", "km") == pytest.approx(1.609344)


@pytest.mark.parametrize(
    "words", ["charge charges charged charging", "flood floods flooding", "copy copies", "stop stops stopped stopping"]
)
def test_endings_of_number_and_tense_make_no_other_word(words: str) -> None:
    assert len({stem(word) for word in words.split()}) == 1


def test_a_message_is_cut_into_sentences_and_no_figure_is() -> None:
    assert [each.text for each in sentences("It's 1.5 kg. Light? Yes!\n- two gears - and a case; done")] == [
        "It's 1.5 kg.",
        "Light?",
        "Yes!",
        "- two gears",
        "and a case",
        "done",
    ]
    assert len(sentences("x " * 10_000)) == 4_000 // 600 + 1
