"""The tables of music, and how they are filled."""

from __future__ import annotations

from typing import Final

from agentgym.envs.text_to_sql.shipped.families import Rows
from agentgym.envs.text_to_sql.shipped.filling import day, later, maybe, several, skewed
from agentgym.rng import TurnRng

SCHEMA: Final = """
CREATE TABLE artists (
    artist_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    country TEXT,
    founded INTEGER NOT NULL,
    disbanded INTEGER
);
CREATE TABLE albums (
    album_id INTEGER PRIMARY KEY,
    title TEXT NOT NULL UNIQUE,
    artist_id INTEGER NOT NULL REFERENCES artists (artist_id),
    kind TEXT NOT NULL,
    released TEXT NOT NULL,
    label TEXT
);
CREATE TABLE tracks (
    track_id INTEGER PRIMARY KEY,
    title TEXT NOT NULL,
    album_id INTEGER NOT NULL REFERENCES albums (album_id),
    number INTEGER NOT NULL,
    seconds INTEGER NOT NULL,
    explicit INTEGER NOT NULL,
    UNIQUE (album_id, number)
);
CREATE TABLE genres (
    genre_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    parent_id INTEGER REFERENCES genres (genre_id)
);
CREATE TABLE track_genres (
    track_id INTEGER NOT NULL REFERENCES tracks (track_id),
    genre_id INTEGER NOT NULL REFERENCES genres (genre_id),
    PRIMARY KEY (track_id, genre_id)
);
CREATE TABLE listeners (
    listener_id INTEGER PRIMARY KEY,
    nickname TEXT NOT NULL UNIQUE,
    country TEXT,
    plan TEXT NOT NULL,
    joined TEXT NOT NULL,
    invited_by INTEGER REFERENCES listeners (listener_id)
);
CREATE TABLE plays (
    play_id INTEGER PRIMARY KEY,
    listener_id INTEGER NOT NULL REFERENCES listeners (listener_id),
    track_id INTEGER NOT NULL REFERENCES tracks (track_id),
    played_on TEXT NOT NULL,
    device TEXT NOT NULL,
    seconds_heard INTEGER
);
CREATE INDEX play_of_track ON plays (track_id);
CREATE INDEX play_of_listener ON plays (listener_id);
CREATE INDEX genre_of_track ON track_genres (genre_id);
"""

ARTISTS: Final = (
    "Apricot Lodge", "Brass Pelican", "Copper Foxes", "Dry Cathedral", "Echo Bakery", "Fathom Street", "Glass Tramway",
    "Hotel Comet", "Ink Republic", "June Cartel", "Kite Parliament", "Low Meridian", "Marble Geese", "Nine Lanterns",
    "Owl Committee", "Plum Engine", "Quiet Arcade", "Rust and Honey", "Salt Telegraph", "Tin Orchard",
    "Umbrella Thieves", "Violet Ferry", "Waxwork Choir", "Yellow Viaduct",
)  # fmt: skip
COUNTRIES: Final = ("Brazil", "Canada", "Finland", "Ghana", "Japan", "Spain")
FOUNDED: Final = (1988, 1991, 1994, 1997, 2000, 2003, 2006, 2009)
KINDS: Final = ("studio", "live", "EP")
LABELS: Final = ("Anvil", "Bellweather", "Cartwheel", "Dovetail")
GENRES: Final = (
    ("Rock", None), ("Electronic", None), ("Folk", None), ("Indie Rock", 1), ("Hard Rock", 1), ("House", 2),
    ("Ambient", 2), ("Deep House", 6), ("Ballads", 3), ("Sea Songs", 3), ("Garage Rock", 4), ("Drone", 7),
)  # fmt: skip
PLANS: Final = ("free", "family", "premium")
DEVICES: Final = ("phone", "desktop", "speaker")
FIRST: Final = (
    "Amber", "Borrowed", "Cold", "Distant", "Electric", "Falling", "Golden", "Hollow", "Inner", "Jagged", "Kind",
    "Lonely", "Midnight", "Narrow", "Open",
)  # fmt: skip
SECOND: Final = (
    "Avenue", "Balcony", "Coast", "Daylight", "Echo", "Fever", "Garden", "Highway", "Island", "Jukebox", "Kitchen",
    "Lullaby", "Machine", "Neon", "Ocean", "Parade",
)  # fmt: skip
ANIMALS: Final = ("badger", "crane", "dingo", "ermine", "finch", "gecko", "heron", "ibis", "jackdaw", "koala", "lynx")
TINTS: Final = ("ashen", "blue", "coral", "dusty", "ebony", "fawn", "green")
LAST_DAY: Final = "2024-06-30"


