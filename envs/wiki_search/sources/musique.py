"""MuSiQue's layout: musique_ans_v1.0_train.jsonl, musique_ans_v1.0_dev.jsonl, the same for musique_full.

Any file of the folder counts whose name begins with musique, ends in .jsonl or .json (then a list) and has train, dev
or test as a word. An item holds id, question, answer, answer_aliases, answerable, paragraphs (idx, title,
paragraph_text, is_supporting) and question_decomposition (question, answer, paragraph_support_idx), whose order is that
of the gold pages. Unanswerable items, of musique_full, and the hidden test do not play. The type is how the hops hang
together, the beginning of the id: "2hop", "3hop1". What is searched is the union of the passages of all items.

Source: https://github.com/StonyBrookNLP/musique, Trivedi et al. 2022, arXiv 2108.00573.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from agentgym.data import Loaded, Progress
from agentgym.envs.wiki_search.passages import Passage
from agentgym.envs.wiki_search.sources.contexts import a_passage, context_passages, load_contexts
from agentgym.envs.wiki_search.sources.parts import Unplayable, a_text, an_id, answers_of, shown
from agentgym.envs.wiki_search.sources.question import Gold, Hop, Question, passage_key
from agentgym.envs.wiki_search.sources.reading import split_of
from agentgym.errors import DataError


def load(folder: Path, progress: Progress) -> Loaded:
    """Read a folder; see `agentgym.data.Loader`.

    Raises:
        DataError: it holds no file of questions.
    """
    names = sorted(file.name for file in folder.glob("musique*.json*") if file.suffix in (".json", ".jsonl"))
    files = [(split, name) for name in names if (split := split_of(name))]
    if not files:
        raise DataError(f"{folder} holds no questions of MuSiQue, such as musique_ans_v1.0_dev.jsonl")
    return load_contexts(folder, files, progress, _question, _passages)


def passages(folder: Path, file: str) -> Iterator[Passage]:
    """Yield the passages of a file."""
    return context_passages(folder, file, _passages)


def _passages(entry: Mapping[str, Any]) -> Iterator[Passage | Unplayable]:
    return (_passage(paragraph) for paragraph in _listed(entry, "paragraphs"))


def _passage(paragraph: Any) -> Passage | Unplayable:
    match paragraph:
        case {"title": str(title), "paragraph_text": str(text)}:
            return a_passage(title, text)
        case _:
            return Unplayable(f"it is {shown(paragraph)}, without a title or a paragraph_text", "mend it")


def _question(entry: Mapping[str, Any], kept: Sequence[Passage]) -> Question:
    asked = a_text(entry, "question")
    answers = answers_of(entry.get("answer"), entry.get("answer_aliases") if entry.get("answer") else None)
    if entry.get("answerable") is False:
        raise Unplayable("it is marked as unanswerable", "musique_ans has the answerable items alone")
    found = [(paragraph, _passage(paragraph)) for paragraph in _listed(entry, "paragraphs")]
    pages = [
        (paragraph, Gold(passage.title, passage_key(passage)))
        for paragraph, passage in found
        if isinstance(passage, Passage)
    ]
    by_number = {paragraph["idx"]: gold for paragraph, gold in pages if type(paragraph.get("idx")) is int}
    hops, notes = list[Hop](), list[tuple[str, str]]()
    for number, step in enumerate(_listed(entry, "question_decomposition"), 1):
        match step:
            case {"question": str(question), "answer": str(answer), "paragraph_support_idx": int(place)} if (
                place in by_number
            ):
                hops.append(Hop(question, answer, by_number[place]))
            case _:
                wrong = f"step {number} of its decomposition is {shown(step)}, which names no paragraph that is there"
                notes.append((wrong, "mend it"))
    supporting = [gold for paragraph, gold in pages if paragraph.get("is_supporting") is True]
    gold = tuple(dict.fromkeys([hop.gold for hop in hops] + supporting))
    name = an_id(entry, "id")
    return Question(name, asked, answers, gold, tuple(hops), name.partition("__")[0], "", tuple(notes))


def _listed(entry: Mapping[str, Any], key: str) -> list[Any]:
    return entry[key] if isinstance(entry.get(key), list) else []
