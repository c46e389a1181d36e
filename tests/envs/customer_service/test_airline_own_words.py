"""What customers and expert of Kittiwake Air say: complete, varied, heard, and true to the policy."""

from __future__ import annotations

import os
import re
from itertools import islice
from pathlib import Path
from string import Formatter

import pytest
from tau_agent_texts import agent_texts, labels

from agentgym.envs.customer_service import money
from agentgym.envs.customer_service.customer.hear import hear
from agentgym.envs.customer_service.domains.airline import AIRLINE, rules, violations
from agentgym.envs.customer_service.domains.airline.violations import broken
from agentgym.envs.customer_service.sheet import Call, Goal
from agentgym.envs.customer_service.tasks import drawn

RUNS = Path(os.environ.get("AGENTGYM_REFERENCE", "")) / "data" / "tau-bench" / "trajectories"
WORDS, VOICE = AIRLINE.words, AIRLINE.voice
SHEETS = [sheet for family in AIRLINE.families for sheet in islice(drawn(AIRLINE, family, "train"), 14)]
GOALS = [goal for sheet in SHEETS for goal in sheet.all_goals]
SILENT = {"cost", "amount", "flights"}
"""Facts that the expert's sentences need and nobody asks a customer for."""


def slots(text):
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def test_every_entry_has_four_different_texts():
    for texts in (WORDS.wants, WORDS.again, WORDS.says, WORDS.pretexts, WORDS.questions,
                  VOICE.asks, VOICE.proposes, VOICE.done, VOICE.refuses, VOICE.tells):  # fmt: skip
        for key, items in texts.items():
            assert len(set(items)) >= 4, key


def test_words_cover_every_sheet():
    assert len(SHEETS) >= 300
    for goal in GOALS:
        assert goal.intent in WORDS.wants and goal.intent in WORDS.again and goal.intent in WORDS.pretexts
        assert not goal.reason or goal.reason in WORDS.refused and goal.reason in VOICE.refuses
        assert all(tell.topic in WORDS.questions and tell.topic in VOICE.tells for tell in goal.tells)
        assert not goal.due or goal.intent in WORDS.acts and goal.intent in VOICE.proposes and goal.intent in VOICE.done
        for fact in goal.facts.keys() - SILENT:
            assert fact in WORDS.says and fact in WORDS.asked and fact in WORDS.names, fact
    for sheet in SHEETS:
        assert {*sheet.facts, *sheet.unknown} <= WORDS.asked.keys() & WORDS.says.keys() & WORDS.names.keys()
    assert {goal.intent for goal in GOALS} == WORDS.wants.keys()
    assert {goal.reason for goal in GOALS if goal.reason} == WORDS.refused.keys() == VOICE.refuses.keys()


def test_a_request_states_what_it_opens_with():
    for goal in GOALS:
        for text in WORDS.wants[goal.intent]:
            assert slots(text) == set(goal.opens), text
        assert set(goal.opens) <= goal.facts.keys()
        assert all(slots(text) <= set(goal.opens) for text in WORDS.again[goal.intent] + WORDS.pretexts[goal.intent])


def test_the_expert_can_fill_its_sentences():
    for sheet in SHEETS:
        for goal in sheet.all_goals:
            known = {**sheet.facts, **goal.facts}.keys()
            if goal.due or goal.change:
                assert all(slots(text) <= known for text in VOICE.proposes[goal.intent])
            if goal.due:
                assert all(slots(text) <= known for text in VOICE.done[goal.intent])
            if goal.reason:
                assert all(slots(text) <= known for text in VOICE.refuses[goal.reason])


def test_the_expert_asks_what_the_customer_hears():
    for fact, texts in VOICE.asks.items():
        for text in texts:
            assert fact in hear(WORDS, text).asks, text


def test_the_expert_refuses_for_one_reason_that_is_heard():
    for reason, texts in VOICE.refuses.items():
        for text in texts:
            heard = hear(WORDS, text.format(tier="gold"))
            assert heard.refuses and reason in heard.reasons and len(heard.reasons) <= 2, text


@pytest.mark.parametrize(
    "text, facts",
    [
        ("Could you please provide your customer ID and the booking code?", {"customer_id", "booking"}),
        ("To get started, please share your user ID or the email on your account.", {"customer_id", "email"}),
        ("May I have your full name and date of birth to verify your identity?", {"name", "birth_date"}),
        ("I'd be happy to help! What is your reservation ID?", {"booking"}),
        ("Could you tell me the reason for the cancellation?", {"reason"}),
        ("Which payment method would you like to use?", {"payment"}),
        ("How would you like to pay for the difference?", {"payment"}),
        ("Which flight would you prefer?", {"wish"}),
        ("What date would you like to travel on instead?", {"new_date"}),
        ("What's the date of your flight?", {"date"}),
        ("Do you want to change the outbound or the return flight?", {"direction"}),
        ("How many additional bags would you like to add?", {"bags"}),
        ("What is the correct spelling of the name?", {"new_name"}),
        ("How is the name currently spelled on the booking?", {"passenger"}),
        ("Which cabin would you like: economy, premium or business?", {"cabin"}),
        ("Where are you flying to?", {"destination"}),
        ("What city are you departing from?", {"origin"}),
        ("Did you purchase travel insurance with this booking?", {"insurance"}),
        ("How many passengers are travelling?", {"passengers"}),
        ("Is it a one-way or a round trip?", {"trip_type"}),
        ("How long was the delay?", {"hours"}),
        ("What is your current membership tier?", {"tier"}),
        ("Could you give me the flight number?", {"flight_numbers"}),
        ("1. Your customer ID\n2. Nothing else", set()),
    ],
)
def test_questions_of_agents_are_heard(text, facts):
    assert set(hear(WORDS, text).asks) == facts


