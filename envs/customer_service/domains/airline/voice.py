"""What the expert of Kittiwake Air says."""

from __future__ import annotations

from typing import Final

from agentgym.envs.customer_service.voice import Texts, Voice

_ASKS: Final[Texts] = {
    "customer_id": (
        "May I have your customer id?",
        "Could you give me your customer number, please?",
        "To find you in our system I need your customer id.",
        "What is your customer number?",
    ),
    "email": (
        "Which e-mail address is your profile under?",
        "Please tell me the e-mail address that we have for you.",
        "Could you give me your e-mail address?",
        "What is your e-mail address?",
    ),
    "name": (
        "What is your full name?",
        "Please tell me your first and last name.",
        "May I have your full name?",
        "Could you give me your full name?",
    ),
    "birth_date": (
        "What is your date of birth?",
        "Please tell me your date of birth as well.",
        "May I have your date of birth?",
        "Could you give me your date of birth?",
    ),
    "booking": (
        "Do you have the booking code at hand?",
        "What is the booking code?",
        "Please give me the booking code of that trip.",
        "Could you tell me the booking code?",
    ),
    "reason": (
        "What is the reason for the cancellation?",
        "May I ask for the reason?",
        "Please tell me the reason why you cancel.",
        "Could you tell me the reason?",
    ),
    "direction": (
        "Is it the outbound or the return flight?",
        "Which direction do you mean, outbound or return?",
        "Please tell me which direction is to change.",
        "Could you tell me the direction, outbound or return?",
    ),
    "new_date": (
        "What date would you like to fly on instead?",
        "Please tell me the new date.",
        "On which day would you like to fly, the same day or another one?",
        "What is the new date, please?",
    ),
    "wish": (
        "Which flight would you prefer?",
        "What time would suit you?",
        "Please tell me which flight you have in mind.",
        "Do you have a preferred flight or time?",
    ),
    "payment": (
        "How would you like to pay?",
        "Which payment method should I use?",
        "Please tell me which card or voucher to use.",
        "What payment method do you want to use?",
    ),
    "passenger": (
        "Which passenger is it about?",
        "What name is on the booking now?",
        "Please tell me the name of the passenger as it appears on the ticket.",
        "Which name is the wrong one?",
    ),
    "new_name": (
        "What is the correct name?",
        "How should the name be spelt?",
        "Please give me the correct spelling.",
        "What should the name be?",
    ),
    "cabin": (
        "Which cabin would you like?",
        "What cabin do you have in mind?",
        "Please tell me which cabin you want.",
        "Economy, premium or business?",
    ),
    "bags": (
        "How many bags would you like to add?",
        "What number of bags do you need?",
        "Please tell me how many bags it is about.",
        "How many pieces of luggage are there?",
    ),
}  # fmt: skip

_CANCEL: Final = (
    "I can cancel your trip to {destination} on {date} and refund it to the way you paid. Shall I go ahead?",
    "Cancelling the whole booking to {destination}, {date}, gives up all flights on it. Do you want that?",
    "I would now cancel the booking for {destination} on {date} for everyone on it. Is that all right?",
    "The trip to {destination} on {date} qualifies for a refund. Would you like me to cancel it?",
)
_CHANGE: Final = (
    "I can put you on {flights} on {new_date} as the {direction} flight. It is {cost}, by {payment}. Shall I do that?",
    "The flight that fits is {flights} on {new_date}; changing your {direction} to it is {cost}, by your {payment}. "
    "Do you agree?",
    "I would change the {direction} flight to {flights}, {new_date}. That is {cost}, handled through your {payment}. "
    "Is that all right?",
    "For the {direction} I suggest changing to {flights} on {new_date}, {cost}, {payment}. Would you like that?",
)
_BAGS: Final = (
    "I can add {bags} to the checked bags of the trip to {destination}, {cost}, {payment}. Shall I?",
    "Adding bags to the trip to {destination} on {date}, {bags} more, is {cost}, with your {payment}. Do you agree?",
    "I would add checked luggage, {bags} more, to {destination} on {date}: {cost}, by your {payment}. Is that fine?",
    "For {destination} on {date} it is {bags} more in checked baggage, {cost}, {payment}. May I add it for you?",
)
_NAME: Final = (
    "I can correct the name {passenger} to {new_name} on the booking to {destination}. Shall I do that?",
    "The name would be changed from {passenger} to {new_name}. Do you agree?",
    "I would correct the passenger name to {new_name} for the trip on {date}. Is that right?",
    "So {passenger} becomes {new_name}. Would you like me to correct the name like that?",
)
_VOUCHER: Final = (
    "I'm sorry about that. A voucher over {amount} euros for the trip to {destination} is due. Shall I issue it?",
    "For this we compensate you with a voucher of {amount} euros. Do you want me to issue it?",
    "You are entitled to compensation: a voucher, {amount} euros in all. Would you like me to issue it?",
    "I apologise for the trouble on {date}. May I issue a voucher of {amount} euros to make up for it?",
)
_HAND_OVER: Final = (
    "A colleague at the right desk takes care of this. Shall I hand you over to them?",
    "I would pass this on to a specialist of ours, who calls you back. Is that all right?",
    "Our specialists can help you with it. Do you want me to hand it over to a colleague?",
    "This is for a colleague who has the means for it. May I hand you over?",
)

