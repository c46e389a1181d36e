"""The engine's functions give what SQLite's give, but for the clock and the zone; and their work is counted."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import islice, product
from pathlib import Path

import pytest
from sql_hostile import make_database

from agentgym.envs.text_to_sql import functions, guard
from agentgym.envs.text_to_sql.engine import Engine, open_engine
from agentgym.envs.text_to_sql.functions import METERED, still
from agentgym.envs.text_to_sql.result import BUDGET, DENIED, LIMIT, ROWS

TIMES = (
    "'2024-02-29'", "'2023-02-31'", "'2024-12-31 23:59:59.999'", "'2024-01-05T07:08'", "'07:08:09'", "'0000-01-01'",
    "'9999-12-31'", "'-1000-01-01'", "'2024-03-10 01:02:03+05:30'", "'2024-03-10 01:02:03Z'", "2451545", "2451545.25",
    "-1", "0", "1700000000", "1e18", "NULL", "''", "'noon'", "x'323032342d30312d3031'", "'2024-13-01'", "' 2024-1'",
)  # fmt: skip
CHANGES = (
    "", "'+1 day'", "'-13 months'", "'1.5 hours'", "'+2 years'", "'start of month'", "'start of year'", "'auto'",
    "'start of day'", "'weekday 0'", "'unixepoch'", "'julianday'", "'+01:30'", "'-2000-01-02'", "'START OF MONTH'",
    "'nonsense'", "NULL", "5", "'+1 day', 'start of month', '-1 day'", "'unixepoch', '+1 month'",
)  # fmt: skip
FORMATS = (
    "'%Y'", "'%Y-%m-%d'", "'%H:%M:%S'", "'%s'", "'%J'", "'%j %w %W'", "'%f'", "'%d%%'", "'%q'", "''", "NULL", "7",
)  # fmt: skip
TEXTS = (
    "'abc'", "'aBc ÄÖ'", "''", "NULL", "12", "-0.5", "x'00ff41'", "'%_x'", "'a''b'", "'  pad '", "'日本語'", "9e999",
)  # fmt: skip
CALLS = (
    "lower({0})", "upper({0})", "length({0})", "hex({0})", "quote({0})", "unicode({0})", "soundex({0})", "trim({0})",
    "trim({0}, {1})", "ltrim({0}, {1})", "rtrim({0}, {1})", "instr({0}, {1})", "replace({0}, {1}, {2})", "{0} LIKE {1}",
    "{0} GLOB {1}", "{0} LIKE {1} ESCAPE 'x'", "substr({0}, 2)", "substr({0}, -2, {1})", "char({0}, 65, 955)",
    "printf('%s|%5d|%.2f', {0}, {1}, {2})", "json_valid({0})", "printf({0}, {1})", "{0} || {1}",
    "json_extract('{{\"a\": [1, \"x\", null]}}', '$.a[1]')", "group_concat({0}, {1})",
)  # fmt: skip


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return open_engine(make_database(tmp_path_factory.mktemp("functions") / "f.sqlite"))


def each(engine: Engine, texts: Iterator[str]) -> int:
    """Compare what expressions give with what they give in SQLite as it comes; return how many there were."""
    count = 0
    with closing(sqlite3.connect(":memory:")) as plain:
        plain.text_factory = lambda raw: raw.decode("utf-8", "replace")
        while part := list(islice(texts, 60)):
            query = "SELECT " + ", ".join(part)
            mine, theirs = engine.run(query), plain.execute(query).fetchall()
            assert mine.kind == ROWS, (mine.message, query)
            for text, own, other in zip(part, mine.rows[0], theirs[0], strict=True):
                assert own == other and type(own) is type(other), text
            count += len(part)
    return count


def test_functions_of_the_clock_are_sqlites_own(engine: Engine) -> None:
    def texts() -> Iterator[str]:
        for moment, change in product(TIMES, CHANGES):
            arguments = f"{moment}, {change}" if change else moment
            for name in ("date", "time", "datetime", "julianday", "unixepoch"):
                yield f"{name}({arguments})"
            for form in FORMATS:
                yield f"strftime({form}, {arguments})"

    assert each(engine, texts()) == 22 * 20 * (5 + 12)


def test_metered_functions_are_sqlites_own(engine: Engine) -> None:
    def texts() -> Iterator[str]:
        yield "trim('x' || 'y')"  # where joined texts are searched, functions are metered
        for call in CALLS:
            for a, b, c in product(TEXTS, TEXTS[:7], ("'b'",)):
                yield call.format(a, b, c)

    counted = 0
    calls = list(texts())
    for start in range(0, len(calls), 50):
        counted += each(engine, iter(["trim('x' || 'y')", *calls[start : start + 50]]))
    assert counted > 2000


def test_now_is_the_clock_however_it_is_written(engine: Engine) -> None:
    forms = (
        "'now'", "'NOW'", "'n' || 'ow'", "x'6e6f77'", "CAST(x'6e6f7700' AS TEXT)", "(SELECT 'no' || 'w')",
        "replace('nox', 'x', 'w')", "lower('NOW')",
    )  # fmt: skip
    for form in forms:
        assert engine.run(f"SELECT datetime({form}), strftime('%H', {form})").rows == (
            ("2025-01-30 12:00:00", "12"),
        ), form
    functions = "time(), datetime(), julianday(), unixepoch(), strftime('%Y'), CURRENT_DATE, CURRENT_TIME"
    rows = engine.run(f"SELECT {functions}").rows
    # 2025-01-30 12:00 is 9,161 days after 2000-01-01 12:00, whose Julian day is 2,451,545, and 20,118.5 days after 1970
    assert rows == (("12:00:00", "2025-01-30 12:00:00", 2460706.0, 1738238400, "2025", "2025-01-30", "12:00:00"),)


def test_local_time_is_utc_in_every_zone(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    query = "SELECT datetime(d, 'localtime'), datetime(d, 'UTC'), date('2024-02-30', 'utc') FROM (SELECT '{}' AS d)"
    query = query.format("2024-07-01 12:00:00")
    try:
        monkeypatch.setenv("TZ", "Pacific/Auckland")
        time.tzset()
        assert engine.run(query).rows == (("2024-07-01 12:00:00", "2024-07-01 12:00:00", "2024-03-01"),)
    finally:
        monkeypatch.undo()
        time.tzset()


def test_what_the_clocks_arguments_become() -> None:
    clock = "2000-01-01 00:00:00"
    for name, given, made in (
        ("date", (), (clock,)),
        ("strftime", (), ()),
        ("strftime", ("%Y",), ("%Y", clock)),
        ("strftime", ("now", "now", "now"), ("now", clock, "now")),
        ("date", ("nowhere", "localtime"), ("nowhere", "+0 seconds")),
        ("datetime", ("subsec",), (clock, "subsec")),
        ("timediff", ("now", "Now"), (clock, clock)),
        ("timediff", ("now",), (clock,)),
        ("current_date", (), (clock,)),
        ("julianday", (b"now\0", 5, None), (clock, 5, None)),
    ):
        assert still(name, given, clock) == made, (name, given)


def test_a_view_with_a_clock_says_what_to_do(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "v.sqlite")) as connection:
        connection.execute("CREATE TABLE t(d)")
        connection.execute("CREATE VIEW days AS SELECT date(d) AS day FROM t")
    engine = open_engine(tmp_path / "v.sqlite")
    assert (
        engine.run("SELECT * FROM days").message
        == "a view here calls date(), which this query cannot: query its tables"
    )
    assert [table.name for table in engine.tables()] == ["t"]


def test_long_texts_are_bounded_and_counted(engine: Engine) -> None:
    doubled = (
        "WITH RECURSIVE s(x, k) AS (SELECT 'ab', 0 UNION ALL SELECT x || x, k + 1 FROM s WHERE k < {}) "
        "SELECT max(length(x)) FROM s"
    )
    assert engine.run(doubled.format(5)).rows == ((64,),)
    assert engine.run(doubled.format(14)).rows == ((32_768,),)  # longer than 4 KiB, so with room for 64 KiB
    assert engine.run(doubled.format(16)).kind == LIMIT
    many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n WHERE "
    small = open_engine(engine.path, budget=300_000)
    for bomb in (
        "printf('%0900d', i) LIKE '%0_____________________________________________1%'",
        "instr(printf('%0900d', i), printf('%0400d', i) || 'x')",
        "replace(printf('%0900d', i), printf('%0100d', 0), 'x') = 'y'",
        "trim(printf('%0900d', i), printf('%0100d', i)) = 'y'",
        "strftime(printf('%0900d', i), i) = 'y'",
        "date(i) = date(i + 0.5)",
        "upper('a' || i) || lower('A' || i) = 'x'",
    ):
        start = time.process_time()
        assert small.run(many + bomb).kind == BUDGET, bomb
        assert time.process_time() - start < 1, bomb  # at most 0.1 s on a quiet machine; unmetered many seconds
    assert engine.run("SELECT printf('%01001d', 1)").kind == DENIED
    assert engine.run("SELECT format('%.*f', 1000000, 1)").kind in (
        DENIED,
        "sql_error",
    )  # unknown to old SQLite as format
    assert engine.run("SELECT length(printf('%01000d', 1))").rows == ((1000,),)


def test_a_format_that_is_too_long_is_not_null(engine: Engine) -> None:
    """SQLite's printf gives NULL where it has no room, and where it makes nothing: only the first needs more room."""
    for pieces, length in ((1, 900), (4, 3_600), (9, 8_100), (70, 63_000)):  # in three rooms
        assert engine.run(f"SELECT length(printf('{'%0900d' * pieces}', 1))").rows == ((length,),)
    assert engine.run(f"SELECT printf('{'%0900d' * 73}')").kind == LIMIT  # 65,700 bytes
    assert engine.run("SELECT printf(''), printf(NULL), printf('%s', '')").rows == ((None, None, ""),)
    assert engine.run(f"SELECT count(*) FROM t WHERE printf('{'%0900d' * 73}') IS NULL").kind == LIMIT