def fill(rng: TurnRng) -> dict[str, Rows]:
    """Return one filling of the schema, rows by table; plays fall into the first half of 2024."""
    artists: Rows = []
    founded: list[int] = []
    for number, name in enumerate(ARTISTS, 1):
        country = maybe(rng, rng.choice(COUNTRIES), 0.15)
        founded.append(rng.choice(FOUNDED))
        artists.append((number, name, country, founded[-1], maybe(rng, founded[-1] + rng.choice((9, 12)), 0.4)))
    names = rng.shuffled([f"{first} {second}" for first in FIRST for second in SECOND])
    albums: Rows = []
    tracks: list[tuple[int, str, int, int, int, int]] = []
    for number in range(1, 85):
        artist = 1 + number % len(ARTISTS)
        released = later(f"{founded[artist - 1] + 1 + 2 * (number // len(ARTISTS))}-01-01", rng.integers(700))
        kind = rng.choice(KINDS, (5, 2, 2))
        albums.append((number, names.pop(), artist, kind, released, maybe(rng, rng.choice(LABELS), 0.25)))
        for place in range(1, rng.integers(4, 9)):
            older = [row[1] for row in tracks if 1 + row[2] % len(ARTISTS) == artist]
            again = bool(older) and rng.integers(2) == 0 and kind != "studio"
            title = rng.choice(older) if again else f"{rng.choice(FIRST)} {rng.choice(SECOND)}"
            seconds = 20 * rng.integers(6, 21)
            tracks.append((len(tracks) + 1, title, number, place, seconds, int(rng.integers(3) == 0)))
    tags = [
        (track[0], genre)
        for track in tracks
        for genre in several(rng, range(1, len(GENRES) + 1), rng.choice((0, 1, 1, 2, 2, 3)))
    ]
    listeners = _listeners(rng)
    return {
        "artists": artists, "albums": albums, "tracks": list(tracks),
        "genres": [(number, *genre) for number, genre in enumerate(GENRES, 1)], "track_genres": list(tags),
        "listeners": list(listeners), "plays": _plays(rng, listeners, tracks),
    }  # fmt: skip


def _listeners(rng: TurnRng) -> list[tuple[int, str, str | None, str, str, int | None]]:
    rows: list[tuple[int, str, str | None, str, str, int | None]] = []
    names = rng.shuffled([f"{tint}_{animal}" for tint in TINTS for animal in ANIMALS])
    for number, name in enumerate(names, 1):
        joined = day(rng, "2022-01-01", "2024-03-31")
        if rng.integers(2):
            joined = f"{joined[:5]}{rng.choice(('01', '04', '07', '10'))}-01"  # accounts sold in bundles by the quarter
            joined = min(joined, "2024-01-01")
        host = maybe(rng, rng.choice(rows)[0], 0.4) if rows else None
        country = maybe(rng, rng.choice(COUNTRIES), 0.15)
        rows.append((number, name, country, rng.choice(PLANS), joined, host))
    return rows


def _plays(
    rng: TurnRng,
    listeners: list[tuple[int, str, str | None, str, str, int | None]],
    tracks: list[tuple[int, str, int, int, int, int]],
) -> Rows:
    """Return the plays; the last listeners have none, and many of the others stop on the first of some month."""
    order = rng.shuffled(tracks)
    ends = [rng.choice(("2024-04-01", "2024-05-01", "2024-06-01", LAST_DAY, LAST_DAY)) for _ in listeners]
    rows: Rows = []
    for number in range(1, 1201):
        listener, track = skewed(rng, listeners[:-10], 1.5), skewed(rng, order, 2.6)
        end = ends[listener[0] - 1]
        when = min(end, day(rng, max(listener[4], "2024-01-01"), later(end, 9)))
        if rng.integers(4) == 0 and f"{when[:8]}01" >= listener[4]:
            when = f"{when[:8]}01"  # heard without a net, and dated to the first of the month
        heard = track[4] if rng.integers(2) else track[4] * rng.integers(1, 10) // 10
        rows.append((number, listener[0], track[0], when, rng.choice(DEVICES, (5, 3, 2)), maybe(rng, heard, 0.12)))
    return rows
