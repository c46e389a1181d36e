"""The words of the shop's customers and of its expert cover every sheet, differ, and the policy names what there is."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from string import Formatter

import pytest

from agentgym.envs.customer_service.customer.hear import hear
from agentgym.envs.customer_service.domains.retail import RETAIL, catalogue
from agentgym.envs.customer_service.sheet import Goal, Sheet
from agentgym.envs.customer_service.tasks import drawn
from tests.envs.customer_service.retail_asked import ASKS, IDLE, PROPOSALS, REFUSALS

WORDS, VOICE = RETAIL.words, RETAIL.voice


@cache
def sheets() -> tuple[Sheet, ...]:
    """Return 15 sheets of every family, more than 300 in all."""
    return tuple(sheet for family in RETAIL.families for sheet in islice(drawn(RETAIL, family, "train"), 15))


def goals() -> Iterator[Goal]:
    for sheet in sheets():
        yield from sheet.all_goals


def slots(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def differ(texts: Sequence[str]) -> bool:
    return len(set(texts)) == len(texts) >= 4


def test_the_sheets_are_many() -> None:
    assert len(sheets()) >= 300


def test_every_request_opens_with_what_its_sheet_says() -> None:
    for goal in goals():
        assert differ(WORDS.wants[goal.intent]) and differ(WORDS.again[goal.intent])
        assert set(goal.opens) <= goal.facts.keys()
        for text in WORDS.wants[goal.intent]:
            assert slots(text) == set(goal.opens), (goal.intent, text)
        for text in (*WORDS.again[goal.intent], *WORDS.pretexts[goal.intent]):
            assert slots(text) <= set(goal.opens), (goal.intent, text)


def test_every_request_can_be_insisted_on_and_recognised() -> None:
    for goal in goals():
        assert differ(WORDS.pretexts[goal.intent])
        assert WORDS.acts[goal.intent]


def test_every_fact_can_be_asked_for_said_and_forgotten() -> None:
    for sheet in sheets():
        known = {*sheet.facts, *(fact for goal in sheet.all_goals for fact in goal.facts)}
        for fact in (*sorted(known), *sheet.unknown):
            assert WORDS.asked[fact] and WORDS.names[fact] and differ(VOICE.asks[fact])
        for fact in sorted(known):
            assert differ(WORDS.says[fact]) and all("{value}" in text for text in WORDS.says[fact])


def test_every_reason_and_topic_has_words_on_both_sides() -> None:
    for goal in goals():
        if goal.reason:
            assert WORDS.refused[goal.reason] and differ(VOICE.refuses[goal.reason])
        for tell in goal.tells:
            assert differ(WORDS.questions[tell.topic])
            assert differ(VOICE.tells[tell.topic]) and all("{text}" in text for text in VOICE.tells[tell.topic])


def test_the_expert_has_words_for_every_act() -> None:
    for goal in goals():
        if goal.gold:
            assert len([text for text in VOICE.proposes[goal.intent] if slots(text) <= goal.facts.keys()]) >= 4
            assert goal.change or len([t for t in VOICE.done[goal.intent] if slots(t) <= goal.facts.keys()]) >= 4


def test_values_with_a_choice_are_those_that_sheets_hold() -> None:
    for goal in goals():
        for fact, known in WORDS.choices.items():
            if fact in goal.facts:
                assert goal.facts[fact] in known, (fact, goal.facts[fact])


@pytest.mark.parametrize("fact", ["wish", "payment", "trouble", "reason"])
def test_a_value_is_heard_as_itself_and_no_other(fact: str) -> None:
    for value, patterns in WORDS.choices[fact].items():
        assert any(re.search(pattern, value.lower()) for pattern in patterns)
        for other, theirs in WORDS.choices[fact].items():
            if other != value:
                assert not any(re.search(pattern, value.lower()) for pattern in theirs), (value, other)


def test_options_are_heard_however_they_are_written() -> None:
    for text, value in [
        ("the set of 2", "set of two"), ("a king size one", "king-size"), ("120cm", "120 cm"), ("2-litre", "two litre"),
    ]:  # fmt: skip
        assert any(re.search(pattern, text) for pattern in WORDS.choices["wish"][value])
    assert len(WORDS.choices["wish"]) == sum(map(len, catalogue.OPTIONS))


def all_texts(table: Mapping[str, Sequence[str]]) -> set[str]:
    return {text for texts in table.values() for text in texts}


def test_the_expert_and_the_customers_share_no_sentence() -> None:
    customers = set[str]().union(
        *map(all_texts, (WORDS.wants, WORDS.again, WORDS.says, WORDS.pretexts, WORDS.questions))
    )
    expert = set[str]().union(*map(all_texts, (VOICE.asks, VOICE.proposes, VOICE.done, VOICE.refuses, VOICE.tells)))
    assert not customers & expert
    patterns = [p for table in (WORDS.asked, WORDS.acts, WORDS.refused) for p in all_texts(table)]
    for text in expert:
        assert not any(re.fullmatch(pattern, text.lower()) for pattern in patterns)


# ---- what agents say, in their own words ----------------------------------------------------------------------------


def share(right: Sequence[bool]) -> float:
    return sum(right) / len(right)


def test_agents_that_ask_get_what_they_ask_for_and_nothing_else() -> None:
    exact = [set(hear(WORDS, text).asks) == facts for text, facts in ASKS]
    missed = [text for text, facts in ASKS if not facts <= set(hear(WORDS, text).asks)]
    assert share(exact) >= 0.85 and len(missed) <= 0.1 * len(ASKS), missed


def agrees(text: str, intent: str) -> bool:
    """Whether a text is a question for a yes to an act, and to no other."""
    heard = hear(WORDS, text)
    named = heard.agreed if heard.agreed or heard.refuses else heard.acts
    return heard.proposes and intent in named and not heard.either


def test_agents_that_ask_for_a_yes_are_understood() -> None:
    wrong = [text for text, intent in PROPOSALS if not agrees(text, intent)]
    assert len(wrong) <= 0.15 * len(PROPOSALS), wrong


def test_agents_that_refuse_give_their_reason() -> None:
    heard = [(text, reason, hear(WORDS, text)) for text, reason in REFUSALS]
    wrong = [text for text, reason, one in heard if not (one.refuses and reason in one.reasons)]
    assert len(wrong) <= 0.15 * len(REFUSALS), wrong
    assert all(len(one.reasons) <= 2 for _, _, one in heard)


def test_what_asks_nothing_is_heard_so() -> None:
    for text in IDLE:
        heard = hear(WORDS, text)
        assert not (heard.asks or heard.proposes or heard.refuses), text


# ---- the policy ------------------------------------------------------------------------------------------------------


def test_the_policy_names_tools_that_there_are_and_all_of_them() -> None:
    named = set(re.findall(r"`(\w+_\w+)`", RETAIL.policy))
    assert named == set(RETAIL.tools)
    assert 60 <= len(RETAIL.policy.splitlines()) <= 120


def test_the_policy_says_what_the_tools_check() -> None:
    for tool, argument in (("cancel_order", "reason"), ("open_case", "trouble"), ("transfer_to_human", "reason")):
        for value in RETAIL.tools[tool].spec.parameters["properties"][argument]["enum"]:
            assert value in RETAIL.policy
    assert "30 days" in RETAIL.policy and "3.95" in RETAIL.policy and "8.95" in RETAIL.policy
