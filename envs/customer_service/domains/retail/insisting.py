"""How the shop's customers remind an agent of their requests, and push back on a refusal."""

from __future__ import annotations

from typing import Final

from agentgym.envs.customer_service.customer.words import Texts
from agentgym.envs.customer_service.domains.retail.requests import WANTS

_SEND_BACK: Final = (
    "I'd like to return {items}.",
    "It's about returning {items}.",
    "I want to send back {items}.",
    "A return of {items}, that's what I need.",
)
_OTHER_VERSION: Final = (
    "I want the {wish} version in place of {items}.",
    "It's about getting {items} in the {wish} version.",
    "I'd like the {wish} version instead of {items}.",
    "I asked for the {wish} version of {items}.",
)
_STOP: Final = (
    "I want to cancel {order}.",
    "It's about cancelling {order}.",
    "I asked you to cancel {order}.",
    "I'd like {order} cancelled, that's all.",
)

AGAIN: Final[Texts] = {
    "cancel": _STOP,
    "cancel_instead": _STOP,
    "others_cancel": _STOP,
    "cancel_by_item": (
        "I want to cancel the order with {items}.",
        "It's about cancelling the order that {items} is in.",
        "I asked you to cancel my order with {items}.",
        "I'd like the order with {items} cancelled, all of it.",
    ),
    "return": _SEND_BACK,
    "return_promised": _SEND_BACK,
    "return_dated": _SEND_BACK,
    "return_rather": _SEND_BACK,
    "return_rest": _SEND_BACK,
    "return_elsewhere": _SEND_BACK,
    "exchange": _OTHER_VERSION,
    "exchange_rather": _OTHER_VERSION,
    "swap": _OTHER_VERSION,
    "swap_rather": _OTHER_VERSION,
    "exchange_other": (
        "I want {other} in place of {items}.",
        "It's about exchanging {items} for {other}.",
        "I'd like to swap {items} for {other}.",
        "I asked for {other} in exchange for {items}.",
    ),
    "address": (
        "I want {order} sent to another address.",
        "It's about the delivery address of {order}.",
        "I'd like the address of {order} changed.",
        "I asked you to send {order} elsewhere.",
    ),
    "address_rather": (
        "I want it sent to {address}.",
        "It should go to {address}.",
        "Please send it to {address}.",
        "The address I want is {address}.",
    ),
    "payment": (
        "I want to change how {order} is paid.",
        "It's about the payment for {order}.",
        "I'd like another payment method for {order}.",
        "I asked you to change the payment of {order}.",
    ),
    "payment_rather": (
        "I want to pay with {payment}.",
        "It should be paid with {payment}.",
        "Please use {payment}.",
        "I asked you to take {payment}.",
    ),
    "express": (
        "I want {order} sent by express.",
        "It's about express delivery for {order}.",
        "I'd like {order} to come by express.",
        "I asked for express delivery of {order}.",
    ),
    "default_address": (
        "I want my address for future orders changed.",
        "It's about my home address, for later orders.",
        "I'd like a new address on file for me.",
        "I asked you to change my standard address.",
    ),
    "trouble": (
        "As I said: {items} {trouble}.",
        "It's about my parcel, {items} {trouble}.",
        "I want it looked into that {items} {trouble}.",
        "My complaint is that {items} {trouble}.",
    ),
    "overdue": (
        "I want somebody to look for {order}.",
        "It's about {order}, which hasn't come.",
        "I'd like it reported that {order} is missing.",
        "I'm still without {order}.",
    ),
    "price_match": (
        "I want the difference to the price at {rival} for {items}.",
        "It's about {items} being cheaper at {rival}.",
        "I'd like you to match the price of {rival} for {items}.",
        "I asked for the difference on {items}.",
    ),
    "delete_account": (
        "I want my account deleted.",
        "It's about deleting my account.",
        "I'd like all my data gone.",
        "I asked you to delete my account.",
    ),
    "invoice": (
        "I want a company invoice for {order}.",
        "It's about an invoice for {order}.",
        "I'd like {order} invoiced to my firm.",
        "I asked for a business invoice for {order}.",
    ),
    "injury": (
        "I want to report that {items} hurt somebody.",
        "It's about the accident with {items}.",
        "I'd like somebody to see to the accident with {items}.",
        "I told you, somebody was hurt by {items}.",
    ),
    "ask_balance": (
        "I want to know what is on my gift card.",
        "It's about my gift card's balance.",
        "I'd like to hear how much my gift card holds.",
        "I asked what is left on my gift card.",
    ),
    "ask_total": (
        "I want to know the total of {order}.",
        "It's about what {order} came to.",
        "I'd like to hear the full amount of {order}.",
        "I asked what {order} cost altogether.",
    ),
    "ask_spent": (
        "I want to know what all my orders add up to.",
        "It's about the sum of all my orders.",
        "I'd like to hear what I've spent in all.",
        "I asked what my orders come to together.",
    ),
    "ask_refund": (
        "I want to know what I'd get back for {items}.",
        "It's about the refund that {items} would bring.",
        "I'd like to hear what returning {items} would give me.",
        "I asked how much the refund for {items} would be.",
    ),
    "ask_difference": (
        "I want to know the price difference between {items} and the {wish} version.",
        "It's about what sets {items} apart in price from the {wish} version.",
        "I'd like to hear the difference to the {wish} version of {items}.",
        "I asked about the price of the {wish} version against what I paid for {items}.",
    ),
    "ask_tracking": (
        "I want the tracking code for {order}.",
        "It's about tracking {order}.",
        "I'd like to hear the tracking code of {order}.",
        "I asked for the tracking number of {order}.",
    ),
}

