"""How entities and values are called, and what pages say."""

from __future__ import annotations

import pytest
from wiki_toy import made_speech

from agentgym.envs.wiki_search.passages import Passage
from agentgym.envs.wiki_search.shipped.questions.pages import Pages
from agentgym.envs.wiki_search.shipped.questions.speech import Told, is_said, spellings
from agentgym.envs.wiki_search.sources.question import passage_key

SPEECH = made_speech()
ENTITIES = SPEECH.facts.entities


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Oak", ["city:1"]),
        ("oaktown", ["city:1"]),
        ("Crown", ["city:5", "currency:CRO"]),
        ("the city Crown", ["city:5"]),
        ("the currency Crown", ["currency:CRO"]),
        ("Ash", ["city:3", "city:4"]),  # the page that lists them is not a thing so called
        ("Ash (Carland)", ["city:3"]),
        ("Yew", []),
    ],
)
def test_what_is_called_so(text: str, ids: list[str]) -> None:
    assert [entity.id for entity in SPEECH.called(text)] == ids


def test_a_name_says_the_kind_where_another_kind_has_it_too() -> None:
    assert SPEECH.name(ENTITIES["city:1"]) == "Oak"
    assert SPEECH.name(ENTITIES["city:5"]) == "the city Crown"
    assert SPEECH.name(ENTITIES["city:3"]) == ""  # two cities: the kind does not tell them apart


def test_values_are_written_as_their_page_writes_them() -> None:
    oak, elm, south = ENTITIES["city:1"], ENTITIES["city:2"], ENTITIES["country:B"]
    texts = [SPEECH.text(Told(page, page.all(relation)[0])) for page, relation in (
        (oak, "population"), (elm, "population"), (south, "area_km2"),
    )]  # fmt: skip
    assert texts == ["1,234,567", "4000", "900.5"]
    assert SPEECH.text(Told(elm, oak.all("population")[0])) == ""  # Elm's page does not say it
    assert SPEECH.told(ENTITIES["country:A"], "borders") == ["Borland", "Carland"]
    assert spellings(1950) == ("1,950", "1950") and spellings("007") == ("007",) and spellings(1.5) == ("1.5",)


def test_accepted_answers_hold_aliases_and_units() -> None:
    assert SPEECH.accepted(ENTITIES["city:1"]) == ["Oak", "Oaktown"]
    assert SPEECH.accepted(ENTITIES["city:5"]) == ["Crown", "Crown (city)"]
    area = Told(ENTITIES["country:A"], ENTITIES["country:A"].all("area_km2")[0])
    assert SPEECH.accepted(area)[:4] == ["12,000", "12000", "12,000 km²", "12,000 square kilometres"]


def test_phrases_are_whole_words() -> None:
    assert is_said("Where is Oak Hill?", "oak hill") and not is_said("Where is Oakland?", "Oak")
    assert not is_said("anything", "") and is_said("call +91!", "+91")


def test_pages_say_and_write() -> None:
    text = "The Oak, of 1,234,567 people; built in 1950. It is 3.5 m high, no. 12."
    pages = Pages([Passage("Oak", text), Passage("Elm", "An elm of 35 people, unlike the oak of 1234567.")])
    assert pages.keys["Oak"] == passage_key(Passage("Oak", text))
    assert pages.says("Oak", "the oak of 1234567 people") and not pages.says("Oak", "ak")
    assert not pages.says("Yew", "oak") and not pages.says("Oak", "")
    assert pages.writes("Oak", "1,234,567") and not pages.writes("Oak", "1234567")
    assert pages.writes("Oak", "1950") and pages.writes("Oak", "3.5") and pages.writes("Oak", "12")
    assert not pages.writes("Oak", "234,567") and not pages.writes("Oak", "1,234") and not pages.writes("Oak", "3")
    assert pages.together(["oak", "1234567"]) == ["Elm", "Oak"]
    assert pages.together(["Oak", "1950"]) == ["Oak"]
    assert pages.together(["Elm", "35"]) == ["Elm"]  # by its title, too
    assert pages.together(["people oak"]) == [] and pages.together([]) == []
