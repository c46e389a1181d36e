"""The tables of railway, and how they are filled."""

from __future__ import annotations

from datetime import date
from typing import Final

from agentgym.envs.text_to_sql.shipped.families import Rows
from agentgym.envs.text_to_sql.shipped.filling import day, later, maybe, several, skewed
from agentgym.rng import TurnRng

SCHEMA: Final = """
CREATE TABLE operator (
    operator_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    parent_id INTEGER REFERENCES operator (operator_id),
    licence_until TEXT
);
CREATE TABLE station (
    station_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    town TEXT NOT NULL,
    zone INTEGER,
    platforms INTEGER NOT NULL,
    opened TEXT
);
CREATE TABLE line (
    line_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    operator_id INTEGER NOT NULL REFERENCES operator (operator_id),
    electrified INTEGER NOT NULL
);
CREATE TABLE stop (
    line_id INTEGER NOT NULL REFERENCES line (line_id),
    position INTEGER NOT NULL,
    station_id INTEGER NOT NULL REFERENCES station (station_id),
    km INTEGER NOT NULL,
    PRIMARY KEY (line_id, position)
);
CREATE TABLE train_type (
    type_id INTEGER PRIMARY KEY,
    label TEXT NOT NULL UNIQUE,
    traction TEXT NOT NULL,
    seats INTEGER NOT NULL
);
CREATE TABLE service (
    service_id INTEGER PRIMARY KEY,
    code TEXT NOT NULL UNIQUE,
    line_id INTEGER NOT NULL REFERENCES line (line_id),
    type_id INTEGER REFERENCES train_type (type_id),
    departs TEXT NOT NULL,
    days TEXT NOT NULL
);
CREATE TABLE trip (
    trip_id INTEGER PRIMARY KEY,
    service_id INTEGER NOT NULL REFERENCES service (service_id),
    travel_date TEXT NOT NULL,
    cancelled INTEGER NOT NULL,
    delay_min INTEGER,
    passengers INTEGER
);
CREATE TABLE incident (
    incident_id INTEGER PRIMARY KEY,
    category TEXT NOT NULL,
    trip_id INTEGER REFERENCES trip (trip_id),
    station_id INTEGER REFERENCES station (station_id),
    reported TEXT NOT NULL,
    closed TEXT,
    cost INTEGER
);
CREATE TABLE station_facility (
    station_id INTEGER NOT NULL REFERENCES station (station_id),
    facility TEXT NOT NULL,
    since TEXT,
    PRIMARY KEY (station_id, facility)
);
CREATE INDEX trip_of_service ON trip (service_id);
CREATE INDEX stop_at_station ON stop (station_id);
CREATE INDEX incident_of_trip ON incident (trip_id);
"""

HOLDINGS: Final = ("Continental Rail", "Crown Lines", "Delta Group")
OPERATORS: Final = ("Northway", "Coastliner", "Valley Trains", "Metrolink", "Highland Railways")
TOWNS: Final = ("Marl", "Tessen", "Brunn", "Okehurst", "Velden", "Orrby")
STATIONS: Final = tuple(
    f"{stem}{end}"
    for end in ("ford", "ham", "ton", "wick")
    for stem in ("Alder", "Brook", "Cold", "Dun", "Elm", "Fair", "Grim", "Hart", "Iron", "Kings", "Lang", "Mill")
)
LINES: Final = (
    "Amber Line", "Bay Line", "Canal Line", "Dune Line", "East Line", "Forest Line", "Granite Line", "Hill Line",
    "Island Line", "Junction Line", "Lake Line", "Moor Line",
)  # fmt: skip
TYPES: Final = (
    ("Arrow", "electric", 200), ("Bolt", "electric", 320), ("Comet", "electric", 140),
    ("Drake", "diesel", 160), ("Eland", "diesel", 90), ("Finch", "battery", 120),
)  # fmt: skip
FACILITIES: Final = ("bicycle parking", "lift", "lockers", "ticket office", "toilets", "waiting room")
CATEGORIES: Final = ("door", "medical", "signal", "vandalism", "weather")
TIMES: Final = (
    "05:00", "06:00", "06:30", "07:00", "07:30", "08:00", "09:00", "12:00", "15:00", "16:00", "17:00", "20:00",
)  # fmt: skip
SURVEY_DAYS: Final = tuple(f"2024-{month:02}-{day:02}" for month in range(1, 13) for day in (1, 8, 15, 22, 28))