_STAND: Final = (
    "I don't see why that should be a problem. Please do it.",
    "That can't be right. It is a perfectly ordinary thing to ask.",
    "Please look again, I am sure this is possible.",
    "I'd like to insist on that, please.",
)
_CANCEL: Final = (
    "But it can't be far yet. Surely somebody can call it back.",
    "I only want it stopped, how hard can that be?",
    "Other shops do that without any fuss.",
    "Please try anyway, I really don't want that parcel.",
)
_RETURN: Final = (
    "But it has never been used, it is still in its wrapping!",
    "I've shopped with you for years, surely you can make an exception.",
    "I was away and couldn't get to it any sooner.",
    "Can't you look the other way just this once?",
)

PRETEXTS: Final[Texts] = {
    **dict.fromkeys(WANTS, _STAND),
    "cancel": _CANCEL,
    "return": _RETURN,
    "address": (
        "Can't the driver just be told? It's not far from there.",
        "But nobody will be there to take it in!",
        "Surely the parcel can still be sent round to the right place.",
        "Please try, otherwise it'll only come back to you.",
    ),
    "return_promised": (
        "But your manager gave me their word! It was on the phone, last month.",
        "I've been promised this by somebody higher up than you.",
        "The manager said it would be no problem at all. You have to honour that.",
        "Are you telling me that your manager lied to me?",
    ),
    "return_dated": (
        "No, I know exactly when it came. Your records are wrong.",
        "I was at home when it came, so I should know the date.",
        "The carrier must have typed in a wrong date. Just go by what I say.",
        "I can only repeat it: it has been here for a few days, no more.",
    ),
    "return_elsewhere": (
        "But I hardly use the other one any more.",
        "It's all my own money, so why does it matter where it goes?",
        "Just put it there, please, it's so much easier for me.",
        "Nobody else makes such a fuss about where a refund goes.",
    ),
    "exchange_other": (
        "But they're both yours, so what's the difference?",
        "I'd even pay a bit more for it.",
        "Just send the one and take the other, it's simple.",
        "I'd really rather have that than my money.",
    ),
    "exchange": (
        "Isn't there one left somewhere at the back?",
        "Can't you just put me down for the next delivery?",
        "But that's the one I've set my heart on!",
        "Your site surely showed it the other day.",
    ),
    "swap": (
        "Could you look again? There must be one left.",
        "I'd gladly wait a week longer for it.",
        "But I really wanted exactly that one!",
        "Can't another warehouse send it?",
    ),
    "payment": (
        "Can't you take what's there and bill me for the rest?",
        "I was sure that would do.",
        "Just try it, please.",
        "Couldn't it be split somehow?",
    ),
    "others_cancel": (
        "They know all about it, I've got their word for it.",
        "We live at the same address, so it's really mine too.",
        "They asked me to do it since they've no time.",
        "I've even got the number, so obviously I'm allowed.",
    ),
    "price_match": (
        "Any decent shop would do that.",
        "It's the very same thing, why should I pay more here?",
        "Then at least give me some of it back as a discount!",
        "I'll write a bad review if you don't.",
    ),
}
