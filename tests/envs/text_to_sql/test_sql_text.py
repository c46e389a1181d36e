"""What the agent reads; the texts are written out by hand."""

from __future__ import annotations

import pytest
import sql_cases

from agentgym.envs.text_to_sql import text
from agentgym.envs.text_to_sql.engine import Column, Reference, TableInfo
from agentgym.envs.text_to_sql.result import DENIED, PLAN, ROWS, Result, Value
from agentgym.envs.text_to_sql.scorers import SCORERS
from agentgym.envs.text_to_sql.state import DEFAULT, Fact, SqlState
from agentgym.envs.text_to_sql.tasks import checked_rules, question_of

VISIT = TableInfo(
    "visit",
    (
        Column("ward", "INTEGER", key=True, required=True),
        Column("bed", "INTEGER", key=True, required=True),
        Column("patient_id", "INTEGER"),
        Column("since", "TEXT", required=True),
        Column("note", ""),
    ),
    (Reference(("ward", "bed"), "bed", ("ward", "number")), Reference(("patient_id",), "patient", ("id",))),
    1200,
)


def rows(*found: tuple[Value, ...], columns: tuple[str, ...] = ("a", "b")) -> Result:
    return Result(ROWS, columns, tuple(found))


def test_a_table_in_a_line() -> None:
    assert text.signature(VISIT) == (
        "visit(ward integer, bed integer, patient_id integer -> patient.id, since text, note, key (ward, bed), "
        "(ward, bed) -> bed(ward, number)): 1,200 rows"
    )
    one = TableInfo("t", (Column("id", "INTEGER", key=True),), rows=1)
    assert text.signature(one) == "t(id integer key): 1 row"


def test_a_table_looked_at() -> None:
    examples: list[list[Value]] = [[1, 2, 3], [7], [], ["2024-01-05", "x" * 100], [b"\x01\xff", 1.5]]
    assert text.looked_at(VISIT, examples).split("\n") == [
        "visit: 1,200 rows",
        "ward integer key -> bed.ward: 1, 2, 3",
        "bed integer key -> bed.number: 7",
        "patient_id integer -> patient.id",
        f"since text required: '2024-01-05', '{'x' * 59}…'",
        "note: x'01ff', 1.5",
    ]
    assert text.looked_at(VISIT, ()).count(":") == 1  # without examples


def test_a_result_is_aligned_numbers_right_texts_left() -> None:
    found = rows(("Ada", 2), ("Bo", 10), (None, None), columns=("name", "n"))
    assert text.result(found).split("\n") == ["name |    n", "Ada  |    2", "Bo   |   10", "NULL | NULL"]
    mixed = rows((1, 2.5), ("x", -3), columns=("any", "real"))
    assert text.result(mixed).split("\n") == ["any | real", "1   |  2.5", "x   |   -3"]


def test_a_result_without_rows_says_so() -> None:
    assert text.result(rows()) == "a | b\nno rows"


def test_what_is_cut_is_said() -> None:
    many = rows(*[(number, "x") for number in range(500)])
    lines = text.result(many).split("\n")
    assert len(lines) == 1 + text.ROWS + 1
    assert lines[-1] == "… 480 more rows"
    assert text.result(rows(*[(1, "x")] * 21)).endswith("\n… 1 more row")
    assert "more" not in text.result(rows(*[(1, "x")] * 20))
    long = text.result(rows(("y" * 500, 1))).split("\n")[1]
    assert long == "y" * 59 + "… | 1"


def test_wide_and_large_results_stay_within_bounds() -> None:
    wide = rows(*[tuple(range(2000))] * 20, columns=tuple(f"column{number}" for number in range(2000)))
    shown = text.result(wide)
    assert max(map(len, shown.split("\n"))) == text.LINE and shown.split("\n")[0].endswith("…")
    assert len(shown) <= text.WHOLE + 30
    # lines of 1,000 characters and their breaks: the header and 4 rows fit into 6,000, with 16 rows left
    assert shown.endswith("… 16 more rows") and shown.count("\n") == 5


@pytest.mark.parametrize(
    "value, shown",
    [
        (None, "NULL"), ("", ""), ("a\nb\tc\rd", "a\\nb\\tc\\rd"), ("\x00\x1b[31m\u2028", "��[31m�"),
        (b"", "x''"), (b"\xff" * 100, "x'" + "ff" * 28 + "f…"), (0.1 + 0.2, "0.30000000000000004"), (1e300, "1e+300"),
        (-0.0, "-0.0"), ("größer", "größer"), (float("inf"), "inf"), ("a" * 60, "a" * 60), ("a" * 61, "a" * 59 + "…"),
    ],
)  # fmt: skip
def test_values_stand_on_one_line(value: Value, shown: str) -> None:
    assert text.result(rows((value, 1))).split("\n")[1].rpartition(" | ")[0].strip() == shown.strip()


