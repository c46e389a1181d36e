"""The official phone: what its tools show and do, and how it looks for a network."""

from __future__ import annotations

from typing import Any

import pytest
from tau_phone import with_phone

from agentgym.envs.customer_service.database import Database
from agentgym.envs.customer_service.official.domains import DOMAINS
from agentgym.envs.customer_service.official.telecom_setup import prepare
from agentgym.envs.customer_service.official.toolkit import Outcome

START = with_phone()


def call(name: str, database: Database = START, **arguments: Any) -> Outcome:
    return DOMAINS["telecom"].call(database, name, arguments, "user")


def then(*names: str, database: Database = START) -> Database:
    """Call tools without arguments, one after the other."""
    for name in names:
        found = call(name, database)
        assert not found.error, found.text
        database = found.database
    return database


def bar(database: Database) -> str:
    return call("check_status_bar", database).text.removeprefix("Status Bar: ")


def set_up(name: str, **arguments: Any) -> Database:
    return prepare(START, "user", name, arguments)


# ---- Looking -----------------------------------------------------------------------------------------------------


def test_the_status_bar_shows_what_is_on() -> None:
    assert bar(START) == "📶³ Good | 5G | 📱 Data Enabled | 🔋 80%"
    busy = then("toggle_data_saver_mode", "connect_vpn", "toggle_wifi")
    assert bar(busy) == "📶³ Good | 5G | 📱 Data Enabled | 🔽 Data Saver | 🔒 VPN Connected | 🔋 80%"
    assert bar(then("toggle_data", database=busy)).startswith("📶⁴ Excellent | 5G | 📵 Data Disabled | 🔒")
    assert bar(then("toggle_airplane_mode", database=busy)) == "✈️ Airplane Mode | 🔋 80%"
    assert bar(set_up("unseat_sim_card")) == "📵 No Signal | 📵 Data Disabled | 🔋 80%"
    wifi = with_phone(wifi_enabled=True, wifi_connected=True, wifi_ssid="Home", wifi_signal_strength="good")
    assert "📡 Connected to Home" in bar(wifi)
    assert call("check_wifi_status", wifi).text == "Wi-Fi is ON and connected to 'Home'. Signal strength: good."
    assert call("check_network_status", wifi).text.endswith("Wi-Fi Connected: Yes\nWi-Fi Network: Home")


@pytest.mark.parametrize(
    "name, text",
    [
        ("check_network_mode_preference", "Network Mode Preference: 4g_5g_preferred"),
        ("check_sim_status", "Your SIM card is active and working."),
        ("check_data_restriction_status", "Data Saver mode is OFF."),
        ("check_wifi_status", "Wi-Fi is turned OFF."),
        ("check_wifi_calling_status", "Wi-Fi Calling is currently turned OFF."),
        ("check_vpn_status", "VPN is turned OFF."),
        ("check_installed_apps", "The following apps are installed on the phone: messaging, browser"),
        ("can_send_mms", "Your messaging app can send MMS messages."),
        ("check_payment_request", "No payment request has been made."),
        ("make_payment", "You do not have a payment request."),
        ("run_speed_test", "Speed Test Result: 220.00 Mbps (Excellent). Connection is very fast."),
    ],
)
def test_what_a_phone_in_order_shows(name: str, text: str) -> None:
    found = call(name)
    assert found.text == text and found.database == START


def test_the_network_status_has_nine_lines() -> None:
    lines = call("check_network_status", set_up("unseat_sim_card")).text.splitlines()
    assert lines[:3] == ["Airplane Mode: OFF", "SIM Card Status: missing", "Cellular Connection: no_service"]
    assert len(lines) == 9 and lines[-1] == "Wi-Fi Connected: No"


