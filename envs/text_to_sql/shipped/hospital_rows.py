"""The tables of hospital, and how they are filled."""

from __future__ import annotations

from typing import Final

from agentgym.envs.text_to_sql.shipped.families import Rows
from agentgym.envs.text_to_sql.shipped.filling import day, later, maybe, person, several, skewed
from agentgym.rng import TurnRng

SCHEMA: Final = """
CREATE TABLE department (
    department_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    floor INTEGER NOT NULL
);
CREATE TABLE ward (
    ward_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    department_id INTEGER NOT NULL REFERENCES department (department_id),
    beds INTEGER NOT NULL
);
CREATE TABLE doctor (
    doctor_id INTEGER PRIMARY KEY,
    first_name TEXT NOT NULL,
    last_name TEXT NOT NULL,
    department_id INTEGER NOT NULL REFERENCES department (department_id),
    hired TEXT NOT NULL,
    supervisor_id INTEGER REFERENCES doctor (doctor_id)
);
CREATE TABLE patient (
    patient_id INTEGER PRIMARY KEY,
    first_name TEXT NOT NULL,
    last_name TEXT NOT NULL,
    born TEXT NOT NULL,
    town TEXT NOT NULL,
    blood_type TEXT
);
CREATE TABLE stay (
    stay_id INTEGER PRIMARY KEY,
    patient_id INTEGER NOT NULL REFERENCES patient (patient_id),
    ward_id INTEGER NOT NULL REFERENCES ward (ward_id),
    doctor_id INTEGER NOT NULL REFERENCES doctor (doctor_id),
    admitted TEXT NOT NULL,
    discharged TEXT
);
CREATE TABLE illness (
    code TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    chapter TEXT NOT NULL
);
CREATE TABLE diagnosis (
    stay_id INTEGER NOT NULL REFERENCES stay (stay_id),
    code TEXT NOT NULL REFERENCES illness (code),
    is_main INTEGER NOT NULL,
    PRIMARY KEY (stay_id, code)
);
CREATE TABLE drug (
    drug_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    price_cents INTEGER NOT NULL,
    controlled INTEGER NOT NULL
);
CREATE TABLE prescription (
    prescription_id INTEGER PRIMARY KEY,
    stay_id INTEGER NOT NULL REFERENCES stay (stay_id),
    drug_id INTEGER NOT NULL REFERENCES drug (drug_id),
    doctor_id INTEGER NOT NULL REFERENCES doctor (doctor_id),
    started TEXT NOT NULL,
    days INTEGER,
    per_day INTEGER NOT NULL
);
CREATE TABLE lab_value (
    lab_id INTEGER PRIMARY KEY,
    stay_id INTEGER NOT NULL REFERENCES stay (stay_id),
    test TEXT NOT NULL,
    value REAL,
    taken_at TEXT NOT NULL
);
CREATE INDEX stay_of_patient ON stay (patient_id);
CREATE INDEX prescription_in_stay ON prescription (stay_id);
CREATE INDEX value_in_stay ON lab_value (stay_id);
"""

DEPARTMENTS: Final = ("Surgery", "Cardiology", "Neurology", "Paediatrics", "Oncology", "Medicine")
WARDS: Final = ("A1", "A2", "B1", "B2", "C1", "C2", "D1", "D2", "E1", "E2")
TOWNS: Final = ("Ashford", "Brackley", "Corby", "Dunmow", "Ely", "Fakenham")
BLOOD: Final = ("A+", "0+", "B+", "AB+", "A-", "0-")
ILLNESSES: Final = (
    ("I10", "High blood pressure", "Circulation"), ("I21", "Heart attack", "Circulation"),
    ("I48", "Atrial fibrillation", "Circulation"), ("I50", "Heart failure", "Circulation"),
    ("J18", "Pneumonia", "Breathing"), ("J44", "Chronic bronchitis", "Breathing"), ("J45", "Asthma", "Breathing"),
    ("K35", "Appendicitis", "Digestion"), ("K80", "Gallstones", "Digestion"), ("K29", "Gastritis", "Digestion"),
    ("E11", "Type 2 diabetes", "Metabolism"), ("E66", "Obesity", "Metabolism"), ("E86", "Dehydration", "Metabolism"),
    ("S72", "Broken thigh bone", "Injury"), ("S52", "Broken forearm", "Injury"), ("S06", "Concussion", "Injury"),
    ("G40", "Epilepsy", "Nerves"), ("G43", "Migraine", "Nerves"),
)  # fmt: skip
DRUGS: Final = (
    ("Amoxicillin", 0), ("Bisoprolol", 0), ("Codeine", 1), ("Diazepam", 1), ("Enoxaparin", 0), ("Furosemide", 0),
    ("Ibuprofen", 0), ("Insulin", 0), ("Metformin", 0), ("Morphine", 1), ("Omeprazole", 0), ("Paracetamol", 0),
    ("Prednisolone", 0), ("Ramipril", 0), ("Salbutamol", 0), ("Tramadol", 1),
)  # fmt: skip
TESTS: Final = (("creatinine", 8, 38), ("glucose", 7, 32), ("haemoglobin", 14, 36), ("potassium", 6, 14))
"""Name, lowest and highest value in halves of the unit, which floats hold exactly."""


