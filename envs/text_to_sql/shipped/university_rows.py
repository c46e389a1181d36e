"""The tables of university, and how they are filled."""

from __future__ import annotations

from typing import Final

from agentgym.envs.text_to_sql.shipped.families import Rows
from agentgym.envs.text_to_sql.shipped.filling import FIRST_NAMES, LAST_NAMES, day, later, maybe, person, several
from agentgym.rng import TurnRng

SCHEMA: Final = """
CREATE TABLE departments (
    dept_code TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    faculty TEXT NOT NULL,
    budget INTEGER
);
CREATE TABLE programmes (
    programme_id INTEGER PRIMARY KEY,
    dept_code TEXT NOT NULL REFERENCES departments (dept_code),
    title TEXT NOT NULL,
    degree TEXT NOT NULL,
    UNIQUE (title, degree)
);
CREATE TABLE students (
    student_id INTEGER PRIMARY KEY,
    given_name TEXT NOT NULL,
    family_name TEXT NOT NULL,
    programme_id INTEGER REFERENCES programmes (programme_id),
    country TEXT NOT NULL,
    enrolled_on TEXT NOT NULL,
    left_on TEXT
);
CREATE TABLE lecturers (
    lecturer_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    dept_code TEXT NOT NULL REFERENCES departments (dept_code),
    position TEXT NOT NULL,
    hired_on TEXT NOT NULL,
    mentor_id INTEGER REFERENCES lecturers (lecturer_id)
);
CREATE TABLE courses (
    course_code TEXT PRIMARY KEY,
    title TEXT NOT NULL UNIQUE,
    dept_code TEXT NOT NULL REFERENCES departments (dept_code),
    level INTEGER NOT NULL,
    credits INTEGER NOT NULL
);
CREATE TABLE prerequisites (
    course_code TEXT NOT NULL REFERENCES courses (course_code),
    required_code TEXT NOT NULL REFERENCES courses (course_code),
    PRIMARY KEY (course_code, required_code)
);
CREATE TABLE rooms (
    room_id INTEGER PRIMARY KEY,
    building TEXT NOT NULL,
    door TEXT NOT NULL,
    seats INTEGER,
    UNIQUE (building, door)
);
CREATE TABLE offerings (
    offering_id INTEGER PRIMARY KEY,
    course_code TEXT NOT NULL REFERENCES courses (course_code),
    term TEXT NOT NULL,
    lecturer_id INTEGER REFERENCES lecturers (lecturer_id),
    room_id INTEGER REFERENCES rooms (room_id),
    places INTEGER NOT NULL,
    UNIQUE (course_code, term)
);
CREATE TABLE enrolments (
    student_id INTEGER NOT NULL REFERENCES students (student_id),
    offering_id INTEGER NOT NULL REFERENCES offerings (offering_id),
    registered_on TEXT NOT NULL,
    mark INTEGER,
    PRIMARY KEY (student_id, offering_id)
);
CREATE TABLE theses (
    thesis_id INTEGER PRIMARY KEY,
    student_id INTEGER NOT NULL REFERENCES students (student_id),
    supervisor_id INTEGER NOT NULL REFERENCES lecturers (lecturer_id),
    reader_id INTEGER REFERENCES lecturers (lecturer_id),
    started_on TEXT NOT NULL,
    submitted_on TEXT,
    mark INTEGER
);
CREATE INDEX enrolment_in_offering ON enrolments (offering_id);
CREATE INDEX offering_of_course ON offerings (course_code);
"""

DEPARTMENTS: Final = {
    "BIO": ("Biology", "Science", ("Cells", "Genetics", "Ecology", "Botany", "Evolution", "Marine Life")),
    "CHE": ("Chemistry", "Science", ("Atoms", "Reactions", "Polymers", "Spectra", "Catalysis", "Toxins")),
    "ECO": ("Economics", "Society", ("Markets", "Money", "Trade", "Growth", "Labour", "Auctions")),
    "HIS": ("History", "Arts", ("Antiquity", "Empires", "Revolutions", "Archives", "Migration", "Oral History")),
    "LIN": ("Linguistics", "Arts", ("Phonetics", "Syntax", "Semantics", "Dialects", "Writing Systems", "Corpora")),
    "MAT": ("Mathematics", "Science", ("Algebra", "Analysis", "Geometry", "Probability", "Number Theory", "Topology")),
    "SOC": ("Sociology", "Society", ("Groups", "Surveys", "Cities", "Inequality", "Families", "Networks")),
}
DEGREES: Final = ("BA", "MA")
POSITIONS: Final = ("assistant", "reader", "professor")
FACULTIES: Final = ("Arts", "Science", "Society")
COUNTRIES: Final = ("Chile", "Egypt", "India", "Ireland", "Latvia", "Vietnam")
BUILDINGS: Final = ("Annex", "Dome", "Library", "Tower")
TERMS: Final = {"2022W": "2022-09-15", "2023S": "2023-03-15", "2023W": "2023-09-15", "2024S": "2024-03-15"}
CODES: Final = tuple(f"{dept}{1 + place // 2}0{1 + place % 2}" for dept in DEPARTMENTS for place in range(6))


