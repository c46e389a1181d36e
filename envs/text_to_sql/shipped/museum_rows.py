"""The tables of museum, and how they are filled."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Final

from agentgym.envs.text_to_sql.shipped.families import Rows
from agentgym.envs.text_to_sql.shipped.filling import FIRST_NAMES, LAST_NAMES, day, maybe, several, skewed
from agentgym.rng import TurnRng

SCHEMA: Final = """
CREATE TABLE artist (
    artist_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    country TEXT,
    born INTEGER NOT NULL,
    died INTEGER
);
CREATE TABLE artwork (
    artwork_id INTEGER PRIMARY KEY,
    title TEXT NOT NULL,
    artist_id INTEGER REFERENCES artist (artist_id),
    made INTEGER,
    technique TEXT NOT NULL,
    acquired TEXT NOT NULL,
    insured_euros INTEGER,
    room INTEGER
);
CREATE TABLE exhibition (
    exhibition_id INTEGER PRIMARY KEY,
    title TEXT NOT NULL UNIQUE,
    curator TEXT NOT NULL,
    opened TEXT NOT NULL,
    closed TEXT NOT NULL,
    sponsor TEXT
);
CREATE TABLE exhibit (
    exhibition_id INTEGER NOT NULL REFERENCES exhibition (exhibition_id),
    artwork_id INTEGER NOT NULL REFERENCES artwork (artwork_id),
    wall TEXT,
    PRIMARY KEY (exhibition_id, artwork_id)
);
CREATE TABLE visit_day (
    exhibition_id INTEGER NOT NULL REFERENCES exhibition (exhibition_id),
    day TEXT NOT NULL,
    paid INTEGER NOT NULL,
    free INTEGER NOT NULL,
    PRIMARY KEY (exhibition_id, day)
);
CREATE INDEX work_of_artist ON artwork (artist_id);
CREATE INDEX showing_of_work ON exhibit (artwork_id);
"""

COUNTRIES: Final = ("Denmark", "France", "Italy", "Japan", "Mexico", "Poland", "Spain")
TECHNIQUES: Final = ("oil", "print", "watercolour", "bronze", "photograph", "textile")
CURATORS: Final = ("Aoife Walsh", "Bruno Greco", "Ines Castro", "Karin Dahl", "Omar Haddad", "Priya Kaur")
SPONSORS: Final = ("Harbour Bank", "City Council", "Friends of the Museum")
EXHIBITIONS: Final = (
    "A Line Drawn", "After the Rain", "Blue Hours", "City of Stone", "Earth and Fire", "Faces", "First Light",
    "From the Cellar", "Garden Rooms", "Hands at Work", "In Two Colours", "Islands", "Knots and Threads", "Large Small",
    "Night Market", "No Horizon", "On Paper", "Quiet Machines", "River Towns", "Seven Doors", "Still There",
    "The Long Table", "Under Glass", "Winter Guests",
)  # fmt: skip
SUBJECTS: Final = (
    "Boats", "Bread and Knife", "Bridge", "Dancer", "Field in June", "Fishmonger", "Girl Reading", "Harvest", "Horse",
    "Ladder", "Lemons", "Market Day", "Old Mill", "Portrait of a Boy", "Roofs", "Self-Portrait", "Snow", "Still Life",
    "Swimmers", "Three Chairs", "Untitled", "Window",
)  # fmt: skip
WALLS: Final = ("north", "east", "south", "west")


def written(iso: str) -> str:
    """Return a day as this museum writes it, DD.MM.YYYY."""
    return f"{iso[8:]}.{iso[5:7]}.{iso[:4]}"


def fill(rng: TurnRng) -> dict[str, Rows]:
    """Return table → rows: 90 artists, 420 artworks, 24 exhibitions, about 1,300 days with visitors."""
    artists: Rows = []
    for number in range(1, 91):
        born = 1790 + rng.integers(210)
        died = born + 30 + rng.integers(60)
        name = f"{rng.choice(FIRST_NAMES)} {rng.choice(LAST_NAMES)}"
        artists.append((number, name, maybe(rng, rng.choice(COUNTRIES), 0.1), born, died if died < 2022 else None))
    artworks: Rows = []
    for number in range(1, 421):
        artist = maybe(rng, skewed(rng, artists, 1.6), 0.12)
        made = maybe(rng, _year_of(rng, artist), 0.15)
        title = f"{skewed(rng, SUBJECTS, 1.3)}{rng.choice(('', '', '', ' I', ' II'))}"
        acquired = written(day(rng, "1990-01-01", "2022-12-31"))
        worth, room = maybe(rng, 500 * (1 + skewed(rng, range(400), 3.0)), 0.12), maybe(rng, 1 + rng.integers(12), 0.45)
        owner = artist[0] if artist else None
        artworks.append((number, title, owner, made, skewed(rng, TECHNIQUES, 1.4), acquired, worth, room))
    shows: Rows = []
    exhibits: Rows = []
    visits: Rows = []
    for number, title in enumerate(EXHIBITIONS, 1):
        opening = date.fromisoformat(day(rng, "2021-01-10", "2023-10-31"))
        length = 35 + rng.integers(60)
        closing = opening + timedelta(length)
        ends = written(opening.isoformat()), written(closing.isoformat())
        shows.append((number, title, skewed(rng, CURATORS, 1.2), *ends, maybe(rng, rng.choice(SPONSORS), 0.3)))
        for artwork in several(rng, range(1, 421), 18 + rng.integers(24)):
            exhibits.append((number, artwork, maybe(rng, rng.choice(WALLS), 0.2)))
        crowd = 40 + rng.integers(160)
        for after in range(length + 1):
            if (opening + timedelta(after)).weekday() != 0:
                when = written((opening + timedelta(after)).isoformat())
                visits.append((number, when, crowd // 2 + rng.integers(crowd), rng.integers(1 + crowd // 3)))
    return {"artist": artists, "artwork": artworks, "exhibition": shows, "exhibit": exhibits, "visit_day": visits}


def _year_of(rng: TurnRng, artist: tuple[object, ...] | None) -> int:
    born = artist[3] if artist else None
    return (born if isinstance(born, int) else 1800 + rng.integers(120)) + 18 + rng.integers(45)
