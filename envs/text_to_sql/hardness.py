"""How hard a query is by Spider's rule, and which things worth asking about it makes use of."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from sqlglot import exp

from agentgym.envs.text_to_sql.lexical import is_parsable, tokens
from agentgym.envs.text_to_sql.parsing import FUNCTION, marked, tree_of

LEVELS: Final = ("easy", "medium", "hard", "extra")
FEATURES: Final = (
    "aggregate",
    "case",
    "cte",
    "date",
    "distinct",
    "group",
    "having",
    "join",
    "join3",
    "left_join",
    "limit",
    "nested",
    "null_logic",
    "order",
    "self_join",
    "set_operation",
    "window",
)

_AGGREGATES: Final = frozenset(["avg", "count", "max", "min", "sum"])
_MORE_AGGREGATES: Final = _AGGREGATES | {"group_concat", "string_agg", "total"}
_DATE_CALLS: Final = frozenset(
    [
        "age",
        "date",
        "date_part",
        "date_trunc",
        "datetime",
        "julianday",
        "now",
        "strftime",
        "time",
        "timediff",
        "unixepoch",
    ]
)
_NULL_CALLS: Final = frozenset(["coalesce", "ifnull", "nullif"])
_DATE = re.compile(r"\d{4}-\d\d(-\d\d([ T]\d\d:\d\d.*)?)?", re.ASCII)
_DATE_NODES: Final = (exp.CurrentDate, exp.CurrentTime, exp.CurrentTimestamp, exp.Extract, exp.Interval)


def difficulty(query: str, dialect: str = "sqlite") -> str:
    """Return "easy", "medium", "hard" or "extra" by Spider's rule; "extra" for what cannot be parsed.

    Three numbers of the first SELECT decide (Yu et al., EMNLP 2018; `eval_hardness` in its repository):

    - a: 1 each for WHERE, GROUP BY, ORDER BY, LIMIT; 1 for each table in FROM after the first; 1 for each OR and each
      LIKE in ON, WHERE and HAVING.
    - b: sub-queries in ON, WHERE and HAVING, and set operations.
    - c: 1 each for more than one aggregate, result column, condition in WHERE, group key.

    easy: a ≤ 1, b = c = 0. medium: b = 0 and (a ≤ 1, c ≤ 2, or a ≤ 2, c ≤ 1). hard: b = 0 and (a ≤ 2, c > 2, or a = 3,
    c ≤ 2), or a ≤ 1, b = 1, c = 0. extra: all else.

    As there, an aggregate counts as the whole of a result column or as a term of ORDER BY, and so does each NOT before
    IN, LIKE, BETWEEN (in WHERE and HAVING) and each AND or OR of HAVING. Ours, where Spider passes over it or has no
    word for it: each derived table, common table expression, window, CASE and sub-query among the result columns adds
    1 to b, and so does each set operation of a chain.
    """
    tree = _tree(query, dialect)
    if tree is None:
        return LEVELS[3]
    first: exp.Expr = tree
    sets = 0
    while isinstance(first, exp.SetOperation | exp.Subquery):
        sets += isinstance(first, exp.SetOperation)
        first = first.this
    if not isinstance(first, exp.Select):
        return LEVELS[3]
    return _level(*_counts(first, tree, sets))


def _level(a: int, b: int, c: int) -> str:
    if a <= 1 and b == 0 and c == 0:
        return LEVELS[0]
    if b == 0 and ((a <= 1 and c <= 2) or (a <= 2 and c < 2)):
        return LEVELS[1]
    if (b == 0 and ((a <= 2 and c > 2) or (a == 3 and c <= 2))) or (a <= 1 and b <= 1 and c == 0):
        return LEVELS[2]
    return LEVELS[3]


def _counts(select: exp.Select, tree: exp.Expr, sets: int) -> tuple[int, int, int]:
    args = select.args
    joins = args.get("joins") or []
    where, where_words = _leaves(args.get("where"))
    having, having_words = _leaves(args.get("having"))
    on, on_words = [], []
    for join in joins:
        leaves, words = _leaves(join.args.get("on"), bare=True)
        on += leaves
        on_words += words
    conditions = on + where + having
    order = args["order"].expressions if args.get("order") else []
    keys = args["group"].expressions if args.get("group") else []

    a = sum(bool(args.get(key)) for key in ("where", "group", "order", "limit")) + len(joins)
    a += (on_words + where_words + having_words).count("or")
    a += sum(isinstance(_bare(leaf), exp.Like) for leaf in conditions)

    b = sets + sum(_queries_in(leaf) for leaf in conditions)
    b += sum(isinstance(node.this, exp.Query) for node in _sources(select) if isinstance(node, exp.Subquery))
    b += sum(1 for node in tree.find_all(exp.CTE, exp.Window, exp.Case))
    b += sum(_queries_in(item) for item in select.expressions)

    shown = [item.this if isinstance(item, exp.Alias) else item for item in select.expressions]
    aggregates = sum(_is_call(item, _AGGREGATES) for item in shown + [term.this for term in order])
    aggregates += sum(_is_negated(leaf) for leaf in where + having) + len(having_words)
    c = (aggregates > 1) + (len(shown) > 1) + (len(where) > 1) + (len(keys) > 1)
    return a, b, c


def _leaves(clause: exp.Expr | None, *, bare: bool = False) -> tuple[list[exp.Expr], list[str]]:
    """Return the conditions of a clause and the words between them."""
    leaves: list[exp.Expr] = []
    words: list[str] = []
    stack = [clause if bare else clause.this] if clause is not None else []
    while stack:
        node = stack.pop()
        while isinstance(node, exp.Paren):
            node = node.this
        if isinstance(node, exp.And | exp.Or):
            words.append(node.key)
            stack += [node.expression, node.this]
        else:
            leaves.append(node)
    return leaves, words


def _bare(leaf: exp.Expr) -> exp.Expr:
    return leaf.this if isinstance(leaf, exp.Not) else leaf


def _is_negated(leaf: exp.Expr) -> bool:
    if isinstance(leaf, exp.Not):
        return isinstance(leaf.this, exp.In | exp.Like | exp.Between | exp.Exists)
    return bool(leaf.args.get("negate"))


def _queries_in(node: exp.Expr) -> int:
    """Return how many queries stand in an expression, those inside them left out."""
    inner = node.walk(prune=lambda item: isinstance(item, exp.Select | exp.SetOperation))
    return sum(isinstance(item, exp.Select | exp.SetOperation) for item in inner)


def _sources(select: exp.Select) -> list[exp.Expr]:
    from_ = select.args.get("from_")
    return ([from_.this] if from_ is not None else []) + [join.this for join in select.args.get("joins") or []]


def _is_call(node: exp.Expr, names: frozenset[str]) -> bool:
    return isinstance(node, exp.Anonymous) and isinstance(node.this, str) and node.this.removeprefix(FUNCTION) in names


def features(query: str, dialect: str = "sqlite") -> tuple[str, ...]:
    """Return which of `FEATURES` a query makes use of anywhere, sorted; () for what cannot be parsed.

    join: two sources in a FROM; join3: three or more; self_join: one table twice in a FROM; nested: a query inside an
    expression or in FROM; cte: WITH; window: OVER; date: a function of dates, or a value such as '2024-05' or
    '2024-05-31'; null_logic: IS [NOT] NULL, COALESCE, IFNULL, NULLIF; the others are the clauses of their names.
    """
    tree = _tree(query, dialect)
    if tree is None:
        return ()
    found = {
        "case": tree.find(exp.Case),
        "cte": tree.find(exp.CTE),
        "distinct": tree.find(exp.Distinct),
        "having": tree.find(exp.Having),
        "limit": tree.find(exp.Limit),
        "nested": any(isinstance(node.this, exp.Query) for node in tree.find_all(exp.Subquery, exp.Exists)),
        "order": any(isinstance(node.parent, exp.Query) for node in tree.find_all(exp.Order)),
        "set_operation": tree.find(exp.SetOperation),
        "window": tree.find(exp.Window),
        "aggregate": any(_is_call(node, _MORE_AGGREGATES) for node in tree.find_all(exp.Anonymous)),
        "date": any(_is_call(node, _DATE_CALLS) for node in tree.find_all(exp.Anonymous))
        or tree.find(*_DATE_NODES)
        or any(node.is_string and _DATE.fullmatch(node.this) for node in tree.find_all(exp.Literal)),
        "null_logic": any(_is_call(node, _NULL_CALLS) for node in tree.find_all(exp.Anonymous))
        or any(isinstance(node.expression, exp.Null) for node in tree.find_all(exp.Is)),
    }
    for select in tree.find_all(exp.Select):
        sources = _sources(select)
        names = [node.name.lower() for node in sources if isinstance(node, exp.Table)]
        found["group"] = found.get("group") or select.args.get("group") is not None
        found["join"] = found.get("join") or len(sources) > 1
        found["join3"] = found.get("join3") or len(sources) > 2
        found["self_join"] = found.get("self_join") or len(set(names)) < len(names)
        joins = select.args.get("joins") or []
        found["left_join"] = found.get("left_join") or any(join.side for join in joins)
    return tuple(sorted(name for name, value in found.items() if value))


@lru_cache(maxsize=128)
def _tree(query: str, dialect: str) -> exp.Query | None:
    words = tokens(query, dialect)
    return tree_of(marked(words, dialect), dialect) if is_parsable(words, dialect) else None
