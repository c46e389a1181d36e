"""How the customer of a public task puts things: the texts of the task in the first person, gold arguments in words.

What a customer would not know is left out: items are named by product and options, payment methods by kind, last four
digits and id. Values that belong to one of several orders or reservations say to which.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from agentgym.envs.customer_service.database import Database, Record
from agentgym.envs.customer_service.sheet import Call

_AGENT: Final = "\N{NULL}"
"""Stands for the one who is spoken to until the player's "you" is gone."""
_WHO: Final = r"(?:the|an) (?:customer service )?agent\b"
_SAYS: Final = "ask|tell|say|offer|provide|give|refuse|mention|suggest|insist|confirm|find|allow|agree|need"
_FIRST: Final = (
    (rf"\b(?:have|tell|ask|instruct|request) {_WHO} (?:explicitly )?to\b", f"I would like {_AGENT} to"),
    (rf"\bask {_WHO} (?=how|what|which|whether|if)", "I would like to know "),
    (rf"\bask {_WHO} for\b", f"I would like to ask {_AGENT} for"),
    (rf"\b{_WHO}", _AGENT),
    (r"\byou (?=(?:mobile|name|phone|user)\b)", "my "),
    (r"\byou are\b", "I am"), (r"\byou're\b", "I'm"), (r"\byou were\b", "I was"), (r"\byou've\b", "I've"),
    (r"\byou'd\b", "I'd"), (r"\byou'll\b", "I'll"), (r"\byourself\b", "myself"), (r"\byours\b", "mine"),
    (r"\byour\b", "my"),
    (
        r"\b(for|to|with|let|told|caused|gives?|helps?|tells?|shows?|sends?|asks?|asked|allows?|offers?|refunds?|informs?"
        r"|upgrades?) you\b(?! (?:should|can|will|want|would|have)\b)",
        r"\1 me",
    ),
    (r"\byou(?=[.,;:?!]|$)", "me"), (r"\byou\b", "I"),
    (rf"{_AGENT} is\b", "you are"), (rf"{_AGENT} has\b", "you have"), (rf"{_AGENT} does\b", "you do"),
    (rf"{_AGENT} ({_SAYS})s\b", r"you \1"), (_AGENT, "you"),
)  # fmt: skip
_PLAYING: Final = re.compile(
    r"^(?:but |and |then )?(?:if|when|once|after|unless|until|whenever|in case)\b.*\bagent\b"
    r"|^(?:be|do not|don't|try|make sure|insist|mention|never|act|pretend|keep|avoid|remember|start|only if)\b"
    r"|\b(?:you are|you're) (?:reactive|not familiar|polite|impatient|not good)\b|\bdo not mention\b"
    r"|\bif the agent asks\b",
    re.IGNORECASE,
)
"""Sentences that tell the player how to play."""
_ASIDE: Final = re.compile(r"\s*\([^()]*\b(?:reveal|share|mention)\b[^()]*\)", re.IGNORECASE)
"""Brackets that do."""
_WHY: Final = re.compile(r"\b(?:because|due to)\b", re.IGNORECASE)
_ENDS: Final = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'])")

