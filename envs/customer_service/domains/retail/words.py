"""What the shop's customers say: requests are in `requests` and `insisting`, what they listen for in `listening`."""

from __future__ import annotations

from typing import Final

from agentgym.envs.customer_service.customer.words import CustomerWords, Texts
from agentgym.envs.customer_service.domains.retail import insisting, listening, requests

SAYS: Final[Texts] = {
    "name": ("My name is {value}.", "{value}.", "It's {value}.", "I'm called {value}."),
    "email": (
        "My e-mail is {value}.",
        "It's {value}.",
        "{value}, that's the address I use.",
        "You should have me under {value}.",
    ),
    "postcode": (
        "My home postcode is {value}.",
        "I live at {value}, that's the postcode.",
        "The postcode at home is {value}.",
        "{value} is the postcode where I live.",
    ),
    "order": ("The order number is {value}.", "It's {value}.", "That's order {value}.", "{value}, it says here."),
    "items": (
        "It's about {value}.",
        "I mean {value}.",
        "That would be {value}.",
        "What I'm talking about is {value}.",
    ),
    "reason": (
        "Well, {value}.",
        "It's simply that {value}.",
        "The reason is that {value}.",
        "Because {value}, that's why.",
    ),
    "refund": (
        "I'd like the money on this: {value}.",
        "The refund should go like this: {value}.",
        "Back to this, please: {value}.",
        "For the money: {value}.",
    ),
    "wish": (
        "The {value} version, please.",
        "I'd like the {value} version.",
        "It should be the {value} version.",
        "What I want is the {value} version.",
    ),
    "payment": ("Please use {value}.", "I'd go with {value}.", "Take {value}.", "Let's use {value} for that."),
    "address": (
        "The new address is {value}.",
        "It should go to {value}.",
        "Please write this down: {value}.",
        "{value} is the right address.",
    ),
    "arrived": ("It came {value}.", "That was {value}.", "The parcel was here {value}.", "I got it {value}."),
    "other": ("I'd like {value}.", "What I'm after is {value}.", "It should be {value}.", "Give me {value} for it."),
    "trouble": ("It {value}.", "The thing is, it {value}.", "Well, it {value}.", "To be exact, it {value}."),
    "owner": (
        "It's the order of {value}.",
        "It was placed by {value}.",
        "That would be {value}.",
        "The order is in the name of {value}.",
    ),
    "rival": ("I saw it at {value}.", "That was at {value}.", "It's {value} that sells it.", "Go and look at {value}."),
}

NAMES: Final = {
    "name": "my name",
    "email": "which e-mail address I signed up with",
    "postcode": "my postcode",
    "customer_number": "my customer number",
    "order": "the order number",
    "items": "which item it was",
    "reason": "the reason",
    "refund": "where the refund should go",
    "wish": "which version I want",
    "payment": "how I want to pay",
    "address": "the address",
    "arrived": "when it came",
    "other": "what I want for it",
    "trouble": "what is wrong with it",
    "owner": "whose order it is",
    "rival": "where I saw it",
}

QUESTIONS: Final[Texts] = {
    "refund_total": (
        "And how much money is it that I get back?",
        "What does the refund come to?",
        "Can you tell me the amount of the refund?",
        "How much will be refunded in all?",
    ),
    "difference": (
        "And how big is the difference in price?",
        "By how much do the prices differ?",
        "What's the price difference, exactly?",
        "Can you tell me the difference in money?",
    ),
    "balance": (
        "So how much is on the gift card?",
        "What is the balance, then?",
        "And what does the card hold, exactly?",
        "Can you tell me the amount on the card?",
    ),
    "order_total": (
        "So what does the order cost in total?",
        "And the total is how much?",
        "What's the amount for the entire order?",
        "Can you tell me the full sum?",
    ),
    "spent": (
        "So what is it all together?",
        "And what do they add up to?",
        "How much is that in all?",
        "Can you tell me the sum over all orders?",
    ),
    "tracking": (
        "And what is the tracking code?",
        "Which code do I follow the parcel with?",
        "Can you give me the tracking number?",
        "How do I track it? I need the code.",
    ),
    "new_total": (
        "And what's the new total of the order?",
        "What do I pay in all now?",
        "How much does the order come to with that?",
        "Can you tell me what the whole order costs now?",
    ),
}

WORDS: Final = CustomerWords(
    wants=requests.WANTS,
    again=insisting.AGAIN,
    says=SAYS,
    names=NAMES,
    pretexts=insisting.PRETEXTS,
    questions=QUESTIONS,
    asked=listening.ASKED,
    acts=listening.ACTS,
    refused=listening.REFUSED,
    choices=listening.CHOICES,
    handles=listening.HANDLES,
)
