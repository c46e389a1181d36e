"""Which source each name of a query belongs to, found as SQLite finds it.

A block is one SELECT with its sources: tables, derived tables, common table expressions. A name is looked for in its
own block, then in those around it; what cannot be decided (an unknown table, two candidates, USING) stays loose.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from agentgym.envs.text_to_sql.blocks import (
    Block,
    Cte,
    Ctes,
    Outputs,
    Ref,
    Schema,
    Source,
    declared_names,
    fold,
    look,
    outputs_of,
    places_of,
)
from agentgym.envs.text_to_sql.parsing import DOUBLE


class Names:
    """All names of one query, resolved.

    Args:
        tree: the query; read only.
        schema: the tables that are known.
        plain: the tree is of a text without marks: any quoted name may be in double quotes.
        dialect: sqlglot's name; in "postgres" WHERE and HAVING see no alias of the result.

    Attributes (nodes are keyed by `id`, so keep the tree):
        refs: column -> what it stands for.
        by_alias: column -> place of the result column that it names.
        strings: names in double quotes that no column has: SQLite takes them for strings.
        loose: columns that could not be resolved, in order of visit.
        blocks: SELECT -> its block, in order of visit.
        ctes: table -> the common table expression that it reads.
        cte_numbers: the definition's node -> its number.
        sources: table, derived table or other node in FROM -> its source.
        sure: whether all names were resolved, so that another choice of aliases is the same query.
    """

    def __init__(self, tree: exp.Expr, schema: Schema, dialect: str = "sqlite", *, plain: bool = False) -> None:
        self.refs: dict[int, Ref] = {}
        self.by_alias: dict[int, int] = {}
        self.strings: set[int] = set()
        self.loose: list[exp.Column] = []
        self.blocks: dict[int, Block] = {}
        self.ctes: dict[int, Cte] = {}
        self.cte_numbers: dict[int, int] = {}
        self.sources: dict[int, Source] = {}
        self.sure = True
        self._named: set[str] = set()
        self._schema = schema
        self._plain = plain
        self._dialect = dialect
        self._query(tree, None, {})
        read = {source.name for block in self.blocks.values() for source in block.sources}
        self.sure = self.sure and not self.loose and not read & self._named  # SQLite lets a WITH name what follows it
        if dialect == "postgres":  # where a quoted name's case counts
            self.sure = self.sure and not any(
                node.args.get("quoted") and node.this != node.this.lower() for node in tree.find_all(exp.Identifier)
            )

    def _query(self, node: exp.Expr, outer: Block | None, ctes: Ctes) -> Outputs:
        """Visit a query; return the names of its columns, None for one without a name; None where not known."""
        with_ = node.args.get("with_")
        if with_ is not None:
            ctes = self._with(with_, outer, ctes)
        if isinstance(node, exp.Select):
            return self._select(node, outer, ctes)
        if isinstance(node, exp.SetOperation):
            outputs = self._query(node.this, outer, ctes)
            self._query(node.expression, outer, ctes)
        elif isinstance(node, exp.Subquery) and isinstance(node.this, exp.Query):
            outputs = self._query(node.this, outer, ctes)
        else:
            for child in _children(node, ("with_", "alias")):
                self._walk(child, outer, ctes, "other")
            return None
        for child in _children(node, ("with_", "this", "expression", "alias")):
            self._order_of_compound(child, outer, ctes, outputs)
        return outputs

    def _order_of_compound(self, node: exp.Expr, outer: Block | None, ctes: Ctes, outputs: Outputs) -> None:
        """Visit ORDER BY and LIMIT behind a compound: a bare name there is one of its result columns."""
        for term in node.expressions if isinstance(node, exp.Order) else [node]:
            key = term.this if isinstance(term, exp.Ordered) else term
            if isinstance(key, exp.Column) and not key.table:
                name = fold(key.name)
                if outputs is not None and outputs.count(name) == 1:
                    self.by_alias[id(key)] = outputs.index(name)
                else:
                    self.loose.append(key)
            else:
                self._walk(key, outer, ctes, "other")

    def _with(self, with_: exp.Expr, outer: Block | None, ctes: Ctes) -> Ctes:
        ctes = dict(ctes)
        for cte in with_.expressions:
            alias = cte.args["alias"]
            name = fold(alias.name)
            given: Outputs = [fold(column.name) for column in alias.args.get("columns") or ()]
            number = self.cte_numbers[id(cte)] = len(self.cte_numbers)
            inner = ctes
            if with_.args.get("recursive") or self._dialect == "sqlite":  # it may read itself
                inner = {**ctes, name: Cte(number, cte.this, given or declared_names(cte.this))}
            outputs = self._query(cte.this, outer, inner)
            self._named.add(name)
            ctes[name] = Cte(number, cte.this, given or outputs)
        return ctes

    def _select(self, node: exp.Select, outer: Block | None, ctes: Ctes) -> Outputs:
        block = self.blocks[id(node)] = Block(node, outer)
        from_ = node.args.get("from_")
        for item in [from_] if from_ is not None else []:
            self._source(item.this, block, ctes)
        for join in node.args.get("joins") or ():
            self._source(join.this, block, ctes)
            if join.args.get("method"):
                block.shared = None
            elif block.shared is not None:
                block.shared.update(fold(name.name) for name in join.args.get("using") or ())
        for place, item in enumerate(node.expressions):
            if isinstance(item, exp.Alias):
                block.aliases.setdefault(fold(item.alias), place)
        for item in node.expressions:
            self._walk(item, block, ctes, "list")
        for key, value in node.args.items():
            if key in ("expressions", "from_", "with_") or not value:
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, exp.Join):
                    if child.args.get("on") is not None:
                        self._walk(child.args["on"], block, ctes, "where")
                elif isinstance(child, exp.Expr):
                    self._clause(key, child, block, ctes)
        return outputs_of(node, block)

    def _clause(self, key: str, node: exp.Expr, block: Block, ctes: Ctes) -> None:
        if key in ("group", "order"):
            for term in node.expressions:
                inner = term.this if isinstance(term, exp.Ordered) else term
                while isinstance(inner, exp.Paren):
                    inner = inner.this
                self._walk(inner, block, ctes, key, bare=inner if isinstance(inner, exp.Column) else None)
            for child in _children(node, ("expressions",)):
                self._walk(child, block, ctes, key)
        else:
            self._walk(node, block, ctes, "where" if key in ("where", "having", "qualify") else "other")

    def _source(self, node: exp.Expr, block: Block, ctes: Ctes) -> None:
        alias_node = node.args.get("alias")
        alias = fold(alias_node.name) if isinstance(alias_node, exp.TableAlias) else ""
        source = Source(alias, node)
        if isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier):
            name = fold(node.name)
            source.alias = alias or name
            if name in ctes and not node.args.get("db"):  # not main.NAME, which is the database's own
                cte = self.ctes[id(node)] = ctes[name]
                source.query, source.columns = cte.query, places_of(cte.columns)
            else:
                source.name = name
                source.table = self._schema.tables.get(name)
                source.columns = self._schema.columns.get(name)
            if node.args.get("joins"):
                self.sure = False
        elif isinstance(node, exp.Subquery) and isinstance(node.this, exp.Query):
            source.query = node.this
            source.columns = places_of(self._query(node, block.outer, ctes))
        else:
            self.sure = self.sure and not isinstance(node, exp.Subquery)  # a join in brackets
            self._walk(node, block, ctes, "other")
        if isinstance(alias_node, exp.TableAlias) and alias_node.args.get("columns"):
            source.columns = places_of([fold(column.name) for column in alias_node.args["columns"]])
        self.sources[id(node)] = source
        source.number = len(block.sources)
        block.sources.append(source)

    def _walk(
        self, node: exp.Expr, block: Block | None, ctes: Ctes, clause: str, bare: exp.Column | None = None
    ) -> None:
        """Resolve the names of an expression; a sub-query begins a block of its own."""
        stack = [node]
        while stack:
            item = stack.pop()
            if isinstance(item, exp.Column):
                self._resolve(item, block, clause, item is bare)
            elif isinstance(item, exp.Query) and not isinstance(item, exp.Table):
                self._query(item, block, ctes)
            else:
                stack.extend(reversed(list(_children(item))))

    def _resolve(self, column: exp.Column, block: Block | None, clause: str, bare: bool) -> None:
        name, table = fold(column.name), fold(column.table)
        main = self.is_main(column) and not isinstance(column.this, exp.Star)
        if column.args.get("db") and not main:
            self.loose.append(column)
            return
        if isinstance(column.this, exp.Star):
            hits = [source for source in block.sources if source.alias == table] if block else []
            if len(hits) == 1:
                self.refs[id(column)] = Ref(0, hits[0], "*")
            else:
                self.loose.append(column)
            return
        own = block
        up = 0
        while block is not None:
            ref, known = look(block, table, name, up)
            if block is own and not table and name in own.aliases and self._sees_alias(clause, bare):
                if clause == "order" and bare or (known and ref is None):
                    self.by_alias[id(column)] = own.aliases[name]
                    return
                if clause == "order" or not known:
                    ref, known = None, False  # a column or an alias: not to be told apart for sure
            if ref is not None and (known or not self._may_be_text(column)) and (ref.source.name or not main):
                self.refs[id(column)] = ref
            if ref is not None or not known:
                break
            outward = (
                clause not in ("group", "order") or self._dialect != "sqlite"
            )  # SQLite's see their own block alone
            block, up = block.outer if outward else None, up + 1
        if id(column) in self.refs:
            return
        if block is None and self._may_be_text(column):
            self.strings.add(id(column))
        else:
            self.loose.append(column)

    def is_main(self, node: exp.Table | exp.Column) -> bool:
        """Return whether a table, or that of a column, is qualified by `main`, which in SQLite is the database."""
        return fold(node.text("db")) == "main" and self._dialect == "sqlite" and not node.args.get("catalog")

    def _may_be_text(self, column: exp.Column) -> bool:
        marked = column.name.startswith(DOUBLE) or (self._plain and bool(column.this.args.get("quoted")))
        return marked and not column.table and self._dialect == "sqlite"

    def _sees_alias(self, clause: str, bare: bool) -> bool:
        if clause in ("group", "order"):
            return bare or self._dialect != "postgres"
        return clause == "where" and self._dialect != "postgres"


def _children(node: exp.Expr, without: tuple[str, ...] = ()) -> Iterator[exp.Expr]:
    for key, value in node.args.items():
        if key not in without:
            for child in value if isinstance(value, list) else (value,):
                if isinstance(child, exp.Expr):
                    yield child
