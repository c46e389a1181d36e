"""What a query comes to, and what is remembered of it."""

from __future__ import annotations

import sys
from typing import Any

import pytest
import sql_cases

from agentgym.digest import hash_bytes
from agentgym.envs.text_to_sql import trial
from agentgym.envs.text_to_sql.canonical import form
from agentgym.envs.text_to_sql.result import Result
from agentgym.envs.text_to_sql.state import DEFAULT, Question, Rules
from agentgym.envs.text_to_sql.tasks import engine_of, own_engine, question_of


def question(name: str, rules: Rules = DEFAULT, **more: Any) -> Question:
    return question_of(sql_cases.task(name, **more), rules)


@pytest.mark.parametrize(
    "query, ordered",
    [
        ("SELECT a FROM t ORDER BY a", True),
        ("select a from t order  by a -- last", True),
        ("SELECT a FROM t", False),
        ("SELECT a FROM (SELECT a FROM t ORDER BY a)", False),
        ("WITH x AS (SELECT a FROM t ORDER BY a) SELECT a FROM x", False),
        ("WITH x AS (SELECT a FROM t) SELECT a FROM x ORDER BY 1", True),
        ("SELECT SUM(a) OVER (ORDER BY a) FROM t", False),
        ("SELECT 'order by' FROM t", False),
        ('SELECT "order" FROM t', False),
        ("SELECT a FROM t UNION SELECT b FROM u ORDER BY 1", True),
        ("", False),
        (")))) ORDER BY", False),
    ],
)
def test_the_outermost_order_counts(query: str, ordered: bool) -> None:
    assert form(query).ordered is ordered


def test_a_trial_holds_all_that_a_turn_tells() -> None:
    found = trial.tried(question("lund"), "SELECT name, city FROM customer WHERE city = 'Lund'")
    assert found.observation == "name | city\nAda  | Lund\nCy   | Lund"
    assert found.tag == "ok"
    # one of two columns is the one asked for: 0.8 * 1² / (1 * 2)
    assert found.score == pytest.approx(0.4)
    assert found.metrics == {"csmr": found.score, "rows": 2.0, "tables": 1.0}
    assert found.fact is not None
    assert (found.fact.rows, found.fact.head) == (2, "('Ada', 'Lund'), ('Cy', 'Lund')")
    assert found.fact.said == "SELECT name, city FROM customer WHERE city = 'Lund'"
    assert found.fact.score == found.score


def test_a_query_that_fails_is_no_fact() -> None:
    for query in ("SELECT nam FROM customer", "", "DELETE FROM customer", "EXPLAIN SELECT 1"):
        found = trial.tried(question("lund"), query)
        assert found.fact is None and found.score == 0.0
        assert found.metrics["csmr"] == found.metrics["tables"] == 0.0


def test_rows_without_an_order_are_told_in_a_fixed_one() -> None:
    """Two plans of one query may give its rows in two orders, and must lead to one state."""
    asked = question("lund")
    one = trial.tried(asked, "SELECT name FROM customer")
    other = trial.tried(asked, "SELECT name FROM (SELECT name FROM customer ORDER BY name DESC)")
    backward = trial.tried(asked, "SELECT name FROM customer ORDER BY name DESC")
    assert one.fact is not None and other.fact is not None and backward.fact is not None
    assert one.fact.head == other.fact.head == "('Ada'), ('Bo'), ('Cy'), …"
    assert one.fact.digest == other.fact.digest != backward.fact.digest
    assert backward.fact.head == "('Eva'), ('Di'), ('Cy'), …"
    assert one.observation.split("\n")[1:] == ["Ada", "Bo", "Cy", "Di", "Eva"]
    assert other.observation.split("\n")[1:] == ["Eva", "Di", "Cy", "Bo", "Ada"]  # what is read is what the query gave


def test_a_fact_holds_what_was_written_first() -> None:
    written = "select\n  NAME\nfrom Customer -- all of them"
    fact = trial.tried(question("lund"), written).fact
    assert fact is not None and fact.said == written
    assert fact == trial.tried(question("lund"), "SELECT name FROM customer").fact


def test_a_query_is_run_once_for_all_who_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, query = question("dear"), "SELECT title FROM product WHERE price < 46"
    first, right = trial.tried(asked, query), trial.judged(asked, query)
    monkeypatch.setattr(trial, "_run", lambda *_: pytest.fail("asked again"))
    twin = question("dear")
    assert twin is not asked and trial.tried(twin, query) is first and trial.judged(twin, query) is right is False


