"""What one look at a text finds: its statement, its verb, its size, and into how much it unfolds."""

from __future__ import annotations

import pytest
from sql_grammar import Grammar
from sql_hostile import LISTED
from sql_small import GOLDS

from agentgym.envs.text_to_sql import statement
from agentgym.envs.text_to_sql.result import DENIED, EMPTY, ERROR, LIMIT
from agentgym.envs.text_to_sql.statement import _TOKEN, MAX_QUERY, look, tokens
from agentgym.envs.text_to_sql.unfold import MAX_TABLES, unfolded


def bounds(text: str) -> tuple[int, int]:
    """Return the bounds on copies and tables of a text."""
    return unfolded(tokens(text))


def chain(links: int, link: str, first: str = "c0(x) AS (SELECT a FROM t)") -> str:
    """Return a query over common tables c1, c2, …, each made from the one before by `link`, in which that is {}."""
    made = [first] + [f"c{at}(x) AS ({link.format(f'c{at - 1}')})" for at in range(1, links + 1)]
    return f"WITH {', '.join(made)} SELECT x FROM c{links}"


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("SELECT 1", "SELECT 1"),
        (" ;; SELECT 1 ; -- done\n ; /* and */", "SELECT 1"),
        ("\ufeffSELECT 1 /* not closed", "SELECT 1"),
        ("SELECT 1 /*", "SELECT 1"),
        ("SELECT ';' AS \";\", [;], `;`;", "SELECT ';' AS \";\", [;], `;`"),
        ("SELECT 'it''s; --' -- ; x", "SELECT 'it''s; --'"),
        ("SELECT /* ; ' */ 1 -- ' \n + 1", "SELECT /* ; ' */ 1 -- ' \n + 1"),
        ("SELECT 'never closed ; SELECT 2", "SELECT 'never closed ; SELECT 2"),
    ],
)
def test_the_statement_alone(query: str, text: str) -> None:
    found = look(query)
    assert (found.text, found.refusal, found.plan) == (text, None, False)


@pytest.mark.parametrize(
    ("query", "kind", "message"),
    [
        ("", EMPTY, "there is no statement; write one SELECT"),
        ("\ufeff ; -- x\n;/* y */", EMPTY, "there is no statement; write one SELECT"),
        ("SELECT 1; SELECT 2;", ERROR, "these are 2 statements; send one at a time"),
        ("SELECT 1; DROP TABLE t", ERROR, "these are 2 statements; send one at a time"),
        ("DROP TABLE t; SELECT 1", ERROR, "these are 2 statements; send one at a time"),
        ("-- x\n(/**/drop", DENIED, "DROP is not allowed in this database"),
        ("Drop TABLE t", DENIED, "DROP is not allowed in this database: it can only be read; write one SELECT"),
        (
            "create trigger g begin select 1; end",
            DENIED,
            "CREATE is not allowed in this database: it can only be read; write",
        ),
        (
            "pragma database_list",
            DENIED,
            "PRAGMA is not allowed in this database: the schema tool shows tables and columns",
        ),
        ("EXPLAIN QUERY PLAN DELETE FROM t", DENIED, "DELETE is not allowed in this database: it can only be read;"),
        ("EXPLAIN ANALYZE SELECT 1", DENIED, "ANALYZE is not allowed in this database: it can only be read;"),
        ("SELECT '\0'", ERROR, "the query holds a NUL character, which no SQL can hold"),
        ("SELECT '\udfff'", ERROR, "the query holds half a surrogate pair, which is no character"),
        ("SELECT 'é😀'", None, ""),
        ("x" * (MAX_QUERY + 1), LIMIT, "the query has 16385 characters; at most 16384 are read"),
        ("SELECT " + "(" * 50 + "1" + ")" * 50, None, ""),
        ("SELECT " + "(" * 51 + "1" + ")" * 51, ERROR, "parentheses are nested 51 deep; at most 50 are allowed"),
        ("SELECT 1" + " UNION ALL SELECT 1" * 200, LIMIT, "the query has 201 SELECTs; at most 200 are allowed"),
    ],
)
def test_texts_that_are_refused(query: str, kind: str | None, message: str) -> None:
    refusal = look(query).refusal
    assert (refusal.kind if refusal else None) == kind
    assert (refusal.message if refusal else "").startswith(message)


def test_explains_are_plans() -> None:
    assert look("explain /* x */ query plan select 1").plan
    assert look("EXPLAIN SELECT 1").plan
    assert not look("SELECT 'EXPLAIN'").plan


@pytest.mark.parametrize(
    ("query", "grows"),
    [
        ("SELECT count(*) FROM t WHERE b LIKE '%a_b%'", False),
        ("SELECT a || b FROM t", False),  # as long as its room at most, and one step
        ("SELECT a FROM t WHERE c LIKE a || b", True),  # work that grows with the product of both lengths
        ("SELECT a || b, InStr(c, a) FROM t", True),
        ("SELECT a || b, [trim](c) FROM t", True),
        ("SELECT '||', a FROM t -- ||", False),
        (f"SELECT '{'x' * 254}'", False),
        (f"SELECT '{'x' * 255}'", True),  # with its quotes longer than 256 characters
        ("SELECT a FROM t WHERE b LIKE '%a%b%c%d%e%f%g%'", False),  # eight wildcards
        ("SELECT a FROM t WHERE b LIKE '%a%b%c%d%e%f%g%_'", True),
        ('SELECT a FROM t WHERE b LIKE "%a%b%c%d%e%f%g%_"', True),
    ],
)
def test_what_may_make_or_compare_long_texts(query: str, grows: bool) -> None:
    assert look(query).grows is grows


