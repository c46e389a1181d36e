"""The official telecom tools of the agent."""

# ruff: noqa: D417 - a draft is no argument of the tool, so its docstring does not list it

from __future__ import annotations

import json
from typing import Any, Final

from agentgym.envs.customer_service.database import Record
from agentgym.envs.customer_service.official.sync import sync
from agentgym.envs.customer_service.official.telecom_data import BILL, LINE_ITEM, TODAY
from agentgym.envs.customer_service.official.toolkit import Draft, Refusal, Toolkit, shown

TOOLS: Final = Toolkit(after=sync)


def _customer(draft: Draft, customer_id: Any) -> Record:
    missing = f"Customer with ID {customer_id} not found"
    return draft.find("customers", customer_id, missing)


def _line(draft: Draft, customer_id: Any, line_id: Any) -> Record:
    """Return a line of a customer."""
    missing = f"Line {line_id} not found for customer {customer_id}"
    if line_id not in _customer(draft, customer_id)["line_ids"]:
        raise Refusal(missing)
    return draft.find("lines", line_id, missing)


# ---- Reading -----------------------------------------------------------------------------------------------------


@TOOLS.tool("read")
def get_customer_by_phone(draft: Draft, *, phone_number: str) -> str:
    """Find a customer by their own number or the number of one of their lines.

    Args:
        phone_number: such as "555-123-0000".
    """
    lines = draft.database["lines"]
    for key in draft.database.rows("customers"):
        customer = draft.database["customers"][key]
        numbers = [lines[line]["phone_number"] for line in customer["line_ids"] if line in lines]
        if customer["phone_number"] == phone_number or phone_number in numbers:
            return shown(draft, "customers", key)
    raise Refusal(f"Customer with phone number {phone_number} not found")


@TOOLS.tool("read")
def get_customer_by_id(draft: Draft, *, customer_id: str) -> str:
    """Read a customer.

    Args:
        customer_id: such as "C0000".
    """
    _customer(draft, customer_id)
    return shown(draft, "customers", customer_id)


@TOOLS.tool("read")
def get_customer_by_name(draft: Draft, *, full_name: str, dob: str) -> str:
    """Find customers by name, in any case of letters, and date of birth.

    Args:
        full_name: such as "Ada Byron".
        dob: such as "1990-01-31".
    """
    wanted, customers = full_name.lower(), draft.database["customers"]
    found = [
        shown(draft, "customers", key)
        for key in draft.database.rows("customers")
        if customers[key]["full_name"].lower() == wanted and customers[key]["date_of_birth"] == dob
    ]
    return f"[{', '.join(found)}]"


_KINDS: Final = {
    "L": ("lines", "Line"),
    "D": ("devices", "Device"),
    "B": ("bills", "Bill"),
    "C": ("customers", "Customer"),
    "P": ("plans", "Plan"),
}


@TOOLS.tool("read")
def get_details_by_id(draft: Draft, *, id: str) -> str:
    """Read a customer, line, device, bill or plan.

    Args:
        id: its first letter says which it is: C, L, D, B or P.
    """
    table, name = next((kind for letter, kind in _KINDS.items() if id.startswith(letter)), ("", ""))
    if not table:
        raise Refusal(f"Unknown ID format or type: {id}")
    draft.find(table, id, f"{name} with ID {id} not found")
    return shown(draft, table, id)


@TOOLS.tool("read")
def get_bills_for_customer(draft: Draft, *, customer_id: str, limit: int = 12) -> str:
    """Read a customer's bills, the newest first.

    Args:
        customer_id: such as "C0000".
        limit: how many at most.
    """
    bills = [draft.database["bills"][key] for key in _customer(draft, customer_id)["bill_ids"]]
    bills.sort(key=lambda bill: str(bill["issue_date"]), reverse=True)
    return f"[{', '.join(shown(draft, 'bills', bill['bill_id']) for bill in bills[:limit])}]"


@TOOLS.tool("read")
def get_data_usage(draft: Draft, *, customer_id: str, line_id: str) -> str:
    """Read how much data a line has used in this cycle, and how much it may use.

    Args:
        customer_id: such as "C0000".
        line_id: such as "L0000".
    """
    line = _line(draft, customer_id, line_id)
    plan = draft.find("plans", line["plan_id"], f"Plan with ID {line['plan_id']} not found")
    used = {
        "line_id": line_id,
        "data_used_gb": str(line["data_used_gb"]),
        "data_limit_gb": str(plan["data_limit_gb"]),
        "data_refueling_gb": str(line["data_refueling_gb"]),
        "cycle_end_date": "2025-02-28",  # the end of the month of TODAY
    }
    return json.dumps(used)


# ---- Writing -----------------------------------------------------------------------------------------------------


@TOOLS.tool("write")
def suspend_line(draft: Draft, *, customer_id: str, line_id: str, reason: str) -> str:
    """Suspend an active line.

    Args:
        customer_id: such as "C0000".
        line_id: such as "L0000".
        reason: why.
    """
    if _line(draft, customer_id, line_id)["status"] != "Active":
        raise Refusal("Line must be active to suspend")
    draft.change("lines", line_id, status="Suspended", suspension_start_date=TODAY)
    return _with_line(draft, "Line suspended successfully. $5/month holding fee will apply.", line_id)


