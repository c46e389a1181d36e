"""Readers of public data: small folders in each layout, good and bad, and the real sets where they are at hand."""

from __future__ import annotations

import csv
import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlglot

from agentgym import data
from agentgym.data import Source
from agentgym.envs.text_to_sql import sources
from agentgym.envs.text_to_sql.engine import BUDGET, open_engine
from agentgym.envs.text_to_sql.scorers import is_right, make_gold
from agentgym.envs.text_to_sql.sources import USAGE, load_source
from agentgym.envs.text_to_sql.sources.defog import choices, statements
from agentgym.errors import DataError

PLACE = os.environ.get("AGENTGYM_REFERENCE", "")
reference = pytest.mark.skipif(not PLACE, reason="AGENTGYM_REFERENCE names no folder with public data")

SINGERS = "CREATE TABLE singer (name TEXT, age INTEGER); INSERT INTO singer VALUES ('Ana', 30), ('Bo', 41), ('Cy', 41);"
COUNT = {"db_id": "concert", "question": "How many singers are there?", "query": "SELECT count(*) FROM singer"}
AGES = {"db_id": "concert", "question": "Names by age?", "query": "SELECT name FROM singer ORDER BY age"}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTGYM_CACHE", str(tmp_path / "cache"))


def database(path: Path, script: str = SINGERS) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as made:
        made.executescript(script)


