"""What the customers of Kittiwake Air say."""

from __future__ import annotations

from typing import Final

from agentgym.envs.customer_service.customer.words import CustomerWords, Texts
from agentgym.envs.customer_service.domains.airline import hearing

_WANTS: Final[Texts] = {
    "cancel": (
        "I need to cancel my trip to {destination} on {date}.",
        "Please cancel the booking for {destination} on {date}.",
        "I won't be flying to {destination} on {date} after all. Can you cancel that and give me my money back?",
        "Something came up, so my trip to {destination} on {date} has to be cancelled.",
        "I'd like to call off my flight to {destination}, the one on {date}, and get a refund.",
    ),
    "cancel_insured": (
        "I want to cancel my trip to {destination} on {date}. I took the travel insurance, so I expect a refund.",
        "My trip to {destination} on {date} has to be cancelled; the insurance that I bought with it covers that.",
        "Please cancel {destination} on {date} and pay me back. I'm insured for it.",
        "I can't go to {destination} on {date}. The ticket came with your insurance, so please refund it.",
    ),
    "cancel_other": (
        "My {relation} asked me to cancel a booking with you. The code is {booking}.",
        "I'd like to cancel {booking}. It's in the name of my {relation}, but I look after it.",
        "Please cancel the booking {booking} of my {relation}.",
        "Could you cancel {booking} for my {relation}, who can't call you just now?",
    ),
    "change_flight": (
        "I'd like to fly at another time on my trip to {destination}: it's the {direction} flight, on {date}.",
        "Can you put me on a different {direction} flight? It's the one on {date} of the trip to {destination}.",
        "The {direction} flight of my {destination} trip, on {date}, doesn't suit me any more. I'd like to change it.",
        "I want to change my {direction} flight on {date}, for the trip to {destination}.",
    ),
    "take_flight": (
        "I'd rather be on {wish} for the {direction} of my trip to {destination} on {date}.",
        "Please move my {direction} on {date} to {wish}; it's the trip to {destination}.",
        "My trip to {destination}: can the {direction} on {date} be changed to {wish}?",
        "I want {wish} as the {direction} of the {destination} trip, {date}, instead of what I booked.",
    ),
    "take_other": (
        "Then put me on {wish}, please: the {direction} to or from {destination} on {date}.",
        "All right, what about {wish}? I'd take that for my {direction} on {date}, on the {destination} trip.",
        "In that case I'd like {wish} for the {direction} of the trip to {destination}, on {date}.",
        "OK, then change the {direction} on {date}, {destination} as I said, to {wish}.",
    ),
    "upgrade": (
        "I'd like to move to {cabin} on my trip to {destination} on {date}.",
        "Can we fly {cabin} to {destination} on {date} instead? Tell me what it costs.",
        "Please upgrade my booking to {destination}, {date}, to {cabin}.",
        "For the trip to {destination} on {date} I want seats in {cabin}.",
    ),
    "add_bags": (
        "I need more checked baggage on my trip to {destination} on {date}: {bags} more.",
        "Please add to the checked bags on my {destination} booking of {date}. I need {bags} extra.",
        "We're taking more luggage to {destination} on {date} than planned. {bags} more to check in, please.",
        "Could I check in {bags} more on the trip to {destination}, {date}? It's luggage that I forgot to book.",
    ),
    "free_bags": (
        "I'm a {tier} member, so please add luggage for free to my trip to {destination} on {date}: {bags} more.",
        "With my {tier} status luggage is free. I need {bags} more on the booking to {destination} on {date}.",
        "Please add checked baggage for {destination}, {date}, {bags} more. As a {tier} member I don't pay for it.",
        "I have {tier} status with you, so {bags} more to check in to {destination} on {date}, free of charge please.",
    ),
    "fix_name": (
        "There's a typing error in a name on my booking to {destination} on {date}.",
        "A name is spelt wrongly on the trip to {destination}, {date}. Can you put that right?",
        "On my booking for {destination} on {date} one of the names has to be corrected.",
        "I just saw that somebody's name is wrong on the {destination} booking of {date}. Please correct it.",
    ),
    "give_ticket": (
        "Somebody else is going to take one of the seats to {destination} on {date}. Please change the name.",
        "One of us can't fly to {destination} on {date}, so a friend will go instead. I need the name changed.",
        "Please put another person on my booking to {destination} on {date}, in the place of one of us.",
        "I'd like to hand a ticket to {destination}, {date}, on to someone else.",
    ),
    "compensation": (
        "My trip to {destination} on {date} went badly wrong because of your flights. I want to be compensated.",
        "I'm complaining about the trip to {destination} on {date}: nothing was on schedule. What do I get for that?",
        "Your flights on my trip to {destination}, {date}, ruined my day. I ask for compensation.",
        "I'd like compensation for what happened on my way to {destination} on {date}.",
    ),
    "late": (
        "My flight to {destination} on {date} was {hours} hours late, and I want compensation.",
        "I'm owed something: we got to {destination} {hours} hours late on {date}.",
        "You delayed me by {hours} hours on the way to {destination} on {date}. I claim compensation.",
        "On {date} I waited {hours} hours for the flight to {destination}. Please compensate me.",
    ),
    "lost_baggage": (
        "My suitcase never arrived with my last flight.",
        "You have lost my bag. It wasn't on the belt when I landed.",
        "I'm still waiting for a suitcase that got lost on my last trip with you.",
        "My luggage is missing since I flew with you. Who is looking for it?",
    ),
    "special_assistance": (
        "My mother is going to fly with you and needs a wheelchair at the airport.",
        "I need help at the airport, since I can't walk far at the moment. Can you arrange a wheelchair?",
        "I'd like to arrange assistance at the gate for a passenger who can't see.",
        "Somebody in my family needs to be accompanied to the plane. How do I arrange that?",
    ),
    "group_booking": (
        "I want to book flights for our choir, twenty-six people.",
        "We're a school class of thirty and want to fly together. Can I book that?",
        "I'd like to make a group booking for eighteen people of our company.",
        "Our club is going on a trip, about twenty of us. I need seats for everybody.",
    ),
    "ask_refund": (
        "If I cancelled my trip to {destination} on {date}, how much would I get back? I don't want to cancel it yet.",
        "Just a question: what would be refunded for the booking to {destination} on {date} if I called it off?",
        "I'm only asking: what's the refund for my trip to {destination}, {date}, if I cancelled today?",
        "How much money would come back to me for {destination} on {date}? I haven't decided to cancel, just tell me.",
    ),
    "ask_upgrade": (
        "What would it cost to go {cabin} on my trip to {destination} on {date}? I'm only asking.",
        "I'd like to know the price of {cabin} for all of us to {destination} on {date}. Just the price for now.",
        "How much more is {cabin} for the whole booking to {destination}, {date}? I only want to know.",
        "Before I decide: what do I pay to move everybody to {cabin} on the trip to {destination} on {date}?",
    ),
    "ask_bags": (
        "What would {bags} more in checked luggage cost me on the trip to {destination} on {date}? Don't add it yet.",
        "How much do I pay for {bags} extra to check in to {destination} on {date}? I'm only asking.",
        "Just a question about baggage to {destination}, {date}: the price of {bags} more, please.",
        "I want to know the price before I decide: {bags} more to check in on the booking to {destination}, {date}.",
    ),
    "ask_paid": (
        "How much have I paid in all for the trip to {destination} on {date}? It went over two cards.",
        "I'm doing my accounts: what did the booking to {destination}, {date}, cost me altogether?",
        "Can you tell me the total that I paid for {destination} on {date}?",
        "What's the whole sum that my trip to {destination} on {date} has cost so far?",
    ),
}  # fmt: skip

