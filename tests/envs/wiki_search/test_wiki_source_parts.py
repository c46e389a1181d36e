"""Parts of items, names of splits, lines of files and keys of passages."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from agentgym.data import Problem
from agentgym.envs.wiki_search.passages import Passage
from agentgym.envs.wiki_search.sources.contexts import a_passage, sentence_passages
from agentgym.envs.wiki_search.sources.parts import (
    Unplayable,
    a_part,
    a_text,
    a_word,
    an_id,
    an_object,
    answers_of,
    shown,
)
from agentgym.envs.wiki_search.sources.question import Gold, Hop, Question, passage_key
from agentgym.envs.wiki_search.sources.reading import Reading, count_lines, split_of


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (["London"], ("London",)),
        ([["London", "LDN"], "Londinium"], ("London", "LDN", "Londinium")),
        ([" London ", ["London", "", " "], None], ("London",)),  # each once, without blanks
        ([["no"], []], ("no",)),
        ([["The", "THE"]], ("The", "THE")),  # what differs to the letter is kept; scorers normalise
    ],
)
def test_answers(given: list[Any], found: tuple[str, ...]) -> None:
    assert answers_of(*given) == found


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ([], "it has no answer"),
        ([None, [], "", [None, " "]], "it has no answer"),
        ([7], "one of its answers is 7, no text"),
        (["x", [["y"]]], "one of its answers is ['y'], no text"),
        ([{"Value": "x"}], "one of its answers is {'Value': 'x'}, no text"),
    ],
)
def test_answers_that_are_none(given: list[Any], wrong: str) -> None:
    with pytest.raises(Unplayable) as refused:
        answers_of(*given)
    assert refused.value.wrong == wrong and refused.value.remedy


def test_texts_and_ids() -> None:
    entry = {"text": " a b ", "number": 7, "flag": True, "list": [], "none": None}
    assert a_text(entry, "text") == an_id(entry, "text") == "a b"
    assert an_id(entry, "number") == "7"
    for key in ("flag", "list", "none", "gone"):  # True is no number
        with pytest.raises(Unplayable):
            an_id(entry, key)
    with pytest.raises(Unplayable):
        a_text(entry, "number")
    assert (a_word(entry, "text"), a_word(entry, "number"), a_word(entry, "gone")) == (" a b ", "", "")
    assert a_part({"x": {"y": 1}, "z": []}, "x") == {"y": 1}
    assert a_part({"x": {"y": 1}, "z": []}, "z") == a_part({}, "x") == {}


def test_what_was_found_wrong_before_is_not_called_something_else() -> None:
    torn = Unplayable("this is no JSON (…)", "download it again")
    with pytest.raises(Unplayable) as refused:
        an_object(torn)
    assert refused.value is torn
    assert an_object({"a": 1}) == {"a": 1}


def test_long_values_are_shown_by_their_beginning() -> None:
    assert shown("x" * 1000) == "'" + "x" * 59
    assert shown([1, "a"]) == "[1, 'a']"
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert shown(deep) == "…"


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("hotpot_train_v1.1.json", "train"),
        ("hotpot_dev_distractor_v1.json", "dev"),
        ("musique_ans_v1.0_test.jsonl", "test"),
        ("NQ-open.dev.jsonl", "dev"),
        ("triviaqa-dev_id-kilt.jsonl", "dev"),
        ("trivia-TEST.qa.csv", "test"),
        ("training_dev/hotpot.json", ""),  # a folder's name says nothing
        ("hotpot_training.json", ""),  # nor does a part of a word
        ("devtest.json", ""),
        ("", ""),
    ],
)
def test_splits_are_words_of_a_name(name: str, split: str) -> None:
    assert split_of(name) == split


def test_lines_are_numbered_as_an_editor_does(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_bytes(b'\xef\xbb\xbf{"a": 1}\r\n\n  \n[2]\r\n\xff\n"end"')
    found = dict(Reading(tmp_path).lines("x.jsonl"))
    assert list(found) == ["line 1", "line 4", "line 5", "line 6"]
    assert (found["line 1"], found["line 4"], found["line 6"]) == ({"a": 1}, [2], "end")
    assert isinstance(found["line 5"], Unplayable) and "utf-8" in found["line 5"].wrong


def test_missing_and_damaged_files_are_problems(tmp_path: Path) -> None:
    reading = Reading(tmp_path)
    assert list(reading.lines("gone.jsonl")) == list(reading.items("gone.json")) == []
    (tmp_path / "no.jsonl.gz").write_bytes(b"this is not packed")
    assert list(reading.items("no.jsonl.gz")) == []
    assert [(problem.file, problem.item) for problem in reading.problems] == [
        ("gone.jsonl", ""),
        ("gone.json", ""),
        ("no.jsonl.gz", ""),
    ]
    assert count_lines(tmp_path / "gone.jsonl") == count_lines(tmp_path / "no.jsonl.gz") == 0


def test_lines_are_counted(tmp_path: Path) -> None:
    (tmp_path / "plain").write_bytes(b"a\n\nb")
    (tmp_path / "packed.gz").write_bytes(gzip.compress(b"a\n" * 3_000_000))
    assert (count_lines(tmp_path / "plain"), count_lines(tmp_path / "packed.gz")) == (2, 3_000_000)


def test_keys_tell_title_and_text_apart() -> None:
    given = [
        ("ab", "c"),
        ("a", "bc"),
        ("", "abc"),
        ("abc", ""),
        ("a", "bC"),
        ("1 a", "b"),
        ("1", " ab"),
        ("\ud800", ""),
    ]
    keys = [passage_key(Passage(title, text)) for title, text in given]
    assert len(set(keys)) == len(given) and {len(key) for key in keys} == {32}
    assert passage_key(Passage("a", "bc")) == keys[1]


def test_a_task_holds_plain_data_alone() -> None:
    gold = Gold("London", "k" * 32)
    question = Question("q", "Where?", ("London",), (gold,), (Hop("#1 >> x", "y", Gold("")),), "bridge", "hard")
    assert question.task().data == {
        "question": "Where?",
        "answers": ["London"],
        "gold": [{"title": "London", "passage": "k" * 32}],
        "hops": [{"question": "#1 >> x", "answer": "y", "title": "", "passage": ""}],
        "type": "bridge",
        "level": "hard",
    }


def test_passages_lose_the_blanks_at_their_ends_alone() -> None:
    assert a_passage(" T ", "\n a  b\n") == Passage("T", "a  b")
    (found,) = sentence_passages({"context": [["T", [" One. ", "", "Two\n three."]]]})
    assert found == Passage("T", "One. Two\n three.")


def test_the_same_question_in_two_splits_is_reported(tmp_path: Path) -> None:
    reading = Reading(tmp_path)
    item = [("question 0", None)]
    for split in ("train", "dev", "train"):
        reading.take(split, f"{split}.json", item, lambda place, entry: Question("q", "Where?", ("London",)))
    assert reading.problems == [
        Problem("dev.json", "question 0", "its id 'q' is that of train.json, question 0", "give it an id of its own")
    ]
    assert {split: len(tasks) for split, tasks in reading.loaded(()).splits.items()} == {
        "train": 1,
        "dev": 0,
        "test": 0,
    }
    assert reading.read == 3