def write(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")


def table(path: Path, header: list[str], *rows: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows([header, *rows])


def ids(source: Source) -> dict[str, list[str]]:
    return {split: [task.id for task in source.panel[split]] for split in source.panel}


def problems(source: Source) -> list[str]:
    return [str(problem) for problem in source.problems]


# ---- Spider ------------------------------------------------------------------------------------------------------


@pytest.fixture
def spider(tmp_path: Path) -> Path:
    folder = tmp_path / "spider"
    write(folder / "tables.json", [])
    write(folder / "dev.json", [COUNT, AGES])
    write(folder / "train_spider.json", [COUNT])
    write(folder / "train_others.json", [AGES])
    write(folder / "test.json", [{**COUNT, "db_id": "hidden"}])
    database(folder / "database/concert/concert.sqlite")
    database(folder / "test_database/hidden/hidden.sqlite")
    return folder


def test_spiders_layout(spider: Path) -> None:
    source = data.read("spider", spider)
    assert ids(source) == {"train": ["train_spider-0", "train_others-0"], "dev": ["dev-0", "dev-1"], "test": ["test-0"]}
    assert not source.problems and source.items == 5
    path = "database/concert/concert.sqlite"
    assert source.panel.task("dev-1").data == {
        "database": path,
        "content": data.file_hash(spider / path),
        "question": "Names by age?",
        "evidence": "",
        "difficulty": "",
        "category": "",
        "gold": ["SELECT name FROM singer ORDER BY age"],
        "ordered": True,
        "gold_rows": "",  # Bo and Cy are of one age
    }
    assert len(source.panel.task("dev-0").data["gold_rows"]) == 32
    assert set(source.files) == {path, "test_database/hidden/hidden.sqlite"}
    assert source.files[path] == data.file_hash(spider / path) == open_engine(spider / path).content
    open_engine(spider / path).close()


def test_what_is_wrong_with_an_item_is_said_and_the_rest_plays(spider: Path) -> None:
    (spider / "database/broken").mkdir()
    (spider / "database/broken/broken.sqlite").write_bytes(b"SQLite format 3\0" + b"\xff" * 2000)
    database(spider / "database/empty/empty.sqlite", "CREATE TABLE t (a); DROP TABLE t;")
    write(
        spider / "dev.json",
        [
            COUNT,
            {**COUNT, "db_id": "nowhere"},
            {**COUNT, "db_id": "broken"},
            {**COUNT, "db_id": "empty"},
            {**COUNT, "db_id": "../database/concert"},
            {**COUNT, "db_id": "日" * 128},  # a name of 384 bytes, which no file can have
            {**COUNT, "query": "SELECT count(*) FROM singers"},
            {**COUNT, "query": "DELETE FROM singer"},
            {**COUNT, "query": " \n"},
            {**COUNT, "question": ""},
            {"db_id": "concert", "question": "How many?", "sql": "SELECT 1"},
            {**COUNT, "query": ["SELECT", "1"]},
            "SELECT 1",
            {**COUNT, "query": "SELECT name FROM singer WHERE age > 50"},
            AGES,
        ],
    )
    source = data.read("spider", spider)
    assert ids(source)["dev"] == ["dev-0", "dev-13", "dev-14"] and source.items == 18
    said = {problem.item.partition(" ")[2]: str(problem) for problem in source.problems}
    assert len(said) == len(source.problems) == 13
    assert said["1"] == (
        "dev.json, question 1: its database database/nowhere/nowhere.sqlite is missing; unpack it there again"
    )
    assert said["2"].startswith("dev.json, question 2: its database database/broken/broken.sqlite cannot be read (")
    assert said["3"].endswith("empty.sqlite' holds no table); unpack it there again")
    assert "'../database/concert' is no name of a database" in said["4"]
    assert ".sqlite is missing" in said["5"]
    assert "its gold does not run (sql_error: " in said["6"] and "singers" in said["6"]
    assert "its gold does not run (sql_denied: " in said["7"]
    assert "it holds no gold query; write one, or leave the item out" in said["8"]
    assert "it holds no question" in said["9"]
    assert "it has no 'query', but 'db_id', 'question', 'sql'" in said["10"]
    assert "its 'query' is ['SELECT', '1'], no text" in said["11"]
    assert "it is 'SELECT 1', no object" in said["12"]
    assert said["13"].endswith("leave it out if that is not wanted (it plays)")
    assert [problem.item for problem in source.problems if problem.plays] == ["question 13"]
    with closing(sqlite3.connect(spider / "database/concert/concert.sqlite")) as left:
        assert left.execute("SELECT count(*) FROM singer").fetchone() == (3,)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '[{"db_id": "concert",\n "question": ',
            r"train_spider\.json, line 2, column 14: this is no JSON \(Expecting value",
        ),
        ('{"db_id": "concert"}', r"train_spider\.json: it holds a JSON dict, no list of questions; download it again"),
        ("[" * 100_000, r"train_spider\.json: it is no JSON \("),
        ("", r"train_spider\.json, line 1, column 1: this is no JSON"),
    ],
)
def test_a_malformed_file_leaves_the_others(text: str, said: str, spider: Path) -> None:
    write(spider / "train_spider.json", text)
    source = data.read("spider", spider)
    assert ids(source)["train"] == ["train_others-0"]
    with pytest.raises(DataError, match=said):
        raise DataError(*problems(source))


def test_a_file_that_is_no_text_leaves_the_others(spider: Path) -> None:
    (spider / "dev.json").write_bytes(b'[{"db_id": "\xff"}]')
    source = data.read("spider", spider)
    assert set(source.panel) == {"train", "test"}
    assert problems(source)[0].startswith("dev.json: it is no JSON ('utf-8' codec can't decode byte 0xff")


def test_a_folder_without_questions_is_refused(tmp_path: Path) -> None:
    for kind, said in (("spider", "train_spider.json"), ("bird", "neither train.json nor"), ("defog", "questions_gen")):
        with pytest.raises(DataError, match=said):
            data.read(kind, tmp_path)


# ---- BIRD --------------------------------------------------------------------------------------------------------

FREE = {
    "question_id": 7,
    "db_id": "schools",
    "question": "How many are free?",
    "evidence": "free means fee = 0",
    "SQL": "SELECT count(*) FROM school WHERE fee = 0",
    "difficulty": "simple",
}
SCHOOLS = "CREATE TABLE school (name TEXT, fee REAL); INSERT INTO school VALUES ('A', 0), ('B', 9.5);"