_FACT_OF: Final = {
    "order_id": "order_id", "item_ids": "items", "new_item_ids": "new_items", "payment_method_id": "payment",
    "payment_id": "payment", "payment_methods": "payment", "reason": "reason", "reservation_id": "reservation_id",
    "cabin": "cabin", "flights": "flights", "passengers": "passengers", "total_baggages": "bags",
    "insurance": "insurance", "origin": "origin", "destination": "destination", "flight_type": "flight_type",
    "gb_amount": "data",
}  # fmt: skip
_RECORDS: Final = ("order_id", "reservation_id")
_ADDRESS: Final = ("address1", "address2", "city", "state", "zip", "country")
_DONE_TO: Final = {
    "cancel_pending_order": "to cancel {}", "return_delivered_order_items": "to return items of {}",
    "exchange_delivered_order_items": "to exchange items of {}", "modify_pending_order_items": "to change items of {}",
    "modify_pending_order_payment": "to pay {} otherwise", "modify_pending_order_address": "to send {} elsewhere",
    "cancel_reservation": "to cancel {}", "update_reservation_flights": "to change the flights of {}",
    "update_reservation_passengers": "to change the passengers of {}",
    "update_reservation_baggages": "to add bags to {}",
}  # fmt: skip
_TOLD: Final = {
    "retail": ("orders", "order_id", r"#W\d{7}"),
    "airline": ("reservations", "reservation_id", r"\b[A-Z0-9]{6}\b"),
}
"""Domain → the table of records that a request is about, the fact, and what their keys look like in a text."""
_PROFILE: Final = "my profile"
_KINDS: Final = {
    "credit_card": "credit card",
    "gift_card": "gift card",
    "paypal": "PayPal",
    "certificate": "certificate",
}


def first_person(text: str) -> str:
    """Return instructions to a player as the player says them to the agent: "You want your money back" → "I want …"."""
    for pattern, said in _FIRST:
        text = re.sub(pattern, said, text, flags=re.IGNORECASE)
    return re.sub(r"(?:^|(?<=[.!?]\s))[a-z]", lambda found: found[0].upper(), text.strip())


def opening(scenario: Mapping[str, str]) -> str:
    """Return the reason for the call as the customer gives it, without what tells the player how to play."""
    reason = scenario["reason_for_call"] or scenario["ticket"] or scenario["task_instructions"]
    sentences = _ENDS.split(" ".join(reason.split()))
    told = [sentence for sentence in sentences if not _PLAYING.search(sentence)] or sentences[:1]
    plain = re.sub(r"(?<!\.)\.\.(?!\.)", ".", _ASIDE.sub("", " ".join(told)))
    said = first_person(plain.lstrip(" .")).rstrip(" ;,")
    return said if said[-1:] in ".?!" else f"{said}."


def beside(domain: str, scenario: Mapping[str, str], start: Database) -> dict[str, str]:
    """Return what the task tells that no gold write names: which order or reservation, and why."""
    texts = [scenario[name] for name in ("reason_for_call", "known_info", "task_instructions")]
    table, fact, pattern = _TOLD.get(domain, ("", "", "$^"))
    keys = dict.fromkeys(key for text in texts for key in re.findall(pattern, text) if key in start.get(table, {}))
    found = {fact: listed(list(keys))} if keys else {}
    sentences = _ENDS.split(" ".join(scenario["reason_for_call"].split()))
    why = next((one for one in sentences if _WHY.search(one) and not _PLAYING.search(one)), "")
    return found | ({"reason": first_person(why).rstrip(" .;,")} if why else {})


def request(writes: Iterable[Call], start: Database, customer: str) -> dict[str, str]:
    """Return fact → what the writes say of it, in words; values that differ say to which record they belong."""
    calls = list(writes)
    records = list(dict.fromkeys(record for call in calls if (record := _record(call))))
    found: dict[str, dict[str, list[str]]] = {}
    for call in calls:
        for fact, value in _facts(call, start, customer):
            of = found.setdefault(fact, {}).setdefault(value, [])
            if (record := _record(call)) and record not in of:
                of.append(record)
    told = {fact: _joined(fact, values, records) for fact, values in found.items()}
    acts = _acts(calls)
    if len(acts) > 1:
        told |= {fact: _by_act(acts) for fact in _RECORDS if fact in told}
    return told


def _record(call: Call) -> str:
    """Return the order or reservation that a call writes to, or the profile; "" where it names none."""
    if call.name == "modify_user_address":
        return _PROFILE
    return next((str(call.arguments[name]) for name in _RECORDS if call.arguments.get(name)), "")


def _acts(calls: Iterable[Call]) -> dict[str, list[str]]:
    """Return what is to be done to records → which ones, for records that are told apart by it."""
    found: dict[str, list[str]] = {}
    for call in calls:
        record, act = _record(call), _DONE_TO.get(call.name, "")
        if record and act and record not in found.setdefault(act, []):
            found[act].append(record)
    return found if len({record for records in found.values() for record in records}) > 1 else {}


