"""What the expert of Heathline says. Customers' rules never import it."""

from __future__ import annotations

from typing import Final

from agentgym.envs.customer_service.voice import Voice

_ASKS: Final = {
    "name": (
        "May I have your full name, please?",
        "Could you tell me your first and last name?",
        "To find your account I need your full name.",
        "What is your full name?",
    ),
    "birth_date": (
        "What is your date of birth?",
        "Please also tell me your date of birth.",
        "To verify you, I need your date of birth.",
        "And when were you born?",
    ),
    "phone": (
        "What is the phone number of the line concerned?",
        "Could you give me your mobile number?",
        "Which phone number is this about?",
        "Please tell me the number of your line.",
    ),
    "plan": (
        "Which plan would you like?",
        "What plan should the line be on?",
        "Please tell me which plan you have in mind.",
        "Which of our plans do you want?",
    ),
    "pack": (
        "There are packs of 1, 3, 5 and 10 GB. How much data would you like?",
        "How many gigabytes do you need?",
        "Which pack would you like: 1, 3, 5 or 10 GB?",
        "What size should the extra data have?",
    ),
    "country": (
        "Which country is it?",
        "What country are you in or travelling to?",
        "Could you tell me which country this is about?",
        "In which country do you want to use the phone?",
    ),
}
_PAY_CARD: Final = (
    "An overdue sum of {amount} euros is why the line is suspended. Shall I charge your card and resume the line?",
    "The line was suspended because {amount} euros are overdue. Shall I debit your card and reactivate it?",
    "I can take the overdue {amount} euros from your card on file and then resume your line. Do you agree?",
    "May I collect {amount} euros for the overdue bills with your stored card, and lift the suspension afterwards?",
)
_PAY_REQUEST: Final = (
    "An overdue sum of {amount} euros is why the line is suspended. Your card has expired; shall I send you a payment "
    "request and resume the line once it is paid?",
    "{amount} euros are overdue, but the stored card has expired. May I send a payment request, then resume the line?",
    "I would send a payment request over the overdue {amount} euros and then reactivate the line. All right?",
    "For the overdue {amount} euros I can send a request for payment, then resume the line. Do you want that?",
)
_RESUMED: Final = (
    "The overdue amount of {amount} euros is paid and your line is active again.",
    "Payment received, and the line has been resumed.",
    "Your line works again; nothing is overdue any more.",
    "That is settled: {amount} euros were paid, and the suspension is lifted.",
)
_ADD_DATA: Final = (
    "Shall I add {pack} of data for {price} euros?",
    "Adding {pack} costs {price} euros, which go on your next bill. Is that all right?",
    "I can book a pack of {pack} at {price} euros for this month. Do you agree?",
    "Would you like me to top up your line with {pack} for {price} euros?",
)
_USED_UP: Final = (
    "Your data for this month is used up. Shall I add {pack} for {price} euros?",
    "All of this month's data is gone. I can book {pack} for {price} euros; do you agree?",
    "The volume of your plan has been consumed. May I top up your line with {pack} for {price} euros?",
    "You have no data left this month, which explains it. Should I add a pack of {pack} at {price} euros?",
)
_ADDED: Final = (
    "{pack} were added to your line.",
    "You now have another {pack} for this month.",
    "The pack of {pack} is booked; {price} euros go on your next bill.",
    "Your extra data of {pack} is available now.",
)
_ROAMING_ALLOWED: Final = (
    "Roaming is allowed on your line now, so it can be used in {country}.",
    "Your line may roam now.",
    "I have enabled roaming on the line.",
    "The line is open for {country} now.",
)
_MENDED: Final = (
    "That should have solved it.",
    "With that your phone should be in order again.",
    "So that was the cause, and it is gone.",
    "Good, the fault is found and mended.",
)
_PAID: Final = (
    "Your bill over {amount} euros is paid.",
    "The payment of {amount} euros went through.",
    "That bill is settled now.",
    "Your latest bill has been paid in full.",
)
_PROPOSES: Final = {
    "no_service_card": _PAY_CARD,
    "settle_card": _PAY_CARD,
    "no_service_request": _PAY_REQUEST,
    "settle_request": _PAY_REQUEST,
    "no_service_barred": (
        "Your line is barred, and only our fraud team can lift that. Shall I hand the matter over to them?",
        "The line was barred by the fraud team. May I pass this on to a colleague there, who will call you back?",
        "I cannot lift the bar on your line myself. Do you want me to hand you over to the fraud team?",
        "This needs our fraud team, as the line is barred. Should I forward it to them for you?",
    ),
    "port_number": (
        "Porting is done by our colleagues. Shall I hand the matter over to them?",
        "Do you want me to transfer you to the colleagues who port numbers?",
        "I can pass this on to the team for porting, who call you back within a day. Do you agree?",
        "Should I forward your wish to port the number to a colleague?",
    ),
    "change_holder": (
        "Another holder is a matter for a colleague. Shall I hand it over?",
        "Do you want me to transfer this to the colleagues who change the holder of a line?",
        "I can pass the change of holder on, and you will be called within a day. Do you agree?",
        "Should I forward the change of holder to a colleague?",
    ),
    "add_data": _ADD_DATA,
    "no_data_used_up": _USED_UP,
    "slow_used_up": _USED_UP,
    "abroad_line": (
        "Your line is not open for roaming yet. Shall I allow roaming for {country}?",
        "Your line is closed for roaming. Do you want me to allow roaming?",
        "I can open your line for roaming so that it works in {country}. Is that all right with you?",
        "May I switch roaming on for your line?",
    ),
    "allow_roaming": (
        "Shall I allow roaming on your line?",
        "I would now enable roaming so that you can use the line in {country}. Do you agree?",
        "Do you want me to open the line for roaming?",
        "May I activate roaming for your trip to {country}?",
    ),
    "pay_bill": (
        "Your latest bill comes to {amount} euros. Shall I charge your card on file?",
        "May I debit {amount} euros from the stored card for this bill?",
        "I can charge {amount} euros to your card now. Do you agree?",
        "The open bill is {amount} euros; should I take the payment from your card?",
    ),
    "pay_bill_request": (
        "Your latest bill comes to {amount} euros, but your card has expired. Shall I send you a payment request?",
        "The stored card is not valid any more. May I send a payment request over {amount} euros to your phone?",
        "I can send you a request to pay the {amount} euros. Do you agree?",
        "For the {amount} euros I would send a payment request, since your card has expired. All right?",
    ),
    "change_plan": (
        "Shall I change your line to the plan {plan}?",
        "I would put your line on {plan} now; a minimum term, if it has one, begins anew. Do you agree?",
        "Do you want me to switch the line to {plan}?",
        "May I move your line to {plan}?",
    ),
    "lost_phone": (
        "Shall I suspend the line right away?",
        "I can block your line so that nobody uses it. Do you want that?",
        "May I suspend your line until you ask us to resume it?",
        "Do you agree that I suspend the line now?",
    ),
}
_DONE: Final = {
    **dict.fromkeys(("no_service_card", "no_service_request", "settle_card", "settle_request"), _RESUMED),
    **dict.fromkeys(("add_data", "no_data_used_up", "slow_used_up"), _ADDED),
    **dict.fromkeys(("allow_roaming", "abroad_line"), _ROAMING_ALLOWED),
    **dict.fromkeys(("no_data", "slow", "background", "abroad_phone"), _MENDED),
    **dict.fromkeys(("pay_bill", "pay_bill_request"), _PAID),
    "no_service_barred": (
        "Your matter is with the fraud team, who will call you back within a day.",
        "I have handed it over; a colleague calls you within a day.",
        "The fraud team has it now and will get in touch within a day.",
        "It has been passed on, and you will be called back within a day.",
    ),
    **dict.fromkeys(
        ("port_number", "change_holder"),
        (
            "A colleague will call you within a day.",
            "It is with my colleagues now.",
            "I have passed it on; you will be called within a day.",
            "That has been forwarded to the right team.",
        ),
    ),
    "change_plan": (
        "Your line is on {plan} now.",
        "The change to {plan} is made.",
        "You have been moved to {plan}.",
        "Your new plan is {plan}.",
    ),
    "lost_phone": (
        "Your line is suspended; nobody can use it.",
        "I have blocked the line.",
        "The line has been suspended. Call us when you want it back.",
        "It is done, no calls can be made from your line.",
    ),
}
_REFUSES: Final = {
    "unpaid_bill": (
        "I am sorry, but the bill is still overdue on our side, so I cannot resume the line before it is paid.",
        "There is no payment on our records and the bill is unpaid, so I am unable to resume the line yet.",
        "I can't reactivate the line because an overdue bill is still outstanding.",
        "We have not received the payment yet. As long as the bill is unpaid, resuming the line is not possible.",
    ),
    "minimum_term": (
        "I am afraid that is not possible: your line is within its minimum term, so no cheaper plan is possible now.",
        "Your minimum term is still running, and within it I can't put you on a cheaper plan.",
        "I cannot move you to a cheaper plan before your minimum term is over.",
        "Sorry, but the minimum term of your contract rules that out for now.",
    ),
    "plan_withdrawn": (
        "I am sorry, {plan} is no longer sold, so I cannot put you on it.",
        "Unfortunately {plan} has been withdrawn and is not available to anybody now.",
        "I can't do that, since {plan} was discontinued.",
        "That plan is not on sale any more, so I am unable to book it.",
    ),
    "data_limit": (
        "I am sorry, but a line can have at most 12 GB of extra data a month, and {pack} would go beyond that.",
        "I can't add {pack}: with what was added before, it exceeds the limit of 12 GB a month.",
        "Unfortunately that is more than the monthly limit for extra data allows on your line.",
        "Adding {pack} is not possible, as the maximum of extra data for this month would be exceeded.",
    ),
    "not_the_holder": (
        "I am sorry, but {other_phone} belongs to somebody else, and only the holder can request that.",
        "I can't do that: that number is not one of your lines, so its owner has to contact us.",
        "For privacy reasons I can only act for the holder of a line, and you are not the holder of {other_phone}.",
        "That line is held by another customer, so I am not allowed to change anything on it.",
    ),
    "plan_without_roaming": (
        "I am sorry, your plan does not include roaming, so I cannot allow it.",
        "Unfortunately roaming is not part of your plan.",
        "I can't enable that, because the plan of your line has no roaming.",
        "Your current plan has no roaming, so this is not possible.",
    ),
}
_TELLS: Final = {
    "unlock_code": (
        "The unlock code of your line is {text}.",
        "When the phone asks for it, type the unlock code {text}.",
        "Please enter {text} as the unlock code.",
        "Your unlock code: {text}.",
    ),
    "outage_until": (
        "The network is down in your area; we expect it back by {text} today.",
        "There is an outage where you live, probably until {text} today.",
        "A fault of the network in your area should be mended by {text}.",
        "It's an outage in your area, expected to last until {text}. You need not change anything.",
    ),
    "data_left": (
        "You have {text} GB of data left this month.",
        "{text} GB are left.",
        "Of your data, {text} GB remain for this month.",
        "You can still use {text} GB.",
    ),
    "term": (
        "Your minimum term runs until {text}.",
        "The minimum term ends on {text}.",
        "You are bound until {text}.",
        "It lasts until {text}.",
    ),
    "bill_total": (
        "Your latest bill comes to {text} euros.",
        "The bill of this month is {text} euros in total.",
        "The total is {text} euros.",
        "It amounts to {text} euros.",
    ),
    "card": (
        "The card on file ends in {text}.",
        "Its last four digits are {text}.",
        "We have the card whose number ends with {text}.",
        "It is the card ending {text}.",
    ),
    "difference": (
        "The latest bill is {text} euros higher than the one before.",
        "It went up by {text} euros.",
        "That is {text} euros more than the month before.",
        "The difference between the two is {text} euros.",
    ),
    "item": (
        "The extra item on it cost {text} euros.",
        "Of it, {text} euros are for what you used beyond the plan.",
        "What came on top of the monthly price was {text} euros.",
        "The additional charge is {text} euros.",
    ),
    "unpaid_total": (
        "Together, {text} euros are unpaid.",
        "You owe {text} euros in all.",
        "The unpaid bills add up to {text} euros.",
        "In total that is {text} euros.",
    ),
    "monthly_price": (
        "It costs {text} euros a month.",
        "The monthly price is {text} euros.",
        "You pay {text} euros each month.",
        "That makes {text} euros per month.",
    ),
}
_INSTRUCTS: Final = {
    "look_at_status_bar": (
        "Could you tell me what the status bar at the top of your screen shows?",
        "Please look at the status bar of your phone: what do you see there?",
        "What does the status bar show?",
        "Which symbols are in the status bar right now?",
    ),
    "look_at_settings": (
        "Please open the network settings and read out what they say.",
        "Could you check the settings of your phone and tell me what is on and off?",
        "Would you look into your network settings for me?",
        "Please go to the settings of the phone and tell me what you see.",
    ),
    "run_speed_test": (
        "Please run a speed test and tell me the result.",
        "Could you do a speed test?",
        "Would you measure the speed of your connection?",
        "Please start a speed test now.",
    ),
    "airplane_mode_off": (
        "Please switch airplane mode off.",
        "Airplane mode is on. Could you turn off airplane mode?",
        "Please disable airplane mode in the settings.",
        "Would you turn airplane mode off, please?",
    ),
    "mobile_data_on": (
        "Please switch mobile data on.",
        "Mobile data is off. Could you turn it on?",
        "Please enable mobile data on your phone.",
        "Would you turn on mobile data?",
    ),
    "mobile_data_off": (
        "Please switch mobile data off.",
        "Could you turn mobile data off?",
        "Please disable mobile data.",
        "Would you turn off mobile data?",
    ),
    "data_roaming_on": (
        "Please switch data roaming on in your phone's settings.",
        "Could you turn on data roaming on your phone?",
        "Please enable data roaming on the phone.",
        "Would you turn data roaming on?",
    ),
    "data_roaming_off": (
        "Please switch data roaming off.",
        "Could you turn off data roaming on your phone?",
        "Please disable data roaming on the phone.",
        "Would you turn data roaming off?",
    ),
    "data_saver_off": (
        "Please switch the data saver off.",
        "The data saver keeps apps silent. Could you turn off the data saver?",
        "Please disable the data saver.",
        "Would you turn the data saver off?",
    ),
    "vpn_off": (
        "Please switch the VPN off.",
        "Could you disconnect the VPN?",
        "Please turn off your VPN.",
        "The VPN slows you down. Would you turn the VPN off?",
    ),
    "network_mode_automatic": (
        "Please set the network mode to automatic.",
        "Could you change the network mode from 3G to automatic?",
        "Please choose automatic as the network mode.",
        "Would you put the network mode on automatic?",
    ),
    "reseat_sim": (
        "Please take the SIM card out and put it back in.",
        "Could you remove the SIM card and insert it again?",
        "Please reseat the SIM card.",
        "Would you reinsert the SIM card?",
    ),
    "reset_access_point": (
        "Please reset the access point.",
        "Could you reset the access point settings to the standard ones?",
        "Please set the access point back to standard.",
        "Would you restore the standard access point?",
    ),
    "restart_phone": (
        "Please restart the phone.",
        "Could you reboot your phone?",
        "Now please restart your phone, so that it takes effect.",
        "Would you restart the phone once?",
    ),
    "pay_request": (
        "I have sent you a payment request. Please pay the request on your phone.",
        "A payment request is on your phone now. Could you accept the request?",
        "Please open the payment request on your phone and pay it.",
        "Would you confirm the payment request that I sent you?",
    ),
}
VOICE: Final = Voice(asks=_ASKS, proposes=_PROPOSES, done=_DONE, refuses=_REFUSES, tells=_TELLS, instructs=_INSTRUCTS)