def test_birds_layout(tmp_path: Path) -> None:
    dev = tmp_path / "dev_20240627"
    write(dev / "dev.json", [FREE, {**FREE, "question_id": 8, "SQL": "SELECT name FROM school ORDER BY fee LIMIT 1"}])
    database(dev / "dev_databases/schools/schools.sqlite", SCHOOLS)
    untold = {key: FREE[key] for key in ("db_id", "question", "SQL")} | {"evidence": None}
    write(tmp_path / "train/train.json", [untold])
    database(tmp_path / "train/train_databases/schools/schools.sqlite", SCHOOLS)
    source = data.read("bird", tmp_path)
    assert ids(source) == {"train": ["train-0"], "dev": ["dev-7", "dev-8"]} and not source.problems
    held = source.panel.task("dev-7").data
    assert (held["evidence"], held["difficulty"], held["gold"]) == ("free means fee = 0", "simple", [FREE["SQL"]])
    assert held["database"] == "dev_20240627/dev_databases/schools/schools.sqlite"
    assert source.panel.task("dev-8").data["ordered"]
    assert source.panel.task("train-0").data["evidence"] == ""


def test_a_double_id_and_a_wrong_one_are_said(tmp_path: Path) -> None:
    write(
        tmp_path / "dev.json",
        [FREE, {**FREE, "SQL": "SELECT 1"}, {**FREE, "question_id": [1]}, {**FREE, "question_id": "x"}],
    )
    database(tmp_path / "dev_databases/schools/schools.sqlite", SCHOOLS)
    source = data.read("bird", tmp_path)
    assert ids(source) == {"dev": ["dev-7", "dev-x"]} and source.items == 4
    assert problems(source) == [
        "dev.json, question 2: its 'question_id' is [1]; write a number there",
        "dev.json, question 1: its id 'dev-7' is that of dev.json, question 0; give it an id of its own",
    ]


# ---- Defog -------------------------------------------------------------------------------------------------------

HEADER = ["db_name", "db_type", "query_category", "query", "question", "instructions"]


def test_defogs_layout(tmp_path: Path) -> None:
    database(tmp_path / "music.sqlite")
    database(tmp_path / "sqlite_dbs/old.db")
    several = "SELECT name FROM singer WHERE age = 30; SELECT name, age FROM singer WHERE age = 30;"
    braced = "SELECT {name, age}, count(*) FROM singer GROUP BY {};"
    table(
        tmp_path / "questions_gen_sqlite.csv",
        HEADER,
        ["music", "sqlite", "instruct", several, "Who, with a comma?", "Names\nas they are"],
        ["old", "sqlite", "group_by", braced, "How many?", ""],
        ["music", "sqlite", "order_by", "SELECT name FROM singer ORDER BY age", "By age", ""],
        ["music", "sqlite", "group_by", "SELECT name FROM singer ORDER BY age", "By age", ""],
        ["music", "sqlite", "date_functions", "SELECT date('now', '-1 day')", "Which day was yesterday?", ""],
    )
    table(tmp_path / "instruct_basic_sqlite.csv", HEADER[:5], ["music", "sqlite", "x", "SELECT 1", "One, sorted?"])
    source = data.read("defog", tmp_path)
    assert ids(source) == {"test": [*(f"questions_gen-{row}" for row in range(5)), "instruct_basic-0"]}
    assert not source.problems
    held = [task.data for task in source.panel["test"]]
    assert held[0]["gold"] == [part.strip() for part in several.split(";")[:2]]
    assert (held[0]["evidence"], held[0]["category"]) == ("Names\nas they are", "instruct")
    assert held[1]["gold"] == [
        "SELECT name, count(*) FROM singer GROUP BY name",
        "SELECT age, count(*) FROM singer GROUP BY age",
        "SELECT name, age, count(*) FROM singer GROUP BY name, age",
    ]
    assert held[1]["database"] == "sqlite_dbs/old.db"
    assert [task["ordered"] for task in held] == [False, False, True, False, False, False]
    # The clock stands at 2025-01-30 in every engine.
    yesterday = make_gold(["SELECT '2025-01-29'"], open_engine(tmp_path / "music.sqlite"))
    assert held[4]["gold_rows"] == yesterday.hash
    open_engine(tmp_path / "music.sqlite").close()


