"""What the menus of a question choose from: queries, pages and answers near the right ones (`menu` says what for)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from agentgym.envs.wiki_search import expert
from agentgym.envs.wiki_search.answers import normalize
from agentgym.envs.wiki_search.finding import opened, searched
from agentgym.envs.wiki_search.near_answers import bare, could_be, kind_of, near_answers
from agentgym.envs.wiki_search.near_queries import is_query, near_queries
from agentgym.envs.wiki_search.passages import Passage
from agentgym.envs.wiki_search.state import SearchQuestion, SearchState, marks
from agentgym.rng import TurnRng

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


@lru_cache(maxsize=4096)
def pools_of(question: SearchQuestion) -> Pools:
    """Return what the menus of a question choose from."""
    rng = rng_of(question, "pools")
    way, shown = _way(question)
    around = _around(question, way)
    right = [text for tool, text in way if tool == "search"] or [question.text]
    queries = near_queries(right, question.text, lambda subject: around.others(subject, rng), around.known, rng)
    rivals = _rivals(question)
    return Pools(
        way,
        shown,
        tuple(_queries(question, queries, right)),
        tuple(_titles(question, around.near)),
        tuple(_answers(question, around, rivals, rng)),
        rivals,
        rng.integers(GUESSED) == 0,
    )


@dataclass(frozen=True, slots=True)
class Around:
    """What is around the gold pages of a question.

    Attributes:
        pages: the gold pages.
        near: passages near them, the last page's first.
        known: names that right queries hold: titles of gold pages, and answers of steps.
        names: of the pages near, none of them known.
    """

    pages: tuple[Passage, ...]
    near: tuple[Passage, ...]
    known: tuple[str, ...]
    names: tuple[str, ...]

    def others(self, subject: str, rng: TurnRng) -> Sequence[str]:
        """Return what may take the place of what a query is about: another page's name, or a value of its kind."""
        if subject in self.known or kind_of(subject) in ("name", "words"):
            return self.names
        return near_answers(subject, [subject], self.pages, self.near, rng)[: len(self.names)] or self.names


def _around(question: SearchQuestion, way: Iterable[Entry]) -> Around:
    """Return what is around the gold pages: found by what these say, by the expert's words, and by the question."""
    library = question.library
    titled = [hit for page in question.gold for hit in library.titled(page["title"])]
    gold = {hit.key: hit.passage for hit in titled if marks(question, hit.passage)[0]}
    texts = [" ".join(passage.text.split()[:WORDS]) for passage in reversed(gold.values())]
    texts += [text for _, text in reversed([*way])]
    near: dict[int, Passage] = {}
    for text in (*texts, question.text):
        for hit in library.search(text, NEAR):
            if hit.key not in gold:
                near.setdefault(hit.key, hit.passage)
    steps = (hop["answer"] for hop in question.hops[:-1])
    known = tuple(dict.fromkeys([*steps, *(bare(page["title"]) for page in question.gold)]))
    names = dict.fromkeys(bare(passage.title) for passage in near.values())
    kept = tuple(name for name in names if is_query(name) and name not in known)
    return Around(tuple(gold.values()), tuple(near.values()), known, kept)


def _answers(question: SearchQuestion, around: Around, rivals: Sequence[str], rng: TurnRng) -> list[str]:
    """Return up to ANSWERS wrong answers, those of the right one's kind first, then what else was met."""
    right = expert.answer(question)
    of_kind = near_answers(right, question.answers, around.pages, around.near, rng)
    met = [text for text in (*around.known, *around.names) if normalize(text)]
    kept = {normalize(text): "" for text in rivals}
    for text in (*of_kind, *(text for text in met if not could_be(text, question.answers))):
        kept.setdefault(normalize(text), text)
    return [text for text in kept.values() if text][:ANSWERS]


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


def _titles(question: SearchQuestion, near: Iterable[Passage]) -> Iterator[tuple[str, frozenset[int]]]:
    """Yield titles that lead to a page without gold, each with its keys."""
    count = 0
    for title in dict.fromkeys(passage.title for passage in near if "<" not in passage.title):
        shown = opened(SearchState(question), title).state
        if shown.seen and not shown.gold:
            yield title, frozenset(shown.seen)
            count += 1
        if count == TITLES:
            return


def _rivals(question: SearchQuestion) -> tuple[str, ...]:
    """Return what stands beside the right answer always: no beside yes, and the other page that is compared."""
    closed = normalize(expert.answer(question))
    if closed in ("yes", "no"):
        return ("no" if closed == "yes" else "yes",)
    titles = [bare(page["title"]) for page in question.gold]
    if closed not in map(normalize, titles):
        return ()
    asked = f" {normalize(question.text)} "
    others = [title for title in titles if f" {normalize(title)} " in asked and not could_be(title, question.answers)]
    return tuple(dict.fromkeys(others))[:2]


def rng_of(question: SearchQuestion, what: str) -> TurnRng:
    """Return draws that follow from the question alone."""
    return TurnRng(int.from_bytes(question.key[:7], "big"), stream=f"wiki_search menu {what}")
