"""What the scripted customers of the public sets say and listen for, and what the expert says to them.

A public task tells a language model what to play. Here the customer is a script that follows the task's gold path: it
opens with the reason for the call, in the first person, knows what the gold writes need, and asks for nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from agentgym.envs.customer_service.customer.words import CustomerWords
from agentgym.envs.customer_service.voice import Voice

INTENT: Final = "request"
POLICY: Final = "policy"
"""The reason of a refusal of a task without writes, for whatever reason it is given."""

_FACTS: Final[Mapping[str, tuple[str, str, tuple[str, ...]]]] = {
    "name": ("my name", "What is your full name?", (r"(?<!their )\bnames?\b",)),
    "user_id": (
        "my user id", "What is your user ID?",
        (r"user[ _-]?(id|name)\b", r"customer id", r"account (id|number)", r"profile id"),
    ),
    "email": ("my email", "Which email address is on your account?", (r"e-?mail",)),
    "zip": ("my zip code", "What is your zip code?", (r"\bzip\b", r"postal ?code", r"postcode")),
    "phone": (
        "my phone number", "What is your phone number?",
        (r"(phone|mobile|telephone|cell) ?(number|no\b)", r"number (that|which|you)"),
    ),
    "birth_date": ("my date of birth", "What is your date of birth?", (r"date of birth", r"birth ?date", r"\bdob\b")),
    "order_id": ("the order number", "What is the order number?", (r"order (id|number|no\b|#)", r"which order")),
    "items": (
        "the items", "Which items is this about?",
        (r"\bwhich (of the )?(items?|products?|ones?)", r"items? (you|to|that|would|do|is|are)", r"what items?",
         r"item ids?", r"products? (you|to|that)"),
    ),
    "new_items": (
        "what I want instead", "What would you like instead?",
        (r"instead", r"new items?", r"replacements?", r"(which|what) (variant|option|version|model)s?",
         r"\bprefer\b(?!.{0,40}(payment|card|method))",
         r"desired (item|option|variant)s?", r"exchange (it|them) for"),
    ),
    "payment": (
        "how to pay", "Which payment method shall be used?",
        (r"payment", r"\bpay\b", r"(which|what) (card|method)", r"refund(ed)? to",
         r"(use|prefer).{0,20}(card|paypal)"),
    ),
    "reason": ("my reason", "What is the reason for that?", (r"\breason\b", r"\bwhy\b")),
    "new_address": ("the address", "What is the new address?", (r"(?<!email )(?<!e-mail )address(?!.{0,12}e-?mail)",)),
    "reservation_id": (
        "the reservation number", "What is the reservation ID?",
        (r"(reservation|booking|confirmation) (id|number|code|no\b)", r"which (reservation|booking)"),
    ),
    "cabin": (
        "the cabin", "Which cabin would you like?",
        (r"\bcabin", r"class of (travel|service)", r"travel class", r"(economy|business)( or | class)"),
    ),
    "flights": (
        "the flights", "Which flights, and on which dates?",
        (r"which (of the |of these )?(flight|option)s?", r"flight numbers?", r"\bdates?\b(?! of birth)",
         r"\bwhen\b.{0,30}(travel|fly|depart)"),
    ),
    "passengers": ("the passengers", "Who are the passengers?", (r"(?<!per )passengers?", r"travell?ers?")),
    "bags": ("the number of bags", "How many bags?", (r"\bbags?\b", r"baggage", r"luggage", r"suitcases?")),
    "insurance": ("the insurance", "Would you like travel insurance?", (r"insurance",)),
    "origin": (
        "where I fly from", "Where do you fly from?",
        (r"origin", r"depart(ing|ure)? (city|airport|from)", r"(fly|flying|travell?ing) from"),
    ),
    "destination": (
        "where I fly to", "What is your destination?",
        (r"destination", r"(fly|flying|travell?ing) to\b", r"arrival (city|airport)", r"arriv(e|ing) (at|in)"),
    ),
    "flight_type": (
        "whether it is one way", "Is it one way or a round trip?",
        (r"one[- ]way", r"round[- ]?trip", r"trip type", r"type of trip"),
    ),
    "data": ("how much data", "How many GB of data?", (r"how (much|many) (data|gb|gigabytes)", r"amount of data")),
}  # fmt: skip
"""Fact → what it is called, a question for it, patterns by which an agent's question means it."""
_DEVICE: Final = {
    "check_status_bar": (r"status bar",),
    "check_network_status": (r"network status", r"(cellular|signal) (status|connection)"),
    "check_network_mode_preference": (r"(check|see|which|what).{0,40}network mode",),
    "check_sim_status": (r"(check|see|what).{0,30}sim",),
    "check_data_restriction_status": (r"data (restriction|saver) (status|setting)", r"check.{0,30}data saver"),
    "check_apn_settings": (r"(check|see|what).{0,30}\bapn\b",),
    "check_wifi_calling_status": (r"(check|see|is).{0,30}wi-?fi calling",),
    "check_vpn_status": (r"(check|see|are you|do you).{0,40}\bvpn\b",),
    "check_installed_apps": (r"installed apps?", r"(which|what) apps?"),
    "check_app_permissions": (r"(check|see|which|what).{0,40}permissions?",),
    "run_speed_test": (r"speed test",),
    "can_send_mms": (r"(send|try).{0,40}(mms|picture message|photo message|multimedia)",),
    "set_network_mode_preference": (r"(set|change|switch).{0,40}network mode", r"(set|change|switch).{0,30}(4g|5g)"),
    "toggle_airplane_mode": (r"(turn|switch|toggle|disable).{0,30}(airplane|flight) mode",),
    "reseat_sim_card": (r"(re-?seat|re-?insert|remove|take out|re-?move).{0,30}sim",),
    "toggle_data": (
        r"(turn|switch|toggle|enable)( on| off)?( your| the)?( mobile| cellular)? data(?! saver| roaming)\b",
    ),
    "toggle_roaming": (r"(turn|switch|toggle|enable).{0,30}roaming",),
    "toggle_data_saver_mode": (r"(turn|switch|toggle|disable).{0,30}data saver",),
    "reset_apn_settings": (r"reset.{0,30}\bapn\b",),
    "reboot_device": (r"(re-?boot|re-?start|power cycle).{0,30}(phone|device|it|mobile)?",),
    "toggle_wifi_calling": (r"(turn|switch|toggle|disable).{0,30}wi-?fi calling",),
    "connect_vpn": (r"(?<!dis)connect.{0,20}\bvpn\b",),
    "disconnect_vpn": (r"(disconnect|turn off|switch off|disable).{0,30}\bvpn\b",),
    "grant_app_permission": (r"(grant|allow|give|enable).{0,60}permissions?",),
    "make_payment": (r"(make|complete|accept|approve).{0,30}payment", r"pay.{0,30}\bbill\b"),
}
_KINDS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    INTENT: (
        "make the changes that you asked for",
        (
            r"cancel", r"return", r"exchange", r"modif", r"chang", r"updat", r"book", r"switch", r"replac", r"add",
            r"remov", r"refund", r"upgrad", r"downgrad", r"refuel", r"top.?up", r"resum", r"enabl", r"payment request",
            r"roaming", r"transfer",
        ),
    ),
    "cancel": ("cancel what you asked me to cancel", (r"cancel", r"call (it )?off")),
    "return": ("take back what you want to return", (r"return", r"refund", r"send back", r"take back")),
    "exchange": ("exchange that for you", (r"exchang", r"replac", r"swap", r"switch", r"chang")),
    "modify": (
        "change that for you",
        (r"modif", r"chang", r"updat", r"replac", r"switch", r"swap", r"edit", r"adjust", r"exchang"),
    ),
    "book": ("book that for you", (r"book", r"\breserve\b", r"reserving", r"purchas")),
    "update": (
        "change your reservation",
        (r"chang", r"updat", r"modif", r"upgrad", r"downgrad", r"\badd", r"remov", r"switch", r"rebook",
         r"mov(e|ing)\b", r"replac"),
    ),
}  # fmt: skip
"""Intent → what the expert proposes, patterns by which a proposal means it."""
_KIND_OF: Final = {
    "cancel_pending_order": "cancel", "cancel_reservation": "cancel", "return_delivered_order_items": "return",
    "exchange_delivered_order_items": "exchange", "modify_pending_order_items": "modify",
    "modify_pending_order_payment": "modify", "modify_pending_order_address": "modify",
    "modify_user_address": "modify", "book_reservation": "book", "update_reservation_flights": "update",
    "update_reservation_passengers": "update", "update_reservation_baggages": "update",
}  # fmt: skip


