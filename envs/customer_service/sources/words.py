"""What the scripted customers of the public sets say and listen for, and what the expert says to them.

A public task tells a language model what to play. Here the customer is a script that follows the task's gold path: it
opens with the reason for the call, in the first person, knows what the gold writes need, and asks for nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agentgym.envs.customer_service.customer.words import CustomerWords
from agentgym.envs.customer_service.voice import Voice

INTENT: Final = "request"
POLICY: Final = "policy"
"""The reason of a refusal of a task without writes, for whatever reason it is given."""

_PERSON: Final = {
    "name": ("my name", (r"\bname\b",)),
    "user_id": ("my user id", (r"user[ _-]?(id|name)\b", r"customer id", r"account (id|number)", r"profile id")),
    "email": ("my email", (r"e-?mail",)),
    "zip": ("my zip code", (r"\bzip\b", r"postal ?code", r"postcode")),
    "phone": ("my phone number", (r"(phone|mobile|telephone|cell) ?(number|no\b)", r"number (that|which|you)")),
    "birth_date": ("my date of birth", (r"date of birth", r"birth ?date", r"\bdob\b")),
}
_REQUEST: Final = {
    "order_id": ("the order number", (r"order (id|number|no\b|#)", r"which order")),
    "items": ("the items", (r"which items?", r"items? (you|to|that|would|do)", r"what items?", r"item ids?")),
    "new_items": (
        "what I want instead",
        (r"new items?", r"replacement", r"(which|what) (variant|option)s?", r"prefer"),
    ),
    "payment": ("how to pay", (r"payment", r"(which|what) (card|method)", r"refund(ed)? to", r"method")),
    "reason": ("my reason", (r"\breason\b", r"\bwhy\b")),
    "new_address": ("the address", (r"address",)),
    "reservation_id": ("the reservation number", (r"(reservation|booking|confirmation) (id|number|code|no\b)",)),
    "cabin": ("the cabin", (r"\bcabin", r"class of (travel|service)", r"travel class")),
    "flights": (
        "the flights",
        (r"which flights?", r"flight numbers?", r"(travel|departure|flight) dates?", r"\bdates?\b"),
    ),
    "passengers": ("the passengers", (r"passengers?", r"travell?ers?")),
    "bags": ("the bags", (r"\bbags?\b", r"baggage", r"luggage", r"suitcases?")),
    "insurance": ("the insurance", (r"insurance",)),
    "origin": (
        "where I fly from",
        (r"origin", r"depart(ing|ure)? (city|airport|from)", r"(fly|flying|travell?ing) from"),
    ),
    "destination": ("where I fly to", (r"destination", r"(fly|flying|travell?ing) to", r"arrival (city|airport)")),
    "flight_type": ("one way or round trip", (r"one[- ]way", r"round[- ]?trip", r"trip type", r"type of trip")),
    "data": ("how much data", (r"how (much|many) (data|gb|gigabytes)", r"amount of data")),
}
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
    "toggle_data": (r"(turn|switch|toggle|enable).{0,20}(mobile|cellular) data(?! saver)",),
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
_ACTS: Final = (
    r"cancel", r"return", r"exchange", r"modif", r"chang", r"updat", r"book", r"switch", r"replac", r"add", r"remov",
    r"refund", r"upgrad", r"downgrad", r"refuel", r"top.?up", r"resum", r"enabl", r"payment request", r"roaming",
)  # fmt: skip
_FACTS: Final = {**_PERSON, **_REQUEST}


def words() -> CustomerWords:
    """Return what the scripted customers of all public sets say and listen for."""
    return CustomerWords(
        wants={INTENT: ("{request}",)},
        again={INTENT: ("{request}",)},
        says={fact: ("{value}", f"{name[0].upper()}{name[1:]}: {{value}}") for fact, (name, _) in _FACTS.items()},
        names={fact: name for fact, (name, _) in _FACTS.items()},
        asked={fact: patterns for fact, (_, patterns) in _FACTS.items()},
        acts={INTENT: _ACTS},
        questions={"told": ("What does that come to?", "Can you tell me the figures?", "And the number I asked for?")},
        pretexts={
            INTENT: ("Are you sure? Please look again.", "Surely something can be done.", "I was told it is fine.")
        },
        refused={POLICY: (r"",)},
        reports=dict.fromkeys(_DEVICE, ("I did that. {result}", "Done. It says: {result}")),
        instructed=_DEVICE,
        handles=(r"#w\d{7}",),
    )


def voice(tools: Sequence[str]) -> Voice:
    """Return what the expert says; `tools` are the customer's own."""
    return Voice(
        asks={fact: (f"Could you please tell me {name.replace('my', 'your')}?",) for fact, (name, _) in _FACTS.items()},
        proposes={INTENT: ("I can now make the changes that you asked for. Do you want me to proceed?",)},
        done={INTENT: ("The changes that you asked for have been made.",)},
        refuses={POLICY: ("I am sorry, but I cannot do that: our policy does not allow it.",)},
        tells={"told": ("The figure is {text}.",)},
        instructs={tool: (f"Please do this on your phone: {tool.replace('_', ' ')}.",) for tool in tools},
    )
