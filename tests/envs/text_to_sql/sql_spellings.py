"""Random spellings of a query, and random expressions with brackets left out at random: food for property tests."""

from __future__ import annotations

import random
import re

from sqlglot import exp

from agentgym.envs.text_to_sql.blocks import Tables
from agentgym.envs.text_to_sql.openness import is_open
from agentgym.envs.text_to_sql.render import Draft, draft

BINARY = [
    "+",
    "-",
    "*",
    "/",
    "%",
    "||",
    "&",
    "|",
    "<<",
    ">>",
    "<",
    "<=",
    ">",
    ">=",
    "=",
    "==",
    "<>",
    "!=",
    "IS",
    "LIKE",
]
BINARY += ["AND", "OR", "IS NOT", "NOT LIKE", "IS NOT DISTINCT FROM"]
ATOMS = [
    "a",
    "b",
    "s",
    "1",
    "2",
    "0",
    "3.5",
    "'x'",
    "'1'",
    "'2.5'",
    "NULL",
    '"nope"',
    "t.a",
    "x'41'",
    "-1",
    "''",
    "TRUE",
]
CALLS = ["abs({})", "CAST({} AS TEXT)", "CAST({} AS STRING)", "CAST({} AS INTEGER)", "CAST({} AS REAL)", "typeof({})"]
CALLS += ["length({})", "len({})", "IFNULL({}, 1)", "COALESCE({}, 1)", "CASE {} WHEN 1 THEN 'p' ELSE 'q' END"]
CALLS += ["CASE WHEN {} THEN 2 END"]


def expression(rng: random.Random, depth: int) -> str:
    """Return a random expression over t(a, b, s); brackets around parts are there by chance alone."""
    if depth == 0:
        return rng.choice(ATOMS)
    kind = rng.random()
    if kind < 0.6:
        text = f"{expression(rng, depth - 1)} {rng.choice(BINARY)} {expression(rng, depth - 1)}"
    elif kind < 0.72:
        text = f"{rng.choice(['NOT ', '- ', '+ ', '~ '])}{expression(rng, depth - 1)}"
    elif kind < 0.82:
        text = rng.choice(CALLS).format(expression(rng, depth - 1))
    elif kind < 0.88:
        word = rng.choice(["", "NOT "])
        parts = [expression(rng, depth - 1) for _ in range(3)]
        text = f"{parts[0]} {word}IN ({parts[1]}, {parts[2]})"
    elif kind < 0.93:
        text = f"{expression(rng, depth - 1)} BETWEEN {expression(rng, 0)} AND {expression(rng, depth - 1)}"
    else:
        text = expression(rng, depth - 1) + rng.choice(
            [" IS NULL", " NOTNULL", " COLLATE NOCASE", " ISNULL", " IS NOT NULL"]
        )
    return f"({text})" if rng.random() < 0.35 else text


def rebracketed(rng: random.Random, text: str) -> str:
    """Return an expression with some pairs of brackets, not those of calls or lists, taken away or doubled."""
    pairs, stack = [], []
    for at, char in enumerate(text):
        if char == "(":
            stack.append(at)
        elif char == ")":
            start = stack.pop()
            if not re.search(r"(\w|IN )$", text[:start]) and "," not in text[start:at]:
                pairs.append((start, at))
    chars = list(text)
    for start, end in pairs:
        draw = rng.random()
        if draw < 0.5:
            chars[start], chars[end] = " ", " "
        elif draw < 0.6:
            chars[start], chars[end] = "((", "))"
    return "".join(chars)


def respelt(rng: random.Random, found: Draft, *, fixed: bool = False) -> str:
    """Return the draft's query in another spelling; the draft's tree is changed for good.

    fixed: what SQLite plans by is left, for queries whose result hangs on the plan.
    """
    tree = found.tree
    _rename(rng, found)
    for node in list(tree.find_all(exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)):
        if rng.random() < 0.4 and not fixed:
            _turn(node)
    for node in list(tree.find_all(exp.And, *([] if fixed else [exp.Or]))):
        if rng.random() < 0.5:
            left, right = node.this, node.expression
            node.set("this", _framed(right, node))
            node.set("expression", _framed(left, node))
    for node in tree.find_all(exp.In):
        if node.expressions:
            node.set("expressions", rng.sample(node.expressions, len(node.expressions)))
    for node in list(tree.find_all(exp.Column, exp.Literal, exp.EQ, exp.And, exp.Or, exp.Like)):
        place = isinstance(node.parent, exp.Group | exp.Ordered | exp.Limit | exp.Offset | exp.Alias)
        cast = isinstance(node.parent, exp.Anonymous) and node.parent.name.endswith("cast")
        if node.parent and not place and not cast and rng.random() < 0.15:
            node.replace(exp.Paren(this=node.copy()))
    if rng.random() < 0.5 and not fixed:
        _commas(tree)
    return _dressed(rng, found.write())


def _framed(side: exp.Expr, parent: exp.Expr) -> exp.Expr:
    return exp.Paren(this=side) if isinstance(side, exp.And | exp.Or) else side


def _turn(node: exp.Expr) -> None:
    other = {exp.LT: exp.GT, exp.GT: exp.LT, exp.LTE: exp.GTE, exp.GTE: exp.LTE}.get(type(node), type(node))
    sides = [
        exp.Paren(this=side.copy()) if isinstance(side, exp.Binary) else side.copy()
        for side in (node.expression, node.this)
    ]
    node.replace(other(this=sides[0], expression=sides[1]))