def intent_of(tools: Iterable[str]) -> str:
    """Return the intent of a request that takes calls of these tools: their common kind, else INTENT."""
    kinds = {_KIND_OF.get(tool, INTENT) for tool in tools}
    return kinds.pop() if len(kinds) == 1 else INTENT


_REFUSALS: Final = (
    r"polic(y|ies)",
    r"\brules?\b",
    r"\b(cannot|can't|can not|couldn't|won't) (?!see|find|hear|follow)",
    r"\bunable to",
    r"n[o']t (be )?(able|possible|allowed|eligible|permitted|available|entitled|valid|authori[sz]ed)",
    r"only (if|when|for|within|allow)",
    r"(non-?|not )refund",
    r"\b(24|twenty-four) hours",
)
"""What a refusal says besides being one; the tasks do not tell for which reason their requests are refused."""
_HANDLES: Final = (
    r"#w\d{7}",
    r"\b(?!hat\d)(?=[a-z\d]*\d)(?=[a-z\d]*[a-z])[a-z\d]{6}\b",
    r"\b[a-z]+_[a-z]+_\d{4}\b",
)
"""Orders, reservations and users; HAT001 is a flight."""
_SHORT: Final = ("name", "user_id", "email", "zip", "phone", "birth_date", "cabin", "data")
"""Facts that can be said by their value alone."""


