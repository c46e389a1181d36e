"""What the shop's customers listen for: patterns, searched in lower-cased text."""

from __future__ import annotations

import re
from typing import Final

from agentgym.envs.customer_service.customer.words import Texts
from agentgym.envs.customer_service.domains.retail import catalogue

_HOME: Final = (
    r"(?:^|\n)(?![^\n]*(?:\bstreet\b|\b(?:new|full|different|correct|shipping|delivery) (?:\w+ )?address))[^\n]*"
)
"""The beginning of a line in which a postcode is that of a customer's home and no part of a new address."""

ASKED: Final[Texts] = {
    "name": (
        r"(?<!whose )\b(?:full |first |last |sur|your |whole )?names?\b(?! of (?:the|your) (?:item|product|shop))",
    ),
    "email": (
        r"\be-?mail(?:s|ed)? (?:address|id|account)",
        r"(?<!confirmation )(?<!\bby )(?<!\bvia )(?<!\ban )\be-?mail"
        r"(?! (?:you (?:got|received|were|will|should)|we sent|confirm))",
    ),
    "postcode": (_HOME + r"post(?:al)?[ -]?code", _HOME + r"\bzip\b"),
    "customer_number": (r"(?:customer|account|user|client)(?:'s)? (?:number|id\b|no\b|reference)",),
    "order": (
        r"orders?(?:'s)? (?:number|id\b|ids\b|no\b|reference|code|#)",
        r"(?:which|what) (?:of your |of the |of these )?(?:\w+ )?(?:orders?|purchases?)\b",
        r"\bpurchase (?:number|id|reference)",
        r"\bwhich (?:one|of (?:them|these|those))(?: is| are| do| does| did)?[^?.!]{0,15}"
        r"\b(?:about|referring|refer|concern\w*|mean|regarding|affected)\b",
        r"(?:number|id|reference) (?:of|for) (?:the|your|that|this) (?:order|purchase)",
    ),
    "items": (
        r"(?<!wrong with the )(?<!problem with the )(?<!issue with the )(?<!matter with the )(?<!happened to the )"
        r"(?<!wrong with your )(?<!problem with your )(?<!issue with your )(?<!the wrong )(?<!condition of the )"
        r"(?<!other )(?<!\bnew )(?<!different )(?<!replacement )(?<!another )"
        r"\b(?:items?|products?|articles?|pieces?|goods)\b",
        r"what (?:exactly )?(?:is it (?:that )?)?(?:would you like|do you want|you(?:'d| would)? like|you want)"
        r"[^?.]{0,15} (?:return|send back|exchange|swap)\b(?![^?.]* for\b)",
        r"(?<!with )which ones?\b(?![^.?!]*\b(?:instead|for it|in exchange|exchange it for|about|refer\w*"
        r"|concern\w*|pay)\b)",
        r"(?<!with )\bwhich of (?:them|these|those)\b(?![^.?!]*\b(?:about|refer\w*|concern\w*|pay)\b)",
        r"\b(?:which|what) (?:of )?(?:the )?(?:things|lines)\b",
    ),
    "reason": (
        r"\bbehind (?:the|your|this|that) (?:cancel|decision|request|wish)",
        r"(?<!security )(?<!privacy )(?<!protection )\breasons?\b",
        r"\bwhy\b",
        r"what (?:made|makes|led|has led|prompted|prompts|caused) (?:you|it|this|the)\b",
        r"\bhow come\b",
    ),
    "refund": (
        r"\brefund(?:ed|s)?\b",
        r"(?:money|amount)[^.?!]{0,20} (?:back|go|returned|credited)",
        r"\breimburs",
        r"original (?:payment )?(?:method|form|card)",
    ),
    "wish": (
        r"(?<!these )(?<!those )(?<!two )\boptions?\b",
        r"\b(?:version|variant|variation|colou?r|size|wood|metal|length|volume|scent|glaze|finish|model)s?\b",
        r"(?:^|\n)(?![^\n]*\b(?:other|new|different|replacement) (?:item|product|article))[^\n]*"
        r"\b(?:like|want|prefer|have|get|receive)\b(?! to pay)[^.?!]{0,20}\b(?:instead|in its place)\b",
        r"\breplacement\b",
        r"\b(?:which|what|other|bigger|larger|smaller) set\b|\bset of\b",
        r"(?:exchang|swap|chang|replac|switch)\w* (?:it|them|this|that|the \w+(?: \w+)?)? ?(?:for|to|into|with|by)\b",
        r"what[^.?!]{0,30} exchange[^.?!]{0,30} for\b",
    ),
    "payment": (
        r"(?:^|\n)(?![^\n]*\b(?:refund|reimburs|money back))[^\n]*(?<!original )\bpayment\b",
        r"\b(?:which|what) (?:card|method)\b",
        r"\bpay(?:ing)?\b",
        r"(?:difference|charge|balance)[^.?!]{0,30} (?:settled|charged|credited|go|paid)",
    ),
    "address": (
        r"(?<!mail )(?<!mail-)(?<!home )(?<!billing )\baddress\b(?! on (?:file|your account))",
        r"where (?:should|shall|would|do|to|can)\b(?![^.?!]*(?:refund|money))[^.?!]{0,40}(?:sen[dt]|deliver|ship|go\b)",
        r"\bstreet\b",
        r"\bnew (?:place|location|destination)\b",
    ),
    "arrived": (
        r"\bwhen\b[^.?!]{0,40}(?:arriv|deliver|receive|receiving|get|got|came|come)",
        r"(?:delivery|arrival) (?:date|day)",
        r"\b(?:what|which) day\b",
        r"date (?:of|that|when|on which)",
    ),
    "other": (
        r"\b(?:other|new|different|replacement) (?:item|product|article)",
        r"\b(?:which|what) (?:product|item|article)[^.?!]{0,40}(?:instead|for it|in exchange)",
    ),
    "trouble": (
        r"\b(?:wrong|problem|issue|matter|happened|happen|defect|fault|damage|trouble|complaint)",
        r"\bcondition\b",
    ),
    "owner": (
        r"\bwhose\b",
        r"\bwho\b[^.?!]{0,30} (?:plac|order|own|belong|account|person)",
        r"\bwhat is the (?:name of the )?(?:account holder|owner)",
    ),
    "rival": (
        r"(?:which|what|other|name of the) (?:shop|store|site|seller|retailer|competitor|website)",
        r"\bwhere\b[^.?!]{0,30} (?:see|seen|saw|find|found)",
        r"competitor",
    ),
}