def test_large_results_are_refused(engine: Engine) -> None:
    wide = "SELECT " + ", ".join(["replace(b, 'name', '{}')".format("x" * 250)] * 15) + " FROM t LIMIT {}"
    assert engine.run(wide.format(400)).kind == ROWS
    assert engine.run("SELECT " + ", ".join(["x || x"] * 600) + f" FROM (SELECT '{'y' * 6000}' AS x)").kind == LIMIT
    texts = "SELECT a.b || printf('%0900d', a.a), b.a FROM t a JOIN t b ON b.a < 9 LIMIT 8000"
    assert [len(str(row[0])) for row in engine.run(texts).rows[:2]] == [905, 905]


def test_every_allowed_function_is_there_or_newer() -> None:
    with closing(sqlite3.connect(":memory:")) as plain:
        known = {name for (name,) in plain.execute("SELECT DISTINCT name FROM pragma_function_list")}
    newer = {"concat", "concat_ws", "string_agg", "octet_length", "timediff", "if", "unixepoch", "format", "->", "->>"}
    maths = {"acos", "ceil", "ln", "pi", "trunc", "mod"}  # compiled in or not
    missing = guard.FUNCTIONS - known
    assert missing <= newer or missing & maths
    assert METERED <= guard.FUNCTIONS
    assert guard.GROWING <= guard.FUNCTIONS
    assert not guard.FUNCTIONS & {
        "random",
        "randomblob",
        "zeroblob",
        "load_extension",
        "fts3_tokenizer",
        "sqlite_version",
    }


