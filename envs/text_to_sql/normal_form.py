"""The normal form of a parsed query, as text: what `canonical` gives for a query that sqlglot can read.

Every node writes itself as `name(parts)`, so no two trees share a text by accident; equal texts come from the rules in
`canonical` alone. Sources are numbered within their block and named by (blocks further out, number), so the text of a
sub-query does not depend on where it stands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from typing import Any, Final

from sqlglot import exp

from agentgym.envs.text_to_sql.blocks import Schema, fold
from agentgym.envs.text_to_sql.names import Names
from agentgym.envs.text_to_sql.parsing import DOUBLE, FUNCTION

COPIED: Final = 200
"""Longest text of a result column that is written again where its alias stands; keeps the whole linear."""

_FLIPPED: Final = {exp.GT: "<", exp.GTE: "<="}
_ORDERED: Final = {exp.LT: "<", exp.LTE: "<="}
_EQUAL: Final = {exp.EQ: "=", exp.NEQ: "<>"}
_INNER: Final = ("", "INNER", "CROSS")
_REFUSED: Final = frozenset((word, "distinct") for word in ("union", "except", "intersect"))  # by SQLite
_LOOSE: Final = (-1, 1 << 30)
_SPELLING = (
    "all as asc cross desc first inner is isnull join last not notnull null nulls offset on outer recursive where and"
)
_NOISE: Final = frozenset(_SPELLING.split())

# What binds tighter has the higher number, in SQLite; a tree that breaks this was read otherwise than SQLite reads.
_BINDS: Final[dict[type[exp.Expr], int]] = {
    exp.Or: 1, exp.And: 2, exp.Not: 3,
    **dict.fromkeys([exp.EQ, exp.NEQ, exp.Is, exp.NullSafeEQ, exp.NullSafeNEQ, exp.Between, exp.In, exp.Like], 4),
    **dict.fromkeys([exp.ILike, exp.Glob, exp.RegexpLike, exp.Escape], 4),
    **dict.fromkeys([exp.LT, exp.LTE, exp.GT, exp.GTE], 5),
    **dict.fromkeys([exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseLeftShift, exp.BitwiseRightShift], 7),
    exp.Add: 8, exp.Sub: 8, exp.Mul: 9, exp.Div: 9, exp.Mod: 9,
    exp.DPipe: 10, exp.JSONExtract: 10, exp.JSONExtractScalar: 10, exp.Collate: 11, exp.Neg: 12, exp.BitwiseNot: 12,
}  # fmt: skip


def normal_form(tree: exp.Query, words: list[str], schema: Schema, dialect: str) -> str | None:
    """Return the normal form of a marked tree, or None where sqlglot may have read another query than the database.

    Args:
        tree: what `tree_of(marked(words, dialect), dialect)` gave.
        words: the query's tokens.
        schema: the tables that are known.
        dialect: sqlglot's name.
    """
    if not _bound_as_read(tree, dialect) or words.count("+") != sum(1 for _ in tree.find_all(exp.Add)):
        return None  # sqlglot drops a unary plus, which takes a column's affinity away
    if any(pair in _REFUSED for pair in pairwise(words)) and dialect == "sqlite":
        return None
    names = Names(tree, schema, dialect)
    text = _Writer(names, dialect).write(tree)
    return f"{'' if names.sure else 'named '}{text} {_key_words(tree, words, dialect)}"


def _key_words(tree: exp.Query, words: list[str], dialect: str) -> str:
    """Return the sorted words of the query that name nothing, but for those whose presence is a matter of spelling.

    They keep apart what sqlglot reads alike and a database does not, such as words that it passes over.
    """
    rest = Counter(word for word in words if word[0].isidentifier() and word.isascii() and word[-1] != "'")
    rest.subtract(node.this.lower() for node in tree.find_all(exp.Identifier) if not node.args.get("quoted"))
    noise = _NOISE if dialect == "sqlite" else _NOISE - {"cross"}  # elsewhere a comma binds looser than JOIN
    return " ".join(sorted(word for word, count in rest.items() if count > 0 and word not in noise))


def _bound_as_read(tree: exp.Expr, dialect: str) -> bool:
    """Return whether every operator without brackets binds as the dialect says."""
    for node in tree.walk():
        binds = _BINDS.get(type(node))
        if binds is None:
            continue
        for key, value in node.args.items():
            inner = _BINDS.get(type(value)) if isinstance(value, exp.Expr) else None
            if inner is None:
                continue
            if inner < binds or (inner == binds and key != "this" and not isinstance(node, exp.Neg | exp.Not)):
                return False
            if dialect != "sqlite":
                mixed = type(value) is not type(node) and not {inner, binds} <= {8, 9}
                if (4 <= binds <= 5 and inner <= 5) or (7 <= binds <= 10 and inner <= 10 and mixed):
                    return False
    return True


class _Writer:
    def __init__(self, names: Names, dialect: str) -> None:
        self.names = names
        self.sqlite = dialect == "sqlite"
        self.folds = dialect != "postgres"  # quoted names too
        self.outputs: list[list[str]] = []
        self.used: list[list[tuple[int, int]]] = []  # for each open ON: (up, number) of the columns in it
        self.depth = 0  # blocks open

    def write(self, node: exp.Expr) -> str:
        while isinstance(node, exp.Paren):
            node = node.this
        writer = _WRITERS.get(type(node))
        text: str = writer(self, node) if writer else self.plain(node)
        return text

    def plain(self, node: exp.Expr, without: tuple[str, ...] = ()) -> str:
        """Write the node's name and all that it holds."""
        parts = []
        for key in sorted(node.args):
            value = node.args[key]
            if value is None or value is False or value == [] or key in without:
                continue
            parts.append(f"{key}:{self.value(value)}")
        return f"{node.key}({' '.join(parts)})"

    def value(self, value: Any) -> str:
        if isinstance(value, exp.Expr):
            return self.write(value)
        if isinstance(value, list):
            return "[" + ",".join(self.value(item) for item in value) + "]"
        return repr(value)

    def several(self, nodes: list[exp.Expr]) -> str:
        return ",".join([self.write(node) for node in nodes])

    # names and values

    def identifier(self, node: exp.Identifier) -> str:
        name: str = node.this
        if not self.folds and node.args.get("quoted") and name != name.lower():
            return '"' + name.replace('"', '""') + '"'
        return _safe(fold(name))

    def column(self, node: exp.Column) -> str:
        key = id(node)
        ref = self.names.refs.get(key)
        if self.used and key not in self.names.strings:
            self.used[-1].append((self.depth - ref.up, ref.source.number) if ref else _LOOSE)
        if key in self.names.strings:
            return _quoted(node.name.removeprefix(DOUBLE))
        if not self.names.sure:
            if node.name.startswith(DOUBLE) and not node.table:
                return '"' + node.name[1:] + '"?'  # may be a string: its case counts
            return ".".join(self.write(part) for part in node.parts) + "?"
        if ref is None:
            place = self.names.by_alias[key]
            outputs = self.outputs[-1] if self.outputs else []
            return outputs[place] if place < len(outputs) and len(outputs[place]) <= COPIED else f"#{place}"
        if ref.source.query is not None and ref.column != "*" and ref.source.columns is not None:
            return f"{ref.up}.{ref.source.number}#{ref.source.columns[ref.column]}"
        return f"{ref.up}.{ref.source.number}.{_safe(ref.column)}"

    def table(self, node: exp.Table) -> str:
        cte = self.names.ctes.get(id(node))
        if cte is not None and self.names.sure:
            name = f"with#{cte.number}"
        else:
            name = ".".join(self.write(part) for part in node.parts)
        hidden = ("this", "db", "catalog", "alias")
        rest = [key for key, value in node.args.items() if value and key not in hidden]
        return self._named(self.plain(node, hidden) + name if rest else name, node)

    def _named(self, text: str, node: exp.Expr) -> str:
        alias = node.args.get("alias")
        return text if self.names.sure or alias is None else f"{text} as {self.value(alias)}"

    def cte(self, node: exp.CTE) -> str:
        number = self.names.cte_numbers[id(node)]
        return f"{number}:{self.plain(node, ('alias',) if self.names.sure else ())}"

    def subquery(self, node: exp.Subquery) -> str:
        rest = [key for key, value in node.args.items() if value and key not in ("this", "alias")]
        text = f"({self.write(node.this)})" if not rest else self.plain(node, ("alias",))
        return self._named(text, node)

    def alias(self, node: exp.Alias) -> str:
        return (
            self.write(node.this) if self.names.sure else f"{self.write(node.this)} as {self.value(node.args['alias'])}"
        )

    def literal(self, node: exp.Literal) -> str:
        return _quoted(node.this) if node.is_string else str(node.this)

    def call(self, node: exp.Anonymous) -> str:
        name = node.this if isinstance(node.this, str) else self.write(node.this)
        return f"{name.removeprefix(FUNCTION)}({self.several(node.expressions)})"

    # logic

    def junction(self, node: exp.And | exp.Or) -> str:
        return f"{node.key}({','.join(sorted(self.operands(node, type(node))))})"

    def operands(self, node: exp.Expr, kind: type[exp.Expr]) -> list[str]:
        """Return the texts of all operands of a chain of one junction, brackets around parts of it or not."""
        texts = []
        stack = [node]
        while stack:
            item = stack.pop()
            while isinstance(item, exp.Paren):
                item = item.this
            if type(item) is kind:
                stack += [item.expression, item.this]
            else:
                texts.append(self.write(item))
        return texts

    def comparison(self, node: exp.Binary) -> str:
        left, right = self.write(node.this), self.write(node.expression)
        sign = _EQUAL.get(type(node))
        if sign:
            left, right = sorted((left, right))
        else:
            sign = _ORDERED.get(type(node), "")
            if not sign:
                sign, left, right = _FLIPPED[type(node)], right, left
        return f"{sign}({left},{right})"

    def negation(self, node: exp.Not) -> str:
        inner = node.this
        while isinstance(inner, exp.Paren):
            inner = inner.this
        text = self.write(inner)
        if isinstance(inner, exp.EQ | exp.NEQ):
            sign = "<>" if isinstance(inner, exp.EQ) else "="
            return sign + text[text.index("(") :]
        return f"not({text})"

    def like(self, node: exp.Like) -> str:
        text = self.plain(node, ("negate",))
        return f"not({text})" if node.args.get("negate") else text

    def membership(self, node: exp.In) -> str:
        if not node.expressions or any(node.args.get(key) for key in ("query", "unnest", "field")):
            return self.plain(node)
        return f"in({self.write(node.this)},[{','.join(sorted(self.write(item) for item in node.expressions))}])"

    # blocks

    def select(self, node: exp.Select) -> str:
        self.depth += 1
        outputs = [self.write(item) for item in node.expressions]
        self.outputs.append(outputs)
        sources, conditions = self._sources(node)
        where = node.args.get("where")
        if where is not None:
            conditions += self.operands(where.this, exp.And)
        parts = ["select" + (" distinct" if node.args.get("distinct") else ""), f"[{','.join(outputs)}]"]
        distinct = node.args.get("distinct")
        if distinct is not None and distinct.args.get("on") is not None:
            parts.append(self.plain(distinct))
        with_ = node.args.get("with_")
        if with_ is not None:
            parts.insert(0, self.plain(with_, ("recursive",)))
        if sources:
            parts.append(f"from[{','.join(sources)}]")
        if conditions:
            parts.append(f"where[{','.join(sorted(conditions))}]")
        for key in ("group", "having", "order"):
            clause = node.args.get(key)
            if clause is not None:
                parts.append(self._clause(key, clause, outputs))
        done = ("expressions", "distinct", "from_", "joins", "where", "group", "having", "order", "with_")
        rest = self.plain(node, done)
        if rest != "select()":
            parts.append(rest)
        self.outputs.pop()
        self.depth -= 1
        return f"({' '.join(parts)})"

    def _clause(self, key: str, clause: exp.Expr, outputs: list[str]) -> str:
        if key == "having":
            return f"having[{','.join(sorted(self.operands(clause.this, exp.And)))}]"
        terms = []
        for term in clause.expressions:
            inner = term.this if isinstance(term, exp.Ordered) else term
            text = self._term(inner, outputs)
            if isinstance(term, exp.Ordered):
                text += (" desc" if term.args.get("desc") else "") + (
                    " first" if term.args.get("nulls_first") else " last"
                )
            terms.append(text)
        return f"{key}[{','.join(terms)}]{self.plain(clause, ('expressions',))}"

    def _term(self, node: exp.Expr, outputs: list[str]) -> str:
        """Write a term of GROUP BY or ORDER BY; one that is a result column as its place, however it names it."""
        while isinstance(node, exp.Paren):
            node = node.this
        if isinstance(node, exp.Literal) and not node.is_string:
            return f"#{int(node.this) - 1}" if node.this.isdecimal() else str(node.this)
        if isinstance(node, exp.Column) and id(node) in self.names.by_alias:
            return f"#{self._first(self.names.by_alias[id(node)], outputs)}"
        text = self.write(node)
        return f"#{outputs.index(text)}" if text in outputs and self.names.sure else text

    def _first(self, place: int, outputs: list[str]) -> int:
        return outputs.index(outputs[place]) if place < len(outputs) else place

    def _sources(self, node: exp.Select) -> tuple[list[str], list[str]]:
        """Return the sources in order, and the conditions of joins that say the same in WHERE."""
        from_, joins = node.args.get("from_"), node.args.get("joins") or []
        if from_ is None:
            return [], []
        free = all(_is_free(join) for join in joins)
        sources, conditions = [self.write(from_.this)], []
        for place, join in enumerate(joins, 1):
            text = self.write(join.this)
            on = join.args.get("on")
            if not free:
                kind = "" if join.kind in (*_INNER, "OUTER") else join.kind
                sources.append(f"{self.plain(join, ('this', 'on', 'kind'))}{kind}({text},{self._condition(on)[0]})")
            elif join.side:
                sources.append(f"left({text},{self._condition(on)[0]})")
            elif on is None:
                sources.append(text)
            else:
                condition, used = self._condition(on)
                if all(depth < self.depth or number <= place for depth, number in used) and _LOOSE not in used:
                    sources.append(text)
                    conditions += self.operands(on, exp.And)
                else:
                    sources.append(f"on({text},{condition})")
        return sources, conditions

    def _condition(self, on: exp.Expr | None) -> tuple[str, list[tuple[int, int]]]:
        if on is None:
            return "", []
        self.used.append([])
        text = ",".join(sorted(self.operands(on, exp.And)))
        used = self.used.pop()
        if self.used:
            self.used[-1] += used
        return text, [(depth, number) for depth, number in used if depth <= self.depth]

    def compound(self, node: exp.SetOperation) -> str:
        chain: list[exp.Expr] = []
        parts: list[str] = []
        left: exp.Expr = node
        while isinstance(left, exp.SetOperation) and (left is node or not _is_framed(left)):
            chain.append(left)
            left = left.this
        parts.append(self.write(left))
        for item in reversed(chain):
            more = "" if item is node else self.plain(item, ("this", "expression", "distinct"))
            parts += [item.key + ("" if item.args.get("distinct") else " all"), more, self.write(item.expression)]
        order = node.args.get("order")
        if order is not None:
            self.outputs.append([])
            parts.append(self._clause("order", order, []))
            self.outputs.pop()
        rest = self.plain(node, ("this", "expression", "distinct", "order"))
        return f"({' '.join(parts)} {rest})"


