"""How far a search has come: gold pages seen, steps of the decomposition resolved, and how new a query is.

All of it follows from the passages that were shown and the queries that were asked. A task's `gold` and `hops` are what
`sources` says: a page counts as seen when the very passage that the set names was shown, or, where the set names the
page alone, any passage with its title.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from agentgym.envs.wiki_search.answers import normalize
from agentgym.envs.wiki_search.passages import Passage
from agentgym.envs.wiki_search.sources.question import passage_key
from agentgym.envs.wiki_search.tokens import tokens

_REFERENCE: Final = re.compile(r"#([0-9]{1,3})")


def gold_seen(gold: Sequence[Mapping[str, str]], passages: Iterable[Passage]) -> frozenset[int]:
    """Return the places in `gold` of the pages that are among these passages."""
    there = _Shown(passages)
    return frozenset(place for place, page in enumerate(gold) if there.has(page))


def evidence_recall(gold: Sequence[Mapping[str, str]], seen: Collection[int]) -> float:
    """Return the share of the gold pages that were seen, in [0, 1]; 0 where the set names none.

    Args:
        gold: of the task.
        seen: places in it, the union of `gold_seen` over the turns.
    """
    return len(seen) / len(gold) if gold else 0.0


def hops_supported(hops: Sequence[Mapping[str, str]], passages: Iterable[Passage]) -> frozenset[int]:
    """Return the places in `hops` of the steps whose answer these passages give.

    That is so when the step's page is among them; where the set names no page for it, when the text of one holds its
    answer, word by word, both normalised as `answers` does it.
    """
    there = _Shown(passages)
    found = set()
    for place, hop in enumerate(hops):
        paged = hop["passage"] or hop["title"]
        if there.has(hop) if paged else there.says(hop["answer"]):
            found.add(place)
    return frozenset(found)


def hops_resolved(hops: Sequence[Mapping[str, str]], supported: Collection[int]) -> frozenset[int]:
    """Return the places of the steps that are resolved: supported, and so is all that they refer to.

    "#1 >> capital" is resolved once the first step is and its own page was seen: who comes across the page before
    knowing what to look for has not solved the step yet. References to the step itself, or to later ones, are none.

    Args:
        hops: of the task.
        supported: the union of `hops_supported` over the turns.
    """
    found: set[int] = set()
    for place, hop in enumerate(hops):
        needed = {int(number) - 1 for number in _REFERENCE.findall(hop["question"])}
        if place in supported and all(step in found for step in needed if 0 <= step < place):
            found.add(place)
    return frozenset(found)


def novelty(query: str, earlier: Iterable[str]) -> float:
    """Return how new a query is: 1 − the greatest Jaccard index of its words with those of an earlier one, in [0, 1].

    Words are what BM25 counts, each once, so a query that finds the same passages by other order, case, punctuation or
    stop words is worth 0, as is one without words; the first query is worth 1.
    """
    asked = set(tokens(query))
    if not asked:
        return 0.0
    shares = (len(asked & before) / len(asked | before) for before in map(set, map(tokens, earlier)))
    return 1.0 - max(shares, default=0.0)


class _Shown:
    """Passages that were shown, by what tells them apart."""

    def __init__(self, passages: Iterable[Passage]) -> None:
        self._passages = tuple(passages)
        self._titles = {passage.title for passage in self._passages}
        self._keys = {passage_key(passage) for passage in self._passages}

    def has(self, page: Mapping[str, str]) -> bool:
        return page["passage"] in self._keys if page["passage"] else page["title"] in self._titles

    def says(self, answer: str) -> bool:
        wanted = normalize(answer)
        return bool(wanted) and any(f" {wanted} " in f" {normalize(passage.text)} " for passage in self._passages)
