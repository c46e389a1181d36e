"""Single changes of a query's tree: what can be changed where (`Site`), how a change is made and undone (`Edit`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from sqlglot import exp

from agentgym.envs.text_to_sql.blocks import Block, Ref, Source, fold
from agentgym.envs.text_to_sql.engine import Column
from agentgym.envs.text_to_sql.parsing import FUNCTION
from agentgym.envs.text_to_sql.render import Draft, identifier
from agentgym.rng import TurnRng

Values: TypeAlias = Mapping[tuple[str, str], Sequence[Any]]

NUMBER: Final = "number"
TEXT: Final = "text"
DATE: Final = "date"

AGGREGATES: Final = ("avg", "count", "group_concat", "max", "min", "sum", "total")

_NUMERIC = re.compile("int|real|num|dec|flo|doub|bool|money|serial|year", re.IGNORECASE)
_DATED = re.compile("date|time", re.IGNORECASE)


class Swap(NamedTuple):
    """Put `new` where `old` stands, or take `old` out where `new` is None."""

    old: exp.Expr
    new: exp.Expr | None


class Set(NamedTuple):
    """Give `node` the argument `key`."""

    node: exp.Expr
    key: str
    value: Any


class Edit(NamedTuple):
    """A change.

    Attributes:
        kind: its family, so that a choice of changes can be balanced, such as "column" or "filter".
        what: the change in words.
        changes: what is done to the tree, in order.
        root: what stands for the whole tree; then there are no changes.
    """

    kind: str
    what: str
    changes: tuple[Swap | Set, ...] = ()
    root: exp.Expr | None = None


def text_of(edit: Edit, draft: Draft) -> str:
    """Return the query's text with one change made; the tree is the same afterwards."""
    if edit.root is not None:
        return draft.write(edit.root)
    undo: list[Set] = []
    for change in edit.changes:
        if isinstance(change, Set):
            node, key, value = change
        else:
            node, key, value = _place(change)
        undo.append(Set(node, key, node.args.get(key)))
        node.set(key, value)
    try:
        return draft.write()
    finally:
        for node, key, value in reversed(undo):
            node.set(key, value)


def _place(swap: Swap) -> Set:
    parent, key = swap.old.parent, swap.old.arg_key
    if parent is None or key is None:
        raise ValueError("a change of the whole query is an Edit with a root")
    value = parent.args[key]
    if isinstance(value, list):
        return Set(
            parent, key, [swap.new if item is swap.old else item for item in value if item is not swap.old or swap.new]
        )
    return Set(parent, key, swap.new)


class Spot(NamedTuple):
    """A column of a known table, where a query names it."""

    node: exp.Column
    ref: Ref
    block: Block