def test_tables_are_those_that_are_read() -> None:
    asked = question("lamps")
    assert trial.touched(asked, sql_cases.GOLDS["lamps"][2]) == ["customer", "product", "purchase"]
    assert trial.touched(asked, "SELECT 1 FROM Purchase WHERE EXISTS (SELECT 1 FROM customer)") == [
        "customer",
        "purchase",
    ]
    assert trial.touched(asked, "WITH product AS (SELECT 1 AS a) SELECT a FROM product") == []
    assert trial.touched(asked, "SELECT 1 FROM nowhere") == [] == trial.touched(asked, "no query")


def test_examples_are_distinct_values_that_are_there() -> None:
    asked = question("dear")
    table = asked.table("product")
    assert table is not None
    assert trial.looked_at(asked, table).split("\n") == [
        "product: 4 rows",
        "product_id integer key: 1, 2, 3",
        "title text required: 'lamp', 'chair', 'desk'",
        "price real: 19.5, 45.0, 120.0",
        "colour text: 'red', 'green'",
    ]


def test_a_table_that_cannot_be_read_within_the_budget_has_no_examples() -> None:
    asked = question("dear", rules=Rules(budget=12), gold="SELECT 3")
    table = asked.table("product")
    assert table is not None
    assert trial.looked_at(asked, table).split("\n")[1] == "product_id integer key"


def test_structure_is_that_of_the_gold_most_alike() -> None:
    golds = ["SELECT COUNT(*) FROM product WHERE price > 40", "SELECT 3"]
    found = trial.structure(question("dear", gold=golds), "SELECT COUNT(*) FROM product WHERE price > 41")
    assert found["structure_score"] == 1.0  # values do not count
    assert trial.structure(question("dear", gold=golds[::-1]), "SELECT 4")["structure_score"] == 1.0
    assert set(trial.structure(question("dear", gold=golds), "no query").values()) == {0.0}


def test_golds_run_on_an_engine_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = question("dear", gold="SELECT 3 + 0")
    kept = engine_of(asked.path, asked.rules)
    monkeypatch.setattr(kept, "run", lambda query: pytest.fail("a gold was run where predictions run"))
    gold = trial.gold_of(asked)
    assert gold.results[0].rows == ((3,),) and gold.hash
    own = own_engine(asked.path, asked.rules)
    assert own is not kept and (own.path, own.budget, own.clock) == (kept.path, kept.budget, kept.clock)
    own.close()


def test_a_digest_is_that_of_the_rows() -> None:
    asked = question("eldest")
    query = "SELECT name FROM student ORDER BY name"
    fact, result = trial.tried(asked, query).fact, engine_of(asked.path, asked.rules).run(query)
    assert fact is not None and fact.digest == trial.rows_digest(result, True) != trial.rows_digest(result, False)


def rows(*found: tuple[Any, ...], columns: int = 0) -> Result:
    return Result("rows", ("c",) * (columns or len(found[0])), found)


def test_digests_of_the_same_rows_are_equal() -> None:
    mixed = rows((1, "a", None), (2.5, b"a", 0.1 + 0.2), (1, "a", None), ("x", -7, 2**70))
    back = rows(*mixed.rows[::-1])
    assert trial.rows_digest(mixed, False) == trial.rows_digest(back, False)
    assert trial.rows_digest(mixed, True) != trial.rows_digest(back, True)
    # 0.1 + 0.2 is 0.30000000000000004: in twelve digits it is 0.3, alone in its column or beside a NULL.
    for more in ((), ((None,),)):
        assert trial.rows_digest(rows((0.1 + 0.2,), *more), False) == trial.rows_digest(rows((0.3,), *more), False)
        assert trial.rows_digest(rows((0.31,), *more), False) != trial.rows_digest(rows((0.3,), *more), False)


def test_digests_of_other_rows_differ() -> None:
    tables = [
        rows((1,)), rows((2,)), rows(("1",)), rows((b"1",)), rows((1.5,)), rows(("1.5",)), rows((None,)), rows((1, 1)),
        rows((1,), (1,)), rows((1,), (2,)), rows((1.5,), (None,)), rows(("1.5",), (None,)), rows(columns=1),
        rows(columns=2), rows(("a", "b")), rows(("ab", "")), rows(("b", "a")), rows(("ä",)), rows((2**63,)),
    ]  # fmt: skip
    assert len({trial.rows_digest(table, False) for table in tables}) == len(tables)


def test_a_digest_does_not_hang_on_who_else_holds_a_value() -> None:
    name = "".join(["a", "b", str(len("abc"))])  # not interned
    held = sys.intern("".join(["a", "b", str(len("abc"))]))
    assert name is not held
    assert trial.rows_digest(rows((name, name)), False) == trial.rows_digest(rows((held, name[:])), False)
    # Written by hand: a tuple of one item, an int of four bytes, in version 2 of marshal's format.
    told = b"1 False -;" + b"(\x01\x00\x00\x00" + b"i\x05\x00\x00\x00"
    assert trial.rows_digest(rows((5,)), False) == hash_bytes(told)