def test_sim_cards_are_missing_or_locked() -> None:
    assert "No SIM" in call("check_sim_status", set_up("unseat_sim_card")).text
    for mode in ("pin", "puk"):
        locked = set_up("lock_sim_card", mode=mode)
        assert mode.upper() in call("check_sim_status", locked).text
        assert bar(then("reseat_sim_card", database=locked)).startswith("📵 No Signal")
    back = then("reseat_sim_card", database=set_up("unseat_sim_card"))
    assert bar(back).startswith("📶⁴ Excellent | 5G")


def test_apps_and_their_permissions() -> None:
    assert call("check_app_status", app_name="messaging").text == (
        "Status for App: messaging\n - Permissions Granted:\n   - sms\n   - storage"
    )
    assert call("check_app_permissions", app_name="browser").text == "App 'browser' has permission for: storage."
    for name in ("check_app_status", "check_app_permissions"):
        assert call(name, app_name=None).text == "App 'None' not found on this phone."


# ---- Doing -------------------------------------------------------------------------------------------------------


def test_permissions_are_granted_in_any_case_of_letters() -> None:
    without = set_up("remove_app_permission", app_name="messaging", permission="sms")
    assert "cannot" in call("can_send_mms", without).text
    found = call("grant_app_permission", without, app_name="messaging", permission="SMS")
    assert found.text.startswith("Success. Permission 'sms' granted to app 'messaging'.\nStatus Bar: ")
    assert found.database == START
    wrong = call("grant_app_permission", app_name="camera", permission="sms")
    assert wrong.text.startswith("Error. App 'camera' not found. Cannot grant permission.") and not wrong.error
    assert call("grant_app_permission", app_name="browser", permission="x").text.startswith(
        "Error. Permission 'x' not tracked for app 'browser', available permissions: ['sms', 'storage', 'phone', "
    )
    assert call("grant_app_permission", app_name="browser", permission=None).kind == "internal_error"


@pytest.mark.parametrize(
    "mode, shown",
    [("2g_only", "📶¹ Poor | 2G"), ("3g_only", "📶² Fair | 3G"), ("4g_only", "📶³ Good | 4G"),
     ("4g_5g_preferred", "📶⁴ Excellent | 5G")],
)  # fmt: skip
def test_the_phone_takes_the_network_that_it_prefers(mode: str, shown: str) -> None:
    found = call("set_network_mode_preference", mode=mode)
    assert found.text.startswith(f"Preferred Network Mode set to: {mode}\nStatus Bar: {shown}")
    assert bar(found.database).startswith(shown)


def test_a_wrong_mode_is_answered_and_null_is_kept() -> None:
    wrong = call("set_network_mode_preference", mode="5g_only")
    assert wrong.text.startswith(
        "Failed to set network mode: '5g_only' is not a valid option. Please use one of: 4g_5g"
    )
    assert not wrong.error and wrong.database == START
    assert call("set_network_mode_preference", mode=None).database["user"]["device"]["network_mode_preference"] is None


def test_there_is_no_service_in_airplane_mode_with_a_broken_apn_and_on_a_line_at_rest() -> None:
    for name in ("turn_airplane_mode_on", "break_apn_settings"):
        assert call("run_speed_test", set_up(name)).text == "Speed test failed: No Connection."
    suspended = prepare(
        START,
        "assistant",
        "suspend_line_for_overdue_bill",
        {"customer_id": "C2", "line_id": "L2", "new_bill_id": "B9", "contract_ended": False},
    )
    assert bar(suspended).startswith("📶³ Good")
    assert bar(then("reboot_device", database=suspended)).startswith("📵 No Signal")
    assert bar(then("toggle_airplane_mode", database=set_up("turn_airplane_mode_on"))).startswith("📶⁴ Excellent")


def test_abroad_both_sides_must_allow_roaming() -> None:
    abroad = set_up("set_user_location", abroad=True)
    assert "No Connection" in call("run_speed_test", abroad).text
    one = then("toggle_roaming", database=abroad)
    assert "No Connection" in call("run_speed_test", one).text
    both = DOMAINS["telecom"].call(one, "enable_roaming", {"customer_id": "C2", "line_id": "L2"}).database
    assert "275.00 Mbps" in call("run_speed_test", both).text


