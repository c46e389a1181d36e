"""How a statement is run: in which room, with which connection kept, and what it leaves behind."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sql_hostile import NUMBERS, make_database
from sql_twin import Unguarded

from agentgym.envs.text_to_sql import engine as engines
from agentgym.envs.text_to_sql import sqlite_engine, sqlite_reader
from agentgym.envs.text_to_sql.engine import Engine, EngineFailure, open_engine
from agentgym.envs.text_to_sql.result import BUDGET, DENIED, KINDS, LIMIT, ROWS
from agentgym.envs.text_to_sql.sqlite_engine import SQLiteEngine
from agentgym.envs.text_to_sql.sqlite_reader import GROWING, LONG, MIDDLE, PLAIN, Room, Run

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = make_database(tmp_path_factory.mktemp("reader") / "r.sqlite")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE page(title TEXT, body TEXT)")
        connection.executemany("INSERT INTO page VALUES (?, ?)", [(f"p{i}", "word " * (i * 300)) for i in range(12)])
        connection.execute("INSERT INTO page VALUES ('vast', ?)", ["x" * 70_000])
        connection.commit()
    return path


@pytest.fixture
def engine(path: str) -> SQLiteEngine:
    engine = open_engine(path)
    assert isinstance(engine, SQLiteEngine)
    engine.close()  # nothing is known from other tests
    return engine


def room(engine: SQLiteEngine, query: str) -> Room:
    """Return the room in which a query that was run is run again."""
    known = engine._known[query]
    assert isinstance(known, Run)
    return known.room


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT b FROM t WHERE b LIKE '%9%'", PLAIN),
        ("SELECT title FROM page WHERE title LIKE 'p%'", PLAIN),
        ("SELECT upper(b), substr(b, 2) FROM t", PLAIN),
        ("SELECT b || v FROM t", PLAIN),
        ("SELECT b || v FROM t WHERE b LIKE 'n%'", GROWING),
        ("SELECT b || body FROM t, page WHERE title = 'p2' LIMIT 3", MIDDLE),  # 3,000 bytes are joined
        ("SELECT replace(b, 'n', 'm') FROM t", GROWING),  # found when it is prepared
        ("SELECT hex(b), printf('%d', v) FROM t", GROWING),
        ("SELECT title FROM page WHERE body LIKE '%word%'", LIMIT),
        ("SELECT title FROM page WHERE title <> 'vast' AND length(body) > 6000", LONG),
        ("SELECT title FROM page WHERE title <> 'vast' AND body LIKE '%word%'", LONG),
        ("SELECT group_concat(b) FROM t", LONG),  # 1000 names are longer than 4 KiB
        ("SELECT group_concat(b) FROM t WHERE a < 100", MIDDLE),  # and a hundred longer than 512 bytes
        ("SELECT count(body) FROM page WHERE title = 'p2'", MIDDLE),  # 3,000 bytes
        ("SELECT body FROM page WHERE title = 'p3'", LONG),  # 4,500
    ],
)
def test_the_room_that_a_statement_needs(engine: SQLiteEngine, query: str, expected: Room | str) -> None:
    result = engine.run(query)
    if isinstance(expected, str):
        assert result.kind == expected
    else:
        assert result.kind == ROWS and room(engine, query) is expected
        assert engine.run(query) == result
        assert result.rows == unguarded(engine.path, query)


def unguarded(path: str, query: str) -> tuple[tuple[object, ...], ...]:
    twin = Unguarded(path)
    try:
        return twin.run(query).rows
    finally:
        twin.close()


def test_spellings_share_what_is_prepared(engine: SQLiteEngine) -> None:
    first = engine.run("SELECT 1 + 1")
    for again in ("SELECT 1 + 1;", " SELECT 1 + 1 -- two", "/* x */ SELECT 1 + 1 ;;"):
        assert engine.run(again) == first
        assert engine._known[again] is engine._known["SELECT 1 + 1"]


def test_what_is_known_is_bounded(engine: SQLiteEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_engine, "KNOWN", 20_000)
    for number in range(200):
        assert engine.run(f"SELECT {number}").rows == ((number,),)
        assert len(engine._known) <= 2 * 20
    engine.run("x" * 20_000)
    assert not any(len(query) > 16_384 for query in engine._known)


def test_a_text_that_is_not_utf8_changes_nothing_for_the_next(engine: SQLiteEngine) -> None:
    assert engine.run("SELECT x FROM odd").rows == (("�A",),)
    assert engine.run("SELECT b FROM t WHERE a = 3").rows == (("name3",),)
    assert engine._readers[False]._connection.text_factory is str


def test_errors_in_the_middle_of_a_result_leave_the_connection_usable(engine: SQLiteEngine) -> None:
    for _ in range(3):
        assert engine.run("SELECT abs(a - 9223372036854775807 - 1 - 500) FROM t").message == "integer overflow"
        assert engine.run(f"{NUMBERS}SELECT n FROM c").kind == LIMIT
        assert engine.run("SELECT count(*) FROM t, t b, t c").kind == BUDGET
        assert engine.run("SELECT count(*) FROM t").rows == ((1000,),)


def test_a_wide_character_makes_all_of_a_text_wide(engine: SQLiteEngine) -> None:
    """300 texts of 60,000 characters are 18 million bytes as ASCII, and 72 million with one emoji in each."""
    query = (
        "WITH b AS MATERIALIZED (SELECT 'X' || replace(printf('%600d', 0), ' ', '" + "a" * 100 + "') v), n(i) AS "
        "(SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 300) SELECT v FROM b, n"
    )
    assert engine.run(query).kind == ROWS
    assert engine.run(query.replace("X", "\U0001f600")).kind == LIMIT


def test_the_fence_is_a_failure_and_not_the_querys(engine: SQLiteEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_reader, "FENCE", -1.0)
    with pytest.raises(EngineFailure, match="still computes after"):
        engine.run("SELECT count(*) FROM t a, u b WHERE a.a < 100 AND a.b < b.w")
    monkeypatch.undo()
    assert engine.run("SELECT count(*) FROM t a, u b WHERE a.a < 100 AND a.b < b.w").kind == ROWS


def test_the_fence_counts_from_the_start_of_each_statement(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A statement whose functions count steps before SQLite looks is not measured from an earlier statement's start."""
    engine = open_engine(path, budget=1_000_000)
    monkeypatch.setattr(sqlite_reader, "FENCE", 1.0)
    busy = f"SELECT max(date(n)) FROM ({NUMBERS}SELECT n FROM c LIMIT 9000)"
    assert engine.run(busy).kind == ROWS
    clock = time.thread_time
    monkeypatch.setattr(time, "thread_time", lambda: clock() + 100)
    assert engine.run(busy.replace("9000", "9001")).kind == ROWS


