"""2WikiMultihopQA's layout: train.json, dev.json, test.json, and id_aliases.json beside them where it is there.

An item holds what one of HotpotQA does, and evidences ([subject, relation, object]), which are its decomposition, in
the wording of MuSiQue: "subject >> relation", answered by the object. The aliases and demonyms that id_aliases.json has
for its answer_id are accepted too, as in the official evaluation (version 1.1). The hidden test does not play.

Source: https://github.com/Alab-NII/2wikimultihop, Ho et al. 2020, arXiv 2011.01060.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from agentgym.data import Loaded, Problem, Progress
from agentgym.envs.wiki_search.passages import Passage
from agentgym.envs.wiki_search.sources.contexts import (
    context_passages,
    load_contexts,
    sentence_passages,
    supported_question,
)
from agentgym.envs.wiki_search.sources.parts import Unplayable, shown
from agentgym.envs.wiki_search.sources.question import Gold, Hop, Question
from agentgym.envs.wiki_search.sources.reading import SPLITS, Reading
from agentgym.errors import DataError

ALIASES = "id_aliases.json"


def load(folder: Path, progress: Progress) -> Loaded:
    """Read a folder; see `agentgym.data.Loader`.

    Raises:
        DataError: it holds no file of questions.
    """
    files = [(split, f"{split}.json") for split in SPLITS if (folder / f"{split}.json").is_file()]
    if not files:
        raise DataError(f"{folder} holds no questions of 2WikiMultihopQA: train.json, dev.json or test.json")
    aliases, problems = _aliases(folder)

    def parse(entry: Mapping[str, Any], kept: Sequence[Passage]) -> Question:
        known = aliases.get(entry["answer_id"], []) if isinstance(entry.get("answer_id"), str) else []
        return _with_hops(entry, supported_question(entry, kept, known if entry.get("answer") else None))

    loaded = load_contexts(folder, files, progress, parse, sentence_passages)
    return replace(loaded, problems=(*problems, *loaded.problems))


def passages(folder: Path, file: str) -> Iterator[Passage]:
    """Yield the passages of a file; one blank joins the sentences of each."""
    return context_passages(folder, file, sentence_passages)


def _with_hops(entry: Mapping[str, Any], question: Question) -> Question:
    hops, notes = list[Hop](), list(question.notes)
    gold = {page.title: page for page in question.gold}
    evidences = entry.get("evidences")
    for triple in evidences if isinstance(evidences, list) else []:
        match triple:
            case [str(subject), str(relation), str(found)]:
                hops.append(Hop(f"{subject} >> {relation}", found, gold.get(subject, Gold(""))))
            case _:
                notes.append((f"one of its evidences is {shown(triple)}, no triple of texts", "mend it"))
    return replace(question, hops=tuple(hops), notes=tuple(notes))


def _aliases(folder: Path) -> tuple[dict[str, list[str]], list[Problem]]:
    """Return the other names of each Wikidata id, and what is wrong with the file; a line each, for all its name."""
    found: dict[str, list[str]] = {}
    reading = Reading(folder)
    for place, entry in reading.lines(ALIASES) if (folder / ALIASES).is_file() else ():
        match entry:
            case {"Q_id": str(name), "aliases": [*aliases], "demonyms": [*demonyms]} if all(
                isinstance(alias, str) for alias in [*aliases, *demonyms]
            ):
                found[name] = [*aliases, *demonyms]
            case Unplayable():
                reading.wrong(ALIASES, place, entry.wrong, entry.remedy)
            case _:
                wrong = f"it is {shown(entry)}, not Q_id, aliases and demonyms"
                reading.wrong(ALIASES, place, wrong, "mend it, or leave it out")
    return found, reading.problems