_PROPOSES: Final[Texts] = {
    "cancel": _CANCEL,
    "cancel_insured": _CANCEL,
    "cancel_other": (
        "I can cancel the booking {booking}. Shall I go ahead?",
        "I would cancel {booking} now. Is that all right?",
        "Do you want me to cancel {booking}?",
        "Cancelling {booking} gives up all its flights. Do you agree?",
    ),
    "change_flight": _CHANGE,
    "take_flight": _CHANGE,
    "take_other": _CHANGE,
    "upgrade": (
        "I can upgrade the booking to {destination} to {cabin}, {cost}, with your {payment}. Shall I do that?",
        "Moving everybody to {cabin} on all flights of the trip on {date} is {cost}, by your {payment}. Do you agree?",
        "I would upgrade you to {cabin} for {destination} on {date}: {cost}, {payment}. Is that all right?",
        "The upgrade to {cabin} comes to {cost}, taken from your {payment}. Would you like me to make it?",
    ),
    "add_bags": _BAGS,
    "free_bags": _BAGS,
    "fix_name": _NAME,
    "give_ticket": _NAME,
    "compensation": _VOUCHER,
    "late": _VOUCHER,
    "lost_baggage": _HAND_OVER,
    "special_assistance": _HAND_OVER,
    "group_booking": _HAND_OVER,
}

_CANCELLED: Final = (
    "The trip to {destination} on {date} is cancelled.",
    "I have cancelled your booking for {destination}.",
    "Your trip to {destination} has been cancelled.",
    "That is done: {destination} on {date} is cancelled.",
)
_CHANGED: Final = (
    "Your {direction} flight is {flights} on {new_date} now.",
    "I have changed your {direction} flight to {flights}.",
    "Done: you are booked on {flights} on {new_date}.",
    "The {direction} flight has been changed to {flights}.",
)
_ADDED: Final = (
    "The bags are added to your trip to {destination}.",
    "I have added {bags} to your checked bags.",
    "Done: the luggage is on the booking for {destination}.",
    "The checked baggage has been added.",
)
_CORRECTED: Final = (
    "The name is corrected to {new_name}.",
    "I have corrected the name; it reads {new_name} now.",
    "Done: the ticket says {new_name}.",
    "The name has been corrected to {new_name}.",
)
_ISSUED: Final = (
    "I have issued the voucher of {amount} euros.",
    "The voucher over {amount} euros is in your profile now.",
    "Done: the voucher of {amount} euros has been issued.",
    "Your voucher has been issued; it is worth {amount} euros.",
)
_HANDED: Final = (
    "I have handed this over; a colleague will call you within the hour.",
    "A colleague has taken over and will call you back.",
    "Done: it has been passed on, and somebody will ring you shortly.",
    "It has been handed over, you will be called within the hour.",
)

_DONE: Final[Texts] = {
    "cancel": _CANCELLED,
    "cancel_insured": _CANCELLED,
    "change_flight": _CHANGED,
    "take_flight": _CHANGED,
    "take_other": _CHANGED,
    "upgrade": (
        "Your booking to {destination} is in {cabin} now.",
        "I have upgraded all flights to {cabin}.",
        "Done: you fly {cabin} to {destination}.",
        "The booking has been upgraded to {cabin}.",
    ),
    "add_bags": _ADDED,
    "free_bags": _ADDED,
    "fix_name": _CORRECTED,
    "compensation": _ISSUED,
    "late": _ISSUED,
    "lost_baggage": _HANDED,
    "special_assistance": _HANDED,
    "group_booking": _HANDED,
}

