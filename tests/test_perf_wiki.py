"""The rows of wiki_search in `make perf`: what is compared does the same work. No speed is tested here."""

from importlib.util import find_spec

import pytest

from agentgym.envs.wiki_search.tokens import tokens
from tests.perf import run, wiki
from tests.perf.measure import Clock, Setting

FAST = Setting(rounds=1, sample=0.0, passages=3_000, million=3_000)


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(wiki, "QUERIES", 20)


def test_queries_are_to_passages_as_those_of_hotpotqa_are():
    held = wiki.index(3_000)
    shares = [[len(held._term(word)) / 3_000 for word in tokens(query) if held._term(word)] for query in wiki.queries()]
    assert len(set(wiki.queries())) == 20 and {len(tokens(query)) for query in wiki.queries()} == {10}
    # Among 1,971 passages of HotpotQA a question has 10.5 words, whose postings are 0.43 of them, the longest 0.16.
    assert 0.3 < sum(map(sum, shares)) / 20 < 0.6
    assert 0.1 < sum(map(max, shares)) / 20 < 0.3


def test_both_find_the_same():
    pytest.importorskip("bm25s", reason="bm25s is not installed here")
    ours, theirs = wiki.ours(3_000).run(None), wiki.theirs(3_000).run(None)
    assert len(ours) == len(theirs) == 20
    for found, (documents, scores) in zip(ours, theirs, strict=True):
        assert [score for _, score in found] == pytest.approx(scores[0].tolist(), abs=1e-5)
        assert {place for place, _ in found[:3]} <= set(documents[0].tolist())


def test_the_query_whose_postings_do_not_grow_finds_one_passage():
    for count in (300, 3_000):
        ((found, _),) = wiki.index(count).search("Wildrosengarten Schwarzbach", 10)
        assert found == 0 and wiki.corpus(count)[0] == wiki.MARK


def test_steps_are_measured_with_searches_and_without():
    own, whole = wiki.stepping(Clock(), FAST)
    assert own.bound is not None and whole.bound is None and own.ours < whole.ours
    looked = wiki.Looked(wiki.index(300), ["a query"], 3)
    assert looked.search("a query", 3) == wiki.index(300).search("a query", 3)


def test_every_row_is_measured():
    clock = Clock()
    lines = [*wiki.searching(clock, FAST), *wiki.growing(clock, FAST), *wiki.building(clock, FAST)]
    beside = 2 if find_spec("bm25s") else 0
    assert len(lines) == 4 + beside
    assert all(line.ours > 0 and line.baseline > 0 for line in lines)
    assert [line.bound for line in lines if line.against == "bm25s"] == [None, None][:beside]  # of 100,000 passages on


def test_what_a_million_passages_take_is_measured_where_it_is_named():
    lines = list(wiki.million(Clock(), FAST))
    opening, read, held, *others = lines
    assert len(others) == (2 if find_spec("bm25s") else 1)
    # Opening reads checksums of a few hundred bytes; whoever searched holds Python and numpy at least, some 30 MB.
    assert opening.ours < 0.2 and 0 <= read.ours <= wiki.OPENED and 20 < held.ours < 500
    assert run.cells(held.as_dict())[1:] == [f"{held.ours:,.0f} MB", "", "", "", "≤ 8,000 MB", "pass"]
    assert run.BY_NAME == ("search-million",) and set(run.BY_NAME) < set(run.ROWS)
