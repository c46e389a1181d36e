"""How the shop's customers word their requests: with the facts that they open with, and no others."""

from __future__ import annotations

from typing import Final

from agentgym.envs.customer_service.customer.words import Texts

WANTS: Final[Texts] = {
    "cancel": (
        "I'd like to cancel my order {order}, please.",
        "Please call off order {order}, I don't want it any more.",
        "Can you stop {order} before it goes out? The whole order, I mean.",
        "I need the order with the number {order} cancelled.",
    ),
    "cancel_by_item": (
        "I'd like to cancel the order with {items} in it, the whole of it.",
        "There's an order of mine that has {items} in it. Please call all of it off.",
        "Please cancel a recent order, the one that I put {items} in. All of it.",
        "I ordered {items} a short while ago and want that entire order cancelled.",
    ),
    "cancel_instead": (
        "You know what, let's leave that. Cancel {order} altogether, please.",
        "Hm, no, on second thoughts I'd rather cancel the whole of {order}.",
        "Wait, I've thought about it: I don't want any of {order}. Please cancel it.",
        "Actually, no. Just call off the entire order {order}.",
    ),
    "return": (
        "I'd like to send {items} back.",
        "I want to return something: {items}.",
        "How do I return {items}? I'd like my money back.",
        "You sold me {items}, and I don't want to keep that. I'd like a refund.",
    ),
    "return_promised": (
        "I want to return {items}. One of your managers promised me that I could.",
        "Your manager told me on the phone that I may send {items} back, so please arrange it.",
        "I'm sending {items} back; it was agreed with your manager that you'd take it.",
        "Please note a return of {items}. It's been cleared with the manager already.",
    ),
    "return_dated": (
        "I'd like to return {items}. It only came {arrived}.",
        "My parcel with {items} was delivered {arrived}, and I'd like to send it back.",
        "I got {items} {arrived} and want my money back.",
        "Please take back {items}; I only received it {arrived}.",
    ),
    "return_rather": (
        "All right. Then take back {items} and put the money on {refund}.",
        "Fine, if there's no other way: return {items}, with the refund to {refund}.",
        "OK, then I'd return {items} and have the money on {refund}.",
        "Then let it be {refund} for the refund, but do take {items} back.",
    ),
    "return_rest": (
        "All right, then I'd just like to return {items}.",
        "Very well. Then please only take back {items}.",
        "OK, then let me send back {items} at least.",
        "Fine. In that case I'll just return {items}.",
    ),
    "return_elsewhere": (
        "I'd like to return {items} and get the money on {refund}.",
        "Please take back {items}, and send the refund to {refund}.",
        "I'm returning {items}. The money should go to {refund}.",
        "I want to send {items} back and be refunded on {refund}.",
    ),
    "exchange": (
        "I've received {items}, but I'd like to exchange it for the {wish} version.",
        "Can I swap {items} that you delivered for the {wish} version?",
        "My parcel came with {items}. I'd prefer the {wish} version and want to exchange it.",
        "I'd like to send {items} back in exchange for the {wish} version.",
    ),
    "exchange_rather": (
        "Then I'd take the {wish} version in exchange for {items}.",
        "A pity. Could I exchange {items} for the {wish} version then?",
        "All right, then make it the {wish} version of {items}.",
        "OK, second best: the {wish} version in place of {items}.",
    ),
    "exchange_other": (
        "I'd like to exchange {items} for {other}.",
        "Could you take {items} and send me {other} for it?",
        "Can I swap {items} for {other}?",
        "I want to trade {items} in for {other}.",
    ),
    "swap": (
        "I've just ordered {items}, but I'd rather have the {wish} version. Can you change that before it's sent?",
        "Please change {items} in my open order to the {wish} version.",
        "There's {items} in an order that hasn't left yet. I need the {wish} version of it.",
        "Before my order goes out: could {items} be the {wish} version?",
    ),
    "swap_rather": (
        "Hm, then make it the {wish} version of {items}.",
        "In that case I'd have the {wish} version of {items}.",
        "Let's take the {wish} version of {items} then.",
        "Right, so I'd rather change {items} to the {wish} version.",
    ),
    "address": (
        "My order {order} has to go to a different address.",
        "I need the delivery address of {order} changed.",
        "Could you send {order} somewhere else than it says?",
        "I won't be at home for {order}, please send it to another address.",
    ),
    "address_rather": (
        "Oh wait, that's the wrong one. Please send it to {address}.",
        "Hold on, I've changed my mind, {address} is better.",
        "Actually no, let it go to {address}.",
        "Sorry, I've thought again: it should be {address}.",
    ),
    "payment": (
        "I'd like to pay for {order} in a different way.",
        "Can I change the payment method of order {order}?",
        "Please switch the payment for {order} to something else.",
        "I used the wrong payment method for {order} and want to change it.",
    ),
    "payment_rather": (
        "Then take it from {payment}.",
        "OK, then use {payment} for it.",
        "In that case let me pay with {payment}.",
        "All right, {payment} will have to do.",
    ),
    "express": (
        "I need {order} sooner. Can it go by express?",
        "Please send order {order} by express delivery.",
        "Can you make the delivery of {order} an express one?",
        "I'm in a hurry for {order}, please upgrade it to express.",
    ),
    "default_address": (
        "I've moved house, so all my later orders should go to a new address.",
        "Please change the home address that you have on file for me.",
        "I need my standard address changed, we have moved.",
        "Could you update my address for future orders?",
    ),
    "trouble": (
        "There's something wrong with my delivery: {items} {trouble}.",
        "I have to complain, {items} {trouble}.",
        "I've opened my parcel and {items} {trouble}. Somebody has to look into this.",
        "Bad news about my parcel, I'm afraid: {items} {trouble}.",
    ),
    "overdue": (
        "My parcel for {order} still hasn't come. Can somebody look into it?",
        "I'm still waiting for {order}. It should have been here by now!",
        "Order {order} never arrived, please find out what happened.",
        "Where is {order}? It's late, and I'd like that reported.",
    ),
    "others_cancel": (
        "Please cancel order {order}. It's the order of {owner}, but that's fine.",
        "I need {order} called off. It was placed by {owner}.",
        "Could you cancel {order} for me? I'm asking for {owner}.",
        "I'd like to cancel {order}, which belongs to {owner}.",
    ),
    "price_match": (
        "I've seen {items} for much less at {rival}. I want the difference back.",
        "At {rival} they sell {items} for less. Please match that price.",
        "You charged me too much for {items}: {rival} is a lot cheaper. Refund me the difference, please.",
        "I'd like you to match what {rival} asks for {items}.",
    ),
    "delete_account": (
        "I want my account with you deleted, and all my data with it.",
        "Please erase everything that you have stored about me.",
        "I'd like to close my account for good.",
        "How do I get rid of my account? Please delete it.",
    ),
    "invoice": (
        "I need an invoice for {order} in the name of my company.",
        "Could I get a business invoice for order {order}, with my firm's tax number on it?",
        "Order {order} was for my company, so please make out an invoice to it.",
        "For {order} I need an invoice that I can put through my firm's books.",
    ),
    "injury": (
        "I've hurt myself badly on {items}. I think it's dangerous, and somebody should know.",
        "I have to report an accident: my son was cut by {items}.",
        "Your shop sold me {items}, and it has injured somebody in my family.",
        "There's been an accident with {items}, we had to go to hospital.",
    ),
    "ask_balance": (
        "How much is left on my gift card?",
        "I'd like to know what my gift card still holds.",
        "Can you check my gift card's balance for me?",
        "What's the balance on my gift card, please?",
    ),
    "ask_total": (
        "What did order {order} come to in total?",
        "How much is my order {order} all in all?",
        "Can you tell me the total of {order}?",
        "I need to know the full amount for {order}.",
    ),
    "ask_spent": (
        "What have I spent with you so far, over all orders that weren't cancelled?",
        "I'm doing my accounts: what do all my orders add up to, leaving out cancelled ones?",
        "Can you add up for me what all my orders come to? Not counting cancelled ones.",
        "How much do the totals of my orders make together? Cancelled ones don't count.",
    ),
    "ask_refund": (
        "How much would I get back if I returned {items}? I only want to know for now.",
        "If I sent back {items}, what would the refund be? I haven't decided yet.",
        "I'm only asking: what refund would there be for {items}?",
        "What would returning {items} bring me? Don't start a return yet.",
    ),
    "ask_difference": (
        "What's the difference in price if I had {items} in the {wish} version instead? I'm only asking.",
        "Compared with what I paid for {items}, how far off is the price of the {wish} version now?",
        "Just a question: by how much does the {wish} version differ in price from what I paid for {items}?",
        "I'm wondering about {items}: how big is the price gap between mine and the {wish} version?",
    ),
    "ask_tracking": (
        "Could you give me the tracking code for {order}?",
        "What's the tracking number of my parcel for {order}?",
        "I'd at least like to follow {order} on its way. What is the tracking code?",
        "Please tell me how I can track {order}, I need the code.",
    ),
}
