"""What the authorizer answers, and what SQLite's errors become."""

from __future__ import annotations

import sqlite3

import pytest

from agentgym.envs.text_to_sql import guard
from agentgym.envs.text_to_sql.engine import EngineFailure
from agentgym.envs.text_to_sql.guard import FUNCTIONS, GROWING, Guard, refused
from agentgym.envs.text_to_sql.refusals import function_refusal, no_table, over_budget, too_long, too_many_rows
from agentgym.envs.text_to_sql.result import BUDGET, DENIED, ERROR, LIMIT, Result

OK, DENY = sqlite3.SQLITE_OK, sqlite3.SQLITE_DENY
TABLES = frozenset(("item", "sale"))


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ((sqlite3.SQLITE_SELECT, None, None, None, None), OK),
        ((sqlite3.SQLITE_RECURSIVE, None, None, None, "c"), OK),
        ((sqlite3.SQLITE_READ, "item", "name", "main", None), OK),
        ((sqlite3.SQLITE_READ, "ITEM", "ROWID", "main", None), OK),
        ((sqlite3.SQLITE_READ, "item", "name", "main", "a_view"), OK),
        ((sqlite3.SQLITE_READ, "item", "", None, None), OK),  # count(*) names no column
        ((sqlite3.SQLITE_READ, "common", "", None, None), OK),  # and may count a common table's rows
        ((sqlite3.SQLITE_READ, "item", "name", "temp", None), DENY),
        ((sqlite3.SQLITE_READ, "gold", "answer", "main", None), DENY),
        ((sqlite3.SQLITE_READ, "sqlite_master", "sql", "main", None), DENY),
        ((sqlite3.SQLITE_READ, "sqlite_master", "", None, None), DENY),
        ((sqlite3.SQLITE_READ, "sqlite_sequence", "seq", "main", None), DENY),
        ((sqlite3.SQLITE_READ, "pragma_table_info", "name", "main", None), DENY),
        ((sqlite3.SQLITE_READ, None, "x", "main", None), DENY),
        ((sqlite3.SQLITE_FUNCTION, None, "sum", None, None), OK),
        ((sqlite3.SQLITE_FUNCTION, None, "SUM", None, None), OK),
        ((sqlite3.SQLITE_FUNCTION, None, "random", None, None), DENY),
        ((sqlite3.SQLITE_FUNCTION, None, "load_extension", None, None), DENY),
        ((sqlite3.SQLITE_FUNCTION, None, "something_new", None, None), DENY),
        ((sqlite3.SQLITE_FUNCTION, None, None, None, None), DENY),
        ((sqlite3.SQLITE_INSERT, "item", None, "main", None), DENY),
        ((sqlite3.SQLITE_UPDATE, "sqlite_master", "sql", "main", None), DENY),
        ((sqlite3.SQLITE_PRAGMA, "query_only", "OFF", None, None), DENY),
        ((sqlite3.SQLITE_ATTACH, "x", None, None, None), DENY),
        ((sqlite3.SQLITE_TRANSACTION, "BEGIN", None, None, None), DENY),
        ((sqlite3.SQLITE_SAVEPOINT, "BEGIN", "a", None, None), DENY),
        ((9999, None, None, None, None), DENY),  # an action of a later version
    ],
)
def test_an_answer_of_the_authorizer(asked: tuple[int, str, str, str, str], answer: int) -> None:
    made = Guard(TABLES, metered=True)
    assert made(*asked) == answer
    assert bool(made.refusal) == (answer == DENY)


def test_growing_functions_need_the_metered_connection() -> None:
    plain, metered = Guard(TABLES, metered=False), Guard(TABLES, metered=True)
    for name in sorted(GROWING):
        plain.growing = False
        assert plain(sqlite3.SQLITE_FUNCTION, None, name, None, None) == DENY
        assert plain.growing
        assert metered(sqlite3.SQLITE_FUNCTION, None, name, None, None) == OK
    assert not metered.refusal


def test_the_first_reason_is_kept_and_growing_is_not_forgotten() -> None:
    made = Guard(TABLES, metered=False)
    made(sqlite3.SQLITE_FUNCTION, None, "random", None, None)
    made(sqlite3.SQLITE_FUNCTION, None, "hex", None, None)
    made(sqlite3.SQLITE_FUNCTION, None, "zeroblob", None, None)
    assert made.refusal == "random() is not allowed: a query must give the same result every time"
    assert made.growing  # the metered connection will refuse it for the same reason


def test_functions_of_the_clock_are_noted() -> None:
    made = Guard(TABLES, metered=False)
    made(sqlite3.SQLITE_FUNCTION, None, "sum", None, None)
    assert not made.clocked
    made(sqlite3.SQLITE_FUNCTION, None, "CURRENT_DATE", None, None)
    assert made.clocked