def test_the_oldest_engine_is_closed_when_many_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "MOST_KEPT", len(engines._KEPT) + 2)
    made = [open_engine(make_database(tmp_path / f"{number}.sqlite")) for number in range(3)]
    kept = [engine for _, engine in engines._KEPT.values()]
    assert made[1] in kept and made[2] in kept
    for engine in made:  # whoever holds one that was closed can go on with it
        assert engine.run("SELECT count(*) FROM t").rows == ((1000,),)
        engine.close()


FORKING = """
import os, sys, threading
from agentgym.envs.text_to_sql.engine import open_engine
engine, stop, codes = open_engine(sys.argv[1]), threading.Event(), []
def ask():
    while not stop.is_set():
        engine.run("SELECT sum(a.v) FROM t a JOIN u ON u.id = a.a")
threads = [threading.Thread(target=ask) for _ in range(2)]
for thread in threads:
    thread.start()
for _ in range(6):
    child = os.fork()
    if not child:
        os._exit(0 if engine.run("SELECT count(*) FROM t").rows == ((1000,),) else 1)
    codes.append(os.waitpid(child, 0)[1])
stop.set()
for thread in threads:
    thread.join()
print(codes)
"""


def test_forking_while_threads_ask(path: str) -> None:
    """A fork waits for the threads' queries, so that no lock inside SQLite stays taken in the child."""
    command = [sys.executable, "-c", FORKING, path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, cwd=ROOT)
    assert done.stdout.strip() == str([0] * 6), done.stderr


@pytest.mark.parametrize("seed", ["0", "4242"])
def test_results_are_the_same_in_another_process(engine: SQLiteEngine, seed: str) -> None:
    queries = (
        "SELECT v, group_concat(b) FROM t GROUP BY v", "SELECT DISTINCT v FROM t", "SELECT * FROM t, u LIMIT 50",
        "SELECT b FROM t UNION SELECT w FROM u LIMIT 20", "SELECT sum(a * 0.1), avg(v) FROM t", "SELECT nope",
        "SELECT date('now', '+3 days')",
    )  # fmt: skip
    script = (
        "import sys\nfrom agentgym.envs.text_to_sql.engine import open_engine\n"
        "engine = open_engine(sys.argv[1])\nfor query in sys.argv[2:]:\n    print(engine.run(query))\n"
    )
    environment = {"PYTHONHASHSEED": seed, "TZ": "Pacific/Auckland", "LC_ALL": "C", "PYTHONUTF8": "1"}
    command = [sys.executable, "-c", script, engine.path, *queries]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env=environment)
    assert done.stdout.splitlines() == [repr(engine.run(query)) for query in queries]


@given(st.text(max_size=60))
def test_any_text_has_an_outcome(path: str, text: str) -> None:
    engine: Engine = open_engine(path)
    for query in (text, f"SELECT {text}", f"SELECT b FROM t WHERE {text}", f"SELECT '{text}'"):
        assert engine.run(query).kind in KINDS


