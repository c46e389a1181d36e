"""What customers of Heathline ask for, and how they push back.

Faults of one kind share their words, whatever is behind them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

Texts = Mapping[str, Sequence[str]]

_NO_SERVICE: Final = (
    "My phone has no service at all, I can't call anybody.",
    "I have had no signal since this morning, the phone is dead to the world.",
    "Nobody can reach me and I can't reach anybody: the phone finds no network.",
    "There is no reception on my mobile any more. Can you get it going again?",
    "My mobile just won't connect to the network. No calls, no texts, nothing.",
)
_NO_DATA: Final = (
    "I can call people, but the internet on my phone doesn't work.",
    "Mobile internet is gone: no page loads when I'm not on Wi-Fi.",
    "My data connection is dead. Calls are fine, though.",
    "Nothing online works on my mobile, not even the weather.",
    "I can't get online with my phone. Please help me get the internet back.",
)
_SLOW: Final = (
    "The internet on my phone has become terribly slow.",
    "Pages take minutes to load on my mobile. That can't be right.",
    "My mobile internet crawls, videos stop every few seconds.",
    "Why is my data connection so slow? It used to be fine.",
)
_ABROAD: Final = (
    "I'm in {country} and my phone is no use here, I can't get online.",
    "I am travelling in {country} and the internet on my phone doesn't work.",
    "Since I arrived in {country} my mobile has been useless. I need data here.",
    "Hello from {country}! My phone won't go online here, at home it was fine.",
)
_SETTLE: Final = (
    "All right, then let's pay what is overdue and get the line going again.",
    "Fine. I want to settle the overdue amount now, and then the line back.",
    "Then let me pay it now, so that the line works again.",
    "Okay, okay. I'll pay what's outstanding if you switch the line back on afterwards.",
)
_PAY: Final = (
    "I'd like to pay my latest bill now rather than wait.",
    "Can I settle this month's bill right away?",
    "I want to get the newest bill out of the way. Can I pay it with you?",
    "Please let me pay the bill from the first of this month.",
)
_SAME: Final = {
    "no_service": _NO_SERVICE,
    "no_service_card": _NO_SERVICE,
    "no_service_request": _NO_SERVICE,
    "no_service_barred": _NO_SERVICE,
    "no_data": _NO_DATA,
    "no_data_used_up": _NO_DATA,
    "slow": _SLOW,
    "slow_used_up": _SLOW,
    "abroad_line": _ABROAD,
    "abroad_phone": _ABROAD,
    "settle_card": _SETTLE,
    "settle_request": _SETTLE,
    "pay_bill": _PAY,
    "pay_bill_request": _PAY,
}
WANTS: Final[Texts] = {
    **_SAME,
    "add_data": (
        "I'd like {pack} of extra data for this month.",
        "Please add {pack} of data to my line.",
        "Can I get {pack} more data until the end of the month?",
        "I need {pack} of additional data.",
    ),
    "background": (
        "I get no messages while an app is closed; they all come in when I open it.",
        "My apps don't update in the background any more.",
        "My e-mails only arrive when I open the app. How can I change that?",
        "Notifications come hours late, as soon as I open the app they are all there.",
    ),
    "resume_unpaid": (
        "You have suspended my line, but I paid that bill last week. Switch it on again, please.",
        "My line is suspended over a bill that I have paid long ago. I want it back on.",
        "Please resume my line. The overdue bill is paid, I sent the money on Friday.",
        "My line was cut off although the bill has been paid. Reactivate it, please.",
    ),
    "bill_higher": (
        "Why is my latest bill higher than the one before? How much more is it, and what for?",
        "My new bill is more than last month's. By how much exactly, and why?",
        "The March bill went up compared with February. I want to know the difference and the reason.",
        "Something on my last bill cost extra. What is it, and how much more did I pay than the month before?",
    ),
    "ask_unpaid": (
        "How much do I still owe on this line, all bills together?",
        "What is the sum of my unpaid bills for this line?",
        "Can you add up what I have not paid yet on this line?",
        "I've lost track: what do I owe in total on this line?",
    ),
    "change_plan": (
        "I'd like to switch to the plan {plan}.",
        "Please put my line on {plan}.",
        "I want to move to {plan}, please.",
        "Can you change my plan to {plan}?",
    ),
    "allow_roaming": (
        "I'm travelling to {country} soon. Please allow roaming on my line.",
        "Please enable roaming for me, I'm off to {country}.",
        "I want my line to work in {country}; can you switch roaming on for it?",
        "I need roaming on my line for a trip to {country}.",
    ),
    "lost_phone": (
        "I've lost my phone! Please block the line before somebody uses it.",
        "My phone was stolen on the train. Suspend my line, please.",
        "I can't find my mobile anywhere. I'd like the line to be suspended.",
        "Please stop all calls from my line, my phone is gone.",
    ),
    "port_number": (
        "I'm leaving for another company and want to take my number with me.",
        "Please port my number to my new provider.",
        "How do I move this number to another company? Please arrange it.",
        "I'd like to keep my number and use it with somebody else from now on.",
    ),
    "change_holder": (
        "My daughter is to become the holder of this line. Please arrange that.",
        "I want to pass this line on to my husband, contract and all.",
        "Can you put this contract in my son's name?",
        "The line should belong to my partner from now on. Please change the holder.",
    ),
    "line_of_another": (
        "Please add data to my {relative}'s line too, it's {other_phone}.",
        "My {relative} has the number {other_phone} with you. Can you add some data there for me?",
        "I also want to put data on {other_phone}, that's the line of my {relative}.",
        "Could you top up {other_phone}? It belongs to my {relative}.",
    ),
    "ask_data_left": (
        "How much data do I have left this month?",
        "What is left of my data for this month?",
        "How many gigabytes can I still use this month?",
        "I'd like to know how much of my data remains.",
    ),
    "ask_term": (
        "Until when does my minimum term run?",
        "When does the minimum term of my contract end?",
        "On which day is my minimum term over?",
        "How long am I still bound to this contract?",
    ),
    "ask_bill": (
        "What did my latest bill come to?",
        "How much is the newest bill for this line?",
        "What is the total of this month's bill?",
        "I'd like to know the amount of my March bill.",
    ),
    "ask_card": (
        "Which card of mine do you have on file? The last four digits will do.",
        "What are the last four digits of the card you charge?",
        "Which card is stored with you? Just tell me how its number ends.",
        "I have two cards. What are the last four digits of the one you have?",
    ),
}

_SHORT: Final = {
    "no_service": (
        "My phone has no service.",
        "I have no signal.",
        "There's no network on my phone.",
        "I've no reception at all.",
    ),
    "no_data": (
        "The mobile internet doesn't work.",
        "I can't get online.",
        "There's no data on my phone.",
        "My phone has no internet.",
    ),
    "slow": (
        "My internet is very slow.",
        "It's about my slow data.",
        "Pages hardly load.",
        "My connection crawls.",
    ),
    "abroad": (
        "My phone doesn't work in {country}.",
        "There's no internet for me in {country}.",
        "I can't get online in {country}.",
        "I need data here in {country}.",
    ),
    "settle": (
        "I want to pay what is overdue and have my line resumed.",
        "It's about the overdue amount, and the line back on.",
        "I'd pay the arrears and have the line again.",
        "I'm paying up, and then my line has to work again.",
    ),
    "pay_bill": (
        "I want to pay my latest bill.",
        "It's about settling this month's bill.",
        "I'd like to pay the newest bill now.",
        "I want the March bill paid.",
    ),
}
AGAIN: Final[Texts] = {
    **{intent: next(_SHORT[kind] for kind in _SHORT if intent.startswith(kind)) for intent in _SAME},
    "add_data": (
        "I want {pack} of extra data.", "Add {pack} of data, please.", "I asked for {pack} more data.",
        "It's about a data pack of {pack}.",
    ),
    "background": (
        "My apps don't update in the background.", "My messages should come in while apps are closed.",
        "It's about late notifications.", "My apps are silent until I open them.",
    ),
    "resume_unpaid": (
        "Just resume my line.", "Switch my suspended line on again.", "I want my line back on.",
        "Reactivate my line, the bill is paid.",
    ),
    "bill_higher": (
        "I asked how much more my last bill is, and why.", "I want to know why the bill went up and by how much.",
        "It's about the difference between my last two bills, and what it is for.",
        "What made the March bill higher, and by how much?",
    ),
    "ask_unpaid": (
        "I want to know what I owe in all on this line.", "I asked for the sum of my unpaid bills.",
        "It's about the total that I have not paid.", "How much is unpaid in all?",
    ),
    "change_plan": (
        "It's about a switch to {plan}.", "Change my plan to {plan}, please.", "I want the plan {plan}.",
        "I asked you to move my line to {plan}.",
    ),
    "allow_roaming": (
        "It's about roaming on my line for {country}.", "I asked you to allow roaming.",
        "My line should work in {country}.", "I need roaming for my trip to {country}.",
    ),
    "lost_phone": (
        "Suspend my line, please.", "Just block the line of my lost phone.", "I want my line suspended.",
        "I asked you to stop my line.",
    ),
    "port_number": (
        "I want to take my number to another company.", "Port my number, please.", "It's about porting.",
        "I want to move my number elsewhere.",
    ),
    "change_holder": (
        "I need another holder for the line.", "Put the contract in another name, please.",
        "It's about passing the line on.", "I asked for a change of holder.",
    ),
    "line_of_another": (
        "I want data for {other_phone}.", "Add data to my {relative}'s line, please.",
        "It's about a data pack for my {relative}.", "I mean the line {other_phone} of my {relative}.",
    ),
    "ask_data_left": (
        "I want to know how much data I have left.", "It's about my remaining data.", "What is left of my data?",
        "I asked about the data I still have.",
    ),
    "ask_term": (
        "I want to know when my minimum term ends.", "It's about the end of my minimum term.",
        "I asked until when I am bound.", "Just tell me the day my minimum term is over.",
    ),
    "ask_bill": (
        "I want the total of my latest bill.", "I asked what this month's bill is.",
        "It's about the amount of my newest bill.", "How much is the March bill?",
    ),
    "ask_card": (
        "I asked for the last four digits of my card.", "I want to know which card you have on file.",
        "How does the number of my card end?", "It's about the card that you charge.",
    ),
}  # fmt: skip

_PLEAD: Final = (
    "There must be something you can do.",
    "That can't be all. Please look again.",
    "I have been a customer for years, surely you can help me with this.",
    "Other companies do this without any fuss.",
)
PRETEXTS: Final[Texts] = {
    **dict.fromkeys(WANTS, _PLEAD),
    "resume_unpaid": (
        "But I paid it! The money must be on its way. Just switch the line on.",
        "My bank says that the money has left my account. Resume the line now and check it later.",
        "Your colleague promised yesterday that the line would be back today.",
        "I need the phone for work. Make an exception, I'll bring you the receipt.",
    ),
    "change_plan": (
        "Your shop in town said that this would be no problem.",
        "My neighbour has it, so why can't I?",
        "I have been with you for so long. Make an exception for me.",
        "If I can't have that, I might as well leave you.",
    ),
    "allow_roaming": (
        "But my colleague roams with you without any trouble.",
        "It's only for a few days. Can't you just switch it on?",
        "I really need to be reached there. Make an exception.",
        "I'd pay for it separately. Come on.",
    ),
    "add_data": (
        "But I'd pay for it! Why should there be a limit?",
        "I really need that much. Make an exception this once.",
        "Last month nobody complained when I bought more.",
        "Just put it through, nobody will notice.",
    ),
    "line_of_another": (
        "I pay for that line anyway, so just do it.",
        "We are family! They know that I'm calling.",
        "I can tell you the birthday and the address too.",
        "They're at work and can't call. I'm allowed to decide that.",
    ),
}
