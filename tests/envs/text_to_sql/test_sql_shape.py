"""Queries of one shape are parsed once, and what is written of them is what a parse of each would say."""

from __future__ import annotations

import random
import re

import pytest
from sql_small import GOLDS, TABLES
from sql_spellings import spelling

from agentgym.envs.text_to_sql import canonical as module
from agentgym.envs.text_to_sql.canonical import canonical, form
from agentgym.envs.text_to_sql.lexical import tokens
from agentgym.envs.text_to_sql.shape import codes, filled, parts, shape, value_of

VALUES = ("0", "1", "2", "10", "9", "1.0", "'x'", "'y'", "'it''s'", "''", "'1'", "'2014-06-01'", "'a%'", "'(,)'")
MORE = (
    "SELECT name FROM singer WHERE age = 3 AND 5 = id OR country = 'x' AND name <> 'y' AND age + 1 > 2",
    "SELECT name FROM singer WHERE country = \"x\" AND name = 'y' AND age IN (4, 3, 2, 2) LIMIT 3",
    "SELECT name, age + 1 FROM singer WHERE age > 1 GROUP BY name, age + 1 HAVING count(*) > 1 ORDER BY age + 1, 1",
    "SELECT CASE WHEN age > 3 THEN 'x' ELSE 'y' END AS 'z', 'x' 'w' FROM singer ORDER BY 'x', 2 LIMIT 2 OFFSET 0",
    "SELECT CAST(age AS DECIMAL(5, 2)), substr(name, 1, 2), strftime('%Y', 'now') FROM singer WHERE name LIKE 'x'",
    "SELECT name FROM singer s JOIN concert c ON s.id = c.singer_id AND c.year = 2 AND c.price BETWEEN 1 AND 3",
    "SELECT name -> '$.a', json_extract(name, '$.a') FROM singer WHERE name = 'a' 'b' OR name = .5 OR age = 0x1F",
    "SELECT name FROM singer WHERE age IN (SELECT 1 FROM hall GROUP BY city, 1) OR -1 = age OR age = - 2",
    "SELECT name FROM singer WHERE name LIKE 'x' ESCAPE 'y' UNION SELECT 'x' FROM hall WHERE id = 1 ORDER BY 1",
    "SELEC 1 WHERE a = 2 AND b = 'x'",
    "SELECT 1 WHERE (a = 2",
)


def cold(query: str) -> str:
    """Return the canonical text with nothing known."""
    module._PATTERNS.clear()
    module._of_text.cache_clear()
    return canonical(query, "sqlite", TABLES)


def refilled(rng: random.Random, query: str) -> str:
    """Return the query with some values replaced by others."""
    return re.sub(
        r"'(?:[^']|'')*'|(?<![\w.'])\d+(?![\w.'])",
        lambda found: rng.choice(VALUES) if rng.random() < 0.6 else found[0],
        query,
    )


@pytest.mark.parametrize("query", [*GOLDS, *MORE])
def test_a_known_shape_gives_what_a_parse_gives(query: str) -> None:
    rng = random.Random(query)
    others = [query, *(refilled(rng, query) for _ in range(25))]
    alone = [cold(other) for other in others]
    module._PATTERNS.clear()
    module._of_text.cache_clear()
    assert [canonical(other, "sqlite", TABLES) for other in others] == alone
    assert len(module._PATTERNS) <= len(set(others))


@pytest.mark.parametrize("query", GOLDS)
def test_spellings_with_other_values_are_still_one_query(query: str) -> None:
    rng = random.Random(query)
    for _ in range(6):
        other = refilled(rng, query)
        try:
            spelt = spelling(rng, other, TABLES)
        except AssertionError:  # ORDER BY 'x' and the like: no draft
            continue
        assert canonical(spelt, "sqlite", TABLES) == canonical(other, "sqlite", TABLES)


