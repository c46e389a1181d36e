"""Two small databases that the tests play on: a shop of three tables, a school of seven; and questions about them."""

from __future__ import annotations

import atexit
import shutil
import sqlite3
import tempfile
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from typing import Any

from agentgym import Task
from agentgym.envs.text_to_sql.env import TextToSQLEnv

SHOP = """
CREATE TABLE customer (customer_id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT);
CREATE TABLE product (product_id INTEGER PRIMARY KEY, title TEXT NOT NULL, price REAL, colour TEXT);
CREATE TABLE purchase (
    customer_id INTEGER REFERENCES customer(customer_id), product_id INTEGER REFERENCES product(product_id),
    bought_on TEXT, amount INTEGER, PRIMARY KEY (customer_id, product_id, bought_on)
);
INSERT INTO customer VALUES (1, 'Ada', 'Lund'), (2, 'Bo', 'Oslo'), (3, 'Cy', 'Lund'), (4, 'Di', NULL),
    (5, 'Eva', 'Bergen');
INSERT INTO product VALUES (1, 'lamp', 19.5, 'red'), (2, 'chair', 45.0, 'green'), (3, 'desk', 120.0, NULL),
    (4, 'rug', 45.0, 'red');
INSERT INTO purchase VALUES (1, 1, '2024-01-05', 2), (1, 2, '2024-02-11', 1), (2, 1, '2024-02-11', 1),
    (3, 4, '2024-03-20', 3), (5, 2, '2024-03-21', 4), (5, 1, '2024-04-02', 1);
"""

SCHOOL = """
CREATE TABLE teacher (teacher_id INTEGER PRIMARY KEY, name TEXT, office TEXT);
CREATE TABLE room (room_id INTEGER PRIMARY KEY, building TEXT, seats INTEGER);
CREATE TABLE course (
    course_id INTEGER PRIMARY KEY, title TEXT, teacher_id INTEGER REFERENCES teacher(teacher_id),
    room_id INTEGER REFERENCES room(room_id)
);
CREATE TABLE student (student_id INTEGER PRIMARY KEY, name TEXT, born INTEGER);
CREATE TABLE enrolment (
    student_id INTEGER REFERENCES student(student_id), course_id INTEGER REFERENCES course(course_id), grade INTEGER
);
CREATE TABLE club (club_id INTEGER PRIMARY KEY, name TEXT, room_id INTEGER REFERENCES room(room_id));
CREATE TABLE membership (student_id INTEGER REFERENCES student(student_id), club_id INTEGER REFERENCES club(club_id));
INSERT INTO teacher VALUES (1, 'Ek', 'A1'), (2, 'Falk', 'A2'), (3, 'Gran', 'B1');
INSERT INTO room VALUES (1, 'north', 30), (2, 'north', 20), (3, 'south', 60);
INSERT INTO course VALUES (1, 'algebra', 1, 1), (2, 'biology', 2, 3), (3, 'chemistry', 2, 2), (4, 'drawing', 3, 1);
INSERT INTO student VALUES (1, 'Ola', 2007), (2, 'Per', 2008), (3, 'Quin', 2007), (4, 'Ros', 2009), (5, 'Siv', 2008);
INSERT INTO enrolment VALUES (1, 1, 5), (1, 2, 4), (2, 1, 3), (2, 3, NULL), (3, 4, 5), (4, 2, 2), (4, 4, 4), (5, 3, 5);
INSERT INTO club VALUES (1, 'chess', 2), (2, 'choir', 3);
INSERT INTO membership VALUES (1, 1), (2, 1), (2, 2), (4, 2), (5, 2);
"""

GOLDS = {
    "lund": ("shop", "Which customers, by name, live in Lund?", "SELECT name FROM customer WHERE city = 'Lund'"),
    "dear": ("shop", "How many products cost more than 40?", "SELECT COUNT(*) FROM product WHERE price > 40"),
    "lamps": (
        "shop",
        "Which customers, by name, bought a lamp, and how many in all?",
        "SELECT c.name, SUM(p.amount) FROM customer AS c JOIN purchase AS p ON p.customer_id = c.customer_id"
        " JOIN product AS i ON i.product_id = p.product_id WHERE i.title = 'lamp' GROUP BY c.customer_id, c.name",
    ),
    "north": (
        "school",
        "Give the titles of the courses that are held in the building north.",
        "SELECT course.title FROM course JOIN room ON room.room_id = course.room_id WHERE room.building = 'north'",
    ),
    "eldest": (
        "school",
        "List the names of the students by year of birth, the earliest first, and by name within a year.",
        "SELECT name FROM student ORDER BY born, name",
    ),
    "ungraded": ("school", "How many enrolments have no grade?", "SELECT COUNT(*) FROM enrolment WHERE grade IS NULL"),
}
"""Task → database, question, gold."""


MISSES: dict[str, tuple[str, ...]] = {
    "lund": (
        "SELECT city FROM customer WHERE city = 'Lund'",
        "SELECT name FROM customer WHERE city <> 'Lund'",
        "SELECT name FROM customer",
        "SELECT COUNT(*) FROM customer WHERE city = 'Lund'",
    ),
    "dear": (
        "SELECT COUNT(*) FROM product",
        "SELECT COUNT(*) FROM product WHERE price < 40",
        "SELECT title FROM product",
    ),
    "lamps": (
        "SELECT c.name, COUNT(*) FROM customer AS c JOIN purchase AS p ON p.customer_id = c.customer_id"
        " GROUP BY c.customer_id, c.name",
        "SELECT name, SUM(amount) FROM customer, purchase GROUP BY name",
    ),
    "north": (
        "SELECT title FROM course",
        "SELECT course.title FROM course JOIN room ON room.room_id = course.room_id WHERE room.building = 'south'",
        "SELECT building FROM room",
        "SELECT club.name FROM club JOIN room ON room.room_id = club.room_id WHERE room.building = 'north'",
    ),
    "eldest": (
        "SELECT name FROM student ORDER BY name",
        "SELECT name FROM teacher ORDER BY name",
        "SELECT born FROM student",
    ),
    "ungraded": (
        "SELECT COUNT(*) FROM enrolment",
        "SELECT COUNT(grade) FROM enrolment",
        "SELECT COUNT(*) FROM student",
    ),
}
"""Task → queries that are wrong."""


OUT = object()


@lru_cache(maxsize=1)
def folder() -> Path:
    """Return a folder with the two databases, made once a process."""
    place = Path(tempfile.mkdtemp(prefix="agentgym-sql-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    for name, script in {"shop": SHOP, "school": SCHOOL}.items():
        with closing(sqlite3.connect(place / f"{name}.sqlite")) as connection:
            connection.executescript(script)
    return place


def task(name: str, **more: Any) -> Task:
    """Return the task of a gold, with further or other data; an entry that is OUT is left out."""
    database, question, gold = GOLDS[name]
    data: dict[str, Any] = {"database": str(folder() / f"{database}.sqlite"), "question": question, "gold": gold}
    data = {**data, "ordered": name == "eldest", "misses": list(MISSES[name]), **more}
    return Task(name, {key: value for key, value in data.items() if value is not OUT})


def world(*names: str, **kwargs: Any) -> TextToSQLEnv:
    """Return a world of these tasks, or of all."""
    return TextToSQLEnv(tasks=[task(name) for name in names or GOLDS], **kwargs)
