"""Sets whose items bring their passages along: the union of them is what is searched."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from agentgym.data import Loaded, Progress
from agentgym.envs.wiki_search.passages import Passage
from agentgym.envs.wiki_search.sources.parts import (
    Empty,
    Unplayable,
    a_text,
    a_word,
    an_id,
    an_object,
    answers_of,
    shown,
)
from agentgym.envs.wiki_search.sources.question import Gold, Question, passage_key
from agentgym.envs.wiki_search.sources.reading import Reading

Passages = Callable[[Mapping[str, Any]], Iterator[Passage | Unplayable]]
"""Yields the passages of an item in their order, and in the place of one that cannot be kept what is wrong with it."""


def load_contexts(
    folder: Path,
    files: Sequence[tuple[str, str]],
    progress: Progress,
    parse: Callable[[Mapping[str, Any], Sequence[Passage]], Question],
    passages: Passages,
) -> Loaded:
    """Read files of such items.

    Args:
        folder: of the set.
        files: the split of each and its name below the folder.
        progress: see `agentgym.data.Loader`.
        parse: makes a question of an item and its passages, or raises Unplayable.
        passages: see `Passages`.
    """
    reading, titles = Reading(folder, progress), set[str]()

    def question(file: str, place: str, entry: Any) -> Question:
        kept = _kept(reading, file, place, an_object(entry), passages)
        titles.update(passage.title for passage in kept)
        return parse(entry, kept)

    for split, file in files:
        reading.take(split, file, list(reading.items(file)), partial(question, file))
    return reading.loaded([file for _, file in files], reading.titles() - titles)


def _kept(reading: Reading, file: str, place: str, entry: Mapping[str, Any], passages: Passages) -> list[Passage]:
    """Return the passages of an item, and note what is wrong with those that are left out."""
    kept = list[Passage]()
    for number, found in enumerate(passages(entry)):
        if isinstance(found, Passage):
            kept.append(found)
        else:
            reading.wrong(file, f"{place}, passage {number}", found.wrong, found.remedy, plays=True)
    return kept


def context_passages(folder: Path, file: str, passages: Passages) -> Iterator[Passage]:
    """Yield the passages of a file of such items, repeated ones too."""
    for _, entry in Reading(folder).items(file):
        if isinstance(entry, dict):
            yield from (found for found in passages(entry) if isinstance(found, Passage))


def sentence_passages(entry: Mapping[str, Any]) -> Iterator[Passage | Unplayable]:
    """Yield the passages of HotpotQA's `context`: pairs of a title and sentences, which one blank joins."""
    context = entry.get("context")
    for found in context if isinstance(context, list) else []:
        match found:
            case [str(title), [*sentences]] if all(isinstance(sentence, str) for sentence in sentences):
                text = " ".join(sentence.strip() for sentence in sentences if sentence.strip())
                yield a_passage(title, text)
            case _:
                yield Unplayable(f"it is {shown(found)}, no pair of a title and sentences", "mend it")


def a_passage(title: str, text: str) -> Passage | Unplayable:
    """Return a passage, or what is wrong with it."""
    if not title.strip():
        return Unplayable(f"it has no title, only {text!r:.60}", "give it one")
    if not text.strip():
        return Empty(f"it has no text, only the title {title!r:.60}", "give it one, or leave it out")
    return Passage(title.strip(), text.strip())


def supported_question(entry: Mapping[str, Any], kept: Sequence[Passage], *aliases: Any) -> Question:
    """Return the question of an item in HotpotQA's layout; `aliases` are answers beside its own.

    Raises:
        Unplayable: as `a_text` and `answers_of`.
    """
    titles, notes = list[str](), list[tuple[str, str]]()
    facts = entry.get("supporting_facts")
    for fact in facts if isinstance(facts, list) else []:
        match fact:
            case [str(title), *_] if title.strip():
                titles.append(title.strip())
            case _:
                notes.append(
                    (f"one of its supporting facts is {shown(fact)}, no pair of a title and a number", "mend it")
                )
    keys = {passage.title: passage_key(passage) for passage in reversed(kept)}
    gold = tuple(Gold(title, keys.get(title, "")) for title in dict.fromkeys(titles))
    asked, answers = a_text(entry, "question"), answers_of(entry.get("answer"), *aliases)
    kind, level = a_word(entry, "type"), a_word(entry, "level")
    return Question(an_id(entry, "_id"), asked, answers, gold, (), kind, level, tuple(notes))
