import copy
import hashlib
import multiprocessing
import pickle
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agentgym.envs.wiki_search import bm25, dense
from agentgym.envs.wiki_search.hybrid import Hybrid
from agentgym.envs.wiki_search.passages import Passage, Store
from agentgym.errors import DataError
from tests.corpora import SMALL, Words, store

pytest.importorskip("faiss", reason="dense retrieval needs the package faiss (the extra `search`)")


class Hashing:
    """An embedder without a model: each word is a direction, drawn from its hash."""

    def __init__(self, dimension: int = 24) -> None:
        self.dimension, self.batches = dimension, []

    def encode(self, texts: list[str]) -> np.ndarray:
        self.batches.append(len(texts))
        return np.array([sum(map(self.direction, text.lower().split())) for text in texts], dtype=np.float32)

    def direction(self, word: str) -> np.ndarray:
        raw = hashlib.blake2b(word.encode(), digest_size=self.dimension).digest()
        return np.frombuffer(raw, dtype=np.int8).astype(np.float32)


def made(tmp_path: Path, kind: str = "flat", passages: Any = SMALL) -> tuple[Store, dense.DenseIndex]:
    found = store(tmp_path, passages)
    dense.build(found, tmp_path / "dense", Hashing(), "hashing", kind=kind)
    return found, dense.open_dense(tmp_path / "dense", found, Hashing(), "hashing")


def test_products_by_hand(tmp_path: Path) -> None:
    found = store(tmp_path, SMALL[:3])
    dense.build(found, tmp_path / "plain", np.array([[1, 0], [3, 4], [0, 2]]), "by hand", normal=False)
    index = dense.open_dense(tmp_path / "plain", found)
    assert index.search([2, 1]) == [(1, 10.0), (0, 2.0), (2, 2.0)]  # 3·2 + 4·1, 1·2, 2·1; of equal ones the lower id
    dense.build(found, tmp_path / "cosine", np.array([[1, 0], [3, 4], [0, 2]]), "by hand")
    index = dense.open_dense(tmp_path / "cosine", found)
    # Query (2, 1) / √5: 0.894427 and 0.447214 with the axes, (3·2 + 4·1) / (5 · √5) = 0.894427 with (3, 4).
    assert index.search(np.array([2, 1])) == [(0, 0.894427), (1, 0.894427), (2, 0.447214)]
    assert index.search([[2, 1]], 1) == [(0, 0.894427)]
    assert index.search([0, 0]) == [(0, 0.0), (1, 0.0), (2, 0.0)]
    assert (len(index), index.dimension, index.embedder, index.kind) == (3, 2, "by hand", "flat")


@pytest.mark.parametrize("kind", ["flat", "hnsw", "ivf"])
def test_a_passage_is_found_by_its_own_text(tmp_path: Path, kind: str) -> None:
    found, index = made(tmp_path, kind, [*Words(300).passages(400, 8)])
    hits = 0
    for place in range(0, 400, 20):
        ((best, score),) = index.search(f"{found[place].title} {found[place].text}", 1)
        hits += best == place and score == 1.0
    assert hits == 20
    ranking = index.search("anything at all", 30)
    assert ranking == sorted(ranking, key=lambda pair: (-pair[1], pair[0]))
    assert len({place for place, _ in ranking}) == 30


def test_flat_search_is_exact_where_many_are_equal(tmp_path: Path) -> None:
    # 300 passages on 5 directions: groups of 60 equal vectors, more than are asked for beyond k.
    found = store(tmp_path, [Passage(str(place), "text") for place in range(300)])
    draw = np.random.Generator(np.random.PCG64(1))
    five = draw.standard_normal((5, 8))
    vectors = five[np.arange(300) * 7 % 5]
    dense.build(found, tmp_path / "dense", vectors, "drawn")
    index = dense.open_dense(tmp_path / "dense", found)
    for query in (five[2], draw.standard_normal(8)):
        held = vectors.astype(np.float32).astype(np.float64)
        products = (held / np.linalg.norm(held, axis=1, keepdims=True)) @ (query / np.linalg.norm(query))
        order = np.lexsort((np.arange(300), -np.round(products, 6)))
        for k in (1, 10, 59, 60, 61, 300, 999):
            assert [place for place, _ in index.search(query, k)] == order[:k].tolist()


@pytest.mark.parametrize("kind", ["flat", "hnsw", "ivf"])
def test_the_same_index_and_rankings_each_time(tmp_path: Path, kind: str) -> None:
    passages = [*Words(300).passages(300, 8)]
    first, second = made(tmp_path / "1", kind, passages)[1], made(tmp_path / "2", kind, passages)[1]
    assert first.content == second.content
    for name in ("vectors.array", "faiss.array"):
        assert (first.folder / name).read_bytes() == (second.folder / name).read_bytes()
    queries = [passages[place].text for place in range(0, 300, 30)]
    assert [first.search(query) for query in queries] == [second.search(query) for query in queries]
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.map(first.search, queries) == [first.search(query) for query in queries]


