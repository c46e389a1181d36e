"""The state of the world: `Question` (what never changes in an episode) and `SqlState` (what an agent has found out).

A state is the set of facts seen: the tables that were looked at, and what each query that ran came to. Queries count
by their canonical form (`canonical`), results by a digest, so two spellings of one query lead to the same state. Hidden
from the agent, and so no part of the anchor, is how far each result agrees with the right one (`Fact.score`).
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Final, NamedTuple

from agentgym.digest import encode, hash_bytes
from agentgym.envs.text_to_sql.engine import TableInfo

WHOLE: Final = 5
"""Most tables of a database whose columns are all shown at the start."""

_SEEN: Final = attrgetter("seen")
_KEY: Final = attrgetter("key")
_SCORE: Final = attrgetter("score")


@dataclass(frozen=True, slots=True)
class Rules:
    """How queries run and how answers are judged; part of a panel's hash.

    Attributes:
        scorer: one of scorers.SCORERS.
        engine: "sqlite", "duckdb" or "postgres".
        clock: the frozen time of queries, "YYYY-MM-DD HH:MM:SS".
        budget: most work of a query, in steps of the database's virtual machine.
        max_rows: most rows of a result.
    """

    scorer: str = "strict"
    engine: str = "sqlite"
    clock: str = "2025-01-30 12:00:00"
    budget: int = 2_000_000
    max_rows: int = 10_000


DEFAULT: Final = Rules()


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """A question over a database, shared by all states of its episodes; equal by content.

    Attributes:
        task: id of its task.
        text, evidence: what the agent reads; the evidence may be "".
        database: name of the database, as the agent reads it. path: its file, or its address.
        content: hash of what the database holds.
        dialect: the engine's name in sqlglot.
        tables: the database's tables, by name.
        golds: the accepted queries, the first of which the expert takes.
        ordered: whether the order of rows is part of the answer.
        category: of a Defog question, which its scorer reads.
        gold_rows: multiset hash of the first gold's rows, or "" where unknown.
        misses: queries that come near the golds, or () where they are yet to be made.
        rules: how its queries run.
        key, seen: 16 bytes each: hash of all that, and of what the agent can tell.
    """

    task: str
    text: str
    evidence: str
    database: str
    path: str
    content: str
    dialect: str
    tables: tuple[TableInfo, ...]
    golds: tuple[str, ...]
    ordered: bool
    category: str
    gold_rows: str
    misses: tuple[str, ...]
    rules: Rules
    key: bytes = field(init=False)
    seen: bytes = field(init=False)

    def __post_init__(self) -> None:
        told = (self.text, self.evidence, self.database, self.content, self.dialect)
        rules = (self.rules.scorer, self.rules.engine, self.rules.clock, self.rules.budget, self.rules.max_rows)
        hidden = (self.golds, self.ordered, self.category, self.gold_rows, self.misses)
        object.__setattr__(self, "seen", _digest((told, rules)))
        object.__setattr__(self, "key", _digest((told, rules, hidden)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Question) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __deepcopy__(self, memo: object) -> Question:
        return self  # never changes

    @property
    def whole(self) -> bool:
        """Whether the agent knows every table's columns from the start."""
        return len(self.tables) <= WHOLE

    def table(self, name: str) -> TableInfo | None:
        """Return the table of this name, in any case; None where there is none."""
        return next((table for table in self.tables if table.name.lower() == name.lower()), None)


@dataclass(frozen=True, slots=True, eq=False)
class Fact:
    """What a query that ran came to; equal by key.

    Attributes:
        query: its canonical form.
        digest: of its rows; of their order too where the query orders them.
        rows: how many.
        head: the first rows in short, as text.
        score: hidden: how far the rows agree with the right ones, in [0, 1].
        said: the query as whoever asked first in this episode wrote it; for `describe` alone, it counts for nothing.
        key, seen: 16 bytes each: hash of all that, and of what the agent can tell.
    """

    query: str
    digest: str
    rows: int
    head: str
    score: float
    said: str
    key: bytes = field(init=False)
    seen: bytes = field(init=False)

    def __post_init__(self) -> None:
        seen = _digest((self.query, self.digest))
        object.__setattr__(self, "seen", seen)
        object.__setattr__(self, "key", _digest((seen, self.score)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fact) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


class SqlState(NamedTuple):
    """A question and what has been found out about it.

    Attributes:
        question: the question.
        looked: names of the tables looked at, sorted.
        facts: what queries came to, sorted by what is seen of them.
        answer: canonical form of what was submitted, which ended the episode; "" before.
    """

    question: Question
    looked: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
    answer: str = ""

    @property
    def best(self) -> float:
        """The best score so far, 0 before any."""
        return max(map(_SCORE, self.facts), default=0.0)

    def knows(self, table: str) -> bool:
        """Return whether the agent has read the columns of a table."""
        return self.question.whole or table in self.looked

    def look(self, table: str) -> SqlState:
        """Return the state after a look at a table; this one where it was looked at before."""
        return self if table in self.looked else self._replace(looked=tuple(sorted((*self.looked, table))))

    def learn(self, fact: Fact) -> SqlState:
        """Return the state with one more fact; this one where it was known."""
        at = bisect_right(self.facts, fact.seen, key=_SEEN)
        if at and self.facts[at - 1] == fact:
            return self
        return SqlState(self.question, self.looked, (*self.facts[:at], fact, *self.facts[at:]), self.answer)

    def answered(self, answer: str) -> SqlState:
        """Return the state after a submission."""
        return SqlState(self.question, self.looked, self.facts, answer)

    def pack(self) -> tuple[object, ...]:
        """Return plain values that hold the state; of the question, its task."""
        facts = tuple((fact.query, fact.digest, fact.rows, fact.head, fact.score, fact.said) for fact in self.facts)
        return (self.question.task, self.looked, facts, self.answer)

    @classmethod
    def unpack(cls, question: Question, packed: Any) -> SqlState:
        """Return the state of what `pack` gave but the task, whose question is given."""
        looked, facts, answer = packed
        return cls(question, looked, tuple(Fact(*fact) for fact in facts), answer)

    def canonical(self) -> bytes:
        """Return all that decides the futures of the state."""
        return b"".join([self.question.key, self._told(), *map(_KEY, self.facts)])

    def anchor(self) -> bytes:
        """Return all that the agent can tell apart."""
        return b"".join([self.question.seen, self._told(), *map(_SEEN, self.facts)])

    def _told(self) -> bytes:
        """Return tables and answer, set off from the keys around them by their lengths."""
        if not self.looked and not self.answer:
            return b"0,0,%d:" % len(self.facts)
        answer, looked = self.answer.encode(), "\0".join(self.looked).encode()  # an answer may hold \0, a name cannot
        return b"%d,%d,%d:%b%b" % (len(answer), len(looked), len(self.facts), answer, looked)


def _digest(value: object) -> bytes:
    return bytes.fromhex(hash_bytes(encode(value)))