def test_messages_are_shown_with_a_hint_and_cut() -> None:
    assert text.result(Result(DENIED, message="no")) == "no"
    assert text.result(Result(DENIED, message="no"), "do this") == "no; do this"
    assert text.result(Result(DENIED, message="n" * 5000)) == "n" * (text.LINE - 1) + "…"
    plan = Result(PLAN, ("id", "detail"), ((2, "SCAN t"),))
    assert text.result(plan) == "id | detail\n 2 | SCAN t"


def test_the_first_rows_in_short() -> None:
    assert text.head([(1, "x"), (None, 2.5)]) == "(1, 'x'), (NULL, 2.5)"
    assert text.head([(1,)] * 4) == "(1), (1), (1), …"
    assert text.head([]) == ""
    assert len(text.head([("x" * 500,) * 10])) == 3 * text.CELL


def test_the_opening_tells_a_small_database_whole() -> None:
    question = question_of(sql_cases.task("lund", evidence="Lund is a city."), DEFAULT)
    assert text.opening(question).split("\n") == [
        "Question: Which customers, by name, live in Lund?",
        "Evidence: Lund is a city.",
        "",
        "Database shop: 3 tables",
        "customer(customer_id integer key, name text, city text): 5 rows",
        "product(product_id integer key, title text, price real, colour text): 4 rows",
        "purchase(customer_id integer -> customer.customer_id, product_id integer -> product.product_id, "
        "bought_on text, amount integer, key (customer_id, product_id, bought_on)): 6 rows",
    ]


def test_the_opening_tells_of_a_large_database_its_tables() -> None:
    lines = text.opening(question_of(sql_cases.task("north"), DEFAULT)).split("\n")
    assert lines[2] == "Database school: 7 tables; columns by schema(table)"
    assert lines[3:5] == ["teacher: 3 rows", "room: 3 rows"]
    assert len(lines) == 3 + 7


def test_the_system_text_says_when_an_answer_is_right() -> None:
    assert set(text.JUDGED) == set(SCORERS)
    for scorer in SCORERS:
        rules = checked_rules(scorer, "sqlite", DEFAULT.clock, 5, 1234)
        for name, ordered in (("eldest", True), ("north", False)):
            said = text.system(question_of(sql_cases.task(name), rules), 7)
            assert text.JUDGED[scorer] in said and "SQLite" in said and "1,234 rows" in said and "7 turns" in said
            counts = ordered and scorer not in ("bird",)
            assert ("their order counts here" in said) is counts
            assert ("their order does not count" in said) is not counts


def test_describe_tells_what_is_known_and_no_score() -> None:
    state = SqlState(question_of(sql_cases.task("north"), DEFAULT))
    assert text.describe(state, []) == text.opening(state.question)
    state = state.look("room").learn(Fact("form", "d", 2, "(1), (2)", 0.375, "SELECT room_id FROM room"))
    state = state.learn(Fact("empty", "e", 0, "", 0.0, "SELECT 1 FROM room WHERE 0"))
    parts = text.describe(state, ["room: 3 rows\nroom_id integer key"]).split("\n\n")
    assert parts[0] == text.asked(state.question)
    assert "room: 3 rows" in parts[1] and parts[2].startswith("room: 3 rows\nroom_id")
    assert sorted(parts[3].split("\n")[1:]) == sorted(
        ["SELECT room_id FROM room", "= 2 rows: (1), (2)", "SELECT 1 FROM room WHERE 0", "= 0 rows"]
    )
    assert "0.375" not in "".join(parts)
    assert text.describe(state.answered("form"), []).endswith("Submitted: SELECT room_id FROM room")
    assert text.describe(state.answered("? what"), []).endswith("Submitted: a query that does not run")


def test_what_an_agent_wrote_is_described_on_one_line_in_the_one_layout() -> None:
    asked = question_of(sql_cases.task("lund"), DEFAULT)
    written = "select\n  NAME\nfrom Customer -- all of them"
    state = SqlState(asked).learn(Fact("form", "d", 5, "('Ada')", 0.0, written)).answered("form")
    told = text.describe(state, [])
    assert "Results:\nSELECT name FROM customer\n= 5 rows: ('Ada')\n" in told
    assert told.endswith("Submitted: SELECT name FROM customer")
    unread = text.describe(SqlState(asked).learn(Fact("form", "d", 0, "", 0.0, "no\nquery " + "x" * 300)), [])
    assert unread.splitlines()[-2].startswith("no query xxx") and unread.splitlines()[-2].endswith("…")
