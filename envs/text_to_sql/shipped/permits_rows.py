"""The tables of permits, and how they are filled."""

from __future__ import annotations

from datetime import date
from typing import Final

from agentgym.envs.text_to_sql.shipped.families import Rows
from agentgym.envs.text_to_sql.shipped.filling import day, later, maybe
from agentgym.rng import TurnRng

SCHEMA: Final = """
CREATE TABLE parcel (
    parcel_no TEXT PRIMARY KEY,
    district TEXT NOT NULL,
    zone TEXT NOT NULL,
    area_m2 INTEGER,
    protected INTEGER NOT NULL
);
CREATE TABLE permit (
    permit_no INTEGER PRIMARY KEY,
    parcel_no TEXT NOT NULL REFERENCES parcel (parcel_no),
    amends INTEGER REFERENCES permit (permit_no),
    kind TEXT NOT NULL,
    filed TEXT NOT NULL,
    decided TEXT,
    outcome TEXT,
    fee INTEGER NOT NULL,
    clerk TEXT
);
CREATE TABLE inspection (
    inspection_id INTEGER PRIMARY KEY,
    permit_no INTEGER NOT NULL REFERENCES permit (permit_no),
    visited TEXT NOT NULL,
    inspector TEXT NOT NULL,
    stage TEXT NOT NULL,
    result TEXT,
    minutes INTEGER NOT NULL
);
CREATE INDEX permit_of_parcel ON permit (parcel_no);
CREATE INDEX inspection_of_permit ON inspection (permit_no);
"""

DISTRICTS: Final = ("Old Town", "Riverside", "Northfield", "Mill Quarter", "Station", "Hillside")
ZONES: Final = ("housing", "mixed", "trade")
KINDS: Final = {"new house": 900, "extension": 400, "roof": 150, "demolition": 200, "fence": 60}
CLERKS: Final = ("Arden", "Bello", "Cho", "Demir", "Ekdal", "Faro")
INSPECTORS: Final = ("Gallo", "Hirsch", "Iwu", "Jost", "Koval", "Lind", "Moss", "Nagy")
STAGES: Final = ("site", "frame", "wiring", "final")
CLOSING: Final = "2024-02-29"


def fill(rng: TurnRng) -> dict[str, Rows]:
    """Return one filling of the schema, rows by table; equal draws give equal rows."""
    parcels: Rows = []
    for number, district in enumerate(rng.shuffled(DISTRICTS * 25), 1):
        area = maybe(rng, 200 + 100 * rng.integers(10), 0.15)
        parcels.append((f"{district[0]}-{number:03}", district, rng.choice(ZONES), area, rng.integers(2)))
    permits: list[tuple[int, str, int | None, str, str, str | None, str | None, int, str | None]] = []
    for number in range(1, 571):
        first = rng.choice(permits) if permits and rng.integers(3) == 0 else None
        parcel = first[1] if first else str(rng.choice(parcels)[0])
        kind = first[3] if first and rng.integers(4) else rng.choice(tuple(KINDS))
        filed = day(rng, first[4] if first else "2021-01-04", "2023-12-31")
        filed = later(filed, -date.fromisoformat(filed).weekday())  # the office takes them in on Mondays
        decided: str | None = later(filed, rng.choice((7, 14, 21, 28, 42, 60, 90)))
        decided = maybe(rng, decided) if decided and decided <= CLOSING else None
        outcome = rng.choice(("granted", "refused", "withdrawn"), (60, 22, 18)) if decided else None
        fee = first[7] if first and rng.integers(3) == 0 else KINDS[kind] + 10 * rng.integers(KINDS[kind] // 8)
        clerk = maybe(rng, rng.choice(CLERKS), 0.15 if decided else 0.4)
        amended = first[0] if first else None
        permits.append((number, parcel, amended, kind, filed, decided, outcome, fee, clerk))
    visits: Rows = []
    for permit in permits:
        if permit[6] == "granted" and permit[5]:
            visits += _visits(rng, permit[0], permit[5])
    numbers = rng.shuffled(range(1, len(visits) + 1))
    inspections = sorted((number, *visit) for number, visit in zip(numbers, visits, strict=True))
    written = [(*row[:4], _office(row[4]), row[5] and _office(row[5]), *row[6:]) for row in permits]
    return {"parcel": parcels, "permit": list(written), "inspection": list(inspections)}


def _visits(rng: TurnRng, permit: int, when: str) -> Rows:
    rows: Rows = []
    stage = 0
    for _ in range(rng.choice((0, 1, 2, 3, 4, 5, 6, 7), (1, 1, 2, 3, 4, 4, 3, 1))):
        when = later(when, rng.integers(2, 40))
        if rng.integers(4) == 0:
            when = f"{later(when, 31)[:8]}01"  # put off to the first of a month
        result = rng.choice(("pass", "fail", None), (50, 35, 15))
        minutes = 15 * rng.integers(1, 9)
        rows.append((permit, _office(when), rng.choice(INSPECTORS), STAGES[stage], result, minutes))
        stage = min(stage + rng.choice((0, 1, 1) if result == "pass" else (0, 0, 1)), len(STAGES) - 1)
    return rows


def _office(when: str) -> str:
    """Return a day as the office writes it: 'DD.MM.YYYY'."""
    year, month, day_ = when.split("-")
    return f"{day_}.{month}.{year}"