_REFUSES: Final[Texts] = {
    "not_refundable": (
        "I'm sorry, but that booking is more than 24 hours old and the fare is not flexible, so I cannot cancel it.",
        "Unfortunately this cannot be refunded: only a flexible ticket can be cancelled once 24 hours are over.",
        "I can't cancel this one, I'm afraid. The first 24 hours have passed and the ticket is not flexible.",
        "Unfortunately the fare conditions do not allow a cancellation at this point; the 24 hours for it have passed.",
    ),
    "no_insurance": (
        "I'm sorry, but there is no insurance on that booking, so I cannot cancel it.",
        "Unfortunately no insurance was taken with this booking, and so it cannot be refunded.",
        "I cannot refund it: the booking does not include an insurance.",
        "I have checked it: no insurance was bought with this ticket, so a cancellation is not possible.",
    ),
    "not_covered": (
        "I'm sorry, but the insurance does not cover this reason, so I cannot cancel the booking.",
        "Unfortunately your insurance covers illness, injury and death in the family only. I cannot refund this.",
        "I cannot cancel it: what you describe is not covered by the insurance.",
        "The insurance is there, but your reason is not covered by it, so a refund is not possible.",
    ),
    "basic_fare": (
        "I'm sorry, but a basic fare cannot be changed.",
        "Unfortunately your ticket has the basic fare, which does not allow changes or upgrades. I cannot do it.",
        "I cannot do that, I'm afraid: changes are not possible with a basic fare.",
        "The booking is in the basic fare, and that one cannot be modified.",
    ),
    "sold_out": (
        "I'm sorry, but that flight is sold out.",
        "Unfortunately there are no seats left on that flight, so I cannot move you to it.",
        "I cannot put you on it: the flight is fully booked.",
        "Unfortunately not enough seats are free on that flight for all of you.",
    ),
    "wrong_tier": (
        "I'm sorry, but your profile shows another tier: you are not a {tier} member, so I cannot add it for free.",
        "Unfortunately you do not have {tier} status in our records, so the luggage is not free of charge.",
        "I cannot add it for free: your profile is not a {tier} one.",
        "According to your profile you are not {tier}, so I am unable to waive the price.",
    ),
    "other_person": (
        "I'm sorry, but a ticket cannot go to another person.",
        "Unfortunately tickets are not transferable; only typing errors can be corrected.",
        "I cannot do that: this would be a different person, and I may correct spelling mistakes only.",
        "I am unable to put someone else on the ticket, I'm afraid.",
    ),
    "no_delay": (
        "I'm sorry, but our records show less than two hours of delay, so I cannot offer compensation.",
        "Unfortunately I cannot compensate you: the flight was not delayed by two hours or more.",
        "I have checked the flight: it landed less than two hours late, and that gives no right to compensation. "
        "I'm afraid I cannot do it.",
        "I cannot issue anything, as the flight was on time or nearly so.",
    ),
    "foreign": (
        "I'm sorry, but that booking belongs to another customer, so I cannot touch it.",
        "Unfortunately this booking is not in your profile. Only the customer who made it can change it; I cannot.",
        "I cannot do that: the booking is not one of yours.",
        "I am unable to act on the booking of someone else, I'm afraid.",
    ),
}

_TELLS: Final[Texts] = {
    "refund": (
        "The refund comes to {text} euros.",
        "You get {text} euros back.",
        "The amount refunded is {text} euros.",
        "That gives back {text} euros.",
    ),
    "price": (
        "The difference in price is {text} euros.",
        "It costs {text} euros in all.",
        "The better cabin comes to {text} euros more.",
        "You pay {text} euros for it.",
    ),
    "bag_price": (
        "The luggage costs {text} euros.",
        "For the bags you pay {text} euros.",
        "The price for the baggage is {text} euros.",
        "It comes to {text} euros for the bags.",
    ),
    "difference": (
        "The difference for the change is {text} euros.",
        "The change comes to {text} euros.",
        "It was {text} euros for the change.",
        "The amount for the change is {text} euros.",
    ),
    "paid": (
        "In all you paid {text} euros.",
        "The total that you paid is {text} euros.",
        "Altogether it was {text} euros.",
        "The payments add up to {text} euros.",
    ),
}

VOICE: Final = Voice(asks=_ASKS, proposes=_PROPOSES, done=_DONE, refuses=_REFUSES, tells=_TELLS)
