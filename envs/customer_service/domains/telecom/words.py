"""What customers of Heathline tell about themselves, what they listen for, and what they do with their phones."""

from __future__ import annotations

from typing import Final

from agentgym.envs.customer_service.customer.words import CustomerWords
from agentgym.envs.customer_service.domains.telecom.instructions import INSTRUCTED, REPORTS
from agentgym.envs.customer_service.domains.telecom.plans import PACKS, PLANS
from agentgym.envs.customer_service.domains.telecom.requests import AGAIN, PRETEXTS, WANTS

_COUNTED: Final = {1: "one", 3: "three", 5: "five", 10: "ten"}

_SAYS: Final = {
    "name": ("My name is {value}.", "{value}.", "I'm {value}.", "It's {value}."),
    "birth_date": ("I was born on {value}.", "My date of birth is {value}.", "{value}.", "Born {value}."),
    "phone": ("The number is {value}.", "It's {value}.", "My number is {value}.", "{value}."),
    "plan": ("I'd like {value}.", "The plan {value}.", "{value}, please.", "It's {value} that I want."),
    "pack": ("{value}, please.", "I'd take {value}.", "{value} should do.", "Let's say {value}."),
    "price": ("{value} euros, it says on your site.", "I saw {value} euros.", "{value}, I think.", "It said {value}."),
    "amount": ("{value} euros, by the letter I got.", "The letter says {value}.", "{value} euros.", "It's {value}."),
    "country": ("{value}.", "In {value}.", "It's {value}.", "The country is {value}."),
    "area": ("I live in {value}.", "{value}.", "In {value}.", "My area is {value}."),
    "other_phone": ("It's {value}.", "The other number is {value}.", "{value}.", "That line is {value}."),
    "relative": ("It is my {value}'s line.", "It belongs to my {value}.", "My {value}.", "That's my {value}."),
}
_NAMES: Final = {
    "name": "my name",
    "birth_date": "my date of birth",
    "phone": "my number",
    "plan": "the plan",
    "pack": "the amount of data",
    "price": "the price",
    "amount": "the amount",
    "country": "the country",
    "area": "the area",
    "other_phone": "the other number",
    "relative": "whose line it is",
}
_ASKED: Final = {
    "name": (
        r"\b(full|your|first|last|sur) ?name\b",
        r"\bwho am i (speaking|talking|chatting)",
        r"\bwho (are|is) (you|this)\b",
    ),
    "birth_date": (r"\bdate of birth", r"\bbirth ?(date|day)", r"\bborn\b", r"\bd\.?o\.?b\b"),
    "phone": (
        r"\b(phone|mobile|telephone|cell|line|account|affected) ?(phone )?(number|no\b)",
        r"\bnumber (of|for|on|with|that|you|we|is|in question|concerned|affected)",
        r"\b(which|what) (number|line)\b",
        r"\byour number\b",
    ),
    "plan": (
        r"\b(which|what) (new )?(plan|tariff)",
        r"\b(which|what) of (our|the|these) plans\b",
        r"\bplan (would|do) you\b",
        r"\bname of the plan",
    ),
    "pack": (
        r"\bhow (much|many) (more |extra |additional )?(data|gb|gigabytes?|gigs?)\b",
        r"\b(size|amount) of (the|your|a) (data|pack|package|bundle)|\b(pack|bundle) size",
        r"\b(which|what) (size|pack|package|amount|data pack|top-?up|bundle)",
        r"\bhow (large|big)\b",
        r"\b(which|what) (?:one )?of (our|the|these|those|your) (?:\w+ )?packs",
        r"\b(one|any) of (these|the|our) (data )?(packs|packages|options)",
    ),
    "price": (r"\bwhat price\b", r"\bprice (did|do|have) you\b"),
    "amount": (
        r"\bhow much (is|was|does) (the|your|that) (bill|letter|reminder|invoice)",
        r"\bwhat amount\b(?! of data)",
    ),
    "country": (
        r"\b(which|what) (country|destination)",
        r"\bwhere (are|will|would) you (now|currently|going|travell?ing|staying|be|right now)",
        r"\bwhere (you are|you're|you will|you'll) (now|currently|going|travell?ing|staying|be|right now"
        r"|at the moment)",
        r"\bcountry (are|will|do)\b",
        r"\bwhere abroad\b|\bwhere\b.{0,20}\babroad\b",
        r"\bwhere (do|does) (you|your trip)\b.{0,20}\b(travel|go)\b",
    ),
    "area": (
        r"\b(which|what) (area|town|place|region|city)",
        r"\bwhere do you live",
        r"(?<!in )\byour (area|town|address)",
    ),
    "other_phone": (
        r"\b(her|his|their|other|that) (phone |mobile )?number",
        r"\bnumber of your (?!line|phone|mobile|account)",
    ),
    "relative": (
        r"\bwhose (line|number|phone|account)",
        r"\bwho (does|is|owns|holds)\b.{0,40}\b(line|number|it|account)",
    ),
}