def test_embedders_of_another_name_or_dimension_are_refused(tmp_path: Path) -> None:
    found, index = made(tmp_path)
    folder = tmp_path / "dense"
    with pytest.raises(
        DataError, match=r"dense holds vectors of 'hashing', not of 'other': give that one, or build it"
    ):
        dense.open_dense(folder, found, Hashing(), "other")
    short = dense.open_dense(folder, found, Hashing(8), "hashing")
    with pytest.raises(
        DataError, match=r"gives vectors of dimension 8, and .*dense holds those of 'hashing', of dimension 24"
    ):
        short.search("Lisbon")
    with pytest.raises(ValueError, match="name is empty: say what the embedder is called"):
        dense.open_dense(folder, found, Hashing())
    with pytest.raises(TypeError, match="opened without an embedder: give open_dense one, or give a vector"):
        dense.open_dense(folder).search("Lisbon")
    for vector in ([1.0], np.zeros((2, 24)), np.full(24, np.nan), ["x"] * 24):
        with pytest.raises(ValueError, match="the query"):
            index.search(vector)
    other = store(tmp_path / "other", SMALL[:4])
    with pytest.raises(DataError, match=r"dense is no index of the passages in .*other/passages: build it anew"):
        dense.open_dense(folder, other)


def test_vectors_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    found = store(tmp_path)
    good = np.ones((6, 3))
    for vectors, message in (
        (good[:5], r"the vectors must have shape \(6, dimension\), not \(5, 3\)"),
        (good[:, 0], r"must have shape \(6, dimension\), not \(6,\)"),
        (good[:, :0], r"must have shape \(6, dimension\), not \(6, 0\)"),
        (good > 0, "must be numbers, not bool"),
        (np.where(np.eye(6, 3) * [0, 1, 0] > 0, np.inf, good), "number 1 is not finite: embed it again"),
    ):
        with pytest.raises(DataError, match=message):
            dense.build(found, tmp_path / "dense", vectors, "x")
        with pytest.raises(DataError, match="half-written"):
            dense.open_dense(tmp_path / "dense")
    with pytest.raises(ValueError, match="unknown kind of dense index 'hsnw'; did you mean 'hnsw'"):
        dense.build(found, tmp_path / "dense", good, "x", kind="hsnw")
    with pytest.raises(ValueError, match="name is empty"):
        dense.build(found, tmp_path / "dense", good, "")
    with pytest.raises(ValueError, match="batch must be an int of at least 1, not 0"):
        dense.build(found, tmp_path / "dense", good, "x", batch=0)


def test_one_set_of_open_files_a_path_and_damage_is_named(tmp_path: Path) -> None:
    _, index = made(tmp_path, "hnsw")
    assert dense.open_dense(tmp_path / "dense")._files is index._files
    assert copy.deepcopy(index) is index
    assert pickle.loads(pickle.dumps(index))._files is index._files
    for name in ("vectors.array", "faiss.array"):
        raw = (tmp_path / "dense" / name).read_bytes()
        (tmp_path / "dense" / name).write_bytes(raw[:9] + bytes([raw[9] ^ 1]) + raw[10:])
        broken = dense.DenseIndex(dense._Files(str(tmp_path / "dense")), Hashing())
        with pytest.raises(DataError, match=rf"{name} is damaged .*: build it anew with dense.build"):
            broken.search("Lisbon")
        (tmp_path / "dense" / name).write_bytes(raw[:-1])
        with pytest.raises(DataError, match=rf"{name} has {len(raw) - 1} bytes instead of {len(raw)}"):
            dense._Files(str(tmp_path / "dense"))
        (tmp_path / "dense" / name).write_bytes(raw)
    assert index.search(f"{SMALL[4].title} {SMALL[4].text}", 1) == [(4, 1.0)]


BUILD = """
import os, signal, sys
from pathlib import Path
from agentgym.envs.wiki_search import dense, dense_build
from agentgym.envs.wiki_search.passages import open_store
from tests.envs.wiki_search.test_wiki_dense import Hashing

class Killing(Hashing):
    def encode(self, texts):
        if len(self.batches) == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().encode(texts)

dense_build.CHUNK = 40
folder = Path(sys.argv[1])
dense.build(open_store(folder / "passages"), folder / "dense", Killing(), "hashing", batch=20)
"""


def test_an_embedder_that_is_killed_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = store(tmp_path, Words(200).passages(100, 8))
    dense.build(found, tmp_path / "expected", Hashing(), "hashing")
    path = {"PYTHONPATH": ":".join(filter(None, sys.path))}
    done = subprocess.run([sys.executable, "-c", BUILD, str(tmp_path)], env=path, check=False)
    assert done.returncode == -signal.SIGKILL  # in the second chunk of 40, after three batches of 20
    with pytest.raises(DataError, match="dense is half-written"):
        dense.open_dense(tmp_path / "dense")
    monkeypatch.setattr("agentgym.envs.wiki_search.dense_build.CHUNK", 40)
    other = Hashing()
    dense.build(found, tmp_path / "other", other, "hashing", batch=20)
    assert other.batches == [20, 20, 20, 20, 20]
    again, told = Hashing(), []
    dense.build(found, tmp_path / "dense", again, "hashing", batch=20, progress=lambda done, total: told.append(done))
    assert again.batches == [20, 20, 20]  # the first chunk was kept
    assert told == [40, 60, 80, 80, 100, 100]
    assert dense.open_dense(tmp_path / "dense").content == dense.open_dense(tmp_path / "expected").content
    assert not (tmp_path / "dense" / "chunks").exists()


def test_words_and_vectors_together(tmp_path: Path) -> None:
    found, vectors = made(tmp_path)
    bm25.build(found, tmp_path / "bm25")
    words = bm25.open_index(tmp_path / "bm25", found)
    both = Hybrid([words, vectors]).search("capital of Spain", 6)
    ranks = [
        {place: rank for rank, (place, _) in enumerate(s.search("capital of Spain", 100), 1)} for s in (words, vectors)
    ]
    expected = {place: sum(1 / (60 + found[place]) for found in ranks if place in found) for place in range(6)}
    assert {place: pytest.approx(score, abs=1e-6) for place, score in both} == expected
    assert both[0][0] == 4