def _with_line(draft: Draft, message: str, line_id: str) -> str:
    return f'{{"message": {json.dumps(message)}, "line": {shown(draft, "lines", line_id)}}}'


@TOOLS.tool("write")
def resume_line(draft: Draft, *, customer_id: str, line_id: str) -> str:
    """Resume a suspended line.

    Args:
        customer_id: such as "C0000".
        line_id: such as "L0000".
    """
    if _line(draft, customer_id, line_id)["status"] not in ("Suspended", "Pending Activation"):
        raise Refusal("Line must be suspended to resume")
    draft.change("lines", line_id, status="Active", suspension_start_date=None)
    return _with_line(draft, "Line resumed successfully", line_id)


@TOOLS.tool("write")
def send_payment_request(draft: Draft, *, customer_id: str, bill_id: str) -> str:
    """Ask a customer to pay a bill; one bill at a time.

    Args:
        customer_id: such as "C0000".
        bill_id: such as "B0000".
    """
    customer = _customer(draft, customer_id)
    bills = draft.database["bills"]
    if any(bills[key]["status"] == "Awaiting Payment" for key in customer["bill_ids"] if key in bills):
        raise Refusal("A bill is already awaiting payment for this customer")
    if bill_id not in customer["bill_ids"]:
        raise Refusal(f"Bill {bill_id} not found for customer {customer_id}")
    draft.change("bills", bill_id, status="Awaiting Payment")
    return f"Payment request sent to the customer for bill {bill_id}"


def _roam(draft: Draft, customer_id: str, line_id: str, enabled: bool) -> str:
    word = "enabled" if enabled else "disabled"
    if bool(_line(draft, customer_id, line_id)["roaming_enabled"]) is enabled:
        return f"Roaming was already {word}"
    draft.change("lines", line_id, roaming_enabled=enabled)
    return f"Roaming {word} successfully"


@TOOLS.tool("write")
def enable_roaming(draft: Draft, *, customer_id: str, line_id: str) -> str:
    """Allow roaming on a line.

    Args:
        customer_id: such as "C0000".
        line_id: such as "L0000".
    """
    return _roam(draft, customer_id, line_id, True)


@TOOLS.tool("write")
def disable_roaming(draft: Draft, *, customer_id: str, line_id: str) -> str:
    """Stop roaming on a line.

    Args:
        customer_id: such as "C0000".
        line_id: such as "L0000".
    """
    return _roam(draft, customer_id, line_id, False)


@TOOLS.tool("write")
def refuel_data(draft: Draft, *, customer_id: str, line_id: str, gb_amount: float) -> str:
    """Add data to a line, at the price of its plan; say the price and get an explicit yes first.

    Args:
        customer_id: such as "C0000".
        line_id: such as "L0000".
        gb_amount: how many GB.
    """
    line = _line(draft, customer_id, line_id)
    if gb_amount <= 0:
        raise Refusal("Refuel amount must be positive")
    price = draft.find("plans", line["plan_id"], f"Plan with ID {line['plan_id']} not found")[
        "data_refueling_price_per_gb"
    ]
    charge = gb_amount * price
    refueled = line["data_refueling_gb"] + gb_amount
    draft.change("lines", line_id, data_refueling_gb=refueled)
    _charge(draft, customer_id, charge, f"Data refueling: {gb_amount} GB at ${price}/GB")
    message = f"Successfully added {gb_amount} GB of data for line {line_id} for ${charge:.2f}"
    return json.dumps({"message": message, "new_data_refueling_gb": str(refueled), "charge": str(charge)})


def _charge(draft: Draft, customer_id: str, amount: float, description: str) -> None:
    """Put a charge on the customer's first draft of a bill, or on a new one for the next month."""
    customer, bills = draft.database["customers"][customer_id], draft.database["bills"]
    item = LINE_ITEM({"description": description, "amount": amount, "date": TODAY, "item_type": "Charge"})
    draft_id = next((key for key in customer["bill_ids"] if bills[key]["status"] == "Draft"), None)
    if draft_id is not None:
        bill = bills[draft_id]
        draft.change("bills", draft_id, line_items=[*bill["line_items"], item], total_due=bill["total_due"] + amount)
        return
    number = 1  # the official id is random; ours is the first free one
    while f"Bf{number:07x}" in bills:
        number += 1
    made = BILL({
        "bill_id": f"Bf{number:07x}", "customer_id": customer_id, "period_start": "2025-03-01",
        "period_end": "2025-03-31", "issue_date": "2025-03-01", "total_due": amount, "due_date": "2025-03-15",
        "line_items": [item], "status": "Draft",
    })  # fmt: skip
    draft.set("bills", made["bill_id"], made)
    draft.change("customers", customer_id, bill_ids=[*customer["bill_ids"], made["bill_id"]])


@TOOLS.tool("generic")
def transfer_to_human_agents(draft: Draft, *, summary: str) -> str:
    """Hand the customer over to a human agent; only where policy says so, or where no tool can help.

    Args:
        summary: the customer's concern, in short.
    """
    return "Transfer successful"
