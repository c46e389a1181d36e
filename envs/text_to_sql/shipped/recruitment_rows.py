"""The tables of recruitment, and how they are filled."""

from __future__ import annotations

from agentgym.envs.text_to_sql.result import Value
from agentgym.envs.text_to_sql.shipped.families import Rows
from agentgym.envs.text_to_sql.shipped.filling import FIRST_NAMES, LAST_NAMES, day, later, maybe, several, skewed
from agentgym.rng import TurnRng

SCHEMA = """
CREATE TABLE opening (
    opening_id INTEGER PRIMARY KEY,
    title TEXT NOT NULL,
    department TEXT NOT NULL,
    site TEXT NOT NULL,
    salary_min INTEGER NOT NULL,
    salary_max INTEGER,
    posted TEXT NOT NULL,
    closed TEXT
);
CREATE TABLE candidate (
    candidate_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    city TEXT NOT NULL,
    source TEXT NOT NULL,
    experience INTEGER,
    registered TEXT NOT NULL
);
CREATE TABLE skill (
    skill_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    field TEXT NOT NULL
);
CREATE TABLE candidate_skill (
    candidate_id INTEGER NOT NULL REFERENCES candidate (candidate_id),
    skill_id INTEGER NOT NULL REFERENCES skill (skill_id),
    level INTEGER NOT NULL,
    PRIMARY KEY (candidate_id, skill_id)
);
CREATE TABLE opening_skill (
    opening_id INTEGER NOT NULL REFERENCES opening (opening_id),
    skill_id INTEGER NOT NULL REFERENCES skill (skill_id),
    min_level INTEGER NOT NULL,
    required INTEGER NOT NULL,
    PRIMARY KEY (opening_id, skill_id)
);
CREATE TABLE application (
    application_id INTEGER PRIMARY KEY,
    candidate_id INTEGER NOT NULL REFERENCES candidate (candidate_id),
    opening_id INTEGER NOT NULL REFERENCES opening (opening_id),
    applied TEXT NOT NULL,
    stage TEXT NOT NULL,
    expected_salary INTEGER,
    decided TEXT,
    UNIQUE (candidate_id, opening_id)
);
CREATE TABLE interview (
    interview_id INTEGER PRIMARY KEY,
    application_id INTEGER NOT NULL REFERENCES application (application_id),
    held TEXT NOT NULL,
    format TEXT NOT NULL,
    interviewer TEXT NOT NULL,
    score INTEGER,
    UNIQUE (application_id, held)
);
"""

_DEPARTMENTS = {  # titles and skills of each
    "Engineering": ("Backend Developer|Data Engineer|Test Engineer|Administrator", "Python|SQL|Linux|testing|cloud"),
    "Finance": ("Accountant|Controller|Payroll Clerk", "bookkeeping|tax law|budgeting|auditing"),
    "Marketing": ("Brand Manager|Copywriter|Campaign Analyst", "copywriting|design|market research|social media"),
    "Logistics": ("Route Planner|Buyer|Warehouse Lead", "stock control|route planning|customs rules|purchasing"),
    "Support": ("Support Agent|Support Trainer", "call handling|ticketing|product training"),
}
_GENERAL = ("English", "negotiation", "team leading", "presentation")
_SITES = ("Norby", "Hafton", "Millrace", "Eastvale")
_CITIES = ("Norby", "Hafton", "Millrace", "Eastvale", "Brackwater", "Cobham")
_SOURCES = ("job board", "referral", "careers page", "agency", "fair")
_STAFF = ("B. Amari", "C. Dorn", "E. Falk", "J. Lund", "K. Oyelaran", "R. Sato", "T. Wick")
_END = "2023-12-31"


def _openings(rng: TurnRng) -> Rows:
    """64 openings, half of them posted on the first of a month; some have no upper salary, one in three is open."""
    rows: Rows = []
    departments = [name for name, share in zip(_DEPARTMENTS, (20, 14, 12, 10, 8), strict=True) for _ in range(share)]
    for number, department in enumerate(rng.shuffled(departments), 1):
        title = skewed(rng, _DEPARTMENTS[department][0].split("|"), 1.3)
        first = rng.choice([f"{year}-{month:02d}-01" for year in (2022, 2023) for month in range(1, 11)])
        posted = rng.choice((first, day(rng, "2022-01-01", "2023-10-15")))
        site = rng.choice(_SITES, (5, 4, 3, 2))
        low = 1000 * ({"Norby": 36, "Hafton": 30, "Millrace": 28, "Eastvale": 32}[site] + 2 * rng.integers(9))
        high = maybe(rng, low + 1000 * rng.choice((4, 6, 8, 12, 16)), 0.25)
        closed = later(posted, rng.choice((30, 45, 60, 90, 120)))
        row = (title, department, site, low, high, posted, maybe(rng, closed, 0.3))
        rows.append((number, *row))
    return rows


