"""A telephone company of our own in the shape of the official data, and its customer's phone."""

from __future__ import annotations

from typing import Any

from agentgym.envs.customer_service.database import Database
from agentgym.envs.customer_service.official.domains import DOMAINS
from agentgym.envs.customer_service.official.telecom_setup import prepare

ADDRESS = {"street": "1 Mill Lane", "city": "Ely", "state": "", "zip_code": "CB7"}


def line(number: str, phone: str, status: str = "Active", **fields: Any) -> dict[str, Any]:
    return {
        "line_id": number, "phone_number": phone, "status": status, "plan_id": "P1", "device_id": "D1",
        "data_used_gb": 1.5, "data_refueling_gb": 0, "roaming_enabled": False, **fields,
    }  # fmt: skip


def bill(number: str, owner: str, issued: str, due: float, status: str) -> dict[str, Any]:
    return {
        "bill_id": number, "customer_id": owner, "period_start": issued, "period_end": issued, "issue_date": issued,
        "total_due": due, "due_date": issued, "status": status,
    }  # fmt: skip


def customer(number: str, name: str, phone: str, lines: list[str], bills: list[str]) -> dict[str, Any]:
    return {
        "customer_id": number, "full_name": name, "date_of_birth": "1990-01-31", "email": f"{number}@example.com",
        "phone_number": phone, "address": ADDRESS, "account_status": "Active", "payment_methods": [],
        "line_ids": lines, "bill_ids": bills, "created_at": "2025-01-15T10:30:00",
    }  # fmt: skip


RAW: dict[str, list[dict[str, Any]]] = {
    "plans": [
        {
            "plan_id": "P1",
            "name": "Small",
            "data_limit_gb": 5,
            "price_per_month": 40,
            "data_refueling_price_per_gb": 2.0,
        }
    ],
    "customers": [
        customer("C2", "Ada Byron", "07", ["L2", "L1"], ["B1", "B2"]),
        customer("C1", "Bob Ode", "08", ["L3"], ["B3"]),
    ],
    "lines": [line("L2", "072"), line("L1", "071", "Suspended"), line("L3", "08", "Pending Activation")],
    "bills": [
        bill("B1", "C2", "2025-01-05", 40.0, "Paid"),
        bill("B2", "C2", "2025-02-05", 50.5, "Overdue"),
        bill("B3", "C1", "2025-03-01", 0.0, "Draft"),
    ],
    "devices": [{"device_id": "D1", "device_type": "phone", "model": "One", "is_esim_capable": True}],
}
APPS = {
    name: {"app_name": name, "permissions": {"sms": sms, "storage": True, "phone": False, "network": False}}
    for name, sms in (("messaging", True), ("browser", False))
}


def company(**device: Any) -> Database:
    """The company, before anyone has a phone number."""
    domain = DOMAINS["telecom"]
    tables = {name: {row[domain.keys[name]]: check(row) for row in RAW[name]} for name, check in domain.models.items()}
    user = {"device": domain.user_models["device"]({"app_statuses": APPS, **device})}
    return domain.build({**tables, "user": {**user, "surroundings": domain.user_models["surroundings"]({})}})


def with_phone(number: str = "072", **device: Any) -> Database:
    """The company, with the customer's phone on one of its lines."""
    return prepare(company(**device), "user", "set_user_info", {"name": "Ada Byron", "phone_number": number})
