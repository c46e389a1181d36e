"""The tables of league, and how they are filled."""

from __future__ import annotations

from typing import Final

from agentgym.envs.text_to_sql.shipped.families import Rows
from agentgym.envs.text_to_sql.shipped.filling import FIRST_NAMES, LAST_NAMES, day, later, maybe
from agentgym.rng import TurnRng

SCHEMA: Final = """
CREATE TABLE team (
    team_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    town TEXT NOT NULL,
    capacity INTEGER,
    joined TEXT NOT NULL
);
CREATE TABLE player (
    player_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    team_id INTEGER REFERENCES team (team_id),
    position TEXT NOT NULL,
    born TEXT NOT NULL,
    shirt INTEGER
);
CREATE TABLE game (
    game_id INTEGER PRIMARY KEY,
    round INTEGER NOT NULL,
    played_on TEXT NOT NULL,
    home_id INTEGER NOT NULL REFERENCES team (team_id),
    away_id INTEGER NOT NULL REFERENCES team (team_id),
    home_goals INTEGER,
    away_goals INTEGER,
    attendance INTEGER
);
CREATE TABLE appearance (
    game_id INTEGER NOT NULL REFERENCES game (game_id),
    player_id INTEGER NOT NULL REFERENCES player (player_id),
    minutes INTEGER NOT NULL,
    goals INTEGER NOT NULL,
    card TEXT,
    PRIMARY KEY (game_id, player_id)
);
"""

TEAMS: Final = (
    "Harbour Rovers", "Quarry Town", "Millbrook Athletic", "Saltmarsh United", "Old Priory", "Lantern City",
    "Foxdale Wanderers", "Castle Albion", "Ferry Lane", "Northgate Rangers", "Pine Hill", "Orchard Vale",
)  # fmt: skip
TOWNS: Final = ("Wexley", "Dunmore", "Carrow", "Hale Bay")
POSITIONS: Final = ("keeper",) * 2 + ("defender",) * 5 + ("midfielder",) * 5 + ("forward",) * 4
JOINED: Final = (2001, 2007, 2010, 2013, 2016, 2019)
PLAYED: Final = 18  # rounds of 22
GOAL_WEIGHTS: Final = (22, 30, 24, 14, 7, 3)
SCORING: Final = {"keeper": 0, "defender": 1, "midfielder": 3, "forward": 5}


def fill(rng: TurnRng) -> dict[str, Rows]:
    """Return one filling of the schema, rows by table; equal draws give equal rows."""
    teams = _teams(rng)
    players = _players(rng)
    squads = {team: [row for row in players if row[2] == team][:14] for team in range(1, len(TEAMS) + 1)}
    rooms = [row[3] if isinstance(row[3], int) else 4000 for row in teams]
    games, appearances = [], []
    for number, (round_, home, away) in enumerate(_fixtures(rng), 1):
        rows, scored = [], []
        for team in (home, away):
            eleven, goals = rng.shuffled(squads[team])[:6], rng.choice(range(6), GOAL_WEIGHTS)
            scored.append(goals)
            rows += _appearances(rng, number, eleven, goals)
        played = round_ <= PLAYED and rng.integers(60) > 0
        share = rng.choice((4, 5, 6, 7, 8, 9, 10))
        crowd = maybe(rng, rooms[home - 1] * share // 5000 * 500, 0.2) if played else None
        when = later("2023-08-05", 7 * round_ + 28 * (round_ > 14) + rng.choice((-1, 0, 1), (1, 4, 2)))
        goals_of = scored if played else [None, None]
        games.append((number, round_, when, home, away, *goals_of, crowd))
        appearances += rows if played else []
    return {"team": teams, "player": players, "game": games, "appearance": appearances}


def _teams(rng: TurnRng) -> Rows:
    towns = rng.shuffled(TOWNS * 3)
    shared = rng.shuffled(range(len(TEAMS)))[:3]
    rows: Rows = []
    for index, name in enumerate(TEAMS):
        capacity = None if index in shared else 500 * rng.integers(6, 21)
        rows.append((index + 1, name, towns[index], capacity, f"{rng.choice(JOINED)}-07-01"))
    return rows


def _players(rng: TurnRng) -> Rows:
    names = rng.shuffled([f"{first} {last}" for first in FIRST_NAMES[::3] for last in LAST_NAMES[::2]])
    clubs = [team + 1 for team in range(len(TEAMS)) for _ in POSITIONS] + [None] * 24
    places = [place for _ in TEAMS for place in rng.shuffled(POSITIONS)] + list(POSITIONS + POSITIONS[1:9])
    shirts = [shirt for _ in TEAMS for shirt in rng.shuffled(range(1, 31))[: len(POSITIONS)]]
    rows: Rows = []
    for number, (club, place) in enumerate(zip(clubs, places, strict=True), 1):
        shirt = maybe(rng, shirts[number - 1]) if club else None
        born = day(rng, "1990-01-01", "2005-12-31")
        if rng.integers(2):
            born = f"{born[:4]}-01-01"  # where only the year is known
        rows.append((number, names[number - 1], club, place, born, shirt))
    return rows


def _fixtures(rng: TurnRng) -> list[tuple[int, int, int]]:
    """Return (round, home, away) of a double round robin by the circle method, by round."""
    first, *others = rng.shuffled(range(1, len(TEAMS) + 1))
    half = []
    for turn in range(len(others)):
        ring = [first, *others[turn:], *others[:turn]]
        pairs = [(ring[place], ring[-1 - place]) for place in range(len(ring) // 2)]
        half += [(turn + 1, *(pair if turn % 2 else pair[::-1])) for pair in pairs]
    return half + [(round_ + len(others), away, home) for round_, home, away in half]


def _appearances(rng: TurnRng, game: int, squad: Rows, goals: int) -> Rows:
    weights = [SCORING[str(row[3])] + 0.1 for row in squad]
    scorers = [rng.choice(range(len(squad)), weights) for _ in range(goals)]
    minutes = [rng.choice((90, 75, 60, 45, 30, 15), (6, 1, 1, 1, 1, 1)) for _ in squad]
    cards = [rng.choice((None, "yellow", "red"), (80, 16, 4)) for _ in squad]
    return [(game, row[0], minutes[i], scorers.count(i), cards[i]) for i, row in enumerate(squad)]
