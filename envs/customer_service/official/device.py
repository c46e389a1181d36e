"""How the official telecom phone behaves: its search for a network, mobile data, speed, MMS and its status bar."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from agentgym.envs.customer_service.database import Record
from agentgym.envs.customer_service.official.toolkit import Draft

PREFERRED: Final = {"4g_5g_preferred": "5G", "4g_only": "4G", "3g_only": "3G", "2g_only": "2G"}
"""Network mode → the technology that the phone looks for."""

_RANGES: Final = {"2G": (0.1, 0.4), "3G": (1.0, 5.0), "4G": (10.0, 100.0), "5G": (50.0, 500.0)}
_FACTORS: Final = {"poor": 0.2, "fair": 0.5, "good": 0.8, "excellent": 1.0}
_BARS: Final = {"poor": "📶¹ Poor", "fair": "📶² Fair", "good": "📶³ Good", "excellent": "📶⁴ Excellent"}
_WORDS: Final = ((1, "Very Poor"), (5, "Poor"), (25, "Fair"), (100, "Good"))


class Speed(NamedTuple):
    """What a speed test measures, in Mbps, and the word for it."""

    mbps: float
    word: str


def phone(draft: Draft) -> Record:
    """Return the record of the phone."""
    return draft.database["user"]["device"]


def place(draft: Draft) -> Record:
    """Return the record of what surrounds it."""
    return draft.database["user"]["surroundings"]


def put(draft: Draft, **fields: Any) -> None:
    """Change the phone."""
    draft.change("user", "device", **fields)


def put_place(draft: Draft, **fields: Any) -> None:
    """Change what surrounds it."""
    draft.change("user", "surroundings", **fields)


def sim_status(device: Record) -> str:
    """Return "missing" for a SIM card that is not in its place, else its own status."""
    status: str = "missing" if device["sim_card_missing"] else device["sim_card_status"]
    return status


def search(draft: Draft, **fields: Any) -> None:
    """Change the phone, which then looks for a network: the preferred technology at this place, or none.

    Raises:
        AttributeError: a text stands in place of the APN settings; the fields are changed all the same.
    """
    device = {**phone(draft), **fields}
    try:
        device.update(_network(device, place(draft)))
    finally:
        draft.set("user", "device", device)


def _network(device: Record, around: Record) -> Record:
    usable = apn(device)["apn_name"] != "broken" and not device["airplane_mode"] and around["line_active"]
    found = usable and sim_status(device) == "active"
    technology = PREFERRED.get(device["network_mode_preference"], "none") if found else "none"
    return {
        "network_connection_status": "no_service" if technology == "none" else "connected",
        "network_technology_connected": technology,
        "network_signal_strength": around["signal_strength"].get(technology, "none"),
    }


def apn(device: Record) -> Record:
    """Return the APN settings; AttributeError where a text was stored in their place."""
    settings = device["active_apn_settings"]
    if type(settings) is not dict:
        raise AttributeError("the APN settings are no object")
    return settings


def data_works(draft: Draft) -> bool:
    """Whether mobile data works here and now."""
    device, around = phone(draft), place(draft)
    if device["airplane_mode"] or device["network_signal_strength"] == "none":
        return False
    if device["network_connection_status"] == "no_service":
        return False
    if around["is_abroad"] and not (device["roaming_enabled"] and around["roaming_allowed"]):
        return False
    return bool(device["data_enabled"] and not around["mobile_data_usage_exceeded"])


def speed(draft: Draft) -> Speed | None:
    """Return what a speed test measures, None where there is no connection."""
    if not data_works(draft):
        return None
    device = phone(draft)
    low, high = _RANGES.get(device["network_technology_connected"], (0.0, 0.0))
    mbps = (low + high) / 2 * _FACTORS.get(device["network_signal_strength"], 0.0)
    details = device["vpn_details"] if device["vpn_connected"] else None
    if details and details["server_performance"] == "poor":
        mbps *= 0.1
    if device["data_saver_mode"]:
        mbps *= 0.2
    mbps = round(mbps, 2)
    return Speed(mbps, next((word for limit, word in _WORDS if mbps < limit), "Excellent"))


def can_send_mms(draft: Draft) -> bool:
    """Whether the messaging app can send a picture."""
    device = phone(draft)
    if not data_works(draft) or device["network_technology_connected"] == "2G":
        return False
    if device["wifi_calling_enabled"] and device["wifi_calling_mms_over_wifi"]:
        return False
    if apn(device)["mmsc_url"] is None:
        return False
    app = device["app_statuses"].get("messaging")
    return bool(app and app["permissions"]["sms"] and app["permissions"]["storage"])


def status_bar(device: Record) -> str:
    """Return what the status bar shows, with its name before it."""
    shown = []
    if device["airplane_mode"]:
        shown.append("✈️ Airplane Mode")
    else:
        shown.append(_BARS.get(device["network_signal_strength"], "📵 No Signal"))
        technology = device["network_technology_connected"]
        shown += [technology] if technology != "none" else []
        data = device["data_enabled"] and technology != "none"
        shown.append("📱 Data Enabled" if data else "📵 Data Disabled")
        shown += ["🔽 Data Saver"] if data and device["data_saver_mode"] else []
    if device["wifi_enabled"] and device["wifi_connected"]:
        shown.append(f"📡 Connected to {device['wifi_ssid']}")
    if device["vpn_connected"]:
        shown.append("🔒 VPN Connected")
    shown.append(f"🔋 {device['battery_level']}%")
    return f"Status Bar: {' | '.join(shown)}"
