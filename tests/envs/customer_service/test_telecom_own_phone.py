"""The customer's phone: what it gets from the network, and what each of the customer's tools does to it."""

from __future__ import annotations

from typing import Any

import pytest

from agentgym.envs.customer_service.database import Database
from agentgym.envs.customer_service.domains.telecom import TELECOM
from agentgym.envs.customer_service.domains.telecom.reach import Reach, bar, data_left, measured, reach, settings
from agentgym.envs.customer_service.domains.telecom.scenes import IN_ORDER
from agentgym.envs.customer_service.sheet import CUSTOMER, Call

BASE = TELECOM.database
TOOLS = [name for name, tool in TELECOM.tools.items() if tool.side == CUSTOMER]
SET_UP = {
    **IN_ORDER,
    "data_roaming": False,
    "network_mode": "automatic",
    "data_saver": False,
    "vpn": False,
    "access_point": "standard",
}


def someone() -> str:
    """Return a customer at home whose area is served and whose active line, on a plan that slows, has data left."""
    for key, phone in BASE["devices"].items():
        line = BASE["lines"][phone["line_id"]]
        served = BASE["customers"][key]["area"] not in BASE["outages"]
        slows = BASE["plans"][line["plan_id"]]["when_used_up"] == "slows"
        if line["status"] == "active" and served and slows and data_left(BASE, line) and line["roaming_allowed"]:
            return key
    raise AssertionError


CUSTOMER_KEY = someone()
LINE = BASE["devices"][CUSTOMER_KEY]["line_id"]


def with_phone(database: Database = BASE, **fields: Any) -> Database:
    """Return the database in which the phone is in order but for these settings."""
    return database.set("devices", CUSTOMER_KEY, {**BASE["devices"][CUSTOMER_KEY], **SET_UP, **fields})


def with_line(**fields: Any) -> Database:
    """Return the database with the phone in order and a changed line."""
    return with_phone().set("lines", LINE, {**BASE["lines"][LINE], **fields})


def look(database: Database) -> Reach:
    return reach(database, database["devices"][CUSTOMER_KEY])


def use(name: str, database: Database) -> tuple[Database, str]:
    """Return the database after the customer used a tool, and what the customer saw."""
    reply = TELECOM.call(database, Call(name, {"customer_id": CUSTOMER_KEY}, CUSTOMER))
    assert not reply.error, reply.text
    return reply.database, reply.text


# ---- What a phone gets -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fields, expected",
    [
        ({}, Reach("", True, 800)),
        ({"airplane_mode": True}, Reach("airplane mode", False, 0)),
        ({"sim": "loose"}, Reach("no SIM card", False, 0)),
        ({"airplane_mode": True, "sim": "loose"}, Reach("airplane mode", False, 0)),
        ({"mobile_data": False}, Reach("", False, 0)),
        ({"access_point": "damaged"}, Reach("", False, 0)),
        ({"access_point": "work"}, Reach("", True, 800)),
        ({"restart_needed": True}, Reach("", False, 0)),
        ({"network_mode": "4g_only"}, Reach("", True, 400)),
        ({"network_mode": "3g_only"}, Reach("", True, 40)),
        ({"vpn": True}, Reach("", True, 80)),  # a tenth
        ({"network_mode": "3g_only", "vpn": True}, Reach("", True, 4)),
        ({"data_saver": True, "data_roaming": True}, Reach("", True, 800)),  # they have nothing to do with it
        ({"country": "Italy"}, Reach("", False, 0)),  # roaming is allowed on the line, but off in the phone
        ({"country": "Italy", "data_roaming": True}, Reach("", True, 800)),
    ],
)
def test_settings_decide(fields: dict[str, Any], expected: Reach) -> None:
    assert look(with_phone(**fields)) == expected


def test_the_line_decides() -> None:
    assert look(with_line(status="suspended")) == Reach("no service", False, 0)
    assert look(with_line(status="barred")) == Reach("no service", False, 0)
    used = f"{BASE['plans'][BASE['lines'][LINE]['plan_id']]['data_gb'] + BASE['lines'][LINE]['extra_gb']}.0"
    assert look(with_line(data_used_gb=used)) == Reach("", True, 5)  # slowed to half a megabit
    more = with_line(data_used_gb=used, extra_gb=BASE["lines"][LINE]["extra_gb"] + 1)
    assert look(more) == Reach("", True, 800) and data_left(more, more["lines"][LINE]) == 10
    assert look(with_line(data_used_gb="5.0", extra_gb=0, plan_id="brook-5")) == Reach("", False, 0)  # that one stops


def test_roaming_needs_line_and_phone() -> None:
    closed = with_line(roaming_allowed=False)
    for roaming in (False, True):
        abroad = with_phone(closed, country="Italy", data_roaming=roaming)
        assert look(abroad) == Reach("no service", False, 0)
    assert look(closed) == Reach("", True, 800)  # at home neither counts


