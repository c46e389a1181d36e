"""The menu: queries, pages to open and answers, the expert's call among them and in nothing marked.

Each kind has its number of entries, whether or not it is its turn. Beside the expert's query stand queries near it,
none of which shows a gold page; beside its page others that were near what it looks for; beside its answer others of
the kind, which near pages give. Before all gold pages are known the right answer is on offer for one question in
`pools.GUESSED` alone, so that who answers at once is mostly wrong, but not always.

A task has few states, so that exact truth is cheap: after WASTE passages that lead nowhere no other query is on offer
than the expert's and those that tell nothing new.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from agentgym.envs.wiki_search import expert
from agentgym.envs.wiki_search.beside import beside
from agentgym.envs.wiki_search.pools import Entry, Pools, pools_of, rng_of
from agentgym.envs.wiki_search.state import SearchQuestion, SearchState
from agentgym.rng import TurnRng

SIZE: Final = 20
"""Entries of a menu; answers fill it where there are fewer of the other kinds."""
SEARCHES: Final = 10
OPENS: Final = 3
WASTE: Final = 4
"""Passages beside the expert's way, after which no new ones are on offer."""


@dataclass(frozen=True, slots=True)
class Offer:
    """What is on offer where the expert's call is a certain one, before what is known already is left out."""

    queries: tuple[tuple[str, frozenset[int]], ...]
    titles: tuple[tuple[str, frozenset[int]], ...]
    answers: tuple[str, ...]


def entries(state: SearchState) -> Iterator[Entry]:
    """Yield (tool, argument) of all that is on offer in a state."""
    question, right = state.question, expert.advice(state)
    pools, offer, seen = pools_of(question), offer_of(question, right), frozenset(state.seen)
    new = len(seen - pools.shown) < WASTE
    calls: list[Entry] = [] if right[0] == "answer" else [right]
    calls += [("search", text) for text, shows in offer.queries if (not shows <= seen if new else shows <= seen)]
    if new:
        calls += [("open", title) for title, shows in offer.titles if not shows <= seen]
    yield from calls
    yield from (("answer", text) for text in offer.answers[: max(SIZE - len(calls), 1)])


@lru_cache(maxsize=16384)
def offer_of(question: SearchQuestion, right: Entry) -> Offer:
    """Return what is on offer beside the expert's call; of the answers, the first ones where there is room for few."""
    pools, (tool, said) = pools_of(question), right
    rng = rng_of(question, f"{tool} {said}")
    queries, titles = dict(pools.queries), dict(pools.titles)
    if tool == "search":
        texts = beside(said, [text for text in queries if text != said], SEARCHES - 1, question.text, rng)
    else:
        texts = rng.shuffled([*queries])[:SEARCHES]
    if tool == "open":
        pages = beside(said, [title for title in titles if title != said], OPENS - 1, question.text, rng)
    else:
        pages = rng.shuffled([*titles])[:OPENS]
    return Offer(
        tuple((text, queries[text]) for text in texts),
        tuple((title, titles[title]) for title in pages),
        _answers(question, pools, tool == "answer", rng),
    )


def _answers(question: SearchQuestion, pools: Pools, known: bool, rng: TurnRng) -> tuple[str, ...]:
    """Return answers, the right one among the first of them where it is on offer."""
    many = SIZE - SEARCHES - OPENS
    if not known and not pools.guessed:
        return tuple(rng.shuffled(pools.answers))
    right = expert.answer(question)
    chosen = beside(right, pools.answers, many - 1 - len(pools.rivals), question.text, rng)
    rest = [text for text in pools.answers if text not in chosen]
    return (*rng.shuffled([right, *pools.rivals, *chosen]), *rng.shuffled(rest))