_CANCEL: Final = (r"\bcancel", r"\bcall(?:ed|ing)? (?:it |the order |this )?off\b")
_MONEY: Final = r"(?:to|onto|on) (?:your|the|my) (?:\w+ ){0,2}(?:card|wallet|account|visa|mastercard|method)\b"
_RETURN: Final = (
    rf"\breturn(?!(?:ed|s)? {_MONEY})",
    r"\b(?:i|we)(?:'ll| will| can|'d| would| could)? refund\b",
    r"\bgo ahead with the refund\b",
    r"\brefund (?:you|it|them|this|that|these|those|the|your)\b",
    r"\b(?:process|issu|mak|arrang|initiat|start|proceed)\w*[^.?!]{0,15} (?:the|a|your|this)(?: full)? refund\b",
    rf"\bgo(?:ing|es)? back\b(?! {_MONEY})",
    r"\bsen[dt]\b[^.?!]{0,40} back\b",
    r"\btak(?:e|ing|en)\b[^.?!]{0,40} back\b",
)
_EXCHANGE: Final = (r"\bexchang", r"\breplac", r"\bswap", r"\btrad(?:e|ing)\b")
_CHANGE: Final = (
    r"\b(?:chang|modif|updat|adjust|switch)\w* (?:it|that|this|them|these|(?:the|your|this) order)\b",
    r"\b(?:make|do|apply|save) (?:this|that|the|these|those) (?:change|update|modification|adjustment)s?\b",
)
"""A change of whatever was spoken of."""

_SWAP: Final = (
    *_EXCHANGE,
    *_CHANGE,
    r"\b(?:chang|modif|updat|adjust|switch)\w*(?![^.?!,;\n]{0,160}\b(?:address|pay|paid|payment|delivery|express)\b)"
    r"[^.?!,;\n]{0,80}\b(?:to|from|for|into|version|variant|item|items|colou?r|size)\b",
)
_ADDRESS: Final = (
    *_CHANGE,
    r"(?<!mail )\baddress",
    r"\b(?:parcel|package|order|delivery|it)\b[^.?!]{0,20} (?:go|goes|going) to\b",
    r"\b(?:sen[dt]|ship(?!ping)|deliver(?!y)|redirect|rerout|divert)\w*[^.?!]{0,40} to\b",
)
_PAYMENT: Final = (
    *_CHANGE,
    r"\b(?:chang|switch|updat|set|mov)\w*[^.?!\n]{0,40}\bpayment\b",
    r"(?:^|\n)(?![^\n]*\b(?:refund|return|exchang|cancel|swap|difference|costs?\b|extra\b|more\b|back\b|receive"
    r"|credit))"
    r"[^\n]*\b(?:pay|paying|payment|paid|charg\w*|visa|mastercard|gift card|wallet)\b",
)
"""Which card is charged or credited for something else that is done is no act of its own."""
_CASE: Final = (
    r"(?<!in which )(?<!in that )(?<!in this )(?<!in any )(?<!just in )\bcase\b",
    r"\breport",
    r"\bticket\b",
    r"\binvestigat",
    r"\bclaim\b",
    r"\bcomplaint\b",
)
_STAFF: Final = (
    r"\b(?:transfer|hand|connect|forward|escalat|refer|direct)\w*[^.?!]{0,60} to\b",
    r"\b(?:pass|put)\w*[^.?!]{0,40} (?:on|through|in(?:to)? (?:the|our) queue)\b",
    r"\b(?:human|colleague|staff member|member of (?:our )?staff|specialist)\b",
)
_ANSWER: Final = (
    r"\bcalculat",
    r"\bwork (?:it|that|this) out\b",
    r"\blook (?:it|that|this) up\b",
    r"\badd (?:it|them) up\b",
)