def fill(rng: TurnRng) -> dict[str, Rows]:
    """Return one filling of the schema, rows by table; trips stand only for the days of the survey."""
    operators: Rows = [(number, name, None, maybe(rng, "2039-12-31", 0.4)) for number, name in enumerate(HOLDINGS, 1)]
    for number, name in enumerate(OPERATORS, 4):
        until = maybe(rng, f"{rng.integers(2026, 2033)}-06-30", 0.2)
        operators.append((number, name, maybe(rng, 1 + rng.integers(3), 0.4), until))
    towns = rng.shuffled(TOWNS * 8)
    stations: Rows = [
        (number, name, towns[number - 1], maybe(rng, 1 + rng.integers(4), 0.2), skewed(rng, (2, 1, 3, 4, 6, 8)), opened)
        for number, name in enumerate(STATIONS, 1)
        for opened in (maybe(rng, day(rng, "1880-01-01", "1989-12-31"), 0.25),)
    ]
    owners = rng.shuffled((1, 2, 4, 4, 5, 5, 5, 6, 6, 7, 7, 8))
    lines: Rows = [(number, name, owners[number - 1], rng.integers(2)) for number, name in enumerate(LINES, 1)]
    types: Rows = [(number, *kind) for number, kind in enumerate(TYPES, 1)]
    services: list[tuple[int, str, int, int | None, str, str]] = []
    for number in range(1, 67):
        days = rng.choice(("daily", "weekdays", "weekends"), (4, 4, 2))
        kind = maybe(rng, 1 + rng.integers(len(TYPES)), 0.15)
        services.append((number, f"S{100 + number}", 1 + number % len(LINES), kind, rng.choice(TIMES), days))
    trips = _trips(rng, services)
    return {
        "operator": operators, "station": stations, "line": lines, "stop": _stops(rng), "train_type": types,
        "service": list(services), "trip": list(trips), "incident": _incidents(rng, trips),
        "station_facility": _facilities(rng),
    }  # fmt: skip


def _stops(rng: TurnRng) -> Rows:
    """Return the stops of all lines; every fourth line ends where it began, a few stations have none."""
    served = rng.shuffled(range(1, len(STATIONS) + 1))[:-9]
    rows: Rows = []
    for line in range(1, len(LINES) + 1):
        route = rng.shuffled(served)[: rng.integers(7, 13)]
        route += route[:1] if line % 4 == 0 else []
        km = 0
        for position, station in enumerate(route, 1):
            rows.append((line, position, station, km))
            km += rng.integers(2, 10)
    return rows


def _trips(
    rng: TurnRng, services: list[tuple[int, str, int, int | None, str, str]]
) -> list[tuple[int, int, str, int, int | None, int | None]]:
    rows: list[tuple[int, int, str, int, int | None, int | None]] = []
    for when in SURVEY_DAYS:
        weekend = date.fromisoformat(when).weekday() >= 5
        running = [row for row in services if row[5] in ("daily", "weekends" if weekend else "weekdays")]
        for service in several(rng, running, 20):
            cancelled = int(rng.integers(12) == 0)
            delay = None if cancelled else maybe(rng, skewed(rng, (0, 1, 2, 3, 5, 10, 15, 20, 30)))
            seats = TYPES[service[3] - 1][2] if service[3] else 150
            riders = None if cancelled else maybe(rng, seats * rng.integers(2, 14) // 10)
            rows.append((len(rows) + 1, service[0], when, cancelled, delay, riders))
    return rows


def _incidents(rng: TurnRng, trips: list[tuple[int, int, str, int, int | None, int | None]]) -> Rows:
    rows: Rows = []
    for number in range(1, 261):
        trip = rng.choice(trips)
        place = rng.choice(("trip", "station", "both"), (4, 4, 2))
        station = None if place == "trip" else 1 + rng.integers(len(STATIONS))
        closed = maybe(rng, later(trip[2], rng.choice((0, 1, 2, 3, 7, 14, 30))), 0.2)
        cost = maybe(rng, 50 * rng.integers(1, 41), 0.25)
        train = None if place == "station" else trip[0]
        rows.append((number, rng.choice(CATEGORIES), train, station, trip[2], closed, cost))
    return rows


def _facilities(rng: TurnRng) -> Rows:
    return [
        (station, facility, maybe(rng, f"{rng.integers(1995, 2024)}-{rng.choice(('01', '04', '09'))}-01", 0.3))
        for station in range(1, len(STATIONS) + 1)
        for facility in several(rng, FACILITIES, rng.choice((2, 3, 4, 5)))
    ]
