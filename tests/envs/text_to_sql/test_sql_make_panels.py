"""How the shipped panel is made: databases as files, wrong queries verified, duplicates and splits."""

from __future__ import annotations

import gzip
import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from agentgym.envs.text_to_sql.engine import open_engine
from agentgym.envs.text_to_sql.shipped import make_panels, misses
from agentgym.envs.text_to_sql.shipped.families import Database, Family, Question, Rows
from agentgym.rng import TurnRng

SCHEMA = """
CREATE TABLE club (id INTEGER PRIMARY KEY, name TEXT NOT NULL, town TEXT);
CREATE TABLE runner (id INTEGER PRIMARY KEY, club_id INTEGER NOT NULL REFERENCES club (id), age INTEGER, time REAL);
"""
COUNT = Family(
    "count", "easy", ("How many runners older than {n} run for {name}?",),
    "SELECT COUNT(DISTINCT r.id) AS runners FROM runner AS r JOIN club AS c ON c.id = r.club_id"
    " WHERE c.name = {name} AND r.age > {n}",
    {"name": ("North", "South"), "n": (20, 40)},
)  # fmt: skip
NOBODY = Family("nobody", "easy", ("Who is older than {n}?",), "SELECT id FROM runner WHERE age > {n}", {"n": (900,)})


def fill(rng: TurnRng) -> dict[str, Rows]:
    clubs: Rows = [(1, "North", "Ely"), (2, "South", None)]
    return {"club": clubs, "runner": [(n, 1 + rng.integers(2), rng.integers(80), 0.5 * n) for n in range(1, 60)]}


TOY = cast(Database, SimpleNamespace(NAME="toy", SCHEMA=SCHEMA, fill=fill, FAMILIES=(COUNT, NOBODY)))


@pytest.fixture
def made() -> Iterator[list[sqlite3.Connection]]:
    with make_panels.fillings(TOY) as connections:
        yield connections


def test_a_database_is_one_small_file_and_the_same_each_time(tmp_path: Path) -> None:
    first, second = tmp_path / "first.sqlite", tmp_path / "second.sqlite"
    make_panels.write_database(TOY, first)
    make_panels.write_database(TOY, second)
    make_panels.write_database(TOY, second)  # over one that is there
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first.sqlite", "second.sqlite"]  # no journal
    assert first.read_bytes() == second.read_bytes()
    assert first.read_bytes()[16:18] == (1024).to_bytes(2, "big")  # SQLite's header: the page size
    assert open_engine(first).content == open_engine(second).content


def test_questions_are_those_that_hold_in_all_fillings(made: list[sqlite3.Connection]) -> None:
    found = make_panels.asked(TOY, made)
    assert len(found) == 3  # COUNT.count; nobody is older than 900
    assert {question.id.split("/")[1] for question in found} == {"count"}


def question(gold: str) -> Question:
    return Question("toy/q/1", "toy", "easy", "How many runners older than 20 run for North?", "", gold)


@pytest.mark.parametrize(
    ("query", "wrong"),
    [
        ("SELECT COUNT(*) FROM runner", True),
        ("SELECT COUNT(*) AS n FROM runner WHERE club_id = 1 AND 20 < age", False),
        ("SELECT 'North', COUNT(*) FROM runner WHERE club_id = 1 AND age > 20", False),  # a column more: Defog's rule
        ("SELECT COUNT(id) FROM runner WHERE club_id = 1 AND age > 20 LIMIT 0", True),
        # every value of DISTINCT age is another count, but without DISTINCT it is the gold's: Spider's rule
        ("SELECT COUNT(DISTINCT age) FROM runner WHERE club_id = 1 AND age > 20", False),
    ],
)
def test_what_passes_for_the_gold_is_no_miss(made: list[sqlite3.Connection], query: str, wrong: bool) -> None:
    gold = "SELECT COUNT(DISTINCT id) FROM runner WHERE club_id = 1 AND age > 20"
    assert misses.is_wrong(misses.results(gold, made), misses.results(query, made)) is wrong


def test_it_must_differ_in_every_filling(made: list[sqlite3.Connection]) -> None:
    gold = misses.results("SELECT COUNT(*) FROM runner WHERE club_id = 1", made)
    counts = [rows[0][0] for rows, _ in gold]
    luck = misses.results(f"SELECT {counts[1]}", made)  # right in the second filling alone
    assert len(set(counts)) == 3
    assert not misses.is_wrong(gold, luck)