def test_wrong_rows_and_columns_of_defogs_files_are_said(tmp_path: Path) -> None:
    database(tmp_path / "music.sqlite")
    table(
        tmp_path / "questions_gen_sqlite.csv",
        HEADER,
        ["music", "sqlite", "x", "SELECT 1", "One?"],
        ["music", "sqlite", "x", "SELECT 1", "One?", "", "more"],
        ["music", "sqlite", "x", "SELECT other; SELECT 2", "Two?", ""],
        ["music", "sqlite", "x", ";;", "None?", ""],
        ["music", "sqlite", "x", "SELECT {a,b,c,d,e,f,g,h} FROM t", "All?", ""],
        ["", "sqlite", "x", "SELECT 1", "Where?", ""],
    )
    table(
        tmp_path / "instruct_basic_sqlite.csv",
        ["db_name", "query_category", "querry", "question"],
        ["music", "x", "1", "?"],
    )
    (tmp_path / "instruct_advanced_sqlite.csv").write_bytes(
        b"db_name,query_category,query,question\nmusic,x,SELECT 1,\xff\n"
    )
    source = data.read("defog", tmp_path)
    assert ids(source) == {"test": ["questions_gen-2"]} and source.items == 6
    assert source.panel.task("questions_gen-2").data["gold"] == ["SELECT 2"]
    assert sorted(problems(source)) == [
        "instruct_advanced_sqlite.csv, row 0: it cannot be read, nor what follows it "
        "('utf-8' codec can't decode byte 0xff in position 55: invalid start byte); mend it",
        "instruct_basic_sqlite.csv, header: unknown column 'query'; did you mean 'querry'? "
        "known: db_name, query_category, querry, question; name the column 'query'",
        "questions_gen_sqlite.csv, row 0: it has fewer fields than the header; put texts with commas into quotes",
        "questions_gen_sqlite.csv, row 1: it has more fields than the header; put texts with commas into quotes",
        "questions_gen_sqlite.csv, row 2: its gold, one of several accepted queries, does not run "
        "(sql_error: no such column: other); mend the query, or leave the item out (it plays)",
        "questions_gen_sqlite.csv, row 3: it holds no gold query; write one, or leave the item out",
        "questions_gen_sqlite.csv, row 4: more than 7 columns stand in braces; put fewer there",
        "questions_gen_sqlite.csv, row 5: '' is no name of a database; name one of the set's",
    ]


def test_semicolons_in_quotes_part_nothing_and_braces_are_choices() -> None:
    assert statements("SELECT ';''' AS \"a;b\" ;\n SELECT 2;;") == ["SELECT ';''' AS \"a;b\"", "SELECT 2"]
    assert statements("SELECT 'open; SELECT 2") == ["SELECT 'open", "SELECT 2"]
    assert choices("SELECT 1") == ["SELECT 1"] and choices("SELECT {a FROM t") == ["SELECT {a FROM t"]
    assert choices("SELECT {a.x} FROM a") == ["SELECT a.x FROM a"]
    assert [query.count(",") for query in choices("{a, b, c}")] == [0, 0, 0, 1, 1, 1, 2]


# ---- finding a set -----------------------------------------------------------------------------------------------


