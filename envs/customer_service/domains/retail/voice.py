"""What the expert says for the shop."""

from __future__ import annotations

from typing import Final

from agentgym.envs.customer_service.domains.retail.offers import DONE, PROPOSES
from agentgym.envs.customer_service.voice import Texts, Voice

ASKS: Final[Texts] = {
    "name": (
        "May I have your full name?",
        "Could you tell me your first and last name?",
        "What is your full name, please?",
        "Under what name are you registered with us?",
    ),
    "email": (
        "Could you give me the e-mail address of your account?",
        "What e-mail address did you register with?",
        "Please tell me your e-mail address, so that I can find you.",
        "May I have the e-mail address on your account?",
    ),
    "postcode": (
        "What is the postcode where you live?",
        "Could you tell me your postcode?",
        "May I have your postcode, please?",
        "Please give me the postcode that we have for you.",
    ),
    "customer_number": (
        "Do you know your customer number?",
        "Could you give me your customer number?",
        "What is your customer number?",
        "May I have your customer number, if you have it?",
    ),
    "order": (
        "What is the order number?",
        "Could you tell me the order number? It begins with ORD.",
        "Which order is this about?",
        "Please give me the number of the order, if you have it.",
    ),
    "items": (
        "Which item is this about?",
        "Could you tell me which product you mean?",
        "What item do you have in mind?",
        "Please tell me which of the products it is.",
    ),
    "reason": (
        "May I ask for the reason?",
        "Could you tell me why you would like to cancel?",
        "What is the reason for the cancellation?",
        "Please let me know the reason, so that I can note it.",
    ),
    "refund": (
        "Where should the refund go: to the method that you paid with, or to your gift card?",
        "Which way would you like to be refunded?",
        "Could you tell me where you want the refund to go?",
        "How shall we make the refund?",
    ),
    "wish": (
        "Which version would you like to have?",
        "Could you tell me which variant you want instead?",
        "What option would you prefer?",
        "Please tell me the variant that you would like.",
    ),
    "payment": (
        "Which payment method should we use?",
        "Could you tell me the payment method that you would like to use?",
        "How would you like to pay?",
        "Please tell me which of your payment methods to take.",
    ),
    "address": (
        "What is the new address, with street, town and postcode?",
        "Could you give me the full address?",
        "Please tell me the address that it should be.",
        "Where should it be sent to, please?",
    ),
    "arrived": (
        "When did it arrive?",
        "Could you tell me when the parcel was delivered?",
        "On what day did you receive it?",
        "Do you know the date of delivery?",
    ),
    "other": (
        "Which other product did you have in mind?",
        "What other product would you like?",
        "Could you tell me the other product that you want?",
        "Please tell me which new product you mean.",
    ),
    "trouble": (
        "What happened to it?",
        "Could you tell me what the problem is?",
        "What exactly is wrong with it?",
        "Please describe the problem for me.",
    ),
    "owner": (
        "Whose order is it?",
        "Could you tell me who placed the order?",
        "Who is the person that placed it?",
        "May I ask who the account holder is?",
    ),
    "rival": (
        "Which shop do you mean?",
        "Where have you seen that price?",
        "Could you tell me which shop offers it?",
        "What seller is it?",
    ),
}

REFUSES: Final[Texts] = {
    "window": (
        "I'm sorry, I cannot take that back: our records show that it was delivered more than 30 days ago.",
        "Unfortunately a return is not possible any more, since the 30 days after delivery are over.",
        "I am afraid that I can't do this. Returns are accepted for 30 days from delivery, and that time has passed.",
        "I can't arrange this return: by our records the return period of 30 days has ended.",
    ),
    "shipped": (
        "I'm sorry, I cannot change or cancel that order, it has already been shipped.",
        "Unfortunately this is not possible any more: the parcel is on its way to you.",
        "I am afraid that I can't do this, as the order has left our warehouse.",
        "I can't do that once an order is no longer processing, and this one is with the carrier.",
    ),
    "not_yours": (
        "I'm sorry, I cannot do that: this order is not in your account but in somebody else's.",
        "Unfortunately I can only help with your own orders, and this one belongs to another customer.",
        "I am afraid that I can't touch that order, since it was placed from a different account.",
        "I can't do this for you; such a change is for the account holder alone.",
    ),
    "price_match": (
        "I'm sorry, I cannot do that: we do not match the prices of other shops.",
        "Unfortunately we have no price match, so I can't refund a difference.",
        "I am afraid that I can't give you that money back, what competitors charge does not change our prices.",
        "I can't do this, since price matching is not something that we offer.",
    ),
    "stock": (
        "I'm sorry, I cannot get you that one: it is out of stock.",
        "Unfortunately that version is sold out, so this is not possible.",
        "I am afraid that I can't do this, as that variant is unavailable at the moment.",
        "I can't book that version, there are none left of it.",
    ),
    "balance": (
        "I'm sorry, I cannot use the gift card: its balance is less than the order's total.",
        "Unfortunately this is not possible, there is not enough on your gift card.",
        "I am afraid that I can't do this, as the gift card does not cover the amount.",
        "I can't charge that card, what it holds is insufficient for this order.",
    ),
    "refund_method": (
        "I'm sorry, I cannot send the refund there: it goes to the original payment method or a gift card of yours.",
        "Unfortunately that is not possible, since that method was not used for the order.",
        "I am afraid that I can't do this. A refund goes back to the method that paid, or to a gift card.",
        "I can't refund to that one, only to the way you paid or to your gift card.",
    ),
    "final_sale": (
        "I'm sorry, I cannot take all of that back: one of the items is a final sale.",
        "Unfortunately not all of this can be returned, as some of it is sold as final.",
        "I am afraid that I can't do this, because final sale items stay with the customer.",
        "I can't book that return, since a final sale is among the items.",
    ),
    "other_product": (
        "I'm sorry, I cannot do that: an exchange is for another version of the same product.",
        "Unfortunately it's not possible to exchange something for a different product.",
        "I am afraid that I can't do this, we exchange within the same product alone.",
        "I can't swap it for another product, I'm sorry.",
    ),
}

TELLS: Final[Texts] = {
    "refund_total": (
        "The refund is £{text}.",
        "That makes a refund of £{text}.",
        "You get £{text} back.",
        "In all, £{text} is refunded.",
    ),
    "difference": (
        "The difference in price is £{text}.",
        "The prices differ by £{text}.",
        "That is a difference of £{text}.",
        "Between the two there are £{text}.",
    ),
    "balance": (
        "Your gift card holds £{text}.",
        "The balance is £{text}.",
        "There is £{text} on the gift card.",
        "You have £{text} left on it.",
    ),
    "order_total": (
        "The order comes to £{text}.",
        "The total is £{text}.",
        "It is £{text} in all, delivery included.",
        "That order cost £{text}.",
    ),
    "spent": (
        "Together your orders come to £{text}.",
        "The sum is £{text}.",
        "All in all that is £{text}.",
        "They add up to £{text}.",
    ),
    "tracking": (
        "The tracking code is {text}.",
        "You can follow the parcel with {text}.",
        "The carrier's code is {text}.",
        "It travels under the code {text}.",
    ),
    "new_total": (
        "The new total is £{text}.",
        "The order now comes to £{text}.",
        "With that you pay £{text} in all.",
        "That makes £{text} altogether.",
    ),
}

VOICE: Final = Voice(asks=ASKS, proposes=PROPOSES, done=DONE, refuses=REFUSES, tells=TELLS)