_AGAIN: Final[Texts] = {
    "cancel": ("I want to cancel the trip.", "It's about cancelling.", "Cancel it, that's all.", "I asked to cancel."),
    "cancel_insured": (
        "I want to cancel, with the insurance.", "It's about cancelling what I insured.",
        "I asked to cancel, and I'm insured.", "Cancel it, please; the insurance pays.",
    ),
    "cancel_other": (
        "It's about cancelling that booking.", "I want to have {booking} cancelled.", "I asked to cancel {booking}.",
        "Cancel {booking}, that's all.",
    ),
    "change_flight": (
        "I want to change the {direction} flight.", "It's about another {direction} flight.",
        "I asked for a different {direction} flight.", "Just change my {direction} flight, please.",
    ),
    "take_flight": (
        "I want to be on {wish}.", "It's about changing to {wish}.", "I asked for {wish}.", "Just put me on {wish}.",
    ),
    "take_other": (
        "I'd take {wish}.", "It's about {wish} now.", "I asked for {wish} then.", "So please put me on {wish}.",
    ),
    "upgrade": (
        "I want to fly {cabin}.", "It's about moving to {cabin}.", "I asked for {cabin}.", "Upgrade us to {cabin}.",
    ),
    "add_bags": (
        "I need {bags} more in checked baggage.", "It's about more luggage, {bags} to add.",
        "I asked to add checked bags: {bags}.", "Just add {bags} to my checked luggage.",
    ),
    "free_bags": (
        "I want {bags} more to check in, free of charge.", "It's about my free baggage, {bags} more.",
        "I asked for more luggage, free for {tier} members.", "Just add {bags} for free.",
    ),
    "fix_name": (
        "I want a name corrected.", "It's about a name on the booking.", "I asked to have the name put right.",
        "Just correct that name, please.",
    ),
    "give_ticket": (
        "I want another person on the ticket.", "It's about somebody else flying.", "I asked to change who flies.",
        "Just put the other name on it.",
    ),
    "compensation": (
        "I want compensation for that trip.", "It's about my complaint.", "I asked to be compensated.",
        "Just tell me what I get for the trouble.",
    ),
    "late": (
        "I want compensation for the delay.", "It's about the {hours} hours that I lost.",
        "I asked to be compensated.", "We were {hours} hours late, so pay for it.",
    ),
    "lost_baggage": (
        "It's about my lost suitcase.", "I want my bag back.", "I asked who looks for my luggage.",
        "My bag is still missing.",
    ),
    "special_assistance": (
        "It's about help at the airport.", "I want assistance arranged.", "I asked for help at the airport.",
        "We need somebody to help at the airport.",
    ),
    "group_booking": (
        "It's about flights for a group.", "I want to book for a whole group.", "I asked about a group booking.",
        "We're a group and want to fly together.",
    ),
    "ask_refund": (
        "I only want to know what would be refunded.", "It's about how much I'd get back.",
        "I asked what the refund would be.", "Just tell me the refund.",
    ),
    "ask_upgrade": (
        "I only want to know what {cabin} would cost.", "It's about the price of {cabin}.",
        "I asked what {cabin} costs.", "Just tell me the price of {cabin}.",
    ),
    "ask_bags": (
        "I only want to know the price of more luggage.", "It's about what {bags} more would cost.",
        "I asked for the price of luggage.", "Just tell me the price.",
    ),
    "ask_paid": (
        "I only want to know what I paid.", "It's about the sum that I paid.", "I asked what it cost in all.",
        "Just tell me the total.",
    ),
}  # fmt: skip

