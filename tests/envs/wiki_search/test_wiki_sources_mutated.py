"""Every value of an item, in every layout, replaced by another kind of value: a reader never breaks over one."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from wiki_folders import golden, hotpot_item, kilt_item, lines, musique_item, page, two_wiki_item, write

from agentgym import data
from agentgym.data import Source
from agentgym.envs.wiki_search.sources import load_source, passages

JUNK: list[Any] = [
    None,
    True,
    5,
    0.5,
    "",
    " \n",
    "text",
    "\ud800",
    [],
    [[]],
    ["a", "b"],
    {},
    {"title": "T", "idx": [1]},
]
GONE = object()
SCORES = "query-id\tcorpus-id\tscore\n"


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the paths of all values within a JSON value."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, held in inner:
        yield from places(held, (*path, key))


def changed(value: Any, path: tuple[Any, ...], junk: Any) -> Any:
    """Return the value with what is at the path replaced, or taken away."""
    if not path:
        return None if junk is GONE else junk
    made = copy.deepcopy(value)
    held = made
    for key in path[:-1]:
        held = held[key]
    if junk is GONE:
        del held[path[-1]]
    else:
        held[path[-1]] = junk
    return made


def mutants(value: Any) -> list[Any]:
    return [changed(value, path, junk) for path in places(value) for junk in (*JUNK, GONE)]


def as_list(name: str) -> Callable[[list[Any], Any], dict[str, str]]:
    return lambda items, good: {name: json.dumps([good, *items])}


def as_lines(name: str) -> Callable[[list[Any], Any], dict[str, str]]:
    return lambda items, good: {name: lines(good, *items)}


def corpus_of(name: str, **others: str) -> Callable[[list[Any], Any], dict[str, str]]:
    return lambda items, good: {name: lines(good, *items), **others}


TRIVIA = {
    "Question": "Where?",
    "QuestionId": "good",
    "Answer": {"Value": "London", "Aliases": ["LDN"], "HumanAnswers": []},
}
FACTS = {"type": "bridge", "supporting_facts": {"title": ["London"], "sent_id": [0]}}
QUERY = {"_id": "good", "text": "Where?", "metadata": {"answer": "London", "answers": ["LDN"]}}
DOCUMENT = {"_id": "d", "title": "London", "text": "On the Thames."}
LAYOUTS: dict[str, tuple[str, Any, Callable[[list[Any], Any], dict[str, str]]]] = {
    "hotpotqa": ("hotpotqa", hotpot_item("good"), as_list("hotpot_dev.json")),
    "2wiki": ("2wiki", two_wiki_item("good"), as_list("dev.json")),
    "2wiki aliases": (
        "2wiki",
        {"Q_id": "Q84", "aliases": ["LDN"], "demonyms": []},
        corpus_of("id_aliases.json", **{"dev.json": json.dumps([two_wiki_item("good")])}),
    ),
    "musique": ("musique", musique_item("good"), as_lines("musique_dev.jsonl")),
    "golden": ("nq", golden("good", metadata=FACTS), as_lines("dev.jsonl")),
    "NQ-open": ("nq", {"question": "where", "answer": ["London"]}, as_lines("NQ-open.dev.jsonl")),
    "triviaqa": ("triviaqa", TRIVIA, lambda items, good: {"web-dev.json": json.dumps({"Data": [good, *items]})}),
    "kilt": ("kilt", kilt_item("good", ("London", ("London", "Thames"))), as_lines("nq-dev-kilt.jsonl")),
    "kilt pages": (
        "kilt",
        page("London", "It lies on the Thames."),
        corpus_of(
            "kilt_knowledgesource.json", **{"nq-dev-kilt.jsonl": lines(kilt_item("good", ("London", ("London",))))}
        ),
    ),
    "wiki-18": (
        "wiki-18",
        {"id": "0", "contents": '"London"\nOn the Thames.'},
        corpus_of("wiki-18.jsonl", **{"dev.jsonl": lines(golden("good"))}),
    ),
    "beir queries": (
        "beir",
        QUERY,
        corpus_of("queries.jsonl", **{"corpus.jsonl": lines(DOCUMENT), "qrels/dev.tsv": SCORES + "good\td\t1\n"}),
    ),
    "beir corpus": (
        "beir",
        DOCUMENT,
        corpus_of("corpus.jsonl", **{"queries.jsonl": lines(QUERY), "qrels/dev.tsv": SCORES + "good\td\t1\n"}),
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_reader_breaks_over_no_value(layout: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kind, good, files = LAYOUTS[layout]
    broken = mutants(good)
    assert len(broken) > 30
    monkeypatch.setenv("AGENTGYM_CACHE", str(tmp_path / "cache"))
    (tmp_path / "set").mkdir()
    source = data.add(kind, write(tmp_path / "set", files(broken, good)), "mutated")
    sound(source)
    again = load_source("mutated")
    assert (again.panel.hash, again.problems) == (source.panel.hash, source.problems)  # all of it is plain JSON
    assert [str(problem) for problem in source.problems] and all(
        "\n" not in str(problem) for problem in source.problems
    )
    shown = list(passages(source))
    assert all(passage.title.strip() and passage.text.strip() for passage in shown)


def sound(source: Source) -> None:
    """The good item plays, and whatever else does has a question, answers and gold pages of the right form."""
    tasks = [task for split in source.panel for task in source.panel[split]]
    assert any(task.id.rpartition("/")[2] in ("good", "dev-1") for task in tasks)
    for task in tasks:
        held = task.data
        assert held["question"].strip() and type(held["type"]) is type(held["level"]) is str
        assert all(type(answer) is str and answer.strip() for answer in held["answers"])
        assert held["answers"] or source.kind == "beir"
        assert all(gold["title"] and len(gold["passage"]) in (0, 32) for gold in held["gold"])
        assert all(sorted(hop) == ["answer", "passage", "question", "title"] for hop in held["hops"])


@pytest.mark.parametrize("layout", ["musique", "golden", "wiki-18", "kilt", "beir corpus"])
def test_a_file_cut_anywhere_loses_its_last_line_alone(layout: str, tmp_path: Path) -> None:
    kind, good, files = LAYOUTS[layout]
    made = files([], good)
    name = next(iter(made))
    whole = (made[name] * 2)[: len(made[name]) + len(made[name]) // 2]  # one line and half of the same again
    source = data.read(kind, write(tmp_path, {**made, name: whole}))
    sound(source)
    cut = [problem for problem in source.problems if problem.file == name and problem.item == "line 2"]
    assert len(cut) == 1 and cut[0].wrong.startswith("this is no JSON (")