def _rename(rng: random.Random, found: Draft) -> None:
    """Give every source a new alias, and qualify or not where that decides nothing."""
    names = found.names
    blocks = list(names.blocks.values())
    new: dict[int, str] = {}
    for block in blocks:
        for source in block.sources:
            if source.node.args.get("alias") is not None or rng.random() < 0.5:
                new[id(source)] = f"z{len(new)}"
                source.node.set("alias", exp.TableAlias(this=exp.to_identifier(new[id(source)])))
    for column in found.tree.find_all(exp.Column):
        ref = names.refs.get(id(column))
        if ref is None:
            continue
        name = new.get(id(ref.source), ref.source.alias)
        if name and (column.table or rng.random() < 0.3):
            column.set("table", exp.to_identifier(name))


def _commas(tree: exp.Expr) -> None:
    for select in tree.find_all(exp.Select):
        joins = select.args.get("joins") or []
        if any(join.side or join.args.get("method") or join.args.get("using") for join in joins):
            continue
        for join in joins:
            on = join.args.get("on")
            join.set("on", None)
            join.set("kind", "CROSS")
            if on is not None:
                where = select.args.get("where")
                whole = on if where is None else exp.And(this=_framed(where.this, on), expression=_framed(on, on))
                select.set("where", exp.Where(this=whole))


def _dressed(rng: random.Random, text: str) -> str:
    """Return a text in other case, blanks, comments and quotes; strings stay."""
    parts = re.split(r"('(?:[^']|'')*'|`[^`]*`|\"[^\"]*\"|\w+|\s+)", text)
    out = []
    for part in parts:
        if part.isspace():
            out.append(rng.choice([" ", "  ", "\n\t", " /* ( ' */ ", " -- ' x\n"]))
        elif part[:1].isalpha() and part[:1] != "'":
            out.append(rng.choice([part, part.lower(), part.upper(), part.title()]))
        elif part in ("<>", "="):
            out.append(rng.choice({"<>": ["<>", "!="], "=": ["=", "=="]}[part]))
        else:
            out.append(part)
    return "".join(out) + rng.choice(["", ";", " ; ", ";;", " -- end"])


def spelling(rng: random.Random, query: str, tables: Tables = (), *, fixed: bool | None = None) -> str:
    """Return another spelling of a query; fixed: None where the query itself decides."""
    found = draft(query, tables)
    assert found is not None
    return respelt(rng, found, fixed=is_open(found.tree, found.names) if fixed is None else fixed)


NAMES = [
    "a",
    "b",
    "c",
    "id",
    "t.a",
    "u.a",
    "p.a",
    "p.id",
    '"a"',
    '"B"',
    '"zz"',
    "n",
    "m",
    "P.N",
    "`c`",
    "rowid",
    "t.id",
]
ALIASES = ["", "", " AS a", " AS b", " AS n", " n", " AS m", ' AS "n"', " AS 'b'"]
SOURCES = ["t", "u", "t AS p", "t p", "u p", "t AS u", "(SELECT a, id FROM t) p", "(SELECT a AS n, b AS a FROM t) p"]
SOURCES += ["(SELECT max(a) AS n, c FROM u GROUP BY c) AS p", "v", "v AS p", "w p"]
TABLES_OF_NAMES = ("t (a INTEGER, b TEXT, id INTEGER)", "u (a INTEGER, c TEXT, id INTEGER)")


def name_puzzle(rng: random.Random, depth: int = 1) -> str:
    """Return a random query over t, u, v and w whose point is what its names stand for."""

    def value() -> str:
        draw = rng.random()
        if depth and draw < 0.08:
            return f"({name_puzzle(rng, 0)})"
        if draw < 0.2:
            return f"{rng.choice(['max', 'count', 'sum'])}({rng.choice(NAMES)})"
        return rng.choice(NAMES) if draw < 0.85 else rng.choice(["1", "2", "'a'", f"{rng.choice(NAMES)} + 1"])

    def test() -> str:
        if depth and rng.random() < 0.15:
            return f"EXISTS ({name_puzzle(rng, 0)})"
        return f"{value()} {rng.choice(['=', '<', '<>'])} {value()}"

    items = ", ".join(value() + rng.choice(ALIASES) for _ in range(rng.choice([1, 1, 2])))
    sources = rng.choice([1, 1, 1, 2])
    text = f"SELECT {items} FROM " + rng.choice(SOURCES)
    if sources == 2:
        kind = rng.choice([", ", " JOIN ", " CROSS JOIN ", " LEFT JOIN "])
        text += kind + rng.choice(SOURCES) + (f" ON {test()}" if "LEFT" in kind or kind == " JOIN " else "")
    if rng.random() < 0.4:
        text += f" WHERE {test()}" + (f" AND {test()}" if rng.random() < 0.3 else "")
    if rng.random() < 0.3:
        text += f" GROUP BY {rng.choice([*NAMES, '1'])}" + (f" HAVING {test()}" if rng.random() < 0.5 else "")
    if rng.random() < 0.4:
        text += f" ORDER BY {rng.choice([*NAMES, '1', '2', value()])}{rng.choice(['', ' DESC'])}"
        text += rng.choice(["", " LIMIT 2"])
    if depth and rng.random() < 0.6:
        return f"WITH v AS (SELECT a, id AS n FROM t), w(b, a) AS (SELECT id, c FROM u) {text}"
    return text
