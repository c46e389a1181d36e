"""Another agent's words for Heathline, of the kind that language models choose; the expert's are in the domain."""

from agentgym.envs.customer_service.voice import Voice

ASKS = {
    "name": (
        "No problem! Could you please provide your full name instead?",
        "To locate your account, I'll need your first and last name.",
    ),
    "birth_date": (
        "For security purposes, could you also confirm your date of birth?",
        "I'll need your date of birth (YYYY-MM-DD) to verify your identity.",
        "And may I have your birth date as well, please?",
    ),
    "phone": (
        "I'd be happy to help! To get started, could you please provide the phone number on your account?",
        "I'm sorry to hear that. May I have your phone number so I can pull up your account?",
        "Sure, let me look into this. What's the phone number associated with the line?",
    ),
    "plan": (
        "Which plan are you interested in?",
        "Could you tell me which plan you'd like to switch to?",
    ),
    "pack": (
        "We offer data packs of 1 GB (3.00), 3 GB (7.00), 5 GB (10.00) and 10 GB (16.00). Which pack would you like?",
        "How much data would you like to add?",
        "How many GB would you like to purchase?",
    ),
    "country": (
        "Which country are you travelling to?",
        "Could you let me know which country you're currently in?",
    ),
}
PAY_CARD = (
    "I found the cause: your line is suspended because {amount} euros are overdue.\n\nI can charge {amount} euros to "
    "your card on file and then reactivate your line. Would you like me to proceed? (yes/no)",
    "Here's what I can do:\n1. Charge {amount} euros to the card on file\n2. Resume your line\n\nDo you confirm?",
    "To restore service, the overdue {amount} euros need to be paid first. Shall I process the payment with your card, "
    "then resume the line?",
)
PAY_REQUEST = (
    "The overdue amount is {amount} euros, but the card on file has expired. I can send a payment request to your "
    "phone and resume your line once it's paid. Would you like me to do that?",
    "Would you like me to send you a payment request over {amount} euros? After it is paid I'll reactivate the line.",
)
PACK = (
    "I can add {pack} of data to your line for {price} euros, which will appear on your next bill. Would you "
    "like to proceed?",
    "To confirm:\n- Data pack: {pack}\n- Price: {price} euros (on your next bill)\n\nShall I go ahead and add it?",
    "Adding {pack} will cost {price} euros. Do you want me to add it now?",
)
ROAMING = (
    "I see that roaming is currently disabled for your line. Would you like me to enable roaming?",
    "Your plan includes roaming in {country}. Shall I go ahead and enable roaming on your line?",
    "I can activate roaming on your line right now. Do you want me to proceed?",
)
HANDING = (
    "This needs to be handled by a specialist. Would you like me to transfer you to the responsible team?",
    "I'm going to hand this over to a colleague, who will call you back within a day. Is that okay?",
)
PROPOSES = {
    **dict.fromkeys(("no_service_card", "settle_card"), PAY_CARD),
    **dict.fromkeys(("no_service_request", "settle_request"), PAY_REQUEST),
    **dict.fromkeys(("add_data", "no_data_used_up", "slow_used_up"), PACK),
    **dict.fromkeys(("abroad_line", "allow_roaming"), ROAMING),
    **dict.fromkeys(("no_service_barred", "port_number", "change_holder"), HANDING),
    "pay_bill": (
        "Your latest bill is {amount} euros. Would you like me to charge it to your card on file?",
        "I can process the payment of {amount} euros with the card on file. Please confirm (yes) to proceed.",
    ),
    "pay_bill_request": (
        "The card on file has expired, so I can send a payment request for {amount} euros to your phone instead. Do "
        "you confirm?",
        "Would you like me to send you a payment request for {amount} euros?",
    ),
    "change_plan": (
        "I'd be happy to switch you to {plan}. A new minimum term may apply. Would you like me to proceed?",
        "To confirm, you'd like to change your plan to {plan}. Is that correct?",
        "I can switch your line to {plan}, effective immediately. Do you want me to go ahead?",
    ),
    "lost_phone": (
        "I'm so sorry to hear that. I can suspend your line immediately to prevent any misuse. Shall I go ahead?",
        "Would you like me to suspend the line now? You can have it resumed at any time.",
    ),
}
DONE = {
    **dict.fromkeys(
        ("no_service_card", "no_service_request", "settle_card", "settle_request"),
        ("Great news! The payment went through and your line has been reactivated.",),
    ),
    **dict.fromkeys(
        ("add_data", "no_data_used_up", "slow_used_up"),
        ("I've successfully added {pack} to your line.", "Done! The {pack} data pack has been added."),
    ),
    **dict.fromkeys(("abroad_line", "allow_roaming"), ("Roaming has been enabled on your line.",)),
    **dict.fromkeys(
        ("no_service_barred", "port_number", "change_holder"),
        ("Your request has been forwarded, and a colleague will call you back within a day.",),
    ),
    **dict.fromkeys(("pay_bill", "pay_bill_request"), ("Your bill has been paid. Thank you!",)),
    "change_plan": ("Your plan has been successfully changed to {plan}.",),
    "lost_phone": ("Your line has been suspended.",),
}
REFUSES = {
    "unpaid_bill": (
        "I understand your frustration. However, our records show that the bill is still overdue, so I'm unable to "
        "reactivate your line until it is paid.",
        "I'm sorry, but I don't see any payment for this bill. I can't resume the line while it remains unpaid.",
    ),
    "minimum_term": (
        "I'm sorry, but your line is still within its minimum term, so I can't switch it to a cheaper plan.",
        "Unfortunately, a downgrade isn't possible before the end of your minimum contract term.",
    ),
    "plan_withdrawn": (
        "I'm sorry, but {plan} is no longer available.",
        "Unfortunately, {plan} has been discontinued, so I'm not able to switch you to it.",
    ),
    "data_limit": (
        "I'm sorry, but I can't add {pack} because it would exceed the monthly limit of 12 GB.",
        "Unfortunately, there's a maximum of 12 GB of extra data per month, so this isn't possible.",
    ),
    "not_the_holder": (
        "I'm sorry, but I can't make changes to that line because it belongs to another customer.",
        "For privacy reasons, I'm unable to do that: you're not the account holder of {other_phone}.",
    ),
    "plan_without_roaming": (
        "Unfortunately, your current plan does not include roaming, so I'm unable to enable it.",
        "I'm sorry, but roaming isn't available on your plan.",
    ),
}
TELLS = {
    "unlock_code": ("If your phone asks for an unlock code, please enter **{text}**.",),
    "outage_until": (
        "There's currently a network outage in your area. Service is expected to be restored by {text} today.",
    ),
    "data_left": ("You have **{text} GB** remaining this month.",),
    "term": ("Your minimum term ends on **{text}**.",),
    "bill_total": ("Your latest bill totals **{text} euros**.",),
    "card": ("The card on file ends in {text}.",),
    "difference": ("Your latest bill is {text} euros higher than the previous one.",),
    "item": ("The additional charge on it amounts to {text} euros.",),
    "unpaid_total": ("In total, you have {text} euros outstanding.",),
    "monthly_price": ("The monthly price is {text} euros.",),
}
INSTRUCTS = {
    "look_at_status_bar": ("Could you tell me which icons you see at the top of your screen?",),
    "look_at_settings": ("Please open Settings > Network and read the settings to me.",),
    "run_speed_test": ("Could you run a speed test and let me know the result?",),
    "airplane_mode_off": (
        "It looks like airplane mode is on. Please turn it off and let me know if your signal comes back.",
        "Please go to Settings and toggle Airplane Mode off.",
    ),
    "mobile_data_on": (
        "Could you please make sure that mobile data is turned on?",
        "Your mobile data appears to be off. Please enable it.",
    ),
    "mobile_data_off": ("Please turn off mobile data.",),
    "data_roaming_on": (
        "Next, please turn on data roaming in your phone's settings.",
        "Now I'd like you to enable data roaming on your phone.",
    ),
    "data_roaming_off": ("Please turn off data roaming on your phone.",),
    "data_saver_off": (
        "Data Saver mode seems to be on, which restricts background data. Could you turn it off?",
        "Please disable Data Saver.",
    ),
    "vpn_off": ("Could you please disconnect from the VPN?", "Please turn off the VPN and try again."),
    "network_mode_automatic": (
        "Please change your preferred network mode to automatic.",
        "Your phone is limited to 3G. Could you set the network mode to Auto?",
    ),
    "reseat_sim": (
        "Please remove the SIM card and reinsert it.",
        "Could you try reseating your SIM card? Just take it out and put it back in.",
    ),
    "reset_access_point": ("Please reset your APN settings to default.",),
    "restart_phone": ("Please restart your phone for the changes to take effect.",),
    "pay_request": (
        "I've sent a payment request to your phone. Please approve the request.",
        "You should see a payment request on your phone now. Could you please accept it?",
    ),
}
OTHER = Voice(asks=ASKS, proposes=PROPOSES, done=DONE, refuses=REFUSES, tells=TELLS, instructs=INSTRUCTS)
