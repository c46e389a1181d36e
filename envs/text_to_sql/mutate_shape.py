"""Changes of a query's clauses: result columns, DISTINCT, joins, conditions, groups, order, limit, set operations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sqlglot import exp

from agentgym.envs.text_to_sql.blocks import Block, Source, fold
from agentgym.envs.text_to_sql.engine import Reference, TableInfo
from agentgym.envs.text_to_sql.mutation import (
    AGGREGATES,
    TEXT,
    Edit,
    Set,
    Site,
    Swap,
    both,
    chain,
    handle,
    kind_of,
    known_column,
    operands,
)
from agentgym.envs.text_to_sql.parsing import FUNCTION
from agentgym.envs.text_to_sql.render import identifier

_SET_WORDS: Final = {exp.Union: "UNION", exp.Intersect: "INTERSECT", exp.Except: "EXCEPT"}


def result_columns(site: Site) -> Iterator[Edit]:
    """Show a column more or less, where the whole query is one SELECT."""
    select = site.draft.tree
    block = site.draft.names.blocks.get(id(select))
    if block is None or not isinstance(select, exp.Select):
        return
    items = select.expressions
    if len(items) > 1:
        for item in site.pick(items, 2):
            yield Edit(
                "result", "a result column less", (Set(select, "expressions", [x for x in items if x is not item]),)
            )
    if _has_aggregate(select) or select.args.get("group") is not None:
        return
    for source in block.sources:
        if source.table is not None:
            shown = {fold(item.name) for item in items if isinstance(item, exp.Column)}
            names = [column.name for column in source.table.columns if fold(column.name) not in shown]
            for name in site.pick(names, 1):
                more = site.column(source, name, block, qualified=site.qualifies(block))
                yield Edit("result", f"{name} shown too", (Set(select, "expressions", [*items, more]),))


def _has_aggregate(node: exp.Expr) -> bool:
    names = {FUNCTION + name for name in AGGREGATES}
    return any(
        call.this in names and not isinstance(call.parent, exp.Window)
        for item in node.expressions
        for call in item.find_all(exp.Anonymous)
    )


def distinct(site: Site) -> Iterator[Edit]:
    """DISTINCT more or less, where it can matter: not in a sub-query that is only looked into."""
    for block in site.blocks:
        select = block.select
        if isinstance(
            select.find_ancestor(exp.In, exp.Exists, exp.Select, exp.SetOperation),
            exp.In | exp.Exists | exp.SetOperation,
        ):
            continue
        if select.args.get("distinct") is not None:
            yield Edit("distinct", "no DISTINCT", (Set(select, "distinct", None),))
        elif not _has_aggregate(select) and select.args.get("group") is None:
            yield Edit("distinct", "DISTINCT", (Set(select, "distinct", exp.Distinct()),))


def joins(site: Site) -> Iterator[Edit]:
    """Join otherwise: LEFT or inner, on another column, without a table that nothing else needs."""
    for join in site.find(exp.Join):
        on = join.args.get("on")
        if on is None or join.args.get("method"):
            continue
        if not join.side:
            yield Edit("join", "LEFT JOIN for JOIN", (Set(join, "side", "LEFT"), Set(join, "kind", None)))
        elif join.side == "LEFT":
            yield Edit("join", "JOIN for LEFT JOIN", (Set(join, "side", None), Set(join, "kind", site.style or None)))
            parts = operands(on)
            if len(parts) > 1 and isinstance(join.parent, exp.Select):
                for part in parts[1:]:
                    rest = chain([other.copy() for other in parts if other is not part])
                    moved = _with_condition(join.parent, part.copy())
                    yield Edit("join", "a condition of LEFT JOIN in WHERE", (Set(join, "on", rest), moved))
        source = site.draft.names.sources.get(id(join.this))
        if source is not None and isinstance(join.parent, exp.Select) and not _used_outside(site, source, on):
            yield Edit("join", f"no join of {handle(source).name}", (Swap(join, None),))
    for spot in site.spots:
        if id(spot.node.parent) in site.links and spot.ref.source.table is not None:
            own = spot.ref.column
            kind = kind_of(known_column(spot.ref))
            table = spot.ref.source.table
            names = [column.name for column in table.columns if fold(column.name) != own and kind_of(column) == kind]
            keys = [name for name in names if _is_key_like(table, name)]
            for name in site.pick(keys or names, 1):
                node = site.column(spot.ref.source, name, spot.block, qualified=bool(spot.node.table))
                yield Edit("join", f"joined on {name} for {spot.node.name}", (Swap(spot.node, node),))


def _is_key_like(table: TableInfo, name: str) -> bool:
    folded = fold(name)
    keys = {fold(column) for reference in table.references for column in reference.columns}
    return folded in keys or folded == "id" or folded.endswith(("id", "_key", "code"))


def _used_outside(site: Site, source: Source, on: exp.Expr) -> bool:
    """Return whether anything but its own join condition names a source (a star does)."""
    inside = {id(column) for column in on.find_all(exp.Column)}
    names = site.draft.names
    if any(ref.source is source and key not in inside for key, ref in names.refs.items()):
        return True
    return any(
        source in block.sources and any(isinstance(item, exp.Star) for item in block.select.expressions)
        for block in site.blocks
    )


def tables(site: Site) -> Iterator[Edit]:
    """Read another table that has all the columns named."""
    for block in site.blocks:
        for source in block.sources:
            if source.table is None or not isinstance(source.node, exp.Table):
                continue
            own = [spot for spot in site.spots if spot.ref.source is source]
            needed = {spot.ref.column for spot in own}
            others = [
                table
                for name, table in site.draft.schema.tables.items()
                if name != source.name and needed <= site.draft.schema.columns[name].keys()
            ]
            for table in site.pick(others, 2):
                name = identifier(table.name, site.draft.dialect)
                changes = [Set(source.node, "this", name)]
                if source.node.args.get("alias") is None:
                    changes += [Set(spot.node, "table", name.copy()) for spot in own if spot.node.table]
                yield Edit("table", f"{table.name} for {source.table.name}", tuple(changes))


def added_joins(site: Site) -> Iterator[Edit]:
    """Join one table more, along a foreign key: rows multiply or fall away."""
    found = []
    for block in site.blocks:
        if any(isinstance(item, exp.Star) for item in block.select.expressions):
            continue
        here = {source.name for source in block.sources}
        for source in block.sources:
            for name, table in site.draft.schema.tables.items():
                if source.table is None or name in here:
                    continue
                there = [(reference, True) for reference in source.table.references if fold(reference.table) == name]
                back = [(reference, False) for reference in table.references if fold(reference.table) == source.name]
                found += [(block, source, table, *way) for way in there + back]
    for block, source, table, reference, forward in site.pick(found, 3):
        join = _join(site, block, source, table, reference, forward=forward)
        earlier = block.select.args.get("joins") or []
        yield Edit("join", f"{table.name} joined too", (Set(block.select, "joins", [*earlier, join]),))


def _join(
    site: Site, block: Block, source: Source, table: TableInfo, reference: Reference, *, forward: bool
) -> exp.Join:
    aliased = any(other.node.args.get("alias") is not None for other in block.sources)
    node = exp.Table(this=identifier(table.name, site.draft.dialect))
    name = node.this
    if aliased:
        name = exp.to_identifier(_free_alias(site, table, handle(block.sources[0]).name))
        node.set("alias", exp.TableAlias(this=name))
    conditions: list[exp.Expr] = []
    for column, target in zip(reference.columns, reference.targets, strict=False):
        ours, theirs = (column, target) if forward else (target, column)
        left = exp.Column(this=identifier(ours, site.draft.dialect), table=handle(source))
        right = exp.Column(this=identifier(theirs, site.draft.dialect), table=name.copy())
        conditions.append(exp.EQ(this=left, expression=right))
    return exp.Join(this=node, on=chain(conditions), kind=site.style or None)


def _free_alias(site: Site, table: TableInfo, like: str) -> str:
    """Return an alias that the query does not use yet, in the manner of those it uses: T3 after T2, or initials."""
    taken = {fold(handle(source).name) for block in site.blocks for source in block.sources}
    if like[1:].isdigit():
        numbers = [int(name[1:]) for name in taken if name[1:].isdigit() and name[1:].isascii()]
        return f"{like[0]}{max(numbers, default=0) + 1}"
    stem = table.name[0].lower() if table.name[0].isalpha() else "t"
    return next(
        name
        for name in (stem, table.name[:2].lower(), *(f"{stem}{n}" for n in range(2, 99)))
        if name not in taken and name.isalnum()
    )


def conditions(site: Site) -> Iterator[Edit]:
    """A condition less, or OR for AND; those that join tables stay."""
    for clause in site.find(exp.Where, exp.Having):
        parts = operands(clause.this)
        for part in parts:
            if id(part) in site.links and not _correlates(site, part):
                continue
            rest = chain([other.copy() for other in parts if other is not part])
            if rest is not None:
                yield Edit("filter", "a condition less", (Set(clause, "this", rest),))
            elif clause.arg_key is not None and clause.parent is not None:
                yield Edit("filter", "no condition", (Set(clause.parent, clause.arg_key, None),))
    for node in site.find(exp.Or):
        yield Edit("filter", "an alternative less", (Swap(node, node.this.copy()),))
        yield Edit("filter", "an alternative less", (Swap(node, node.expression.copy()),))
        if not isinstance(node.parent, exp.Or):
            yield Edit("filter", "AND for OR", (Swap(node, both(exp.And, node.this.copy(), node.expression.copy())),))
    for node in site.find(exp.And):
        if (
            id(node.this) in site.links
            or id(node.expression) in site.links
            or isinstance(node.find_ancestor(exp.Join, exp.Where, exp.Having, exp.Select), exp.Join)
        ):
            continue
        either = both(exp.Or, node.this.copy(), node.expression.copy())
        yield Edit(
            "filter",
            "OR for AND",
            (Swap(node, exp.Paren(this=either) if isinstance(node.parent, exp.And) else either),),
        )


def _correlates(site: Site, pair: exp.Expr) -> bool:
    refs = [site.draft.names.refs.get(id(side)) for side in (pair.this, pair.expression)]
    return any(ref is not None and ref.up > 0 for ref in refs)


def added_conditions(site: Site) -> Iterator[Edit]:
    """A condition more, on a column that has none: not NULL, or a value that it has."""
    inside = [spot for spot in site.spots if isinstance(spot.node.find_ancestor(exp.Where, exp.Select), exp.Where)]
    used = {(spot.ref.source.name, spot.ref.column) for spot in inside}
    for block in site.blocks:
        columns = [
            (source, column)
            for source in block.sources
            if source.table is not None
            for column in source.table.columns
            if (source.name, fold(column.name)) not in used
        ]
        for source, column in site.pick(columns, 3):
            node = site.column(source, column.name, block, qualified=site.qualifies(block))
            known = [
                value
                for value in site.values.get((source.name, fold(column.name)), ())
                if isinstance(value, str | int) and value != ""
            ]
            test: exp.Expr
            if known:
                value = site.pick(known, 1)[0]
                made = exp.Literal.string(value) if isinstance(value, str) else _number(value)
                test = (exp.NEQ if kind_of(column) == TEXT else exp.GTE)(this=node, expression=made)
            else:
                test = exp.Not(this=exp.Is(this=node, expression=exp.Null()))
            yield Edit("filter", f"a condition on {column.name} more", (_with_condition(block.select, test),))


def _number(value: int) -> exp.Expr:
    return exp.Neg(this=exp.Literal.number(-value)) if value < 0 else exp.Literal.number(int(value))


def _with_condition(select: exp.Expr, test: exp.Expr) -> Set:
    where = select.args.get("where")
    if where is None:
        return Set(select, "where", exp.Where(this=test))
    return Set(select, "where", exp.Where(this=both(exp.And, where.this.copy(), test)))


def groups(site: Site) -> Iterator[Edit]:
    """Group otherwise: a key less, one more, none."""
    for block in site.blocks:
        select = block.select
        group = select.args.get("group")
        if group is None:
            continue
        keys = group.expressions
        if len(keys) > 1:
            for key in keys:
                yield Edit("group", "a group key less", (Set(group, "expressions", [x for x in keys if x is not key]),))
        elif len(keys) == 1:
            without = [Set(select, "group", None)]
            if select.args.get("having") is not None:
                without.append(Set(select, "having", None))
            yield Edit("group", "no GROUP BY", tuple(without))
        named = [spot for spot in site.spots if spot.block is block]
        for spot in site.pick(named, 1):
            table = spot.ref.source.table
            assert table is not None
            taken = {fold(key.name) for key in keys if isinstance(key, exp.Column)}
            names = [column.name for column in table.columns if fold(column.name) not in taken]
            for name in site.pick(names, 1):
                more = site.column(spot.ref.source, name, block, qualified=bool(spot.node.table))
                yield Edit("group", f"grouped by {name} too", (Set(group, "expressions", [*keys, more]),))


def orders(site: Site) -> Iterator[Edit]:
    """Order otherwise: the other direction, keys exchanged, no order where no LIMIT hangs on it."""
    for term in site.find(exp.Ordered):
        desc = not term.args.get("desc")
        usual = _nulls_first(site, desc=not desc)
        changes = [Set(term, "desc", desc or None)]
        if bool(term.args.get("nulls_first")) == usual:
            changes.append(Set(term, "nulls_first", _nulls_first(site, desc=desc) or None))
        yield Edit("order", "DESC for ASC" if desc else "ASC for DESC", tuple(changes))
    for order in site.find(exp.Order):
        terms = order.expressions
        if len(terms) > 1:
            yield Edit(
                "order", "keys of ORDER BY exchanged", (Set(order, "expressions", [terms[1], terms[0], *terms[2:]]),)
            )
            yield Edit("order", "a key of ORDER BY less", (Set(order, "expressions", terms[:-1]),))
        parent = order.parent
        if isinstance(parent, exp.Query) and parent.args.get("limit") is None:
            yield Edit("order", "no ORDER BY", (Set(parent, "order", None),))


def _nulls_first(site: Site, *, desc: bool) -> bool:
    if site.draft.dialect == "sqlite":
        return not desc
    return desc and site.draft.dialect == "postgres"


def limits(site: Site) -> Iterator[Edit]:
    """Another LIMIT, or none; the row after."""
    for limit in site.find(exp.Limit):
        value = limit.expression
        if not isinstance(value, exp.Literal) or not value.this.isdecimal() or limit.parent is None:
            continue
        number = int(value.this)
        for other in (number + 1, number - 1):
            if other > 0:
                yield Edit("limit", f"LIMIT {other}", (Set(limit, "expression", exp.Literal.number(other)),))
        yield Edit("limit", "no LIMIT", (Set(limit.parent, "limit", None), Set(limit.parent, "offset", None)))
        if limit.parent.args.get("offset") is None:
            yield Edit(
                "limit", "OFFSET 1", (Set(limit.parent, "offset", exp.Offset(expression=exp.Literal.number(1))),)
            )


def set_operations(site: Site) -> Iterator[Edit]:
    """Another set operation, UNION ALL for UNION, one side alone, sides exchanged."""
    for node in site.find(exp.SetOperation):
        with_ = node.find_ancestor(exp.With)
        if with_ is not None and with_.args.get("recursive"):
            continue  # a query that reads itself is the left side and UNION
        word = _SET_WORDS[type(node)]
        for kind, other in _SET_WORDS.items():
            if type(node) is not kind:
                new = kind(
                    **{key: value.copy() if isinstance(value, exp.Expr) else value for key, value in node.args.items()}
                )
                new.set("distinct", True)
                yield _replaced(site, node, new, f"{other} for {word}")
        if isinstance(node, exp.Union):
            yield Edit("set", "UNION ALL for UNION or back", (Set(node, "distinct", not node.args.get("distinct")),))
        if isinstance(node, exp.Except):
            yield Edit(
                "set",
                "sides of EXCEPT exchanged",
                (Set(node, "this", node.expression.copy()), Set(node, "expression", node.this.copy())),
            )
        for side in (node.this, node.expression):
            if node.args.get("order") is None and node.args.get("with_") is None:
                yield _replaced(site, node, side.copy(), f"one side of {word}")


def _replaced(site: Site, node: exp.Expr, new: exp.Expr, what: str) -> Edit:
    if node is site.draft.tree:
        return Edit("set", what, root=new)
    return Edit("set", what, (Swap(node, new),))
