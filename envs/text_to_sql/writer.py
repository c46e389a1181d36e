"""Writes a query's tree as text so that all spellings of one query give one text (the rules: `canonical`).

Every node writes itself as `name(parts)`, so no two trees share a text by accident; equal texts come from the rules
alone. Sources are numbered within their block and named by (blocks further out, number), so the text of a sub-query
does not depend on where it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from sqlglot import exp

from agentgym.envs.text_to_sql.blocks import fold
from agentgym.envs.text_to_sql.names import Names
from agentgym.envs.text_to_sql.parsing import DOUBLE, FUNCTION

COPIED: Final = 200
"""Longest text of a result column that is written again where its alias stands; keeps the whole linear."""

_FLIPPED: Final = {exp.GT: "<", exp.GTE: "<="}
_ORDERED: Final = {exp.LT: "<", exp.LTE: "<="}
_EQUAL: Final = {exp.EQ: "=", exp.NEQ: "<>"}
_INNER: Final = ("", "INNER", "CROSS")
_LOOSE: Final = (-1, 1 << 30)
_CASTS: Final = frozenset([f"{FUNCTION}cast", f"{FUNCTION}try_cast"])
_METHODS: Final[dict[type[exp.Expr], str]] = {
    exp.Identifier: "identifier",
    exp.Column: "column",
    exp.Star: "star",
    exp.Table: "table",
    exp.CTE: "cte",
    exp.Subquery: "subquery",
    exp.Alias: "alias",
    exp.Literal: "literal",
    exp.Anonymous: "call",
    exp.And: "junction",
    exp.Or: "junction",
    **dict.fromkeys([exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE], "comparison"),
    exp.Not: "negation",
    exp.Like: "like",
    exp.In: "membership",
    exp.Select: "select",
    **dict.fromkeys([exp.Union, exp.Except, exp.Intersect], "compound"),
}


class Writer:
    """Writes each node in its own way; a subclass may write some otherwise (`structure`).

    Args:
        names: the tree's names.
        dialect: sqlglot's name.
        opened: the query's result hangs on the plan (`is_open`), so what SQLite plans by is kept: the operands of OR
            in order, and the sides of a comparison, but for one with a value in a block of one source. What others plan
            by is not known: for them AND and joins stay as they are too.
        codes: what is written for a value instead of it (`shape`).
    """

    def __init__(
        self, names: Names, dialect: str, *, opened: bool = False, codes: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self.opened = opened
        self.codes = codes
        self.strict = opened and dialect != "sqlite"
        self._methods: dict[type[exp.Expr], Callable[[Any], str]] = {
            kind: getattr(self, name) for kind, name in _METHODS.items()
        }
        self.names = names
        self.folds = dialect != "postgres"  # quoted names too
        self.outputs: list[list[str]] = []
        self.used: list[list[tuple[int, int]]] = []  # for each open ON: (up, number) of the columns in it
        self.depth = 0  # blocks open
        self.single: list[bool] = []  # for each open block: whether it has one source at most

    def write(self, node: exp.Expr) -> str:
        """Return the text of a node, brackets around it left out."""
        while isinstance(node, exp.Paren):
            node = node.this
        method = self._methods.get(type(node))
        return method(node) if method else self.plain(node)

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
        """Write what an argument holds."""
        if isinstance(value, exp.Expr):
            return self.write(value)
        if isinstance(value, list):
            return "[" + ",".join(self.value(item) for item in value) + "]"
        return repr(value)

    # names and values

    def identifier(self, node: exp.Identifier) -> str:
        """Write a name, folded where the dialect folds it."""
        name: str = node.this
        if not self.folds and node.args.get("quoted") and name != name.lower():
            return '"' + name.replace('"', '""') + '"'
        return _safe(fold(name))

    def column(self, node: exp.Column) -> str:
        """Write a column by its source, or what else its name stands for."""
        key = id(node)
        ref = self.names.refs.get(key)
        if self.used and key not in self.names.strings:
            self.used[-1].append((self.depth - ref.up, ref.source.number) if ref else _LOOSE)
        if key in self.names.strings:
            return self._valued(_quoted(node.name.removeprefix(DOUBLE)))
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

    def star(self, node: exp.Star) -> str:
        """Write `*`."""
        return self.plain(node) if any(node.args.values()) else "*"

    def table(self, node: exp.Table) -> str:
        """Write a table by its name, a common table expression by its number."""
        cte = self.names.ctes.get(id(node))
        if cte is not None and self.names.sure:
            name = f"with#{cte.number}"
        else:
            main = self.names.sure and self.names.is_main(node)
            name = ".".join(self.write(part) for part in (node.parts[1:] if main else node.parts))
        hidden = ("this", "db", "catalog", "alias")
        rest = [key for key, value in node.args.items() if value and key not in hidden]
        return self._named(self.plain(node, hidden) + name if rest else name, node)

    def _named(self, text: str, node: exp.Expr) -> str:
        alias = node.args.get("alias")
        return text if self.names.sure or alias is None else f"{text} as {self.value(alias)}"

    def cte(self, node: exp.CTE) -> str:
        """Write a common table expression with its number."""
        number = self.names.cte_numbers[id(node)]
        return f"{number}:{self.plain(node, ('alias',) if self.names.sure else ())}"

    def subquery(self, node: exp.Subquery) -> str:
        """Write a sub-query."""
        rest = [key for key, value in node.args.items() if value and key not in ("this", "alias")]
        text = f"({self.write(node.this)})" if not rest else self.plain(node, ("alias",))
        return self._named(text, node)

    def alias(self, node: exp.Alias) -> str:
        """Write what is named; the name only where names are not sure."""
        return (
            self.write(node.this) if self.names.sure else f"{self.write(node.this)} as {self.value(node.args['alias'])}"
        )

    def literal(self, node: exp.Literal) -> str:
        """Write a value as it was written, or its code."""
        return self._valued(_quoted(node.this) if node.is_string else str(node.this))

    def _valued(self, value: str) -> str:
        return self.codes.get(value, value)

    def call(self, node: exp.Anonymous) -> str:
        """Write a call under the name that the query gave it."""
        name = node.this if isinstance(node.this, str) else self.write(node.this)
        parts = [self.write(part) for part in node.expressions]
        if name in _CASTS and parts:  # the type, which `marked` wrote as a string, is no value
            parts[-1] = _quoted(node.expressions[-1].name)
        return f"{name.removeprefix(FUNCTION)}({','.join(parts)})"

    # logic

    def junction(self, node: exp.And | exp.Or) -> str:
        """Write what AND or OR joins, sorted."""
        texts = self.operands(node, type(node))
        if not self.strict and not (self.opened and isinstance(node, exp.Or)):
            texts.sort()
        return f"{node.key}({','.join(texts)})"

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

    def _in_order(self, texts: list[str]) -> list[str]:
        return texts if self.strict else sorted(texts)

    def comparison(self, node: exp.Binary) -> str:
        """Write a comparison, its sides sorted, > and >= turned round."""
        left, right = self.write(node.this), self.write(node.expression)
        if self.opened and not self._turns(node):
            return f"{_EQUAL.get(type(node)) or _ORDERED.get(type(node)) or '-' + _FLIPPED[type(node)]}({left},{right})"
        sign = _EQUAL.get(type(node))
        if sign:
            left, right = sorted((left, right))
        else:
            sign = _ORDERED.get(type(node), "")
            if not sign:
                sign, left, right = _FLIPPED[type(node)], right, left
        return f"{sign}({left},{right})"

    def _turns(self, node: exp.Binary) -> bool:
        """Return whether the plan stays the same when the sides change places."""
        values = [isinstance(side, exp.Literal) for side in (node.this, node.expression)]
        return not self.strict and self.single[-1:] == [True] and any(values) and not all(values)

    def negation(self, node: exp.Not) -> str:
        """Write NOT; of = and <> the one for the other."""
        inner = node.this
        while isinstance(inner, exp.Paren):
            inner = inner.this
        text = self.write(inner)
        if isinstance(inner, exp.EQ | exp.NEQ) and not self.opened:
            sign = "<>" if isinstance(inner, exp.EQ) else "="
            return sign + text[text.index("(") :]
        return f"not({text})"

    def like(self, node: exp.Like) -> str:
        """Write LIKE, NOT before it."""
        text = self.plain(node, ("negate",))
        return f"not({text})" if node.args.get("negate") else text

    def membership(self, node: exp.In) -> str:
        """Write IN, its list sorted."""
        if not node.expressions or any(node.args.get(key) for key in ("query", "unnest", "field")):
            return self.plain(node)
        return f"in({self.write(node.this)},[{','.join(sorted(self.write(item) for item in node.expressions))}])"

    # blocks

    def select(self, node: exp.Select) -> str:
        """Write one block."""
        self.depth += 1
        self.single.append(not node.args.get("joins"))
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
            parts.append(f"where[{','.join(self._in_order(conditions))}]")
        for key in ("group", "having", "order"):
            clause = node.args.get(key)
            if clause is not None:
                parts.append(self._clause(key, clause, outputs))
        done = ("expressions", "distinct", "from_", "joins", "where", "group", "having", "order", "with_")
        rest = self.plain(node, (*done, "offset") if self._from_the_start(node) else done)
        if rest != "select()":
            parts.append(rest)
        self.outputs.pop()
        self.single.pop()
        self.depth -= 1
        return f"({' '.join(parts)})"

    def _clause(self, key: str, clause: exp.Expr, outputs: list[str]) -> str:
        if key == "having":
            return f"having[{','.join(self._in_order(self.operands(clause.this, exp.And)))}]"
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
        free = not self.strict and all(_is_free(join) for join in joins)
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
        text = ",".join(self._in_order(self.operands(on, exp.And)))
        used = self.used.pop()
        if self.used:
            self.used[-1] += used
        return text, [(depth, number) for depth, number in used if depth <= self.depth]

    def compound(self, node: exp.SetOperation) -> str:
        """Write a chain of set operations, in order."""
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
        done = ("this", "expression", "distinct", "order")
        rest = self.plain(node, (*done, "offset") if self._from_the_start(node) else done)
        return f"({' '.join(parts)} {rest})"

    def _from_the_start(self, node: exp.Query) -> bool:
        """Return whether a query has OFFSET 0, and that is nothing; in a sub-query SQLite plans by it."""
        offset = node.args.get("offset")
        outermost = node.parent is None
        return offset is not None and offset.expression.sql() == "0" and (outermost or not self.opened)


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
