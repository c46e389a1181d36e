"""What the shop's expert says of an act: the question for a yes before it, and that it is done after it."""

from __future__ import annotations

from typing import Final

from agentgym.envs.customer_service.voice import Texts

_CANCEL: Final = (
    "I would cancel order {order} as a whole, noting as the reason: {reason}. "
    "All that was paid goes back to where it came from. Is that all right with you?",
    "So that is the cancellation of all of {order}, because, as you said, {reason}. Shall I go ahead?",
    "I can cancel {order} now and refund it in full. The reason I'd enter: {reason}. Do you agree?",
    "To be sure: cancel the complete order {order}, with the reason '{reason}'. Shall I do that?",
    "I would cancel the whole order with {items}, noting as the reason: {reason}. "
    "All that was paid goes back to where it came from. Is that all right with you?",
    "So that is the cancellation of the entire order with {items}, because, as you said, {reason}. Shall I go ahead?",
    "I can cancel the order that {items} is in and refund it in full. The reason I'd enter: {reason}. Do you agree?",
    "To be sure: cancel the complete order with {items}, with the reason '{reason}'. Shall I do that?",
)
_RETURN: Final = (
    "I would book a return of {items}. Refund to: {refund}. Is that what you want me to do?",
    "So you send back {items}, and the money goes here, in your words: {refund}. Shall I set that up?",
    "I can set up the return for {items}, with the refund to '{refund}'. May I go ahead?",
    "This is the return of {items}; for the refund you chose '{refund}'. Do you agree?",
)
_EXCHANGE: Final = (
    "I would exchange {items} for the {wish} version; the difference is settled with {payment}, as you said. "
    "Is that right?",
    "So {items} comes back and you get the {wish} one; for the difference we use '{payment}'. Shall I go ahead?",
    "I can arrange an exchange of {items}: you'd receive the {wish} variant, any difference on '{payment}'. "
    "Do you agree?",
    "This would be an exchange, {items} for {wish}, settled by '{payment}'. May I book it?",
)
_SWAP: Final = (
    "I would change {items} in your order to the {wish} version. Is that what you want?",
    "So in place of {items} as ordered we pack the {wish} one, a change at today's price. Shall I go ahead?",
    "I can update the order so that {items} comes as the {wish} variant. Do you agree?",
    "That means a change of {items} to {wish}, with the difference on the method you paid with. May I do it?",
)
_ADDRESS: Final = (
    "I would change the delivery address of {order} to {address}. Is that correct?",
    "So {order} is to be delivered to {address}. Shall I change that?",
    "I can set the address of {order} to {address}. Do you agree?",
    "The new address for {order} would be {address}. May I save it?",
)
_HOME: Final = (
    "I would save {address} as the address for your later orders. Is that correct?",
    "So from now on your standard address is {address}. Shall I save that?",
    "I can set your home address to {address}. Do you agree?",
    "The address on file would become {address}. May I save it?",
)
_PAYMENT: Final = (
    "I would change the payment of {order} to this one: {payment}. Is that correct?",
    "So {order} is charged as follows: {payment}; what was paid before is refunded. Shall I go ahead?",
    "I can switch the payment for {order} over to '{payment}'. Do you agree?",
    "The whole of {order} would then be paid in this way: {payment}. May I change it?",
)
_EXPRESS: Final = (
    "I would upgrade {order} to express delivery; it costs 8.95 in place of 3.95. Is that all right?",
    "So {order} goes by express for 5.00 more. Shall I go ahead?",
    "I can change {order} to express delivery for a fee of 8.95. Do you agree?",
    "Express for {order} adds 5.00 to the bill. May I change that?",
)
_TROUBLE: Final = (
    "I would open a case with our warehouse: {items} {trouble}. Is that right?",
    "So I report to the warehouse team that {items} {trouble}. Shall I open the case?",
    "I can open a case because {items} {trouble}, and the team will write to you. Do you agree?",
    "The case would say: {items} {trouble}. May I file it?",
)
_OVERDUE: Final = (
    "I would open a case for {order}, as it has not arrived. Is that all right?",
    "So I report {order} as overdue to the warehouse team. Shall I open the case?",
    "I can open a case about the missing parcel of {order}. Do you agree?",
    "The case would be for {order}, not arrived. May I file it?",
)

_STAFF: Final = (
    "That is for our staff to see to. Shall I put you into the queue for them, so that a person takes over?",
    "I would hand this over to a member of staff. Is that all right with you?",
    "A colleague has to do this. May I pass you on to one?",
    "I can forward your case to a human colleague who deals with it. Do you agree?",
)