@pytest.mark.skipif(not RUNS.is_dir(), reason="set AGENTGYM_REFERENCE to the folder that holds data/tau-bench")
def test_questions_of_a_recorded_agent_are_heard():
    texts, known = agent_texts(RUNS), labels()
    asking = [index for index, label in known.items() if label.facts]
    heard = {index: set(hear(WORDS, texts[index]).asks) for index in known}
    assert len(asking) == 71
    assert sum(known[index].facts <= heard[index] for index in asking) >= 0.95 * len(asking)
    # two texts ask for the flight number, a fact that the labels do not know
    beyond = [index for index in known if heard[index] - {"flight_numbers"} - known[index].facts - known[index].may]
    assert len(beyond) <= 0.02 * len(known)


@pytest.mark.parametrize(
    "reason, text",
    [
        ("not_refundable", "Unfortunately, your booking was made more than 24 hours ago, so it cannot be cancelled."),
        ("not_refundable", "I'm sorry, but standard fare tickets are non-refundable at this stage."),
        ("not_refundable", "I can't cancel this: the fare is not flexible and no covered reason applies."),
        ("no_insurance", "I'm sorry, but I see no travel insurance on this booking, so I can't cancel it."),
        ("no_insurance", "Unfortunately your reservation doesn't include insurance and is not eligible for a refund."),
        ("not_covered", "I'm afraid your insurance only covers illness, injury or a death in the family."),
        ("not_covered", "A change of plans isn't covered by the travel insurance, so I'm unable to cancel."),
        ("basic_fare", "Basic economy bookings cannot be modified, unfortunately."),
        ("basic_fare", "I'm sorry, we are unable to change flights on a basic fare."),
        ("sold_out", "Unfortunately, there are not enough seats available on KW151."),
        ("sold_out", "I'm sorry, but KW151 is fully booked in economy."),
        ("wrong_tier", "I'm sorry, but your profile shows that you are a Blue member, so I can't offer this for free."),
        ("wrong_tier", "I can't add it for free, as your profile shows a different membership tier."),
        ("wrong_tier", "I'm sorry, your profile shows another tier, so I am unable to waive the price."),
        ("sold_out", "That flight is completely full, so I can't move you onto it."),
        ("no_insurance", "The booking was made without travel insurance, which means I can't cancel it."),
        ("other_person", "Unfortunately tickets are non-transferable, so I can't put another person on the booking."),
        ("other_person", "I can only correct typos; I cannot change the passenger to someone else."),
        ("no_delay", "Our records show the flight was only 15 minutes late, so I can't offer compensation."),
        ("no_delay", "I'm sorry, the flight arrived on time, so you're not eligible for compensation."),
        ("foreign", "I'm sorry, but this booking is not in your profile, so I'm unable to cancel it."),
        ("foreign", "I can't help with that reservation as it belongs to another customer."),
        (
            "not_refundable",
            "Under our policy this booking doesn't qualify: it's outside the 24-hour window, the fare is basic rather "
            "than flexible, and it has no insurance. So I'm unable to cancel it. Is there anything else?",
        ),
        (
            "no_insurance",
            "I understand you're ill. However, booking AB2CDE doesn't have travel insurance. Since it was also booked "
            "more than 24 hours ago with a standard fare, I can't cancel it.",
        ),
        (
            "not_covered",
            "I'm sorry, but changed plans aren't covered under the travel insurance. Because the booking is over 24 "
            "hours old and not flexible, I cannot cancel it.",
        ),
        (
            "basic_fare",
            "It's on the basic fare. Our policy does not allow any flight or cabin changes for this fare.",
        ),
        ("sold_out", "I'm sorry, but flight KW134 has no availability in business class on that day."),
        (
            "wrong_tier",
            "I see that your profile shows Blue tier, not Silver. With Blue tier, economy bookings don't include free "
            "bags, so each extra bag costs 34.85. I can't add them for free.",
        ),
        (
            "other_person",
            "I can only correct typing errors of up to three letters. Changing Anna Beck to Tom Weber would be a "
            "transfer to another person, which isn't allowed.",
        ),
        (
            "no_delay",
            "I'm sorry, but the flight was delayed by 45 minutes, which is below the threshold of 120 minutes, so I "
            "can't issue a voucher.",
        ),
        ("foreign", "I can only make changes to bookings in your own profile, so I'm unable to cancel this one."),
    ],
)
def test_refusals_of_agents_are_heard(reason, text):
    heard = hear(WORDS, text)
    assert heard.refuses and reason in heard.reasons and len(heard.reasons) <= 2, heard.reasons