def fill(rng: TurnRng) -> dict[str, Rows]:
    """Return table → rows: 400 patients, 900 stays, some 1,300 lab values."""
    departments: Rows = [(number, name, 1 + rng.integers(5)) for number, name in enumerate(DEPARTMENTS, 1)]
    wards: Rows = [
        (number, name, 1 + (number - 1) * 6 // 10, 8 + 2 * rng.integers(8)) for number, name in enumerate(WARDS, 1)
    ]
    doctors: Rows = []
    for number in range(1, 61):
        place = number if number <= 6 else 1 + rng.integers(6)
        above = None if number <= 6 else maybe(rng, 1 + rng.integers(min(number - 1, 24)), 0.08)
        doctors.append((number, *person(rng), place, day(rng, "2005-01-01", "2023-12-31"), above))
    patients: Rows = [
        (
            number, *person(rng), day(rng, "1935-01-01", "2018-12-31"), skewed(rng, TOWNS, 1.4),
            maybe(rng, skewed(rng, BLOOD, 1.6), 0.18),
        )
        for number in range(1, 401)
    ]  # fmt: skip
    stays, found, given, values = _stays(rng)
    return {
        "department": departments, "ward": wards, "doctor": doctors, "patient": patients, "stay": stays,
        "illness": list(ILLNESSES), "diagnosis": found,
        "drug": [(n, name, 15 + 5 * rng.integers(80), controlled) for n, (name, controlled) in enumerate(DRUGS, 1)],
        "prescription": given, "lab_value": values,
    }  # fmt: skip


def _stays(rng: TurnRng) -> tuple[Rows, Rows, Rows, Rows]:
    stays: Rows = []
    found: Rows = []
    given: Rows = []
    values: Rows = []
    for stay in range(1, 901):
        admitted, doctor = day(rng, "2023-01-01", "2024-06-30"), 1 + rng.integers(60)
        length = skewed(rng, range(1, 40), 2.5)
        discharged = None if later(admitted, length) > "2024-06-30" else later(admitted, length)
        patient, ward = skewed(rng, range(1, 401), 1.5), skewed(rng, range(1, 11), 1.3)
        stays.append((stay, patient, ward, doctor, admitted, discharged))
        codes = rng.shuffled(several(rng, ILLNESSES, rng.choice((1, 1, 2, 3))))
        found += [(stay, code, int(place == 0)) for place, (code, _, _) in enumerate(codes)]
        for _ in range(rng.choice((0, 1, 1, 2, 3))):
            by = doctor if rng.random() < 0.7 else 1 + rng.integers(60)
            days = maybe(rng, 1 + rng.integers(12), 0.12)
            start = later(admitted, rng.integers(length))
            given.append((len(given) + 1, stay, 1 + rng.integers(16), by, start, days, rng.choice((1, 1, 2, 3, 4))))
        for test, low, high in several(rng, TESTS, rng.choice((0, 1, 1, 2))):
            for _ in range(rng.choice((1, 1, 2))):
                when = f"{later(admitted, rng.integers(length))} {rng.integers(24):02d}:{5 * rng.integers(12):02d}"
                value = maybe(rng, (low + rng.integers(high - low)) / 2, 0.06)
                values.append((len(values) + 1, stay, test, value, when))
    return stays, found, given, values
