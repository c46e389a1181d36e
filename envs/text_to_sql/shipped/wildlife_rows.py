"""The tables of wildlife, and how they are filled."""

from __future__ import annotations

from datetime import date

from agentgym.envs.text_to_sql.result import Value
from agentgym.envs.text_to_sql.shipped.families import Rows
from agentgym.envs.text_to_sql.shipped.filling import FIRST_NAMES, LAST_NAMES, day, maybe, several, skewed
from agentgym.rng import TurnRng

SCHEMA = """
CREATE TABLE reserve (
    reserve_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    biome TEXT NOT NULL,
    area_km2 INTEGER NOT NULL,
    founded INTEGER NOT NULL
);
CREATE TABLE species (
    species_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    class TEXT NOT NULL,
    status TEXT
);
CREATE TABLE habitat (
    reserve_id INTEGER NOT NULL REFERENCES reserve (reserve_id),
    species_id INTEGER NOT NULL REFERENCES species (species_id),
    target INTEGER,
    PRIMARY KEY (reserve_id, species_id)
);
CREATE TABLE ranger (
    ranger_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    reserve_id INTEGER REFERENCES reserve (reserve_id),
    mentor_id INTEGER REFERENCES ranger (ranger_id),
    since TEXT NOT NULL
);
CREATE TABLE animal (
    animal_id INTEGER PRIMARY KEY,
    nickname TEXT,
    species_id INTEGER NOT NULL REFERENCES species (species_id),
    reserve_id INTEGER NOT NULL REFERENCES reserve (reserve_id),
    sex TEXT,
    mother_id INTEGER REFERENCES animal (animal_id),
    tagged TEXT NOT NULL,
    died TEXT
);
CREATE TABLE sighting (
    sighting_id INTEGER PRIMARY KEY,
    animal_id INTEGER NOT NULL REFERENCES animal (animal_id),
    ranger_id INTEGER NOT NULL REFERENCES ranger (ranger_id),
    seen_on TEXT NOT NULL,
    weight_kg REAL,
    health INTEGER NOT NULL,
    UNIQUE (animal_id, seen_on)
);
"""

_RESERVES = (  # name, biome, animals
    ("Blackwater Fen", "wetland", 40),
    ("Cedar Ridge", "forest", 26),
    ("Dunlin Marsh", "wetland", 22),
    ("Gannet Cliffs", "coast", 30),
    ("Heron Delta", "wetland", 34),
    ("Larkspur Plain", "grassland", 28),
    ("Otter Bend", "forest", 18),
    ("Pinewood Hollow", "forest", 36),
    ("Sandspit", "coast", 20),
    ("Windmoor", "grassland", 26),
)
_SPECIES = {  # class, then names with a usual weight in kilograms
    "mammal": (("red deer", 120), ("lynx", 22), ("otter", 8), ("badger", 11), ("wild boar", 90), ("grey wolf", 40)),
    "bird": (("osprey", 2), ("crane", 5), ("black stork", 3), ("eagle owl", 3), ("bittern", 2), ("red kite", 1)),
    "reptile": (("pond turtle", 1), ("adder", 1), ("sand lizard", 1)),
    "amphibian": (("fire salamander", 1), ("tree frog", 1), ("crested newt", 1)),
}
_STATUS = ("LC", "NT", "VU", "EN")
_NICKNAMES = (
    "Ash", "Birch", "Bramble", "Clover", "Dusk", "Ember", "Fern", "Flint", "Frost", "Hazel", "Ivy", "Juno", "Luna",
    "Maple", "Moss", "Nettle", "Onyx", "Pebble", "Rowan", "Rusty", "Sage", "Shadow", "Storm", "Thorn", "Willow",
)  # fmt: skip
_ROUNDS = tuple(f"{year}-{month:02d}-01" for year in (2021, 2022, 2023) for month in range(1, 13))


def _people(rng: TurnRng) -> Rows:
    """36 rangers, five of them in no reserve but in the mobile team; mentors joined before those whom they teach."""
    names = rng.shuffled([f"{first} {last}" for first in FIRST_NAMES[2::6] for last in LAST_NAMES[3::9]])
    posts = rng.shuffled([None] * 5 + [1 + place % 10 for place in range(23)] + [1, 1, 4, 5, 5, 8, 8, 8])
    joined = sorted(day(rng, "2008-01-01", "2021-06-30") for _ in posts)
    rows: Rows = []
    for number, post in enumerate(posts, 1):
        mentor = None if number < 4 else maybe(rng, skewed(rng, range(1, number), 1.3), 0.3)
        rows.append((number, names[number], post, mentor, joined[number - 1]))
    return rows