@pytest.mark.parametrize(
    "intent, text",
    [
        ("cancel", "I will cancel booking AB2CDE and refund 159.27 to your Visa. Do you confirm?"),
        ("change_flight", "I'll move you to flight KW151 on September 14. Would you like me to proceed?"),
        ("upgrade", "Upgrading to business class will cost €310.24. Shall I go ahead?"),
        ("add_bags", "I can add 2 checked bags for €69.70. Would you like to proceed?"),
        ("fix_name", "I'll update the passenger name to Ada Byron. Is that correct?"),
        ("compensation", "I can issue a voucher of €120.00 as compensation. Would you like me to do so?"),
        ("lost_baggage", "I can transfer you to a colleague in our baggage department. Shall I do that?"),
    ],
)
def test_proposals_of_agents_are_heard(intent, text):
    heard = hear(WORDS, text)
    assert heard.proposes and intent in heard.acts


def test_ids_are_told_apart_from_words():
    named = hear(WORDS, "Shall I cancel AB2CDE of C-12345 and use V-70001 for KW151 on 2025-09-14 at 10:00?").names
    assert named == {"ab2cde", "c-12345", "v-70001", "kw151"}
    for table in ("customers", "bookings", "vouchers"):
        key = next(iter(AIRLINE.database[table]))
        assert hear(WORDS, f"Shall I cancel {key}?").names == {key.lower()}


def test_choices_are_those_of_the_sheets():
    for goal in GOALS:
        for fact, known in WORDS.choices.items():
            if fact in goal.facts:
                assert goal.facts[fact] in known


# ---- the policy


def test_the_policy_names_the_tools_there_are_and_no_other():
    named = set(re.findall(r"`([a-z_]+)`", AIRLINE.policy))
    topics = AIRLINE.tools["transfer_to_human"].spec.parameters["properties"]["topic"]["enum"]
    assert named - set(topics) <= AIRLINE.tools.keys()
    assert {name for name, tool in AIRLINE.tools.items() if tool.tag == "write"} <= named
    assert set(topics) <= named and 60 <= len(AIRLINE.policy.splitlines()) <= 120


def test_the_policy_has_the_numbers_of_the_rules():
    assert f"The time is {AIRLINE.clock[:16]}" in AIRLINE.policy
    for cents in (rules.BAG_FEE, rules.CHANGE_FEE, rules.PREMIUM, *rules.COMPENSATION.values()):
        assert money.text(cents) in AIRLINE.policy
    for tier, row in rules.BAGS.items():
        assert f"| {tier} | {row['economy']} | {row['premium']} | {row['business']} |" in AIRLINE.policy
    assert f"({rules.LATE} minutes)" in AIRLINE.policy and f"({rules.VERY_LATE} minutes)" in AIRLINE.policy


def rows(**fields):
    found = (row for row in AIRLINE.database["bookings"].values() if row["status"] == "active")
    return next(row for row in found if all(row[name] == value for name, value in fields.items()))


def test_writes_against_the_policy_are_named():
    base, cancel = AIRLINE.database, Goal("cancel", {"reason": "my plans have changed"})
    old = {"booked_at": "2025-08-01 10:00:00", "insurance": True}
    booking = next(
        row for row in base["bookings"].values()
        if row["fare"] == "basic" and not rules.is_disrupted(base, row) and len(row["passengers"]) == 1
    )  # fmt: skip
    code = booking["booking_code"]
    database = base.set("bookings", code, {**booking, **old})
    call = Call("cancel_booking", {"booking_code": code})
    assert list(broken(cancel, database, call)) == [violations.REFUND_NOT_DUE]
    assert not list(broken(Goal("cancel", {"reason": "I have fallen ill"}), database, call))
    assert not list(broken(cancel, base.set("bookings", code, {**booking, "fare": "flexible"}), call))
    for tool in ("change_flights", "change_cabin"):
        assert list(broken(cancel, database, Call(tool, {"booking_code": code}))) == [violations.BASIC_FARE]
    voucher = Call("issue_voucher", {"booking_code": code, "amount": "60.00"})
    assert list(broken(cancel, database, voucher)) == [violations.WRONG_AMOUNT, violations.NOT_ASKED_FOR]
    names = {"booking_code": code, "passenger": "Ada Byorn", "first_name": "Ada"}
    assert not list(broken(cancel, database, Call("correct_passenger_name", {**names, "last_name": "Byron"})))
    other = Call("correct_passenger_name", {**names, "last_name": "Lovelace"})
    assert list(broken(cancel, database, other)) == [violations.OTHER_PERSON]
    assert not list(broken(cancel, database, Call("cancel_booking", {"booking_code": "ZZ9ZZZ"})))


def test_letters_apart_counts_what_has_to_be_typed_anew():
    pairs = [("Byorn", "Byron", 2), ("Ada", "ada", 0), ("", "Ode", 3), ("Anna", "Ana", 1), ("Bob", "Rob", 1)]
    assert [rules.letters_apart(one, other) for one, other, _ in pairs] == [apart for *_, apart in pairs]
