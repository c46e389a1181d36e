"""The scenario families of Heathline."""

from __future__ import annotations

from typing import Final

from agentgym.envs.customer_service.domain import Family
from agentgym.envs.customer_service.domains.telecom import changes, faults, unpaid

FAMILIES: Final = tuple(
    Family(draw.__name__, draw)
    for draw in (
        faults.airplane_mode,
        faults.loose_sim,
        faults.outage,
        faults.mobile_data_off,
        faults.access_point,
        faults.used_up,
        faults.data_saver,
        faults.slow_data,
        faults.abroad,
        unpaid.suspended,
        unpaid.claims_paid,
        unpaid.barred,
        unpaid.for_a_colleague,
        unpaid.bill_question,
        unpaid.pay_open_bill,
        changes.bigger_plan,
        changes.bound,
        changes.withdrawn_plan,
        changes.no_roaming,
        changes.too_much_data,
        changes.travel,
        changes.lost_phone,
        changes.line_of_another,
    )
)
