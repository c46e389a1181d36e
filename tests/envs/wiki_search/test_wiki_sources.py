"""Public sets of questions and passages, read from small folders in their layouts, and from real samples."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest
from wiki_folders import (
    ADA,
    ADA_TEXT,
    LONDON,
    golden,
    hotpot_item,
    kilt_item,
    lines,
    musique_item,
    page,
    two_wiki_item,
    write,
)

from agentgym import data
from agentgym.data import Source
from agentgym.envs.wiki_search.passages import Passage
from agentgym.envs.wiki_search.sources import MARKS, kind_of, load_source, passages
from agentgym.envs.wiki_search.sources.question import passage_key
from agentgym.errors import DataError

REFERENCE = os.environ.get("AGENTGYM_REFERENCE", "")


@pytest.fixture(autouse=True)
def _cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AGENTGYM_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "set").mkdir()
    return tmp_path / "set"


def tasks(source: Source) -> dict[str, Any]:
    """The data of all tasks, by their id."""
    return {task.id: task.data for split in source.panel for task in source.panel[split]}


def sizes(source: Source) -> dict[str, int]:
    return {split: len(source.panel[split]) for split in source.panel}


def key(title: str, text: str) -> str:
    return passage_key(Passage(title, text))


def test_hotpotqa(folder: Path) -> None:
    shared = hotpot_item("b")
    write(
        folder,
        {
            "hotpot_train_v1.1.json": json.dumps([hotpot_item("a", level="easy")]),
            "hotpot_dev_distractor_v1.json": json.dumps([shared]),
            "hotpot_dev_fullwiki_v1.json": json.dumps([{**shared, "context": [ADA, LONDON]}]),
            "hotpot_notes.json": "read by nobody",
        },
    )
    source = load_source(folder=folder)
    assert (source.kind, source.items, source.problems) == ("hotpotqa", 3, ())
    assert sizes(source) == {"train": 1, "dev": 1}  # distractor and fullwiki ask the same question
    assert tasks(source)["a"] == {
        "question": "Where was the designer of the Analytical Engine born?",
        "answers": ["London"],
        "gold": [
            {
                "title": "Analytical Engine",
                "passage": key("Analytical Engine", "It was designed by Charles Babbage."),
            },
            {"title": "Charles Babbage", "passage": key("Charles Babbage", "He was born in London.")},
        ],
        "hops": [],
        "type": "bridge",
        "level": "easy",
    }
    found = [passage.title for passage in passages(source)]
    three = ["Ada Lovelace", "Analytical Engine", "Charles Babbage"]
    assert found == three + ["Ada Lovelace", "London"] + three  # distractor, fullwiki, train


def test_one_blank_joins_sentences(folder: Path) -> None:
    source = load_source(folder=write(folder, {"hotpot_dev.json": json.dumps([hotpot_item("a")])}))
    assert next(passages(source)) == Passage("Ada Lovelace", ADA_TEXT)


def test_musique_tells_passages_of_one_title_apart(folder: Path) -> None:
    write(folder, {"musique_ans_v1.0_dev.jsonl": lines(musique_item("2hop__7_8"), musique_item("3hop1__1_2_3"))})
    source = load_source(folder=folder)
    engine = key("Engine", "It was designed by Charles Babbage.")
    babbage = key("Charles Babbage", "He was born in London.")
    assert (source.kind, source.problems, sizes(source)) == ("musique", (), {"dev": 2})
    held = tasks(source)["2hop__7_8"]
    assert held["answers"] == ["London", "City of London"]
    assert held["gold"] == [{"title": "Engine", "passage": engine}, {"title": "Charles Babbage", "passage": babbage}]
    assert held["hops"] == [
        {"question": "Engine >> designer", "answer": "Charles Babbage", "title": "Engine", "passage": engine},
        {"question": "#1 >> place of birth", "answer": "London", "title": "Charles Babbage", "passage": babbage},
    ]
    assert [data["type"] for data in tasks(source).values()] == ["2hop", "3hop1"]
    assert [passage.title for passage in passages(source)] == ["Engine", "Engine", "Charles Babbage"] * 2
    assert len({passage_key(passage) for passage in passages(source)}) == 3


def test_the_gold_pages_of_musique_are_in_the_order_of_the_hops(folder: Path) -> None:
    item = musique_item("2hop__8_7")
    item["question_decomposition"].reverse()
    source = load_source(folder=write(folder, {"musique_train.json": json.dumps([item])}))  # a list, as .json has it
    assert [page["title"] for page in tasks(source)["2hop__8_7"]["gold"]] == ["Charles Babbage", "Engine"]


def test_2wiki_accepts_aliases_and_has_hops(folder: Path) -> None:
    aliases = lines(
        {"Q_id": "Q84", "aliases": ["London, UK"], "demonyms": ["Londoner", "London"]},
        {"Q_id": "Q1", "aliases": ["Cosmos"], "demonyms": []},
    )
    write(folder, {"dev.json": json.dumps([two_wiki_item("a"), two_wiki_item("b", answer_id=None)])})
    write(folder, {"id_aliases.json": aliases})
    source = load_source(folder=folder)
    assert (source.kind, source.problems) == ("2wiki", ())
    assert tasks(source)["a"]["answers"] == ["London", "London, UK", "Londoner"]
    assert tasks(source)["b"]["answers"] == ["London"]
    hops = [(hop["question"], hop["answer"], hop["title"]) for hop in tasks(source)["a"]["hops"]]
    assert hops == [
        ("Analytical Engine >> designer", "Charles Babbage", "Analytical Engine"),
        ("Charles Babbage >> place of birth", "London", "Charles Babbage"),
    ]
    assert next(passages(source)) == Passage("Ada Lovelace", ADA_TEXT)


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gz"])
def test_wiki_18_with_questions_of_several_sets(folder: Path, packed: bool) -> None:
    facts = {"type": "bridge", "supporting_facts": {"title": ["Charles Babbage", "Nowhere"], "sent_id": [0, 0]}}
    write(
        folder,
        {
            "nq/test.jsonl": lines(golden("test_0")),
            "hotpotqa/dev.jsonl": lines(golden("dev_0", metadata=facts)),
            "train.jsonl": lines(golden("train_0")),
        },
    )
    corpus = lines(
        {"id": "0", "contents": '"Charles Babbage"\nHe was born in\nLondon.'},
        {"id": "1", "contents": '"Weird Al" Yankovic\nA singer.'},
        {"id": "2", "title": "London", "text": "On the Thames.", "contents": "not read"},
    ).encode()
    if packed:
        (folder / "wiki-18.jsonl.gz").write_bytes(gzip.compress(corpus))
    else:
        (folder / "wiki-18.jsonl").write_bytes(corpus)
    source = load_source(folder=folder)
    assert (source.kind, list(source.panel), source.items) == ("wiki-18", ["train", "dev", "test"], 3)
    assert list(tasks(source)) == ["train_0", "hotpotqa/dev_0", "nq/test_0"]
    held = tasks(source)["hotpotqa/dev_0"]
    assert held["answers"] == ["London", "Walworth"]
    assert held["gold"] == [{"title": "Charles Babbage", "passage": ""}, {"title": "Nowhere", "passage": ""}]
    assert list(map(str, source.problems)) == [
        "hotpotqa/dev.jsonl, line 1: no passage has the title 'Nowhere', which its answer rests on; "
        "add the passage, or leave the item out (it plays)"
    ]
    assert list(passages(source)) == [
        Passage("Charles Babbage", "He was born in\nLondon."),
        Passage('"Weird Al" Yankovic', "A singer."),
        Passage("London", "On the Thames."),
    ]


def test_kilt(folder: Path) -> None:
    write(
        folder,
        {
            "nq-dev-kilt.jsonl": lines(
                kilt_item("1", (None, ("London",)), ("London", ()), ("Walworth", ("Charles Babbage",)), ("London", ())),
            ),
            "triviaqa-dev_id-kilt.jsonl": lines(kilt_item("1", ("London", ()))),
            "kilt_knowledgesource.json": lines(
                page(
                    "Charles Babbage",
                    "Section::::Life.\n",
                    "He was born in London.\n",
                    "BULLET::::- An engineer.\n",
                    "\n",
                ),
                page("London", "It lies on the Thames."),
            ),
        },
    )
    source = load_source(folder=folder)
    assert (source.kind, source.problems, sizes(source)) == ("kilt", (), {"dev": 2})
    held = tasks(source)["nq/1"]
    # The first output that names pages is the one without an answer of its own.
    assert (held["answers"], held["gold"], held["type"]) == (
        ["London", "Walworth"],
        [{"title": "London", "passage": ""}],
        "nq",
    )
    assert tasks(source)["triviaqa/1"]["gold"] == []
    assert list(passages(source)) == [
        Passage("Charles Babbage", "He was born in London."),
        Passage("Charles Babbage", "An engineer."),
        Passage("London", "It lies on the Thames."),
    ]


def test_kilt_without_its_knowledge_source_has_questions_alone(folder: Path) -> None:
    source = load_source(folder=write(folder, {"nq-dev-kilt.jsonl": lines(kilt_item("1", ("London", ("London",))))}))
    assert [str(problem) for problem in source.problems] == [
        "kilt_knowledgesource.json: it is missing, so the set has no passages; put it there, or play over the passages "
        "of another set (it plays)"
    ]
    assert list(passages(source)) == []


def test_beir(folder: Path) -> None:
    write(
        folder,
        {
            "corpus.jsonl": lines(
                {"_id": "d1", "title": "Charles Babbage", "text": "He was born in London.", "metadata": {}},
                {"_id": "d2", "title": "", "text": "A text without a title."},
            ),
            "queries.jsonl": lines(
                {"_id": "q1", "text": "Where was Babbage born?", "metadata": {"answer": "London"}},
                {"_id": "q2", "text": "texts without titles"},
                {"_id": "q3", "text": "asked in no split"},
            ),
            "qrels/dev.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\n",
            "qrels/test.tsv": "query-id\tcorpus-id\tscore\nq2\td2\t2\nq2\td1\t1\n",
        },
    )
    source = load_source(folder=folder)
    assert (source.kind, source.problems, sizes(source), source.items) == ("beir", (), {"dev": 1, "test": 1}, 2)
    born = {"title": "Charles Babbage", "passage": key("Charles Babbage", "He was born in London.")}
    assert (tasks(source)["q1"]["answers"], tasks(source)["q1"]["gold"]) == (["London"], [born])
    assert tasks(source)["q2"]["answers"] == []
    assert [page["title"] for page in tasks(source)["q2"]["gold"]] == ["d2", "Charles Babbage"]
    assert [passage.title for passage in passages(source)] == ["Charles Babbage", "d2"]


def test_files_of_questions_have_no_passages(folder: Path) -> None:
    write(
        folder, {"NQ-open.train.jsonl": lines({"question": "who designed it", "answer": ["Babbage", "Babbage", " "]})}
    )
    source = load_source(folder=folder)
    assert (source.kind, source.files, list(passages(source))) == ("nq", {}, [])
    assert tasks(source)["train-1"]["answers"] == ["Babbage"]


def test_triviaqa(folder: Path) -> None:
    answer = {
        "Value": "London",
        "Aliases": ["London", "Londinium"],
        "NormalizedValue": "london",
        "HumanAnswers": ["LDN"],
    }
    item = {"Question": "Where was Babbage born?", "QuestionId": "tc_1", "Answer": answer, "EntityPages": []}
    write(
        folder,
        {
            "qa/wikipedia-dev.json": json.dumps({"Data": [item, {**item, "QuestionId": "tc_2"}]}),
            "qa/web-dev.json": json.dumps({"Data": [item], "Split": "dev"}),  # shares a question with the other
            "qa/web-test-without-answers.json": json.dumps({"Data": [{"Question": "?", "QuestionId": "t"}] * 2}),
        },
    )
    source = load_source(folder=folder)
    assert (source.kind, sizes(source), source.items) == ("triviaqa", {"dev": 2}, 5)
    assert tasks(source)["tc_1"]["answers"] == ["London", "Londinium", "LDN"]
    assert [str(problem) for problem in source.problems] == [
        "qa/web-test-without-answers.json: none of its 2 items has an answer; leave the file out"
    ]


@pytest.mark.parametrize("kind", ["nq", "triviaqa"])
def test_golden_answers_of_either(folder: Path, kind: str) -> None:
    source = data.read(
        kind, write(folder, {"dev.jsonl": lines(golden("dev_0")), "test.jsonl": lines(golden("test_0"))})
    )
    assert {task: held["answers"] for task, held in tasks(source).items()} == {
        "dev_0": ["London", "Walworth"],
        "test_0": ["London", "Walworth"],
    }


@pytest.mark.parametrize("kind, name", [("nq", "nq-dev"), ("triviaqa", "trivia-dev")])
def test_tables_of_dpr(folder: Path, kind: str, name: str) -> None:
    rows = "where was Babbage born\t['London', \"St. Mary's\"]\nwho\tBabbage\nwhat\nwhen\t[1871]\n"
    source = load_source(folder=write(folder, {f"{name}.qa.csv": rows}))
    assert source.kind == kind
    assert {task: held["answers"] for task, held in tasks(source).items()} == {"dev-1": ["London", "St. Mary's"]}
    assert [(problem.item, problem.wrong) for problem in source.problems] == [
        ("line 2", "its answers 'Babbage' are no list of texts"),
        ("line 3", "it has 1 columns, not a question and its answers"),
        ("line 4", "one of its answers is 1871, no text"),
    ]


def test_a_set_that_was_added_is_found_by_name_and_guarded(folder: Path) -> None:
    file = "musique_ans_v1.0_dev.jsonl"
    write(folder, {"musique_ans_v1.0_dev.jsonl": lines(musique_item("2hop__7_8"))})
    seen = []
    data.add("musique", folder, "mine", lambda done, total: seen.append((done, total)))
    assert seen == [(1, 1)]
    source = load_source("mine")
    assert (source.panel.hash, list(source.files)) == (data.read("musique", folder).panel.hash, [file])
    assert len(list(passages(source))) == 3
    with open(folder / file, "a") as held:
        held.write("\n")
    with pytest.raises(DataError, match=r"musique_ans_v1\.0_dev\.jsonl, needed by the passages, has changed"):
        next(passages(source))


def test_progress_counts_items_and_lines(folder: Path) -> None:
    write(folder, {"nq/dev.jsonl": lines(golden("a"), golden("b"))})
    (folder / "wiki-18.jsonl").write_text('{"contents": "A\\nb"}\n\n{"contents": "A\\nc"}\n')
    seen: list[tuple[int, int]] = []
    data.read("wiki-18", folder, lambda done, total: seen.append((done, total)))
    assert seen == [(1, 2), (2, 2), (3, 5), (4, 5), (5, 5)]  # two items, three lines, one of them blank


def test_what_load_source_refuses(folder: Path) -> None:
    with pytest.raises(ValueError, match="not neither"):
        load_source()
    with pytest.raises(ValueError, match="not both"):
        load_source("mine", folder)
    with pytest.raises(DataError, match="has the layout of none of the sets"):
        load_source(folder=folder)
    with pytest.raises(DataError, match="is no folder"):
        load_source(folder=folder / "gone")
    for broken in ("a\0b", "~nobody-of-this-name/x"):  # no path can be the one, the other is in a home of nobody
        with pytest.raises(DataError, match="is no folder"):
            load_source(folder=broken)
        with pytest.raises(DataError, match="is no folder"):
            data.add("hotpotqa", broken)
    assert kind_of(write(folder, {"dev.json": "[]"})) == "2wiki"
    assert sorted(MARKS) == sorted(kind for kind, known in data.SETS.items() if ".wiki_search." in known.loader)


@pytest.mark.skipif(not REFERENCE, reason="AGENTGYM_REFERENCE names no folder with samples of public sets")
@pytest.mark.parametrize("kind, texts, titles, hops", [("hotpotqa", 2960, 2960, 0), ("musique", 5021, 4379, 715)])
def test_real_samples_load_whole_with_their_gold_among_the_passages(
    kind: str, texts: int, titles: int, hops: int
) -> None:
    source = load_source(folder=Path(REFERENCE, "data", kind))
    assert (source.kind, source.items, source.problems, sizes(source)) == (kind, 300, (), {"train": 100, "dev": 200})
    keys = {passage_key(passage): passage.title for passage in passages(source)}
    assert (len(keys), len(set(keys.values()))) == (texts, titles)
    gold = [page for held in tasks(source).values() for page in held["gold"]]
    assert all(keys[page["passage"]] == page["title"] for page in gold)
    assert all(len(held["gold"]) >= 2 and held["answers"] for held in tasks(source).values())
    found = [hop for held in tasks(source).values() for hop in held["hops"]]
    assert (len(found), all(keys[hop["passage"]] == hop["title"] for hop in found)) == (hops, True)