@given(st.binary(max_size=40))
def test_any_bytes_as_a_text_come_back(path: str, raw: bytes) -> None:
    result = open_engine(path).run(f"SELECT CAST(x'{raw.hex()}' AS TEXT), x'{raw.hex()}', length(x'{raw.hex()}')")
    assert result.rows == ((raw.decode("utf-8", "replace"), raw, len(raw)),)


@pytest.mark.parametrize(
    "use",
    [
        "SELECT i FROM x, n ORDER BY v COLLATE NOCASE, i * 7 % 4001 LIMIT 3000",
        "SELECT count(*) FROM (SELECT DISTINCT v COLLATE NOCASE, i FROM x, n)",
        "SELECT count(*) FROM (SELECT i FROM x, n GROUP BY v COLLATE NOCASE, i)",
    ],
)
def test_sorting_vast_texts_costs_more_than_its_steps(engine: SQLiteEngine, use: str) -> None:
    """5,000 texts of 900 × 72 characters, all equal but for their case: some 5 seconds if a step cost what it does."""
    vast = f"SELECT replace(printf('%900d', 0), ' ', '{'a' * 72}') v"
    many = "n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000)"
    query = f"WITH b AS MATERIALIZED ({vast}), x AS MATERIALIZED (SELECT v FROM b), {many} {use}"
    start = time.process_time()
    assert engine.run(query).kind == BUDGET
    assert time.process_time() - start < 3  # loose: it takes some hundredths of a second


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a database of 40 texts of 500 bytes, 40 of 4,000 and 40 of 60,000."""
    path = tmp_path_factory.mktemp("pages") / "p.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        for name, size in (("short", 500), ("middling", 4_000), ("vast", 60_000)):
            connection.execute(f"CREATE TABLE {name}(x TEXT)")
            connection.executemany(f"INSERT INTO {name} VALUES (?)", [(f"{i:02}".rjust(size, "x"),) for i in range(40)])
        connection.commit()
    return str(path)


@pytest.mark.parametrize("use", ["a.x < b.x", "a.x < b.x COLLATE NOCASE"])
@pytest.mark.parametrize(
    ("table", "times", "least", "most"), [("short", 1, 1, 1), ("middling", 8, 6, 10), ("vast", 128, 96, 160)]
)
def test_a_step_costs_as_much_as_the_texts_are_long(
    pages: str, use: str, table: str, times: int, least: int, most: int
) -> None:
    """40 × 40 comparisons are some ten thousand steps: a budget so many times theirs is enough, a smaller one is not.

    The price is the room's longest text / 512; looks at a hundredth of the budget make the border a little wide.
    """

    def enough(budget: int, table: str) -> bool:
        engine = open_engine(pages, budget=budget)
        kind = engine.run(f"SELECT count(*) FROM {table} a, {table} b WHERE {use}").kind
        assert kind in (ROWS, BUDGET)
        return kind == ROWS

    steps = next(budget for budget in range(1_000, 100_000, 500) if enough(budget, "short"))
    assert 1_600 < steps < 20_000
    assert PLAIN.longest * times == {"short": PLAIN, "middling": MIDDLE, "vast": LONG}[table].longest
    assert enough(steps * most, table)
    assert times == 1 or not enough(steps * least, table)


def test_a_known_statement_comes_to_the_same_by_the_short_way(engine: SQLiteEngine) -> None:
    # 512 bytes of longest text, four a character, two columns: 32 MiB hold 8,192 rows, so the rest is fetched after.
    many = "SELECT x.a, y.b FROM t x, t y WHERE x.a < 10 LIMIT 9000"
    few = "SELECT b FROM t WHERE a = 3"
    first = [engine.run(query) for query in (many, few)]
    assert len(first[0].rows) == 9000 and {many, few} <= engine._again.keys()
    assert [engine.run(query) for query in (many, few)] == first
    for number in range(sqlite_reader.STATEMENTS + 1):  # few is no longer kept prepared, so its guard is asked anew
        engine.run(f"SELECT {number}")
    assert engine.run("SELECT random()").kind == DENIED  # and says nothing about it
    assert [engine.run(query) for query in (many, few)] == first


def test_what_asks_the_clock_or_is_refused_takes_the_long_way(engine: SQLiteEngine) -> None:
    queries = ("SELECT date('now')", "SELECT a, b FROM t x, t y", "SELECT nope FROM t", "DROP TABLE t")
    first = [engine.run(query) for query in queries]
    assert [engine.run(query) for query in queries] == first
    assert not engine._again.keys() & set(queries)


def test_a_known_statement_that_finds_no_end_is_the_machinerys_failure(
    engine: SQLiteEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = "SELECT count(*) FROM t x, t y WHERE x.a < 100 AND x.a + y.a > 0"  # 100,000 pairs: looks at the budget
    first = engine.run(query)
    assert query in engine._again
    monkeypatch.setattr(sqlite_reader, "FENCE", 0.0)
    with pytest.raises(EngineFailure, match="still computes"):
        engine.run(query)
    monkeypatch.undo()
    assert engine.run(query) == first
