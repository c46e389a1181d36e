"""What a gold query uses, and which columns it reads."""

from __future__ import annotations

import pytest

from agentgym.envs.text_to_sql.shipped.features import FEATURES, columns, features

JOIN3, HAVING, NESTED, SET, WINDOW, DATE, NULL = FEATURES


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT a FROM t", ()),
        ("SELECT t.a FROM t JOIN u ON t.a = u.a", ()),  # two tables
        ("SELECT t.a FROM t JOIN u ON t.a = u.a JOIN v ON v.a = u.a", (JOIN3,)),
        ("SELECT t.a FROM t, u, v WHERE t.a = u.a AND v.a = u.a", (JOIN3,)),
        # one join on each side makes no join of three
        ("SELECT t.a FROM t JOIN u ON t.a = u.a UNION SELECT a FROM v JOIN w ON v.b = w.b", (SET,)),
        ("SELECT a FROM t GROUP BY a HAVING COUNT(*) > 1", (HAVING,)),
        ("SELECT a FROM t WHERE a IN (SELECT a FROM u)", (NESTED,)),
        ("SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a)", (NESTED,)),
        ("SELECT (SELECT MAX(b) FROM u) AS m FROM t", (NESTED,)),
        ("SELECT a FROM (SELECT a FROM t) AS s", (NESTED,)),
        ("WITH s AS (SELECT a FROM t) SELECT a FROM s", ()),
        ("WITH s AS (SELECT a FROM t WHERE a IN (SELECT b FROM u)) SELECT a FROM s", (NESTED,)),
        ("SELECT a FROM t INTERSECT SELECT a FROM u EXCEPT SELECT a FROM v", (SET,)),
        ("SELECT a FROM (SELECT a FROM t UNION SELECT a FROM u) AS s", (NESTED, SET)),
        ("SELECT RANK() OVER (ORDER BY a) AS r FROM t", (WINDOW,)),
        ("SELECT a FROM t WHERE strftime('%Y', d) = '2023'", (DATE,)),
        ("SELECT julianday(e) - julianday(d) AS days FROM t", (DATE,)),
        ("SELECT a FROM t WHERE d >= '2023-01-31'", (DATE,)),
        ("SELECT a FROM t WHERE d = '31.01.2023'", (DATE,)),
        ("SELECT a FROM t WHERE d = '2023'", ()),
        ("SELECT update_count FROM t WHERE candidate = 1", ()),  # only looks like date(
        ("SELECT a FROM t WHERE b IS NULL", (NULL,)),
        ("SELECT a FROM t WHERE NOT b IS NULL", (NULL,)),
        ("SELECT COALESCE(a, 0) AS a0 FROM t", (NULL,)),
        ("SELECT t.a FROM t LEFT JOIN u ON t.a = u.a", (NULL,)),
    ],
)
def test_features(query: str, expected: tuple[str, ...]) -> None:
    assert features(query) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT COUNT(*) FROM t", ()),
        ("SELECT t.Name, u.b FROM t JOIN u ON t.id = u.t_id", ("b", "id", "name", "t_id")),
        ("SELECT COUNT(*) AS c FROM t GROUP BY a ORDER BY c", ("a",)),
        ("WITH s (x) AS (SELECT a FROM t) SELECT x FROM s", ("a",)),
    ],
)
def test_columns(query: str, expected: tuple[str, ...]) -> None:
    assert columns(query) == expected