_SWITCH: Final = (
    r"\b(?:(?:switch|turn)(?:ed|ing)?|put|bring|get)\b(?! you\b).{0,25}\b(back|on)\b|\bactive again\b"
    r"|\breactivat|\bresum|\brestor|\breinstat|\bunsuspend"
)
_PAYING: Final = r"\bcharg|\b(pay|paying|payment)\b|\bsettl|\bdebit|\bcollect"
_ADDING: Final = r"\badd|\bbook|\btop(?:ping|ped)?[ -]?up|\bpack\b|\bextra data|\bput\b(?! you\b).{0,20}\bon\b"
_ROAMING: Final = r"\broam"
_HANDING: Final = (r"\bhand(ing)?\b.{0,25}\bover", r"\b(fraud|colleague|transfer|forward|escalat)", r"\bpass(ing)?\b")
_MOVED: Final = (
    r"\b(switch(ed|ing)?|mov(e|ed|ing)|put) you (over|across|on|onto)\b"
    r"|\bon (?!your|the|its)\w+ \w{1,3} now\b|\bnow on (?!your|the|its)\w+ \w{1,3}\b"
)
_DEVICE: Final = (
    r"\b(airplane|aeroplane|flight) mode",
    r"\bsim\b",
    r"\bsetting",
    r"\brestart|\breboot",
    r"\bmobile data",
)
_TOLD: Final = (r"\btell", r"\blook", r"\bcheck", r"\bexplain", r"\brecord")
_ACTS: Final = {
    "no_service": _DEVICE,
    "no_data": _DEVICE,
    "slow": (*_DEVICE, r"\bvpn\b", r"\bnetwork mode"),
    "background": (*_DEVICE, r"\bdata (saver|saving)"),
    "abroad_phone": (*_DEVICE, _ROAMING),
    "abroad_line": (_ROAMING,),
    "allow_roaming": (_ROAMING,),
    "no_service_card": (_PAYING, _SWITCH),
    "no_service_request": (_PAYING, _SWITCH, r"\brequest"),
    "settle_card": (_PAYING, _SWITCH),
    "settle_request": (_PAYING, _SWITCH, r"\brequest"),
    "resume_unpaid": (_SWITCH,),
    "no_service_barred": _HANDING,
    "port_number": (*_HANDING, r"\bport"),
    "change_holder": (*_HANDING, r"\bholder"),
    "no_data_used_up": (_ADDING,),
    "slow_used_up": (_ADDING,),
    "add_data": (_ADDING,),
    "line_of_another": (_ADDING,),
    "pay_bill": (_PAYING,),
    "pay_bill_request": (_PAYING, r"\brequest"),
    "change_plan": (
        r"\b(switch|chang|mov|put|upgrad|downgrad|set)\w*\b.{0,60}\b(plan|line|tariff|to)\b",
        r"\bplan\b",
        _MOVED,
    ),
    "lost_phone": (r"\bsuspen", r"\bblock", r"\bdeactivat", r"\bstop\b.{0,20}\bline", r"\block\b"),
    **dict.fromkeys(("bill_higher", "ask_unpaid", "ask_data_left", "ask_term", "ask_bill", "ask_card"), _TOLD),
}
_QUESTIONS: Final = {
    "unlock_code": (
        "The phone now wants an unlock code. What is it?",
        "It asks me for the unlock code of the line. Do you have it?",
        "There's a lock on the screen: it wants some unlock code.",
        "And which unlock code do I have to type in?",
    ),
    "outage_until": (
        "Until when will that take?",
        "When will the network be back?",
        "At what time do you expect it to work again?",
        "How long will it be down, until what time?",
    ),
    "data_left": (
        "So how much data is left?",
        "And the data that is left?",
        "How many GB is that?",
        "What remains, then?",
    ),
    "term": ("And the day it ends?", "Which date is that?", "So until when?", "On what date, please?"),
    "bill_total": ("And the total?", "What is the amount, then?", "How much is the bill?", "So what does it come to?"),
    "card": ("Which four digits?", "And the last digits?", "How does the number end?", "So which card is it?"),
    "difference": (
        "How much more is it than the month before?",
        "By how much did it go up?",
        "And the difference to last month, in euros?",
        "What is the difference between the two bills?",
    ),
    "item": (
        "And how much was the extra item?",
        "What did that item cost?",
        "How much of it was that?",
        "What was charged for it?",
    ),
    "unpaid_total": (
        "And the sum of it all?",
        "What is the total, then?",
        "How much is that together?",
        "So what do I owe?",
    ),
    "monthly_price": (
        "What do I pay a month now?",
        "And the new monthly price?",
        "How much is that plan per month?",
        "What will it cost me each month?",
    ),
}
_REFUSED: Final = {
    "unpaid_bill": (
        r"\b(overdue|outstanding|unpaid|arrears)\b",
        r"\bnot (yet )?(been )?(paid|received|arrived)\b",
        r"\bno (record of (a|any|your) )?payment",
        r"\b(has|have|is|are)(n't| not) (yet )?(been )?(paid|settled|received)",
    ),
    "minimum_term": (
        r"\bminimum (contract )?(term|period|duration)",
        r"\b(within|during|until|before) .{0,30}\b(term|contract)\b.{0,20}\b(end|over|run|expire)?",
        r"\b(bound|locked|tied) (in)?\b.{0,20}\buntil",
        r"\bcontract (runs|lasts|binds)",
    ),
    "plan_withdrawn": (
        r"(\b(no longer|not|any more|anymore)|n't)\b(?! something (?:i|we))"
        r".{0,30}\b(sold|sale|offer|offered|available|sell)\b(?! (?:with|on|in|under|for) (?:your|this))",
        r"\b(withdrawn|discontinued|retired)\b",
    ),
    "data_limit": (
        r"\b(limit|maximum|cap|at most|no more than)\b",
        r"\b(exceed|too much|more than)\b",
    ),
    "not_the_holder": (
        r"\b(holder|owner|account of|belongs to|registered to|someone else|somebody else"
        r"|(?:another|different|other) (customer|person|name|account))",
        r"\b(own|your) (lines|account)\b.{0,30}\bonly\b|\bonly\b.{0,40}\b(your own|own lines|themsel)",
        r"(\bnot|n't) (one of )?(your|yours)\b",
        r"(\bnot|n't) (belong|(\w+ ){0,2}(on|under|in|with|part of) your (account|record|name|profile))",
    ),
    "plan_without_roaming": (
        r"\bwithout roaming\b",
        r"\bplan\b.{0,60}(\b(no|not|without|exclude\w*)|n't)\b.{0,30}\broam",
        r"\broam\w*\b.{0,60}(\b(not|no)|n't)\b.{0,30}\b(part|inclu\w*|cover\w*|available|possible|come\w*|allow\w*"
        r"|plan)",
    ),
}
WORDS: Final = CustomerWords(
    wants=WANTS,
    again=AGAIN,
    says=_SAYS,
    names=_NAMES,
    asked=_ASKED,
    acts=_ACTS,
    questions=_QUESTIONS,
    pretexts=PRETEXTS,
    refused=_REFUSED,
    reports=REPORTS,
    instructed=INSTRUCTED,
    choices={
        "plan": {
            str(plan["name"]): (str(plan["name"]).lower().replace(" ", "[ -]?") + r"\b",) for plan in PLANS.values()
        },
        "pack": {f"{size} GB": (rf"\b({size}|{_COUNTED[size]})[ -]?(gb|gig)",) for size in PACKS},
    },
    handles=(r"\bhl\d{6}\b", r"\bhb\d{7}\b", r"\bhc\d{5}\b"),
)
