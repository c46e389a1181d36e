"""How the customers of public tasks put things, and whether they understand an agent of other words."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import tau_airfield
import tau_folders
import tau_shop

from agentgym import ToolCall
from agentgym.envs.customer_service.customer.hear import hear
from agentgym.envs.customer_service.env import CustomerServiceEnv
from agentgym.envs.customer_service.sheet import Call
from agentgym.envs.customer_service.sources.wording import beside, first_person, opening, request
from agentgym.envs.customer_service.sources.words import intent_of, words

REFERENCE = os.environ.get("AGENTGYM_REFERENCE", "")
SCENARIO = dict.fromkeys(
    ("reason_for_call", "known_info", "unknown_info", "task_instructions", "persona", "ticket"), ""
)


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("You want your money back. You are angry.", "I want my money back. I am angry."),
        ("you name is Ann; you'd like an offer for you", "My name is Ann; I'd like an offer for me"),
        ("The agent told you that you're late.", "You told me that I'm late."),
        ("Ask the agent to upgrade you, and ask the agent how much you save.",
         "I would like you to upgrade me, and I would like to know how much I save."),
        ("You want the refund you should get; if the agent offers it, help yourself.",
         "I want the refund I should get; if you offer it, help myself."),
        ("You want the agent to say when the order is there.", "I want you to say when the order is there."),
    ],
)  # fmt: skip
def test_instructions_are_said_in_the_first_person(told: str, said: str) -> None:
    assert first_person(told) == said


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("You want a lamp. If the agent asks why, say nothing. Be polite.", "I want a lamp."),
        ("You want all of it (a lamp, but do not reveal it to the agent). You are in a hurry",
         "I want all of it. I am in a hurry."),
        ("Be polite.", "Be polite."),  # there is nothing else to say
    ],
)  # fmt: skip
def test_what_tells_the_player_how_to_play_is_not_said(reason: str, said: str) -> None:
    assert opening({**SCENARIO, "reason_for_call": reason}) == said


def test_the_ticket_or_the_instructions_stand_in_for_a_reason() -> None:
    told = {**SCENARIO, "task_instructions": "You want a cup.", "ticket": "The user wants a lamp."}
    assert opening(told) == "The user wants a lamp."
    assert opening({**told, "ticket": ""}) == "I want a cup."


def test_items_methods_and_addresses_are_said_in_words() -> None:
    back = {"order_id": "#2", "payment_method_id": "gift"}
    move = {"order_id": "#1", "address1": "2 High St", "city": "Ely", "country": "UK", "state": "", "zip": "CB7"}
    told = request(
        [
            Call("return_delivered_order_items", {**back, "item_ids": ["c1", "l1"]}),
            Call("cancel_pending_order", {"order_id": "#1", "reason": "no longer needed"}),
            Call("cancel_pending_order", {"order_id": "#3", "reason": "no longer needed"}),
            Call("modify_user_address", {"user_id": "ada", **move}),
        ],
        tau_shop.shop(),
        "ada",
    )  # fmt: skip
    assert told == {
        "order_id": "to return items of #2; to cancel #1 and #3",
        "items": "the Cup (size: S) and the Lamp (colour: red) (for #2)",
        "payment": "my gift card (gift) (for #2)",
        "reason": "no longer needed (for #1 and #3)",
        "new_address": "2 High St, Ely, CB7, UK (for my profile)",
    }
    one = request(
        [Call("modify_pending_order_payment", {"order_id": "#1", "payment_method_id": "card"})], tau_shop.shop(), "ada"
    )
    assert one == {"order_id": "#1", "payment": "my credit card ending in 0001 (card)"}


def test_a_booking_is_said_in_words() -> None:
    booking: dict[str, Any] = {
        "user_id": "ada", "origin": "AAA", "destination": "CCC", "flight_type": "one_way", "cabin": "basic_economy",
        "flights": [{"flight_number": "F1", "date": "2024-05-20"}], "passengers": [tau_airfield.ADA, tau_airfield.BOB],
        "payment_methods": [
            {"payment_id": "cert", "amount": 100}, {"payment_id": "gift", "amount": 50},
            {"payment_id": "card", "amount": 7},
        ],
        "total_baggages": 2, "nonfree_baggages": 0, "insurance": "no",
    }  # fmt: skip
    told = request([Call("book_reservation", booking)], tau_airfield.airfield(), "ada")
    assert told["cabin"] == "basic economy" and told["flight_type"] == "one way" and told["bags"] == "2"
    assert told["passengers"] == "Ada Byron (born 1990-01-31) and Bob Ode (born 1991-02-01)"
    assert told["flights"] == "F1 on 2024-05-20" and told["insurance"] == "no, thank you"
    # The certificate is used up whole (100 of 100), 50 of the gift card's 200, and a card pays the rest.
    assert told["payment"] == (
        "first my certificate (cert), then 50 dollars from my gift card (gift), "
        "and the rest with my credit card ending in 0001 (card)"
    )


def test_what_a_task_tells_besides_its_writes() -> None:
    told = {
        **SCENARIO,
        "reason_for_call": "You want it because it rains. Be kind.",
        "known_info": "Order #W0000001, #1.",
    }
    shop = tau_shop.shop().set("orders", "#W0000001", tau_shop.RAW["orders"]["#1"])
    assert beside("retail", told, shop) == {"order_id": "#W0000001", "reason": "I want it because it rains"}
    assert beside("telecom", SCENARIO, shop) == {}


def test_kinds_of_requests() -> None:
    assert intent_of(["cancel_pending_order", "cancel_pending_order"]) == "cancel"
    assert intent_of(["cancel_pending_order", "return_delivered_order_items"]) == "request"
    assert intent_of([]) == intent_of(["send_certificate"]) == "request"
    heard = hear(words(), "Do you want me to cancel order #W2378156?")
    assert "cancel" in heard.agreed and "exchange" not in heard.agreed


@pytest.mark.parametrize(
    ("asked", "facts"),
    [
        ("Could you please provide your email address, or your full name and zip code?", {"email", "name", "zip"}),
        ("Which item would you like to exchange, and what would you like instead?", {"items", "new_items"}),
        ("How would you like to pay for it?", {"payment"}),
        ("What is your preferred payment method?", {"payment"}),
        ("What are the passengers' full names and dates of birth?", {"passengers", "name"}),
        ("Do you want economy or business class?", {"cabin"}),
        ("Where would you be departing from, and when would you like to travel?", {"origin", "flights"}),
        ("Would you like insurance for $30 per passenger, and how many bags will you check?", {"insurance", "bags"}),
        ("What is the new shipping address?", {"new_address"}),
    ],
)
def test_what_is_asked_for(asked: str, facts: set[str]) -> None:
    assert set(hear(words(), asked).asks) == facts


@pytest.mark.parametrize(
    ("said", "refuses"),
    [
        ("Sorry, I don't follow.", False),
        ("I'm sorry, but I cannot cancel this reservation.", True),
        ("Unfortunately, this ticket is not eligible for a refund.", True),
        ("I can't find your order. What is its number?", False),
    ],
)
def test_what_a_refusal_is(said: str, refuses: bool) -> None:
    heard = hear(words(), said)
    assert bool(heard.refuses and heard.reasons) == refuses


# ---- An agent of other words ------------------------------------------------------------------------------------

NEED = {
    "order_id": "The order ID", "items": "Which item(s) you'd like to return or exchange",
    "new_items": "The new item options you would prefer", "payment": "Your preferred payment method",
    "reason": "The reason for the cancellation", "new_address": "The new address (street, city, state, zip code)",
    "reservation_id": "The reservation ID", "cabin": "The cabin class you'd like",
    "flights": "The flight numbers and dates", "passengers": "The names and dates of birth of the passengers",
    "bags": "The number of checked bags", "insurance": "Whether you'd like to add travel insurance",
    "origin": "The departure airport", "destination": "The arrival airport",
    "flight_type": "Whether it is a one-way or a round trip",
}  # fmt: skip
DOES = {
    "cancel_pending_order": "cancel order {order_id}", "cancel_reservation": "cancel reservation {reservation_id}",
    "exchange_delivered_order_items": "exchange the items of order {order_id}",
    "modify_pending_order_items": "modify the items of order {order_id}",
    "return_delivered_order_items": "return the items of order {order_id}",
    "modify_pending_order_address": "update the shipping address of order {order_id}",
    "modify_user_address": "update your default address",
    "modify_pending_order_payment": "change the payment method of order {order_id}",
    "book_reservation": "book the flight from {origin} to {destination}",
    "update_reservation_flights": "change the flights of reservation {reservation_id}",
    "update_reservation_passengers": "update the passengers of reservation {reservation_id}",
    "update_reservation_baggages": "add checked bags to reservation {reservation_id}",
}  # fmt: skip


def actions(env: CustomerServiceEnv) -> list[str | ToolCall]:
    """What a polite assistant would do about a task, in its own words: lists, summaries, thanks."""
    sheet = env.state.case.sheet
    goal = sheet.goals[0]
    who = "email address, or your full name along with your zip code" if env.domain.name == "retail" else "user ID"
    done: list[str | ToolCall] = [f"I'd be happy to help you with that! Could you please provide your {who}?"]
    done += [ToolCall(call.name, dict(call.arguments)) for call in (*sheet.identify, *goal.reads)]
    if goal.reason:
        no = "Unfortunately, I'm unable to process this request, as our policy does not allow it."
        return [*done, f"Thank you for your patience. {no}", f"I understand your frustration. {no}"]
    needed = [f"{number}. **{NEED[fact]}**" for number, fact in enumerate(goal.facts, 1) if fact in NEED]
    if needed:
        done.append("Thank you! To proceed, I'll need a few more details:\n" + "\n".join(needed))
    acts = [f"- I will {DOES[call.name].format(**call.arguments)}" for call in goal.due if call.name in DOES]
    if acts:
        done.append(
            "Here is a summary:\n" + "\n".join(acts) + "\n\nDo you confirm that you'd like me to proceed? (yes/no)"
        )
    done += [ToolCall(call.name, dict(call.arguments)) for call in goal.due]
    told = " ".join(f"The amount is ${tell.text}." for tell in goal.tells)
    return [*done, f"Your request has been processed. {told} Is there anything else I can help you with today?"]


def played(env: CustomerServiceEnv, task: str) -> tuple[str, float]:
    _, info = env.reset(seed=1, options={"task": task})
    reward = 0.0
    for action in actions(env):
        if not info["end_reason"]:
            _, reward, _, _, info = env.step(action)
    for _ in range(2):
        if not info["end_reason"]:
            _, reward, _, _, info = env.step("You're welcome! Is there anything else I can assist you with?")
    return info["end_reason"], reward


def test_an_agent_of_other_words_serves_the_small_shop(tmp_path: Path) -> None:
    env = CustomerServiceEnv(data_dir=str(tau_folders.tau2(tmp_path / "tau2-bench")), domain="retail")
    assert [played(env, f"retail/{number}") for number in (0, 1)] == [("solved", 1.0)] * 2
    env.reset(seed=1, options={"task": "retail/0"})
    assert env.step("Do you want me to return order #1?")[0].lower().count("no") and not env.state.customer.agreed


@pytest.mark.skipif(not REFERENCE, reason="AGENTGYM_REFERENCE names no folder with public data sets")
@pytest.mark.parametrize("domain", ["retail", "airline"])
def test_an_agent_of_other_words_serves_every_public_customer(domain: str) -> None:
    env = CustomerServiceEnv(data_dir=f"{REFERENCE}/data/tau2-bench", domain=domain)
    tasks = [task.id for split in env.panel for task in env.panel[split]]
    assert {task: end for task in tasks if (end := played(env, task)) != ("solved", 1.0)} == {}
