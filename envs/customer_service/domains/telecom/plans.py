"""What Heathline sells: plans and packs of data."""

from __future__ import annotations

from typing import Final

from agentgym.envs.customer_service.database import Record

_COLUMNS: Final = ("name", "monthly_price", "data_gb", "when_used_up", "roaming", "minimum_term_months", "on_sale")
_ROWS: Final = (
    ("Brook 2", "8.00", 2, "stops", "none", 0, True),
    ("Brook 5", "11.50", 5, "stops", "none", 0, True),
    ("Brook 8", "12.90", 8, "stops", "none", 0, False),
    ("Coast 12", "15.50", 12, "stops", "europe", 12, False),
    ("Willow 10", "16.90", 10, "stops", "europe", 12, True),
    ("Harbour 15", "18.90", 15, "stops", "world", 0, True),
    ("Willow 20", "21.90", 20, "slows", "europe", 12, True),
    ("Willow 30", "24.50", 30, "slows", "europe", 12, False),
    ("Harbour 25", "25.90", 25, "slows", "world", 0, True),
    ("Ridge 40", "28.90", 40, "slows", "europe", 24, True),
    ("Ridge 60", "33.50", 60, "slows", "world", 24, True),
    ("Ridge 80", "36.00", 80, "slows", "world", 24, False),
    ("Summit 100", "41.90", 100, "slows", "world", 24, True),
    ("Summit 300", "52.90", 300, "slows", "world", 24, True),
)

PACKS: Final = {1: "3.00", 3: "7.00", 5: "10.00", 10: "16.00"}
"""Gigabytes of a pack → its price."""
MOST_EXTRA_GB: Final = 12
"""As much extra data may a line have in one month."""


def key_of(name: str) -> str:
    """Return the id of a plan: "Willow 20" is willow-20."""
    return name.lower().replace(" ", "-")


PLANS: Final[dict[str, Record]] = {
    key_of(row[0]): {"plan_id": key_of(row[0]), **dict(zip(_COLUMNS, row, strict=True))} for row in _ROWS
}