def test_speed_falls_with_a_poor_vpn_and_data_saver() -> None:
    def measured(database: Database) -> str:
        return call("run_speed_test", database).text.partition(": ")[2].partition(".  ")[0]

    spoilt = set_up("break_vpn")
    assert measured(spoilt).startswith("22.00 Mbps (Fair)")  # 220 · 0.1
    assert measured(then("toggle_data_saver_mode", database=spoilt)).startswith("4.40 Mbps (Poor)")
    assert measured(then("toggle_data_saver_mode")).startswith("44.00 Mbps (Good)")
    slow = call("set_network_mode_preference", mode="2g_only").database
    assert measured(slow).startswith("0.05 Mbps (Very Poor)")  # (0.1 + 0.4) / 2 · 0.2
    assert "'server_performance': <PerformanceLevel.POOR: 'poor'>" in call("check_vpn_status", spoilt).text


def test_a_spoilt_vpn_stays_spoilt() -> None:
    again = then("disconnect_vpn", "connect_vpn", database=set_up("break_vpn"))
    assert again["user"]["device"]["vpn_details"]["server_performance"] == "poor"
    good = then("connect_vpn")
    assert good["user"]["device"]["vpn_details"]["server_performance"] == "excellent"
    assert call("connect_vpn", good).text == "VPN already connected."
    assert call("disconnect_vpn").text.startswith("No active VPN connection to disconnect.\nStatus Bar: ")


def test_pictures_need_an_address_a_fast_network_and_no_wifi_calling() -> None:
    for name, arguments in (
        ("break_apn_mms_setting", {}),
        ("set_wifi_calling", {"enabled": True, "mms_over_wifi": True}),
        ("set_network_mode_preference", {"mode": "2g_only"}),
        ("turn_data_off", {}),
    ):
        assert "cannot" in call("can_send_mms", set_up(name, **arguments)).text, name
    assert call("check_apn_settings", set_up("break_apn_mms_setting")).text.splitlines()[1].endswith("Not Set")


def test_apn_settings_are_set_at_once_and_reset_at_the_restart() -> None:
    broken = call("set_apn_settings", apn_settings={"apn_name": "broken", "mms_port": "80"}).database
    assert broken["user"]["device"]["active_apn_settings"]["mms_port"] == 80 and bar(broken).startswith("📵")
    waiting = then("reset_apn_settings", database=broken)
    assert bar(waiting).startswith("📵")
    found = call("reboot_device", waiting)
    assert found.text.startswith("Resetting APN settings...\nRestarting network services...\nStatus Bar: 📶⁴")
    assert call("reboot_device").text.startswith("Restarting network services...\nStatus Bar")
    for wrong in ({"foo": 1}, {"apn_name": "other"}, {"mms_port": 1.5}, {"reset_at_reboot": "maybe"}):
        assert call("set_apn_settings", apn_settings=wrong).kind == "validation_error"


def test_a_text_in_place_of_apn_settings_is_kept_and_breaks_the_phone() -> None:
    found = call("set_apn_settings", apn_settings="internet")
    assert found.kind == "internal_error" and found.database["user"]["device"]["active_apn_settings"] == "internet"
    assert call("reboot_device", found.database).kind == "internal_error"
    assert call("toggle_wifi", found.database).kind == "ok"


def test_wifi_is_not_touched_in_airplane_mode() -> None:
    flying = then("toggle_wifi", "toggle_airplane_mode")
    found = call("toggle_wifi", flying)
    assert found.text.startswith("Cannot change Wi-Fi settings while Airplane Mode is ON.") and found.database == flying
    assert call("check_wifi_status", then("toggle_wifi")).text == "Wi-Fi is turned ON, but not connected to a network."
    assert not then("toggle_wifi", "toggle_wifi")["user"]["device"]["wifi_enabled"]
    assert call("toggle_wifi_calling").text.startswith("Wi-Fi Calling is now ON.")