def _said(fact: str, name: str) -> tuple[str, ...]:
    """Return how a fact is stated."""
    alone = "{value}." if fact in _SHORT else f"As to {name}: {{value}}."
    return alone, f"{name[0].upper()}{name[1:]}: {{value}}."


def words() -> CustomerWords:
    """Return what the scripted customers of all public sets say and listen for."""
    return CustomerWords(
        wants=dict.fromkeys(_KINDS, ("{request}",)),
        again=dict.fromkeys(_KINDS, ("{short}",)),
        says={fact: _said(fact, name) for fact, (name, *_) in _FACTS.items()},
        names={fact: name for fact, (name, *_) in _FACTS.items()},
        asked={fact: patterns for fact, (*_, patterns) in _FACTS.items()},
        acts={intent: patterns for intent, (_, patterns) in _KINDS.items()},
        questions={"told": ("What does that come to?", "Can you tell me the figures?", "And the number I asked for?")},
        pretexts=dict.fromkeys(
            _KINDS, ("Are you sure? Please look again.", "Surely something can be done.", "I was told it is fine.")
        ),
        refused={POLICY: _REFUSALS},
        reports=dict.fromkeys(_DEVICE, ("I did that. {result}", "Done. It says: {result}")),
        instructed=_DEVICE,
        handles=_HANDLES,
    )


def voice(tools: Sequence[str]) -> Voice:
    """Return what the expert says; `tools` are the customer's own."""
    return Voice(
        asks={fact: (question,) for fact, (_, question, _) in _FACTS.items()},
        proposes={intent: (f"I can now {act}. Do you want me to proceed?",) for intent, (act, _) in _KINDS.items()},
        done=dict.fromkeys(_KINDS, ("What you asked for has been done.",)),
        refuses={POLICY: ("I am sorry, but I cannot do that: our policy does not allow it.",)},
        tells={"told": ("The figure is {text}.",)},
        instructs={tool: (f"Please do this on your phone: {tool.replace('_', ' ')}.",) for tool in tools},
    )
