"""Classes of outcomes, scores and critique."""

from __future__ import annotations

import pytest
import sql_cases
from hypothesis import given
from hypothesis import strategies as st

from agentgym.envs.text_to_sql import rewards
from agentgym.envs.text_to_sql.result import BUDGET, DENIED, EMPTY, ERROR, KINDS, LIMIT, PLAN, ROWS, Result
from agentgym.envs.text_to_sql.state import DEFAULT, Rules
from agentgym.envs.text_to_sql.tasks import engine_of
from agentgym.score import ColumnSets


def ran(query: str, rules: Rules = DEFAULT) -> Result:
    return engine_of(str(sql_cases.folder() / "shop.sqlite"), rules).run(query)


@pytest.mark.parametrize(
    "query, expected",
    [
        ("SELECT name FROM customer", "ok"),
        ("SELECT name FROM customer WHERE city = 'Rome'", "empty_result"),
        ("SELECT name FROM customers", "no_such_table"),
        ("SELECT nam FROM customer", "no_such_column"),
        ("SELECT nosuch(name) FROM customer", "no_such_function"),
        ("SELECT customer_id FROM customer JOIN purchase ON 1 = 1", "ambiguous"),
        ("SELECT name FROM customer WHERE COUNT(*) > 1", "aggregate"),
        ("SELECT FROM customer", "syntax"),
        ("SELECT (1", "syntax"),
        ("SELECT 1; SELECT 2", "several_statements"),
        ("DELETE FROM customer", "sql_denied"),
        ("", "sql_empty"),
        ("-- nothing", "sql_empty"),
        ("EXPLAIN QUERY PLAN SELECT 1", "sql_plan"),
        ("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n", "sql_budget"),
        ("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n", "sql_limit"),
        ("SELECT name FROM customer UNION SELECT 1, 2", "sql_error"),
    ],
)
def test_outcomes_have_classes(query: str, expected: str) -> None:
    assert rewards.outcome_class(ran(query)) == expected


@pytest.mark.parametrize(
    "message, expected",
    [  # as DuckDB and PostgreSQL put it
        ("Catalog Error: Table with name customers does not exist!", "no_such_table"),
        ('relation "customers" does not exist', "no_such_table"),
        ('Binder Error: Referenced column "nam" not found in FROM clause!', "no_such_column"),
        ('column "nam" does not exist', "no_such_column"),
        ("function nosuch(text) does not exist", "no_such_function"),
        ("Catalog Error: Scalar Function with name nosuch does not exist!", "no_such_function"),
        ('column reference "customer_id" is ambiguous', "ambiguous"),
        ("aggregate functions are not allowed in WHERE", "aggregate"),
        ('syntax error at or near "FROM"', "syntax"),
        ("Parser Error: syntax error at end of input", "syntax"),
        ("division by zero", "sql_error"),
    ],
)
def test_the_words_of_other_engines(message: str, expected: str) -> None:
    assert rewards.outcome_class(Result(ERROR, message=message)) == expected


def test_every_kind_has_a_class() -> None:
    found = [rewards.outcome_class(Result(kind)) for kind in KINDS]
    assert found == ["empty_result", PLAN, EMPTY, ERROR, DENIED, BUDGET, LIMIT]


def test_the_score_is_the_best_over_accepted_results() -> None:
    """Two columns against one: 0.8 · 1² / (2 · 1) = 0.4 where one is matched, 1 for equal rows, 0 without a result."""
    right = Result(ROWS, ("a", "b"), ((1, "x"), (2, "y")))
    other = Result(ROWS, ("b",), (("y",), ("x",), ("x",)))
    one = Result(ROWS, ("b",), (("x",), ("y",)))

    def score(rights: list[Result], result: Result) -> float:
        return rewards.score([ColumnSets(right.rows) for right in rights], result)

    assert score([right], one) == pytest.approx(0.4)
    assert score([right, other], one) == pytest.approx(0.8)  # the same set of values, other numbers of times
    assert score([right, one], one) == 1.0
    assert score([right], Result(ERROR, message="no")) == 0.0
    assert score([right], Result(PLAN, ("a", "b"), right.rows)) == 0.0  # shown, but no answer
    assert score([right], Result(ROWS, ("a",))) == 0.0
    assert score([Result(ROWS, ("a",))], Result(ROWS, ("z",))) == 1.0  # both without rows


def test_critique_is_the_sign_of_the_rise() -> None:
    assert [rewards.critique(0.4, now) for now in (1.0, 0.4, 0.0)] == [1.0, 0.0, -1.0]


VALUES = st.one_of(
    st.none(), st.integers(-20, 20), st.sampled_from([0.5, 1.0, -3.25, 1e-7, 1e20]), st.text("a'\"b,", max_size=3),
    st.binary(max_size=2),
)  # fmt: skip


@given(st.lists(st.tuples(VALUES, VALUES), max_size=12), st.integers(1, 4))
def test_the_first_rows_are_those_of_their_texts_or_of_the_query(rows: list[tuple[object, ...]], most: int) -> None:
    assert list(rewards.first_rows(rows, ordered=True, most=most)) == rows[:most]
    assert list(rewards.first_rows(rows, ordered=False, most=most)) == sorted(rows, key=repr)[:most]
