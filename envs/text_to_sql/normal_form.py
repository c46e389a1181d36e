"""The normal form of a parsed query, as text, where it is sure that sqlglot and the database read the same query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from typing import Final

from sqlglot import exp

from agentgym.envs.text_to_sql.names import Names
from agentgym.envs.text_to_sql.openness import is_open
from agentgym.envs.text_to_sql.parsing import nodes_of
from agentgym.envs.text_to_sql.writer import Writer

_REFUSED: Final = frozenset((word, "distinct") for word in ("union", "except", "intersect"))  # by SQLite
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


def normal_form(tree: exp.Query, words: list[str], names: Names, dialect: str, codes: Mapping[str, str]) -> str | None:
    """Return the normal form of a marked tree, or None where sqlglot may have read another query than the database.

    Args:
        tree: what `tree_of(marked(words, dialect), dialect)` gave.
        words: the query's tokens.
        names: the tree's names.
        dialect: sqlglot's name.
        codes: what is written for a value instead of it (`shape`).
    """
    nodes = nodes_of(tree)
    if not _bound_as_read(nodes, dialect) or words.count("+") != sum(isinstance(node, exp.Add) for node in nodes):
        return None  # sqlglot drops a unary plus, which takes a column's affinity away
    if any(pair in _REFUSED for pair in pairwise(words)) and dialect == "sqlite":
        return None
    opened = is_open(tree, names, nodes)
    crosses = sum(isinstance(node, exp.Join) and node.kind == "CROSS" for node in nodes)
    if opened and words.count("cross") not in (0, crosses):
        return None  # sqlglot reads a comma as CROSS JOIN; SQLite joins in the order of CROSS JOIN, not of commas
    text = Writer(names, dialect, opened=opened, codes=codes).write(tree)
    rest = _key_words(nodes, words, fixed=opened or dialect != "sqlite")
    return f"{'' if names.sure else 'named '}{text} {rest}"


def _key_words(nodes: list[exp.Expr], words: list[str], *, fixed: bool) -> str:
    """Return the sorted words of the query that name nothing, but for those whose presence is a matter of spelling.

    They keep apart what sqlglot reads alike and a database does not, such as words that it passes over.

    Args:
        nodes: those of the marked tree.
        words: the query's tokens.
        fixed: CROSS JOIN is more than a comma: it fixes SQLite's order of joins, and elsewhere binds tighter.
    """
    rest = Counter(word for word in words if word[0].isidentifier() and word.isascii() and word[-1] != "'")
    names = [node for node in nodes if isinstance(node, exp.Identifier)]
    rest.subtract(node.this.lower() for node in names if not node.args.get("quoted"))
    noise = _NOISE - {"cross"} if fixed else _NOISE
    return " ".join(sorted(word for word, count in rest.items() if count > 0 and word not in noise))


def _bound_as_read(nodes: list[exp.Expr], dialect: str) -> bool:
    """Return whether every operator without brackets binds as the dialect says."""
    for node in nodes:
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
