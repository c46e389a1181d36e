"""A university: programmes and students, lecturers, courses and what they require, offerings, marks, theses; 10 tables.

Worth minding: exchange students have no programme, offerings may lack a lecturer or a room, marks and readers may be
missing, lecturers mentor each other, a term is a year with S or W, and dates are text ('YYYY-MM-DD').
"""

from __future__ import annotations

from typing import Final

from agentgym.envs.text_to_sql.shipped.families import Family
from agentgym.envs.text_to_sql.shipped.university_rows import (
    BUILDINGS,
    CODES,
    COUNTRIES,
    DEGREES,
    DEPARTMENTS,
    FACULTIES,
    POSITIONS,
    SCHEMA,
    TERMS,
    fill,
)

__all__ = ["FAMILIES", "NAME", "SCHEMA", "fill"]

NAME: Final = "university"
DEPT: Final = {"dept": tuple(name for name, _, _ in DEPARTMENTS.values())}
FACULTY: Final = {"faculty": FACULTIES}
TERM: Final = {"term": tuple(TERMS)}
TERM_TEXT: Final = "A term is a year with S for summer or W for winter, such as '2023W'."
MARK: Final = "mark is NULL where none was given."
LEFT: Final = "left_on is NULL for students who are still here."
TAUGHT: Final = "lecturer_id is NULL where nobody is named yet."

