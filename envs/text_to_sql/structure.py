"""How far a query's clauses are those of the gold; how hard a query is; what it makes use of.

`components` follows Spider's exact set matching (Yu et al., EMNLP 2018; `evaluation.py` of its repository): each clause
is a set, values do not count, and a column counts as any column that foreign keys make equal to it. Where that rule is
odd, ours differs: join conditions and kinds count (Spider compares the tables alone), DISTINCT counts as a key word,
brackets and the places of AND and OR count inside WHERE and HAVING, result columns named by alias or place in GROUP BY
and ORDER BY are what they stand for, and queries beyond Spider's grammar (CASE, windows, WITH) are compared too.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from sqlglot import exp

from agentgym.envs.text_to_sql.blocks import Ref, Schema, Tables, fold
from agentgym.envs.text_to_sql.canonical import canonical, schema_of
from agentgym.envs.text_to_sql.lexical import is_parsable, tokens
from agentgym.envs.text_to_sql.names import Names
from agentgym.envs.text_to_sql.parsing import FAULTS, READS, marked, tree_of
from agentgym.envs.text_to_sql.writer import Writer

COMPONENTS: Final = (
    "select",
    "tables",
    "joins",
    "where",
    "group",
    "having",
    "order",
    "limit",
    "set_operation",
    "nested",
    "key_words",
)
"""The clauses that are compared."""

SCORE: Final = "score"
"""The key of the one number."""

_WORDS: Final[Mapping[str, type[exp.Expr]]] = {
    "where": exp.Where,
    "group": exp.Group,
    "having": exp.Having,
    "order": exp.Order,
    "limit": exp.Limit,
    "offset": exp.Offset,
    "union": exp.Union,
    "except": exp.Except,
    "intersect": exp.Intersect,
    "or": exp.Or,
    "not": exp.Not,
    "in": exp.In,
    "like": exp.Like,
    "between": exp.Between,
    "exists": exp.Exists,
    "case": exp.Case,
    "over": exp.Window,
    "with": exp.With,
    "distinct": exp.Distinct,
}


def components(gold: str, pred: str, tables: Tables = (), dialect: str = "sqlite") -> dict[str, float]:
    """Return for each of `COMPONENTS` 1.0 where both queries have the same, else 0.0, and the share of them as `SCORE`.

    select: the multiset of result expressions. tables, joins: of the sources in FROM; of join conditions and kinds,
    wherever they are written. where, having: the condition, the operands of AND and of OR in any order. group: the set
    of keys. order: the terms with their directions, in order. limit: whether there is one. set_operation: its word and
    its other side, all of it. nested: the multiset of sub-queries, derived tables and common table expressions.
    key_words: the set of words used anywhere (WHERE, OR, NOT, IN, LIKE, DISTINCT, DESC …). All but set_operation,
    nested and key_words speak of the first SELECT.

    `SCORE` in [0, 1] is the share of equal ones among the components that either query has, so that a clause that
    neither needs earns nothing. A prediction that cannot be parsed scores 0 everywhere, unless it is the gold itself.

    Args:
        gold: the accepted query.
        pred: any text.
        tables: the database's tables, with their foreign keys; without them names stand for themselves.
        dialect: sqlglot's name.
    """
    schema = schema_of(tables)
    ours, theirs = _facts(gold, dialect, schema), _facts(pred, dialect, schema)
    if ours is None or theirs is None:
        same = float(canonical(gold, dialect, tables) == canonical(pred, dialect, tables))
        return dict.fromkeys((*COMPONENTS, SCORE), same)
    found = {name: float(one == other) for name, one, other in zip(COMPONENTS, ours, theirs, strict=True)}
    used = [name for name, one, other in zip(COMPONENTS, ours, theirs, strict=True) if one or other]
    found[SCORE] = sum(found[name] for name in used) / len(used) if used else 1.0
    return found


Facts = tuple[tuple[str, ...], ...]


@lru_cache(maxsize=1024)
def _facts(query: str, dialect: str, schema: Schema) -> Facts | None:
    """Return what `components` compares, in the order of COMPONENTS, each as texts; None if unread."""
    words = tokens(query, dialect)
    if not is_parsable(words, dialect) or words[0] not in READS:
        return None
    tree = tree_of(marked(words, dialect), dialect)
    if tree is None:
        return None
    try:
        return _Masked(Names(tree, schema, dialect), dialect, schema).facts(tree)
    except FAULTS:  # a tree of a kind never seen
        return None


class _Masked(Writer):
    """Writes normal forms with `?` for values and each column by its table, or by the class that keys put it in."""

    def __init__(self, names: Names, dialect: str, schema: Schema) -> None:
        super().__init__(names, dialect)
        self.classes = _key_classes(schema)

    def facts(self, tree: exp.Query) -> Facts:
        first: exp.Expr = tree
        sides: list[str] = []
        while isinstance(first, exp.SetOperation | exp.Subquery):
            if isinstance(first, exp.SetOperation):
                sides.append(
                    f"{first.key}{'' if first.args.get('distinct') else ' all'} {self.write(first.expression)}"
                )
            first = first.this
        ends = tree if isinstance(tree, exp.SetOperation) else first  # where ORDER BY and LIMIT stand
        if not isinstance(first, exp.Select):
            return ((self.write(first),), *((),) * (len(COMPONENTS) - 1))
        shown = [self.write(item) for item in first.expressions]
        self.outputs.append(shown)
        where, links = self._conditions(first)
        sources = [self.write(node) for node in _sources_of(first)]
        group, having, order = first.args.get("group"), first.args.get("having"), ends.args.get("order")
        found: Facts = (
            tuple(sorted(shown)),
            tuple(sorted(sources)),
            tuple(sorted(links)),
            tuple(sorted(where)),
            tuple(sorted({self._term(key, shown) for key in group.expressions})) if group else (),
            tuple(sorted(self.operands(having.this, exp.And))) if having else (),
            tuple(self._direction(term, shown) for term in order.expressions) if order else (),
            ("limit",) if ends.args.get("limit") else (),
            tuple(sides),
            tuple(sorted(self.write(node) for node in _nested(first))),
            _key_words(tree),
        )
        self.outputs.pop()
        return found

    def _conditions(self, select: exp.Select) -> tuple[list[str], list[str]]:
        """Return the conditions of WHERE and of inner joins without those that link two sources; and the links.

        A condition in ON is a link with the join's kind before it.
        """
        where, links = [], []
        clause = select.args.get("where")
        parts = [("", part) for part in _parts(clause.this)] if clause else []
        for join in select.args.get("joins") or ():
            kind = f"{join.args.get('method') or ''} {join.side}".strip().lower()
            on = join.args.get("on")
            parts += [(kind, part) for part in _parts(on)] if on is not None else []
            links += [f"{kind} using {name.name}".lower() for name in join.args.get("using") or ()]
            links += [kind] if kind and on is None and not join.args.get("using") else []
        for kind, part in parts:
            text = self.write(part)
            if kind or self._links(part):
                links.append(f"{kind} {text}".strip())
            else:
                where.append(text)
        return where, links

    def _links(self, part: exp.Expr) -> bool:
        if not isinstance(part, exp.EQ):
            return False
        refs = [self.names.refs.get(id(side)) for side in (part.this, part.expression)]
        return refs[0] is not None and refs[1] is not None and refs[0].source is not refs[1].source

    def _direction(self, term: exp.Expr, shown: list[str]) -> str:
        inner = term.this if isinstance(term, exp.Ordered) else term
        return self._term(inner, shown) + (" desc" if term.args.get("desc") else "")

    def _term(self, node: exp.Expr, outputs: list[str]) -> str:
        while isinstance(node, exp.Paren):
            node = node.this
        place = self.names.by_alias.get(id(node))
        if isinstance(node, exp.Literal) and not node.is_string and node.this.isdecimal():
            place = int(node.this) - 1
        if place is not None and 0 <= place < len(outputs):
            return outputs[place]
        return self.write(node)

    def literal(self, node: exp.Literal) -> str:
        """Write any value as one."""
        return "?"

    def column(self, node: exp.Column) -> str:
        """Write a column by its table, a name that is a string as a value, one that is not known as it is."""
        if id(node) in self.names.strings:
            return "?"
        place = self.names.by_alias.get(id(node))
        if place is not None and self.outputs and place < len(self.outputs[-1]):
            return self.outputs[-1][place][:1000]
        ref = self.names.refs.get(id(node))
        return self._of(ref) if ref is not None else fold(node.name)

    def _of(self, ref: Ref) -> str:
        source = ref.source
        if source.name:
            return self.classes.get((source.name, ref.column), f"{source.name}.{ref.column}")
        if source.columns is not None and ref.column in source.columns:
            cte = self.names.ctes.get(id(source.node))
            return f"{'derived' if cte is None else f'with#{cte.number}'}#{source.columns[ref.column]}"
        return ref.column

    def table(self, node: exp.Table) -> str:
        """Write a table by its name, a common table expression by its number."""
        cte = self.names.ctes.get(id(node))
        return fold(node.name) if cte is None else f"with#{cte.number}"

    def alias(self, node: exp.Alias) -> str:
        """Write what is named."""
        return self.write(node.this)

    def membership(self, node: exp.In) -> str:
        """Write a list of values as one value."""
        return f"in({self.write(node.this)},?)" if node.expressions else self.plain(node)

    def _named(self, text: str, node: exp.Expr) -> str:
        return text


def _parts(node: exp.Expr) -> list[exp.Expr]:
    parts, stack = [], [node]
    while stack:
        item = stack.pop()
        while isinstance(item, exp.Paren):
            item = item.this
        if isinstance(item, exp.And):
            stack += [item.expression, item.this]
        else:
            parts.append(item)
    return parts


def _sources_of(select: exp.Select) -> list[exp.Expr]:
    from_ = select.args.get("from_")
    joins = select.args.get("joins") or []
    return ([from_.this] if from_ is not None else []) + [join.this for join in joins]


def _nested(select: exp.Select) -> list[exp.Expr]:
    """Return the queries inside a SELECT, those inside them left out."""

    def is_query(node: exp.Expr) -> bool:
        return node is not select and isinstance(node, exp.Select | exp.SetOperation)

    return [node for node in select.walk(prune=is_query) if is_query(node)]


def _key_words(tree: exp.Expr) -> tuple[str, ...]:
    words = {word for word, kind in _WORDS.items() if tree.find(kind) is not None}
    if any(term.args.get("desc") for term in tree.find_all(exp.Ordered)):
        words.add("desc")
    if any(node.args.get("negate") for node in tree.find_all(exp.Like)):
        words.add("not")
    return tuple(sorted(words))


@lru_cache(maxsize=256)
def _key_classes(schema: Schema) -> dict[tuple[str, str], str]:
    """Return for each column of a foreign key the name of its class: columns that keys make equal are one."""
    parent: dict[tuple[str, str], tuple[str, str]] = {}

    def top(column: tuple[str, str]) -> tuple[str, str]:
        while parent.get(column, column) != column:
            column = parent[column]
        return column

    for name, table in schema.tables.items():
        for reference in table.references:
            for own, target in zip(reference.columns, reference.targets, strict=False):
                one, other = top((name, fold(own))), top((fold(reference.table), fold(target)))
                parent[max(one, other)] = min(one, other)
                parent.setdefault(min(one, other), min(one, other))
    return {column: ".".join(top(column)) for column in parent}
