"""The tables of energy, and how they are filled."""

from __future__ import annotations

from agentgym.envs.text_to_sql.result import Value
from agentgym.envs.text_to_sql.shipped.families import Rows
from agentgym.envs.text_to_sql.shipped.filling import day, later, maybe, several
from agentgym.rng import TurnRng

SCHEMA = """
CREATE TABLE site (
    site_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    district TEXT NOT NULL,
    floor_area INTEGER NOT NULL,
    built INTEGER
);
CREATE TABLE meter (
    meter_id INTEGER PRIMARY KEY,
    site_id INTEGER NOT NULL REFERENCES site (site_id),
    medium TEXT NOT NULL,
    installed TEXT NOT NULL,
    removed TEXT
);
CREATE TABLE reading (
    meter_id INTEGER NOT NULL REFERENCES meter (meter_id),
    read_at TEXT NOT NULL,
    kwh REAL,
    estimated INTEGER NOT NULL,
    PRIMARY KEY (meter_id, read_at)
);
CREATE TABLE outage (
    outage_id INTEGER PRIMARY KEY,
    cause TEXT NOT NULL,
    started TEXT NOT NULL,
    ended TEXT
);
CREATE TABLE outage_site (
    outage_id INTEGER NOT NULL REFERENCES outage (outage_id),
    site_id INTEGER NOT NULL REFERENCES site (site_id),
    backup TEXT,
    PRIMARY KEY (outage_id, site_id)
);
"""

_SITES = {  # kind, then names, usual floor area and use of electricity
    "school": (("Alder", "Birchwood", "Copperfield", "Dunmore", "Elmhurst", "Fairway"), 2400, 120),
    "clinic": (("Marigold", "Northfield", "Parkside", "Rowan"), 1800, 160),
    "library": (("Central", "Harbour", "Lantern", "Quayside"), 1200, 60),
    "pool": (("Dolphin", "Kingfisher", "Lido", "Otter"), 1600, 220),
    "depot": (("Ashgate", "Foundry", "Railyard", "Weir"), 2000, 90),
    "hall": (("Corn", "Guild", "Market", "Victory"), 900, 40),
}
_DISTRICTS = ("Eastgate", "Hillfoot", "Old Town", "Riverside")
_CAUSES = ("cable fault", "overload", "planned work", "storm")
_DAYS = tuple(f"2024-01-{number:02d}" for number in range(8, 16))
_PLANNED = (  # works of four hours
    "2023-10-02 08:00", "2023-11-06 08:00", "2023-12-04 08:00", "2024-01-08 08:00", "2024-02-05 08:00",
    "2024-02-05 12:00", "2024-03-04 08:00", "2024-03-04 12:00", "2024-03-18 08:00", "2024-03-18 12:00",
)  # fmt: skip
_DAYTIME = {  # what a reading counts: the six hours before it
    "electricity": {"00": 0.7, "06": 0.4, "12": 1.4, "18": 1.3},
    "heat": {"00": 1.1, "06": 1.5, "12": 2.0, "18": 1.6},
    "solar": {"00": 0.0, "06": 0.0, "12": 0.5, "18": 0.3},
}


def _sites(rng: TurnRng) -> Rows:
    """26 sites; the districts are of unequal size, one in three has no known year of construction."""
    where = rng.shuffled([0] * 9 + [1] * 5 + [2] * 7 + [3] * 5)
    rows: Rows = []
    for kind, (names, area, _) in _SITES.items():
        for name in names:
            size = area + 100 * rng.integers(-4, 5)
            built = maybe(rng, 1890 + 5 * rng.integers(26), 0.35)
            row = (f"{name} {kind.title()}", kind, _DISTRICTS[where[len(rows)]], size, built)
            rows.append((len(rows) + 1, *row))
    return rows


