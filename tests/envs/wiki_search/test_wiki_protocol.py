import json
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym.envs.wiki_search.passages import Passage
from agentgym.envs.wiki_search.protocol import Asked, Refused, document, passage_of, read_asked, read_hits, read_titles
from agentgym.envs.wiki_search.sources.wiki18 import line_passages
from tests.envs.wiki_search.wiki_http import found


@pytest.mark.parametrize(
    ("body", "asked"),
    [
        ('{"queries": ["a", "b"], "topk": 2, "return_scores": true}', Asked(("a", "b"), 2, True)),
        ('{"queries": ["a"]}', Asked(("a",), 3, False)),  # Search-R1's own default
        ('{"queries": [], "topk": null, "more": [1]}', Asked((), 3, False)),
        ('{"queries": ["' + "é" * 10_000 + '"], "topk": 1000}', Asked(("é" * 10_000,), 1000, False)),
    ],
)
def test_what_is_asked(body: str, asked: Asked) -> None:
    assert read_asked(body.encode()) == asked


@pytest.mark.parametrize(
    ("body", "status", "why"),
    [
        (b"", 400, "the body is no JSON in UTF-8 (Expecting value"),
        (b'{"queries": ["a"]', 400, "the body is no JSON in UTF-8"),
        (b'{"queries": ["\xff"]}', 400, "the body is no JSON in UTF-8 ('utf-8' codec"),
        (b"[" * 100_000, 400, "the body is no JSON in UTF-8 (maximum recursion"),
        (b'{"topk": ' + b"9" * 5000 + b"}", 400, "the body is no JSON in UTF-8 (Exceeds the limit"),
        (b'["a"]', 400, "the body is a list: send an object"),
        (b"{}", 422, "queries must be a list of texts"),
        (b'{"queries": "a"}', 422, "queries must be a list of texts"),
        (b'{"queries": ["a", 1]}', 422, "queries must be a list of texts"),
        (b'{"queries": ["a"], "topk": 0}', 422, "topk must be a whole number from 1 to 1000, not 0"),
        (b'{"queries": ["a"], "topk": 1000000000}', 422, "topk must be a whole number from 1 to 1000, not 1000000000"),
        (b'{"queries": ["a"], "topk": -3}', 422, "topk must be a whole number from 1 to 1000, not -3"),
        (
            b'{"queries": ["a"], "topk": ' + b"9" * 99 + b"}",
            422,
            "topk must be a whole number from 1 to 1000, not a nu",
        ),
        (b'{"queries": ["a"], "topk": true}', 422, "topk must be a whole number from 1 to 1000, not a truth value"),
        (b'{"queries": ["a"], "topk": 3.0}', 422, "topk must be a whole number from 1 to 1000, not a number"),
        (b'{"queries": ["a"], "topk": "3"}', 422, "topk must be a whole number from 1 to 1000, not a text"),
        (b'{"queries": ["a"], "return_scores": 1}', 422, "return_scores must be true or false, not a number"),
        (json.dumps({"queries": ["a"] * 1025}).encode(), 422, "queries must be at most 1024, not 1025"),
        (
            json.dumps({"queries": ["a" * 10_001]}).encode(),
            422,
            "one of the queries has 10001 characters: send at most",
        ),
        (json.dumps({"queries": ["a"] * 21, "topk": 1000}).encode(), 422, "topk times the queries must be at most 20"),
    ],
)
def test_what_is_refused(body: bytes, status: int, why: str) -> None:
    with pytest.raises(Refused) as caught:
        read_asked(body)
    assert caught.value.status == status and str(caught.value).startswith(why)


def test_titles_are_read_alike() -> None:
    assert read_titles(b'{"titles": ["a"]}') == Asked(("a",), 1000, True)
    for body in (b"{}", b'{"titles": "a"}', json.dumps({"titles": ["a"] * 21}).encode()):
        with pytest.raises(Refused, match="titles must be"):
            read_titles(body)


