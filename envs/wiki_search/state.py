"""The state of the world: `SearchQuestion` (what never changes in an episode) and `SearchState` (what was found).

A state is the set of passages that were shown, the page that is open, and the answer; in which order they came does not
count. What was asked and said is part of it only where a reward or a signal reads it (mt_grpo, slate; novelty).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, NamedTuple

from agentgym.digest import encode, hash_bytes
from agentgym.envs.wiki_search.evidence import gold_seen, hops_resolved, hops_supported
from agentgym.envs.wiki_search.library import Hit, Library, known
from agentgym.envs.wiki_search.passages import Passage
from agentgym.envs.wiki_search.presets import SearchTurn

NO_PAGE: Final = -1
REMEMBERED: Final = 1 << 15


@dataclass(frozen=True, slots=True)
class Rules:
    """How an episode is judged and what a search shows; part of a panel's hash.

    Attributes:
        scoring: one of presets.PRESETS.
        k: how many passages a search shows that does not say.
    """

    scoring: str = "em"
    k: int = 3


DEFAULT: Final = Rules()


@dataclass(frozen=True, slots=True, eq=False)
class SearchQuestion:
    """A question and what is searched for its answer, shared by all states of its episodes; equal by content.

    Attributes:
        task: id of its task.
        text: what the agent reads.
        answers: all that are accepted; () where the answer is not judged, but the evidence.
        gold, hops: as `sources` says.
        type, level: the set's own words.
        content: of the library that is searched; a state holds no library, whose caches change.
        rules: how it is judged.
        key, seen: 16 bytes each: hash of all that, and of what the agent can tell.
    """

    task: str
    text: str
    answers: tuple[str, ...]
    gold: tuple[Mapping[str, str], ...]
    hops: tuple[Mapping[str, str], ...]
    type: str
    level: str
    content: str
    rules: Rules
    key: bytes = field(init=False)
    seen: bytes = field(init=False)

    def __post_init__(self) -> None:
        told = (self.text, self.content, self.rules.scoring, self.rules.k)
        hidden = (self.answers, [dict(page) for page in self.gold], [dict(hop) for hop in self.hops])
        object.__setattr__(self, "seen", _digest(told))
        object.__setattr__(self, "key", _digest((told, hidden)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SearchQuestion) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __deepcopy__(self, memo: object) -> SearchQuestion:
        return self  # never changes

    @property
    def library(self) -> Library:
        """What is searched."""
        return known(self.content)


@lru_cache(maxsize=REMEMBERED)
def marks(question: SearchQuestion, passage: Passage) -> tuple[int, int]:
    """Return which gold pages a passage is, and which steps it supports, as bits by their places."""
    shown = (passage,)
    return _bits(gold_seen(question.gold, shown)), _bits(hops_supported(question.hops, shown))


class SearchState(NamedTuple):
    """A question and what has been found.

    Attributes:
        question: the question.
        seen: keys of the passages that were shown, sorted.
        page: key of the first passage of the page that is open, or NO_PAGE.
        answer: what was answered, which ended the episode; "" before.
        turns: what was said and shown, where that is kept, else ().
        gold, hops: follow from `seen`: the gold pages among them, and the steps that they support, as bits.
    """

    question: SearchQuestion
    seen: tuple[int, ...] = ()
    page: int = NO_PAGE
    answer: str = ""
    turns: tuple[SearchTurn, ...] = ()
    gold: int = 0
    hops: int = 0

    @property
    def recall(self) -> float:
        """The share of the gold pages that were seen; 0 where the set names none."""
        wanted = len(self.question.gold)
        return self.gold.bit_count() / wanted if wanted else 0.0

    @property
    def resolved(self) -> frozenset[int]:
        """Places of the steps of the decomposition that are resolved (`evidence.hops_resolved`)."""
        hops = self.question.hops
        return hops_resolved(hops, {place for place in range(len(hops)) if self.hops >> place & 1})

    @property
    def subgoal(self) -> str:
        """The first step of the decomposition that is not resolved; "answer" where all are, or there is none."""
        resolved = self.resolved
        steps = range(len(self.question.hops))
        return next((f"step {place + 1}" for place in steps if place not in resolved), "answer")

    def show(self, hits: Iterable[Hit], page: int | None = None) -> SearchState:
        """Return the state after these passages were shown and, where one is given, a page was opened.

        The same object where that is nothing new.
        """
        question, seen, gold, hops = self.question, set(self.seen), self.gold, self.hops
        before = len(seen)
        for key, _, passage in hits:
            if key not in seen:
                seen.add(key)
                pages, steps = marks(question, passage)
                gold |= pages
                hops |= steps
        opened = self.page if page is None else page
        if len(seen) == before and opened == self.page:
            return self
        keys = tuple(sorted(seen)) if len(seen) > before else self.seen
        return SearchState(question, keys, opened, self.answer, self.turns, gold, hops)

    def pack(self) -> tuple[object, ...]:
        """Return plain values that hold the state; of the question, its task.

        Where the library does not know all keys by itself, they hold the passages.
        """
        library = self.question.library
        shown = [] if library.lasting else [(found.title, found.text) for found in map(library.passage, self.seen)]
        turns = [_packed(turn) for turn in self.turns]
        return (self.question.task, self.seen, self.page, self.answer, turns, self.gold, self.hops, shown)

    @classmethod
    def unpack(cls, question: SearchQuestion, packed: Any) -> SearchState:
        """Return the state of what `pack` gave but the task, whose question is given."""
        seen, page, answer, turns, gold, hops, shown = packed
        question.library.keep(Passage(title, text) for title, text in shown)
        return cls(question, tuple(seen), page, answer, tuple(SearchTurn(*turn) for turn in turns), gold, hops)

    def canonical(self) -> bytes:
        """Return all that decides the futures of the state."""
        return self.question.key + self._told(hidden=True)

    def anchor(self) -> bytes:
        """Return all that the agent can tell apart."""
        return self.question.seen + self._told(hidden=False)

    def _told(self, hidden: bool) -> bytes:
        """Return what was found, each part set off by its length or by what cannot be in it."""
        keys = ",".join(map(str, self.seen))
        told = f"{keys};{self.page};{len(self.turns)};{self.answer}".encode()
        if not self.turns:
            return told
        return told + _digest([_packed(turn)[: None if hidden else -1] for turn in self.turns])


def _packed(turn: SearchTurn) -> tuple[object, ...]:
    """Return the fields of a turn, the hidden one last."""
    said = (turn.kind, turn.text, turn.thought, turn.message, turn.result)
    return (*said, turn.failed, turn.titles, turn.evidence)


def _bits(places: Iterable[int]) -> int:
    return sum(1 << place for place in places)


def _digest(value: object) -> bytes:
    return bytes.fromhex(hash_bytes(encode(value)))