def _is_free(join: exp.Join) -> bool:
    """Return whether a join is inner or LEFT with a condition that may be moved."""
    if join.args.get("method") or join.args.get("using") or join.side not in ("", "LEFT"):
        return False
    return join.kind in (_INNER if not join.side else ("", "OUTER"))


def _is_framed(node: exp.Expr) -> bool:
    return any(node.args.get(key) for key in ("order", "limit", "offset", "with_"))


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _safe(name: str) -> str:
    """Return a name so that no other text can be taken for it."""
    return name if name == "*" or name.isidentifier() else '"' + name.replace('"', '""') + '"'


_WRITERS: Final[dict[type[exp.Expr], Callable[[_Writer, Any], str]]] = {
    exp.Identifier: _Writer.identifier,
    exp.Column: _Writer.column,
    exp.Star: lambda writer, node: writer.plain(node) if any(node.args.values()) else "*",
    exp.Table: _Writer.table,
    exp.CTE: _Writer.cte,
    exp.Subquery: _Writer.subquery,
    exp.Alias: _Writer.alias,
    exp.Literal: _Writer.literal,
    exp.Anonymous: _Writer.call,
    exp.And: _Writer.junction,
    exp.Or: _Writer.junction,
    **dict.fromkeys([exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE], _Writer.comparison),
    exp.Not: _Writer.negation,
    exp.Like: _Writer.like,
    exp.In: _Writer.membership,
    exp.Select: _Writer.select,
    **dict.fromkeys([exp.Union, exp.Except, exp.Intersect], _Writer.compound),
}
