"""Components, hardness and features, by hand on small queries and against Spider's rules on its own parses."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from typing import Any

import pytest
from sql_small import GOLDS, TABLES, bird, reference, spider

from agentgym.envs.text_to_sql.engine import Column, Reference, TableInfo
from agentgym.envs.text_to_sql.hardness import FEATURES, difficulty, features
from agentgym.envs.text_to_sql.near_misses import near_misses, render
from agentgym.envs.text_to_sql.structure import COMPONENTS, SCORE, components
from agentgym.rng import TurnRng

GOLD = (
    "SELECT s.name, count(*) FROM singer s JOIN concert c ON s.id = c.singer_id WHERE c.year = 2014 OR c.price > 5"
    " GROUP BY s.id HAVING count(*) > 1 ORDER BY count(*) DESC LIMIT 3"
)

CHANGES = [
    # another query, the components that then differ
    (GOLD, set()),
    (GOLD.replace("2014", "1999").replace("LIMIT 3", "LIMIT 1"), set()),  # values do not count
    (GOLD.replace("s.id = c.singer_id", "c.singer_id = s.id").replace("count(*) DESC", "2 DESC"), set()),
    (GOLD.replace("s.", "q.").replace("singer s", "singer q").replace("count(*) FROM", "count(*) AS n FROM"), set()),
    (GOLD.replace("GROUP BY s.id", "GROUP BY c.singer_id"), set()),  # the foreign key makes them equal
    (GOLD.replace("SELECT s.name, count(*)", "SELECT count(*), s.name"), set()),  # a set: order does not count
    (GOLD.replace("SELECT s.name", "SELECT s.age"), {"select"}),
    (GOLD.replace("SELECT s.name, count(*)", "SELECT s.name"), {"select"}),
    (GOLD.replace("SELECT s.name", "SELECT DISTINCT s.name"), {"key_words"}),
    (GOLD.replace("c.year = 2014 OR c.price > 5", "c.year = 2014 AND c.price > 5"), {"where", "key_words"}),
    (GOLD.replace("c.price > 5", "c.price >= 5"), {"where"}),
    (GOLD.replace(" WHERE c.year = 2014 OR c.price > 5", ""), {"where", "key_words"}),
    (GOLD.replace("GROUP BY s.id", "GROUP BY s.id, s.name"), {"group"}),
    (GOLD.replace(" HAVING count(*) > 1", ""), {"having", "key_words"}),
    (GOLD.replace("HAVING count(*) > 1", "HAVING count(*) < 1"), {"having"}),
    (GOLD.replace(" DESC", ""), {"order", "key_words"}),
    (GOLD.replace(" LIMIT 3", ""), {"limit", "key_words"}),
    (GOLD.replace("s.id = c.singer_id", "s.id = c.hall_id"), {"joins"}),
    (GOLD.replace("JOIN concert", "LEFT JOIN concert"), {"joins"}),
    (GOLD.replace(" WHERE", " JOIN hall h ON h.id = c.hall_id WHERE"), {"tables", "joins"}),
]


@pytest.mark.parametrize("pred, differ", CHANGES)
def test_components_of_one_query(pred: str, differ: set[str]) -> None:
    found = components(GOLD, pred, TABLES)
    assert {name for name in COMPONENTS if not found[name]} == differ
    # GOLD has all but set_operation and nested: 9 components count, and each that differs is one of them.
    assert found[SCORE] == (9 - len(differ)) / 9
    assert set(found) == {*COMPONENTS, SCORE} and all(isinstance(value, float) for value in found.values())


def test_components_that_neither_needs_earn_nothing() -> None:
    # select and tables are all that either has; select differs.
    found = components("SELECT name FROM singer", "SELECT age FROM singer", TABLES)
    assert found["where"] == found["group"] == 1.0 and found[SCORE] == 0.5


def test_set_operations_and_nested_queries() -> None:
    gold = "SELECT id FROM singer WHERE age > (SELECT avg(age) FROM singer)"
    gold += " EXCEPT SELECT singer_id FROM concert WHERE year = 2"
    same = components(gold, gold.replace("= 2", "= 3"), TABLES)
    assert same[SCORE] == 1.0
    assert [name for name in COMPONENTS if not components(gold, gold.replace("EXCEPT", "UNION"), TABLES)[name]] == [
        "set_operation",
        "key_words",
    ]
    other = components(gold, gold.replace("year", "price"), TABLES)
    assert [name for name in COMPONENTS if not other[name]] == ["set_operation"]
    inner = components(gold, gold.replace("avg", "max"), TABLES)
    assert [name for name in COMPONENTS if not inner[name]] == ["where", "nested"]


def test_a_condition_of_a_join_is_a_link_wherever_it_stands() -> None:
    one = "SELECT s.name FROM singer s JOIN concert c ON s.id = c.singer_id AND c.year = 2"
    assert components(one, "SELECT s.name FROM singer s, concert c WHERE c.year = 9 AND c.singer_id = s.id", TABLES)[
        SCORE
    ] == pytest.approx(
        # select, tables, joins, where; key_words differ by WHERE alone
        4 / 5
    )


def test_what_cannot_be_parsed() -> None:
    none = components("SELECT name FROM singer", "SELECT name FROM", TABLES)
    assert set(none.values()) == {0.0}
    assert set(components("nope  X", "NOPE x").values()) == {1.0}
    assert components("SELECT 1", "")[SCORE] == 0.0


def test_statements_that_are_no_queries_are_not_read_and_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    for other in ("EXPLAIN SELECT name FROM singer", "PRAGMA table_info(singer)", "VACUUM", "SHOW TABLES"):
        assert components("SELECT name FROM singer", other, TABLES)[SCORE] == 0.0
    assert not caplog.records


def test_golds_are_their_own_structure_however_written_and_misses_lack_something() -> None:
    for gold in GOLDS:
        assert set(components(gold, render(gold, TABLES), TABLES).values()) == {1.0}
        scores = [components(gold, miss, TABLES)[SCORE] for miss, _ in near_misses(gold, TABLES, TurnRng(0), limit=8)]
        assert min(scores) < 1.0 and all(0.0 <= score <= 1.0 for score in scores)


def test_two_names_of_one_alias_are_told_apart_by_their_tables() -> None:
    tables = (
        TableInfo("a", (Column("x", "INT"),)),
        TableInfo("b", (Column("x", "INT"),), (Reference(("x",), "c", ("x",)),)),
    )
    assert components("SELECT t.x FROM a t", "SELECT t.x FROM b t", tables)["select"] == 0.0


LEVELS = [
    # by the three numbers a, b, c of `difficulty`
    ("SELECT count(*) FROM singer", "easy"),  # 0 0 0
    ("SELECT name FROM singer WHERE age > 2", "easy"),  # 1 0 0
    ("SELECT name, age FROM singer", "medium"),  # 0 0 1
    ("SELECT name FROM singer s JOIN concert c ON s.id = c.singer_id WHERE year = 2", "medium"),  # 2 0 0
    ("SELECT max(age), min(age) FROM singer WHERE age > 1 AND id > 2", "hard"),  # 1 0 3
    ("SELECT name FROM singer WHERE id IN (SELECT singer_id FROM concert)", "hard"),  # 1 1 0
    ("SELECT name FROM singer WHERE age = 1 OR age = 2 ORDER BY age LIMIT 1", "extra"),  # 4 0 1
    ("SELECT name FROM singer WHERE name LIKE 'a%' GROUP BY name", "hard"),  # 3 0 0
    ("SELECT name FROM singer UNION SELECT name FROM hall", "hard"),  # 0 1 0
    ("SELECT name, id FROM singer WHERE id NOT IN (SELECT singer_id FROM concert)", "extra"),  # 1 1 1
    ("SELECT rank() OVER (ORDER BY age) FROM singer", "hard"),  # 0 1 0: Spider has no windows
    ("SELECT count(*) FROM (SELECT name FROM singer)", "hard"),  # 0 1 0: Spider passes over it
    ("no query", "extra"),
]


@pytest.mark.parametrize("query, level", LEVELS)
def test_difficulty(query: str, level: str) -> None:
    assert difficulty(query) == level


USES = [
    ("SELECT name FROM singer", ""),
    ("SELECT DISTINCT age FROM singer ORDER BY age LIMIT 1", "distinct limit order"),
    (
        "SELECT count(*) FROM a JOIN b ON a.x = b.x JOIN c ON c.y = b.y GROUP BY a.z HAVING count(*) > 1",
        "aggregate group having join join3",
    ),
    ("SELECT 1 FROM a, b", "join"),
    ("SELECT 1 FROM a x LEFT JOIN a y ON x.i = y.i WHERE y.i IS NULL", "join left_join null_logic self_join"),
    ("SELECT a FROM t WHERE b IN (SELECT c FROM u)", "nested"),
    ("SELECT a FROM (SELECT a FROM t)", "nested"),
    ("SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u)", "nested"),
    ("WITH c AS (SELECT 1) SELECT * FROM c", "cte"),
    ("SELECT a FROM t UNION SELECT b FROM u ORDER BY 1", "order set_operation"),
    ("SELECT sum(a) OVER (ORDER BY b) FROM t", "aggregate window"),
    ("SELECT strftime('%Y', d) FROM t", "date"),
    ("SELECT a FROM t WHERE d >= '2024-05-31'", "date"),
    ("SELECT a FROM t WHERE d LIKE '2024-05'", "date"),
    ("SELECT a FROM t WHERE d = '12-2024-05'", ""),
    ("SELECT COALESCE(a, 0), CASE WHEN b THEN 1 END FROM t", "case null_logic"),
    ("SELECT a FROM t WHERE b IS TRUE", ""),
    ("no query", ""),
]


@pytest.mark.parametrize("query, used", USES)
def test_features(query: str, used: str) -> None:
    assert " ".join(features(query)) == used


def test_every_feature_is_seen_somewhere() -> None:
    assert {name for _, used in USES for name in used.split()} == set(FEATURES)


# Spider's rules, written for its own parses (tests only: the parses come with its questions).

LIKE, IN = 9, 8  # places in its list of operators


def _items() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((reference() / "data/spider/dev.json").read_text("utf-8"))
    return found


def _spider_level(sql: dict[str, Any]) -> str:
    conditions = sql["from"]["conds"][::2] + sql["where"][::2] + sql["having"][::2]
    words = sql["from"]["conds"][1::2] + sql["where"][1::2] + sql["having"][1::2]
    a = sum(bool(sql[key]) for key in ("where", "groupBy", "orderBy", "limit")) + max(
        len(sql["from"]["table_units"]) - 1, 0
    )
    a += words.count("or") + sum(unit[1] == LIKE for unit in conditions)
    b = sum(isinstance(value, dict) for unit in conditions for value in unit[3:5])
    b += sum(sql[key] is not None for key in ("intersect", "except", "union"))
    terms = [unit[place] for unit in sql["orderBy"][1] for place in (1, 2) if unit[place]] if sql["orderBy"] else []
    units = sql["select"][1] + sql["where"][::2] + sql["groupBy"] + terms + sql["having"]
    aggregates = sum(unit[0] != 0 for unit in units)
    c = (aggregates > 1) + (len(sql["select"][1]) > 1) + (len(sql["where"]) > 1) + (len(sql["groupBy"]) > 1)
    if a <= 1 and b == 0 and c == 0:
        return "easy"
    if b == 0 and ((c <= 2 and a <= 1) or (a <= 2 and c < 2)):
        return "medium"
    if (b == 0 and ((c > 2 and a <= 2) or (2 < a <= 3 and c <= 2))) or (a <= 1 and c == 0 and b <= 1):
        return "hard"
    return "extra"


def test_difficulty_is_spiders_on_its_dev_questions_but_where_ours_is_said_to_differ() -> None:
    items = _items()
    theirs = [_spider_level(item["sql"]) for item in items]
    assert Counter(theirs) == {"easy": 248, "medium": 446, "hard": 174, "extra": 166}  # as published
    levels = {item["query"]: level for item, level in zip(items, theirs, strict=True)}
    others = [query for query, level in levels.items() if difficulty(query) != level]
    assert len(others) == 2  # a derived table, and a chain of two set operations, of which Spider sees one
    assert "FROM (SELECT" in others[0] and "UNION" in others[1] and "EXCEPT" in others[1]


def _classes(schema: dict[str, Any]) -> dict[int, int]:
    groups: list[set[int]] = []
    for one, other in schema["foreign_keys"]:
        near = next((group for group in groups if one in group or other in group), None)
        if near is None:
            groups.append({one, other})
        else:
            near |= {one, other}
    return {column: min(group) for group in groups for column in group}


def _plain(sql: Any, classes: dict[int, int]) -> Any:
    """Return a parse without values and DISTINCT, columns by their classes."""

    def column(unit: Any) -> Any:
        return unit and (unit[0], classes.get(unit[1], unit[1]))

    def value(unit: Any) -> Any:
        return unit and (unit[0], column(unit[1]), column(unit[2]))

    def nested(item: Any) -> Any:
        return _plain(item, classes) if isinstance(item, dict) else None

    def conditions(units: Any) -> Any:
        return [u if isinstance(u, str) else (u[0], u[1], value(u[2]), nested(u[3]), nested(u[4])) for u in units]

    if sql is None:
        return None
    tables = [
        (kind, _plain(unit, classes) if isinstance(unit, dict) else unit) for kind, unit in sql["from"]["table_units"]
    ]
    return {
        "select": sorted(repr((kind, value(unit))) for kind, unit in sql["select"][1]),
        "tables": sorted(map(repr, tables)),
        "where": conditions(sql["where"]),
        "links": conditions(sql["from"]["conds"]),
        "group": sorted(column(unit)[1] for unit in sql["groupBy"]),
        "having": conditions(sql["having"]),
        "order": sql["orderBy"] and (sql["orderBy"][0], [value(unit) for unit in sql["orderBy"][1]]),
        "limit": sql["limit"] is not None,
        **{key: _plain(sql[key], classes) for key in ("intersect", "except", "union")},
    }


def _exact(one: Any, other: Any) -> bool:
    if one is None or other is None:
        return one is other
    sides = all(_exact(one[key], other[key]) for key in ("intersect", "except", "union"))
    wheres = [(sorted(map(repr, sql["where"][::2])), set(sql["where"][1::2])) for sql in (one, other)]
    same = all(one[key] == other[key] for key in ("select", "tables", "group", "having", "order", "limit"))
    return sides and same and wheres[0] == wheres[1]


def test_structure_is_spiders_exact_set_match_on_pairs_of_its_golds() -> None:
    schemas = {item["db_id"]: item for item in json.loads((reference() / "data/spider/tables.json").read_text("utf-8"))}
    tables = dict(spider())
    parses: dict[str, dict[str, Any]] = defaultdict(dict)
    for item in _items():
        parses[item["db_id"]][item["query"]] = _plain(item["sql"], _classes(schemas[item["db_id"]]))
    seen = Counter[tuple[bool, bool]]()
    for golds in list(parses.values())[2:6]:
        for gold, one in golds.items():
            for pred, other in golds.items():
                if gold < pred:
                    seen[_exact(one, other), components(gold, pred, tables[gold])[SCORE] == 1.0] += 1
    assert set(seen) == {(False, False), (True, True)} and seen[True, True] >= 2


def test_levels_of_bird_are_harder_than_spiders() -> None:
    spiders = Counter(difficulty(query) for query, _ in spider()[::20])
    birds = Counter(difficulty(query) for query in bird()[::20])
    assert birds["easy"] / birds.total() < spiders["easy"] / spiders.total()
