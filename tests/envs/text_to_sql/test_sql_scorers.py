"""The scorers, rule by rule, on results written by hand; and what no scorer may be fooled by."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym.envs.text_to_sql.engine import Engine, open_engine
from agentgym.envs.text_to_sql.result import KINDS, ROWS, Result
from agentgym.envs.text_to_sql.scorers import SCORERS, Gold, is_right, make_gold, rows_hash
from tests import linear

SCRIPT = """
CREATE TABLE city (name TEXT, country TEXT, people INTEGER, area REAL);
INSERT INTO city VALUES ('Rome', 'Italy', 2750, 1285.0), ('Turin', 'Italy', 850, 130.0),
    ('Oslo', 'Norway', 700, 454.0), ('Bergen', 'Norway', 290, NULL);
"""
GOLD, AGENT = 1_999_999, 2_000_000  # budgets of their own, so engines and connections of their own


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "cities.sqlite"
    with closing(sqlite3.connect(path)) as made:
        made.executescript(SCRIPT)
    return path


@pytest.fixture
def engine(file: Path) -> Any:
    made = open_engine(file, budget=AGENT)
    yield made
    made.close()
    open_engine(file, budget=GOLD).close()


def judged(engine: Engine, gold: str, pred: str, **options: Any) -> dict[str, bool]:
    """The verdict of every scorer on a prediction."""
    right = make_gold([gold], open_engine(engine.path, budget=GOLD), **options)
    result = engine.run(pred)
    return {scorer: is_right(scorer, right, pred, result, engine) for scorer in SCORERS}


def everyone(verdict: bool) -> dict[str, bool]:
    return dict.fromkeys(SCORERS, verdict)


def rows(*given: tuple[Any, ...], columns: str = "abcdefgh") -> Result:
    width = len(given[0]) if given else 1
    return Result(ROWS, tuple(columns[:width]), given)


def verdict(
    scorer: str, gold: Result, pred: Result, gold_text: str = "SELECT", pred_text: str = "SELECT", **options: Any
) -> bool:
    return is_right(scorer, Gold((gold_text,), (gold,), **options), pred_text, pred, None)  # type: ignore[arg-type]


# ---- every scorer ------------------------------------------------------------------------------------------------

ITALY = "SELECT name, people FROM city WHERE country = 'Italy'"


@pytest.mark.parametrize(
    "pred",
    [
        ITALY,
        f"{ITALY};",
        f"  -- why\n{ITALY.lower().replace('italy', 'Italy')} /* so */",
        "SELECT c.name, c.people FROM city AS c WHERE c.people IN (2750, 850)",
        "SELECT name, people * 1.0 AS people FROM city WHERE country = 'Italy'",  # 1 == 1.0
    ],
)
def test_another_spelling_is_right_everywhere(pred: str, engine: Engine) -> None:
    assert judged(engine, ITALY, pred) == everyone(True)


@pytest.mark.parametrize(
    "pred",
    [
        "",
        "   \n ",
        ";",
        "-- SELECT name, people FROM city WHERE country = 'Italy'",
        f"/* {ITALY} */",
        f"{ITALY}; SELECT 1",
        f"SELECT 1; {ITALY}",
        f"{ITALY}; DROP TABLE city",
        f"EXPLAIN {ITALY}",
        f"EXPLAIN QUERY PLAN {ITALY}",
        "DELETE FROM city",
        "UPDATE city SET country = 'Norway'",
        "WITH x AS (SELECT 1) DELETE FROM city",
        "CREATE TEMP VIEW city AS SELECT * FROM main.city WHERE 0",
        "CREATE TEMP TABLE city (name, country, people)",
        "PRAGMA query_only = OFF",
        "ATTACH ':memory:' AS m",
        "SELECT name FROM nowhere",
        f"```sql\n{ITALY}\n```",
        "SELECT * FROM city LIMIT 0",
        "SELECT NULL WHERE 0",
        "SELECT 1",
        "SELECT NULL, NULL",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, i FROM n",
    ],
)
@pytest.mark.parametrize(
    "gold", [ITALY, "SELECT name FROM city WHERE country = 'Spain'", "SELECT max(people) FROM city"]
)
def test_what_answers_nothing_is_wrong_everywhere(gold: str, pred: str, engine: Engine, file: Path) -> None:
    before = file.read_bytes()
    got = judged(engine, gold, pred)
    if "Spain" in gold and pred in ("SELECT NULL WHERE 0", "SELECT * FROM city LIMIT 0"):
        # No rows where none are right: that is what the rules say, of one shape or of any.
        right = {
            "SELECT NULL WHERE 0": set(SCORERS),
            "SELECT * FROM city LIMIT 0": {"spider", "spider_keep_distinct", "bird"},
        }
        assert {scorer for scorer in SCORERS if got[scorer]} == right[pred]
    else:
        assert got == everyone(False)
    assert judged(engine, gold, gold) == everyone(True)  # and the gold is still what it was
    assert file.read_bytes() == before


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != ROWS])
@pytest.mark.parametrize("scorer", SCORERS)
def test_only_what_ran_can_be_right(scorer: str, kind: str, engine: Engine) -> None:
    nothing = Gold(("SELECT name FROM city WHERE 0",), (Result(ROWS, ("name",), ()),))
    assert not is_right(scorer, nothing, "SELECT name FROM city WHERE 0", Result(kind, ("name",), ()), engine)


@pytest.mark.parametrize("scorer", SCORERS)
def test_one_of_several_accepted_queries_is_enough(scorer: str, engine: Engine) -> None:
    gold = make_gold(["SELECT max(people) FROM city", "SELECT name FROM city ORDER BY people DESC LIMIT 1"], engine)
    for pred, wanted in (("SELECT 'Rome'", True), ("SELECT 2750", True), ("SELECT 'Oslo'", False)):
        assert is_right(scorer, gold, pred, engine.run(pred), engine) is wanted


def test_an_unknown_scorer_and_a_gold_that_does_not_run_are_refused(engine: Engine) -> None:
    gold = make_gold([ITALY], engine)
    with pytest.raises(ValueError, match="unknown scorer 'birds'; did you mean 'bird'"):
        is_right("birds", gold, "", Result(ROWS), engine)
    with pytest.raises(ValueError, match=r"the accepted query 'SELECT x FROM city' does not run: sql_error, .*x"):
        make_gold([ITALY, "SELECT x FROM city"], engine)
    with pytest.raises(ValueError, match="needs an accepted query"):
        make_gold([], engine)


# ---- values ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scorer", ["strict", "spider", "spider_keep_distinct", "bird", "defog"])
@pytest.mark.parametrize(
    ("gold", "pred", "wanted"),
    [
        (1, 1.0, True),
        (1, True, True),
        (0.0, -0.0, True),
        (2**53 + 1, 2**53 + 1, True),
        (2**53 + 1, float(2**53), False),
        (1, "1", False),
        ("a", "A", False),
        ("a", "a ", False),
        ("é", "e\u0301", False),  # another text, however it looks
        ("ab", b"ab", False),
        (b"ab", b"ab", True),
        (None, None, True),
        (None, 0, False),
        (None, "", False),
        (None, -99999, False),  # what Defog's program fills NULL with
        (float("inf"), float("inf"), True),
        (float("inf"), float("-inf"), False),
        (1.5, 1.6, False),
    ],
)
def test_values(scorer: str, gold: Any, pred: Any, wanted: bool) -> None:
    assert verdict(scorer, rows((gold, "x"), (7, "y")), rows((pred, "x"), (7, "y"))) is wanted


def test_strict_compares_floats_in_12_digits() -> None:
    assert verdict("strict", rows((0.1 + 0.2,)), rows((0.3,)))  # the sum is one unit in the last place off
    assert verdict("strict", rows((3,)), rows((2.9999999999999996,)))
    assert not verdict("strict", rows((0.3,)), rows((0.30000000001,)))  # 3e-11 of 0.3 apart
    assert not verdict("strict", rows((5,)), rows((5 + 1e-9,)))
    assert verdict("strict", rows((1234567890123,)), rows((1234567890123.0,)))  # more digits, but whole
    assert not verdict("bird", rows((0.3,)), rows((0.1 + 0.2,)))  # BIRD compares them as they are


VALUES = st.sampled_from([None, 0, 1, 1.0, True, 2, 0.5, 0.1 + 0.2, 0.3, "", "1", "a", b"", b"1", float("inf")])
TABLES = st.lists(st.tuples(VALUES, VALUES), max_size=4)


@given(TABLES, TABLES, st.booleans(), st.booleans())
def test_the_hash_tells_what_strict_tells(first: Any, second: Any, turned: bool, ordered: bool) -> None:
    gold, pred = (Result(ROWS, ("a", "b"), tuple(table)) for table in (first, first[::-1] if turned else second))
    same = rows_hash(gold, ordered) == rows_hash(pred, ordered)
    assert verdict("strict", gold, pred, ordered=ordered) is same
    assert same or ordered or not turned
    if verdict("strict", gold, pred) and not any(isinstance(value, float) for row in first + second for value in row):
        assert verdict("bird", gold, pred) and verdict("spider", gold, pred) and verdict("defog", gold, pred)


# ---- strict ------------------------------------------------------------------------------------------------------

TWO = rows((1, "a"), (2, "b"))


@pytest.mark.parametrize(
    ("pred", "unordered", "ordered"),
    [
        (rows((1, "a"), (2, "b")), True, True),
        (rows((2, "b"), (1, "a")), True, False),
        (rows((1, "a"), (2, "b"), (2, "b")), False, False),
        (rows(("a", 1), ("b", 2)), False, False),
        (rows((1, "b"), (2, "a")), False, False),
        (Result(ROWS, ("x", "y"), TWO.rows), True, True),  # names are the query's own
        (rows((1,), (2,)), False, False),
        (rows(), False, False),
    ],
)
def test_strict(pred: Result, unordered: bool, ordered: bool) -> None:
    assert verdict("strict", TWO, pred) is unordered
    assert verdict("strict", TWO, pred, ordered=True) is ordered
    assert (rows_hash(TWO) == rows_hash(pred)) is unordered
    assert (rows_hash(TWO, ordered=True) == rows_hash(pred, ordered=True)) is ordered


def test_rows_hash_is_one_text_on_every_machine() -> None:
    mixed = rows((1, 2.5, "a", b"\x00", None), (float("inf"), float("nan"), "\ud800", b"", True))
    assert rows_hash(mixed) == rows_hash(Result(ROWS, mixed.columns, mixed.rows[::-1]))
    # The rows in the canonical encoding of agentgym.digest, the smaller bytes first; 2.5 is 0x4004000000000000.
    encoded = b"((s3:inf)(s3:nan)s3:\xed\xa0\x80b0:i1;)" + b"(i1;f\x40\x04\0\0\0\0\0\0s1:ab1:\0n)"
    assert rows_hash(mixed) == blake2b(b"5 columns, ordered 0;" + encoded, digest_size=16).hexdigest()
    assert rows_hash(mixed) != rows_hash(mixed, ordered=True)
    assert len({rows_hash(Result(ROWS, tuple("abc")[:width])) for width in range(4)}) == 4  # no rows, but columns
    assert rows_hash(rows(("ab", "c"))) != rows_hash(rows(("a", "bc")))
    assert rows_hash(rows((1, 1), (1, 1))) != rows_hash(rows((1, 1)))


def test_the_hash_of_a_gold(engine: Engine) -> None:
    up, down = "SELECT name FROM city ORDER BY people", "SELECT name FROM city ORDER BY people DESC"
    assert make_gold([up], engine).hash == make_gold([down], engine).hash == rows_hash(engine.run(up))
    assert make_gold([up], engine, ordered=True).hash == rows_hash(engine.run(up), ordered=True)
    assert make_gold([up], engine, ordered=True).hash != make_gold([down], engine, ordered=True).hash
    # Several: the hash of their hashes, one behind the other.
    both = blake2b((rows_hash(engine.run(up)) * 2).encode(), digest_size=16).hexdigest()
    assert make_gold([up, down], engine).hash == both


# ---- bird --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pred", "wanted"),
    [
        (rows((2, "b"), (1, "a"), (1, "a")), True),  # a set: neither order nor how often
        (rows(("a", 1), ("b", 2)), False),
        (rows((1, "a")), False),
        (rows((1, "a", 0), (2, "b", 0)), False),
    ],
)
def test_bird(pred: Result, wanted: bool) -> None:
    assert verdict("bird", TWO, pred) is wanted


# ---- spider ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pred", "unordered", "ordered"),
    [
        (rows(("a", 1), ("b", 2)), True, True),
        (rows(("b", 2), ("a", 1)), True, False),
        (rows(("b", 1), ("a", 2)), False, False),  # each column is there, but not the rows
        (rows((1, "a"), (2, "b"), (2, "b")), False, False),
        (rows((1, 1), (2, 2)), False, False),
        (rows((1, "a", 1), (2, "b", 2)), False, False),
        (rows(), False, False),
    ],
)
def test_spider(pred: Result, unordered: bool, ordered: bool) -> None:
    assert verdict("spider", TWO, pred) is unordered
    assert verdict("spider", TWO, pred, "SELECT a, b FROM t Order By a") is ordered
    nested = "SELECT a, b FROM (SELECT * FROM t ORDER BY c)"
    assert verdict("spider", TWO, pred, nested) is ordered  # "order by" anywhere


def test_spider_takes_any_columns_where_there_are_no_rows() -> None:
    assert verdict("spider", Result(ROWS, ("a",)), Result(ROWS, ("x", "y")))
    assert not verdict("strict", Result(ROWS, ("a",)), Result(ROWS, ("x", "y")))


def test_spider_finds_equal_rows_where_one_and_one_point_nought_sort_apart() -> None:
    # Sorted by text and type, (1, 1.5) and (1.0, 1.5) come out as (1, 1.5), and (1.0, 1.5); (1.5, 1.0) as "1.0", "1.5".
    assert verdict("spider", rows((1, 1.5), (2, "x")), rows((1.5, 1.0), ("x", 2.0)))


def test_spider_drops_distinct_on_both_sides_unless_it_is_kept(engine: Engine) -> None:
    countries, twice = "SELECT DISTINCT country FROM city", "SELECT country FROM city"
    loose, kept = (lambda got: (got["spider"], got["spider_keep_distinct"])), (True, False)
    assert loose(judged(engine, countries, twice)) == kept
    assert loose(judged(engine, twice, countries)) == kept
    counted = "SELECT count(DISTINCT country) FROM city"
    assert loose(judged(engine, counted, "SELECT count(country) FROM city")) == kept  # 2 and 4 countries
    # GROUP BY is no DISTINCT: the gold has four rows without it, the prediction two.
    assert loose(judged(engine, countries, "SELECT country FROM city GROUP BY country")) == (False, True)


def test_spider_joins_operators_that_a_blank_cut(engine: Engine) -> None:
    got = judged(engine, "SELECT name FROM city WHERE people >= 850", "SELECT name FROM city WHERE people > = 850")
    assert got == everyone(False) | {"spider": True, "spider_keep_distinct": True}
    wrong = judged(engine, "SELECT '>='", "SELECT '> ='")
    assert wrong == everyone(False)  # a text keeps its blank


def test_a_gold_that_is_too_large_without_distinct_is_compared_with_it(file: Path) -> None:
    small = open_engine(file, max_rows=3)
    countries = "SELECT DISTINCT country FROM city"
    gold = make_gold([countries], small)  # four rows without DISTINCT, of which three are allowed
    assert not gold.bare[0].ok
    assert is_right("spider", gold, countries, small.run(countries), small)
    other = "SELECT DISTINCT name FROM city LIMIT 2"
    assert not is_right("spider", gold, other, small.run(other), small)
    small.close()


@pytest.mark.parametrize("scorer", SCORERS)
def test_ten_times_the_rows_take_about_ten_times_as_long(scorer: str) -> None:
    def judge(size: int) -> None:
        made = [tuple((row * (place + 3) * 7919) % 97 + place / 8 for place in range(8)) for row in range(size)]
        gold, pred = (
            Result(ROWS, tuple("abcdefgh"), tuple(table)) for table in (made, [row[::-1] for row in made[::-1]])
        )
        verdict(scorer, gold, pred)

    assert min(linear.ratios(judge, lambda size: size, 3000, times=3)) <= 15  # type: ignore[arg-type, return-value]


# ---- defog -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pred", "wanted"),
    [
        (rows((2, "b"), (1, "a")), True),
        (rows((1, "a"), (2, "b"), (2, "b")), True),  # duplicates are dropped where all columns agree
        (Result(ROWS, ("b", "a"), (("a", 1), ("b", 2))), True),  # columns by name, and here by content
        (Result(ROWS, ("x", "y"), (("a", 1), ("b", 2))), True),  # under other names: found by content
        (Result(ROWS, ("x", "y", "z"), ((0, "a", 1), (0, "b", 2))), True),  # among others
        (Result(ROWS, ("x", "y", "z"), ((0, "a", 1), (0, "b", 2), (1, "b", 2))), False),  # but then rows count
        (rows((1, "b"), (2, "a")), False),
        (rows((1,), (2,)), False),
        (rows((1, "a")), False),
        (Result(ROWS, ("a", "b")), False),  # no rows were equal to any one row, by a fault of the program
    ],
)
def test_defog(pred: Result, wanted: bool) -> None:
    assert verdict("defog", TWO, pred) is wanted


def test_defog_compares_results_of_one_shape() -> None:
    one = rows((1, "a"))
    assert not verdict("defog", one, Result(ROWS, ("a", "b")))
    assert not verdict("defog", Result(ROWS, ("a", "b")), one)
    assert not verdict("defog", rows((7, 7), (7, 7)), rows((7,)))
    assert not verdict("defog", rows((7,), (7,), (8,)), rows((7,)))
    assert verdict("defog", Result(ROWS, ("a",)), Result(ROWS, ("b",)))
    assert not verdict("defog", Result(ROWS, ("a",)), Result(ROWS, ("a", "b")))


def test_defog_compares_columns_of_one_name_and_of_mixed_types() -> None:
    same = Result(ROWS, ("n", "n"), ((1, "a"), (2, "b")))
    assert verdict("defog", same, Result(ROWS, ("n", "n"), same.rows[::-1]))
    assert verdict("defog", TWO, Result(ROWS, ("n", "n", "n"), ((0, "a", 1), (0, "b", 2))))
    mixed = Result(ROWS, ("n",), ((1,), ("a",), (None,), (b"x",)))
    assert verdict("defog", mixed, Result(ROWS, ("m",), mixed.rows[::-1]))


def test_defog_is_exact_with_whole_numbers_and_tolerant_with_others() -> None:
    # A column beside the gold's is found by content, where floats may differ by 1e-5 of their value.
    beside = lambda value: Result(ROWS, ("x", "y"), ((value, 0), (2, 1)))
    assert verdict("defog", rows((1.5,), (2,)), beside(1.50001))
    assert not verdict("defog", rows((1.5,), (2,)), beside(1.5001))
    assert not verdict("defog", rows((150_000,), (2,)), beside(150_001))
    assert not verdict("defog", rows((150_000,), (2,)), beside(150_000.1))
    assert verdict("defog", rows((None,), (2,)), beside(None))
    assert not verdict("defog", rows((10**400,), (2,)), Result(ROWS, ("x", "y"), ((1.5, 0), (2, 1))))


def test_defog_questions_that_ask_for_an_order() -> None:
    gold, text = Result(ROWS, ("name", "n"), (("b", 2), ("a", 1))), "SELECT name, n FROM t ORDER BY n DESC"
    turned = Result(ROWS, ("name", "n"), gold.rows[::-1])
    ask = {"question": "Sort them by n"}
    # The rows of both are sorted by the columns of their own ORDER BY, descending unless it says ASC.
    assert verdict("defog", gold, turned, text, "SELECT name, n FROM t ORDER BY n", **ask)
    assert not verdict("defog", gold, turned, text, "SELECT name, n FROM t ORDER BY n ASC", **ask)
    assert not verdict("defog", gold, turned, text, "SELECT name, n FROM t", **ask)  # as they come
    assert verdict("defog", gold, gold, text, "SELECT name, n FROM t", **ask)
    asks = {"Which are there": True, "Which orders are there": True, "In no particular ORDER, please": False}
    for question, wanted in asks.items():  # the words alone count
        assert verdict("defog", gold, turned, text, "SELECT name, n FROM t", question=question) is wanted
    assert not verdict("defog", gold, turned, text, "SELECT name, n FROM t", category="order_by")


def test_defog_puts_the_columns_of_the_order_last() -> None:
    gold = Result(ROWS, ("name", "n"), (("b", 2), ("a", 1)))
    ask = {"question": "arrange them"}
    # By n: (name, n). By name: (n, name). So they are unequal, and found by content, in the order of the rows.
    by_name = Result(ROWS, ("name", "n"), gold.rows)
    assert verdict("defog", gold, by_name, "SELECT … ORDER BY t.n", "SELECT … ORDER BY name", **ask)
    assert not verdict(
        "defog",
        gold,
        Result(ROWS, ("name", "n"), gold.rows[::-1]),
        "SELECT … ORDER BY t.n",
        "SELECT … ORDER BY name",
        **ask,
    )
    cut = "SELECT … ORDER BY\n n ASC"  # what stands on the next line is not read: by all columns, descending
    assert verdict("defog", gold, Result(ROWS, ("name", "n"), gold.rows[::-1]), cut, cut, **ask)