def test_a_verdict_near_the_budget_is_always_the_same(engine: Engine) -> None:
    for query in ("SELECT count(*) FROM t WHERE a < 200 AND b LIKE '%9%'", "SELECT max(date(a)) FROM t WHERE a < 200"):
        low, high = 1, 20_000  # the least budget is found by halving: too little, and enough
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if answered(engine, query, middle) else (middle, high)
        assert 600 < high < 10_000  # 200 rows of some steps each, and 12 more for each date
        for budget in (high - 40, high - 1, high, high + 1, high + 40):
            assert len({answered(engine, query, budget) for _ in range(8)}) == 1, (query, budget)


def answered(engine: Engine, query: str, budget: int) -> bool:
    return open_engine(engine.path, budget=budget).run(query).kind == ROWS


def test_the_work_of_searching_and_matching_by_hand() -> None:
    # the lengths of all texts, and for each place where the first character is met the length of what is looked for
    assert functions.WORK["instr"](("abcabd", "ab")) == 6 + 2 + 2 * 2
    assert functions.WORK["replace"](("aaaa", "aab", "x")) == 4 + 3 + 1 + 4 * 3
    assert functions.WORK["instr"](("abc", "")) == 3
    assert functions.WORK["instr"](("abc",)) == 3
    # behind each % what follows is tried at each place where its first character is met, or everywhere if any will do
    assert functions.WORK["like"](("%b%", "abcb")) == 3 + 4 + 2 * 1
    assert functions.WORK["like"](("%_b", "abcb")) == 3 + 4 + 4 * 2
    assert functions.WORK["like"](("a%", "abcb")) == 2 + 4
    assert functions.WORK["glob"](("*[ab]*", b"abcb")) == 6 + 4 + 4 * 4
    # each end is compared with each character to be taken off
    assert functions.WORK["trim"](("xxabxx", "xy")) == 6 + 2 + 6 * 2
    assert functions.WORK["trim"](("abc",)) == 3


@pytest.mark.parametrize(
    ("pattern", "wide"),
    [
        ("%d", False), ("%5d", False), ("%-05.2f|%s", False), ("%1000d", False), ("%01000d", False), ("%%1001", False),
        ("%1001d", True), ("%.1001f", True), ("%5.1001f", True), ("%*d", True), ("%-*.*f", True), ("1001", False),
        ("%" + "9" * 40 + "d", True), ("%s %d %1001s", True), ("%%%1001d", True), ("%", False),
    ],
)  # fmt: skip
def test_widths(pattern: str, wide: bool) -> None:
    assert functions.too_wide(pattern) is wide


def test_a_meter_counts_up_to_its_budget() -> None:
    meter = functions.Meter(10)
    meter.count(9)
    with pytest.raises(functions.OverBudget):
        meter.count(1)
    assert meter.steps == 10