PROPOSES: Final[Texts] = {
    "cancel": _CANCEL,
    "cancel_by_item": _CANCEL,
    "cancel_instead": _CANCEL,
    "others_cancel": _CANCEL,
    "return": _RETURN,
    "return_promised": (
        "I would book a return of {items}, as an exception. Shall I set that up?",
        "So you send back {items} for a refund. Do you agree?",
        "I can set up the return for {items}. May I go ahead?",
        "This is the return of {items}, then. Is that what you want me to do?",
    ),
    "return_dated": _RETURN,
    "return_rather": _RETURN,
    "return_rest": _RETURN,
    "return_elsewhere": _RETURN,
    "exchange": _EXCHANGE,
    "exchange_rather": _EXCHANGE,
    "exchange_other": (
        "I would exchange {items} for {other}. Is that right?",
        "So {items} comes back and you get {other}. Shall I go ahead with the exchange?",
        "I can arrange an exchange of {items} for {other}. Do you agree?",
        "This would be an exchange, {items} for {other}. May I book it?",
    ),
    "swap": _SWAP,
    "swap_rather": _SWAP,
    "address": _ADDRESS,
    "address_rather": _ADDRESS,
    "default_address": _HOME,
    "payment": _PAYMENT,
    "payment_rather": _PAYMENT,
    "express": _EXPRESS,
    "trouble": _TROUBLE,
    "overdue": _OVERDUE,
    "delete_account": _STAFF,
    "invoice": _STAFF,
    "injury": _STAFF,
    "price_match": (
        "I would refund you the difference to the price of {rival} for {items}. Shall I?",
        "So we match the price that {rival} asks for {items}. Do you agree?",
        "I can match the price of {items}. May I go ahead?",
        "You would get a discount on {items}. Is that all right?",
    ),
}

_CANCELLED: Final = (
    "Your order has been cancelled, and what you paid is on its way back to you.",
    "That's done: the order is cancelled and the payment has been refunded.",
    "I have cancelled the order for you.",
    "The cancellation has been entered, so nothing will be sent.",
)
_RETURNED: Final = (
    "I have booked the return of {items}; a label comes by e-mail.",
    "The return of {items} has been set up.",
    "Done: {items} can go back to us, and the refund has been made.",
    "Your return has been registered for {items}.",
)
_EXCHANGED: Final = (
    "I have booked the exchange: the {wish} version is reserved for you.",
    "The exchange of {items} for the {wish} version has been arranged.",
    "Done: you'll get the {wish} one, with a label for sending yours back.",
    "Your exchange has been registered, {wish} it is.",
)
_SWAPPED: Final = (
    "I have changed the order, {items} will come as the {wish} version.",
    "The order has been updated to the {wish} version.",
    "Done: we'll pack the {wish} one.",
    "Your order has been changed, with {wish} as you wanted.",
)
_READDRESSED: Final = (
    "I have changed the delivery address to {address}.",
    "The address has been updated to {address}.",
    "Done: the parcel goes to {address}.",
    "Your order has been redirected to {address}.",
)
_REPAID: Final = (
    "I have changed the payment of {order}.",
    "The payment method of {order} has been updated.",
    "Done: {order} is paid as you wished, and the earlier payment has been refunded.",
    "The payment for {order} has been switched.",
)
_REPORTED: Final = (
    "I have opened a case; our warehouse team will write to you within two working days.",
    "The case has been opened, and you will hear from the team within two working days.",
    "Done: a case is open and the warehouse looks into it.",
    "Your case has been filed with the warehouse team.",
)

_QUEUED: Final = (
    "I have put you into the queue, and somebody from our staff will be with you shortly.",
    "Your matter has been handed over to our staff.",
    "Done: a colleague takes it from here.",
    "The hand-over has been made, and our staff will see to it.",
)

DONE: Final[Texts] = {
    "cancel": _CANCELLED,
    "cancel_by_item": _CANCELLED,
    "cancel_instead": _CANCELLED,
    "return": _RETURNED,
    "return_rather": _RETURNED,
    "return_rest": _RETURNED,
    "exchange": _EXCHANGED,
    "exchange_rather": _EXCHANGED,
    "swap": _SWAPPED,
    "swap_rather": _SWAPPED,
    "address": _READDRESSED,
    "address_rather": _READDRESSED,
    "default_address": (
        "I have saved your new address for later orders.",
        "Your standard address has been updated.",
        "Done: your account has the new address now.",
        "The new home address has been set.",
    ),
    "payment": _REPAID,
    "payment_rather": _REPAID,
    "express": (
        "I have changed {order} to express delivery.",
        "The delivery of {order} has been upgraded to express.",
        "Done: {order} goes by express.",
        "Express delivery has been set for {order}.",
    ),
    "trouble": _REPORTED,
    "overdue": _REPORTED,
    "delete_account": _QUEUED,
    "invoice": _QUEUED,
    "injury": _QUEUED,
}
