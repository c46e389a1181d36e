"""The official telecom tools of the customer: what they can look at on their phone; what they can do: `device_writes`.

Wordings that no record shows (a connected Wi-Fi, a payment made) are ours.
"""

# ruff: noqa: D417 - a draft is no argument of the tool, so its docstring does not list it

from __future__ import annotations

from typing import Any, Final

from agentgym.envs.customer_service.official.device import apn, phone, place, sim_status, speed, status_bar
from agentgym.envs.customer_service.official.device import can_send_mms as _can_send_mms
from agentgym.envs.customer_service.official.sync import sync
from agentgym.envs.customer_service.official.toolkit import Draft, Toolkit

TOOLS: Final = Toolkit(after=sync)


def word(flag: Any) -> str:
    """Return ON or OFF."""
    return "ON" if flag else "OFF"


def _yes(flag: Any) -> str:
    return "Yes" if flag else "No"


@TOOLS.tool("read")
def check_status_bar(draft: Draft) -> str:
    """Show the status bar: signal, network, mobile data, Wi-Fi, VPN, battery."""
    return status_bar(phone(draft))


@TOOLS.tool("read")
def check_network_status(draft: Draft) -> str:
    """Show the state of the SIM card, the cellular network and Wi-Fi."""
    device = phone(draft)
    lines = {
        "Airplane Mode": word(device["airplane_mode"]),
        "SIM Card Status": sim_status(device),
        "Cellular Connection": device["network_connection_status"],
        "Cellular Signal": device["network_signal_strength"],
        "Cellular Network Type": device["network_technology_connected"],
        "Mobile Data Enabled": _yes(device["data_enabled"]),
        "Data Roaming Enabled": _yes(device["roaming_enabled"]),
        "Wi-Fi Radio": word(device["wifi_enabled"]),
        "Wi-Fi Connected": _yes(device["wifi_connected"]),
    }
    if device["wifi_connected"]:
        lines["Wi-Fi Network"] = device["wifi_ssid"]
    return "\n".join(f"{name}: {value}" for name, value in lines.items())


@TOOLS.tool("read")
def check_network_mode_preference(draft: Draft) -> str:
    """Show which networks the phone prefers."""
    return f"Network Mode Preference: {phone(draft)['network_mode_preference']}"


@TOOLS.tool("read")
def run_speed_test(draft: Draft) -> str:
    """Measure the download speed of mobile data."""
    found = speed(draft)
    if found is None:
        return "Speed test failed: No Connection."
    said = {
        "Very Poor": "Connection is very slow.",
        "Poor": "Connection is slow.",
        "Fair": "Connection is usable.",
        "Good": "Connection is fast.",
        "Excellent": "Connection is very fast.",
    }
    return f"Speed Test Result: {found.mbps:.2f} Mbps ({found.word}). {said[found.word]}"


@TOOLS.tool("read")
def check_sim_status(draft: Draft) -> str:
    """Show whether the SIM card is there and works."""
    return {
        "active": "Your SIM card is active and working.",
        "missing": "No SIM card is detected in the phone.",
        "locked_pin": "The SIM card is locked with a PIN code.",
        "locked_puk": "The SIM card is locked with a PUK code.",
    }[sim_status(phone(draft))]


@TOOLS.tool("read")
def check_data_restriction_status(draft: Draft) -> str:
    """Show whether Data Saver mode is on."""
    return f"Data Saver mode is {word(phone(draft)['data_saver_mode'])}."


@TOOLS.tool("read")
def check_apn_settings(draft: Draft) -> str:
    """Show the access point and the address for picture messages."""
    settings = apn(phone(draft))
    return (
        f"Current APN Name: {settings['apn_name']}\n"
        f"MMSC URL (for picture messages): {settings['mmsc_url'] or 'Not Set'}\n"
        "(These are technical settings, usually best left unchanged.)"
    )


@TOOLS.tool("read")
def check_wifi_status(draft: Draft) -> str:
    """Show whether Wi-Fi is on, and connected."""
    device = phone(draft)
    if not device["wifi_enabled"]:
        return "Wi-Fi is turned OFF."
    if not device["wifi_connected"]:
        return "Wi-Fi is turned ON, but not connected to a network."
    return f"Wi-Fi is ON and connected to '{device['wifi_ssid']}'. Signal strength: {device['wifi_signal_strength']}."


@TOOLS.tool("read")
def check_wifi_calling_status(draft: Draft) -> str:
    """Show whether Wi-Fi Calling is on."""
    return f"Wi-Fi Calling is currently turned {word(phone(draft)['wifi_calling_enabled'])}."


@TOOLS.tool("read")
def check_vpn_status(draft: Draft) -> str:
    """Show whether a VPN is connected, and how."""
    device = phone(draft)
    if not device["vpn_connected"]:
        return "VPN is turned OFF."
    details = device["vpn_details"] or {}
    level = details.get("server_performance", "")
    shown = ", ".join(f"'{name}': {details.get(name)!r}" for name in ("server_address", "protocol"))
    return (
        "VPN is ON and connected. Details: "
        f"{{{shown}, 'server_performance': <PerformanceLevel.{level.upper()}: {level!r}>}}"
    )


@TOOLS.tool("read")
def check_installed_apps(draft: Draft) -> str:
    """Show which apps are installed."""
    return f"The following apps are installed on the phone: {', '.join(phone(draft)['app_statuses'])}"


def _granted(draft: Draft, app_name: Any) -> list[str] | None:
    app = phone(draft)["app_statuses"].get(app_name)
    return None if app is None else [name for name, granted in app["permissions"].items() if granted]


@TOOLS.tool("read")
def check_app_status(draft: Draft, *, app_name: str) -> str:
    """Show the state of an app.

    Args:
        app_name: such as "messaging".
    """
    granted = _granted(draft, app_name)
    if granted is None:
        return f"App '{app_name}' not found on this phone."
    lines = "".join(f"\n   - {name}" for name in granted) or " none"
    return f"Status for App: {app_name}\n - Permissions Granted:{lines}"


@TOOLS.tool("read")
def check_app_permissions(draft: Draft, *, app_name: str) -> str:
    """Show what an app may do.

    Args:
        app_name: such as "messaging".
    """
    granted = _granted(draft, app_name)
    if granted is None:
        return f"App '{app_name}' not found on this phone."
    return f"App '{app_name}' has permission for: {', '.join(granted) or 'nothing'}."


@TOOLS.tool("read")
def can_send_mms(draft: Draft) -> str:
    """Show whether the messaging app can send picture messages."""
    return f"Your messaging app {'can' if _can_send_mms(draft) else 'cannot'} send MMS messages."


@TOOLS.tool("read")
def check_payment_request(draft: Draft) -> str:
    """Show whether the company has asked for a payment."""
    request = place(draft)["payment_request"]
    if request is None:
        return "No payment request has been made."
    return f"You have a payment request for bill {request['bill_id']} of ${request['amount_due']:.2f}."
