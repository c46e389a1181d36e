"""Libraries: a store with any ranking."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from wiki_small import PAGES, corpus, world

from agentgym.envs.wiki_search import library as libraries
from agentgym.envs.wiki_search.corpus import open_corpus
from agentgym.envs.wiki_search.hybrid import Hybrid
from agentgym.envs.wiki_search.library import DENSE, Hit, Local, open_library
from agentgym.envs.wiki_search.passages import Passage
from agentgym.errors import DataError

TITLES = list(PAGES)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return corpus(tmp_path_factory.mktemp("corpus"))


class Letters:
    """An embedder that counts letters."""

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        counted = [[text.lower().count(chr(97 + place)) for place in range(26)] for text in texts]
        return np.array(counted, dtype=np.float32)


def test_hits_hold_key_score_and_passage(folder: Path) -> None:
    held = open_library(folder)
    first = held.search("the Tamsin river", 2)[0]
    assert first.passage == Passage("Tamsin", PAGES["Tamsin"]) and first.key == TITLES.index("Tamsin")
    assert [(hit.key, hit.score) for hit in held.search("river", 5)] == open_corpus(folder).index.search("river", 5)
    assert held.titled("orla") == [Hit(TITLES.index("Orla"), 0.0, Passage("Orla", PAGES["Orla"]))]
    assert held.titled("nowhere") == [] and held.search("zzzz", 3) == []
    assert (held.size, held.lasting) == (30, True)
    held.keep([Passage("a", "b")])
    assert held.size == 30


@pytest.mark.parametrize("key", [-1, 30])
def test_keys_that_are_none(folder: Path, key: int) -> None:
    with pytest.raises(KeyError, match=f"no passage {key}: there are 30"):
        open_library(folder).passage(key)


def test_remembered_passages_are_bounded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libraries, "REMEMBERED", 4)
    held = Local(open_corpus(folder).store, open_corpus(folder).index)
    for key in range(30):
        assert held.passage(key).title == TITLES[key] and held.passage(key) is held.passage(key)
        assert len(held._known) <= 4


def test_content_tells_rankings_apart(folder: Path, tmp_path: Path) -> None:
    open_ = open_corpus(folder)
    store, index = open_.store, open_.index
    plain: Any = type("Plain", (), {"search": lambda self, query, k=10: []})
    other: Any = type("Other", (), {"search": lambda self, query, k=10: []})
    searchers = [index, Hybrid([index]), Hybrid([index], depth=7), Hybrid([index, index]), plain(), other()]
    contents = [Local(store, searcher).content for searcher in searchers]
    assert len(set(contents)) == len(searchers)
    assert Local(store, plain()).content == contents[4] and Local(store, Hybrid([index])).content == contents[1]
    assert open_library(folder).content == contents[0] == open_library(corpus(tmp_path)).content  # wherever it lies
    assert open_library(corpus(tmp_path / "more", {"a": "b"})).content != contents[0]


def test_a_corpus_is_opened_once_and_anew_when_it_was_made_anew(tmp_path: Path) -> None:
    held = open_library(corpus(tmp_path))
    assert open_library(tmp_path) is open_library(open_corpus(tmp_path)) is held and copy.deepcopy(held) is held
    corpus(tmp_path, {"New": "A new page."})
    again = open_library(tmp_path)
    assert again is not held and again.titled("New") and not held.titled("New")


def test_two_searchers_that_nothing_tells_apart_are_pointed_out(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    class First:
        def __init__(self, passage: int) -> None:
            self.passage = passage

        def search(self, query: str, k: int = 10) -> list[tuple[int, float]]:
            return [(self.passage, 1.0)]

    one = First(1)
    worlds = [world(folder, retriever=one), world(folder, retriever=one)]
    assert not caplog.records
    worlds.append(world(folder, retriever=First(2)))
    assert [record.getMessage()[:22] for record in caplog.records] == ["two searchers of the c"]
    assert "First are in use over" in caplog.text and "give each a `content`" in caplog.text
    caplog.clear()
    for number in (3, 4):
        told = First(number)
        told.content = f"always {number}"  # type: ignore[attr-defined]
        worlds += [world(folder, retriever=told), world(folder, retriever=Hybrid([told]))]
    assert not caplog.records and len({env.base_hash for env in worlds}) == 5


def test_a_pickled_copy_does_not_take_another_corpus_for_its_own(tmp_path: Path) -> None:
    """Passages are known by their places, so that in another corpus a state would mean other passages."""
    made = open_library(corpus(tmp_path / "a"))
    whole, store, index = (pickle.dumps(value) for value in (made, made.store, made.searcher))
    again = pickle.loads(whole)
    assert (again.content, again.store, again.searcher) == (made.content, made.store, made.searcher)
    corpus(tmp_path / "a", {"New": "A new page."})
    for dumped in (whole, store, index):
        with pytest.raises(DataError, match="was built anew since this copy was made, and holds something else"):
            pickle.loads(dumped)
    held = copy.deepcopy(made.store), copy.deepcopy(made.searcher)  # in this process the old one is still read
    assert held == (made.store, made.searcher) and made.passage(0).title == "Oldhaven"


def test_worlds_that_were_given_one_searcher_share_a_library(folder: Path) -> None:
    index = open_corpus(folder).index
    one, same, other = world(folder, retriever=index), world(folder, retriever=index), world(folder)
    assert one._library is same._library and other._library.content == one._library.content


def test_dense_and_hybrid_retrieval(tmp_path: Path) -> None:
    """The letters of a page's title and text find that page by themselves; hybrid adds the words."""
    dense = pytest.importorskip("agentgym.envs.wiki_search.dense")
    pytest.importorskip("faiss")
    folder = corpus(tmp_path)
    store = open_corpus(folder).store
    dense.build(store, folder / DENSE, Letters(), "letters")
    query = f"Tamsin {PAGES['Tamsin']}"
    found = {}
    for retriever in ("dense", "hybrid"):
        env = world(folder, retriever=retriever, encoder=Letters())
        env.reset(seed=0)
        found[retriever] = env.base_hash
        assert f"(Title: Tamsin) {PAGES['Tamsin']}" in env.step(f"<search>{query}</search>")[0]
    assert len({*found.values(), open_library(folder).content}) == 3
    with pytest.raises(ValueError, match="'hybrid' needs an encoder of queries: give encoder="):
        open_library(folder, "hybrid")


def test_a_dense_index_that_is_not_there_is_named(folder: Path) -> None:
    pytest.importorskip("faiss")
    with pytest.raises(DataError, match=r"dense is no folder: build it anew with dense\.build"):
        open_library(folder, "dense", Letters())


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"corpus": 3}, "corpus must be the folder that agentgym data index wrote, not 3"),
        ({"corpus": ""}, "corpus must be the folder that agentgym data index wrote, not ''"),
        ({"retriever": 3}, "retriever must be one of bm25, dense, hybrid, a URL or a searcher, not 3"),
        ({"retriever": None}, "retriever must be one of bm25, dense, hybrid, a URL or a searcher, not None"),
        (
            {"retriever": "dense", "encoder": 3},
            r"encoder must be a model.s folder or have a method encode\(texts\), not 3",
        ),
    ],
)
def test_what_is_no_corpus_retriever_or_encoder(folder: Path, given: dict[str, Any], said: str) -> None:
    with pytest.raises(TypeError, match=said):
        open_library(**{"corpus": folder, **given})
