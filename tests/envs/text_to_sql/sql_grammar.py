"""Queries without end for fuzzing: valid ones over given tables, damaged ones, hostile ones and garbage."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from sql_hostile import LISTED, NUMBERS

PIECES = (
    "; DROP TABLE t", "; SELECT 1", " --", " /*", "*/", "'", '"', "`", "[", "]", "(", ")", "((((", "\0", "\ud800",
    "\ufeff", " UNION SELECT sql FROM sqlite_master", " UNION ALL SELECT * FROM gold_answers", " LIMIT -1", "?", ":a",
    " OFFSET 1e9", " WHERE 1=1 OR random()", ", randomblob(9)", ", load_extension('x')", " FROM pragma_table_info('t')",
    " RETURNING *", " INTO OUTFILE 'x'", " FOR UPDATE", "@b", "$c", "?99999", " || " * 3, " COLLATE NOCASE", "''''",
    " COLLATE nope", " INDEXED BY nope", " NOT INDEXED", "CAST(x'80' AS TEXT)", "9e999", "-9223372036854775808", "\\",
    "0x7fffffffffffffff", "99999999999999999999", "1e-400", "x'0'", "\x0b", "\u2028", "é", "😀", "% _", " GLOB '[a-'",
    " MATCH 'a'", " REGEXP 'a'", " ESCAPE ''", " OVER ()", " FILTER (WHERE 1)", " WITHIN GROUP (ORDER BY 1)",
    "json_each('[1,2]')", "zeroblob(1e9)", "printf('%99999d', 1)", "printf('%s%n%p', 1)", "hex(hex(hex(hex(b))))",
    "sqlite_version()", "EXPLAIN ", "EXPLAIN QUERY PLAN ", "PRAGMA ", "ATTACH 'x' AS y", "VALUES(1),(2,3)", "main.t",
    "WITH x AS (SELECT 1) DELETE FROM t", "NATURAL LEFT JOIN t", "CROSS JOIN u", ", t, t, t, t", "temp.t", "other.t",
    "t.*", "rowid", "_rowid_", "oid", "iif(1, 2)", "coalesce()", "max()", "sum(DISTINCT *)", "CURRENT_TIMESTAMP",
)  # fmt: skip
"""What is put into texts, wherever."""
_LINKS = tuple(zip("abcdefgh", "bcdefghi", strict=True))
BOMBS = (
    NUMBERS + "SELECT group_concat(n) FROM c",
    NUMBERS + "SELECT n, printf('%0500d', n) FROM c",
    NUMBERS + "SELECT max(date(n, '+1 day')) FROM c",
    NUMBERS + "SELECT count(DISTINCT n % 100000 || 'x') FROM c",
    NUMBERS + ", d AS (SELECT n FROM c LIMIT 5000) SELECT a.n, b.n FROM d a, d b ORDER BY a.n * b.n DESC",
    NUMBERS + "SELECT sum(n) OVER (ORDER BY n DESC ROWS BETWEEN 50 PRECEDING AND 50 FOLLOWING) FROM c",
    "WITH RECURSIVE s(x) AS (SELECT 'a' UNION ALL SELECT x || x FROM s) SELECT length(x) FROM s",
    "WITH RECURSIVE s(x) AS (SELECT 'a' UNION SELECT replace(x, 'a', 'aa') FROM s) SELECT count(*) FROM s",
    "WITH RECURSIVE s(x) AS (SELECT 'a' UNION ALL SELECT x || 'b' FROM s) SELECT sum(x LIKE '%a%b%b%b%c') FROM s",
    "SELECT count(*) FROM t a, t b, t c, t d, t e, u f WHERE a.b || b.b LIKE '%e%e%e%e%e%e%e%e%_'",
    "SELECT a.b FROM t a, t b, t c, t d ORDER BY b.b || c.b || d.b",
    "SELECT DISTINCT a.b || b.b || c.b FROM t a, t b, t c",
    "SELECT hex(hex(hex(hex(hex(hex(hex(hex(hex(hex(hex(hex(b)))))))))))) FROM t",
    "SELECT instr(group_concat(a.b), group_concat(b.b)) FROM t a, t b",
    "WITH a AS (SELECT 1 AS x), "
    + ", ".join(f"{new} AS (SELECT p.x + q.x AS x FROM {old} p, {old} q)" for old, new in _LINKS)
    + " SELECT * FROM i",
    "SELECT " + " + ".join(["(SELECT count(*) FROM t, u)"] * 50),
    "SELECT 1 FROM t" + " NATURAL JOIN t" * 30,
    "SELECT " + ",".join(["b"] * 1900) + " FROM t",
    "SELECT CASE " + " ".join(f"WHEN a = {n} THEN '{n}'" for n in range(300)) + " END FROM t",
)
"""Texts that ask for much work or memory."""
_WORDS = (
    "SELECT FROM WHERE GROUP BY HAVING ORDER LIMIT OFFSET UNION ALL EXCEPT INTERSECT JOIN LEFT ON USING AS AND OR NOT "
    "IN IS NULL LIKE BETWEEN CASE WHEN THEN ELSE END WITH RECURSIVE VALUES DISTINCT EXISTS CAST OVER PARTITION t u a b "
    "id w , ( ) * = < > + - . ; 1 2.5 'x' \"y\" || :p ? -- /* */"
)
WORDS = _WORDS.split()
COMPARE = ("=", "<>", "<", "<=", ">", ">=", "IS", "IS NOT", "LIKE", "GLOB")
AGGREGATES = ("count", "sum", "avg", "min", "max", "total", "group_concat")
FUNCTIONS = (
    "abs({0})", "round({0}, 1)", "coalesce({0}, {1})", "nullif({0}, {1})", "lower({0})", "upper({0})", "length({0})",
    "substr({0}, 2, 3)", "trim({0})", "replace({0}, 'a', 'bb')", "instr({0}, 'a')", "typeof({0})", "iif({0}, {1}, 0)",
    "date({0})", "strftime('%Y', {0})", "julianday({0})", "datetime('now', '+' || {0} || ' days')", "hex({0})",
    "quote({0})", "printf('%d-%s', {0}, {1})", "CAST({0} AS INTEGER)", "CAST({0} AS TEXT)", "unicode({0})",
    "min({0}, {1})", "char({0})",
)  # fmt: skip
Item = TypeVar("Item")
Scope = Sequence[tuple[str, str]]
"""The tables that an expression can name: alias and table."""


class Grammar:
    """Draws queries.

    Args:
        tables: columns by table; one is called t.
        seed: of the draws.
    """

    def __init__(self, tables: Mapping[str, Sequence[str]], seed: int) -> None:
        self.tables, self.draw = dict(tables), random.Random(seed)

    def query(self) -> str:
        """Return a query: of each twenty on average nine valid, five damaged, four hostile, two garbage."""
        part = self.draw.random()
        if part < 0.45:
            return self.valid()
        if part < 0.70:
            return self.damaged(self.valid())
        return self.hostile() if part < 0.90 else self.garbage()

    def valid(self) -> str:
        """Return a query that most often can be run, whatever it then comes to."""
        made = self.select(2)
        part = self.draw.random()
        if part < 0.1:
            operator = self.pick(("UNION", "UNION ALL", "EXCEPT", "INTERSECT"))
            return f"{self.select(2, single=True, ordered=False)} {operator} {self.select(1, single=True)}"
        if part < 0.2:
            return f"WITH x AS ({made}) SELECT {self.pick(('*', 'count(*)', '1'))} FROM x {self.pick(('', ', x AS y'))}"
        if part < 0.22:
            made = self.select(1, single=True, ordered=False)
            return f"{NUMBERS}SELECT n, ({made} LIMIT 1) FROM c LIMIT {self.draw.randrange(200)}"
        return f"EXPLAIN {self.pick(('', 'QUERY PLAN '))}{made}" if part < 0.24 else made

    def select(self, depth: int, single: bool = False, ordered: bool = True) -> str:
        """Return one SELECT, with subqueries down to some depth, of a single column or some, in an order or not."""
        names = [self.pick(list(self.tables)) for _ in range(self.pick((1, 1, 1, 2, 2, 3)))]
        scope = list(zip("xyz", names, strict=False))
        source = f"{names[0]} AS x"
        for at, (alias, name) in enumerate(scope[1:], 1):
            join = self.pick(("JOIN", "LEFT JOIN", "CROSS JOIN", "JOIN"))
            source += f" {join} {name} AS {alias} ON {self.column(scope[:at])} = {self.column([(alias, name)])}"
        where = f" WHERE {self.condition(scope, depth)}" if self.draw.random() < 0.5 else ""
        end = self.pick(("", "", " ORDER BY 1", " ORDER BY 1 DESC")) + self.pick(
            ("", "", " LIMIT 5", " LIMIT 3 OFFSET 2")
        )
        end = end if ordered else ""
        part = self.draw.random()
        if part < 0.3:
            key = self.column(scope)
            aggregate = f"{self.pick(AGGREGATES)}({self.pick(('', 'DISTINCT '))}{self.value(scope, depth)})"
            having = self.pick(("", f" HAVING count(*) > {self.draw.randrange(4)}"))
            shown = aggregate if single else f"{key}, {aggregate}"
            return f"SELECT {shown} FROM {source}{where} GROUP BY {key}{having}{end}"
        if part < 0.4:
            over = f"(PARTITION BY {self.column(scope)} ORDER BY {self.column(scope)})"
            ranked = self.pick(("row_number()", "rank()", "dense_rank()", "count(*)", f"lag({self.column(scope)})"))
            return f"SELECT {ranked} OVER {over} FROM {source}{where}{end}"
        columns = [self.value(scope, depth) for _ in range(1 if single else self.pick((1, 1, 2, 3)))]
        return f"SELECT {self.pick(('', '', 'DISTINCT '))}{', '.join(columns)} FROM {source}{where}{end}"

    def column(self, scope: Scope) -> str:
        """Return a column of one of the tables in scope."""
        alias, name = self.pick(scope)
        return f"{alias}.{self.pick(self.tables[name])}"

    def value(self, scope: Scope, depth: int) -> str:
        """Return an expression."""
        part = self.draw.random()
        if part < 0.5 or depth <= 0:
            return self.column(scope)
        if part < 0.6:
            return self.pick(("1", "0", "-2.5", "NULL", "'name1'", "''", "'%a%'", "'2024-02-30'", "x'ff'", "'now'"))
        if part < 0.75:
            return self.pick(FUNCTIONS).format(self.value(scope, depth - 1), self.value(scope, depth - 2))
        if part < 0.9:
            operator = self.pick(("+", "-", "*", "/", "%", "||", "&", "<<", "="))
            return f"({self.value(scope, depth - 1)} {operator} {self.value(scope, depth - 1)})"
        if part < 0.95:
            return f"CASE WHEN {self.condition(scope, depth - 1)} THEN {self.column(scope)} ELSE 0 END"
        return f"({self.select(depth - 1, single=True, ordered=False)} LIMIT 1)"

    def condition(self, scope: Scope, depth: int) -> str:
        """Return a condition."""
        part = self.draw.random()
        if part < 0.6 or depth <= 0:
            return f"{self.value(scope, depth - 1)} {self.pick(COMPARE)} {self.value(scope, depth - 1)}"
        if part < 0.7:
            return f"{self.column(scope)} IN ({self.draw.randrange(9)}, 'name2', NULL)"
        if part < 0.8:
            column = self.pick(self.tables["t"])
            return f"{self.column(scope)} IN (SELECT {column} FROM t WHERE {self.condition([('t', 't')], depth - 1)})"
        if part < 0.85:
            return f"EXISTS ({self.select(depth - 1)})"
        both = self.pick(("AND", "OR", "AND NOT"))
        return f"({self.condition(scope, depth - 1)} {both} {self.condition(scope, depth - 1)})"

    def damaged(self, text: str) -> str:
        """Return a text with one to three faults: something dropped, doubled, swapped, put in, or cut off."""
        for _ in range(self.pick((1, 1, 2, 3))):
            words = text.split(" ")
            at = self.draw.randrange(len(words))
            faults: tuple[Callable[[], str], ...] = (
                lambda words=words, at=at: " ".join(words[:at] + words[at + 1 :]),
                lambda words=words, at=at: " ".join(words[: at + 1] + words[at:]),
                lambda words=words, at=at: " ".join([*words[:at], self.pick(WORDS), *words[at + 1 :]]),
                lambda words=words, at=at: " ".join([*words[:at], words[-1 - at], *words[at + 1 :]]),
                lambda words=words, at=at: " ".join(words[: at + 1]),
                lambda text=text: self.put(text, self.pick(PIECES)),
                lambda text=text: self.put(text, chr(self.draw.randrange(0x110000))),
                lambda text=text: text.replace(self.pick("xyz."), self.pick("xyzq"), 1),
            )
            text = self.pick(faults)()
        return text

    def put(self, text: str, piece: str) -> str:
        """Return a text with something put in somewhere."""
        at = self.draw.randrange(len(text) + 1)
        return text[:at] + piece + text[at:]

    def hostile(self) -> str:
        """Return a statement of the list, a bomb, or a valid query with a hostile piece in it."""
        part = self.draw.random()
        if part < 0.3:
            return self.pick(LISTED)[1]
        if part < 0.33:
            return self.pick(BOMBS)
        return self.put(self.valid(), self.pick(PIECES))

    def garbage(self) -> str:
        """Return words without grammar, or characters without words."""
        if self.draw.random() < 0.5:
            return " ".join(self.pick(WORDS) for _ in range(self.draw.randrange(30)))
        most = 0x110000 if self.draw.random() < 0.3 else 0x80
        return "".join(chr(self.draw.randrange(most)) for _ in range(self.draw.randrange(40)))

    def pick(self, among: Sequence[Item]) -> Item:
        """Return one of some things."""
        return among[self.draw.randrange(len(among))]