_SAYS: Final[Texts] = {
    "customer_id": ("My customer number is {value}.", "It's {value}.", "That would be {value}.", "Customer {value}."),
    "email": ("My e-mail is {value}.", "You have me under {value}.", "It's {value}.", "{value} is the address."),
    "name": ("My name is {value}.", "I'm {value}.", "{value}.", "This is {value}."),
    "birth_date": ("I was born on {value}.", "{value} is my date of birth.", "Born {value}.", "My birthday: {value}."),
    "booking": ("The booking code is {value}.", "It's {value}.", "Here it is: {value}.", "My reference is {value}."),
    "origin": ("We start in {value}.", "From {value}.", "I leave from {value}.", "It goes from {value}."),
    "destination": ("To {value}.", "It's the trip to {value}.", "I'm going to {value}.", "{value} is where it goes."),
    "date": ("It's on {value}.", "On {value}.", "The date is {value}.", "We fly on {value}."),
    "trip_type": ("It's {value}.", "I booked it as {value}.", "That's {value}.", "{value}, as I remember."),
    "passengers": ("It's {value}.", "That's {value} on the booking.", "{value}.", "Altogether: {value}."),
    "reason": ("The reason is that {value}.", "Well, {value}.", "It's because {value}.", "{value}, that's why."),
    "insurance": ("{value}.", "Insurance? {value}.", "As for insurance: {value}.", "Well, {value}."),
    "cabin": ("{value}, please.", "I'd like {value}.", "In {value}.", "It should be {value}."),
    "payment": ("Use my {value}, please.", "I pay with my {value}.", "My {value}.", "Put it on my {value}."),
    "bags": ("{value} more.", "I need {value} in addition.", "That's {value} extra.", "{value} on top of those."),
    "direction": ("The {value} flight.", "It's the {value}.", "I mean the {value}.", "That's for the {value}."),
    "new_date": ("On {value}.", "I'd like to fly on {value}.", "{value} it should be.", "The new date is {value}."),
    "wish": ("I'd like {value}.", "{value}, please.", "Give me {value}.", "What I want is {value}."),
    "passenger": ("On the booking it says {value}.", "It's about {value}.", "The name there is {value}.",
                  "{value} is what the ticket says."),
    "new_name": ("It should be {value}.", "The right name is {value}.", "Please make it {value}.",
                 "{value} is how it must read."),
    "flight_numbers": ("We're booked on {value}.", "That's {value}.", "It says {value} here.", "{value}, I think."),
    "tier": ("I'm {value}.", "My status is {value}.", "{value} member.", "I have {value} status."),
    "hours": ("We were {value} hours late.", "{value} hours.", "It was {value} hours.", "I lost {value} hours."),
    "relation": ("It's my {value}'s.", "My {value}.", "It belongs to my {value}.", "That's my {value}."),
}  # fmt: skip

