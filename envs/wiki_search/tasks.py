"""Tasks and panels: which questions there are, in which splits, what is searched, and the question of a task.

A task's data:

    question   what is asked
    answers    all accepted answers; [] where not the answer is judged, but the evidence
    gold       the pages that it rests on, [{"title", "passage"}]; "passage" is the `passage_key` of the very passage,
               or "" (or absent) where any passage with the title will do; []
    hops       the gold decomposition, [{"question", "answer", "title", "passage"}]; []
    type       such as "bridge"; ""
    level      such as "hard"; ""
    plan       the steps of the decomposition in words, which plans are compared with; by default the questions of hops

All but the first may be left out, and one of answers and gold.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from importlib.resources import files
from typing import Any, Final

from agentgym.action import clean
from agentgym.data import Source
from agentgym.digest import state_hash
from agentgym.envs.wiki_search.corpus import Corpus, kept_corpus, source_passages
from agentgym.envs.wiki_search.library import Library, open_library
from agentgym.envs.wiki_search.presets import PRESETS
from agentgym.envs.wiki_search.ranking import Searcher
from agentgym.envs.wiki_search.remote import open_remote
from agentgym.envs.wiki_search.shipped.corpus import shipped_corpus
from agentgym.envs.wiki_search.shipped.panels import splits
from agentgym.envs.wiki_search.state import Rules, SearchQuestion, SearchState
from agentgym.envs.wiki_search.text import MOST_K
from agentgym.errors import DataError, unknown
from agentgym.task import Task, TaskPanel, as_panel
from agentgym.turn import Opening

KEPT: Final = 16
"""Panels under rules that a process remembers."""

_TEXTS: Final = ("type", "level")
_KEYS: Final = ("question", "answers", "gold", "hops", "plan", *_TEXTS)
_PAGE: Final = ("title", "passage")
_HOP: Final = ("question", "answer", "title", "passage")


class SearchPanel(TaskPanel):
    """A panel whose hash takes in how answers are judged and what a search shows."""

    def __init__(self, name: str, splits: Mapping[str, Iterable[Task]], rules: Rules) -> None:
        super().__init__(name, {split: tuple(map(planned, tasks)) for split, tasks in splits.items()})
        self.rules = rules
        self.openings: dict[tuple[str, int, str], Opening[SearchState]] = {}  # kept by the world, for all who play this

    def __reduce__(self) -> tuple[Any, ...]:
        return SearchPanel, (self.name, {split: self[split] for split in self}, self.rules)

    @cached_property
    def hash(self) -> str:
        """Return the 128-bit hash of name, splits, ids, data and rules, 32 hex digits."""
        tasks = {split: [(task.id, dict(task.data)) for task in self[split]] for split in self}
        return state_hash((self.name, tasks, (self.rules.scoring, self.rules.k)))


def planned(task: Task) -> Task:
    """Return a task with the steps of its decomposition under "plan", where it has one and says no other plan."""
    hops = task.data.get("hops")
    if "plan" in task.data or not isinstance(hops, list | tuple):
        return task
    steps = [hop["question"] for hop in hops if isinstance(hop, Mapping) and isinstance(hop.get("question"), str)]
    return Task(task.id, {**task.data, "plan": steps}) if steps else task


@lru_cache(maxsize=16)
def panel(name: str, rules: Rules) -> SearchPanel:
    """Return a shipped panel; the same object every time.

    Raises:
        ValueError: no such panel; the nearest name is offered. DataError: the shipped questions are not there.
    """
    return SearchPanel(name, splits(name), rules)


_RULED: dict[tuple[int, Rules], tuple[TaskPanel, SearchPanel]] = {}


def ruled(tasks: TaskPanel | Sequence[Task], rules: Rules) -> SearchPanel:
    """Return tasks of one's own, or of a source, as a panel under these rules; a bare sequence is the split "train".

    A panel that comes again under the same rules gives the same object: public sets have a hundred thousand tasks.
    """
    if not isinstance(tasks, TaskPanel):
        return SearchPanel("WikiSearchEnv", as_panel(tasks, "WikiSearchEnv"), rules)
    if isinstance(tasks, SearchPanel) and tasks.rules == rules:
        return tasks
    held = _RULED.get((id(tasks), rules))
    if held is None or held[0] is not tasks:
        if len(_RULED) >= KEPT:
            _RULED.clear()
        held = _RULED[id(tasks), rules] = (tasks, SearchPanel(tasks.name, tasks, rules))
    return held[1]


def checked_rules(scoring: object, k: object) -> Rules:
    """Return the rules of these arguments.

    Raises:
        ValueError: an unknown scoring, a k that is no int from 1 to MOST_K.
    """
    if not isinstance(scoring, str) or scoring not in PRESETS:
        raise ValueError(unknown("scoring", scoring, PRESETS))
    if type(k) is not int or not 1 <= k <= MOST_K:
        raise ValueError(f"k must be an int from 1 to {MOST_K}, not {k!r:.60}")
    return Rules(scoring, k)


def corpus_of(given: str | os.PathLike[str] | Corpus | None, source: Source | None) -> str | os.PathLike[str] | Corpus:
    """Return what is searched: what was given, else the passages of the set, else the shipped corpus.

    Raises:
        DataError: the set brings no passages; the shipped articles are not there.
    """
    if given is not None:
        return given
    if source is None:
        return shipped_corpus()
    if not source.files:
        raise DataError(
            f"the {source.kind} in {source.folder} brings no passages to search: give corpus=FOLDER, "
            "which agentgym data index writes"
        )
    return kept_corpus(source_passages(source), source.kind)


def library_of(
    corpus: str | os.PathLike[str] | Corpus | None, source: Source | None, retriever: str | Searcher, encoder: Any
) -> Library:
    """Return what a world's arguments say is searched.

    Raises:
        ValueError: a corpus or an encoder beside a server; as `open_library` and `open_remote`.
        DataError: as `corpus_of` and `open_library`. RetrieverError: a server does not answer.
    """
    if not isinstance(retriever, str) or "://" not in retriever:
        return open_library(corpus_of(corpus, source), retriever, encoder)
    if corpus is not None or encoder is not None:
        name = "encoder" if corpus is None else "corpus"
        raise ValueError(f"{name}= and a server as retriever= do not go together: a server has its own")
    return open_remote(retriever)


def random_success() -> Mapping[str, float]:
    """Return by panel how often uniform random choice from the menu solves it, as far as it was measured."""
    file = files(__package__) / "data" / "random.json"
    if not file.is_file():
        return {}
    return {name: measured["success"] for name, measured in json.loads(file.read_text("utf-8")).items()}


def question_of(task: Task, rules: Rules, content: str) -> SearchQuestion:
    """Return the question of a task over the library with this content; what UTF-8 does not know becomes "?".

    Raises:
        ValueError: an entry that is missing or wrong; the message names the task.
    """
    data, where = task.data, f"task {task.id!r}"
    for key in data:
        if key not in _KEYS:
            raise ValueError(f"{where}: " + unknown("entry", key, _KEYS, "of a task's data"))
    asked = data.get("question")
    if not isinstance(asked, str) or not asked.strip():
        raise ValueError(f"{where}: data['question'] must be a text that says something, not {asked!r:.60}")
    for key in _TEXTS:
        if not isinstance(data.get(key, ""), str):
            raise ValueError(f"{where}: data[{key!r}] must be a text, not {data[key]!r:.60}")
    answers = _answers(data, where)
    gold = tuple(_entry(page, _PAGE, f"{where}: data['gold'][{place}]") for place, page in _listed(data, "gold", where))
    if not all(isinstance(step, str) for _, step in _listed(data, "plan", where)):
        raise ValueError(f"{where}: data['plan'] must be a list of texts, not {data['plan']!r:.60}")
    hops = tuple(_entry(hop, _HOP, f"{where}: data['hops'][{place}]") for place, hop in _listed(data, "hops", where))
    for place, page in enumerate(gold):
        if not page["title"]:
            raise ValueError(f"{where}: data['gold'][{place}] must have a title")
    if not answers and not gold:
        raise ValueError(f"{where}: it has neither answers nor gold, so nothing could be judged: give one of them")
    return SearchQuestion(
        task.id, clean(asked), answers, gold, hops, data.get("type", ""), data.get("level", ""), content, rules
    )


def _answers(data: Mapping[str, Any], where: str) -> tuple[str, ...]:
    given = data.get("answers", ())
    if not isinstance(given, list | tuple) or not all(isinstance(text, str) and text.strip() for text in given):
        raise ValueError(f"{where}: data['answers'] must be a list of texts that say something, not {given!r:.60}")
    return tuple(map(clean, given))


def _listed(data: Mapping[str, Any], key: str, where: str) -> Iterable[tuple[int, Any]]:
    given = data.get(key, ())
    if not isinstance(given, list | tuple):
        kind = "texts" if key == "plan" else "objects"
        raise ValueError(f"{where}: data[{key!r}] must be a list of {kind}, not {given!r:.60}")
    return enumerate(given)


def _entry(given: Any, keys: Sequence[str], where: str) -> dict[str, str]:
    if not isinstance(given, Mapping):
        raise ValueError(f"{where} must be an object of {', '.join(keys)}, not {given!r:.60}")
    for key, value in given.items():
        if key not in keys:
            raise ValueError(f"{where}: " + unknown("entry", key, keys))
        if not isinstance(value, str):
            raise ValueError(f"{where}[{key!r}] must be a text, not {value!r:.60}")
    return {key: clean(given.get(key, "")) for key in keys}
