"""By which words customers take it that they are to use their phone, and what they say having done so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

_TO_DO: Final = r"\b(?=[a-z])(?<!\bi )(?<!\bnot )(?<!n't )"
"""What the agent does itself, or does not want, is no instruction."""
_TRY: Final = r"\btry "
_DO: Final = (
    rf"(?:{_TO_DO}(?:switch|turn|set|put|toggle|flip|slide|get)(?!ed|ting)"
    rf"|{_TRY}(?:switch|turn|sett|putt|toggl|flipp|slid|gett)ing)\b"
)
_STOP: Final = (
    rf"(?:{_TO_DO}(?:disable|deactivate|disconnect|end|leave|stop|close|quit)"
    rf"|{_TRY}(?:disabl|deactivat|disconnect|end|leav|stop[p]|clos|quit[t])ing)\b"
)
_START: Final = rf"(?:{_TO_DO}(?:enable|activate)|{_TRY}(?:enabl|activat)ing)\b"
_THAT: Final = r"[\s\S]{0,80}?\b(?:can|could|would) you (?:please )?(?:do|try) (?:that|this|it)\b"
_SURE: Final = r"\b(?:make sure|ensure|see to it)\b"
_AIRPLANE: Final = r"\b(?:airplane|aeroplane|flight|plane)[ -]?mode\b"
_DATA: Final = r"\b(?:mobile|cellular) (?:data|internet)\b"
_ROAMING: Final = r"(?:\bdata[ -]roaming\b|\broaming\b(?=[^.?!\n]{0,40}\b(?:phone|device|handset|settings)\b))"
_SAVER: Final = r"\bdata[ -]?(?:saver|saving)(?: mode)?\b"
_VPN: Final = r"\bvpn\b"
_ANY: Final = rf"(?:{_AIRPLANE}|{_DATA}|\broaming\b|{_SAVER}|{_VPN}|\bnetwork mode\b)"
_NEAR: Final = r"[^.?!\n]{0,40}?"
_SHORT: Final = r"[^.?!,;\n]{0,25}?"
_NOT_OFF: Final = r"(?:(?!\boff\b)[^.?!,;\n]){0,25}?"
_ONLY: Final = (
    rf"(?![\s\S]{{0,60}}(?:{_DO}|{_STOP}|{_START}|\b(?:reset|restore|choose|select|tap|pick|toggle|switch|turn)\b))"
)
"""Who is to go to a place to do something there is not to look at it."""
_LATER: Final = rf"(?:(?!{_ANY})[\s\S]){{0,80}}?"


def _off(what: str) -> tuple[str, ...]:
    """Return patterns of being told to switch something off."""
    return (
        rf"{_DO}{_SHORT}\boff\b{_SHORT}{what}",
        rf"{_DO}{_SHORT}{what}{_SHORT}\b(?:off|out)\b",
        rf"{_STOP}{_SHORT}{what}",
        rf"{_SURE}{_NEAR}{what}{_SHORT}\b(?:off|disabled|disconnected|deactivated)\b",
        rf"{what}{_LATER}(?:{_DO} (?:it|that|this)(?: back)? off\b|{_STOP} (?:it|that|this)\b)",
        rf"\b(?:switching|turning)(?: off{_SHORT}{what}|{_SHORT}{what}{_SHORT}\boff\b){_THAT}",
    )


def _on(what: str) -> tuple[str, ...]:
    """Return patterns of being told to switch something on."""
    return (
        rf"{_DO}{_NOT_OFF}\bon\b{_NOT_OFF}{what}",
        rf"{_DO}{_NOT_OFF}{what}{_NOT_OFF}\bon\b",
        rf"{_START}{_SHORT}{what}",
        rf"{_SURE}{_NEAR}{what}{_NOT_OFF}\b(?:on|enabled|activated)\b",
        rf"{what}{_LATER}(?:{_DO} (?:it|that|this)(?: back)? on\b|{_START} (?:it|that|this)\b)",
        rf"\b(?:switching|turning)(?: on{_SHORT}{what}|{_NOT_OFF}{what}{_NOT_OFF}\bon\b){_THAT}",
    )


INSTRUCTED: Final[Mapping[str, Sequence[str]]] = {
    "look_at_status_bar": (
        r"\bstatus (?:bar|icons?)\b(?! (?:looks?|seems?|was|is (?:fine|ok|okay|good|normal))\b)",
        r"\b(?:top|upper edge) of (?:the|your) (?:screen|display|phone)\b",
        r"\b(?:what|which) (?:symbols?|icons?)\b",
    ),
    "look_at_settings": (
        r"\b(?:look|check|see|tell|read|find|view)\b" + _NEAR + r"\bsettings\b",
        r"\b(?:open|go (?:in)?to)\b" + _NEAR + r"\bsettings\b" + _ONLY,
        r"\bwhat\b" + _SHORT + r"\bsettings\b",
        rf"(?:^|[\n,] ?|\band )(?:is|are) {_SHORT}{_ANY}",
        rf"(?:\bwhether|\b(?:check|see|tell me|say|know|verify|confirm|look)(?: \w+){{0,3}} if)\b{_SHORT}{_ANY}",
        rf"\bcheck (?:that |your |the )?{_ANY}",
        r"\b(?:which|what)\b" + _SHORT + r"\b(?:network mode|access point|apn)\b",
    ),
    "run_speed_test": (
        r"\b(?:run|do|doing|running|start|perform|make|try|take|carry out)\b(?: running| doing)?"
        + _SHORT
        + r"\bspeed[ -]?test\b",
        r"\b(?:measure|test)\b" + _SHORT + r"\b(?:speed|connection)\b",
    ),
    "airplane_mode_off": _off(_AIRPLANE),
    "mobile_data_on": _on(_DATA),
    "mobile_data_off": _off(_DATA),
    "data_roaming_on": _on(_ROAMING),
    "data_roaming_off": _off(_ROAMING),
    "data_saver_off": _off(_SAVER),
    "vpn_off": _off(_VPN),
    "network_mode_automatic": (
        r"\bnetwork (?:mode|type)\b" + _NEAR + r"\b(?:automatic|auto)\b",
        r"\b(?:automatic|auto)\b" + _SHORT + r"\bnetwork (?:mode|type|selection)\b",
    ),
    "reseat_sim": (
        r"\b(?:re-?seat|re-?insert|remove|eject|take out|pull out|push)\b" + _SHORT + r"\bsim\b",
        r"\bre-?seat (?:it|that|the card)\b",
        r"\btake\b" + _SHORT + r"\bcard out\b",
        _TRY + r"(?:re-?seat|re-?insert|remov|eject|tak|pull)ing\b" + _SHORT + r"\bsim\b",
        r"\b(?:pop|slide) out\b" + _SHORT + r"\bsim\b",
        r"\btake\b" + _SHORT + r"\bsim\b" + _SHORT + r"\bout\b",
        r"\bsim\b" + _NEAR + r"\b(?:put|insert)\b" + _SHORT + r"\b(?:back|again|in)\b",
    ),
    "reset_access_point": (
        _TRY + r"(?:reset[t]|restor)ing\b" + _SHORT + r"\b(?:access point|apn)\b",
        _TO_DO + r"(?:reset|restore|set)\b" + _SHORT + r"\b(?:access point|apn)\b",
        r"\b(?:access point|apn)\b"
        + _NEAR
        + r"\b(?:tap|choose|select|press|pick|hit)\b"
        + _SHORT
        + r"\b(?:reset|default)",
        r"\b(?:access point|apn)\b" + _SHORT + r"\b(?:back )?to (?:the |its )?(?:standard|default)",
    ),
    "restart_phone": (
        r"\b(?:restart|reboot)(?:ing)? (?:the|your|it|this)\b",
        r"\bplease (?:now |also |then )?(?:restart|reboot)\b",
        r"\b(?:switch|turn)\b"
        + _SHORT
        + r"\b(?:phone|device|mobile)\b"
        + _SHORT
        + r"\boff and (?:then )?(?:back )?on\b",
    ),
    "pay_request": (
        r"\b(?:pay|accept|approve|open)\b" + _NEAR + r"\b(?:payment )?request\b",
        r"\bconfirm (?:the |this |that )?(?:payment )?request\b",
        r"\brequest\b[^?\n]{0,60}(?:\n[^?\n]{0,40})?"
        r"\b(?:(?:pay|accept|approve|confirm|settle|complete) (?:it|the payment)|open it)\b",
    ),
}
"""Tool of the customer's → patterns, in the order in which a phone's owner would do them."""

_DONE: Final = ("Done: {result}.", "I've done that, {result}.", "Okay. Now {result}.", "All right, {result}.")
_PUT: Final = {
    "airplane_mode_off": ("Airplane mode is off, {result}.", "It was under the aeroplane: off. {result}."),
    "mobile_data_on": ("Mobile data is on, {result}.", "I've switched the data on: {result}."),
    "mobile_data_off": ("Mobile data is off, {result}.", "I've switched the data off: {result}."),
    "data_roaming_on": ("Roaming is on, {result}.", "I've allowed roaming on the phone: {result}."),
    "data_roaming_off": ("Roaming is off, {result}.", "I've stopped roaming on the phone: {result}."),
    "data_saver_off": ("The data saver is off, {result}.", "No more saving of data: {result}."),
    "vpn_off": ("The VPN is disconnected, {result}.", "I've left the VPN: {result}."),
    "network_mode_automatic": ("The network mode is automatic, {result}.", "It says automatic now: {result}."),
    "reseat_sim": ("The SIM is back in, {result}.", "I took the SIM out and put it back: {result}."),
    "reset_access_point": ("The access point is reset, {result}.", "I've reset that access point thing: {result}."),
    "restart_phone": ("It has restarted, {result}.", "I've restarted it: {result}."),
    "pay_request": ("I've opened it: {result}.", "Just did it, {result}."),
}
REPORTS: Final[Mapping[str, Sequence[str]]] = {
    "look_at_status_bar": (
        "At the top I see: {result}.",
        "The status bar shows {result}.",
        "It says: {result}.",
        "Up there is {result}.",
    ),
    "look_at_settings": (
        "The settings say: {result}.",
        "Let me see: {result}.",
        "I see this: {result}.",
        "It reads: {result}.",
    ),
    "run_speed_test": (
        "The test says: {result}.",
        "I get {result}.",
        "It measured: {result}.",
        "The result is {result}.",
    ),
    **{tool: (*texts, *_DONE) for tool, texts in _PUT.items()},
}