def test_an_outage_is_felt_at_home_only() -> None:
    area = next(iter(BASE["outages"]))
    down = with_phone().set("customers", CUSTOMER_KEY, {**BASE["customers"][CUSTOMER_KEY], "area": area})
    assert look(down) == Reach("no service", False, 0)
    assert look(with_phone(down, country="Italy", data_roaming=True)) == Reach("", True, 800)


def test_what_the_customer_reads() -> None:
    def shown(**fields: Any) -> str:
        database = with_phone(**fields)
        return bar(database, database["devices"][CUSTOMER_KEY])

    assert shown() == "signal 5G, mobile data works"
    assert shown(airplane_mode=True, vpn=True) == "an aeroplane symbol, no signal"
    assert shown(sim="loose") == "no SIM card, no signal"
    assert shown(mobile_data=False, network_mode="3g_only") == "signal 3G, mobile data is off"
    assert shown(access_point="damaged") == "signal 5G, mobile data is on but nothing comes through"
    expected = "signal 4G, mobile data works, a roaming symbol, a VPN key, the data saver symbol"
    assert shown(country="Italy", data_roaming=True, network_mode="4g_only", vpn=True, data_saver=True) == expected
    assert settings({**BASE["devices"][CUSTOMER_KEY], **SET_UP, "vpn": True, "restart_needed": True}) == (
        "airplane mode off, mobile data on, data roaming off, data saver off, VPN on, network mode automatic, "
        "access point standard, a restart is pending"
    )


def test_ten_megabits_are_enough() -> None:
    def said(**fields: Any) -> str:
        database = with_phone(**fields)
        return measured(database, database["devices"][CUSTOMER_KEY])

    assert said() == "80.0 megabits per second, good"
    assert said(vpn=True) == "8.0 megabits per second, slow"
    assert said(network_mode="3g_only") == "4.0 megabits per second, slow"
    assert said(network_mode="4g_only") == "40.0 megabits per second, good"
    assert said(mobile_data=False) == "no connection"


# ---- What the customer does --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name, before, after",
    [
        ("airplane_mode_off", {"airplane_mode": True}, {}),
        ("mobile_data_on", {"mobile_data": False}, {}),
        ("mobile_data_off", {}, {"mobile_data": False}),
        ("data_roaming_on", {}, {"data_roaming": True}),
        ("data_roaming_off", {"data_roaming": True}, {}),
        ("data_saver_off", {"data_saver": True}, {}),
        ("vpn_off", {"vpn": True}, {}),
        ("network_mode_automatic", {"network_mode": "3g_only"}, {}),
        ("reseat_sim", {"sim": "loose"}, {}),
        ("reset_access_point", {"access_point": "damaged"}, {"restart_needed": True}),
        ("reset_access_point", {"access_point": "work"}, {"restart_needed": True}),
        ("restart_phone", {"restart_needed": True, "vpn": True}, {}),
    ],
)
def test_each_tool_changes_its_setting_and_twice_is_once(name: str, before: dict[str, Any], after: Any) -> None:
    done, said = use(name, with_phone(**before))
    assert done == with_phone(**after)
    assert said == f"the status bar shows {bar(done, done['devices'][CUSTOMER_KEY])}"
    assert use(name, done)[0] == done


def test_looking_changes_nothing() -> None:
    database = with_phone(vpn=True)
    for name in ("look_at_status_bar", "look_at_settings", "run_speed_test"):
        after, said = use(name, database)
        assert after is database and said
    assert use("look_at_status_bar", database)[1] == "signal 5G, mobile data works, a VPN key"
    assert use("run_speed_test", database)[1] == "8.0 megabits per second, slow"


def test_a_damaged_access_point_takes_both_steps_in_order() -> None:
    broken = with_phone(access_point="damaged")
    reset = use("reset_access_point", broken)[0]
    assert not look(reset).data and look(use("restart_phone", reset)[0]).data
    wrong = use("reset_access_point", use("restart_phone", broken)[0])[0]
    assert not look(wrong).data


@pytest.mark.parametrize("name", TOOLS)
def test_a_phone_that_is_not_there_is_named(name: str) -> None:
    reply = TELECOM.call(BASE, Call(name, {"customer_id": "X1"}, CUSTOMER))
    assert reply.error and reply.database is BASE
    assert reply.text in ("Error: there is no phone of customer X1", "Error: there is no customer X1")


def test_phones_of_the_base_are_in_order() -> None:
    for key, phone in BASE["devices"].items():
        assert {name: phone[name] for name in IN_ORDER} == IN_ORDER
        assert phone["access_point"] in ("standard", "work"), key
        line = BASE["lines"][phone["line_id"]]
        fit = line["status"] == "active" and BASE["customers"][key]["area"] not in BASE["outages"]
        assert (reach(BASE, phone).blocked == "") == fit
