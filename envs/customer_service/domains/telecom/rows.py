"""The database of Heathline, made from a seed: customers, their lines, bills and phones, and what is out of order.

The first line of a customer is the one whose SIM card is in the phone.
"""

from __future__ import annotations

from datetime import date
from functools import cache
from typing import Any, Final

from agentgym.envs.customer_service import money
from agentgym.envs.customer_service.database import Database, Record
from agentgym.envs.customer_service.domains.telecom.names import AREAS, FIRST, LAST, MODELS, STREETS
from agentgym.envs.customer_service.domains.telecom.plans import PACKS, PLANS
from agentgym.envs.customer_service.domains.telecom.volumes import gigabytes
from agentgym.rng import TurnRng

CLOCK: Final = "2025-03-17 10:00:00"
TODAY: Final = CLOCK[:10]
HOME: Final = "home"
CUSTOMERS: Final = 520

_SEED: Final = 7_302_025
_MONTHS: Final = ("2025-01", "2025-02", "2025-03")
_SHARES: Final = {"active": 0.70, "unpaid": 0.17, "wish": 0.05, "barred": 0.08}
_WHY: Final = {"active": "", "unpaid": "overdue bill", "wish": "wish of the customer", "barred": "suspected misuse"}
_PLAN_IDS: Final = tuple(PLANS)
_PLAN_WEIGHTS: Final = tuple(1.0 if plan["on_sale"] else 0.4 for plan in PLANS.values())
_OUTAGES: Final = (
    ("2025-03-16 21:40", "18:30", "a mast without power"),
    ("2025-03-17 06:15", "14:45", "a cable cut by road works"),
    ("2025-03-17 08:05", "20:15", "storm damage to a mast"),
    ("2025-03-17 07:20", "16:10", "a faulty exchange"),
)

Tables = dict[str, dict[str, Record]]


@cache
def build() -> Database:
    """Return the base; the same object each time."""
    rng = TurnRng(_SEED, stream="telecom")
    tables: Tables = {name: {} for name in ("customers", "lines", "bills", "devices")}
    tables["plans"] = dict(PLANS)
    tables["outages"] = _outages(rng)
    tables["tickets"] = {}
    numbers = _numbers(rng)
    taken: set[tuple[str, str]] = set()
    for index in range(CUSTOMERS):
        _add_customer(tables, rng, f"HC{10_400 + 13 * index}", numbers, taken)
    return Database(tables)


def months_later(day: str, months: int) -> str:
    """Return the day as many months later, at most the 28th."""
    begun = date.fromisoformat(day)
    years, month = divmod(begun.month - 1 + months, 12)
    return date(begun.year + years, month + 1, min(begun.day, 28)).isoformat()


def _outages(rng: TurnRng) -> dict[str, Record]:
    areas = rng.shuffled(AREAS)[: len(_OUTAGES)]
    return {
        area: {"area": area, "since": since, "expected_until": f"{TODAY} {until}", "cause": cause}
        for area, (since, until, cause) in zip(sorted(areas), _OUTAGES, strict=True)
    }


def _numbers(rng: TurnRng) -> list[str]:
    """Return more different telephone numbers than there will be lines."""
    found: dict[str, None] = {}
    while len(found) < 3 * CUSTOMERS:
        digits = f"{rng.integers(10**8):08}"
        found[f"06{digits[:2]} {digits[2:5]} {digits[5:]}"] = None
    return list(found)


def _add_customer(tables: Tables, rng: TurnRng, key: str, numbers: list[str], taken: set[tuple[str, str]]) -> None:
    while True:
        name = f"{rng.choice(FIRST)} {rng.choice(LAST)}"
        born = date(1942 + rng.integers(64), 1 + rng.integers(12), 1 + rng.integers(28)).isoformat()
        if (name, born) not in taken:
            break
    taken.add((name, born))
    ended = rng.random() < 0.28
    lines = [_add_line(tables, rng, key, numbers.pop()) for _ in range(1 + rng.choice((0, 1, 2), (0.6, 0.3, 0.1)))]
    tables["customers"][key] = {
        "customer_id": key,
        "name": name,
        "birth_date": born,
        "email": f"{name.lower().replace(' ', '.')}{rng.integers(10, 99)}@post.example",
        "area": rng.choice(AREAS),
        "street": f"{rng.choice(STREETS)} {1 + rng.integers(140)}",
        "card": {
            "last_four": f"{rng.integers(10_000):04}",
            "valid_until": f"{2024 if ended else 2026 + rng.integers(4)}-{1 + rng.integers(12):02}",
        },
        "payment_request": None,
        "line_ids": lines,
    }
    tables["devices"][key] = _device(rng, key, lines[0])


