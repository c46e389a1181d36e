"""What a phone gets from the network: a function of its settings, its line and where it is."""

from __future__ import annotations

from typing import Final, NamedTuple

from agentgym.envs.customer_service.database import Database, Record
from agentgym.envs.customer_service.domains.telecom.rows import HOME
from agentgym.envs.customer_service.domains.telecom.volumes import gigabytes, tenths

_SPEEDS: Final = {"automatic": 800, "4g_only": 400, "3g_only": 40}
_BANDS: Final = {"automatic": "5G", "4g_only": "4G", "3g_only": "3G"}
SLOWED: Final = 5
GOOD: Final = 100
"""From as many tenths of a megabit per second on a connection is fast enough."""


class Reach(NamedTuple):
    """What a phone gets.

    Attributes:
        blocked: why there is no signal: "airplane mode", "no SIM card", "no service"; "" where there is one.
        data: whether mobile data flows.
        speed: tenths of a megabit per second; 0 without data.
    """

    blocked: str
    data: bool
    speed: int


def reach(database: Database, phone: Record) -> Reach:
    """Return what the phone gets from the network."""
    line = database["lines"][phone["line_id"]]
    blocked = _blocked(database, phone, line)
    left = data_left(database, line)
    slows = bool(database["plans"][line["plan_id"]]["when_used_up"] == "slows")
    abroad = phone["country"] != HOME
    settings = phone["mobile_data"] and phone["access_point"] != "damaged" and not phone["restart_needed"]
    if blocked or not settings or (abroad and not phone["data_roaming"]) or not (left or slows):
        return Reach(blocked, False, 0)
    speed = _SPEEDS[phone["network_mode"]] if left else SLOWED
    return Reach("", True, max(speed // 10, 1) if phone["vpn"] else speed)


def data_left(database: Database, line: Record) -> int:
    """Return the tenths of a gigabyte that a line may still use this month."""
    allowance = 10 * (database["plans"][line["plan_id"]]["data_gb"] + line["extra_gb"])
    return int(allowance - tenths(line["data_used_gb"]))


def bar(database: Database, phone: Record) -> str:
    """Return what the phone's status bar shows, in words."""
    found = reach(database, phone)
    if found.blocked == "airplane mode":
        return "an aeroplane symbol, no signal"
    if found.blocked:
        return f"{found.blocked}, no signal"
    data = "mobile data is off"
    if phone["mobile_data"]:
        data = "mobile data works" if found.data else "mobile data is on but nothing comes through"
    shown = [f"signal {_BANDS[phone['network_mode']]}", data]
    shown += ["a roaming symbol"] * (phone["country"] != HOME)
    shown += ["a VPN key"] * phone["vpn"] + ["the data saver symbol"] * phone["data_saver"]
    return ", ".join(shown)


def settings(phone: Record) -> str:
    """Return what the phone's settings say, in words."""
    switches = {
        "airplane mode": phone["airplane_mode"],
        "mobile data": phone["mobile_data"],
        "data roaming": phone["data_roaming"],
        "data saver": phone["data_saver"],
        "VPN": phone["vpn"],
    }
    said = [f"{name} {'on' if state else 'off'}" for name, state in switches.items()]
    said.append(f"network mode {phone['network_mode'].replace('_', ' ')}")
    said.append(f"access point {phone['access_point']}")
    return ", ".join(said + ["a restart is pending"] * phone["restart_needed"])


def measured(database: Database, phone: Record) -> str:
    """Return what a speed test on the phone says."""
    found = reach(database, phone)
    if not found.data:
        return "no connection"
    return f"{gigabytes(found.speed)} megabits per second, {'good' if found.speed >= GOOD else 'slow'}"


def _blocked(database: Database, phone: Record, line: Record) -> str:
    if phone["airplane_mode"]:
        return "airplane mode"
    if phone["sim"] != "seated":
        return "no SIM card"
    if phone["country"] == HOME:
        area = database["customers"][phone["customer"]]["area"]
        served = area not in database["outages"]
    else:
        served = line["roaming_allowed"]
    return "" if line["status"] == "active" and served else "no service"