def test_a_document_is_that_of_search_r1() -> None:
    assert document(7, Passage("Lisbon", "On the Tagus.\n\nFar west.")) == {
        "id": "7",
        "contents": '"Lisbon"\nOn the Tagus.\n\nFar west.',
    }


LETTERS = st.text(alphabet=string.printable + "é\u2028\"'", max_size=12)


@given(LETTERS, LETTERS)
def test_a_passage_comes_back_to_the_letter(title: str, text: str) -> None:
    sent = json.loads(json.dumps(document(0, Passage(title, text))))
    assert passage_of(sent) == Passage(title, text)


@given(LETTERS, LETTERS)
def test_contents_are_read_as_a_corpus_is_indexed(title: str, text: str) -> None:
    """Else a server of Search-R1 over wiki-18 would give other passages than an index of the same file."""
    line = {"contents": f'"{title}"\n{text}'}
    (indexed,) = line_passages(line)
    if isinstance(indexed, Passage):
        assert passage_of(line) == indexed


def test_title_and_text_are_given_apart_where_contents_would_not_do() -> None:
    # A line break in the title would end it; blanks at the ends would be taken away.
    assert "title" not in document(0, Passage('the "Iliad"', "a\nb"))
    for passage in (Passage("a\nb", "c"), Passage(" a", "c"), Passage("a", "c ")):
        assert document(0, passage)["title"] == passage.title


@pytest.mark.parametrize(
    ("body", "hits"),
    [
        (found(('"A"\nalpha', 1.23456789), ('"B"\nbeta', 0)), [(1.234568, "A", "alpha"), (0.0, "B", "beta")]),
        (found(("A\nalpha", 2), ("B\nbeta", 1), ("C\ngamma", 0.5)), [(2.0, "A", "alpha"), (1.0, "B", "beta")]),  # k = 2
        (found(('"A"\n', 2), ("B\nbeta", 1)), [(1.0, "B", "beta")]),  # nothing to read in the first
        ('{"result": [[{"contents": "A\\nalpha"}]]}', [(0.0, "A", "alpha")]),  # without scores
        ('{"result": [[{"document": {"contents": "A\\nalpha"}}]]}', [(0.0, "A", "alpha")]),  # a search of the web
        ('{"result": [[{"document": {"title": "A", "text": "a", "contents": "B\\nb"}}]]}', [(0.0, "A", "a")]),
        ('{"result": [[{"contents": "A\\nx\\ud800"}]]}', [(0.0, "A", "x?")]),
        ('{"result": [[]]}', []),
    ],
)
def test_what_is_found(body: str, hits: list[tuple[float, str, str]]) -> None:
    assert [(score, passage.title, passage.text) for score, passage in read_hits(body.encode(), 2)] == hits


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"<html>", "Expecting value"),
        (b"\xff", "codec can't decode"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"result": []}', "no result with one list for the one query"),
        (b'{"result": [[], []]}', "no result with one list for the one query"),
        (b'{"results": [[]]}', "no result with one list for the one query"),
        (b'{"result": [["A\\nalpha"]]}', "a hit is a text, not an object with a document"),
        (b'{"result": [[{"document": {"id": "7"}, "score": 1}]]}', "neither contents nor title and text"),
        (b'{"result": [[{"document": {"contents": 3}}]]}', "neither contents nor title and text"),
        (b'{"result": [[{"document": {"contents": "A\\na"}, "score": NaN}]]}', "a score is no finite number"),
        (b'{"result": [[{"document": {"contents": "A\\na"}, "score": 1e400}]]}', "a score is no finite number"),
        (b'{"result": [[{"document": {"contents": "A\\na"}, "score": true}]]}', "a score is no finite number"),
        (b'{"result": [[{"document": {"contents": "A\\na"}, "score": "1"}]]}', "a score is no finite number"),
    ],
)
def test_what_is_no_answer(body: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_hits(body, 3)
