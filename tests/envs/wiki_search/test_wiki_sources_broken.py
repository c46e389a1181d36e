"""Public sets with damaged items: each is reported with its file, its place and a remedy, and the others play."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from wiki_folders import ADA, ENGINE, golden, hotpot_item, kilt_item, lines, musique_item, page, two_wiki_item, write

from agentgym import data
from agentgym.data import Source
from agentgym.envs.wiki_search.sources import passages
from agentgym.errors import DataError


def said(source: Source) -> list[str]:
    return [str(problem) for problem in source.problems]


def ids(source: Source) -> list[str]:
    return [task.id for split in source.panel for task in source.panel[split]]


def without(item: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in item.items() if name != key}


def test_items_of_every_kind_of_damage(tmp_path: Path) -> None:
    items = [
        hotpot_item("good"),
        "no object",
        without(hotpot_item("1"), "question"),
        hotpot_item("2", question=["a", "list"]),
        hotpot_item("3", question="  "),
        hotpot_item("4", answer=" "),
        hotpot_item("5", answer=1871),
        without(hotpot_item("6"), "_id"),
        hotpot_item("good", question="Another question with the same id?"),
        hotpot_item("good"),  # the same once more is none
        hotpot_item("last", _id=17),
    ]
    source = data.read("hotpotqa", write(tmp_path, {"hotpot_dev.json": json.dumps(items)}))
    assert (ids(source), source.items) == (["good", "17"], 11)
    assert said(source) == [
        "hotpot_dev.json, question 1: it is 'no object', no object; make it one, or leave it out",
        "hotpot_dev.json, question 2: it has no 'question', but '_id', 'answer', 'type', 'level', 'supporting_facts', "
        "'context'; name its entries as the others do",
        "hotpot_dev.json, question 3: its 'question' is ['a', 'list'], no text; write a text there",
        "hotpot_dev.json, question 4: its 'question' is blank; write one, or leave the item out",
        "hotpot_dev.json, question 5: it has no answer; write one, or leave the item out",
        "hotpot_dev.json, question 6: one of its answers is 1871, no text; write a text there",
        "hotpot_dev.json, question 7: it has no '_id', but 'question', 'answer', 'type', 'level', 'supporting_facts', "
        "'context'; name its entries as the others do",
        "hotpot_dev.json, question 8: its id 'good' is that of hotpot_dev.json, question 0; give it an id of its own",
    ]
    assert not any(problem.plays for problem in source.problems)


def test_damaged_passages_are_left_out_and_their_questions_play(tmp_path: Path) -> None:
    broken = [ADA, ["Empty", ["", " "]], ["No sentences", "text"], [" ", ["No title."]], "nothing", ENGINE]
    facts = [["Analytical Engine", 0], ["Charles Babbage", 0], "no pair"]
    items = [hotpot_item("a", context=broken, supporting_facts=facts), hotpot_item("b", context=None)]
    source = data.read("hotpotqa", write(tmp_path, {"hotpot_dev.json": json.dumps(items)}))
    assert ids(source) == ["a", "b"]
    assert said(source) == [
        "hotpot_dev.json, question 0, passage 1: it has no text, only the title 'Empty'; give it one, or leave it out "
        "(it plays)",
        "hotpot_dev.json, question 0, passage 2: it is ['No sentences', 'text'], no pair of a title and sentences; "
        "mend it (it plays)",
        "hotpot_dev.json, question 0, passage 3: it has no title, only 'No title.'; give it one (it plays)",
        "hotpot_dev.json, question 0, passage 4: it is 'nothing', no pair of a title and sentences; mend it (it plays)",
        "hotpot_dev.json, question 0: one of its supporting facts is 'no pair', no pair of a title and a number; "
        "mend it (it plays)",
        "hotpot_dev.json, question 0: no passage has the title 'Charles Babbage', which its answer rests on; "
        "add the passage, or leave the item out (it plays)",
        # the passage «Analytical Engine» of question 0 serves this one too
        "hotpot_dev.json, question 1: no passage has the title 'Charles Babbage', which its answer rests on; "
        "add the passage, or leave the item out (it plays)",
    ]
    assert [passage.title for passage in passages(source)] == ["Ada Lovelace", "Analytical Engine"]


def test_musique_reports_what_it_cannot_play(tmp_path: Path) -> None:
    lost = musique_item("2hop__lost")
    lost["question_decomposition"][1]["paragraph_support_idx"] = 9
    torn = musique_item("2hop__torn", paragraphs=["no paragraph", *musique_item("")["paragraphs"]])
    text = lines(musique_item("2hop__full", answerable=False), lost, torn) + '{"id": "2hop\n\n[]\n'
    source = data.read("musique", write(tmp_path, {"musique_full_dev.jsonl": text}))
    assert (ids(source), source.items) == (["2hop__lost", "2hop__torn"], 5)
    assert said(source)[0] == (
        "musique_full_dev.jsonl, line 1: it is marked as unanswerable; musique_ans has the answerable items alone"
    )
    assert said(source)[1].startswith("musique_full_dev.jsonl, line 2: step 2 of its decomposition is {'id': 8, ")
    assert said(source)[1].endswith(", which names no paragraph that is there; mend it (it plays)")
    assert said(source)[2:] == [
        "musique_full_dev.jsonl, line 3, passage 0: it is 'no paragraph', without a title or a paragraph_text; mend it "
        "(it plays)",
        "musique_full_dev.jsonl, line 4: this is no JSON (Unterminated string starting at: line 1 column 8 (char 7)); "
        "download it again",
        "musique_full_dev.jsonl, line 6: it is [], no object; make it one, or leave it out",
    ]
    gold = source.panel["dev"][0].data["gold"]  # what the broken step no longer says, the paragraphs do
    assert [found["title"] for found in gold] == ["Engine", "Charles Babbage"]


def test_a_broken_file_leaves_the_others(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "hotpot_train.json": "[{",
            "hotpot_dev.json": json.dumps([hotpot_item("good")]),
            "hotpot_dev_object.json": "{}",
            "hotpot_dev_deep.json": "[" * 100_000,
        },
    )
    (tmp_path / "hotpot_test_bytes.json").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "hotpot_test_folder.json").mkdir()
    source = data.read("hotpotqa", tmp_path)
    assert ids(source) == ["good"]
    named = {problem.file: problem for problem in source.problems}
    assert named["hotpot_train.json"].item == "line 1, column 3"
    assert named["hotpot_dev_object.json"].wrong == "it holds a JSON dict, no list of questions"
    assert "no JSON" in named["hotpot_dev_deep.json"].wrong and "no JSON" in named["hotpot_test_bytes.json"].wrong
    assert named["hotpot_test_folder.json"].wrong == "it cannot be read (Is a directory)"
    assert len(named) == len(source.problems) == 5
    assert len(list(passages(source))) == 3


def test_hidden_answers_are_one_problem_a_file(tmp_path: Path) -> None:
    hidden = [without(two_wiki_item(name), "answer") for name in "ab"]
    folder = {"dev.json": json.dumps([two_wiki_item("c")]), "test.json": json.dumps(hidden)}
    source = data.read("2wiki", write(tmp_path, folder))
    assert said(source) == ["test.json: none of its 2 items has an answer; leave the file out"]
    assert (ids(source), source.items) == (["c"], 3)


def test_2wiki_reports_broken_aliases_and_evidences(tmp_path: Path) -> None:
    item = two_wiki_item("a", evidences=[["Ada", "friend"], ["Ada", "friend", "Babbage"]])
    aliases = '{"Q_id": "Q84", "aliases": 5}\n' + "}\n" + lines({"Q_id": "Q84", "aliases": ["LDN"], "demonyms": []})
    source = data.read("2wiki", write(tmp_path, {"dev.json": json.dumps([item]), "id_aliases.json": aliases}))
    assert said(source) == [
        "id_aliases.json, line 1: it is {'Q_id': 'Q84', 'aliases': 5}, not Q_id, aliases and demonyms; mend it, or "
        "leave it out",
        "id_aliases.json, line 2: this is no JSON (Expecting value: line 1 column 1 (char 0)); download it again",
        "dev.json, question 0: one of its evidences is ['Ada', 'friend'], no triple of texts; mend it (it plays)",
    ]
    held = source.panel["dev"][0].data
    assert held["answers"] == ["London", "LDN"]
    assert held["hops"] == [{"question": "Ada >> friend", "answer": "Babbage", "title": "", "passage": ""}]


def test_a_corpus_with_broken_lines(tmp_path: Path) -> None:
    corpus = '{"contents": "One line alone"}\n{"contents": 5}\nnot JSON\n{"contents": "\\"A\\"\\nGood."}\n'
    source = data.read("wiki-18", write(tmp_path, {"wiki-18.jsonl": corpus, "dev.jsonl": lines(golden("a"))}))
    assert said(source) == [
        "wiki-18.jsonl, line 1: it has no text, only the title 'One line alone'; give it one, or leave it out",
        "wiki-18.jsonl, line 2: it is {'contents': 5}, without title and text, or contents; mend it, or leave it out",
        "wiki-18.jsonl, line 3: this is no JSON (Expecting value: line 1 column 1 (char 0)); download it again",
    ]
    assert [passage.text for passage in passages(source)] == ["Good."]


def test_a_packed_corpus_that_was_cut_short(tmp_path: Path) -> None:
    whole = gzip.compress(lines(*({"contents": f'"{n}"\n{n * 7919} things'} for n in range(2000))).encode())
    (tmp_path / "wiki-18.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    source = data.read("wiki-18", write(tmp_path, {"dev.jsonl": lines(golden("a"))}))
    assert len(source.problems) == 1 and ids(source) == ["a"]
    assert source.problems[0].file == "wiki-18.jsonl.gz" and source.problems[0].item.startswith("after line ")
    assert 0 < len(list(passages(source))) < 2000


def test_beir_reports_dangling_references(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "corpus.jsonl": lines({"_id": "d1", "title": "T", "text": "good"}, {"_id": "d2", "title": "T"}, 5),
            "queries.jsonl": lines({"_id": "q1", "text": "one"}, {"_id": "q2", "text": "two"}, {"text": "nameless"}),
            "qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td9\t1\nq2\td2\t1\nq9\td1\t1\n"
            "q1\td1\nq1\td1\t--1\n",
        },
    )
    source = data.read("beir", tmp_path)
    assert (ids(source), source.items) == (["q1"], 3)
    assert said(source) == [
        "qrels/test.tsv, line 6: it is ['q1', 'd1'], no query, passage and score; mend it, or leave it out",
        "qrels/test.tsv, line 7: it is ['q1', 'd1', '--1'], no query, passage and score; mend it, or leave it out",
        "corpus.jsonl, line 2: it has no 'text', but '_id', 'title'; name its entries as the others do",
        "corpus.jsonl, line 3: it is 5, no object; make it one, or leave it out",
        "queries.jsonl, line 3: it has no '_id', but 'text'; name its entries as the others do",
        "qrels/test.tsv, line 2: its passage 'd9' is not in corpus.jsonl; add it, or leave it out (it plays)",
        "qrels/test.tsv, line 4: none of its passages is in corpus.jsonl, such as 'd2'; add them, or leave it out",
        "qrels/test.tsv, line 5: its query 'q9' is not in queries.jsonl; add it there, or leave it out",
    ]


def test_kilt_reports_broken_pages(tmp_path: Path) -> None:
    source = data.read(
        "kilt",
        write(
            tmp_path,
            {
                "nq-dev-kilt.jsonl": lines(kilt_item("1", ("London", ("London",))), kilt_item("2")),
                "kilt_knowledgesource.json": lines(
                    {"wikipedia_title": "London", "text": "no list"}, page("Paris", "P.")
                ),
            },
        ),
    )
    assert said(source) == [
        "nq-dev-kilt.jsonl, line 2: it has no answer; write one, or leave the item out",
        "kilt_knowledgesource.json, line 1: it is {'wikipedia_title': 'London', 'text': 'no list'}, without a "
        "wikipedia_title or paragraphs; mend it",
        "nq-dev-kilt.jsonl, line 1: no passage has the title 'London', which its answer rests on; add the passage, or "
        "leave the item out (it plays)",
    ]


def test_values_that_nest_almost_without_end(tmp_path: Path) -> None:
    deep = ["[" * depth + "]" * depth for depth in range(880, 1000, 7)]  # around what JSON and repr still take
    text = "\n".join(deep) + "\n" + lines(musique_item("2hop__7_8"))
    source = data.read("musique", write(tmp_path, {"musique_dev.jsonl": text}))
    assert ids(source) == ["2hop__7_8"]
    assert len(source.problems) == len(deep)


@pytest.mark.parametrize(
    "kind, files, message",
    [
        ("hotpotqa", {}, "holds no questions of HotpotQA, such as hotpot_dev_distractor_v1.json"),
        ("musique", {}, "holds no questions of MuSiQue"),
        ("2wiki", {}, "holds no questions of 2WikiMultihopQA"),
        ("kilt", {}, "holds no questions of KILT"),
        ("nq", {}, "looked for such as NQ-open.dev.jsonl, dev.jsonl, nq-dev.qa.csv"),
        ("triviaqa", {}, "looked for such as wikipedia-dev.json, dev.jsonl, trivia-dev.qa.csv"),
        ("wiki-18", {"dev.jsonl": ""}, "holds neither wiki-18.jsonl nor wiki-18.jsonl.gz"),
        ("wiki-18", {"wiki-18.jsonl": ""}, "holds no questions beside wiki-18.jsonl"),
        ("beir", {"corpus.jsonl": ""}, r"lacks queries.jsonl and qrels/test.tsv of BEIR's layout"),
        (
            "hotpotqa",
            {"hotpot_dev.json": "[5]"},
            "none of 1 items of hotpotqa plays; the first problem: hotpot_dev.json, ",
        ),
    ],
)
def test_folders_without_a_set(tmp_path: Path, kind: str, files: dict[str, str], message: str) -> None:
    with pytest.raises(DataError, match=message):
        data.read(kind, write(tmp_path, files))
