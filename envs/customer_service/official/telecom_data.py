"""Telecom's records: the official models of the agent's side and of the customer's phone.

The official tables are lists; here they are keyed by their ids, and `dump` makes lists again. The customer's side is
the table `user` with the records `device` and `surroundings`, and `vpn` where an official fault has struck:
"break_vpn" spoils the profile of every later connection, so this record stands for it.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, Final

from agentgym.envs.customer_service.database import Database
from agentgym.envs.customer_service.official.values import (
    Invalid,
    Model,
    decimal,
    flag,
    keyed,
    listed,
    maybe,
    one_of,
    text,
    whole,
)

TODAY: Final = "2025-02-25"
"""The official date stands still."""

KEYS: Final = {
    "plans": "plan_id",
    "customers": "customer_id",
    "lines": "line_id",
    "bills": "bill_id",
    "devices": "device_id",
}


def day(value: Any) -> str:
    """A date, such as 2025-02-25."""
    try:
        return date.fromisoformat(text(value)).isoformat()
    except ValueError as error:
        raise Invalid(f"a date is needed, not {value!r:.60}") from error


def moment(value: Any) -> str:
    """A time; comes out with a blank: 2025-01-20 14:30:00."""
    try:
        return str(datetime.fromisoformat(text(value)))
    except ValueError as error:
        raise Invalid(f"a time is needed, not {value!r:.60}") from error


def _model(name: str, fields: dict[str, Any], /, **defaults: Any) -> Model:
    return Model(name, fields, defaults, closed=True)


PLAN: Final = _model(
    "Plan",
    {
        "plan_id": text,
        "name": text,
        "data_limit_gb": decimal,
        "price_per_month": decimal,
        "data_refueling_price_per_gb": decimal,
    },
)
AGENT_DEVICE: Final = _model(
    "Device",
    {
        "device_id": text,
        "device_type": text,
        "model": text,
        "imei": maybe(text),
        "is_esim_capable": flag,
        "activated": flag,
        "activation_date": maybe(moment),
        "last_esim_transfer_date": maybe(moment),
    },
    imei=None,
    activated=False,
    activation_date=None,
    last_esim_transfer_date=None,
)
LINE: Final = _model(
    "Line",
    {
        "line_id": text,
        "phone_number": text,
        "status": text,
        "plan_id": text,
        "device_id": maybe(text),
        "data_used_gb": decimal,
        "data_refueling_gb": decimal,
        "roaming_enabled": flag,
        "contract_end_date": maybe(day),
        "last_plan_change_date": maybe(day),
        "last_sim_replacement_date": maybe(day),
        "suspension_start_date": maybe(day),
    },
    device_id=None,
    data_used_gb=0.0,
    data_refueling_gb=0.0,
    roaming_enabled=False,
    contract_end_date=None,
    last_plan_change_date=None,
    last_sim_replacement_date=None,
    suspension_start_date=None,
)
LINE_ITEM: Final = _model("LineItem", {"description": text, "amount": decimal, "date": day, "item_type": text})
BILL: Final = _model(
    "Bill",
    {
        "bill_id": text,
        "customer_id": text,
        "period_start": day,
        "period_end": day,
        "issue_date": day,
        "total_due": decimal,
        "due_date": day,
        "line_items": listed(LINE_ITEM),
        "status": text,
    },
    line_items=[],
)
CUSTOMER: Final = _model(
    "Customer",
    {
        "customer_id": text,
        "full_name": text,
        "date_of_birth": text,
        "email": text,
        "phone_number": text,
        "address": _model("Address", dict.fromkeys(("street", "city", "state", "zip_code"), text)),
        "account_status": text,
        "payment_methods": listed(
            _model("PaymentMethod", dict.fromkeys(("method_type", "account_number_last_4", "expiration_date"), text))
        ),
        "line_ids": listed(text),
        "bill_ids": listed(text),
        "created_at": moment,
        "last_extension_date": maybe(day),
        "goodwill_credit_used_this_year": decimal,
    },
    last_extension_date=None,
    goodwill_credit_used_this_year=0.0,
)
MMSC: Final = "http://mms.carrier.com/mms/wapenc"
APN: Final = _model(
    "APNSettings",
    {
        "apn_name": one_of("internet", "broken"),
        "reset_at_reboot": flag,
        "mms_apn": maybe(text),
        "mmsc_url": maybe(text),
        "mms_proxy": maybe(text),
        "mms_port": maybe(whole),
    },
    apn_name="internet",
    reset_at_reboot=False,
    mms_apn="mms",
    mmsc_url=MMSC,
    mms_proxy=None,
    mms_port=None,
)
PERMISSIONS: Final = ("sms", "storage", "phone", "network")
_APP: Final = _model(
    "AppStatus", {"app_name": text, "permissions": _model("Permissions", dict.fromkeys(PERMISSIONS, flag))}
)
_SIGNAL: Final = one_of("none", "poor", "fair", "good", "excellent")
_PHONE: Final[dict[str, tuple[Any, Any]]] = {  # field → check, what it is where a file does not say
    "sim_card_status": (one_of("active", "missing", "locked_pin", "locked_puk"), "active"),
    "sim_card_missing": (flag, False),
    "airplane_mode": (flag, False),
    "network_signal_strength": (_SIGNAL, "good"),
    "network_technology_connected": (one_of("none", "2G", "3G", "4G", "5G"), "5G"),
    "network_connection_status": (text, "connected"),
    "battery_level": (whole, 80),
    "data_enabled": (flag, True),
    "roaming_enabled": (flag, False),
    "network_mode_preference": (one_of("4g_5g_preferred", "4g_only", "3g_only", "2g_only"), "4g_5g_preferred"),
    "active_apn_settings": (APN, APN({})),
    "wifi_enabled": (flag, False),
    "wifi_connected": (flag, False),
    "wifi_ssid": (maybe(text), None),
    "wifi_signal_strength": (_SIGNAL, "none"),
    "wifi_calling_enabled": (flag, False),
    "wifi_calling_mms_over_wifi": (flag, False),
    "data_saver_mode": (flag, False),
    "vpn_enabled_setting": (flag, False),
    "vpn_connected": (flag, False),
    "vpn_details": (maybe(keyed(text)), None),
    "app_statuses": (keyed(_APP), {}),
}
PHONE: Final = _model(
    "MockPhoneAttributes",
    {name: check for name, (check, _) in _PHONE.items()},
    **{name: default for name, (_, default) in _PHONE.items()},
)
_PLACE: Final[dict[str, tuple[Any, Any]]] = {
    "name": (maybe(text), None),
    "phone_number": (maybe(text), None),
    "is_abroad": (flag, False),
    "roaming_allowed": (flag, False),
    "signal_strength": (keyed(_SIGNAL), {"2G": "poor", "3G": "fair", "4G": "good", "5G": "excellent"}),
    "mobile_data_usage_exceeded": (flag, False),
    "line_active": (flag, True),
    "payment_request": (
        maybe(_model("PaymentRequest", {"bill_id": text, "amount_due": decimal, "paid": flag}, paid=False)),
        None,
    ),
}
SURROUNDINGS: Final = _model(
    "UserSurroundings",
    {name: check for name, (check, _) in _PLACE.items()},
    **{name: default for name, (_, default) in _PLACE.items()},
)
MODELS: Final = {"plans": PLAN, "customers": CUSTOMER, "lines": LINE, "bills": BILL, "devices": AGENT_DEVICE}
USER_MODELS: Final = {"device": PHONE, "surroundings": SURROUNDINGS}


def dump(database: Database) -> dict[str, Any]:
    """Return the agent's database in the shape of the official dump, lists in the order of their table."""
    return {name: [database[name][key] for key in database.rows(name)] for name in MODELS}


def user_dump(database: Database) -> dict[str, Any]:
    """Return the customer's database in the shape of the official dump."""
    return {name: database["user"][name] for name in USER_MODELS}
