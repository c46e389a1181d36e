"""Queries near the right ones: for another entity, another relation, too narrow, too broad, the question itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from agentgym.envs.wiki_search.near_answers import bare
from agentgym.envs.wiki_search.tokens import tokens
from agentgym.rng import TurnRng

RELATIONS: Final = (
    "capital", "population", "currency", "area", "official language", "continent", "time zone", "country", "region",
    "elevation", "symbol", "code", "founder", "year", "author", "spouse", "birthplace", "highest point", "border",
    "flag", "history", "discoverer", "location", "name",
)  # fmt: skip
"""What is asked of things, for queries that ask for something else."""
_NAME: Final = re.compile(r"(?<=\w )[^\W\d_a-zß-öø-ÿ][\w'’.-]*(?: [^\W\d_a-zß-öø-ÿ][\w'’.-]*)*")
_SIGN: Final = re.compile(r"\b(?=\w*\d)[\w.,-]*\w|\b[A-Z]{2,}\b")


def near_queries(
    queries: Sequence[str], question: str, others: Callable[[str], Sequence[str]], known: Sequence[str], rng: TurnRng
) -> Iterator[str]:
    """Yield queries near the right ones, of every sort in turns; some may come twice.

    Args:
        queries: the right ones.
        question: what is asked.
        others: from what a query is about, or from "", to what may take its place, such as names of other pages.
        known: names that right queries may hold, such as answers of earlier steps.
        rng: draws names, relations and parts.
    """
    subjects = [subject_of(query, known) for query in queries]
    sorts = [
        list(_near(query, subject, rng.shuffled(others(subject)), rng))
        for query, subject in zip(queries, subjects, strict=True)
    ]
    subject = subject_of(question, known)
    asked = [question]
    if subject:
        asked += [question.replace(subject, other) for other in rng.shuffled(others(subject))[:4]]
    parts = list(_parts(_without(question, [*known, *subjects]), rng))
    for place in range(max(map(len, (*sorts, asked, parts)), default=0)):
        for sort in (*sorts, asked, parts, parts[::-1]):
            if place < len(sort):
                yield sort[place]


def _near(query: str, subject: str, others: Sequence[str], rng: TurnRng) -> Iterator[str]:
    """Yield queries near one: of other things, for other relations, too narrow and too broad."""
    relations = rng.shuffled(RELATIONS)
    asked = max((word for word in RELATIONS if re.search(rf"\b{word}\b", query)), key=len, default="")
    for place, relation in enumerate(relations):
        other = others[place % len(others)] if others else ""
        if subject and other:
            yield query.replace(subject, other)
        if asked and asked != relation:
            changed = query.replace(asked, relation)
            yield changed
            yield changed.replace(subject, other) if subject and other else changed
        if other:
            another = others[(place + 1) % len(others)]
            narrow = (f"{query.rstrip('?')} {other}", f"{other}, {another}: {relation}?")
            yield from ((f"{relation} of {other}?", narrow[0]) if place % 2 else (f"{other} {relation}", narrow[1]))
        if subject:
            yield f"{subject} {relation}" if place % 3 else f"{relation} of {subject}"
        if place % 4 == 0 and other:
            yield f"What is the {relation} of {other}?"
            yield other


def subject_of(query: str, known: Sequence[str]) -> str:
    """Return what a query is about: the longest of the known names in it, else the last name, number or code; or ""."""
    there = [name for name in known if name and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", query)]
    if there:
        return max(there, key=len)
    last = max((*_NAME.finditer(query), *_SIGN.finditer(query)), key=re.Match.end, default=None)
    return last[0] if last is not None else ""


def _without(question: str, names: Sequence[str]) -> list[str]:
    """Return the words of a question without those of names, which lead to the pages that are looked for."""
    told = {word for name in names for word in tokens(name)}
    return [word for word in question.rstrip("?").split() if told.isdisjoint(tokens(word))]


def _parts(words: Sequence[str], rng: TurnRng) -> Iterator[str]:
    """Yield all words, then runs of them, long ones first, and some that are drawn without their order."""
    yield " ".join(words)
    for share in (4, 3, 3, 2, 2, 1, 1):
        many = max(len(words) * share // 5, 1)
        start = rng.integers(max(len(words) - many, 0) + 1)
        yield " ".join(words[start : start + many])
        yield " ".join(word for word in words if tokens(word) and rng.integers(5) < share)


def is_query(text: str) -> bool:
    """Return whether a text can be searched for and written between tags."""
    return bool(tokens(text)) and bare(text) != "" and "<" not in text and ">" not in text