def _meters(rng: TurnRng, sites: Rows) -> Rows:
    """Electricity everywhere but at one site, heat and solar at some; of the latter five each were taken out again."""
    wanted: dict[str, list[Value]] = {"electricity": [], "heat": [], "solar": []}
    for place, site in enumerate(rng.shuffled(sites)):
        wanted["electricity"] += [site[0]] * (0 if place == 0 else 2 if place < 6 else 1)
        wanted["heat"] += [site[0]] * (0 if place % 4 == 0 else 1)
        wanted["solar"] += [site[0]] * (1 if place % 5 in (1, 3) else 0)
    drawn: Rows = []
    for medium, where in wanted.items():
        for place, owner in enumerate(where):
            removed = day(rng, "2023-02-01", "2023-12-20") if place < 3 else rng.choice(_DAYS[2:])
            kept = place > 4 or medium == "electricity" and place > 1
            drawn.append((owner, medium, day(rng, "2012-01-01", "2022-12-31"), None if kept else removed))
    return [(number, *row) for number, row in enumerate(rng.shuffled(drawn), 1)]


def _readings(rng: TurnRng, sites: Rows, meters: Rows) -> Rows:
    """Four readings a day and meter, but none of three meters; some never came, some have no value or an estimate."""
    rows: Rows = []
    silent = rng.shuffled([meter[0] for meter in meters if meter[4] is None])[:3]
    for meter in meters:
        usual = _SITES[str(sites[int(str(meter[1])) - 1][2])][2] * rng.choice((0.6, 0.8, 1.0, 1.3))
        for date in () if meter[0] in silent else _DAYS:
            quiet = 0.5 if date in ("2024-01-13", "2024-01-14") and meter[2] == "electricity" else 1.0
            for hour, factor in _DAYTIME[str(meter[2])].items():
                late = "00" if rng.random() < 0.93 else rng.choice(("10", "20", "30"))
                value = 5.0 * round(usual * factor * quiet * (0.7 + 0.6 * rng.random()) / 5)
                lost, estimated = rng.random() < 0.07, rng.random() < 0.08
                if rng.random() > 0.03 and (meter[4] is None or date < str(meter[4])):
                    known = None if lost else value
                    rows.append((meter[0], f"{date} {hour}:{late}", known, int(estimated and not lost)))
    return rows


def _outages(rng: TurnRng, sites: Rows) -> tuple[Rows, Rows]:
    """44 outages from October to March, ten of them announced works of four hours; seven of the later ones not over."""
    planned = [(started, "planned work") for started in _PLANNED]
    starts = [f"{day(rng, '2023-10-01', '2024-03-25')} {rng.integers(24):02d}:{rng.integers(6)}0" for _ in range(34)]
    known = sorted([*planned, *((start, rng.choice(_CAUSES, (4, 3, 1, 5))) for start in starts)])
    lasting = rng.shuffled([place for place in range(24, 44) if known[place] not in planned])[:7]
    outages: Rows = []
    touched: Rows = []
    for place, (started, cause) in enumerate(known):
        clock = int(started[11:13]) + (4 if (started, cause) in planned else rng.choice((1, 2, 3, 4, 6, 9, 14, 20, 30)))
        ended = f"{later(started[:10], clock // 24)} {clock % 24:02d}:{started[14:]}"
        outages.append((place + 1, cause, started, None if place in lasting else ended))
        for site in several(rng, sites, rng.choice((1, 2, 3, 5, 7), (4, 4, 3, 2, 1))):
            touched.append((place + 1, site[0], rng.choice((None, "battery", "diesel"), (4, 3, 2))))
    return outages, touched


def fill(rng: TurnRng) -> dict[str, Rows]:
    """Return the rows of every table by table name, in the order of SCHEMA; every draw comes from `rng`."""
    sites = _sites(rng)
    meters = _meters(rng, sites)
    readings = _readings(rng, sites, meters)
    outages, touched = _outages(rng, sites)
    return {"site": sites, "meter": meters, "reading": readings, "outage": outages, "outage_site": touched}