def failed(kind: type[sqlite3.Error], message: str, code: int = sqlite3.SQLITE_ERROR) -> sqlite3.Error:
    error = kind(message)
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("message", "kind", "shown"),
    [
        ("no such column: x", ERROR, "no such column: x"),
        # since SQLite 3.45 with a hint
        ('no such column: "x" - should this be a string literal in single-quotes?', ERROR, 'no such column: "x"'),
        ("no such table: tt", ERROR, "no such table: tt; the schema tool lists the tables"),
        ("no such table: main.tt", ERROR, "no such table: tt; the schema tool lists the tables"),
        ("no such table: gold_answers", DENIED, "no such table: gold_answers; answers are not in the database"),
        ("no such table: a\nb", ERROR, "no such table: a\nb; the schema tool lists the tables"),
        ("Expression tree is too large (maximum depth 100)", LIMIT, "Expression tree is too large (maximum depth 100)"),
        ("too many terms in compound SELECT", LIMIT, "too many terms in compound SELECT"),
        ("too many columns in result set", LIMIT, "too many columns in result set"),
        ("at most 64 tables in a join", LIMIT, "at most 64 tables in a join"),
        ('too many references to "t": max 65535', LIMIT, 'too many references to "t": max 65535'),
        ("LIKE or GLOB pattern too complex", LIMIT, "LIKE or GLOB pattern too complex"),
        ("too many SQL variables", ERROR, "parameters cannot be given here: write the value itself"),
        (
            "Incorrect number of bindings supplied. The current statement uses 1, and there are 0 supplied.",
            ERROR,
            "parameters cannot be given here: write the value itself",
        ),
        ("integer overflow", ERROR, "integer overflow"),
        ("parser stack overflow", ERROR, "parser stack overflow"),
        ("user-defined function raised exception", ERROR, "a function was given a text that is not UTF-8"),
        ("unsafe use of date()", ERROR, "a view here calls date(), which this query cannot: query its tables"),
    ],
)
def test_an_error_of_sqlite(message: str, kind: str, shown: str) -> None:
    assert refused(failed(sqlite3.OperationalError, message), Guard(TABLES, True)) == Result(kind, message=shown)


def test_what_was_denied_is_told_in_our_words() -> None:
    made = Guard(TABLES, metered=True)
    made(sqlite3.SQLITE_DELETE, "item", None, "main", None)
    error = failed(sqlite3.DatabaseError, "not authorized", sqlite3.SQLITE_AUTH)
    assert refused(error, made) == Result(DENIED, message="only reading is allowed here: write one SELECT")


def test_no_memory_is_a_limit() -> None:
    assert refused(MemoryError(), Guard(TABLES, True)) == Result(LIMIT, message="the query needs too much memory")


@pytest.mark.parametrize("code", sorted(guard.BROKEN))
def test_what_is_not_the_querys_fault_is_a_failure(code: int) -> None:
    error = failed(sqlite3.OperationalError, "disk I/O error", code | 10 << 8)  # with an extended code
    with pytest.raises(EngineFailure, match="the database failed: disk I/O error"):
        refused(error, Guard(TABLES, True))


def test_words_of_refusals() -> None:
    assert over_budget(5) == Result(
        BUDGET, message="the query needs too much work (more than 5 steps): read fewer rows or join less"
    )
    assert over_budget(5, "rows").message.startswith("the query needs too much work (more than 5 rows)")
    assert too_many_rows(3) == Result(LIMIT, message="the result has more than 3 rows: aggregate, or use LIMIT")
    assert too_long(9) == Result(LIMIT, message="the query makes more text than the 9 bytes allowed: read less")
    assert function_refusal("hex") == "the function hex() is not available here"
    for name in ("sqlite_master", "pg_class", "information_schema.tables", "other.t", "PRAGMA_x", "duckdb_settings"):
        assert no_table(name).kind == DENIED
        assert no_table(name).message.endswith(
            "the catalogue cannot be queried: the schema tool shows tables and columns"
        )
    for name in ("gold", "the_answers", "solution_1"):
        assert no_table(name) == Result(DENIED, message=f"no such table: {name}; answers are not in the database")
    assert no_table("goods").kind == ERROR


def test_nothing_listed_draws_or_leaks() -> None:
    for name in (
        "random", "randomblob", "zeroblob", "load_extension", "fts3_tokenizer", "sqlite_version", "sqlite_source_id",
        "sqlite_compileoption_used", "changes", "total_changes", "last_insert_rowid", "readfile", "writefile", "edit",
        "json_each", "json_tree", "json_group_array", "unhex", "unistr", "subtype", "sqlite_offset", "sqlite_log",
    ):  # fmt: skip
        assert name not in FUNCTIONS