def test_values_of_one_rank_share_a_shape_and_others_do_not() -> None:
    def key(query: str) -> str:
        return shape(tokens(query), "sqlite").key

    one = key("SELECT a FROM t WHERE a > 5 AND b = 'x'")
    assert one == key("select a from t where a > 7 and b = 'yy' ;") == "select a from t where a > ?n001 and b = ?s000"
    # A string sorts before a number by its quote. 5 and 7 keep their order, 7 and 5 do not, and 5 and 5 are one value.
    assert key("SELECT 1 + 2 FROM t WHERE a > 5 AND b = 7") == key("SELECT 1 + 2 FROM t WHERE a > 6 AND b = 8")
    assert len({key(f"SELECT a FROM t WHERE a > {a} AND b = {b}") for a, b in ((5, 7), (7, 5), (5, 5))}) == 3
    assert key("SELECT a FROM t WHERE a > 5") != key("SELECT a FROM t WHERE a > '5'")


@pytest.mark.parametrize(
    "query",
    [
        "SELECT a FROM t ORDER BY a, 1",
        "SELECT a FROM t GROUP BY 1",
        "SELECT a FROM t LIMIT 1",
        "SELECT a FROM t LIMIT 1, 2",
        "SELECT a AS 'x' FROM t",
        "SELECT a FROM t WHERE b = 'x' 'y'",
        "SELECT a -> '$.x' FROM t",
        "SELECT CAST(a AS DECIMAL(1, 2)) FROM t",
        "SELECT a FROM t WHERE b IN (SELECT c FROM t GROUP BY c, 1)",
        "SELECT a FROM t WHERE b = x'41' AND c = 0x1F AND d = 1e3 AND e = .5",
        'SELECT a FROM t WHERE b = "x"',
        "SELECT a FROM t WHERE b = 'open",
        "SELECT a FROM t WHERE b = 'open''",
    ],
)
def test_where_more_than_its_rank_may_decide_a_value_is_part_of_the_shape(query: str) -> None:
    assert not shape(tokens(query), "sqlite").free


def test_marks_of_ranks_in_a_query_are_not_taken_for_ranks() -> None:
    one = "SELECT 'b' FROM singer AS \"\x02000\x03\" WHERE age = 'a'"
    other = "SELECT 'b' FROM singer WHERE age = '\x02'"
    for query in (one, other, "\x02001\x03 'a'"):
        assert not shape(tokens(query), "sqlite").values
        assert cold(query) == canonical(query, "sqlite", TABLES)
    assert "\x02" in cold(other)


def test_other_dialects_keep_their_values() -> None:
    assert not shape(tokens("SELECT a FROM t WHERE a = 5", "duckdb"), "duckdb").values
    assert canonical("SELECT a FROM t WHERE a = 5", "duckdb") != canonical("SELECT a FROM t WHERE a = 6", "duckdb")


def test_what_is_taken_out_is_put_in_again() -> None:
    values = ["'a'", "5"]
    coded = codes(values)
    pieces = parts(f"=({coded['5']},x) {coded[values[0]]}")
    assert pieces == ("=(", 1, ",x) ", 0, "") and filled(pieces, values) == "=(5,x) 'a'"
    assert [value_of(word) for word in ("'a'", '"a""\'"', "5", ".5", "a", "(", ".", '"')] == [
        "'a'", "'a\"'''", "5", "0.5", "", "", "", "",
    ]  # fmt: skip


def test_a_form_tells_tables_and_order_of_a_known_shape_too() -> None:
    for value in ("1", "2"):
        found = form(f"SELECT h.name FROM hall h, Singer WHERE h.id = {value} ORDER BY 1", "sqlite", TABLES)
        assert (sorted(found.tables), found.ordered) == (["hall", "singer"], True)
        assert not form(f"SELECT name FROM (SELECT name FROM hall WHERE id = {value} ORDER BY 1)").ordered


def test_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CACHE", 10)
    module._PATTERNS.clear()
    for number in range(25):
        canonical(f"SELECT {'a, ' * number} b FROM t", "sqlite", TABLES)
        assert 0 < len(module._PATTERNS) <= 10
    before = len(module._PATTERNS)
    canonical("SELECT a, " * 1 + "b, " * 2_000 + "c FROM t")  # longer than what is kept
    assert len(module._PATTERNS) == before
