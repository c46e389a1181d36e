"""The menu: queries, pages to open and answers, the expert's call among them and in nothing marked.

Each kind has its number of entries, whether or not it is its turn. Beside the expert's query stand queries near it,
none of which shows a gold page; beside its page others that were near what it looks for; beside its answer others of
the kind, which near pages give. Before all gold pages are known the right answer is on offer for one question in
GUESSED alone, so that who answers at once is mostly wrong, but not always.

A task has few states, so that exact truth is cheap: after WASTE passages that lead nowhere no other query is on offer
than the expert's and those that tell nothing new.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from agentgym.envs.wiki_search import expert
from agentgym.envs.wiki_search.answers import normalize
from agentgym.envs.wiki_search.beside import beside
from agentgym.envs.wiki_search.finding import opened, searched
from agentgym.envs.wiki_search.library import Hit
from agentgym.envs.wiki_search.near_answers import bare, could_be, near_answers
from agentgym.envs.wiki_search.near_queries import is_query, near_queries
from agentgym.envs.wiki_search.state import SearchQuestion, SearchState, marks
from agentgym.rng import TurnRng

SIZE: Final = 19
"""Entries of a menu; answers fill it where there are fewer of the other kinds."""
SEARCHES: Final = 9
OPENS: Final = 3
WASTE: Final = 4
"""Passages beside the expert's way, after which no new ones are on offer."""
GUESSED: Final = 4
"""The right answer of one question in so many is on offer from the start."""

QUERIES: Final = 16  # near the right ones, that a question's menus choose from
TITLES: Final = 3
ANSWERS: Final = 16
NEAR: Final = 12  # passages near a gold page, in each respect
WORDS: Final = 30  # of a page, that pages like it are looked for with
LONGEST: Final = 12  # calls of the expert

Entry = tuple[str, str]
"""The name of a tool and its argument."""


@dataclass(frozen=True, slots=True)
class Pools:
    """What the menus of a question choose from.

    Attributes:
        way: what the expert calls from the start.
        shown: keys of the passages that this shows.
        queries, titles: beside the way, each with the keys of what it shows.
        answers: wrong ones.
        rivals: wrong ones that stand beside the right one always: the other of yes and no, the other page compared.
        guessed: whether the right answer is on offer from the start.
    """

    way: tuple[Entry, ...]
    shown: frozenset[int]
    queries: tuple[tuple[str, frozenset[int]], ...]
    titles: tuple[tuple[str, frozenset[int]], ...]
    answers: tuple[str, ...]
    rivals: tuple[str, ...]
    guessed: bool


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
    rng = _rng(question, f"{tool} {said}")
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


# ---- what menus choose from ------------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def pools_of(question: SearchQuestion) -> Pools:
    """Return what the menus of a question choose from."""
    rng = _rng(question, "pools")
    way, shown = _way(question)
    gold = [hit for page in question.gold for hit in question.library.titled(page["title"])]
    wanted = {hit.key for hit in gold if marks(question, hit.passage)[0]}
    near = _near(question, way, [hit for hit in gold if hit.key in wanted], wanted)
    said = [text for tool, text in way if tool == "search"] or [question.text]
    known = _known(question)
    names = list(dict.fromkeys(bare(hit.passage.title) for hit in near))
    names = [name for name in names if is_query(name) and name not in known]
    right = expert.answer(question)
    pages = [question.library.passage(key) for key in sorted(wanted)]
    answers = near_answers(right, question.answers, pages, [hit.passage for hit in near], rng)
    rivals = _rivals(question, right)
    others = [text for text in (*known, *names) if normalize(text) and not could_be(text, question.answers)]
    forms = {normalize(text): text for text in reversed((*rivals, *answers, *others))}
    answers = [text for text in forms.values() if text not in rivals][: -ANSWERS - 1 : -1]
    return Pools(
        way,
        shown,
        tuple(_queries(question, near_queries(said, question.text, names, known, rng), said)),
        tuple(_titles(question, near)),
        tuple(answers),
        rivals,
        rng.integers(GUESSED) == 0,
    )


def _way(question: SearchQuestion) -> tuple[tuple[Entry, ...], frozenset[int]]:
    """Return the expert's calls from the start, and the keys of what they show."""
    state, way = SearchState(question), list[Entry]()
    while len(way) < LONGEST:
        tool, said = expert.advice(state)
        if tool == "answer":
            break
        way.append((tool, said))
        state = (searched(state, said, question.rules.k) if tool == "search" else opened(state, said)).state
    return tuple(way), frozenset(state.seen)


def _near(question: SearchQuestion, way: Iterable[Entry], gold: Sequence[Hit], wanted: set[int]) -> list[Hit]:
    """Return passages near the gold pages, the last page's first: found by what it says, then by the expert's words."""
    texts = [" ".join([*hit.passage.text.split()[:WORDS]]) for hit in reversed(gold)]
    texts += [text for _, text in reversed([*way])]
    found: dict[int, Hit] = {}
    for text in (*texts, question.text):
        for hit in question.library.search(text, NEAR):
            if hit.key not in wanted:
                found.setdefault(hit.key, hit)
    return list(found.values())


def _known(question: SearchQuestion) -> list[str]:
    """Return the names that right queries hold: titles of gold pages, and answers of steps."""
    titles = [bare(page["title"]) for page in question.gold]
    return list(dict.fromkeys([*(hop["answer"] for hop in question.hops[:-1]), *titles]))


def _queries(
    question: SearchQuestion, texts: Iterable[str], right: Sequence[str]
) -> Iterator[tuple[str, frozenset[int]]]:
    """Yield queries that find something, but no gold page, each with the keys of what it finds."""
    forms, count = {normalize(text) for text in right}, 0
    for text in texts:
        form = normalize(text)
        if form in forms or not is_query(text):
            continue
        forms.add(form)
        hits = question.library.search(text, question.rules.k)
        if hits and not any(marks(question, hit.passage)[0] for hit in hits):
            yield text, frozenset(hit.key for hit in hits)
            count += 1
        if count == QUERIES:
            return


def _titles(question: SearchQuestion, near: Iterable[Hit]) -> Iterator[tuple[str, frozenset[int]]]:
    """Yield titles that lead to a page without gold, each with its keys."""
    count = 0
    for title in dict.fromkeys(hit.passage.title for hit in near if "<" not in hit.passage.title):
        shown = opened(SearchState(question), title).state
        if shown.seen and not shown.gold:
            yield title, frozenset(shown.seen)
            count += 1
        if count == TITLES:
            return


def _rivals(question: SearchQuestion, right: str) -> tuple[str, ...]:
    """Return what stands beside the right answer always: no beside yes, and the other page that is compared."""
    closed = normalize(right)
    if closed in ("yes", "no"):
        return ("no" if closed == "yes" else "yes",)
    titles = [bare(page["title"]) for page in question.gold]
    if closed not in map(normalize, titles):
        return ()
    asked = f" {normalize(question.text)} "
    others = [title for title in titles if f" {normalize(title)} " in asked and not could_be(title, question.answers)]
    return tuple(dict.fromkeys(others))[:2]


def _rng(question: SearchQuestion, what: str) -> TurnRng:
    return TurnRng(int.from_bytes(question.key[:7], "big"), stream=f"wiki_search menu {what}")
