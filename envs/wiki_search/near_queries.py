"""Queries near the right ones: for another entity, another relation, too narrow, too broad, the question itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
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
_SIGN: Final = re.compile(r"\b(?=\w*\d)[\w.,-]+\b|\b[A-Z]{2,}\b")


def near_queries(
    queries: Sequence[str], question: str, names: Sequence[str], known: Sequence[str], rng: TurnRng
) -> Iterator[str]:
    """Yield queries near the right ones, of every sort in turns; some may come twice.

    Args:
        queries: the right ones.
        question: what is asked.
        names: of other pages, which may take the place of what a query names.
        known: names that right queries may hold, such as answers of earlier steps.
        rng: draws names, relations and parts.
    """
    sorts = [list(_near(query, names, known, rng)) for query in queries]
    asked = [question, *_of_others(question, names, known, rng)]
    left = _without(question, [*known, *(subject_of(query, known) for query in queries)])
    parts = list(_parts(left, rng))
    for place in range(max(map(len, (*sorts, asked, parts)), default=0)):
        for sort in (*sorts, asked, parts, parts[::-1]):
            if place < len(sort):
                yield sort[place]


def _near(query: str, names: Sequence[str], known: Sequence[str], rng: TurnRng) -> Iterator[str]:
    """Yield queries near one."""
    subject = subject_of(query, known)
    others = rng.shuffled(names)
    relations = rng.shuffled(RELATIONS)
    asked = max((word for word in RELATIONS if re.search(rf"\b{word}\b", query)), key=len, default="")
    for place, relation in enumerate(relations):
        other = others[place % len(others)] if others else ""
        if subject and other:
            yield query.replace(subject, other)
        if asked and asked != relation:
            yield query.replace(asked, relation)
            if subject and other:
                yield query.replace(asked, relation).replace(subject, other)
        if other:
            yield f"{other} {relation}"
            yield (
                f"{query.rstrip('?')} {other}"
                if place % 2
                else f"{other} {relation} {others[(place + 1) % len(others)]}"
            )
        if subject:
            yield f"{subject} {relation}" if place % 3 else f"{relation} of {subject}"
        if place % 4 == 0 and other:
            yield other
            yield f"What is the {relation} of {other}?"


def subject_of(query: str, known: Sequence[str]) -> str:
    """Return what a query is about: the longest of the known names in it, else a name, a number or a code; or ""."""
    there = [name for name in known if name and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", query)]
    found = there or _NAME.findall(query) or _SIGN.findall(query)
    return max(found, key=len, default="")


def _of_others(question: str, names: Sequence[str], known: Sequence[str], rng: TurnRng) -> Iterator[str]:
    """Yield the question as it is asked of others."""
    subject = subject_of(question, known)
    if subject:
        yield from (question.replace(subject, name) for name in rng.shuffled(names)[:4])


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