def _homes(rng: TurnRng, species: Rows) -> tuple[Rows, dict[int, list[int]]]:
    """Which species live where, with a target number where one has been set; each reserve has six to nine."""
    rows: Rows = []
    homes: dict[int, list[int]] = {}
    for reserve in range(1, 11):
        here = several(rng, species, rng.integers(6, 10))
        homes[reserve] = [int(str(row[0])) for row in here]
        rows += [(reserve, row[0], maybe(rng, rng.integers(2, 9), 0.3)) for row in here]
    return rows, homes


def _animals(rng: TurnRng, homes: dict[int, list[int]]) -> Rows:
    """280 animals, one species of each reserve without any; mothers are of the same species and reserve."""
    where = rng.shuffled([number for number, reserve in enumerate(_RESERVES, 1) for _ in range(reserve[2])])
    tags = sorted(rng.choice((rng.choice(_ROUNDS[:24]), day(rng, "2020-06-01", "2022-12-31"))) for _ in where)
    rows: Rows = []
    for number, (reserve, tagged) in enumerate(zip(where, tags, strict=True), 1):
        kind = skewed(rng, homes[reserve][:-1], 1.3)
        mothers = [row[0] for row in rows if row[2] == kind and row[3] == reserve and row[4] == "F" and row[7] is None]
        mother = rng.choice(mothers) if mothers and rng.random() < 0.65 else None
        death = rng.choice((rng.choice(_ROUNDS[24:35]), day(rng, "2023-01-01", "2023-11-30")))
        died = maybe(rng, death, 0.8)
        sex = rng.choice(("F", "M", None), (5, 4, 2))
        rows.append((number, maybe(rng, rng.choice(_NICKNAMES), 0.3), kind, reserve, sex, mother, tagged, died))
    return rows


def _sightings(rng: TurnRng, animals: Rows, rangers: Rows, usual: dict[int, int]) -> Rows:
    """1,200 sightings while the animals lived, mostly by rangers of the reserve; 20 animals were never seen again."""
    seen: dict[tuple[Value, str], tuple[Value, ...]] = {}
    known = rng.shuffled(animals)[20:]
    size = {animal[0]: usual[int(str(animal[2]))] * rng.choice((0.8, 0.9, 1.0, 1.1, 1.25)) for animal in known}
    mobile = [ranger[0] for ranger in rangers if ranger[2] is None]
    while len(seen) < 1200:
        animal = skewed(rng, known, 1.4)
        on = rng.choice((rng.choice(_ROUNDS), day(rng, "2021-01-01", "2023-12-31")))
        if on <= str(animal[6]) or (animal[7] is not None and on > str(animal[7])) or (animal[0], on) in seen:
            continue
        home = [ranger[0] for ranger in rangers if ranger[2] == animal[3]]
        near, far, others = rng.random() < 0.7, rng.choice(mobile), rng.choice(rangers)[0]
        ranger = rng.choice(home) if home and near else rng.choice((far, far, others))
        growth = 1 + 0.1 * (date.fromisoformat(on) - date.fromisoformat(str(animal[6]))).days / 365
        weight = round(2 * size[animal[0]] * growth * (0.85 + 0.3 * rng.random())) / 2
        health = rng.choice((1, 2, 3, 4, 5), (1, 2, 4, 5, 3))
        row = (len(seen) + 1, animal[0], ranger, on, maybe(rng, max(weight, 0.5), 0.35), health)
        seen[animal[0], on] = row
    return list(seen.values())


def fill(rng: TurnRng) -> dict[str, Rows]:
    """Return the rows of every table by table name, in the order of SCHEMA; every draw comes from `rng`."""
    reserves: Rows = [
        (number, reserve[0], reserve[1], 50 * rng.integers(1, 7), 1950 + 10 * rng.integers(7))
        for number, reserve in enumerate(_RESERVES, 1)
    ]
    kinds = [(name, group, weight) for group, known in _SPECIES.items() for name, weight in known]
    states = rng.shuffled([None] * 3 + [_STATUS[place % 4] for place in range(15)])
    order = rng.shuffled(range(18))
    species: Rows = [(place + 1, *kinds[order[place]][:2], states[place]) for place in range(18)]
    usual = {place + 1: kinds[order[place]][2] for place in range(18)}
    habitats, homes = _homes(rng, species)
    rangers = _people(rng)
    animals = _animals(rng, homes)
    return {
        "reserve": reserves,
        "species": species,
        "habitat": habitats,
        "ranger": rangers,
        "animal": animals,
        "sighting": _sightings(rng, animals, rangers, usual),
    }