@pytest.mark.parametrize(
    ("query", "copies", "tables"),
    [
        ("SELECT a FROM t", 1, 1),
        ("SELECT a, a + a FROM t", 3, 1),  # the name `a` stands three times
        ('SELECT A, "a", [a], `a`, t.a FROM t', 5, 1),
        ("SELECT a FROM t, u JOIN v ON t.b = v.b", 2, 3),  # `b` twice
        ("SELECT x FROM (SELECT a AS x FROM t)", 2, 2),  # 1 · (1 + 1): the subquery itself is one of the outer tables
        ("SELECT x + x FROM (SELECT a + a AS x FROM t)", 6, 2),  # 2 · (1 + 2)
        ("SELECT x FROM t UNION SELECT x FROM t UNION SELECT x FROM t", 1, 3),
        ("SELECT *, * FROM t", 3, 1),  # each star may stand for `t`
        ("SELECT count(*), a * a FROM t", 2, 1),
        ("SELECT 'a' 'a' 'a'", 1, 0),
        (
            "WITH c AS (SELECT a FROM t) SELECT a FROM c, c AS d",
            6,
            4,
        ),  # `c` stands twice: 2 · (1 + 1 + 1), 2 + 1 + 1
        ("WITH d AS (SELECT x FROM c), c(x) AS (SELECT y FROM t) SELECT x FROM d", 3, 3),  # used before it is defined
        ("WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c", 2, 2),
        ("SELECT a FROM (t JOIN u), v", 1, 3),
        ("SELECT a FROM t WHERE a IN (1, 2, 3)", 2, 1),
    ],
)
def test_bounds_by_hand(query: str, copies: int, tables: int) -> None:
    assert bounds(query) == (copies, tables)


@pytest.mark.parametrize(
    "query",
    [
        chain(20, "SELECT x + x FROM {}"),
        chain(20, 'SELECT "x" + [X] FROM `{}`'),
        chain(20, "SELECT p.x FROM {0} p, {0} q"),
        chain(20, "SELECT p.x FROM '{0}' p, '{0}' q"),
        chain(20, "SELECT first + first FROM {}").replace("(x)", "(first)").replace("SELECT x ", "SELECT first "),
        chain(20, "SELECT x FROM {0} UNION ALL SELECT x FROM {0}"),
        "SELECT x FROM " + "(SELECT x + x AS x FROM " * 20 + "t" + ")" * 20,
        "WITH "
        + "".join(f"c{i}(x, y) AS (SELECT *, * FROM d{i}), d{i}(z) AS (SELECT x + y FROM c{i + 1}), " for i in range(9))
        + "c9(x, y) AS (SELECT a, a FROM t) SELECT x FROM c0",
    ],
)  # fmt: skip
def test_doubling_is_refused_before_it_unfolds(query: str) -> None:
    refusal = look(query).refusal
    assert refusal is not None
    assert (refusal.kind, refusal.message[:24]) == (LIMIT, "the query unfolds into t")


def test_joining_very_often_is_refused() -> None:
    few = "SELECT 1 FROM " + ", ".join(["t"] * 40)
    assert bounds(few) == (40, 40)
    many = look(" UNION ALL ".join([few] * 3)).refusal
    assert many is not None
    assert many.message == f"the query reads tables more than {MAX_TABLES} times: join less"
    assert bounds(" UNION ALL ".join([few] * 3)) == (40, 120)


def test_every_character_is_part_of_a_token() -> None:
    for text in ("a'b\"c`d[e", "/* /* */ */ -- \r\n|| | 1.5e3 $x @y é\u2028", "\x0b\x7f\x80", "''''", "[]]"):
        assert "".join(token.group() for token in _TOKEN.finditer(text)) == text


def test_a_look_takes_linear_time() -> None:
    for text in ("(" * MAX_QUERY, "'" * MAX_QUERY, "/*" * (MAX_QUERY // 2), "AS (" * (MAX_QUERY // 4), "-" * MAX_QUERY,
                 "SELECT(" * (MAX_QUERY // 7), ")AS(" * (MAX_QUERY // 4), "a." * (MAX_QUERY // 2)):  # fmt: skip
        look(text)


def test_a_plain_look_sees_what_a_thorough_one_sees() -> None:
    grammar = Grammar({"t": ("a", "v", "b"), "u": ("id", "w")}, 5)
    asked = [*GOLDS, *(query for _, query, _ in LISTED), *(grammar.query() for _ in range(1_500))]
    asked += [f"SELECT a FROM t WHERE b = '{'x' * size}'" for size in (127, 128, 129, 254, 255)]
    asked += ["SELECT '" + "%" * number + "'" for number in (7, 8, 9)] + ["SELECT " + "(" * 51 + "1" + ")" * 51]
    asked += ["SELECT 1 ;", ";; select 1 ;\n", "SELECT '", "SELECT 'a;b'", "SELECT 1;SELECT 2", "SELECTED 1"]
    asked += ["WITH x AS (SELECT 1) DELETE FROM t", "SELECT 'it''s'", "select", "SELECT 1\ufeff", "SELECT 1 -- x", ""]
    asked.append("SELECT\v1")
    plain = [(query, found) for query in asked if (found := statement._plain(query)) is not None]
    assert all(found == statement._looked(query) for query, found in plain)
    assert len(plain) > 0.3 * len(asked) and any(query.endswith(";") for query, _ in plain)