def _candidates(rng: TurnRng, skills: Rows) -> tuple[Rows, Rows, dict[int, str]]:
    """180 candidates, their skills, and the field that each is at home in."""
    rows: Rows = []
    known: Rows = []
    home: dict[int, str] = {}
    for number in range(1, 181):
        name = f"{rng.choice(FIRST_NAMES[::3])} {rng.choice(LAST_NAMES[2::4])}"
        home[number] = skewed(rng, tuple(_DEPARTMENTS), 1.3)
        years = maybe(rng, rng.choice((0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20)), 0.2)
        registered = day(rng, "2020-06-01", "2021-12-31")
        rows.append((number, name, skewed(rng, _CITIES, 1.3), skewed(rng, _SOURCES, 1.3), years, registered))
        near = [skill[0] for skill in skills if skill[2] == home[number]]
        wide = [skill[0] for skill in skills if skill[2] == "general" or rng.random() < 0.15]
        chosen = dict.fromkeys([*several(rng, near, rng.integers(1, 4)), *several(rng, wide, 1)])
        known += [(number, skill, rng.choice((1, 2, 3, 4, 5), (1, 3, 4, 4, 2))) for skill in chosen]
    return rows, known, home


def _wanted(rng: TurnRng, openings: Rows, skills: Rows) -> Rows:
    """Two to four skills an opening, at some lowest level, two thirds of them required and the others welcome."""
    rows: Rows = []
    for opening in openings:
        near = [skill[0] for skill in skills if skill[2] == opening[2]]
        general = [skill[0] for skill in skills if skill[2] == "general"]
        chosen = [*several(rng, near, rng.integers(1, 4)), *several(rng, general, 1)]
        needed = [1] + [rng.choice((1, 0), (3, 2)) for _ in chosen[1:]]
        rows += [(opening[0], skill, rng.integers(1, 5), must) for skill, must in zip(chosen, needed, strict=True)]
    return rows


def _applications(rng: TurnRng, openings: Rows, home: dict[int, str]) -> tuple[Rows, Rows]:
    """1,020 applications while their opening was open (none for four of them), at most one hired, and interviews."""
    seen: dict[tuple[int, Value], tuple[Value, ...]] = {}
    interviews: Rows = []
    taken: set[Value] = set()
    people = rng.shuffled(range(1, 181))[8:]
    strict = {name: rng.integers(-2, 2) for name in _STAFF}
    ignored = rng.shuffled([opening[0] for opening in openings if opening[7] is None])[:4]
    wanted = [opening for opening in openings if opening[0] not in ignored]
    while len(seen) < 1020:
        candidate, opening = skewed(rng, people, 1.4), rng.choice(wanted)
        fits = opening[2] == home[candidate]
        last = min(str(opening[7] or _END), _END)
        applied = later(str(opening[6]), skewed(rng, range(60 if opening[7] else 500), 1.8))
        if not fits and rng.random() < 0.7 or applied > last or (candidate, opening[0]) in seen:
            continue
        stages = ("rejected", "screening", "interview", "withdrawn", "offer", "hired")
        stage = rng.choice(stages, (10, 2, 3, 2, 1, 4) if fits else (10, 2, 1, 2, 0, 1))
        if stage == "hired" and (opening[0] in taken or opening[7] is None):
            stage = "rejected"
        if stage == "hired":
            taken.add(opening[0])
        number = len(seen) + 1
        rounds = {"screening": 0, "rejected": rng.choice((0, 0, 0, 0, 0, 1, 2)), "withdrawn": rng.choice((0, 0, 0, 1))}
        held = applied
        for turn in range(rounds.get(stage, rng.choice((1, 1, 2, 3)))):
            held = later(held, rng.integers(4, 20))
            form = ("phone", "video", "on site")[min(2, turn + rng.integers(2))]
            staff = skewed(rng, _STAFF, 1.3)
            points = rng.choice(range(2, 10)) + strict[staff] + {"phone": -2, "video": 0, "on site": 2}[form]
            score = maybe(rng, min(10, max(1, points)), 0.12)
            interviews.append((len(interviews) + 1, number, held, form, staff, score))
        ended = later(held, rng.integers(3, 40)) if stage in ("rejected", "withdrawn", "hired") else None
        asked = maybe(rng, int(str(opening[4])) + 1000 * rng.integers(-3, 18), 0.25)
        seen[candidate, opening[0]] = (number, candidate, opening[0], applied, stage, asked, ended)
    return list(seen.values()), interviews


def fill(rng: TurnRng) -> dict[str, Rows]:
    """Return the rows of every table by table name, in the order of SCHEMA; every draw comes from `rng`."""
    fields = [(name, field) for field, (_, names) in _DEPARTMENTS.items() for name in names.split("|")]
    fields += [(name, "general") for name in _GENERAL]
    skills: Rows = [(number, name, field) for number, (name, field) in enumerate(rng.shuffled(fields), 1)]
    openings = _openings(rng)
    candidates, known, home = _candidates(rng, skills)
    wanted = _wanted(rng, openings, skills)
    applications, interviews = _applications(rng, openings, home)
    return {
        "opening": openings,
        "candidate": candidates,
        "skill": skills,
        "candidate_skill": known,
        "opening_skill": wanted,
        "application": applications,
        "interview": interviews,
    }