ACTS: Final[Texts] = {
    "cancel": _CANCEL,
    "cancel_by_item": _CANCEL,
    "cancel_instead": _CANCEL,
    "others_cancel": _CANCEL,
    "return": _RETURN,
    "return_promised": _RETURN,
    "return_dated": _RETURN,
    "return_rather": _RETURN,
    "return_rest": _RETURN,
    "return_elsewhere": _RETURN,
    "exchange": _EXCHANGE,
    "exchange_rather": _EXCHANGE,
    "exchange_other": _EXCHANGE,
    "swap": _SWAP,
    "swap_rather": _SWAP,
    "address": _ADDRESS,
    "address_rather": _ADDRESS,
    "default_address": _ADDRESS,
    "payment": _PAYMENT,
    "payment_rather": _PAYMENT,
    "express": (*_CHANGE, r"\bexpress\b", r"\bfaster\b", r"\bupgrad"),
    "trouble": _CASE,
    "overdue": _CASE,
    "price_match": (
        r"\bmatch",
        r"\b(?:refund|pay|cover|give|credit|reimburs)\w* (?:you )?(?:back )?(?:the |a |that )?(?:price )?difference\b",
        r"\bdiscount\b",
    ),
    "delete_account": _STAFF,
    "invoice": _STAFF,
    "injury": _STAFF,
    "ask_balance": _ANSWER,
    "ask_total": _ANSWER,
    "ask_spent": _ANSWER,
    "ask_refund": _ANSWER,
    "ask_difference": _ANSWER,
    "ask_tracking": _ANSWER,
}

REFUSED: Final[Texts] = {
    "window": (
        r"(?:30|thirty)(?:[- ]calendar)?[- ]days?",
        r"\b(?:return|exchange|refund)s? (?:window|period|deadline|time ?frame|limit)",
        r"\b(?:window|deadline|period|time limit)\b[^.?!]{0,40}\b(?:closed|expired|passed|over|ended|elapsed)",
        r"\b(?:outside|beyond|past|after)\b[^.?!]{0,25}\b(?:window|period|deadline|time ?frame)",
        r"\btoo (?:long|many days) ago\b",
        r"\b(?:time|period) (?:has|is|had) (?:\w+ )?(?:run out|up|lapsed)\b",
    ),
    "shipped": (
        r"\bstatus\b[^.?!]{0,30}\bshipped\b",
        r"\balready (?:been )?(?:shipped|sent|dispatched|posted|left|gone|with the carrier)",
        r"\b(?:has|have|was|been|is|'s) (?:now |since )?(?:shipped|dispatched|handed (?:over )?to the carrier)",
        r"\bno longer (?:in )?(?:the )?['\"]?processing",
        r"\bonly\b[^.?!]{0,60}\b(?:still |in )?['\"]?processing",
        r"\bin transit\b",
        r"\bon (?:its|the) way\b",
        r"\bleft (?:our|the) warehouse",
        r"\bout for delivery\b|\ben route\b",
        r"\b(?:with|by) the (?:courier|carrier)\b",
        r"\bdispatched\b",
    ),
    "not_yours": (
        r"\bnot (?:\w+ ){0,3}(?:yours|your own|your order)\b",
        r"n(?:o|')t (?:\w+ ){0,4}(?:on|in|under|with|to|among|from) (?:your|this) "
        r"(?:account|profile|name|list|orders|order history)\b",
        r"n(?:o|')t (?:\w+ ){0,2}(?:placed|made) by you\b",
        r"\b(?:another|someone else|somebody else|different|other)(?:'s)? (?:customer|person|account|name|profile)",
        r"\b(?:someone|somebody|anyone|anybody) else\b",
        r"\bbelongs? to\b",
        r"\bplaced by (?!you\b)",
        r"\bonly\b[^.?!]{0,50}\b(?:placed by you|you (?:have )?placed|who placed (?:it|them)|owner)\b",
        r"\baccount holder\b",
        r"\b(?:your|their) own (?:orders|account)\b",
    ),
    "price_match": (
        r"\bprice[- ]?match",
        r"\bmatch(?:ing|es)?\b[^.?!]{0,40}\bprices?\b",
        r"\b(?:other|another|different|competing) (?:shop|store|retailer|seller|trader|site)s?(?:'s?)?\b",
        r"\bcompetitors?\b",
        r"\bprices?\b[^.?!]{0,20}\b(?:elsewhere|other (?:shop|store|retailer))",
    ),
    "stock": (
        r"\bout of stock\b",
        r"\bsold out\b",
        r"(?:\bnot|n't|\bno longer)\b[^.?!]{0,25}\b(?:in stock|available)\b",
        r"\bunavailable\b",
        r"\bnone (?:of \w+ )?(?:are |is )?left\b",
        r"\bno (?:more )?stock\b",
        r"\b(?:stock|inventory)\b[^.?!]{0,25}\b(?:is|of|at) (?:0|zero|nil)\b",
    ),
    "balance": (
        r"\bbalance\b[^.?!]{0,80}\b(?:not|n't|too|insufficient|less|lower|short|below|only|smaller)",
        r"(?:\bnot|n't)\b[^.?!]{0,40}\b(?:enough|sufficient|cover)",
        r"\binsufficient\b",
        r"\b(?:does not|doesn't|won't|cannot|can't) cover\b",
        r"\btoo little\b",
        r"\bonly (?:holds|has|contains)\b",
    ),
    "refund_method": (
        r"\boriginal (?:payment|method|form|card|way)",
        r"\b(?:did not|didn't|was not|wasn't)\b[^.?!]{0,30}\b(?:used|pay|paid)\b",
        r"\b(?:method|card|account)\b[^.?!]{0,30}\b(?:used|paid|placed|charged)\b",
        r"\b(?:the )?(?:way|method|card) (?:that |with which )?you paid\b",
        r"\b(?:way|method|card) (?:that )?(?:the|your|this) (?:order|purchase) was paid\b",
    ),
    "final_sale": (r"\bfinal[- ]sales?\b", r"\bsold as final\b", r"\bnon-?returnable\b", r"\bhygien"),
    "other_product": (
        r"\bsame (?:product|item|article|kind)",
        r"\b(?:different|another|other) (?:product|article|kind of)",
        r"\bonly\b[^.?!]{0,60}\b(?:variant|version|option)s?\b",
    ),
}