def _add_line(tables: Tables, rng: TurnRng, customer: str, number: str) -> str:
    key = f"HL{204_000 + 17 * len(tables['lines'])}"
    plan = PLANS[rng.choice(_PLAN_IDS, _PLAN_WEIGHTS)]
    state = rng.choice(tuple(_SHARES), tuple(_SHARES.values()))
    since = months_later(f"{TODAY[:8]}{1 + rng.integers(28):02}", -1 - rng.integers(34))
    pack = rng.choice(tuple(PACKS)) if rng.random() < 0.25 else 0
    allowance = 10 * (plan["data_gb"] + pack)
    used_up = rng.random() < 0.24
    tables["lines"][key] = {
        "line_id": key,
        "customer": customer,
        "phone": number,
        "status": "suspended" if state in ("unpaid", "wish") else state,
        "status_reason": _WHY[state],
        "plan_id": plan["plan_id"],
        "since": since,
        "minimum_term_until": months_later(since, plan["minimum_term_months"]) if plan["minimum_term_months"] else None,
        "data_used_gb": gigabytes(allowance if used_up else allowance // 20 + rng.integers(allowance * 9 // 10)),
        "extra_gb": pack,
        "next_bill_extras": [{"what": f"{pack} GB of extra data", "amount": PACKS[pack]}] if pack else [],
        "roaming_allowed": plan["roaming"] != "none" and rng.random() < 0.5,
        "unlock_code": f"{rng.integers(10**8):08}",
    }
    _add_bills(tables, rng, tables["lines"][key], plan["monthly_price"], state)
    return key


def _add_bills(tables: Tables, rng: TurnRng, line: Record, price: str, state: str) -> None:
    """Write three monthly bills of a line; of one suspended for it the second is overdue, perhaps the first too."""
    late = {"unpaid": (rng.random() < 0.3, True, False)}.get(state, (False, rng.random() < 0.05, False))
    for month, overdue in zip(_MONTHS, late, strict=True):
        key = f"HB{3_100_000 + 29 * len(tables['bills'])}"
        items = [{"what": "monthly price", "amount": price}, *_extras(rng)]
        total = money.text(sum(money.cents(item["amount"]) for item in items))
        waits = month == _MONTHS[-1] and (state == "unpaid" or rng.random() < 0.45)
        unpaid = overdue or waits
        tables["bills"][key] = {
            "bill_id": key,
            "line_id": line["line_id"],
            "customer": line["customer"],
            "date": f"{month}-01",
            "due": f"{month}-21",
            "items": items,
            "total": total,
            "paid": "0.00" if unpaid else total,
            "paid_on": None if unpaid else f"{month}-{4 + rng.integers(13):02}",
            "status": "overdue" if overdue else "open" if waits else "paid",
        }


def _extras(rng: TurnRng) -> list[Record]:
    """Return what a month cost beyond the plan's price."""
    found = []
    if rng.random() < 0.3:
        pack = rng.choice(tuple(PACKS))
        found.append({"what": f"{pack} GB of extra data", "amount": PACKS[pack]})
    if rng.random() < 0.3:
        found.append({"what": "calls to foreign numbers", "amount": money.text(120 + rng.integers(1900))})
    if rng.random() < 0.2:
        days = 1 + rng.integers(5)
        found.append({"what": f"roaming outside Europe, {days} days", "amount": money.text(650 * days)})
    return found


def _device(rng: TurnRng, customer: str, line: str) -> dict[str, Any]:
    """Return a phone in order, with the settings that its owner likes."""
    return {
        "customer": customer,
        "line_id": line,
        "model": rng.choice(MODELS),
        "country": HOME,
        "airplane_mode": False,
        "sim": "seated",
        "mobile_data": True,
        "data_roaming": rng.random() < 0.4,
        "network_mode": "4g_only" if rng.random() < 0.35 else "automatic",
        "data_saver": rng.random() < 0.45,
        "vpn": rng.random() < 0.45,
        "access_point": "work" if rng.random() < 0.3 else "standard",
        "restart_needed": False,
    }
