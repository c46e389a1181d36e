"""One look at a query's text before any database sees it: how many statements, which verb, how large, how it may grow.

This is no parser and no boundary of safety: the database's own authorizer is. It answers what a database cannot: that
there is no statement at all, which of several rules a refusal is about, and whether preparing or running the text could
take more work than the database itself would count (`weight`, `grows`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from agentgym.envs.text_to_sql.result import DENIED, EMPTY, ERROR, LIMIT, Result
from agentgym.envs.text_to_sql.unfold import MAX_TABLES, MAX_WEIGHT, unfolded, words

MAX_QUERY: Final = 16_384
MAX_DEPTH: Final = 50
MAX_SELECTS: Final = 200
FEW_SELECTS: Final = 2
"""With so few no text that is short enough unfolds into too much."""
LONG_TEXT: Final = 256
WILDCARDS: Final = 8
SEARCHES: Final = frozenset(["like", "glob", "match", "regexp", "instr", "trim", "ltrim", "rtrim"])
"""What compares a text with another at many places, so that its work grows with the product of both lengths."""

PLAIN_QUERY: Final = 4_096
_BEGINS: Final = re.compile(r"(?:select|with)[ \t\n\f\r]", re.IGNORECASE)
_UNUSUAL: Final = re.compile(r"""[;"`\[\0]|--|/\*|\|\|""")

OTHER: Final = words(
    "ABORT ALTER ANALYZE ATTACH BEGIN CALL CHECKPOINT COMMENT COMMIT COPY CREATE DEALLOCATE DECLARE DELETE DESC "
    "DESCRIBE DETACH DISCARD DO DROP END EXECUTE EXPORT FETCH GRANT IMPORT INSERT INSTALL LISTEN LOAD LOCK MERGE "
    "NOTIFY PRAGMA PREPARE REASSIGN REFRESH REINDEX RELEASE REPLACE RESET REVOKE ROLLBACK SAVEPOINT SECURITY SET SHOW "
    "START TRUNCATE UNLISTEN UPDATE USE VACUUM"
)
"""Verbs of statements that do anything but read, in any of the databases; others begin no statement at all."""
ASKING: Final = words("DESC DESCRIBE PRAGMA SHOW")
"""Those of them that ask for what the schema tool shows."""

