"""The official step after every telecom call: what the company knows reaches the phone, and payments the company."""

from __future__ import annotations

from agentgym.envs.customer_service.database import Record
from agentgym.envs.customer_service.official.toolkit import Draft


def sync(draft: Draft) -> None:
    """Bring both sides together, if the customer has a phone number.

    Raises:
        KeyError: no line, plan or customer belongs to the number.
    """
    around = draft.database["user"]["surroundings"]
    number = around["phone_number"]
    if not number:
        return
    line = _line(draft, number)
    plan = draft.database["plans"][line["plan_id"]]
    request = _request(draft, around, _customer(draft, line))
    used = line["data_used_gb"] >= plan["data_limit_gb"] + line["data_refueling_gb"]
    now = {
        **around,
        "line_active": line["status"] == "Active",
        "roaming_allowed": line["roaming_enabled"],
        "mobile_data_usage_exceeded": used,
        "payment_request": request,
    }
    if now != around:
        draft.set("user", "surroundings", now)


def _line(draft: Draft, number: str) -> Record:
    for key in draft.database.rows("lines"):
        line = draft.database["lines"][key]
        if line["phone_number"] == number:
            return line
    raise KeyError(f"no line has the number {number}")


def _customer(draft: Draft, line: Record) -> Record:
    for key in draft.database.rows("customers"):
        customer = draft.database["customers"][key]
        if line["line_id"] in customer["line_ids"]:
            return customer
    raise KeyError(f"no customer has the line {line['line_id']}")


def _request(draft: Draft, around: Record, customer: Record) -> Record | None:
    """Return the payment request as it is now, having noted a payment on its bill."""
    request: Record | None = around["payment_request"]
    if request is not None and request["paid"]:
        draft.change("bills", request["bill_id"], status="Paid")
        request = None
    if request is None:
        for key in customer["bill_ids"]:
            bill = draft.database["bills"].get(key)
            if bill is not None and bill["status"] == "Awaiting Payment":
                return {"bill_id": key, "amount_due": bill["total_due"], "paid": False}
    return request