def test_queries_that_fail_or_give_too_much_have_no_results(made: list[sqlite3.Connection]) -> None:
    assert misses.results("SELECT nothing FROM runner", made) == []
    assert misses.results("SELECT a.id FROM runner AS a, runner AS b, runner AS c", made) == []  # 59 ** 3 rows
    forever = "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT COUNT(*) FROM n"
    assert misses.results(forever, made) == []


def test_misses_of_a_question_are_wrong_and_distinct(tmp_path: Path, made: list[sqlite3.Connection]) -> None:
    make_panels.write_database(TOY, tmp_path / "toy.sqlite")
    tables = open_engine(tmp_path / "toy.sqlite").tables()
    values = misses.values_of(tables, made[0])
    assert values["club", "name"] == ["North", "South"] and values["club", "town"] == ["Ely"]
    assert ("club", "id") not in values
    asked = make_panels.asked(TOY, made)[0]
    found = misses.menu_misses(asked, made, tables, values)
    golds = misses.results(asked.gold, made)
    assert len(found) >= make_panels.FEWEST_MISSES and len(set(found)) == len(found)
    assert all(misses.is_wrong(golds, misses.results(query, made)) for query in found)
    assert found == misses.menu_misses(asked, made, tables, values)


def entry(number: int, question: str = "", gold: str = "SELECT 1", **other: Any) -> dict[str, Any]:
    made = {"id": f"toy/q/{number}", "database": "toy", "question": question or f"Which {number}?", "gold": [gold]}
    return {**made, "difficulty": "easy", **other}


def test_a_text_and_a_gold_occur_once() -> None:
    entries = [entry(1), entry(2, "which, 1?"), entry(3), entry(4), entry(5, database="other")]
    forms = {"toy/q/1": "a", "toy/q/2": "b", "toy/q/3": "a", "toy/q/4": "c", "toy/q/5": "a"}
    # 2 has the text of 1, 3 its gold; the gold of 5 is that of 1 in another database
    assert [one["id"][-1] for one in make_panels.distinct(entries, forms)] == ["1", "4", "5"]


def test_no_skeleton_is_too_common() -> None:
    golds = [f"SELECT a FROM t WHERE b = {number}" for number in range(20)]
    golds += [f"SELECT a{', a' * number} FROM t" for number in range(100)]
    entries = [entry(number, gold=gold) for number, gold in enumerate(golds)]
    kept = make_panels.uncommon(entries)
    # 2.5 % of 120 are 3: of the first twenty, which have one skeleton, three stay
    assert len(kept) == 103
    assert sum(one["gold"][0].endswith("FROM t") for one in kept) == 100
    assert [one["id"] for one in kept] == [one["id"] for one in entries if one in kept]


def test_splits_have_their_shares_and_unseen_databases_are_whole() -> None:
    entries = [
        entry(100 * place + number, database=name, difficulty=level)
        for place, (name, level) in enumerate((name, level) for name in "abcdef" for level in ("easy", "hard"))
        for number in range(20)
    ]
    make_panels.place(entries)
    for name in "abcdef":
        # of 20 evenly spread marks 12, 3 and 5 fall into 60, 15 and 25 per cent, one more or less at the borders
        counts = Counter(one["split"] for one in entries if one["database"] == name and one["difficulty"] == "hard")
        assert 11 <= counts["train"] <= 13 and 2 <= counts["dev"] <= 4 and 4 <= counts["test"] <= 6
    unseen = {name: {one["unseen"] for one in entries if one["database"] == name} for name in "abcdef"}
    assert sorted(split for splits in unseen.values() for split in splits) == ["dev"] + ["test"] * 3 + ["train"] * 2


def test_the_file_holds_no_time_and_reads_back() -> None:
    entries = [entry(1, "Où?"), entry(2)]
    assert make_panels.packed(entries) == make_panels.packed(entries)
    assert json.loads(gzip.decompress(make_panels.packed(entries))) == entries
    assert make_panels.packed(entries)[4:8] == bytes(4)  # gzip's header: the time


def test_unknown_databases_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        make_panels.main(["musuem"])
    assert "unknown database 'musuem'; did you mean 'museum'?" in capsys.readouterr().err
