"""Turns of phrase that customers of the shipped domains once misheard: what each message is to be taken for."""

from __future__ import annotations

import pytest
from paraphrase_sets import judged

from agentgym.envs.customer_service.customer.hear import hear
from agentgym.envs.customer_service.domains.airline.words import WORDS as AIRLINE
from agentgym.envs.customer_service.domains.retail.words import WORDS as RETAIL
from agentgym.envs.customer_service.domains.telecom.words import WORDS as TELECOM

DOMAINS = {"retail": RETAIL, "airline": AIRLINE, "telecom": TELECOM}


def taken_for(domain: str, text: str) -> str:
    return judged(hear(DOMAINS[domain], text), DOMAINS[domain])


@pytest.mark.parametrize(
    ("domain", "text", "label"),
    [
        ("airline", "Why don't you want to fly any more?", "ask:reason"),
        ("airline", "Why can't the trip take place?", "ask:reason"),
        ("retail", "We don't offer discounts to match competitors.", "no:price_match"),
        ("retail", "Price matching? There I have to turn you down.", "no:price_match"),
        ("airline", "The flight landed on time, so there's no compensation.", "no:no_delay"),
        ("airline", "As a blue member your bags aren't free for you.", "no:wrong_tier"),
        ("telecom", "Changing the plan of somebody else isn't something we offer.", "no:not_the_holder"),
    ],
)
def test_questions_with_a_not_ask_and_plain_noes_refuse(domain: str, text: str, label: str) -> None:
    assert taken_for(domain, text) == label


def test_what_is_not_yet_so_is_an_offer_where_it_is_to_be_done() -> None:
    offer = "Roaming isn't enabled on your plan yet. I can change that. Shall I allow roaming?"
    assert hear(TELECOM, offer).proposes and not hear(TELECOM, offer).refuses
    bare = "Roaming isn't allowed on this line. Shall I add 5 GB instead?"  # nothing says that this could change
    assert hear(TELECOM, bare).refuses


def test_handing_over_what_the_agent_cannot_do_itself_is_a_proposal() -> None:
    over = "Unfortunately my tools don't cover lost bags. Shall I transfer you to them?"
    assert taken_for("airline", over) == taken_for("airline", "Shall I hand you over to a colleague?")
    assert not hear(AIRLINE, over).refuses
    assert hear(AIRLINE, "I can't cancel that trip. Shall I transfer you to a colleague?").refuses


@pytest.mark.parametrize(
    ("domain", "text", "label"),
    [
        ("airline", "I'm sorry, tickets can't be put in someone else's name.", "no:other_person"),
        ("airline", "I can't cancel it: the booking belongs to another person.", "no:foreign"),
        ("retail", "It has been dispatched, so I can't cancel. You may return it within 30 days.", "no:shipped"),
        ("retail", "I can't take it back: you could only return it within 30 days.", "no:window"),
    ],
)
def test_of_two_reasons_the_one_that_denies_counts(domain: str, text: str, label: str) -> None:
    assert taken_for(domain, text) == label


@pytest.mark.parametrize(
    ("domain", "text", "label"),
    [
        ("retail", "What's your email? Otherwise your name and postcode would be enough.", "ask:name,email,postcode"),
        ("airline", "Could you describe your journey?\n- Destination\n- Date of travel", "ask:destination,date"),
        ("airline", "Please give me:\n- Name\n- Date of birth", "ask:name,birth_date"),
        ("airline", "From where to where are you travelling, and on what date?", "ask:origin,destination,date"),
        ("airline", "For which passenger, and how many bags?", "ask:bags,passenger"),
        ("airline", "To which date shall I move it?", "ask:new_date"),
        ("airline", "What date is your flight?", "ask:date"),
        ("telecom", "We have Brook 5, Willow 20 and Ridge 40. Which one would you like?", "ask:plan"),
        ("telecom", "There are packs:\n- 1 GB\n- 3 GB\n\nWhich one should it be?", "ask:pack"),
    ],
)
def test_every_fact_of_a_question_is_asked_for(domain: str, text: str, label: str) -> None:
    assert taken_for(domain, text) == label


@pytest.mark.parametrize("asking", ["Okay with you?", "Yes?", "Can I do that?", "I need a clear go-ahead from you."])
def test_short_questions_ask_for_a_yes(asking: str) -> None:
    assert taken_for("airline", f"I'd cancel KW7P2X then. {asking}") == "yes:cancel,cancel_insured,cancel_other"


@pytest.mark.parametrize("text", ["Can I have your email?", "I need your email address.", "Can I take your e-mail?"])
def test_questions_for_a_fact_are_none_for_a_yes(text: str) -> None:
    assert taken_for("retail", text) == "ask:email"


def test_a_recap_before_a_question_for_a_yes_asks_nothing() -> None:
    text = "Just to confirm: you want ORD-1 cancelled, reason: too slow, refund to your card. Is that correct?"
    assert hear(RETAIL, text).asks == ()
    assert hear(RETAIL, text).proposes


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Please open your settings and tell me what they say.", "use:look_at_settings"),
        ("Please go to your settings and switch flight mode off.", "use:airplane_mode_off"),
        ("In the APN menu, please tap Reset.", "use:reset_access_point"),
        ("1. Open the tray\n2. Take the SIM card out\n3. Put it back in", "use:reseat_sim"),
        ("The status bar looks good. What do your settings say?", "use:look_at_settings"),
        ("I've sent you a payment request. Could you approve it, please?", "use:pay_request"),
    ],
)
def test_instructions_are_what_is_to_be_done_and_not_where(text: str, label: str) -> None:
    assert taken_for("telecom", text) == label


@pytest.mark.parametrize(
    ("domain", "text", "without"),
    [
        ("retail", "I'll cancel the order; the money is returned to your card. OK?", {"return", "payment"}),
        ("retail", "I'd exchange the mug; the difference is charged to your card. OK?", {"payment", "price_match"}),
        ("airline", "May I cancel booking KW7P2X? The refund goes to your voucher.", {"compensation", "change_flight"}),
        ("airline", "Your flight was cancelled by us. May I issue a voucher for that?", {"cancel"}),
        ("airline", "Shall I upgrade all passengers on both flights to business?", {"fix_name", "change_flight"}),
        (
            "telecom",
            "Shall I put you on Ridge 40? It shows on your next bill.",
            {"add_data", "settle_card", "ask_bill"},
        ),
    ],
)
def test_where_money_goes_is_no_act(domain: str, text: str, without: set[str]) -> None:
    heard = hear(DOMAINS[domain], text)
    assert heard.proposes
    assert heard.acts
    assert not heard.acts & without


@pytest.mark.parametrize(
    ("domain", "text", "act"),
    [
        ("retail", "I'll refund £12.50 for the mug to your gift card. Shall I?", "return"),
        ("retail", "Shall I switch the payment to your gift card, at no extra cost?", "payment"),
        ("airline", "Shall I modify the outbound flight?", "change_flight"),
        ("airline", "I'm booking you on KW204 then. Yes?", "change_flight"),
        ("airline", "May I move all of you to the later departure?", "change_flight"),
        ("telecom", "Shall I switch you over?", "change_plan"),
    ],
)
def test_an_act_is_the_verb_of_what_will_be_done(domain: str, text: str, act: str) -> None:
    assert act in hear(DOMAINS[domain], text).acts
