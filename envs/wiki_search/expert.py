"""The expert: goes through the gold decomposition, searches for each step's page, opens it where that fails, answers.

It looks at the state alone, so it knows a way from wherever somebody's play led. A query says what an agent could ask
by then: the step with the answers of earlier steps in it; without a decomposition the title of the page, once the
question or a gold page that was seen names it, and else the question itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from agentgym.envs.wiki_search.answers import normalize
from agentgym.envs.wiki_search.finding import opened
from agentgym.envs.wiki_search.state import SearchQuestion, SearchState, marks
from agentgym.envs.wiki_search.text import QUERY

OWN_WORDS: Final = 60
"""Words of a page's own text that a last search for it takes."""

_REFERENCE: Final = re.compile(r"#([0-9]{1,3})")
_QUALIFIER: Final = re.compile(r"\s*\([^()]*\)\s*$")


def advice(state: SearchState) -> tuple[str, str]:
    """Return the tool that the expert would call now, and its argument."""
    for place, query in goals(state):
        found = _way(state, place, query)
        if found is not None:
            return found
    return "answer", answer(state.question)


def answer(question: SearchQuestion) -> str:
    """Return what the expert answers: the set's own answer, or where it has none the titles of the gold pages."""
    if question.answers:
        return question.answers[0].strip()
    return ", ".join(page["title"] for page in question.gold)


def goals(state: SearchState) -> Iterator[tuple[int, str]]:
    """Yield the places of the gold pages that were not seen, in the order in which they are looked for, and a query."""
    question, left = state.question, {place for place in range(len(state.question.gold)) if not state.gold >> place & 1}
    for place, query in steps(question):
        if place in left:
            left.discard(place)
            yield place, query
    named = {place: is_named(state, place) for place in sorted(left)}
    for place in sorted(left, key=lambda place: not named[place]):
        yield place, question.gold[place]["title"] if named[place] else question.text


@lru_cache(maxsize=4096)
def steps(question: SearchQuestion) -> tuple[tuple[int, str], ...]:
    """Return for each step of the decomposition whose page is known its place in `gold`, and a query for it."""
    places = ((_gold_of(question, hop["title"], hop["passage"]), hop["question"]) for hop in question.hops)
    return tuple((place, query_of(question, step)) for place, step in places if place >= 0)


def _gold_of(question: SearchQuestion, title: str, passage: str) -> int:
    """Return the place of a step's page in `gold`, −1 where it is none; one of the two may not say which passage."""
    same = [(place, page["passage"]) for place, page in enumerate(question.gold) if title and page["title"] == title]
    exact = [place for place, known in same if known == passage]
    return (exact + [place for place, known in same if not known or not passage] + [-1])[0]


def query_of(question: SearchQuestion, step: str) -> str:
    """Return a step as a query: answers in the place of #1, #2, …, and without the marks of triples."""

    def told(match: re.Match[str]) -> str:
        place = int(match[1]) - 1
        return question.hops[place]["answer"] if 0 <= place < len(question.hops) else match[0]

    return " ".join(_REFERENCE.sub(told, step).replace(">>", " ").split())


def is_named(state: SearchState, place: int) -> bool:
    """Return whether the question, or a gold page that was seen, names a gold page, its title's qualifier aside."""
    question = state.question
    name = normalize(_QUALIFIER.sub("", question.gold[place]["title"]))
    if not name:
        return False
    library = question.library
    seen = (library.passage(key) for key in state.seen)
    texts = (question.text, *(found.text for found in seen if marks(question, found)[0]))
    return any(f" {name} " in f" {normalize(text)} " for text in texts)


def _way(state: SearchState, place: int, query: str) -> tuple[str, str] | None:
    """Return a call that may show a gold page: the query if it shows anything new, else one that is sure to."""
    question = state.question
    library, page, query = question.library, question.gold[place], query[:QUERY]
    if any(hit.key not in state.seen for hit in library.search(query, question.rules.k)):
        return "search", query
    if opened(state, page["title"]).state.gold >> place & 1:
        return "open", page["title"]
    for hit in library.titled(page["title"]):
        if marks(question, hit.passage)[0] >> place & 1:
            own = " ".join([page["title"], *hit.passage.text.split()[:OWN_WORDS]])[:QUERY]
            if any(found.key == hit.key for found in library.search(own, question.rules.k)):
                return "search", own
    return None