class Site:
    """A draft with what its changes are made of.

    Attributes:
        draft: the query.
        rng: chooses among equal alternatives.
        values: (table, column), folded -> values that stand in that column.
        spots: the columns of known tables that the query names, in order of appearance.
        links: comparisons of two columns of different sources: what joins tables and correlates sub-queries.
        style: how the query writes an inner join: "" or "INNER".
    """

    def __init__(self, draft: Draft, rng: TurnRng, values: Values) -> None:
        self.draft = draft
        self.rng = rng
        self.values = values
        self.spots: list[Spot] = []
        self.links: set[int] = set()
        names = draft.names
        owners = {id(block.select): block for block in names.blocks.values()}
        for node in draft.tree.find_all(exp.Column, bfs=False):
            ref = names.refs.get(id(node))
            if ref is not None and ref.source.table is not None and ref.column in (ref.source.columns or ()):
                block = _block_of(node, owners, ref)
                self.spots += [Spot(node, ref, block)] if block is not None else []
        for pair in draft.tree.find_all(exp.EQ):
            refs = [names.refs.get(id(side)) for side in (pair.this, pair.expression)]
            if refs[0] is not None and refs[1] is not None and refs[0].source is not refs[1].source:
                self.links.add(id(pair))
        kinds = [
            join.kind for join in draft.tree.find_all(exp.Join) if join.args.get("on") is not None and not join.side
        ]
        self.style = "INNER" if "INNER" in kinds else ""

    @property
    def blocks(self) -> list[Block]:
        """All SELECTs, in order of visit."""
        return list(self.draft.names.blocks.values())

    def find(self, *kinds: type[exp.Expr]) -> Iterator[Any]:
        """Yield the nodes of these kinds, in order of appearance."""
        return self.draft.tree.find_all(*kinds, bfs=False)

    def calls(self, *names: str) -> Iterator[exp.Anonymous]:
        """Yield the calls of these functions."""
        for node in self.find(exp.Anonymous):
            if isinstance(node.this, str) and node.this.removeprefix(FUNCTION) in names:
                yield node

    def column(self, source: Source, name: str, block: Block, *, qualified: bool = False) -> exp.Column:
        """Return a node for a column of a source of `block`, qualified where asked or where it must be."""
        folded = fold(name)
        owners = [other for other in block.sources if other.columns is None or folded in other.columns]
        if qualified or len(owners) != 1 or folded in block.aliases or source not in block.sources:
            return exp.Column(this=identifier(name, self.draft.dialect), table=handle(source))
        return exp.Column(this=identifier(name, self.draft.dialect))

    def qualifies(self, block: Block) -> bool:
        """Return whether the query qualifies columns in this block."""
        return any(spot.node.table for spot in self.spots if spot.block is block) or len(block.sources) > 1

    def spot_of(self, node: exp.Expr | None) -> Spot | None:
        """Return the spot of a column, None for anything else."""
        return next((spot for spot in self.spots if spot.node is node), None) if isinstance(node, exp.Column) else None

    def pick(self, items: Sequence[Any], most: int) -> list[Any]:
        """Return at most `most` of `items`, drawn."""
        return self.rng.shuffled(items)[:most] if len(items) > 1 else list(items[:most])


def handle(source: Source) -> exp.Identifier:
    """Return a fresh node of the name that a source's columns are qualified by."""
    alias = source.node.args.get("alias")
    name = alias.this if isinstance(alias, exp.TableAlias) and alias.this is not None else source.node.this
    found: exp.Identifier = name.copy()
    return found


def kind_of(column: Column) -> str:
    """Return NUMBER, DATE or TEXT by a column's declared type; the type decides, or its name where there is none."""
    if _DATED.search(column.type) or (not column.type and _DATED.search(column.name)):
        return DATE
    return NUMBER if _NUMERIC.search(column.type) else TEXT


def known_column(ref: Ref) -> Column:
    """Return what is known of a spot's column."""
    assert ref.source.table is not None
    assert ref.source.columns is not None
    return ref.source.table.columns[ref.source.columns[ref.column]]


def call(name: str, *arguments: exp.Expr) -> exp.Anonymous:
    """Return a call of a function."""
    return exp.Anonymous(this=FUNCTION + name, expressions=list(arguments))


def both(kind: type[exp.And] | type[exp.Or], left: exp.Expr, right: exp.Expr) -> exp.Expr:
    """Return two conditions joined by AND or OR, with the brackets that they need."""
    sides = [exp.Paren(this=side) if isinstance(side, exp.Or) and kind is exp.And else side for side in (left, right)]
    return kind(this=sides[0], expression=sides[1])


def operands(node: exp.Expr) -> list[exp.Expr]:
    """Return the operands of a chain of AND without brackets, in order."""
    found: list[exp.Expr] = []
    while isinstance(node, exp.And):
        found.append(node.expression)
        node = node.this
    return [node, *reversed(found)]


def chain(conditions: Sequence[exp.Expr]) -> exp.Expr | None:
    """Return conditions joined by AND, None for none."""
    whole: exp.Expr | None = None
    for condition in conditions:
        whole = condition if whole is None else both(exp.And, whole, condition)
    return whole


def _block_of(node: exp.Expr, owners: Mapping[int, Block], ref: Ref) -> Block | None:
    """Return the block in which a name stands."""
    parent = node.parent
    while parent is not None:
        block = owners.get(id(parent))
        if block is not None and _reaches(block, ref.source):
            return block
        parent = parent.parent
    return None


def _reaches(block: Block | None, source: Source) -> bool:
    while block is not None:
        if source in block.sources:
            return True
        block = block.outer
    return False