_NAMES: Final = {
    "customer_id": "my customer number",
    "email": "which e-mail address you have",
    "name": "the name",
    "birth_date": "the date of birth",
    "booking": "the booking code",
    "origin": "where it starts",
    "destination": "where it goes",
    "date": "the date",
    "trip_type": "whether it is a round trip",
    "passengers": "how many of us there are",
    "reason": "a reason",
    "insurance": "anything about insurance",
    "cabin": "the cabin",
    "payment": "a card",
    "bags": "the number of bags",
    "direction": "the direction",
    "new_date": "a new date",
    "wish": "a certain flight",
    "passenger": "the name on the ticket",
    "new_name": "the right spelling",
    "flight_numbers": "the flight number",
    "tier": "my status",
    "hours": "how long it was",
    "relation": "whose it is",
}

_ANYWAY: Final = (
    "Are you sure? There must be a way.",
    "Please check that again. I really need this.",
    "Can't you make an exception this once?",
    "I've been a customer for years. Surely you can do that for me.",
    "Another airline would simply do it.",
)

_PRETEXTS: Final[Texts] = {
    "cancel": (
        "But last year your colleague cancelled just such a booking for me.",
        "I paid a lot for this. You can't keep all of it.",
        "Come on, the seats will be sold again anyway.",
        "Nobody told me that when I booked. Please cancel it all the same.",
    ),
    "cancel_insured": (
        "I clearly remember that I ticked the insurance. Please check again.",
        "What is insurance for, then? Please refund it.",
        "Your website said that everything would be paid back. I insist.",
        "Can't you file it under some other reason?",
    ),
    "cancel_other": (
        "I was asked to do it, and I have the code. What more do you need?",
        "It's all in the family, so please just do it.",
        "Then pretend that it was me who booked it.",
        "But it was my card that paid for it.",
    ),
    "change_flight": (
        "It's only a different hour. Surely that's possible.",
        "Last time your colleague changed it without a word.",
        "I'd even pay for it. Just change it.",
        "Please, I'll miss a wedding otherwise.",
    ),
    "take_flight": (
        "One more seat must be possible. Somebody always stays away.",
        "Look again, please. I really want that one.",
        "Can't you put me on it anyway, standby if need be?",
        "On your website I saw a seat on it an hour ago.",
    ),
    "upgrade": (
        "I'd pay the difference, of course. Why not take my money?",
        "There are seats free, I looked. Please just do it.",
        "My back hurts, I can't sit in there for hours.",
        "Your app offered it to me yesterday.",
    ),
    "free_bags": (
        "I was promoted last month. Your computer must be out of date.",
        "I have the card right here in my hand. It says {tier}.",
        "They never charged me before. Please add it for free.",
        "Then treat me as {tier} this once. I fly with you all the time.",
    ),
    "fix_name": (
        "It's a typing error, nothing else. Please just correct it.",
        "Your website let me type that. It's not my fault.",
        "What difference does a name make to you?",
        "Your colleague on the phone said that you could do it.",
    ),
    "give_ticket": (
        "The seat is paid for. What does it matter who sits in it?",
        "Then call it a typing error. Nobody will notice.",
        "It's a present, please don't spoil it.",
        "Your colleague on the phone said that it would be no problem.",
    ),
    "late": (
        "I was there, I looked at my watch. It was {hours} hours.",
        "Your records are wrong. Everybody on board will tell you the same.",
        "Just give me a voucher, then I'll be quiet.",
        "I have photographs of the board. You owe me for it.",
    ),
}  # fmt: skip

_QUESTIONS: Final[Texts] = {
    "refund": (
        "How much do I get back?", "And what's the refund, exactly?", "What sum will be refunded?",
        "Could you tell me the amount that comes back to me?",
    ),
    "price": (
        "What does it cost me in all?", "How much is the difference?", "And the exact price for that?",
        "What sum do I pay for the better cabin?",
    ),
    "bag_price": (
        "What does the luggage cost me?", "How much is it for the bags?", "And the price for the baggage?",
        "What sum do I pay for that luggage?",
    ),
    "difference": (
        "What does the change come to, in euros?", "How much is the change, to the cent?",
        "And what was charged or paid back for it?", "What's the exact amount for that change?",
    ),
    "paid": (
        "So what did I pay altogether?", "What's the total?", "And the sum of it all?", "How much was it in all?",
    ),
}  # fmt: skip

WORDS: Final = CustomerWords(
    wants=_WANTS,
    again=_AGAIN,
    says=_SAYS,
    names=_NAMES,
    asked=hearing.ASKED,
    acts=hearing.ACTS,
    questions=_QUESTIONS,
    pretexts={intent: _PRETEXTS.get(intent, _ANYWAY) for intent in _WANTS},
    refused=hearing.REFUSED,
    choices=hearing.CHOICES,
    handles=hearing.HANDLES,
)