_TOKEN = re.compile(
    r"""(?P<blank>[ \t\n\f\r\ufeff]+|--[^\n]*|/\*[^*]*(?:\*(?!/)[^*]*)*(?:\*/)?)
    |(?P<text>'[^']*(?:''[^']*)*'?)
    |(?P<quoted>"[^"]*(?:""[^"]*)*"?|`[^`]*(?:``[^`]*)*`?|\[[^\]]*\]?)
    |(?P<word>[A-Za-z_\x80-\U0010ffff][A-Za-z0-9_$\x80-\U0010ffff]*)
    |(?P<joined>\|\|)
    |(?P<other>\d[\w.]*|.)""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A query's one statement.

    Attributes:
        text: the statement alone, without what stands before or behind it.
        plan: whether it is an EXPLAIN.
        grows: whether it may make long texts, or compare with long ones, so that single steps can be much work.
        refusal: what it came to already; then nothing else counts.
    """

    text: str = ""
    plan: bool = False
    grows: bool = False
    refusal: Result | None = None


def look(query: str) -> Statement:
    """Return the one statement of a query, or why it has none that could be run.

    Semicolons and comments that nothing follows count for nothing, so `SELECT 1;;` is one statement.
    """
    return _plain(query) or _looked(query)


def _plain(query: str) -> Statement | None:
    """Return the statement of a short and ordinary SELECT, as most are, without splitting it; None for all others."""
    text = query.strip(" \t\n\f\r;")
    if len(query) > PLAIN_QUERY or not _BEGINS.match(text) or _UNUSUAL.search(text) or not query.isascii():
        return None
    if text.count("(") > MAX_DEPTH or text.lower().count("select") > FEW_SELECTS:
        return None
    parts = text.split("'")  # what stands between quotes is every second one
    quoted = "".join(parts[1::2])
    if len(parts) % 2 == 0 or len(quoted) > LONG_TEXT // 2 or sum(map(quoted.count, "%_*?[")) > WILDCARDS:
        return None
    return Statement(text)


def _looked(query: str) -> Statement:
    if len(query) > MAX_QUERY:
        return _refused(LIMIT, f"the query has {len(query)} characters; at most {MAX_QUERY} are read")
    if "\0" in query:
        return _refused(ERROR, "the query holds a NUL character, which no SQL can hold")
    if not query.isascii() and any("\ud800" <= char <= "\udfff" for char in query):
        return _refused(ERROR, "the query holds half a surrogate pair, which is no character")
    found = tokens(query)
    ends = [at for at, token in enumerate(found) if token.group() == ";"]
    starts = [0, *(at + 1 for at in ends)]
    pieces = [piece for start, end in zip(starts, [*ends, len(found)], strict=True) if (piece := found[start:end])]
    if not pieces:
        return _refused(EMPTY, "there is no statement; write one SELECT")
    verbs = [token.group().upper() for token in pieces[0][:4] if token.lastgroup == "word"] or [""]
    plan = verbs[0] == "EXPLAIN"
    verb = verbs[0] if not plan else next((word for word in verbs[1:] if word not in ("QUERY", "PLAN")), "")
    if verb in OTHER and (len(pieces) == 1 or verb == "CREATE"):  # CREATE TRIGGER holds statements of its own
        instead = (
            "the schema tool shows tables and columns" if verb in ASKING else "it can only be read; write one SELECT"
        )
        return _refused(DENIED, f"{verb} is not allowed in this database: {instead}")
    if len(pieces) > 1:
        return _refused(ERROR, f"these are {len(pieces)} statements; send one at a time")
    piece = pieces[0]
    refusal = _too_large(piece)
    return Statement(query[piece[0].start() : piece[-1].end()], plan, _grows(piece), refusal)


def tokens(query: str) -> list[re.Match[str]]:
    """Return the tokens of a text but for white space and comments; the group that matched says what each is.

    The groups are `text` and `quoted` (in single and in other quotes), `word`, `joined` (two bars) and `other`.
    """
    return [match for match in _TOKEN.finditer(query) if match.lastgroup != "blank"]


def _refused(kind: str, message: str) -> Statement:
    return Statement(refusal=Result(kind, message=message))


def _grows(piece: list[re.Match[str]]) -> bool:
    """Return whether a statement holds long texts or many wildcards, or searches where it joins texts.

    A text that is joined and not searched is no more work than its room allows for (`sqlite_reader.Room`).
    """
    joins = searches = False
    for token in piece:
        group = token.lastgroup
        if group == "joined":
            joins = True
        elif group == "word":
            searches = searches or token.group().lower() in SEARCHES
        elif group in ("text", "quoted"):
            text = token.group()
            if len(text) > LONG_TEXT or sum(map(text.count, "%_*?[")) > WILDCARDS:
                return True
            searches = searches or text[1:-1].lower() in SEARCHES  # SQLite calls "trim"(x) too
    return joins and searches


def _too_large(piece: list[re.Match[str]]) -> Result | None:
    """Return the refusal of a text that is nested too deeply, or that would unfold into too much when prepared."""
    words = [token.group() for token in piece]
    if words.count("(") > MAX_DEPTH:
        depth = deepest = 0
        for word in words:
            depth += (word == "(") - (word == ")")
            deepest = max(deepest, depth)
        if deepest > MAX_DEPTH:
            return Result(ERROR, message=f"parentheses are nested {deepest} deep; at most {MAX_DEPTH} are allowed")
    selects = sum(len(word) == 6 and word.upper() == "SELECT" for word in words)
    if selects > MAX_SELECTS:
        return Result(LIMIT, message=f"the query has {selects} SELECTs; at most {MAX_SELECTS} are allowed")
    if selects <= FEW_SELECTS:
        return None
    weight, tables = unfolded(piece)
    if weight > MAX_WEIGHT:
        return Result(LIMIT, message="the query unfolds into too much: its subqueries use one another too often")
    if tables > MAX_TABLES:
        return Result(LIMIT, message=f"the query reads tables more than {MAX_TABLES} times: join less")
    return None
