"""What customers take messages for: sets of wordings of one meaning, and the recorded texts of an agent."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest
from paraphrase_sets import WORDS, judged, sets
from tau_agent_texts import SAMPLES, agent_texts, labels
from toy_service import Bookshop

from agentgym.envs.customer_service.customer.audit import audit
from agentgym.envs.customer_service.customer.hear import Heard, hear
from agentgym.envs.customer_service.customer.talk import View, opening, react
from agentgym.envs.customer_service.customer.words import CustomerWords
from agentgym.envs.customer_service.database import Database
from agentgym.envs.customer_service.sheet import Goal, Sheet

RUNS = Path(os.environ.get("AGENTGYM_REFERENCE", "")) / "data" / "tau-bench" / "trajectories"

AIRLINE = CustomerWords(
    wants={"book": ["I want to fly."]},
    again={"book": ["I want to fly."]},
    says={},
    names={},
    asked={
        "customer_id": [r"\buser ids?\b"],
        "booking": [r"\breservation ids?\b", r"\bwhich reservation"],
        "email": [r"\byour e-?mail\b(?! or| confirm)"],
        "birth_date": [r"\bdate of birth"],
        "name": [r"\b(?:your|full) name\b"],
        "origin": [r"\borigin\b", r"\bairport\b"],
        "destination": [r"\bdestination\b"],
        "date": [r"\bdate of (?:the|your)(?: return)? flight", r"\b(?:which|another|what) date"],
        "trip_type": [r"\bone-way or\b", r"\btrip type"],
        "passengers": [r"\bnumber of passengers"],
        "passenger": [r"\bpassenger details"],
        "reason": [r"\breason\b"],
        "insurance": [r"\binsurance for \$"],
        "cabin": [r"\bcabin\b"],
        "payment": [r"\bpayment method", r"\b(?:gift|credit) cards?\b"],
        "wish": [r"\b(?:which|what) (?:flight|option)", r"\bspecific flights"],
    },
    acts={"book": [r"\bbook"], "cancel": [r"\bcancel"], "change": [r"\b(?:chang|updat|downgrad|upgrad|modif)"]},
)
"""Words of a small airline of the test's own; the domain's are tested beside them."""


def letters(heard: Heard) -> set[str]:
    """What a message is besides its questions for facts, in the letters of the labels."""
    flags = {"P": heard.proposes, "R": heard.refuses, "C": heard.claims, "M": heard.offers_more, "W": heard.wonders}
    return {letter for letter, found in {**flags, "S": heard.waits, "L": heard.lost}.items() if found}


def label_of(text: str) -> str:
    """A label of `paraphrases.txt`, its parts in the order of the words."""
    kind, _, rest = text.partition(":")
    parts = rest.split(",") if rest else []
    return f"{kind}:" + ",".join(fact for fact in WORDS.asked if fact in parts) if kind == "ask" else text


def test_wordings_of_one_meaning_are_judged_alike() -> None:
    """Judged alike before a pattern was changed after them: of 76 sets 67, of 79 64, of 30 23, of 25 20."""
    found = sets()
    assert len(found) == 76 + 79 + 30 + 25
    assert all(len(set(one.wordings)) >= 3 for one in found)
    judgements = [[judged(hear(WORDS, wording)) for wording in one.wordings] for one in found]
    alike = [len(set(some)) == 1 for some in judgements]
    right = [set(some) == {label_of(one.label)} for one, some in zip(found, judgements, strict=True)]
    assert sum(alike) / len(alike) >= 0.95
    assert sum(right) / len(right) >= 0.95
    assert len(Counter(label_of(one.label) for one in found)) >= 50


@pytest.mark.skipif(not RUNS.is_dir(), reason="set AGENTGYM_REFERENCE to the folder that holds data/tau-bench")
def test_questions_of_a_recorded_agent_get_the_fact_asked_for() -> None:
    texts = agent_texts(RUNS)
    known = labels()
    assert len(texts) == 136
    assert sorted(known) == list(range(136))

    class Airline(Bookshop):
        name = "toy_airline"
        words = AIRLINE

    domain = Airline()
    facts = {fact: SAMPLES[fact] for fact in AIRLINE.asked}
    sheet = Sheet("toy_airline", "test", "zz", facts, (Goal("book"),), patience=9)
    state, _ = opening(domain, sheet, 1)
    view = View(Database({}), frozenset(), False)
    asking = got = false = 0
    for index, text in enumerate(texts):
        reaction = react(domain, sheet, state, text, view)
        assert audit(domain, sheet, state, text, view, reaction) == []
        stated = {fact for fact, value in SAMPLES.items() if value in reaction.text}
        label = known[index]
        asking += bool(label.facts)
        got += bool(label.facts) and label.facts <= stated
        false += not stated <= label.facts | label.may  # a fact that the text does not ask for
    assert asking == 71
    assert got >= 0.95 * asking
    assert false == 0


@pytest.mark.skipif(not RUNS.is_dir(), reason="set AGENTGYM_REFERENCE to the folder that holds data/tau-bench")
def test_texts_of_a_recorded_agent_are_taken_for_what_they_are() -> None:
    known = labels()
    right = 0
    for index, text in enumerate(agent_texts(RUNS)):
        found, label = letters(hear(AIRLINE, text)), known[index]
        right += label.letters <= found and found <= label.letters | label.may | {"S"}
    assert right >= 0.95 * len(known)


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Your order number W1 is pending, and your name is on it.", ()),
        ("Please provide your name, zip and email.", ("name", "email", "postcode")),
        ("Please provide:\n- your name\n- zip code\n- email", ("name", "email", "postcode")),
        ("I need:\n1. Your name. As on the card.\n2. Your zip code.\n\nYour email is known.", ("name", "postcode")),
        ("I can't do that without your order number.", ("order",)),
        ("Your order has your email and your name. Let me know if you need anything else.", ()),
        ("I have your email. Which order is it, and why?", ("order", "reason")),
        ("I don't see an order number. Could you share it?", ("order",)),
        ("Order number? Name?", ("name", "order")),
        ("**Name**, please.", ("name",)),
    ],
)
def test_asking_and_stating_are_told_apart(text: str, asks: tuple[str, ...]) -> None:
    assert hear(WORDS, text).asks == asks


def test_a_need_is_no_refusal_and_a_refusal_no_need() -> None:
    assert not hear(WORDS, "I can't do that without your order number.").refuses
    refusal = hear(WORDS, "Unfortunately we cannot cancel the order because it has been shipped.")
    assert refusal.refuses and refusal.reasons == {"shipped"}
    assert not (refusal.asks or refusal.claims or refusal.proposes)
    assert not hear(WORDS, "Cancelling cannot be undone. Shall I cancel?").refuses
    assert not hear(WORDS, "If it can't be found, tell me.").refuses


@pytest.mark.parametrize(
    ("text", "refuses"),
    [
        ("I'm sorry, the order is on its way.", True),  # a reason makes it one
        ("I'm sorry, I know how annoying that is.", False),
        ("Sorry that it arrived broken.", False),
        ("Sorry, no.", True),
        ("Unfortunately not.", True),
        ("Unfortunately, let me see what happened.", False),
        ("We can't do anything until you return it.", True),
        ("We can't do anything until you tell me your name.", False),
        ("Only the owner can ask for that, so I can't.", True),
        ("You can reach a human agent if you like.", False),
        ("I'm transferring you to a human agent.", True),
        ("Here is what I'll do: transfer you to our team. Please confirm with yes to proceed.", False),
        ("I understand your frustration, and I wish I could do more.", True),
        ("I have to follow our policy, and it says no.", True),
        ("To follow our policy I need your name first.", False),  # it asks for a fact
        ("That item is non-returnable.", True),
    ],
)
def test_regret_is_a_refusal_where_it_names_a_reason(text: str, refuses: bool) -> None:
    assert hear(WORDS, text).refuses is refuses


def test_it_stands_for_the_act_that_was_named_before() -> None:
    text = "Cancelling is not possible online yet. Shall I do it here?"
    assert hear(WORDS, text).agreed == {"cancel"}
    assert hear(WORDS, "You asked to cancel. Shall I proceed?").agreed == frozenset()
    assert hear(WORDS, "You asked to cancel. Shall I proceed?").acts == {"cancel"}


def test_claims_are_told_from_plans_and_states() -> None:
    assert hear(WORDS, "I've cancelled order W55.").done == {"cancel"}
    for text in ("I will cancel order W55.", "Once it has been cancelled, you get a mail.", "Has it been cancelled?"):
        assert not hear(WORDS, text).claims
    assert not hear(WORDS, "It could not be cancelled: it has been cancelled before.").claims


def test_a_proposal_names_acts_ids_and_values() -> None:
    heard = hear(WORDS, "Order W55 and order W56: shall I return it?")
    assert (heard.agreed, heard.names) == ({"return"}, {"w55", "w56"})
    both = hear(WORDS, "Would you like me to cancel or return it?")
    assert both.either and both.agreed == {"cancel", "return"}
