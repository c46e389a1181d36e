"""How buyers word things: amounts, capitals, and parts that are joined."""

from __future__ import annotations

import re

import pytest
from small_buyer import case

from agentgym.envs.sales.phrases import PHRASES
from agentgym.envs.sales.speech import asks_machine
from agentgym.envs.sales.words import MANNERS, Voice, amounts, capital, follows, money, value_text

SLOTS = {
    "noun", "a", "plural", "shop", "name", "about", "budget", "rival", "price", "product", "topic", "doubt", "why",
    "want", "wonder", "bid",
}  # fmt: skip


@pytest.mark.parametrize(
    "cents, per, text",
    [(49_900, "", "$499"), (3_950, "", "$39.50"), (3_900, "month", "$39 a month"), (123_456_700, "", "$1,234,567")],
)
def test_amounts(cents: int, per: str, text: str) -> None:
    assert money(cents, per) == text


def test_values_of_needs() -> None:
    assert value_text("kg", 1.5) == "1.5 kg"
    assert value_text("USD", 40000) == "$40,000"
    assert value_text("", "oak") == "oak"
    assert value_text("", True) == ""


def test_capitals_stand_where_sentences_begin() -> None:
    assert capital("well. so it is? yes! at 1.5 kg") == "Well. So it is? Yes! At 1.5 kg"
    assert follows("Well,", "It is") == "Well, it is"
    assert follows("Well,", "I'd say") == "Well, I'd say"
    assert follows("Well.", "It is") == "Well. It is"


def test_equal_moments_have_equal_words_and_others_do_not() -> None:
    one, other = Voice(case(), 5, "now"), Voice(case(), 5, "now")
    assert [one.say(PHRASES["leaves"]) for _ in range(2)] == [other.say(PHRASES["leaves"]) for _ in range(2)]
    texts = {Voice(case(), manner, "now").say(PHRASES["leaves"]) for manner in range(0, MANNERS, MANNERS // 40)}
    assert len(texts) > 30


@pytest.mark.parametrize("act", sorted(PHRASES))
def test_every_slot_is_known_and_every_act_has_many_wordings(act: str) -> None:
    parts = PHRASES[act]
    assert {slot for part in parts for text in part for slot in re.findall(r"{(\w*)}", text)} <= SLOTS
    wordings = 1
    for part in parts:
        assert len(set(part) - {""}) >= len([text for text in part if text])  # none twice
        wordings *= len(set(part))
    assert wordings >= 100 or act in ("also", "lectured", "need", "refuses", "still", "wonder"), wordings


def test_no_text_is_left_with_a_slot_or_a_loose_comma() -> None:
    filled = dict.fromkeys(SLOTS, "it")
    for act, parts in PHRASES.items():
        for number in range(60):
            voice = Voice(case(), number, act)
            text = voice.say(parts, **filled)
            assert "{" not in text and not text.endswith((",", ":", " ")) or act in ("also", "still"), (act, text)


def test_the_figures_of_a_text_are_its_facts() -> None:
    text = "$201 a year? I need 1.5 kg, 12 months, 120 cm at 90 %, and $1,234.50 for 3 of them, or $201 a year."
    assert amounts(text) == ("$201 a year", "1.5 kg", "12 months", "120 cm", "90 %", "$1,234.50")
    assert amounts("No figures here, in 2 ways.") == ()


@pytest.mark.parametrize("text", PHRASES["machine"][1])
def test_whoever_listens_knows_that_the_buyer_asks_what_it_talks_to(text: str) -> None:
    assert asks_machine(capital(text)), text
