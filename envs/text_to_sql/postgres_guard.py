"""What the PostgreSQL engine refuses before the server sees it: what the server's rights do not forbid.

The boundary is the server: a role that may only read (`postgres_setup`). In front of it sqlglot reads a statement to
tell writing from reading, to refuse recursion and what looks at the machine's clock, and to say in which way.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from sqlglot import exp, parse
from sqlglot.errors import SqlglotError

from agentgym.envs.text_to_sql.postgres_setup import DESCRIBES, SCHEMA
from agentgym.envs.text_to_sql.refusals import CATALOGUE, PARAMETERS, SAMPLING, WRITING, function_refusal, no_table
from agentgym.envs.text_to_sql.result import BUDGET, DENIED, ERROR, LIMIT, Result
from agentgym.envs.text_to_sql.statement import tokens
from agentgym.envs.text_to_sql.unfold import words

CLOCK: Final = {
    "CURRENT_DATE": "day", "CURRENT_TIME": "hour", "CURRENT_TIMESTAMP": "moment", "LOCALTIME": "hour",
    "LOCALTIMESTAMP": "local",
}  # fmt: skip
"""Keywords that look at the machine's clock, and the functions of the schema `agentgym` that stand for them."""
SERVER: Final = words("CURRENT_CATALOG CURRENT_ROLE CURRENT_SCHEMA CURRENT_USER SESSION_USER SYSTEM_USER USER")
RECURSION: Final = "the work of a recursive query cannot be counted beforehand here: use generate_series"
_MOVING: Final = re.compile(r"\s*(now|today|tomorrow|yesterday)\b", re.IGNORECASE)
_CHANGING: Final = (
    exp.Insert, exp.Update, exp.Delete, exp.Merge, exp.Create, exp.Drop, exp.Alter, exp.Command, exp.Into, exp.Lock,
    exp.Copy, exp.Set, exp.Transaction, exp.Commit, exp.Rollback, exp.TruncateTable,
)  # fmt: skip


def refusal(text: str, tables: Collection[str]) -> Result | None:
    """Return why a statement is refused, or None.

    Args:
        text: one statement.
        tables: the names of all tables and views, in lower case.
    """
    try:
        trees = [tree for tree in parse(text, dialect="postgres") if tree is not None]
    except SqlglotError as error:
        return Result(ERROR, message=f"the statement cannot be read: {_first(error)}")
    except RecursionError:
        return Result(LIMIT, message="the query is nested too deeply")
    if len(trees) != 1:
        return Result(ERROR, message=f"these are {len(trees)} statements; send one at a time")
    tree = trees[0]
    if not isinstance(tree, exp.Query | exp.Values) or tree.find(*_CHANGING) is not None:
        return Result(DENIED, message=WRITING)
    commons = {common.alias.lower() for common in tree.find_all(exp.CTE)}
    for node in tree.walk():
        found = _refused(node, tables, commons)
        if found is not None:
            return found
    return None


def _refused(node: exp.Expr, tables: Collection[str], commons: Collection[str]) -> Result | None:
    if isinstance(node, exp.With) and node.args.get("recursive"):
        return Result(BUDGET, message=RECURSION)
    if isinstance(node, exp.TableSample):
        return Result(DENIED, message=SAMPLING)
    if isinstance(node, exp.Placeholder | exp.Parameter):
        return Result(ERROR, message=PARAMETERS)
    if isinstance(node, exp.Literal) and node.is_string and _MOVING.match(node.name):
        return Result(
            DENIED,
            message=f"{node.name[:20]!r} as a time would look at the machine's clock: write CURRENT_DATE or now()",
        )
    if isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier):
        name, place = node.name, ".".join(part for part in (node.catalog, node.db) if part)
        if place not in ("", "public"):
            return no_table(f"{place}.{name}")
        if name.lower() not in tables and (place or name.lower() not in commons):
            return no_table(name)
    if isinstance(node, exp.Func) and node.name.lower() == DESCRIBES:
        return Result(DENIED, message=CATALOGUE)
    return None


def frozen(text: str) -> str | Result:
    """Return a statement whose clock keywords are the engine's functions, or why a keyword is refused."""
    made, done, before = [], 0, ""
    found = tokens(text)
    for at, token in enumerate(found):
        word = token.group().upper() if token.lastgroup == "word" and before != "." else ""
        if word in SERVER:
            return Result(DENIED, message=function_refusal(word.lower()))
        if word in CLOCK:
            end = token.end()
            ahead = [part.group() for part in found[at + 1 : at + 4]]
            if len(ahead) == 3 and (ahead[0], ahead[2]) == ("(", ")") and ahead[1].isdecimal():
                end = found[at + 3].end()  # how many decimals are shown; the clock has none
            made += [text[done : token.start()], f"{SCHEMA}.{CLOCK[word]}()"]
            done = end
        before = token.group()
    return "".join([*made, text[done:]])


def _first(error: Exception) -> str:
    return re.sub(r"\x1b\[\d*m", "", str(error)).partition("\n")[0][:200]
