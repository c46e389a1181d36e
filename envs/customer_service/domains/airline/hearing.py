"""What the customers of Kittiwake Air listen for: patterns, searched in lower-cased text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from agentgym.envs.customer_service.customer.words import Texts

_CUT: Final = r"\s*(?:\n|$)"
"""The end of what is looked at: a question for a wish ("which date would you like …") is cut before the wishing."""

_MOVED: Final = r"(?:instead|rather|move|changed? (?:it|the)|moved|rebooked?|rescheduled?)\b"

_ID: Final = r"(?:codes?|ids?|numbers?|no\b|references?|locators?|identifiers?)"

ASKED: Final[Texts] = {
    "customer_id": (
        rf"\b(?:customer|user|member|membership|account|profile|client|passenger)[ -]?{_ID}",
        rf"\b{_ID} (?:of|for|on) (?:your|the) (?:\w+ )?(?:account|profile|membership)",
    ),
    "email": (r"\be-?mail\b",),
    "name": (
        r"\b(?:your|the account holder's) (?:full |first and last |complete |own )?name\b",
        r"\bname (?:on|in|of|under) (?:your|the) (?:account|profile)",
        r"\bfull name\b",
        r"(?:^|\n)• name(?: as|\s*(?:\n|$))",
        r"\bwho am i (?:speaking|talking|chatting)",
        r"\bwho (?:is this|are you)\b",
        r"\bfirst (?:name )?and (?:your )?last name|\bfirst name, (?:and )?last name",
    ),
    "birth_date": (r"\bdates? of birth", r"\bbirth ?(?:date|day)", r"\bd\.?o\.?b\b", r"\bwhen (?:were|was) \w+ born"),
    "booking": (
        rf"\b{_ID} (?:of|for|to|on) (?:the|your|that|this) (?:booking|reservation|trip)",
        rf"\b(?:booking|reservation|confirmation|itinerary|trip|ticket)[ -]?(?:confirmation )?{_ID}",
        r"\b(?:pnr|record locator|reference number|booking reference|six-character)\b",
        r"\b(?:which|what) (?:of (?:your|the|these) )?(?:booking|reservation|one of (?:these|your))",
    ),
    "origin": (
        r"\borigin\b",
        r"\b(?:departure|departing) (?:city|airport|point|location)",
        r"\b(?:city|airport) (?:are you|you are|you're|you will be) (?:departing|leaving|flying)",
        r"\bwhere (?:are|were|do|did|will|would)[^.?]{0,30}\b(?:from|start|leav|depart)",
        r"\b(?:flying|travell?ing|departing|leaving|fly) from\b",
        r"\bfrom (?:which|what|where)\b",
        r"\b(?:city|airport|place)\b[^.?,]{0,25}\b(?:from|leave|depart)\b",
        r"\bairport (?:code|name)",
    ),
    "destination": (
        r"\bdestination\b",
        r"\barriv(?:al|ing) (?:city|airport|location)",
        r"\bwhere (?:are|were|do|did|will|would|is|does)[^.?]{0,30}\b(?:to|go|going|fly|flying|headed|travel\w*)\b",
        r"\b(?:flying|travell?ing|headed|going) to\b",
        r"\bto (?:which|what) (?:city|airport)",
        r"\b(?:city|airport|place)\b[^.?,]{0,25}\b(?:fly|flying|go|going|travel\w*) to\b",
        r"\b(?:which|what) (?:trip|route|journey)\b",
        r"\b(?:trip|flight|booking|reservation) details",
    ),
    "date": (
        r"\bdates? of (?:the |your |this |that )?(?:travel|departure|flight|trip|journey|booking)",
        r"\b(?:travel|departure|flight|trip|flying) dates?\b",
        rf"(?<!\bto )\b(?:what|which) (?:date|day)s?\b(?!{_CUT}|[^.?\n]{{0,40}}\b{_MOVED})",
        rf"\b(?:the|another) dates?\b(?![^.?\n]{{0,40}}\b{_MOVED})",
        r"\b(?:day|date) of (?:the )?departure\b",
        r"\bwhen (?:do|does|did|are|is|was|were|will)[^.?]{0,30}\b(?:fly\w*|flight|leav\w+|travel\w*|depart\w*|trip)\b",
    ),
    "new_date": (
        r"\b(?:new|preferred|desired|other|alternative|different) (?:travel |departure |flight )?(?:date|day)",
        rf"\b(?:(?:what|which) (?:date|day)|when)(?={_CUT})",
        r"\bdate (?:you would|you'd|to change)",
        rf"\b(?:date|day)s?\b(?! of birth)[^.?\n]{{0,40}}\b{_MOVED}",
        r"\bto (?:which|what) (?:other |new )?(?:date|day)",
        r"\bwhen you(?:'d| would) (?:like|prefer|want)",
        r"\bsame day\b",
        r"\bwhen (?:would|do|did|should|shall|will|can) (?:you|i|we)\b[^.?\n]{0,40}\b(?:instead|rather|move|like"
        r"|want|prefer)\b",
    ),
    "trip_type": (r"\bone[ -]way\b", r"\bround[ -]?trip\b", r"\btrip type\b", r"\btype of trip\b"),
    "passengers": (
        r"\bhow many (?:people|passengers|travell?ers|persons)",
        r"\bnumber of (?:people|passengers|travell?ers)",
        r"\bpassenger count\b",
    ),
    "flight_numbers": (r"\bflight numbers?\b", r"\bflight (?:codes?|details|information)\b"),
    "reason": (
        r"(?<!security )(?<!privacy )(?<!protection )\breasons?\b",
        r"\bwhy (?:can|could|won|don|do|are|would|did|must|have|is|you)\b",
        r"\bwhat (?:happened|is the matter|has changed|(?:made|makes|led|prompted|caused|prevents) (?:you|it|this"
        r"|the))\b",
        r"\bhow come\b",
        r"\bcause of\b",
    ),
    "insurance": (r"\binsur(?:ance|ed)\b",),
    "cabin": (
        r"\b(?:cabin|class)(?:es)?\b",
        r"\beconomy\b[^.?]{0,40}\bor\b[^.?]{0,20}\b(?:business|premium)",
        r"\bbusiness\b[^.?]{0,40}\bor\b[^.?]{0,20}\b(?:economy|premium)",
    ),
    "payment": (
        r"\bpayment (?:methods?|options?|types?|ids?|details|information|preference|source)",
        r"\b(?:method|form|means|way) of payment",
        r"\bhow (?:would|do|will|are|should|you)[^.?]{0,30}\b(?:pay|paying|charge|settle)\b",
        r"\b(?:which|what) (?:credit |debit |payment )?(?:cards?|methods?|vouchers?|payment)",
        r"\b(?:card|voucher|method)s? (?:would|do|should|shall|may|can|to (?:use|charge))",
        r"\b(?:pay|paying) (?:with|by|for)\b",
        r"\buse (?:one of )?your (?:\w+ )?cards?\b",
    ),
    "bags": (
        r"\bhow many\b[^.?]{0,40}\b(?:bags?|suitcases?|luggage|baggage|pieces)\b",
        r"\bhow many of them\b",
        r"\bnumber of\b[^.?]{0,30}\b(?:bags?|suitcases?|luggage|baggage|pieces)\b",
    ),
    "direction": (
        r"\b(?:outbound|outward|departing)\b[^.?]{0,40}\bor\b[^.?]{0,30}\b(?:return|inbound|back)",
        r"\b(?:return|inbound)\b[^.?]{0,40}\bor\b[^.?]{0,30}\b(?:outbound|outward|departing)",
        r"\bwhich (?:direction|leg|segment|part|way|of the (?:two )?flights)\b",
        r"\bwhich flight (?:do|would) you (?:want|like|wish) to change",
        r"\bdirection\b",
    ),
    "wish": (
        r"\b(?:which|what) (?:new |other |alternative |specific |direct )?(?:flights?|departure|option)\b"
        r"(?! details| dates?)",
        r"\b(?:which|what) (?:departure )?time\b",
        r"\btimes? of (?:the )?day\b",
        r"\bpreferred (?:new |departure )?(?:time|flight|departure|option)",
        r"\b(?:any|your) preferences?\b",
        r"\bwhich (?:one|of these|of the options|would suit)\b"
        r"(?! corresponds| you(?:'d| would) like to (?:use|modify|change|cancel))",
        r"\b(?:new|other|alternative|different|specific|particular) flights?\b",
        r"\bwhat would you like (?:instead|to (?:change|fly))",
    ),
    "passenger": (
        r"\b(?:which|whose) (?:of the )?(?:passenger|travell?er)",
        r"\bfor (?:whom|who)\b|\bwho\b[^.?\n]{0,30}\b(?:for|get|gets)\b",
        r"\b(?:passenger|travell?er) (?:concerned|affected|in question)",
        r"\b(?:what|which|whose) name\b(?! should)",
        r"\bpassenger(?:'s)? (?:current |full )?(?:name|details)",
        r"\bname of the passenger",
        r"\bhow (?:is|was)\b[^.?]{0,40}\b(?:spel\w+|written|shown|appear\w*)",
        r"\b(?:currently|now) (?:appears?|shows?|written|spel\w+|on the)",
        r"\bcurrent(?:ly)? (?:name|spelling|spel\w+)",
        r"\b(?:incorrect|wrong|misspell\w*|misspelt) (?:name|spelling)",
        r"\bname (?:that )?(?:is|was) (?:wrong|incorrect|misspell\w*|misspelt)",
        r"\bas it (?:appears|stands|is now)",
    ),
    "new_name": (
        r"\b(?:correct|right|proper|new|updated|corrected) (?:spelling|name|passenger|first|last|full|version)",
        r"\bhow should\b[^.?]{0,40}\b(?:be|read|appear|look)",
        r"\bwhat should\b[^.?]{0,40}\b(?:be|read|appear|say)",
        r"\bshould (?:be|read|say|appear)\b",
        r"\bcorrect (?:name|spelling)\b",
        r"\bhow (?:do|does|is)\b[^.?]{0,30}\b(?:correctly|properly)",
        r"\b(?:who|whose name) (?:is|will|would|should) (?:be |going |fly|travel|take)",
    ),
    "tier": (r"\b(?:tier|loyalty|membership (?:level|status)|frequent[ -]flyer|member status|your status)\b",),
    "hours": (
        r"\bhow (?:long|late|many (?:hours|minutes)|much (?:later|delay|time))",
        r"\bby how much\b",
        r"\b(?:length|duration|extent) of the delay",
        r"\bdelayed by\b",
    ),
    "relation": (r"\brelat(?:ion|ed|ionship)\b", r"\bwhose (?:booking|reservation|trip)", r"\bwho (?:made|booked)\b"),
}  # fmt: skip

_CANCEL: Final = (r"(?<!flight was )(?<!flights were )\bcancel", r"\bcall(?:ing)? off\b")
_MOVE: Final = r"\b(?:(?:chang|mov|updat|replac)(?:e|es|ed|ing)|modif\w+|put|putting|book|booking(?= you))\b"
_CHANGE: Final = (
    r"\b(?:re-?book|re-?schedule|re-?scheduling|switch|swap)",
    rf"{_MOVE}(?:(?!\b(?:cabin|class|premium|business|name|spelling|bags?)\b)[^.?\n]){{0,90}}"
    r"\b(?:flight|kw ?\d{3}\b|leg|trip)",
    r"\bnew flight\b",
    rf"{_MOVE} (?:(?:both|all|the two) of )?you\b(?! (?:through|in touch|over to))",
    r"\bflights?\b[^.?\n]{0,60}\b(?:changed|moved|rebooked|rescheduled|updated|switched)\b",
    r"\b(?:now|are|'re) booked on\b",
)
_NAME: Final = (
    r"\b(?:correct|chang|fix|update|updating|amend|modif|edit|replac)\w*\b[^.?]{0,90}\b(?:name|spelling|passenger\b)",
    r"\b(?:name|spelling|ticket)\b[^.?]{0,40}\bwill (?:read|say|be in the name)\b",
    r"\b(?:name|spelling|passenger)\b[^.?]{0,90}\b(?:correct|chang|fix|update|updating|amend|modif|edit|replac)",
)
_BAGS: Final = (
    r"\b(?:add|book|put|register|include|including|check)\w*\b[^.?]{0,90}\b(?:bags?|baggage|luggage|suitcases?"
    r"|pieces?)\b",
    r"\b(?:another|one more|two more|extra|additional) (?:checked )?(?:bags?|suitcases?|pieces?)\b",
    r"\b(?:bags?|baggage|luggage|suitcases?)\b[^.?]{0,90}\b(?:add|book|put|register|include|including)",
)
_UPGRADE: Final = (
    r"\bupgrad",
    r"\b(?:premium|business)\b[^.?]{0,15}\b(?:instead of|rather than)\b",
    r"\b(?:mov|chang|switch|book|put)\w*\b[^.?]{0,90}\b(?:cabin|class|premium|business)\b",
)
_VOUCHER: Final = (
    r"(?<!to your )(?<!to the )(?<!onto your )(?<!with your )(?<!with the )(?<!with a )(?<!by )(?<!by your )"
    r"(?<!from your )"
    r"\bvouchers?\b",
    r"\bcompensat",
    r"\bcertificate\b",
    r"\btravel credit\b",
)
_HAND_OVER: Final = (
    r"\b(?:transfer|hand|connect|pass|forward|put|escalat|refer)\w*\b[^.?]{0,90}\b(?:agent|colleagues?|human|team|desk|"
    r"specialists?|representatives?|department|person|through|over|staff)\b",
    r"\b(?:transfer|connect|put|pass|hand)(?:ring|ting|ing)? you (?:to (?:them|him|her)|with (?:them|him|her)|there"
    r"|over|through|on(?! (?:it|that|this|the|flight|kw)\b))\b",
    r"\b(?:colleague|specialist|human agent|representative)\b[^.?]{0,90}\b(?:call|contact|take over|help|assist)",
)  # fmt: skip

ACTS: Final[Texts] = {
    "cancel": _CANCEL,
    "cancel_insured": _CANCEL,
    "cancel_other": _CANCEL,
    "change_flight": _CHANGE,
    "take_flight": _CHANGE,
    "take_other": _CHANGE,
    "upgrade": _UPGRADE,
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
"""Questions (ask_…) are about nothing that is done, so no proposal fits them."""

_NOT: Final = r"(?:\bno\b|\bnot\b|n't\b|\bnever\b|\bwithout\b|\bcannot\b|\bnone\b)"

_NO_NAME: Final = r"\A(?![\s\S]*\b(?:transferr?\w*|typos?|typing|spell\w*|misspel\w*|tickets?|names?)\b)[\s\S]*"
_NOT_THEIRS: Final = (
    r"\A(?![\s\S]*\b(?:belongs?|account holder|profile|(?:made|booked) by|privacy|data protection)\b)[\s\S]*"
)
"""Somebody else may be who is to fly, or whose booking it is: what else is said tells which."""

REFUSED: Final[Texts] = {
    "not_refundable": (
        r"\b(?:24|twenty[ -]?four)[ -]?(?:h\b|hours?)",
        r"\bnon-?refundable\b",
        r"\bnot (?:a )?(?:refundable|flexible)\b",
        r"\b(?:isn't|wasn't) (?:a )?(?:refundable|flexible)\b",
        r"\bonly (?:a )?flexible\b",
        r"\bfare (?:rules?|conditions?|type)\b",
        r"\b(?:basic|standard)(?: economy)? (?:fare|ticket|booking)s?\b[^.]{0,90}\b(?:cancel|refund)",
        r"\b(?:cancel|refund)\w*\b[^.]{0,90}\b(?:basic|standard)(?: economy)? (?:fare|ticket|booking)",
        r"\bmore than (?:a|one) day\b",
        r"\bdays ago\b",
    ),
    "no_insurance": (
        rf"{_NOT}(?:(?!\bcover)[^.]){{0,90}}\binsur\w*(?! (?:you have |that you have |you bought |only )?cover)",
        r"\buninsured\b",
        r"\binsur(?:ance|ed)\b(?:(?!\bcover|\bso\b|\btherefore\b|\bwhich\b)[^.]){0,90}(?:\bnot\b|n't\b|\bno\b"
        r"|\bmissing\b)"
        r"(?! (?:be )?(?:cover|appl|pay|valid|refund))",
        r"\black(?:s|ing)?\b[^.]{0,90}\binsur",
    ),
    "not_covered": (
        rf"{_NOT}[^.]{{0,90}}\bcover",
        r"\bcover(?:s|ed)?\b[^.]{0,90}\b(?:only|not)\b",
        r"\bonly\b[^.]{0,90}\bcover",
        r"\binsurance\b[^.]{0,90}\b(?:only|does not|doesn't|not) (?:appl|pay|include|valid)",
        r"\b(?:illness|injury|death)\b[^.]{0,90}\bonly\b|\bonly\b[^.]{0,90}\b(?:illness|injury|death)\b",
    ),
    "basic_fare": (
        r"\bbasic(?: economy)?\b[^.]{0,60}(?:\.[^.]{0,60})?\b(?:chang|modif|upgrad|mov|switch|alter|rebook|re-book)",
        r"\b(?:chang|modif|upgrad|mov|switch|alter|rebook)\w*\b[^.]{0,90}\bbasic\b",
    ),
    "sold_out": (
        r"\bsold[ -]out\b",
        r"\b(?:fully|completely|all) booked\b",
        r"\b(?:is|are|was) (?:already |completely |entirely |totally )?full\b",
        rf"{_NOT}[^.]{{0,90}}\b(?:seats?|availability|space|places?|room|capacity)\b",
        r"\b(?:seats?|places?)\b[^.]{0,90}(?:\bunavailable\b|\btaken\b|\bgone\b|\bnot\b|n't\b)",
        r"\b(?:zero|0|only one|only 1|too few|fewer|insufficient) (?:free |available )?(?:seats?|places?)\b",
    ),
    "wrong_tier": (
        r"\b(?:another|different|other|lower) (?:\w+ )?(?:tier|status|level|membership)\b",
        r"\b(?:blue|silver)\b[^.]{0,90}\b(?:tier|status|members?|membership|level|customer|profile|account)\b",
        r"\b(?:tier|status|membership|level|member|profile|account)\b[^.]{0,90}\b(?:blue|silver)\b",
        rf"{_NOT}[^.]{{0,90}}\b(?:gold|silver)\b",
        r"\b(?:gold|silver)\b[^.]{0,90}(?:\bnot\b|n't\b)",
    ),
    "other_person": (
        rf"{_NOT_THEIRS}\b(?:another|different|other|new) (?:person|passenger|individual|travell?er|people|name)\b",
        rf"{_NOT_THEIRS}\b(?:someone|somebody|anyone) else\b",
        r"(?:\bnot|\bnon|n't)[ -]?transferable\b",
        r"\btransfer(?:red|ring)?\b[^.]{0,90}\b(?:ticket|booking|seat|person|someone)\b",
        r"\b(?:only|just)\b[^.]{0,90}\b(?:typo|spelling|typing|misspell|minor|small|letters)",
        r"\bsame person\b",
        r"\bidentity\b",
        r"\b(?:not|isn't|more than) (?:just )?(?:a )?(?:simple )?(?:typo|spelling|typing|correction)",
        r"\bmore than three letters\b",
    ),
    "no_delay": (
        r"\bon time\b",
        r"\b(?:less|shorter|fewer|under|below)\b[^.]{0,90}\b(?:two|2|120)\b",
        r"(?:\bnot|n't)(?: been)?(?: significantly| really| actually)? (?:delayed|late)\b",
        r"\bno (?:significant |such |long |real )?delay\b",
        r"\b\d+[ -]minutes?\b",
        r"\b(?:two|2)[ -]hours?\b",
        r"\bpunctual",
        r"\b(?:as|on) scheduled?\b",
    ),
    "foreign": (
        r"(?:\bnot\b|n't\b|\bnone\b) (?:one |among |under |in |on |of |to |with |linked |associated |listed "
        r"|registered |part |made ){0,4}(?:yours|your (?:own|profile|account|name|bookings|reservations))\b",
        r"(?:\bnot|n't) (?:belong|appear|see (?:it|that|this))\b",
        rf"{_NO_NAME}\b(?:someone|somebody|anyone) else\b",
        rf"{_NO_NAME}\b(?:another|other|different) (?:person|passenger|people)",
        r"\b(?:another|other|different) (?:customer|account|profile)",
        r"\bbelongs? to\b",
        r"\baccount holder\b",
        r"\bonly (?:the )?(?:customer|booking holder|owner|holder|person)\b|\bonly\b[^.]{0,90}\byour own\b",
        r"\bprivacy\b|\bdata protection\b",
    ),
}  # fmt: skip

_COUNTS: Final = {"1": r"(?:1|one|an?|another)", "2": r"(?:2|two)", "3": r"(?:3|three)"}

CHOICES: Final[Mapping[str, Texts]] = {
    "cabin": {
        "economy": (r"(?<!premium )\beconomy\b",),
        "premium": (r"\bpremium\b",),
        "business": (r"\bbusiness\b",),
    },
    "payment": {
        "Visa": (r"\bvisa\b",),
        "Mastercard": (r"\bmaster ?card\b",),
        "Amex": (r"\bamex\b|\bamerican express\b",),
        "voucher": (r"\bvoucher\b|\bv-\d{5}\b",),
    },
    "direction": {
        "outbound": (r"\b(?:outbound|outward)\b",),
        "return": (r"\b(?:return|inbound)\b(?! to )",),
    },
    "bags": {
        count: (
            rf"\b{text} (?:(?:more|extra|additional|further|checked|check-in|new|paid|free) ){{0,3}}"
            r"(?:bags?|suitcases?|pieces?|items?)\b",
            rf"\b{text} (?:more )?(?:to|in|as|of) (?:the |your )?(?:extra |additional )?(?:checked )?(?:bags?"
            rf"|suitcases?|pieces|baggage|luggage)\b",
            rf"\b(?:bags?|suitcases?|baggage|luggage)(?: to add)?: {text}\b",
        )
        for count, text in _COUNTS.items()
    },
    "new_date": {
        f"{day} September": (
            rf"\b{day}(?:[snrt][tdh])?(?: of)? sep(?:t|tember)?\b",
            rf"\bsep(?:t|tember)?\.? {day}(?:[snrt][tdh])?\b",
            rf"\b2025-09-{day:02d}\b",
        )
        for day in range(3, 29)
    },
}  # fmt: skip

HANDLES: Final = (r"\b[a-z]{2}[2-9][a-z]{3}\b", r"\bc-\d{5}\b", r"\bv-\d{5}\b", r"\bkw\d{3}\b")