_SPELT: Final = {"two": "2", "four": "4", "six": "6", "one": "1", "three": "3"}


def _value(text: str) -> tuple[str, ...]:
    """Return how an option's value may be written: "set of two", "set of 2"; "king-size", "king size"."""
    loose = re.sub("[- ]", "[- ]?", text)
    for word, digit in _SPELT.items():
        loose = loose.replace(word, f"(?:{word}|{digit})")
    return (rf"\b{loose}\b",)


CHOICES: Final[dict[str, Texts]] = {
    "reason": {
        "I changed my mind": (r"\bchang\w+ (?:of |your |my |their )?mind", r"\bno longer (?:need|want)"),
        "I ordered it by mistake": (r"\bmistake", r"\baccident"),
        "it takes too long to get here": (r"\btoo (?:late|slow|long)\b", r"\bslow\b"),
        "I found it cheaper elsewhere": (r"\bcheaper\b", r"\b(?:better|lower) price"),
    },
    "refund": {
        "the way I paid": (
            r"\boriginal\b",
            r"\b(?:visa|mastercard|wallet)\b",
            r"\bsame (?:card|method|way)",
            r"\b(?:way|card|method) (?:that |with which )?(?:you|i) paid\b",
        ),
        "my gift card": (r"\bgift ?-?card",),
        "my Visa card": (r"\bvisa\b",),
        "my Mastercard": (r"\bmaster ?card\b",),
        "my Pennywell wallet": (r"\bwallet\b", r"\bpennywell\b"),
    },
    "payment": {
        "my Visa card": (r"\bvisa\b",),
        "my Mastercard": (r"\bmaster ?card\b",),
        "my gift card": (r"\bgift ?-?card",),
        "my Pennywell wallet": (r"\bwallet\b", r"\bpennywell\b"),
    },
    "wish": {value: _value(value) for values in catalogue.OPTIONS for value in values},
    "trouble": {
        "arrived broken": (r"\bdamag", r"\bbroke", r"\bcrack", r"\bshatter"),
        "was missing from the parcel": (r"\bmissing\b", r"\bnot in the (?:parcel|box|package)"),
        "is not the one I ordered": (r"\bwrong (?:item|product|one|article)", r"\bnot the (?:one|item)"),
    },
}

HANDLES: Final = (r"\bord-\d+\b", r"\bshp-\d+\b", r"\bc-\d+\b")
