"""Dense retrieval by faiss: passages and queries as vectors, compared by their inner product.

A flat index compares the query with every vector and is exact; "hnsw" and "ivf" look at some of them and may miss
others. Whatever they find is scored anew in 8-byte numbers, so that scores and their order are the same on every
machine. The index holds the name and the dimension of what made its vectors, and takes queries of no other.
Needs the extra `search`.
"""

from __future__ import annotations

import os
from typing import Any, Final

import numpy as np

from agentgym.envs.wiki_search import sealed
from agentgym.envs.wiki_search.dense_build import GRAPH, KIND, Embedder, build, rows, the_faiss
from agentgym.envs.wiki_search.kept import Kept
from agentgym.envs.wiki_search.passages import Store
from agentgym.envs.wiki_search.ranking import Ranking, best, check_k
from agentgym.errors import DataError

__all__ = ["DenseIndex", "Embedder", "build", "open_dense"]
REMEDY: Final = "build it anew with dense.build"
_MORE: Final = 16
"""Passages asked for beyond k, so that equal scores at the end of a ranking are seen."""


class DenseIndex:
    """A dense index that was opened; see `open_dense`.

    Attributes:
        content, passages: hashes of the index and of the store that it was built from.
        embedder: name of what made the vectors.
        dimension: of the vectors.
        kind: "flat", "hnsw" or "ivf".
    """

    def __init__(self, files: _Files, encoder: Embedder | None = None) -> None:
        facts = files.sealed.facts
        self.folder, self.content = files.sealed.folder, files.sealed.content
        self.passages: str = facts["passages"]
        self.embedder: str = facts["embedder"]
        self.dimension: int = facts["dimension"]
        self.kind: str = facts["kind"]
        self._normal: bool = facts["normal"]
        self._longest: float = facts["longest"]
        self._files, self._encoder = files, encoder
        self._vectors = files.sealed["vectors.array"]

    def __len__(self) -> int:
        return len(self._vectors) // self.dimension

    def search(self, query: Any, k: int = 10) -> Ranking:
        """Return the best passages for a query as (id, inner product), best first; scores are rounded to 6 digits.

        Args:
            query: a text for the embedder that the index was opened with, or a vector.
            k: how many.

        Raises:
            TypeError: a text, and there is no embedder. ValueError: k is no int of at least 1, or a vector is none.
            DataError: the embedder gives vectors of another dimension, or what is read for the first time is damaged.
        """
        check_k(k)
        vector = self._vector(query)
        count = len(self)
        if self.kind != "flat":
            _, ids = self._files.graph.search(vector[None], min(k + _MORE, count))
            ids = ids[0][ids[0] >= 0]
            return best(ids, self._scores(ids, vector), k)
        # The 4-byte products are off by no more than this, so nothing below the k-th by more is among the first k.
        slack = 2 * self.dimension * 2.0**-23 * float(np.linalg.norm(vector)) * self._longest + 1e-6
        wanted = min(k + _MORE, count)
        while True:
            products, ids = the_faiss().knn(vector[None], self._all(), wanted, metric=the_faiss().METRIC_INNER_PRODUCT)
            if wanted == count or products[0][-1] < products[0][k - 1] - slack:
                return best(ids[0], self._scores(ids[0], vector), k)
            wanted = min(4 * wanted, count)

    def _all(self) -> np.ndarray:
        return self._vectors.whole().reshape(-1, self.dimension)

    def _scores(self, ids: np.ndarray, vector: np.ndarray) -> np.ndarray:
        found = self._all()[ids].astype(np.float64)
        return np.asarray((found * vector.astype(np.float64)).sum(axis=1))

    def _vector(self, query: Any) -> np.ndarray:
        if isinstance(query, str):
            if self._encoder is None:
                raise TypeError(f"{self.folder} was opened without an embedder: give open_dense one, or give a vector")
            query = np.asarray(self._encoder.encode([query]))
            if query.ndim == 2 and query.shape[1] != self.dimension:
                raise DataError(
                    f"the embedder gives vectors of dimension {query.shape[1]}, and {self.folder} holds those of "
                    f"{self.embedder!r}, of dimension {self.dimension}: give that embedder, or {REMEDY}"
                )
        found: np.ndarray = rows(np.atleast_2d(np.asarray(query)), 1, self.dimension, self._normal, "the query")[0]
        return found

    def verify(self) -> None:
        """Read every byte. Raises DataError: the first damaged block, by name."""
        self._files.sealed.verify()

    def __deepcopy__(self, memo: object) -> DenseIndex:
        return self  # nothing in it changes, and a model is not to be copied

    def __reduce__(self) -> tuple[object, ...]:
        return _again, (str(self.folder), self.content, self._encoder, self.embedder)

    def __repr__(self) -> str:
        return f"DenseIndex({str(self.folder)!r}: {len(self)} vectors of {self.embedder!r}, {self.kind})"


class _Files:
    """The files of an index, open, and the graph or the lists of one that is not flat, read when first needed."""

    def __init__(self, folder: str) -> None:
        self.sealed = sealed.Sealed(folder, KIND, REMEDY)
        self._graph: Any = None

    @property
    def graph(self) -> Any:
        if self._graph is None:
            self._graph = the_faiss().deserialize_index(self.sealed[GRAPH].whole())
        return self._graph


_OPEN: Final = Kept(_Files)


def open_dense(
    folder: str | os.PathLike[str], store: Store | None = None, encoder: Embedder | None = None, name: str = ""
) -> DenseIndex:
    """Open a dense index; its files are open once a process and path, whatever the embedder.

    Args:
        folder: what `build` wrote.
        store: the passages that its ids shall mean.
        encoder: turns the texts of queries into vectors.
        name: of the embedder; where it is given, it must be the one that made the index.

    Raises:
        ValueError: an embedder without its name.
        DataError: the folder is missing, half-written, damaged or something else, was built from other passages, or by
            an embedder of another name.
        ImportError: faiss is not installed.
    """
    if encoder is not None and not name:
        raise ValueError("name is empty: say what the embedder is called, as when the index was built")
    the_faiss()
    index = DenseIndex(_OPEN.get(folder), encoder)
    if store is not None and index.passages != store.content:
        raise DataError(f"{index.folder} is no index of the passages in {store.folder}: {REMEDY}")
    if name and name != index.embedder:
        held = f"{index.folder} holds vectors of {index.embedder!r}"
        raise DataError(f"{held}, not of {name!r}: give that one, or {REMEDY}")
    return index


def _again(folder: str, content: str, encoder: Embedder | None, name: str) -> DenseIndex:
    """Return the index of a folder for a copy of one. Raises DataError: as `open_dense`; it is another index now."""
    return sealed.same(open_dense(folder, None, encoder, name), content)
