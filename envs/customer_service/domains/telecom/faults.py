"""Families about phones that do not work: the fault is in the phone, on the line, or in the network.

What the customer says at first is the same for all faults of a kind, so the agent has to look. What the customer does
on the phone beyond the gold calls makes the end state another one.
"""

from __future__ import annotations

from agentgym.envs.customer_service.database import Database
from agentgym.envs.customer_service.domains.telecom.names import COUNTRIES
from agentgym.envs.customer_service.domains.telecom.scenes import errand, healthy, pack_goal, packs, question, scene
from agentgym.envs.customer_service.sheet import Call, Goal, Sheet, Tell
from agentgym.rng import TurnRng


def airplane_mode(database: Database, customer: str, rng: TurnRng) -> Sheet | None:
    """No service: airplane mode is on."""
    found = healthy(database, customer, rng)
    if found is None:
        return None
    reads = (found.on_line("get_line"), found.on_phone("look_at_status_bar"))
    goal = Goal("no_service", gold=(found.on_phone("airplane_mode_off"),), reads=reads)
    return found.sheet("airplane_mode", goal, errand(found), airplane_mode=True)


def loose_sim(database: Database, customer: str, rng: TurnRng) -> Sheet | None:
    """No service: the SIM card sits badly; put back, it wants the line's unlock code."""
    found = healthy(database, customer, rng)
    if found is None:
        return None
    reads = (found.on_line("get_line"), found.on_phone("look_at_status_bar"))
    tells = (Tell("unlock_code", found.line["unlock_code"]),)
    goal = Goal("no_service", gold=(found.on_phone("reseat_sim"),), reads=reads, tells=tells)
    return found.sheet("loose_sim", goal, sim="loose")


def outage(database: Database, customer: str, rng: TurnRng) -> Sheet | None:
    """No service: the network is down in the area; nothing can be done but to say until when."""
    found = scene(database, customer, rng, in_phone=True)
    if found.served or found.line["status"] != "active":
        return None
    area = found.record["area"]
    until = database["outages"][area]["expected_until"]
    reads = (
        found.on_line("get_line"),
        found.on_phone("look_at_status_bar"),
        Call("get_outage", {"area": area}),
    )
    goal = Goal("no_service", {"area": area}, reads=reads, tells=(Tell("outage_until", until[11:]),))
    return found.sheet("outage", goal, errand(found), airplane_mode=False)


def mobile_data_off(database: Database, customer: str, rng: TurnRng) -> Sheet | None:
    """No data: mobile data is switched off."""
    found = healthy(database, customer, rng)
    if found is None:
        return None
    reads = (found.on_line("get_line"), found.on_phone("look_at_status_bar"))
    goal = Goal("no_data", gold=(found.on_phone("mobile_data_on"),), reads=reads)
    return found.sheet("mobile_data_off", goal, errand(found), mobile_data=False)


def access_point(database: Database, customer: str, rng: TurnRng) -> Sheet | None:
    """No data: the access point is damaged; reset it and restart the phone."""
    found = healthy(database, customer, rng)
    if found is None:
        return None
    reads = (found.on_line("get_line"), found.on_phone("look_at_status_bar"), found.on_phone("look_at_settings"))
    gold = (found.on_phone("reset_access_point"), found.on_phone("restart_phone"))
    goal = Goal("no_data", gold=gold, reads=reads)
    return found.sheet("access_point", goal, errand(found), access_point="damaged")


def used_up(database: Database, customer: str, rng: TurnRng) -> Sheet | None:
    """No data, or slow data: the month's volume is used up; a pack is added, perhaps another one after all."""
    found = scene(database, customer, rng, in_phone=True)
    able = packs(found)
    if found.line["status"] != "active" or not found.served or found.left or found.overdue or len(able) < 2:
        return None
    intent = "no_data_used_up" if found.plan["when_used_up"] == "stops" else "slow_used_up"
    reads = (found.on_line("get_line"), found.on_phone("look_at_status_bar"))
    first, second = rng.shuffled(able)[:2]
    after = pack_goal(found, "add_data", second, reads) if rng.random() < 0.5 else None
    goal = pack_goal(found, intent, first, reads, after)
    return found.sheet("used_up", goal, question(found), mobile_data=True)


def data_saver(database: Database, customer: str, rng: TurnRng) -> Sheet | None:
    """Apps are silent in the background: the data saver is on."""
    found = healthy(database, customer, rng)
    if found is None:
        return None
    reads = (found.on_line("get_line"), found.on_phone("look_at_status_bar"))
    goal = Goal("background", gold=(found.on_phone("data_saver_off"),), reads=reads)
    return found.sheet("data_saver", goal, errand(found), data_saver=True)


def slow_data(database: Database, customer: str, rng: TurnRng) -> Sheet | None:
    """Slow data: the network mode is 3G only, a VPN is on, or both."""
    found = healthy(database, customer, rng)
    if found is None:
        return None
    mode, vpn = rng.choice((("3g_only", False), ("3g_only", True), ("4g_only", True), ("automatic", True)))
    gold = [found.on_phone("network_mode_automatic")] * (mode == "3g_only") + [found.on_phone("vpn_off")] * vpn
    reads = (found.on_line("get_line"), found.on_phone("look_at_settings"), found.on_phone("run_speed_test"))
    goal = Goal("slow", gold=tuple(gold), reads=reads)
    return found.sheet("slow_data", goal, errand(found), network_mode=mode, vpn=vpn)


def abroad(database: Database, customer: str, rng: TurnRng) -> Sheet | None:
    """Nothing works abroad: roaming is not allowed on the line, or switched off on the phone, or both."""
    found = scene(database, customer, rng, in_phone=True)
    line = found.line
    if line["status"] != "active" or not found.left or found.plan["roaming"] == "none":
        return None
    country = rng.choice(COUNTRIES[found.plan["roaming"]])
    reads = (found.on_line("get_line"), found.on_phone("look_at_settings"))
    switched = not line["roaming_allowed"] and rng.random() < 0.5
    gold = [found.on_line("allow_roaming")] * (not line["roaming_allowed"])
    gold += [found.on_phone("data_roaming_on")] * (not switched)
    intent = "abroad_line" if not line["roaming_allowed"] else "abroad_phone"
    goal = Goal(intent, {"country": country}, ("country",), tuple(gold), reads)
    return found.sheet("abroad", goal, errand(found), country=country, data_roaming=switched)
