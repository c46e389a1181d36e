"""hospital: patients, their stays and what was found and given; ten tables, doctors who supervise doctors."""

from __future__ import annotations

from typing import Final

from agentgym.envs.text_to_sql.shipped.families import Family
from agentgym.envs.text_to_sql.shipped.hospital_rows import DEPARTMENTS, DRUGS, SCHEMA, TOWNS, fill

__all__ = ["FAMILIES", "NAME", "SCHEMA", "fill"]

NAME: Final = "hospital"
MONTHS: Final = (
    ("2023-02", "February 2023"), ("2023-05", "May 2023"), ("2023-09", "September 2023"), ("2023-12", "December 2023"),
    ("2024-01", "January 2024"), ("2024-04", "April 2024"),
)  # fmt: skip
NOT_OUT: Final = "A patient who is still in hospital has no discharge date."

FAMILIES: Final = (
    Family(
        "dear_drugs", "easy",
        (
            "Which drugs cost more than {n} cents a dose and are not controlled? Give name and price, the dearest"
            " first, equal prices by name.",
            "List name and price in cents of the drugs above {n} cents that are not controlled, from the highest price"
            " down, then by name.",
        ),
        "SELECT name, price_cents FROM drug WHERE price_cents > {n} AND controlled = 0"
        " ORDER BY price_cents DESC, name",
        {"n": (100, 180, 250)}, "Drugs that are not controlled have controlled = 0.", count=2,
    ),
    Family(
        "left_ward", "easy",
        (
            "How many different patients were discharged from ward {ward} from {first} to {last}, both days included?",
            "Count the distinct patients who left ward number {ward} between {first} and {last}, these days included.",
        ),
        "SELECT COUNT(DISTINCT patient_id) AS patients FROM stay WHERE ward_id = {ward}"
        " AND discharged BETWEEN {first} AND {last}",
        {"ward": (1, 2, 3, 4), "first last": (("2023-03-01", "2023-05-31"), ("2023-10-01", "2024-01-31"))},
        "Wards are numbered by their id.",
    ),
    Family(
        "dose_range", "easy",
        (
            "Among prescriptions of drug number {drug}, what is the largest number of days, and how many have no number"
            " of days at all?",
            "For drug {drug} (its id), give the longest prescription in days and the number of prescriptions that say"
            " no days.",
        ),
        "SELECT MAX(days) AS longest, SUM(days IS NULL) AS open_ended FROM prescription WHERE drug_id = {drug}",
        {"drug": (2, 5, 8, 11, 14)}, count=2,
    ),
    Family(
        "oldest_patients", "easy",
        (
            "Who are the {n} oldest patients from {town}? Give first name, last name and date of birth, the oldest"
            " first; of those born on one day, the lower patient id comes first.",
            "List first name, last name and birth date of the {n} patients in {town} who were born earliest, in order"
            " of birth, then of patient id.",
        ),
        "SELECT first_name, last_name, born FROM patient WHERE town = {town} ORDER BY born, patient_id LIMIT {n}",
        {"town": TOWNS, "n": (3, 5)},
    ),
    Family(
        "unknown_blood", "easy",
        (
            "How many patients from {town} have no blood type on record?",
            "Count the patients living in {town} whose blood type is unknown.",
        ),
        "SELECT COUNT(*) FROM patient WHERE town = {town} AND blood_type IS NULL",
        {"town": TOWNS}, count=2,
    ),
    Family(
        "born_in_decade", "easy",
        (
            "Which patients with blood type {blood} were born from {first} to {last}, both days included? Give first"
            " name, last name and date of birth, the oldest first; people born on the same day by patient id.",
        ),
        "SELECT first_name, last_name, born FROM patient WHERE blood_type = {blood} AND born BETWEEN {first} AND {last}"
        " ORDER BY born, patient_id",
        {
            "blood": ("A+", "0+", "B+"),
            "first last": (("1940-01-01", "1949-12-31"), ("1960-01-01", "1964-12-31"), ("1985-07-01", "1995-06-30")),
        },
    ),
    Family(
        "range_of_test", "easy",
        (
            "What are the lowest and the highest {test} value ever measured, and how many {test} measurements have no"
            " value?",
            "For the test {test}, give the smallest value, the largest value and how many entries lack a value.",
        ),
        "SELECT MIN(value) AS lowest, MAX(value) AS highest, COUNT(*) - COUNT(value) AS missing FROM lab_value"
        " WHERE test = {test}",
        {"test": ("creatinine", "glucose", "haemoglobin", "potassium")}, count=2,
    ),
    Family(
        "hired_years", "easy",
        (
            "In which years were at least {n} doctors hired? Give each year and the number, in order of year.",
            "List the years in which the hospital hired {n} or more doctors, with how many, earliest year first.",
        ),
        "SELECT strftime('%Y', hired) AS year, COUNT(*) AS doctors FROM doctor GROUP BY year HAVING COUNT(*) >= {n}"
        " ORDER BY year",
        {"n": (3, 4, 5)}, count=2,
    ),
    Family(
        "free_of_supervision", "easy",
        (
            "Which doctors of the {department} department report to nobody? Give their ids and last names.",
            "Give id and last name of every doctor in {department} without a supervisor.",
        ),
        "SELECT d.doctor_id, d.last_name FROM doctor AS d JOIN department AS p ON p.department_id = d.department_id"
        " WHERE p.name = {department} AND d.supervisor_id IS NULL",
        {"department": DEPARTMENTS},
    ),
    Family(
        "still_here", "medium",
        (
            "How many patients are still in each ward of the {department} department? Give ward name and number; wards"
            " with none may be left out.",
            "For the wards of {department}, count the stays that have not ended: name of ward and number, only where"
            " there is at least one.",
        ),
        "SELECT w.name, COUNT(*) AS stays FROM stay AS s JOIN ward AS w ON w.ward_id = s.ward_id"
        " JOIN department AS p ON p.department_id = w.department_id"
        " WHERE p.name = {department} AND s.discharged IS NULL GROUP BY w.ward_id",
        {"department": DEPARTMENTS}, NOT_OUT,
    ),
    Family(
        "doctors_everywhere", "medium",
        (
            "How many doctors hired since the beginning of {year} does each department have? Give every department's"
            " name and the number, 0 where there is none.",
            "For every department, those with 0 too, count the doctors whose hiring date is in {year} or later: name"
            " and number.",
        ),
        "SELECT p.name, COUNT(d.doctor_id) AS doctors FROM department AS p"
        " LEFT JOIN doctor AS d ON d.department_id = p.department_id AND d.hired >= '{year:raw}-01-01'"
        " GROUP BY p.department_id",
        {"year": (2012, 2016, 2019, 2021)}, "{year} begins on {year}-01-01.", count=2,
    ),
    Family(
        "many_juniors", "medium",
        (
            "Which doctors supervise at least {n} others directly? Give first name, last name and how many.",
            "List first and last name of each doctor who is the direct supervisor of {n} or more doctors, with their"
            " number.",
        ),
        "SELECT b.first_name, b.last_name, COUNT(*) AS juniors FROM doctor AS d"
        " JOIN doctor AS b ON b.doctor_id = d.supervisor_id GROUP BY b.doctor_id HAVING COUNT(*) >= {n}",
        {"n": (3, 4, 5)}, count=2,
    ),
    Family(
        "all_below", "hard",
        (
            "How many doctors work below doctor {chief}, directly or through other supervisors?",
            "Count everybody under doctor number {chief} in the chain of supervision, at any depth.",
        ),
        "WITH RECURSIVE below (doctor_id) AS (SELECT doctor_id FROM doctor WHERE supervisor_id = {chief} UNION"
        " SELECT d.doctor_id FROM doctor AS d JOIN below AS b ON d.supervisor_id = b.doctor_id)"
        " SELECT COUNT(*) FROM below",
        {"chief": (1, 2, 3, 4, 5, 6)},
    ),
    Family(
        "length_of_stay", "medium",
        (
            "Which wards keep patients longer than {n} days on average? Give ward name and the average in days, rounded"
            " to 1 decimal, over ended stays alone.",
            "Over the stays that have ended, name each ward with a mean length of stay above {n} days, and that mean"
            " rounded to 1 decimal.",
        ),
        "SELECT w.name, ROUND(AVG(julianday(s.discharged) - julianday(s.admitted)), 1) AS days FROM stay AS s"
        " JOIN ward AS w ON w.ward_id = s.ward_id WHERE s.discharged IS NOT NULL GROUP BY w.ward_id"
        " HAVING AVG(julianday(s.discharged) - julianday(s.admitted)) > {n}",
        {"n": (10, 11, 12)}, NOT_OUT, count=2,
    ),
    Family(
        "main_by_chapter", "medium",
        (
            "How many different patients had a main diagnosis of the chapter '{chapter}' during stays that began in"
            " {month_name}?",
            "Among stays with admission in {month_name}, how many distinct patients have a main diagnosis that belongs"
            " to the chapter '{chapter}'?",
        ),
        "SELECT COUNT(DISTINCT s.patient_id) AS patients FROM stay AS s JOIN diagnosis AS d ON d.stay_id = s.stay_id"
        " JOIN illness AS i ON i.code = d.code WHERE i.chapter = {chapter} AND d.is_main = 1"
        " AND strftime('%Y-%m', s.admitted) = {month}",
        {"chapter": ("Circulation", "Breathing", "Injury"), "month month_name": MONTHS},
        "A main diagnosis has is_main = 1; {month_name} is the month {month}.",
    ),
    Family(
        "drug_bill", "medium",
        (
            "What did the drugs prescribed by doctors of {department} cost in all, in cents, drug by drug? Give the"
            " drug's name and its cost, the dearest first, equal costs by name; leave out prescriptions without a"
            " number of days.",
            "For prescriptions written by {department} doctors with a known number of days, give each drug's name and"
            " total cost in cents, from the highest cost to the lowest, then by name.",
        ),
        "SELECT m.name, SUM(r.days * r.per_day * m.price_cents) AS cents FROM prescription AS r"
        " JOIN drug AS m ON m.drug_id = r.drug_id JOIN doctor AS d ON d.doctor_id = r.doctor_id"
        " JOIN department AS p ON p.department_id = d.department_id WHERE p.name = {department}"
        " AND r.days IS NOT NULL GROUP BY m.drug_id ORDER BY cents DESC, m.name",
        {"department": DEPARTMENTS},
        "The cost of a prescription is days times doses per day times the price of one dose.",
    ),
    Family(
        "two_drugs", "hard",
        (
            "During which stays was {one} prescribed and {other} as well? Give the stay ids.",
            "List the ids of all stays with a prescription of {one} and another of {other}.",
        ),
        "SELECT r.stay_id FROM prescription AS r JOIN drug AS m ON m.drug_id = r.drug_id WHERE m.name = {one}"
        " INTERSECT SELECT r.stay_id FROM prescription AS r JOIN drug AS m ON m.drug_id = r.drug_id"
        " WHERE m.name = {other}",
        {
            "one other": (
                ("Ibuprofen", "Omeprazole"), ("Insulin", "Metformin"), ("Morphine", "Paracetamol"),
                ("Bisoprolol", "Ramipril"), ("Codeine", "Ibuprofen"), ("Tramadol", "Metformin"),
            )
        },
    ),
    Family(
        "without_controlled", "hard",
        (
            "Which patients from {town} were prescribed something in {month_name} but have never been prescribed a"
            " controlled drug? Give their ids.",
            "Give the ids of patients living in {town} who have a prescription that started in {month_name} and none of"
            " a controlled drug at any time.",
        ),
        "SELECT s.patient_id FROM stay AS s JOIN prescription AS r ON r.stay_id = s.stay_id"
        " JOIN patient AS p ON p.patient_id = s.patient_id"
        " WHERE p.town = {town} AND strftime('%Y-%m', r.started) = {month} EXCEPT"
        " SELECT s.patient_id FROM stay AS s JOIN prescription AS r ON r.stay_id = s.stay_id"
        " JOIN drug AS m ON m.drug_id = r.drug_id WHERE m.controlled = 1",
        {"town": ("Ashford", "Brackley", "Corby"), "month month_name": MONTHS},
        "Controlled drugs have controlled = 1; {month_name} is the month {month}.",
    ),
    Family(
        "night_samples", "medium",
        (
            "How many {test} samples were taken at night, in the hours 00 to 05, and how many at other hours? Give the"
            " two numbers in this order.",
            "Split the {test} samples by hour: the number taken in the hours 00 to 05, then the number of all others.",
        ),
        "SELECT SUM(CASE WHEN strftime('%H', taken_at) <= '05' THEN 1 ELSE 0 END) AS night,"
        " SUM(CASE WHEN strftime('%H', taken_at) > '05' THEN 1 ELSE 0 END) AS other FROM lab_value WHERE test = {test}",
        {"test": ("creatinine", "glucose", "haemoglobin", "potassium")},
        "Each sample counts as one, elsewhere as 0; the time is YYYY-MM-DD HH:MM.", count=2,
    ),
    Family(
        "full_on_day", "hard",
        (
            "Which wards had more than {n} patients at the end of {date}? Give ward name, its beds and the number of"
            " patients.",
            "Give name, number of beds and number of patients of each ward in which over {n} patients stayed at the end"
            " of {date}.",
        ),
        "SELECT w.name, w.beds, COUNT(*) AS patients FROM ward AS w JOIN stay AS s ON s.ward_id = w.ward_id"
        " WHERE s.admitted <= {date} AND (s.discharged IS NULL OR s.discharged > {date}) GROUP BY w.ward_id"
        " HAVING COUNT(*) > {n}",
        {"n": (2, 3), "date": ("2023-06-15", "2023-10-01", "2024-02-29", "2024-05-10")},
        "A patient is there at the end of a day when admitted on it or before and not discharged until a later day"
        " (still in hospital: no discharge date).",
    ),
    Family(
        "busiest_doctors", "hard",
        (
            "Who are the doctors in the first {n} places of {department} by number of stays they were responsible for?"
            " Doctors with equal numbers share a place and the next place follows without a gap. Give doctor id, number"
            " of stays and place.",
            "Rank the doctors of {department} by the stays they are responsible for, most first, equal numbers sharing"
            " a place and no place left out after a tie; give id, stays and place down to place {n}.",
        ),
        "SELECT doctor_id, stays, place FROM (SELECT d.doctor_id, COUNT(*) AS stays, DENSE_RANK() OVER"
        " (ORDER BY COUNT(*) DESC) AS place FROM doctor AS d JOIN stay AS s ON s.doctor_id = d.doctor_id"
        " JOIN department AS p ON p.department_id = d.department_id WHERE p.name = {department}"
        " GROUP BY d.doctor_id) AS ranked WHERE place <= {n}",
        {"department": DEPARTMENTS, "n": (2, 3)},
    ),
    Family(
        "foreign_prescriptions", "medium",
        (
            "How many prescriptions of {drug} were written by a doctor other than the one responsible for the stay?",
            "Count the {drug} prescriptions whose doctor is not the doctor in charge of the stay.",
        ),
        "SELECT COUNT(*) FROM prescription AS r JOIN stay AS s ON s.stay_id = r.stay_id"
        " JOIN drug AS m ON m.drug_id = r.drug_id WHERE m.name = {drug} AND r.doctor_id <> s.doctor_id",
        {"drug": tuple(name for name, _ in DRUGS)},
    ),
    Family(
        "namesakes", "medium",
        (
            "List everybody called {name} by last name, patients and doctors alike: what they are ('patient' or"
            " 'doctor'), their id there, and first name.",
            "Who has the last name {name}? Give 'doctor' or 'patient', the id in that table and the first name.",
        ),
        "SELECT 'patient' AS kind, patient_id AS id, first_name FROM patient WHERE last_name = {name} UNION ALL"
        " SELECT 'doctor', doctor_id, first_name FROM doctor WHERE last_name = {name}",
        {"name": ("Adler", "Diaz", "Haddad", "Kim", "Novak", "Patel", "Rossi", "Silva", "Weber")},
    ),
    Family(
        "quick_return", "hard",
        (
            "Which patients came back within {n} days of a discharge? Give each patient's id once, together with the"
            " shortest such gap in days. Stays that overlap the one before do not count.",
            "For patients admitted again at most {n} days after the discharge from their previous stay, give id and the"
            " smallest gap in days; gaps below 0 are not gaps.",
        ),
        "WITH gaps AS (SELECT patient_id, CAST(julianday(admitted) - julianday(LAG(discharged) OVER"
        " (PARTITION BY patient_id ORDER BY admitted, stay_id)) AS INTEGER) AS gap FROM stay)"
        " SELECT patient_id, MIN(gap) AS days FROM gaps WHERE gap BETWEEN 0 AND {n} GROUP BY patient_id",
        {"n": (7, 14, 21)},
        "The previous stay is the one admitted before, by admission date and then stay id. A gap of 0 days, discharge"
        " and admission on one day, counts.",
        count=2,
    ),
    Family(
        "above_average_value", "hard",
        (
            "Which {test} values of patients from {town} are more than {n} per cent above the mean of all {test}"
            " values? Give patient id and value.",
            "Give patient id and value of every {test} measurement, of patients living in {town}, that exceeds the"
            " overall {test} mean by over {n} per cent.",
        ),
        "SELECT s.patient_id, v.value FROM lab_value AS v JOIN stay AS s ON s.stay_id = v.stay_id"
        " JOIN patient AS p ON p.patient_id = s.patient_id WHERE v.test = {test} AND p.town = {town}"
        " AND v.value > (SELECT AVG(o.value) FROM lab_value AS o WHERE o.test = {test}) * (100 + {n}) / 100",
        {"test": ("creatinine", "glucose", "potassium"), "town": TOWNS[:4], "n": (30, 35)},
    ),
    Family(
        "change_of_value", "hard",
        (
            "In which stays was the last {test} value lower than the first by at least {n}? Give stay id, first and"
            " last value. Entries without a value do not count.",
            "Compare the first with the last {test} value of each stay, by time taken, entries without value left out;"
            " give stay id, first and last value where the value fell by {n} or more.",
        ),
        "WITH ends AS (SELECT DISTINCT stay_id, FIRST_VALUE(value) OVER (PARTITION BY stay_id ORDER BY taken_at)"
        " AS first_value, FIRST_VALUE(value) OVER (PARTITION BY stay_id ORDER BY taken_at DESC) AS last_value"
        " FROM lab_value WHERE test = {test} AND value IS NOT NULL)"
        " SELECT stay_id, first_value, last_value FROM ends WHERE first_value - last_value >= {n}",
        {"test n": (("creatinine", 5), ("glucose", 4), ("haemoglobin", 3), ("potassium", 1.5))},
    ),
    Family(
        "age_groups", "medium",
        (
            "How many stays of patients aged 0 to 17, 18 to 64, and 65 or more began in {year}? Give the group as"
            " 'child', 'adult' or 'senior' and the number.",
            "Count the stays that began in {year} by age group ('child' to 17, 'adult' from 18 to 64, 'senior' from"
            " 65): group and number.",
        ),
        "SELECT CASE WHEN strftime('%Y', s.admitted) - strftime('%Y', p.born) < 18 THEN 'child'"
        " WHEN strftime('%Y', s.admitted) - strftime('%Y', p.born) < 65 THEN 'adult' ELSE 'senior' END AS age_group,"
        " COUNT(*) AS stays FROM stay AS s JOIN patient AS p ON p.patient_id = s.patient_id"
        " WHERE strftime('%Y', s.admitted) = {year} GROUP BY age_group",
        {"year": ("2023", "2024")}, "Age here is the year of admission minus the year of birth, whatever the day.",
    ),
    Family(
        "weekend_admissions", "medium",
        (
            "Which wards admitted more than {n} patients at weekends in {year}? Give ward name and the number of stays"
            " that began on a Saturday or Sunday.",
            "Give name and number of weekend admissions (Saturday and Sunday) of the wards with over {n} of them in"
            " {year}.",
        ),
        "SELECT w.name, COUNT(*) AS stays FROM stay AS s JOIN ward AS w ON w.ward_id = s.ward_id"
        " WHERE strftime('%w', s.admitted) IN ('0', '6') AND s.admitted LIKE '{year:raw}-%' GROUP BY w.name"
        " HAVING COUNT(*) > {n}",
        {"n": (8, 12), "year": ("2023", "2024")},
        "strftime('%w', …) gives 0 for Sunday and 6 for Saturday; dates begin with the year, as in {year}-03-31.",
    ),
    Family(
        "commonest_illness", "hard",
        (
            "For each department, what was the commonest main diagnosis of stays in its wards? Give department name,"
            " illness name and number of stays; give all illnesses that tie for the first place.",
            "Name the most frequent main diagnosis in the wards of every department, with ties: department, illness,"
            " number.",
        ),
        "WITH counted AS (SELECT p.name AS department, i.name AS illness, COUNT(*) AS stays FROM stay AS s"
        " JOIN ward AS w ON w.ward_id = s.ward_id JOIN department AS p ON p.department_id = w.department_id"
        " JOIN diagnosis AS d ON d.stay_id = s.stay_id JOIN illness AS i ON i.code = d.code WHERE d.is_main = 1"
        " GROUP BY p.name, i.name) SELECT c.department, c.illness, c.stays FROM counted AS c"
        " WHERE c.stays = (SELECT MAX(o.stays) FROM counted AS o WHERE o.department = c.department)",
        evidence="A main diagnosis has is_main = 1.",
    ),
)  # fmt: skip