FAMILIES: Final = (
    Family(
        "credits_on_offer", "easy",
        (
            "Which courses of the {faculty} faculty are worth {n} credits or more? Code, title and credits, the most "
            "credits first, then by code.",
            "List the courses run by departments of {faculty} with at least {n} credits: code, title, credits, ordered "
            "by credits from the top and by code where equal.",
        ),
        "SELECT c.course_code, c.title, c.credits FROM courses AS c JOIN departments AS d ON d.dept_code = c.dept_code "
        "WHERE d.faculty = {faculty} AND c.credits >= {n} ORDER BY c.credits DESC, c.course_code",
        {**FACULTY, "n": (6, 8)},
    ),
    Family(
        "headcount_by_country", "easy",
        (
            "For students enrolled on {day}: per country, how many are they, how many of them have left, how many have "
            "no programme?",
            "By country, count the students who enrolled on {day}, those of them who left since, and those without a "
            "programme.",
        ),
        "SELECT country, COUNT(*) AS students, COUNT(left_on) AS gone, COUNT(*) - COUNT(programme_id) AS guests FROM "
        "students WHERE enrolled_on = {day} GROUP BY country",
        {"day": ("2020-10-01", "2021-04-01", "2021-10-01", "2022-04-01")},
        f"{LEFT} programme_id is NULL for exchange students.",
    ),
    Family(
        "leavers", "easy",
        (
            "Which students from {country} have left in {year}? Student id, family name and the day they left.",
            "List students from {country} whose studies ended in {year}: id, family name, last day.",
        ),
        "SELECT student_id, family_name, left_on FROM students WHERE country = {country} AND strftime('%Y', left_on) = "
        "{year}",
        {"country": COUNTRIES, "year": ("2023", "2024")}, LEFT,
    ),
    Family(
        "old_hands", "easy",
        (
            "Which lecturers hired before {day} have no mentor? Name, position and department code.",
            "Give name, position and department code of each lecturer without a mentor whose hiring date lies before "
            "{day}.",
        ),
        "SELECT name, position, dept_code FROM lecturers WHERE hired_on < {day} AND mentor_id IS NULL",
        {"day": ("2012-09-01", "2016-09-01", "2020-09-01")}, "mentor_id is NULL for lecturers without a mentor.",
    ),
    Family(
        "pass_rates", "hard",
        (
            "What percentage of the marks given in {dept} courses in {term} was {n} or better? Course code and "
            "percentage to 1 decimal.",
            "For each {dept} course held in {term}, compute to 1 decimal the per cent of given marks that reach {n}; "
            "show the code and that figure.",
        ),
        "SELECT o.course_code, ROUND(AVG(CASE WHEN e.mark >= {n} THEN 100.0 ELSE 0 END), 1) AS passed FROM enrolments "
        "AS e JOIN offerings AS o ON o.offering_id = e.offering_id JOIN courses AS c ON c.course_code = o.course_code "
        "JOIN departments AS d ON d.dept_code = c.dept_code WHERE d.name = {dept} AND o.term = {term} AND e.mark IS "
        "NOT NULL GROUP BY o.course_code",
        {**DEPT, **TERM, "n": (50, 60)},
        f"{MARK} Only given marks count, with 100 where reached and 0 where not. {TERM_TEXT}",
    ),
    Family(
        "overbooked", "medium",
        (
            "Which offerings in {term} have more students enrolled than places? Course title, enrolled, places.",
            "Find the overbooked courses of {term}: title, how many enrolled, how many places there are.",
        ),
        "SELECT c.title, COUNT(*) AS enrolled, o.places FROM offerings AS o JOIN courses AS c ON c.course_code = "
        "o.course_code JOIN enrolments AS e ON e.offering_id = o.offering_id WHERE o.term = {term} GROUP BY "
        "o.offering_id, c.title, o.places HAVING COUNT(*) > o.places",
        TERM, TERM_TEXT,
    ),
    Family(
        "term_plan", "medium",
        (
            "Print the plan of the {faculty} faculty for {term}: course code, lecturer ('open' if none is named) and "
            "building ('online' if there is no room).",
            "What do the {faculty} departments teach in {term}, by whom and in which building? Code, lecturer or "
            "'open', building or 'online'.",
        ),
        "SELECT o.course_code, COALESCE(l.name, 'open') AS lecturer, COALESCE(r.building, 'online') AS place FROM "
        "offerings AS o JOIN courses AS c ON c.course_code = o.course_code JOIN departments AS d ON d.dept_code = "
        "c.dept_code LEFT JOIN lecturers AS l ON l.lecturer_id = o.lecturer_id LEFT JOIN rooms AS r ON r.room_id = "
        "o.room_id WHERE d.faculty = {faculty} AND o.term = {term}",
        {**FACULTY, **TERM}, f"lecturer_id and room_id are NULL where there is none. {TERM_TEXT}",
    ),
    Family(
        "all_that_is_required", "hard",
        (
            "What has to be taken before {code}, counting the requirements of requirements too? Code and title of each "
            "course once.",
            "List every course that {code} requires directly or through others, without repeats: code and title.",
        ),
        "WITH RECURSIVE need (code) AS (SELECT required_code FROM prerequisites WHERE course_code = {code} UNION "
        "SELECT p.required_code FROM prerequisites AS p JOIN need AS n ON n.code = p.course_code) SELECT "
        "c.course_code, c.title FROM need AS n JOIN courses AS c ON c.course_code = n.code",
        {"code": tuple(code for code in CODES if code[3] == "3")},
    ),
    Family(
        "without_the_basics", "hard",
        (
            "Who is enrolled in some {dept} course in {term} that requires another course in which they have no mark "
            "of {n} or more in any term? Student id, course and the missing course.",
            "Find enrolments in {dept} courses of {term} where a required course was never completed with at least "
            "{n}: student id, course code, required code.",
        ),
        "SELECT e.student_id, o.course_code, q.required_code FROM enrolments AS e JOIN offerings AS o ON o.offering_id "
        "= e.offering_id JOIN courses AS c ON c.course_code = o.course_code JOIN departments AS d ON d.dept_code = "
        "c.dept_code JOIN prerequisites AS q ON q.course_code = o.course_code WHERE d.name = {dept} AND o.term = "
        "{term} AND NOT EXISTS (SELECT 1 FROM enrolments AS f JOIN offerings AS g ON g.offering_id = f.offering_id "
        "WHERE f.student_id = e.student_id AND g.course_code = q.required_code AND f.mark >= {n})",
        {**DEPT, **TERM, "n": (50,)}, f"{MARK} {TERM_TEXT}",
    ),
    Family(
        "pausing_lecturers", "medium",
        (
            "Which lecturers taught in {a} but have nothing in {b}? Name and position.",
            "Name the lecturers, with position, who hold an offering in {a} and none in {b}.",
        ),
        "SELECT l.name, l.position FROM lecturers AS l JOIN offerings AS o ON o.lecturer_id = l.lecturer_id WHERE "
        "o.term = {a} EXCEPT SELECT l.name, l.position FROM lecturers AS l JOIN offerings AS o ON o.lecturer_id = "
        "l.lecturer_id WHERE o.term = {b}",
        {"a b": (("2022W", "2023S"), ("2023S", "2023W"), ("2023W", "2024S"), ("2022W", "2024S"))}, TERM_TEXT,
    ),
    Family(
        "thesis_boards", "medium",
        (
            "Who of the {faculty} faculty has anything to do with a thesis started in {year}, as supervisor or reader? "
            "Names, each once.",
            "List lecturers of {faculty} departments who supervise or read at least one thesis begun in {year}, "
            "without repeats.",
        ),
        "SELECT l.name FROM theses AS t JOIN lecturers AS l ON l.lecturer_id = t.supervisor_id JOIN departments AS d "
        "ON d.dept_code = l.dept_code WHERE d.faculty = {faculty} AND strftime('%Y', t.started_on) = {year} UNION "
        "SELECT l.name FROM theses AS t JOIN lecturers AS l ON l.lecturer_id = t.reader_id JOIN departments AS d ON "
        "d.dept_code = l.dept_code WHERE d.faculty = {faculty} AND strftime('%Y', t.started_on) = {year}",
        {**FACULTY, "year": ("2022", "2023")}, "reader_id is NULL for a thesis without a reader.",
    ),
    Family(
        "best_of_programme", "hard",
        (
            "Rank the students of each {degree} programme by how many marks of {n} or better they have, equal numbers "
            "sharing a rank: who is ranked {k} or better? Programme title, student id, number of such marks.",
            "In every {degree} programme, who holds one of the first {k} ranks by the count of marks that reach {n}, "
            "ties sharing a rank? Title, id and count.",
        ),
        "SELECT title, student_id, good FROM (SELECT p.title, s.student_id, COUNT(*) AS good, RANK() OVER (PARTITION "
        "BY p.programme_id ORDER BY COUNT(*) DESC) AS place FROM programmes AS p JOIN students AS s ON s.programme_id "
        "= p.programme_id JOIN enrolments AS e ON e.student_id = s.student_id WHERE p.degree = {degree} AND e.mark >= "
        "{n} GROUP BY p.programme_id, p.title, s.student_id) WHERE place <= {k}",
        {"degree": DEGREES, "k": (2, 3), "n": (75, 80)}, MARK, 4,
    ),
    Family(
        "change_in_demand", "hard",
        (
            "How did demand for {dept} courses change from one offering to the next? Course code, term, and the "
            "enrolments compared with the previous term it was held in; first offerings left out.",
            "For each {dept} offering but the first of its course: code, term, and how many more (or fewer) students "
            "enrolled than last time.",
        ),
        "SELECT course_code, term, enrolled - earlier AS change FROM (SELECT o.course_code, o.term, COUNT(*) AS "
        "enrolled, LAG(COUNT(*)) OVER (PARTITION BY o.course_code ORDER BY o.term) AS earlier FROM offerings AS o JOIN "
        "enrolments AS e ON e.offering_id = o.offering_id JOIN courses AS c ON c.course_code = o.course_code JOIN "
        "departments AS d ON d.dept_code = c.dept_code WHERE d.name = {dept} GROUP BY o.course_code, o.term) WHERE "
        "earlier IS NOT NULL",
        DEPT, f"{TERM_TEXT} As texts, terms sort in order of time.",
    ),
    Family(
        "close_to_the_best", "hard",
        (
            "Who in some {dept} course in {term} came within {n} points of the best mark of that offering, the best "
            "included? Course code, student id, points behind.",
            "For {dept} offerings of {term}, list marks at most {n} points below the highest of the same offering: "
            "code, student id, and the distance to it.",
        ),
        "SELECT course_code, student_id, best - mark AS behind FROM (SELECT o.course_code, e.student_id, e.mark, "
        "MAX(e.mark) OVER (PARTITION BY e.offering_id) AS best FROM enrolments AS e JOIN offerings AS o ON "
        "o.offering_id = e.offering_id JOIN courses AS c ON c.course_code = o.course_code JOIN departments AS d ON "
        "d.dept_code = c.dept_code WHERE d.name = {dept} AND o.term = {term}) WHERE best - mark <= {n}",
        {**DEPT, **TERM, "n": (5, 10)}, f"{MARK} {TERM_TEXT}",
    ),
    Family(
        "slow_theses", "medium",
        (
            "Which theses took more than {n} days from start to submission? Thesis id, supervisor and days.",
            "List submitted theses that needed over {n} days, with id, supervisor's name and the number of days.",
        ),
        "SELECT t.thesis_id, l.name, CAST(julianday(t.submitted_on) - julianday(t.started_on) AS INTEGER) AS days FROM "
        "theses AS t JOIN lecturers AS l ON l.lecturer_id = t.supervisor_id WHERE julianday(t.submitted_on) - "
        "julianday(t.started_on) > {n}",
        {"n": (150, 180, 240)}, "submitted_on is NULL while a thesis is being written.",
    ),
    Family(
        "unfinished_theses", "medium",
        (
            "Which theses started before {day} are still not submitted? Thesis id, family name of the student, and the "
            "reader's name or 'none'.",
            "Of the theses begun before {day}, show the unsubmitted ones: id, student's family name, reader ('none' if "
            "there is none).",
        ),
        "SELECT t.thesis_id, s.family_name, COALESCE(l.name, 'none') AS reader FROM theses AS t JOIN students AS s ON "
        "s.student_id = t.student_id LEFT JOIN lecturers AS l ON l.lecturer_id = t.reader_id WHERE t.submitted_on IS "
        "NULL AND t.started_on < {day}",
        {"day": ("2022-09-15", "2023-03-15", "2023-09-15")},
        "submitted_on is NULL while a thesis is being written; reader_id is NULL where there is no reader.",
    ),
    Family(
        "teaching_load", "hard",
        (
            "How many offerings does a lecturer of the {dept} department have on average, by position? Position, mean "
            "to 2 decimals and the highest number; lecturers without any count as 0.",
            "For {dept}, give per position the average (2 decimals) and the largest number of offerings a lecturer has "
            "held, with 0 for those who held none.",
        ),
        "SELECT position, ROUND(AVG(held), 2) AS mean, MAX(held) AS most FROM (SELECT l.lecturer_id, l.position, "
        "COUNT(o.offering_id) AS held FROM lecturers AS l JOIN departments AS d ON d.dept_code = l.dept_code LEFT JOIN "
        "offerings AS o ON o.lecturer_id = l.lecturer_id WHERE d.name = {dept} GROUP BY l.lecturer_id, l.position) "
        "GROUP BY position",
        DEPT,
    ),
    Family(
        "top_marks", "medium",
        (
            "Who got the best mark of each {dept} course in {term}? Course code, student id and mark, with everyone "
            "who shares it.",
            "For every {dept} course held in {term}, list the student or students with its highest mark: code, student "
            "id, mark.",
        ),
        "SELECT o.course_code, e.student_id, e.mark FROM enrolments AS e JOIN offerings AS o ON o.offering_id = "
        "e.offering_id JOIN courses AS c ON c.course_code = o.course_code JOIN departments AS d ON d.dept_code = "
        "c.dept_code WHERE d.name = {dept} AND o.term = {term} AND e.mark = (SELECT MAX(f.mark) FROM enrolments AS f "
        "WHERE f.offering_id = e.offering_id)",
        {**DEPT, **TERM}, f"{MARK} {TERM_TEXT}",
    ),
    Family(
        "foundations", "medium",
        (
            "Which courses require nothing themselves while exactly {n} of the courses require them? Code and title.",
            "Find the foundation courses, those without prerequisites that are a prerequisite of exactly {n} of the "
            "courses: code and title.",
        ),
        "SELECT course_code, title FROM courses WHERE course_code NOT IN (SELECT course_code FROM prerequisites) AND "
        "course_code IN (SELECT required_code FROM prerequisites GROUP BY required_code HAVING COUNT(*) = {n})",
        {"n": (1, 2)}, "A prerequisite is a pair of a course and a course that it requires directly.", 2,
    ),
    Family(
        "younger_mentors", "medium",
        (
            "Which lecturers were hired before their mentor was, where the mentor is no {position} and belongs to "
            "another department? Lecturer and mentor.",
            "Find pairs of lecturer and mentor (of a different department, position {position} left out for the "
            "mentor) in which the mentor was hired later; both names.",
        ),
        "SELECT l.name AS lecturer, m.name AS mentor FROM lecturers AS l JOIN lecturers AS m ON m.lecturer_id = "
        "l.mentor_id WHERE l.hired_on < m.hired_on AND l.dept_code <> m.dept_code AND m.position <> {position}",
        {"position": POSITIONS}, "mentor_id is NULL for lecturers without a mentor.",
    ),
    Family(
        "double_bookings", "medium",
        (
            "Which pairs of offerings share a room of the {building} in {term}? Door and the two course codes, the "
            "alphabetically smaller code first.",
            "Find rooms in the {building} that hold two courses in {term}: door, and each pair of codes with the first "
            "in the alphabet in front.",
        ),
        "SELECT r.door, a.course_code AS one, b.course_code AS other FROM offerings AS a JOIN offerings AS b ON "
        "b.room_id = a.room_id AND b.term = a.term AND a.course_code < b.course_code JOIN rooms AS r ON r.room_id = "
        "a.room_id WHERE r.building = {building} AND a.term = {term}",
        {"building": BUILDINGS, **TERM}, f"room_id is NULL for online courses, which share no room. {TERM_TEXT}",
    ),
    Family(
        "on_the_move", "medium",
        (
            "Which {faculty} lecturers have taught in {n} or more different buildings? Name and number of buildings.",
            "List lecturers of {faculty} departments whose offerings were held in at least {n} buildings, with how "
            "many.",
        ),
        "SELECT l.name, COUNT(DISTINCT r.building) AS buildings FROM lecturers AS l JOIN departments AS d ON "
        "d.dept_code = l.dept_code JOIN offerings AS o ON o.lecturer_id = l.lecturer_id JOIN rooms AS r ON r.room_id = "
        "o.room_id WHERE d.faculty = {faculty} GROUP BY l.lecturer_id, l.name HAVING COUNT(DISTINCT r.building) >= {n}",
        {**FACULTY, "n": (2, 3)},
    ),
    Family(
        "heavier_than_usual", "medium",
        (
            "Which courses, those of level {level} left out, carry more credits than the average course of their "
            "department? Code, department code, credits.",
            "Leaving out level {level}, list courses with credits above the mean of all courses of the same department "
            "(of any level): code, department code, credits.",
        ),
        "SELECT c.course_code, c.dept_code, c.credits FROM courses AS c WHERE c.level <> {level} AND c.credits > "
        "(SELECT AVG(k.credits) FROM courses AS k WHERE k.dept_code = c.dept_code)",
        {"level": (1, 2, 3)}, "The average is over all courses of the department.",
    ),
    Family(
        "summer_and_winter", "medium",
        (
            "How many level {level} offerings does each faculty have in summer and in winter terms, and how many "
            "different lecturers are named for them? Faculty, 'summer' or 'winter', offerings, lecturers.",
            "For courses of level {level}, count per faculty and season ('summer' or 'winter') the offerings and the "
            "different lecturers named for them.",
        ),
        "SELECT d.faculty, CASE WHEN o.term LIKE '%S' THEN 'summer' ELSE 'winter' END AS season, COUNT(*) AS "
        "offerings, COUNT(DISTINCT o.lecturer_id) AS lecturers FROM offerings AS o JOIN courses AS c ON c.course_code "
        "= o.course_code JOIN departments AS d ON d.dept_code = c.dept_code WHERE c.level = {level} GROUP BY "
        "d.faculty, season",
        {"level": (1, 2, 3)}, f"{TERM_TEXT} {TAUGHT}",
    ),
    Family(
        "late_registrations", "medium",
        (
            "How many students registered within the {n} days before {day}, that day included? Per department of the "
            "course: its name and the number of registrations.",
            "Count registrations from {n} days before {day} up to and including {day}, by name of the department that "
            "runs the course.",
        ),
        "SELECT d.name, COUNT(*) AS registrations FROM enrolments AS e JOIN offerings AS o ON o.offering_id = "
        "e.offering_id JOIN courses AS c ON c.course_code = o.course_code JOIN departments AS d ON d.dept_code = "
        "c.dept_code WHERE e.registered_on BETWEEN date({day}, '-{n:raw} days') AND {day} GROUP BY d.dept_code, d.name",
        {"n": (2, 5, 7), "day": tuple(TERMS.values())}, "The day that lies {n} days before still counts.",
    ),
    Family(
        "credits_earned", "hard",
        (
            "Which {degree} students of the {faculty} faculty have passed {n} or more offerings, that is with a mark "
            "of {least} or better? Student id and the credits of those courses added up.",
            "List {degree} students in programmes of {faculty} departments with at least {n} marks of {least} or more: "
            "id, and the sum of credits over those marks.",
        ),
        "SELECT s.student_id, SUM(c.credits) AS earned FROM students AS s JOIN programmes AS p ON p.programme_id = "
        "s.programme_id JOIN departments AS d ON d.dept_code = p.dept_code JOIN enrolments AS e ON e.student_id = "
        "s.student_id JOIN offerings AS o ON o.offering_id = e.offering_id JOIN courses AS c ON c.course_code = "
        "o.course_code WHERE d.faculty = {faculty} AND p.degree = {degree} AND e.mark >= {least} GROUP BY s.student_id "
        "HAVING COUNT(*) >= {n}",
        {**FACULTY, "degree": DEGREES, "n": (5, 6), "least": (50,)}, f"{MARK} A course taken twice counts twice.",
    ),
    Family(
        "fullest_rooms", "medium",
        (
            "Which {k} rooms saw the most enrolments in {term}? Building, door and number of enrolments over all "
            "courses there, the most first, equal ones by building and door.",
            "Show the top {k} rooms of {term} by enrolled students (all courses together): building, door, students, "
            "sorted from the most, then by building, then door.",
        ),
        "SELECT r.building, r.door, COUNT(*) AS students FROM rooms AS r JOIN offerings AS o ON o.room_id = r.room_id "
        "JOIN enrolments AS e ON e.offering_id = o.offering_id WHERE o.term = {term} GROUP BY r.room_id, r.building, "
        "r.door ORDER BY students DESC, r.building, r.door LIMIT {k}",
        {**TERM, "k": (3, 5)}, TERM_TEXT,
    ),
)  # fmt: skip
