"""Building a dense index: vectors that are given, or made by an embedder, chunk by chunk.

An embedder may need hours: what it has made is kept, a sealed folder a chunk, and a build that was stopped, even by
kill -9, goes on after the last whole chunk. faiss runs on one thread, since a graph that several threads make is
another one each time, and since threads do not survive a fork.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np

from agentgym.envs.wiki_search import sealed
from agentgym.envs.wiki_search.passages import Store
from agentgym.errors import DataError, unknown

KIND: Final = "dense"
KINDS: Final = ("flat", "hnsw", "ivf")
GRAPH: Final = "faiss.array"
ARRAYS: Final = {"vectors.array": "<f4", GRAPH: "|u1"}
CHUNK: Final = 2_048
NEIGHBOURS: Final = 32
WIDTH: Final = 200
LISTS: Final = 16
"""Of IVF, how many a query looks into; there are four times the square root of the number of passages."""
_POINTS: Final = 39
"""Fewest passages a list that faiss makes lists from without complaint."""
_CHUNK_KIND: Final = "dense-chunk"
_CHUNK_ARRAYS: Final = {"vectors.array": "<f4"}

Progress = Callable[[int, int], None]


class Embedder(Protocol):
    """What turns texts into vectors, such as a SentenceTransformer."""

    def encode(self, texts: list[str]) -> Any:
        """Return an array of shape (texts, dimension)."""
        ...


def build(
    store: Store,
    folder: str | Path,
    source: Any,
    name: str,
    *,
    kind: str = "flat",
    normal: bool = True,
    batch: int = 64,
    progress: Progress | None = None,
) -> None:
    """Write the dense index of a store's passages; one that is there is replaced, a half-built one finished.

    Args:
        store: the passages.
        folder: made if missing.
        source: an embedder, which gets title, a blank, text; or the vectors, an array of shape (passages, dimension).
        name: what made the vectors, such as a model and its version.
        kind: "flat" (exact), "hnsw" or "ivf".
        normal: bring vectors, and later queries, to length 1, so that scores are cosines.
        batch: texts that the embedder gets at once.
        progress: told how many of how many passages have their vector.

    Raises:
        ValueError: an unknown kind, a batch below 1, or no name.
        DataError: vectors of another number than the passages, of another shape, or not finite; the folder cannot be
            written, or another process builds there.
        ImportError: faiss is not installed. What the embedder raises.
    """
    if kind not in KINDS:
        raise ValueError(unknown("kind of dense index", kind, KINDS))
    if type(batch) is not int or batch < 1:
        raise ValueError(f"batch must be an int of at least 1, not {batch!r:.60}")
    if not name:
        raise ValueError("name is empty: say what made the vectors, so that queries of something else are refused")
    the_faiss()
    place = Path(folder).absolute()
    with sealed.builder(place):
        sealed.clear(place)
        tell = progress or (lambda done, total: None)
        if hasattr(source, "encode"):
            parts = _embedded(store, place / "chunks", source, name, normal, batch, tell)
        else:
            parts = _given(store, source, normal, tell)
        dimension, longest = _write(place / "vectors.array", parts)
        vectors = np.memmap(place / "vectors.array", dtype="<f4", mode="r").reshape(-1, dimension)
        (place / GRAPH).write_bytes(b"" if kind == "flat" else _graph(vectors, kind))
        facts = {"passages": store.content, "embedder": name, "dimension": dimension, "kind": kind}
        sealed.seal(place, KIND, {**facts, "normal": normal, "longest": longest}, ARRAYS)
        with suppress(FileNotFoundError):
            shutil.rmtree(place / "chunks")


def _write(path: Path, parts: Iterable[np.ndarray]) -> tuple[int, float]:
    """Write vectors one after another; return their dimension and the greatest length."""
    dimension, longest = 0, 0.0
    with open(path, "wb") as out:
        for part in parts:
            if dimension not in (0, part.shape[1]):
                raise DataError(f"vectors of dimension {dimension}, then of {part.shape[1]}: use one embedder")
            dimension = part.shape[1]
            longest = max(longest, float(np.sqrt((part.astype(np.float64) ** 2).sum(axis=1)).max()))
            out.write(part.tobytes())
    return dimension, longest


def _given(store: Store, source: Any, normal: bool, tell: Progress) -> Iterator[np.ndarray]:
    """Yield vectors that are there already, some at a time, so that no copy of all is made."""
    found = np.asarray(source)
    if found.ndim != 2 or len(found) != len(store):
        rows(found, len(store), None, normal, "the vectors")  # says what is wrong
    for start in range(0, len(store), CHUNK):
        stop = min(start + CHUNK, len(store))
        yield rows(found[start:stop], stop - start, None, normal, f"the vectors from {start} on")
        tell(stop, len(store))


def rows(values: Any, count: int, dimension: int | None, normal: bool, what: str) -> np.ndarray:
    """Return vectors as 4-byte floats, shape (count, dimension), of length 1 where `normal`; zeros stay zeros.

    Raises:
        DataError: another shape, or a vector that is not finite; the message begins with `what`.
    """
    found = np.asarray(values)
    if found.ndim != 2 or len(found) != count or found.shape[1] != (dimension or found.shape[1]) or not found.shape[1]:
        wanted = f"({count}, {dimension or 'dimension'})"
        raise DataError(f"{what} must have shape {wanted}, not {found.shape}: give one vector each, of one length")
    if found.dtype.kind not in "fiu":
        raise DataError(f"{what} must be numbers, not {found.dtype}")
    long = found.astype(np.float64)
    bad = np.flatnonzero(~np.isfinite(long).all(axis=1))
    if len(bad):
        raise DataError(f"{what}: number {bad[0]} is not finite: embed it again")
    if normal:
        norms = np.sqrt((long**2).sum(axis=1, keepdims=True))
        long /= np.where(norms > 0, norms, 1.0)
    return np.ascontiguousarray(long, dtype="<f4")


@cache
def the_faiss() -> Any:
    """Return faiss, set to one thread. Raises ImportError: it is not installed; the message says what to install."""
    try:
        import faiss
    except ImportError as error:
        raise ImportError("dense retrieval needs the package faiss: install agentgym-suite[search]") from error
    faiss.omp_set_num_threads(1)
    return faiss


def _embedded(
    store: Store, folder: Path, source: Any, name: str, normal: bool, batch: int, tell: Progress
) -> Iterator[np.ndarray]:
    """Yield the vectors chunk by chunk, those of a build that was stopped as they are."""
    for start in range(0, len(store), CHUNK):
        stop = min(start + CHUNK, len(store))
        place = folder / f"{start:010}"
        facts = {"passages": store.content, "start": start, "stop": stop, "embedder": name, "normal": normal}
        found = _kept(place, facts)
        if found is None:
            parts = []
            for first in range(start, stop, batch):
                last = min(first + batch, stop)
                texts = [f"{p.title} {p.text}" for p in map(store.__getitem__, range(first, last))]
                parts.append(rows(source.encode(texts), last - first, None, normal, f"what {name!r} gives"))
                tell(last, len(store))
            found = np.concatenate(parts)
            sealed.clear(place)
            found.tofile(place / "vectors.array")
            sealed.seal(place, _CHUNK_KIND, {**facts, "dimension": found.shape[1]}, _CHUNK_ARRAYS, sync=False)
        tell(stop, len(store))
        yield found


def _kept(place: Path, facts: dict[str, Any]) -> np.ndarray | None:
    """Return the vectors of a chunk that was made before from the same, None if there are none or they are damaged."""
    with suppress(DataError):
        held = sealed.Sealed(place, _CHUNK_KIND, "")
        if {**held.facts, **facts} == dict(held.facts):
            return held["vectors.array"].whole().reshape(-1, held.facts["dimension"])
    return None


def _graph(vectors: np.ndarray, kind: str) -> bytes:
    """Return faiss's own form of an index that looks at some vectors only."""
    faiss, (count, dimension) = the_faiss(), vectors.shape
    if kind == "hnsw":
        index = faiss.IndexHNSWFlat(dimension, NEIGHBOURS, faiss.METRIC_INNER_PRODUCT)
        index.hnsw.efConstruction = index.hnsw.efSearch = WIDTH
    else:
        lists = max(1, min(int(4 * count**0.5), count // _POINTS))
        index = faiss.IndexIVFFlat(faiss.IndexFlatIP(dimension), dimension, lists, faiss.METRIC_INNER_PRODUCT)
        index.nprobe = LISTS
        index.cp.seed = 1
        index.train(np.asarray(vectors))
    index.add(np.asarray(vectors))
    return bytes(faiss.serialize_index(index).tobytes())
