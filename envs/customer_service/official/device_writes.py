"""The official telecom tools of the customer: what they can do on their phone."""

# ruff: noqa: D417 - a draft is no argument of the tool, so its docstring does not list it

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal

from agentgym.envs.customer_service.official.device import (
    PREFERRED,
    apn,
    phone,
    place,
    put,
    put_place,
    search,
    status_bar,
)
from agentgym.envs.customer_service.official.device_tools import TOOLS, word
from agentgym.envs.customer_service.official.telecom_data import APN
from agentgym.envs.customer_service.official.toolkit import Draft
from agentgym.turn import copy_json

__all__ = ["TOOLS"]

VPN: Final = {"server_address": "192.168.1.1", "protocol": "OpenVPN", "server_performance": "excellent"}
_NO_WIFI: Final[dict[str, Any]] = {"wifi_connected": False, "wifi_ssid": None, "wifi_signal_strength": "none"}
_NO_VPN: Final[dict[str, Any]] = {"vpn_connected": False, "vpn_details": None}


def _said(draft: Draft, message: str) -> str:
    return f"{message}\n{status_bar(phone(draft))}"


@TOOLS.tool("write")
def set_network_mode_preference(
    draft: Draft, *, mode: Literal["4g_5g_preferred", "4g_only", "3g_only", "2g_only"]
) -> str:
    """Choose which networks the phone prefers.

    Args:
        mode: the new preference.
    """
    given: object = mode  # nothing has checked it
    if given not in PREFERRED:
        if given is None:
            put(draft, network_mode_preference=None)  # the official fault: it is kept all the same
        options = ", ".join(PREFERRED)
        return _said(draft, f"Failed to set network mode: '{mode}' is not a valid option. Please use one of: {options}")
    search(draft, network_mode_preference=mode)
    return _said(draft, f"Preferred Network Mode set to: {mode}")


@TOOLS.tool("write")
def toggle_airplane_mode(draft: Draft) -> str:
    """Turn Airplane Mode on or off; on, it ends Wi-Fi and VPN connections."""
    now = not phone(draft)["airplane_mode"]
    search(draft, airplane_mode=now, **({**_NO_WIFI, **_NO_VPN} if now else {}))
    return _said(draft, f"Airplane Mode is now {word(now)}.")


@TOOLS.tool("write")
def reseat_sim_card(draft: Draft) -> str:
    """Take the SIM card out and put it back."""
    search(draft, sim_card_missing=False)
    return _said(draft, "SIM card re-seated successfully.")


def _toggle(draft: Draft, field: str, name: str, change: Callable[..., None] = put) -> str:
    now = not phone(draft)[field]
    change(draft, **{field: now})
    return _said(draft, f"{name} is now {word(now)}.")


@TOOLS.tool("write")
def toggle_data(draft: Draft) -> str:
    """Turn mobile data on or off."""
    return _toggle(draft, "data_enabled", "Mobile Data", search)


@TOOLS.tool("write")
def toggle_roaming(draft: Draft) -> str:
    """Turn data roaming on or off."""
    return _toggle(draft, "roaming_enabled", "Data Roaming", search)


@TOOLS.tool("write")
def toggle_data_saver_mode(draft: Draft) -> str:
    """Turn Data Saver mode on or off."""
    return _toggle(draft, "data_saver_mode", "Data Saver Mode")


@TOOLS.tool("write", apn_settings={"additionalProperties": True})
def set_apn_settings(draft: Draft, *, apn_settings: dict[str, str]) -> str:
    """Set the access point settings by hand.

    Args:
        apn_settings: apn_name, mms_apn, mmsc_url, mms_proxy, mms_port, reset_at_reboot; what is left out is standard.
    """
    settings = APN(apn_settings) if type(apn_settings) is dict else copy_json(apn_settings)
    search(draft, active_apn_settings=settings)
    return _said(draft, f"APN settings set to: {apn(phone(draft))['apn_name']}")


@TOOLS.tool("write")
def reset_apn_settings(draft: Draft) -> str:
    """Set the access point settings back to standard at the next restart."""
    search(draft, active_apn_settings={**apn(phone(draft)), "reset_at_reboot": True})
    return _said(draft, "APN settings will reset at reboot.")


@TOOLS.tool("write")
def toggle_wifi(draft: Draft) -> str:
    """Turn Wi-Fi on or off."""
    device = phone(draft)
    if device["airplane_mode"]:
        return _said(draft, "Cannot change Wi-Fi settings while Airplane Mode is ON.")
    if device["wifi_enabled"]:
        put(draft, **_NO_WIFI)
    return _toggle(draft, "wifi_enabled", "Wi-Fi")


@TOOLS.tool("write")
def toggle_wifi_calling(draft: Draft) -> str:
    """Turn Wi-Fi Calling on or off."""
    return _toggle(draft, "wifi_calling_enabled", "Wi-Fi Calling")


@TOOLS.tool("write")
def connect_vpn(draft: Draft) -> str:
    """Connect to the VPN."""
    if phone(draft)["vpn_connected"]:
        return "VPN already connected."
    put(draft, vpn_connected=True, vpn_details={**VPN, **draft.database["user"].get("vpn", {})})
    return _said(draft, "VPN connected successfully.")


@TOOLS.tool("write")
def disconnect_vpn(draft: Draft) -> str:
    """End the connection to the VPN."""
    if not phone(draft)["vpn_connected"]:
        return _said(draft, "No active VPN connection to disconnect.")
    put(draft, **_NO_VPN)
    return _said(draft, "VPN disconnected successfully.")


@TOOLS.tool("write")
def grant_app_permission(draft: Draft, *, app_name: str, permission: str) -> str:
    """Give an app a permission.

    Args:
        app_name: such as "messaging".
        permission: sms, storage, phone or network.
    """
    apps = phone(draft)["app_statuses"]
    wanted = permission.lower()
    app = apps.get(app_name)
    if app is None:
        return _said(draft, f"Error. App '{app_name}' not found. Cannot grant permission.")
    if wanted not in app["permissions"]:
        known = list(app["permissions"])
        message = f"Error. Permission '{permission}' not tracked for app '{app_name}', available permissions: {known}"
        return _said(draft, message)
    granted = {**app, "permissions": {**app["permissions"], wanted: True}}
    put(draft, app_statuses={**apps, app_name: granted})
    return _said(draft, f"Success. Permission '{wanted}' granted to app '{app_name}'.")


@TOOLS.tool("write")
def reboot_device(draft: Draft) -> str:
    """Restart the phone."""
    reset = apn(phone(draft))["reset_at_reboot"]
    search(draft, **({"active_apn_settings": APN({})} if reset else {}))
    said = "Resetting APN settings...\n" if reset else ""
    return _said(draft, f"{said}Restarting network services...")


@TOOLS.tool("write")
def make_payment(draft: Draft) -> str:
    """Pay the bill that the company has asked to be paid."""
    request = place(draft)["payment_request"]
    if request is None:
        return "You do not have a payment request."
    put_place(draft, payment_request={**request, "paid": True})
    return f"Payment of ${request['amount_due']:.2f} for bill {request['bill_id']} has been made."
