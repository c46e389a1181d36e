"""Plans: reading them, what their names can stand for, and the answers that fit what a question says."""

from __future__ import annotations

import pytest
from wiki_toy import made_speech

from agentgym.envs.wiki_search.shipped.questions import plans
from agentgym.envs.wiki_search.shipped.questions.plans import Described, Named, Step, Verdict
from agentgym.rng import TurnRng

SPEECH = made_speech()
MONEY = "a: city; b = a.country; c = b.currency; d = c.first_year"


def test_a_plan_is_read_line_by_line() -> None:
    plan = plans.read("a: city; b: country / capital=a area_km2; c = b.currency")
    assert plan.lines == (
        Named("a", "city"),
        Described("b", "country", ("area_km2",), (("capital", "a"),)),
        Step("c", "b", "currency"),
    )
    assert plan.verdict is None
    assert plan.chain == ("area_km2", "capital", "currency")
    assert plan.root("c") == "b" and plan.root("b") == "b"
    compared = plans.read("a: city; b: city; p = a.population; q = b.population; more p q")
    assert compared.verdict == Verdict("more", "p", "q")
    assert (compared.root("p"), compared.root("q")) == ("a", "b")


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("a: city; b = a country", "'b = a country' is no line of a plan"),
        ("a: city; b = c.country", "speaks of 'c', which no line before is about"),
        ("b: country / capital=a", "speaks of 'a'"),
        ("a: city; more a b", "speaks of 'b'"),
        ("a: city; b: city; same a b; c = a.country", "nothing can follow 'same'"),
    ],
)
def test_what_is_no_plan_is_refused(text: str, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        plans.read(text)


def test_worlds_are_all_that_the_first_name_can_stand_for() -> None:
    found = list(plans.worlds(plans.read(MONEY), SPEECH.facts, TurnRng(1)))
    texts = sorted(" ".join(SPEECH.text(node) for node in world.values()) for world in found)
    # five cities; each has one country, which has one currency
    assert texts == [
        "Ash Arland Crown 1950", "Ash Carland Crown 1950", "Crown Borland Mark 1901", "Elm Borland Mark 1901",
        "Oak Arland Crown 1950",
    ]  # fmt: skip
    again = list(plans.worlds(plans.read(MONEY), SPEECH.facts, TurnRng(1)))
    assert again == found


def test_of_a_second_free_name_few_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plans.read("a: city; b: city; p = a.population; q = b.population; more p q")
    assert len(list(plans.worlds(plan, SPEECH.facts, TurnRng(1)))) == 25  # 5 of 5: fewer than FEW
    monkeypatch.setattr(plans, "FEW", 2)
    assert len(list(plans.worlds(plan, SPEECH.facts, TurnRng(1)))) == 10


@pytest.mark.parametrize(
    ("plan", "said", "answers"),
    [
        (MONEY, {"a": "Oak"}, ["1950"]),
        (MONEY, {"a": "Oaktown"}, ["1950"]),  # an alias
        ("a: city; b = a.country", {"a": "Ash"}, ["Arland", "Carland"]),  # two cities of that name
        ("a: city; b = a.country", {"a": "Ash (Arland)"}, ["Arland"]),
        ("a: city; b = a.country", {"a": "Crown"}, ["Borland"]),  # the currency is in no country
        ("a: country / calling_code; b = a.capital", {"a.calling_code": "+91"}, ["Oak"]),
        ("a: country / calling_code; b = a.capital", {"a.calling_code": "+92"}, ["Ash", "Elm"]),
        (
            "a: country / calling_code currency; b = a.capital",
            {"a.calling_code": "+92", "a.currency": "Crown"},
            ["Ash"],
        ),
        ("a: country; b: country; c: country / borders=a borders=b", {"a": "Borland", "b": "Carland"}, ["Arland"]),
        ("a: country; b = a.borders", {"a": "Arland"}, ["Borland", "Carland"]),
        ("a: country / area_km2; b = a.currency", {"a.area_km2": "12,000"}, ["Crown", "Crown"]),  # two such countries
        ("a: city; b: country / capital=a; c = b.area_km2", {"a": "Oak"}, ["12,000"]),
        ("a: city; b: country / capital=a", {"a": "Crown"}, []),
    ],
)
def test_answers_are_all_that_fit(plan: str, said: dict[str, str], answers: list[str]) -> None:
    assert plans.answers(plans.read(plan), said, SPEECH) == answers


@pytest.mark.parametrize(
    ("how", "first", "second", "answer"),
    [
        ("more", "Arland", "Borland", "Arland"),
        ("less", "Arland", "Borland", "Borland"),
        ("more", "Borland", "Arland", "Arland"),
        ("more", "Arland", "Carland", ""),  # equal areas
    ],
)
def test_numbers_are_compared(how: str, first: str, second: str, answer: str) -> None:
    plan = plans.read(f"a: country; b: country; p = a.area_km2; q = b.area_km2; {how} p q")
    assert plans.answers(plan, {"a": first, "b": second}, SPEECH) == [answer]


def test_what_is_no_number_is_the_same_or_not_but_never_more() -> None:
    texts = "a: country; b: country; p = a.calling_code; q = b.calling_code"
    said = {"a": "Borland", "b": "Carland"}
    assert plans.answers(plans.read(f"{texts}; same p q"), said, SPEECH) == ["yes"]
    assert plans.answers(plans.read(f"{texts}; more p q"), {"a": "Arland", "b": "Borland"}, SPEECH) == [""]
    money = plans.read("a: country; b: country; p = a.currency; q = b.currency; same p q")
    assert plans.answers(money, {"a": "Arland", "b": "Carland"}, SPEECH) == ["yes"]
    assert plans.answers(money, {"a": "Arland", "b": "Borland"}, SPEECH) == ["no"]
    borders = plans.read("a: country; b: country; p = a.borders; q = b.borders; same p q")
    # Arland borders two countries and Borland one
    assert plans.answers(borders, {"a": "Carland", "b": "Borland"}, SPEECH) == ["yes"]
    assert plans.answers(borders, {"a": "Arland", "b": "Borland"}, SPEECH) == ["no", "no"]