def test_a_source_is_found_by_name_or_read_from_a_folder(spider: Path, tmp_path: Path) -> None:
    assert ids(load_source(folder=spider)) == ids(data.read("spider", spider))
    assert load_source(folder=str(spider)) is load_source(folder=spider)
    data.add("spider", spider, "mine")
    found = load_source("mine")
    assert found.panel.hash == load_source(folder=spider).panel.hash and found.kind in USAGE
    path = found.panel.task("dev-0").data["database"]
    assert found.file(path, "task 'dev-0'") == spider / path
    database(spider / path, "INSERT INTO singer VALUES ('Di', 19);")
    with pytest.raises(DataError, match=r"concert\.sqlite, needed by task 'dev-0', has changed since it was checked"):
        found.file(path, "task 'dev-0'")
    with pytest.raises(DataError, match="unknown data set 'mien'"):
        load_source("mien")
    for given in ({}, {"name": "mine", "folder": spider}):
        with pytest.raises(ValueError, match="give the name of a data set that was added, or a folder"):
            load_source(**given)
    with pytest.raises(DataError, match="has the layout of none of bird, defog, spider"):
        load_source(folder=tmp_path)
    with pytest.raises(DataError, match="nowhere is no folder: give the one that holds the files of a set"):
        load_source(folder=tmp_path / "nowhere")


def test_the_layout_tells_the_set(tmp_path: Path) -> None:
    write(tmp_path / "a/tables.json", [])
    (tmp_path / "b/dev_20240627/dev_databases").mkdir(parents=True)
    table(tmp_path / "c/instruct_basic_sqlite.csv", HEADER)
    assert [sources.kind_of(tmp_path / name) for name in "abc"] == ["spider", "bird", "defog"]


def test_a_set_of_another_world_is_refused(spider: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(data.SETS, "songs", data.SETS["spider"])
    data.add("songs", spider)
    with pytest.raises(ValueError, match="data set 'songs': unknown kind of questions over databases"):
        load_source("songs")


def test_every_set_of_this_world_has_a_usage() -> None:
    here = {kind for kind, known in data.SETS.items() if known.world == "agentgym/TextToSQL-v0"}
    assert here == set(USAGE)


# ---- the real sets -----------------------------------------------------------------------------------------------


@reference
def test_all_314_golds_of_defog_are_right_with_the_clock_frozen() -> None:
    source = data.read("defog", Path(PLACE, "data", "defog"))
    assert len(source.panel["test"]) == source.items == 314 and not source.problems
    opened = {}
    for task in source.panel["test"]:
        held = task.data
        for budget in (BUDGET, BUDGET - 1):  # two engines: one for accepted queries, one for predictions
            key = (held["database"], budget)
            opened.setdefault(key, open_engine(source.file(held["database"], task.id), budget=budget))
        engine = opened[held["database"], BUDGET]
        gold = make_gold(
            held["gold"], opened[held["database"], BUDGET - 1], question=held["question"], category=held["category"]
        )
        for query in held["gold"]:
            assert is_right("defog", gold, query, engine.run(query), engine), (task.id, query)
        assert held["ordered"] or gold.hash == held["gold_rows"]
    for engine in opened.values():
        engine.close()


@reference
@pytest.mark.parametrize(("kind", "key", "count"), [("spider", "query", 1034), ("bird", "SQL", 1534)])
def test_every_gold_of_spider_and_bird_parses(kind: str, key: str, count: int) -> None:
    items = json.loads(Path(PLACE, "data", kind, "dev.json").read_text("utf-8"))
    queries = [item[key] for item in items]
    assert len(queries) == count
    for query in queries:
        [parsed] = sqlglot.parse(query, read="sqlite")
        assert parsed is not None and parsed.find(sqlglot.exp.Select) is not None


@reference
@pytest.mark.parametrize(("kind", "count"), [("spider", 1034), ("bird", 1534)])
def test_questions_without_their_databases_are_each_reported(kind: str, count: int) -> None:
    told: list[tuple[int, int]] = []
    with pytest.raises(
        DataError, match=f"none of {count} items of {kind} plays; the first problem: dev.json, question 0"
    ):
        data.read(kind, Path(PLACE, "data", kind), progress=lambda *step: told.append(step))
    assert told == [(number + 1, count) for number in range(count)]
