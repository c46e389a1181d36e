"""What official telecom tasks do before they begin and ask at their end: initialization actions and assertions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from agentgym.envs.customer_service.database import Database
from agentgym.envs.customer_service.official import device, telecom
from agentgym.envs.customer_service.official.sync import sync
from agentgym.envs.customer_service.official.telecom_data import BILL, LINE_ITEM, TODAY
from agentgym.envs.customer_service.official.toolkit import Draft

Action = Callable[..., None]
Assertion = Callable[..., bool]

# ---- Initialization ----------------------------------------------------------------------------------------------


def _set_data_usage(draft: Draft, customer_id: str, line_id: str, data_used_gb: float) -> None:
    draft.find("lines", line_id, f"Line {line_id} not found for customer {customer_id}")
    draft.change("lines", line_id, data_used_gb=float(data_used_gb))


def _suspend_for_bill(draft: Draft, customer_id: str, line_id: str, new_bill_id: str, contract_ended: bool) -> None:
    """Suspend a line for an overdue bill over last month."""
    line = draft.find("lines", line_id, f"Line {line_id} not found for customer {customer_id}")
    customer = draft.find("customers", customer_id, f"Customer with ID {customer_id} not found")
    price = draft.database["plans"][line["plan_id"]]["price_per_month"]
    item = {"description": f"Charge for line {line_id}", "amount": price, "date": TODAY, "item_type": "Charge"}
    bill = BILL({
        "bill_id": new_bill_id, "customer_id": customer_id, "period_start": "2025-01-01", "period_end": "2025-01-31",
        "issue_date": "2025-01-01", "total_due": price, "due_date": "2025-01-15", "line_items": [LINE_ITEM(item)],
        "status": "Overdue",
    })  # fmt: skip
    draft.set("bills", new_bill_id, bill)
    draft.change("customers", customer_id, bill_ids=[*customer["bill_ids"], new_bill_id])
    ended = {"contract_end_date": "2025-01-31"} if contract_ended else {}
    draft.change("lines", line_id, status="Suspended", suspension_start_date=TODAY, **ended)


def _roaming(enabled: bool) -> Action:
    name = "enable_roaming" if enabled else "disable_roaming"

    def run(draft: Draft, customer_id: str, line_id: str) -> None:
        telecom.TOOLS.tools[name].run(draft, customer_id=customer_id, line_id=line_id)

    return run


def _set(then_search: bool = False, **fields: Any) -> Action:
    """Set fields of the phone."""

    def run(draft: Draft) -> None:
        (device.search if then_search else device.put)(draft, **fields)

    return run


def _lock_sim_card(draft: Draft, mode: str) -> None:
    device.search(draft, sim_card_status={"pin": "locked_pin", "puk": "locked_puk"}[mode])


def _set_network_mode_preference(draft: Draft, mode: str) -> None:
    device.PREFERRED[mode]
    device.search(draft, network_mode_preference=mode)


def _set_wifi_calling(draft: Draft, enabled: bool, mms_over_wifi: bool | None = None) -> None:
    over = {} if mms_over_wifi is None else {"wifi_calling_mms_over_wifi": mms_over_wifi}
    device.put(draft, wifi_calling_enabled=enabled, **over)


def _break_apn(then_search: bool = False, **fields: Any) -> Action:
    def run(draft: Draft) -> None:
        settings = {**device.phone(draft)["active_apn_settings"], **fields}
        (device.search if then_search else device.put)(draft, active_apn_settings=settings)

    return run


def _remove_app_permission(draft: Draft, app_name: str, permission: str) -> None:
    apps = device.phone(draft)["app_statuses"]
    app = apps[app_name]
    app["permissions"][permission]
    without = {**app, "permissions": {**app["permissions"], permission: False}}
    device.put(draft, app_statuses={**apps, app_name: without})


def _break_vpn(draft: Draft) -> None:
    """Connect a poor VPN; from now on every connection is."""
    draft.set("user", "vpn", {"server_performance": "poor"})
    details = {"server_address": "192.168.1.1", "protocol": "OpenVPN", "server_performance": "poor"}
    device.put(draft, vpn_connected=True, vpn_details=details)


ACTIONS: Final[Mapping[tuple[str, str], Action]] = {
    ("assistant", "set_data_usage"): _set_data_usage,
    ("assistant", "suspend_line_for_overdue_bill"): _suspend_for_bill,
    ("assistant", "enable_roaming"): _roaming(True),
    ("assistant", "disable_roaming"): _roaming(False),
    ("user", "set_user_info"): lambda draft, name, phone_number: device.put_place(
        draft, name=name, phone_number=phone_number
    ),
    ("user", "set_user_location"): lambda draft, abroad: device.put_place(draft, is_abroad=abroad),
    ("user", "turn_roaming_on"): _set(True, roaming_enabled=True),
    ("user", "turn_roaming_off"): _set(True, roaming_enabled=False),
    ("user", "turn_data_on"): _set(True, data_enabled=True),
    ("user", "turn_data_off"): _set(True, data_enabled=False),
    ("user", "turn_data_saver_mode_on"): _set(data_saver_mode=True),
    ("user", "turn_data_saver_mode_off"): _set(data_saver_mode=False),
    ("user", "turn_airplane_mode_on"): _set(True, airplane_mode=True),
    ("user", "turn_airplane_mode_off"): _set(True, airplane_mode=False),
    ("user", "unseat_sim_card"): _set(True, sim_card_missing=True),
    ("user", "lock_sim_card"): _lock_sim_card,
    ("user", "set_network_mode_preference"): _set_network_mode_preference,
    ("user", "set_wifi_calling"): _set_wifi_calling,
    ("user", "break_apn_settings"): _break_apn(True, apn_name="broken"),
    ("user", "break_apn_mms_setting"): _break_apn(mmsc_url=None),
    ("user", "break_vpn"): _break_vpn,
    ("user", "remove_app_permission"): _remove_app_permission,
    ("user", "simulate_network_search"): device.search,
}
"""(side, name) → what an initialization action does; its arguments by name."""

# ---- Assertions --------------------------------------------------------------------------------------------------


def _speed_is(draft: Draft, expected_speed: float | None = None, expected_desc: str | None = None) -> bool:
    found = device.speed(draft)
    if found is None:
        return False
    fast = expected_speed is None or found.mbps >= expected_speed
    return fast and (expected_desc is None or found.word.lower() == expected_desc.lower())


def _no_overdue_bill(draft: Draft, overdue_bill_id: str) -> bool:
    bill = draft.database["bills"].get(overdue_bill_id)
    return bill is None or bill["status"] == "Paid"


def _refueled(draft: Draft, customer_id: str, line_id: str, expected_amount: float) -> bool:
    return bool(draft.database["lines"][line_id]["data_refueling_gb"] == expected_amount)


ASSERTIONS: Final[Mapping[tuple[str, str], Assertion]] = {
    ("assistant", "assert_data_refueling_amount"): _refueled,
    ("assistant", "assert_no_overdue_bill"): _no_overdue_bill,
    ("user", "assert_mobile_data_status"): lambda draft, expected_status: (
        device.data_works(draft) is bool(expected_status)
    ),
    ("user", "assert_internet_speed"): _speed_is,
    ("user", "assert_service_status"): lambda draft, expected_status: (
        device.phone(draft)["network_connection_status"] == expected_status
    ),
    ("user", "assert_can_send_mms"): lambda draft, expected_status: device.can_send_mms(draft) is bool(expected_status),
}
"""(side, name) → whether what an assertion asks for is so; its arguments by name."""


def prepare(database: Database, side: str, name: str, arguments: Mapping[str, Any]) -> Database:
    """Return the database after an initialization action and the sync that follows it.

    Raises:
        Refusal, KeyError, TypeError: there is no such action, or it fails.
    """
    draft = Draft(database)
    ACTIONS[side, name](draft, **arguments)
    sync(draft)
    return draft.database


def holds(database: Database, side: str, name: str, arguments: Mapping[str, Any]) -> bool:
    """Whether an assertion holds.

    Raises:
        KeyError, TypeError: there is no such assertion, or it fails.
    """
    return ASSERTIONS[side, name](Draft(database), **arguments)