def _by_act(acts: Mapping[str, Sequence[str]]) -> str:
    return "; ".join(act.format(listed(records)) for act, records in acts.items())


def _joined(fact: str, values: Mapping[str, Sequence[str]], records: Sequence[str]) -> str:
    """Return the values of a fact, each with its records where these are not all."""
    if fact in _RECORDS:
        return listed(list(values))
    return "; ".join(
        f"{value} (for {listed(of)})" if of and len(of) < len(records) else value for value, of in values.items()
    )


def _facts(call: Call, start: Database, customer: str) -> Iterable[tuple[str, str]]:
    """Yield what one write says of the facts."""
    methods: Mapping[str, Record] = start.get("users", {}).get(customer, {}).get("payment_methods", {})
    for name, value in call.arguments.items():
        if name in _FACT_OF:
            yield _FACT_OF[name], _worded(name, value, start, methods)
    address = ", ".join(str(call.arguments[name]) for name in _ADDRESS if call.arguments.get(name))
    if address:
        yield "new_address", address


def _worded(name: str, value: Any, start: Database, methods: Mapping[str, Record]) -> str:
    """Return an argument as a customer would say it."""
    if name == "payment_methods" and isinstance(value, list):
        return _payments(value, methods)
    if name in ("payment_id", "payment_method_id"):
        return _method(str(value), methods)
    if name in ("item_ids", "new_item_ids") and isinstance(value, list):
        return listed([_item(str(item), start) for item in value])
    if isinstance(value, list):
        return listed([_row(name, row) for row in value])
    if name == "insurance":
        return "yes, please" if value == "yes" else "no, thank you"
    if name == "gb_amount":
        return f"{value} GB"
    return str(value).replace("_", " ") if name in ("cabin", "flight_type") else str(value)


def _row(name: str, row: Any) -> str:
    """Return a flight or a passenger."""
    if not isinstance(row, Mapping):
        return str(row)
    if name == "passengers":
        return f"{row.get('first_name', '')} {row.get('last_name', '')} (born {row.get('dob', '')})"
    return f"{row.get('flight_number', '')} on {row.get('date', '')}"


def _method(method: str, methods: Mapping[str, Record]) -> str:
    """Return a payment method: its kind, a card's last digits, its id."""
    record = methods.get(method, {})
    kind = _KINDS.get(str(record.get("source")), "")
    digits = f" ending in {record['last_four']}" if record.get("last_four") else ""
    return f"my {kind}{digits} ({method})" if kind else method


def _payments(rows: Sequence[Any], methods: Mapping[str, Record]) -> str:
    """Return how a booking is paid: with an amount where that is neither all that is left nor the rest."""
    said = []
    for place, row in enumerate(rows):
        method, amount = str(row.get("payment_id", "")), row.get("amount")
        whole = methods.get(method, {}).get("amount") == amount
        rest = place == len(rows) - 1
        named = _method(method, methods)
        said.append(named if whole or rest else f"{amount} dollars from {named}")
    return said[0] if len(said) == 1 else f"first {', then '.join(said[:-1])}, and the rest with {said[-1]}"


def listed(texts: Sequence[str]) -> str:
    """Return "a", "a and b", "a, b and c"."""
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}" if texts else ""


def _item(item: str, start: Database) -> str:
    """Return an item by name and options; by its number where no product has it."""
    return start.index("items by number", _items).get(item, item)


def _items(base: Database) -> dict[str, str]:
    """Return item number → its product's name and its options."""
    found = {}
    for key in base.rows("products"):
        product = base["products"][key]
        for number, variant in product["variants"].items():
            options = ", ".join(f"{name}: {option}" for name, option in variant["options"].items())
            found[number] = f"the {product['name']} ({options})" if options else f"the {product['name']}"
    return found