def fill(rng: TurnRng) -> dict[str, Rows]:
    """Return one filling of the schema, rows by table; equal draws give equal rows."""
    departments: Rows = [
        (code, name, faculty, maybe(rng, 100_000 * rng.integers(4, 15), 0.25))
        for code, (name, faculty, _) in DEPARTMENTS.items()
    ]
    programmes: Rows = [
        (2 * place + turn + 1, code, DEPARTMENTS[code][0], degree)
        for place, code in enumerate(DEPARTMENTS)
        for turn, degree in enumerate(DEGREES)
    ]
    courses: Rows = [
        (code, DEPARTMENTS[code[:3]][2][place % 6], code[:3], int(code[3]), rng.choice((4, 5, 6, 8, 10)))
        for place, code in enumerate(CODES)
    ]
    needs: Rows = [
        (code, lower)
        for code in CODES
        for lower in CODES
        if lower[3] < code[3] and rng.integers(_distance(code, lower)) == 0
    ]
    rooms: Rows = [
        (4 * place + floor, building, f"{building[0]}{floor}", maybe(rng, 10 * rng.integers(2, 8), 0.2))
        for place, building in enumerate(BUILDINGS)
        for floor in range(1, 5)
    ]
    students = [_student(rng, number) for number in range(1, 161)]
    lecturers = _lecturers(rng)
    offerings, enrolments = _teaching(rng, students, lecturers)
    return {
        "departments": departments, "programmes": programmes, "students": list(students), "lecturers": lecturers,
        "courses": courses, "prerequisites": needs, "rooms": rooms, "offerings": offerings, "enrolments": enrolments,
        "theses": [_thesis(rng, number, len(lecturers)) for number in range(1, 71)],
    }  # fmt: skip


def _distance(code: str, lower: str) -> int:
    """Return one in how many such pairs is a prerequisite: most often of one department, a level apart."""
    if code[:3] != lower[:3]:
        return 90
    return 2 if int(code[3]) == int(lower[3]) + 1 else 3


def _student(rng: TurnRng, number: int) -> tuple[int, str, str, int | None, str, str, str | None]:
    given, family = person(rng)
    since = f"{rng.integers(2020, 2023)}-{rng.choice(('04', '10'))}-01"
    programme = maybe(rng, 1 + rng.integers(2 * len(DEPARTMENTS)), 0.15)
    gone = maybe(rng, f"{rng.choice((2023, 2024))}-{rng.choice(('03-31', '09-30'))}", 0.7)
    return number, given, family, programme, rng.choice(COUNTRIES), since, gone


def _lecturers(rng: TurnRng) -> Rows:
    names = rng.shuffled([f"{first} {last}" for first in FIRST_NAMES[1::4] for last in LAST_NAMES[1::4]])
    rows: Rows = []
    for number in range(1, 43):
        dept = tuple(DEPARTMENTS)[number % len(DEPARTMENTS)]
        hired = f"{rng.choice((2002, 2007, 2012, 2016, 2020))}-09-01"
        peers = [row for row in rows if row[2] == dept] if rng.integers(2) else rows
        mentor = maybe(rng, int(str(rng.choice(peers)[0])), 0.25) if peers else None
        rows.append((number, names[number], dept, rng.choice(POSITIONS), hired, mentor))
    return rows


def _teaching(
    rng: TurnRng, students: list[tuple[int, str, str, int | None, str, str, str | None]], lecturers: Rows
) -> tuple[Rows, Rows]:
    offerings: Rows = []
    enrolments: Rows = []
    guests = [row for row in students if row[3] is None]
    for code in CODES:
        home = [row[0] for row in lecturers if row[2] == code[:3]]
        for term in several(rng, tuple(TERMS), rng.choice((2, 3, 3, 4))):
            number = len(offerings) + 1
            teacher = maybe(rng, rng.choice(home[1:]), 0.25)  # one of each department teaches nothing
            own = [row for row in students if row[3] is not None and tuple(DEPARTMENTS)[(row[3] - 1) // 2] == code[:3]]
            takers = several(rng, own, rng.integers(4, 12)) + several(rng, guests, rng.integers(1, 5))
            places = max(4, len(takers) + rng.choice((-3, -2, -1, 0, 0, 1, 2, 4)))
            offerings.append((number, code, term, teacher, maybe(rng, 1 + rng.integers(16), 0.25), places))
            for student in takers:
                when = later(TERMS[term], -rng.choice((0, 1, 2, 5, 7, 10, 14, 21)))
                mark = 50 if rng.integers(8) == 0 else 5 * rng.integers(5, 21)
                enrolments.append((student[0], number, when, maybe(rng, mark, 0.15)))
    return offerings, enrolments


def _thesis(rng: TurnRng, number: int, lecturers: int) -> tuple[int, int, int, int | None, str, str | None, int | None]:
    supervisor = 1 + rng.integers(lecturers)
    reader = 1 + (supervisor - 1 + rng.integers(1, lecturers)) % lecturers
    started = day(rng, "2022-01-01", "2023-06-30") if rng.integers(2) else rng.choice(tuple(TERMS.values())[:3])
    submitted = maybe(rng, later(started, rng.choice((90, 120, 150, 180, 240, 300))), 0.35)
    mark = maybe(rng, 5 * rng.integers(8, 21)) if submitted else None
    return number, 2 * number, supervisor, maybe(rng, reader, 0.25), started, submitted, mark
