"""The customer's phone: tools that the customer uses, each on one setting, so that using it twice changes nothing more.

What a tool returns is what the customer sees, in words. Tools do what their names say whether it helps or not.
"""

# ruff: noqa: D417 - the desk is no argument of the tool, so its docstring does not list it

from __future__ import annotations

from typing import Any

from agentgym.envs.customer_service.database import Record
from agentgym.envs.customer_service.domain import Desk, Domain, serves
from agentgym.envs.customer_service.domains.telecom.reach import bar, measured, settings
from agentgym.envs.customer_service.sheet import CUSTOMER


class Device(Domain):
    """The customer's own tools; every one takes the customer whose phone it is."""

    @serves("read", side=CUSTOMER)
    def look_at_status_bar(self, desk: Desk, *, customer_id: str) -> Any:
        """See what the phone's status bar shows.

        Args:
            customer_id: whose phone it is.
        """
        return bar(desk.database, _phone(desk, customer_id))

    @serves("read", side=CUSTOMER)
    def look_at_settings(self, desk: Desk, *, customer_id: str) -> Any:
        """See the phone's network settings.

        Args:
            customer_id: whose phone it is.
        """
        return settings(_phone(desk, customer_id))

    @serves("read", side=CUSTOMER)
    def run_speed_test(self, desk: Desk, *, customer_id: str) -> Any:
        """Measure the speed of the connection.

        Args:
            customer_id: whose phone it is.
        """
        return measured(desk.database, _phone(desk, customer_id))

    @serves("write", side=CUSTOMER)
    def airplane_mode_off(self, desk: Desk, *, customer_id: str) -> Any:
        """Switch airplane mode off.

        Args:
            customer_id: whose phone it is.
        """
        return _put(desk, customer_id, airplane_mode=False)

    @serves("write", side=CUSTOMER)
    def mobile_data_on(self, desk: Desk, *, customer_id: str) -> Any:
        """Switch mobile data on.

        Args:
            customer_id: whose phone it is.
        """
        return _put(desk, customer_id, mobile_data=True)

    @serves("write", side=CUSTOMER)
    def mobile_data_off(self, desk: Desk, *, customer_id: str) -> Any:
        """Switch mobile data off.

        Args:
            customer_id: whose phone it is.
        """
        return _put(desk, customer_id, mobile_data=False)

    @serves("write", side=CUSTOMER)
    def data_roaming_on(self, desk: Desk, *, customer_id: str) -> Any:
        """Switch data roaming on.

        Args:
            customer_id: whose phone it is.
        """
        return _put(desk, customer_id, data_roaming=True)

    @serves("write", side=CUSTOMER)
    def data_roaming_off(self, desk: Desk, *, customer_id: str) -> Any:
        """Switch data roaming off.

        Args:
            customer_id: whose phone it is.
        """
        return _put(desk, customer_id, data_roaming=False)

    @serves("write", side=CUSTOMER)
    def data_saver_off(self, desk: Desk, *, customer_id: str) -> Any:
        """Switch the data saver off.

        Args:
            customer_id: whose phone it is.
        """
        return _put(desk, customer_id, data_saver=False)

    @serves("write", side=CUSTOMER)
    def vpn_off(self, desk: Desk, *, customer_id: str) -> Any:
        """Disconnect the VPN.

        Args:
            customer_id: whose phone it is.
        """
        return _put(desk, customer_id, vpn=False)

    @serves("write", side=CUSTOMER)
    def network_mode_automatic(self, desk: Desk, *, customer_id: str) -> Any:
        """Set the network mode to automatic.

        Args:
            customer_id: whose phone it is.
        """
        return _put(desk, customer_id, network_mode="automatic")

    @serves("write", side=CUSTOMER)
    def reseat_sim(self, desk: Desk, *, customer_id: str) -> Any:
        """Take the SIM card out and put it back.

        Args:
            customer_id: whose phone it is.
        """
        return _put(desk, customer_id, sim="seated")

    @serves("write", side=CUSTOMER)
    def reset_access_point(self, desk: Desk, *, customer_id: str) -> Any:
        """Reset the access point to the standard one; it takes effect when the phone is restarted.

        Args:
            customer_id: whose phone it is.
        """
        return _put(desk, customer_id, access_point="standard", restart_needed=True)

    @serves("write", side=CUSTOMER)
    def restart_phone(self, desk: Desk, *, customer_id: str) -> Any:
        """Restart the phone, which disconnects its VPN.

        Args:
            customer_id: whose phone it is.
        """
        return _put(desk, customer_id, restart_needed=False, vpn=False)

    @serves("write", side=CUSTOMER)
    def pay_request(self, desk: Desk, *, customer_id: str) -> Any:
        """Pay the payment request that waits on the phone.

        Args:
            customer_id: whose phone it is.
        """
        key = desk.find("customers", customer_id, "customer")["payment_request"]
        if key is None:
            return "there is no payment request"
        return f"the request for bill {key} over {pay(desk, key)['total']} is paid"


def pay(desk: Desk, key: str) -> Record:
    """Write a bill as paid in full, which takes back a request for it, and return it."""
    bill = desk.database["bills"][key]
    if desk.database["customers"][bill["customer"]]["payment_request"] == key:
        desk.change("customers", bill["customer"], payment_request=None)
    return desk.change("bills", key, paid=bill["total"], paid_on=desk.clock[:10], status="paid")


def _phone(desk: Desk, customer_id: str) -> Record:
    return desk.find("devices", customer_id, "phone of customer")


def _put(desk: Desk, customer_id: str, **fields: Any) -> str:
    """Write settings, and return what the status bar shows then."""
    _phone(desk, customer_id)
    return f"the status bar shows {bar(desk.database, desk.change('devices', customer_id, **fields))}"
