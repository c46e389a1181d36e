"""Building a BM25 index: passages in chunks, then one merge.

The words of some passages at a time are counted and written as a chunk, a sealed folder of its own; memory holds one
chunk, whatever the number of passages. A build that was stopped, even by kill -9, goes on after the last whole chunk.
The merge puts the postings of all chunks together term by term, with their scores; the index is sealed at its end, and
its bytes depend on the passages alone: not on the chunks, and not on how often the build was stopped.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

import numpy as np

from agentgym.envs.wiki_search import sealed
from agentgym.envs.wiki_search.passages import Store
from agentgym.envs.wiki_search.tokens import NAME, STOP_WORDS, words
from agentgym.errors import DataError

KIND: Final = "bm25 with rows"
CHUNK: Final = 50_000
K1: Final = 1.5
B: Final = 0.75
ARRAYS: Final = {
    "terms.array": "|u1",  # all terms, one after another, in the order of their hashes
    "ends.array": "<u8",  # where each of them ends there, after a 0
    "hashes.array": "<u8",
    "starts.array": "<u8",  # where the postings of each of them start, then where the last ones end
    "tops.array": "<f4",  # the best score that each of them gives
    "docs.array": "<i4",  # the postings: passage ids, ascending a term
    "scores.array": "<f4",  # and what the term adds to the passage's score
    "common.array": "<i8",  # the common terms by their place, ascending
    "rows.array": "<u2",  # for each of them a number a passage: which of the values in its table the term adds there
    "tables.array": "<f4",  # the tables, one after another; each begins with 0, for passages without the term
    "tabled.array": "<u8",  # where each table starts, then where the last one ends
}
ROWS: Final = ("common.array", "rows.array", "tables.array", "tabled.array")
COMMON: Final = 16
"""A term is common if one of so many passages holds it, ..."""
FEWEST: Final = 256
"""... at least so many in all, ..."""
VALUES: Final = (1 << 16) - 1
"""... with no more values than this."""
_CHUNK_KIND: Final = "bm25-chunk"
_CHUNK_ARRAYS: Final = {
    "terms.array": "|u1",  # a line each
    "counts.array": "<i4",  # how many postings each of them has here
    "docs.array": "<i4",
    "times.array": "<i4",  # how often the term occurs there
    "lengths.array": "<i4",  # words a passage
}
_REMEDY: Final = "remove the folder and build the index again"
_EVERY: Final = 2048

Progress = Callable[[int, int], None]


def build(store: Store, folder: str | Path, progress: Progress | None = None, chunk: int = CHUNK) -> None:
    """Write the index of a store's passages; one that is there is replaced, a half-built one finished.

    Args:
        store: the passages. A document is title, a blank, text.
        folder: made if missing.
        progress: told how many of how many steps are done: a step for each passage counted, and one for each merged.
        chunk: passages whose words are in memory at a time; 50,000 of 100 words take about 0.5 GB.

    Raises:
        ValueError: a chunk below 1.
        DataError: the folder cannot be written, another process builds there, or the store is damaged.
        OSError: writing failed.
    """
    if type(chunk) is not int or chunk < 1:
        raise ValueError(f"chunk must be an int of at least 1, not {chunk!r:.60}")
    place = Path(folder).absolute()
    with sealed.builder(place):
        sealed.clear(place)
        tell = progress or (lambda done, total: None)
        chunks = list(_chunks(store, place / "chunks", tell, chunk))
        _merge(store, place, chunks, tell)
        shutil.rmtree(place / "chunks")


def term_hash(term: str) -> int:
    """Return the 64-bit BLAKE2b that a term is looked up by."""
    return int.from_bytes(blake2b(term.encode("utf-8", "replace"), digest_size=8).digest(), "little")


# ---- Chunks ------------------------------------------------------------------------------------------------------


def _chunks(store: Store, folder: Path, tell: Progress, size: int) -> Iterator[sealed.Sealed]:
    """Yield every chunk, those of a build that was stopped as they are."""
    for start in range(0, len(store), size):
        stop = min(start + size, len(store))
        place = folder / f"{start:010}"
        facts = {"passages": store.content, "start": start, "stop": stop, "words": NAME}
        try:
            held = sealed.Sealed(place, _CHUNK_KIND, _REMEDY)
            held.verify()
            whole = dict(held.facts) == facts
        except DataError:
            whole = False
        if not whole:
            sealed.clear(place)
            _count(store, range(start, stop), place, tell)
            sealed.seal(place, _CHUNK_KIND, facts, _CHUNK_ARRAYS, sync=False)  # who goes on verifies it
            held = sealed.Sealed(place, _CHUNK_KIND, _REMEDY)
        tell(stop, 2 * len(store))
        yield held


class _Numbers(dict[str, int]):
    """Terms as numbers, in the order in which they come."""

    def __missing__(self, term: str) -> int:
        self[term] = number = len(self)
        return number


def _count(store: Store, span: range, folder: Path, tell: Progress) -> None:
    """Write the postings of some passages, grouped by term, passages ascending."""
    numbers = _Numbers()
    for word in sorted(STOP_WORDS):
        numbers[word]  # the first numbers, so that they are left out at once
    found: list[int] = []
    ends = np.zeros(len(span) + 1, dtype=np.int64)
    number = numbers.__getitem__
    for place, passage in enumerate(map(store.__getitem__, span)):
        found.extend(map(number, words(f"{passage.title} {passage.text}".lower())))
        ends[place + 1] = len(found)
        if place % _EVERY == 0:
            tell(span.start + place, 2 * len(store))
    every = np.array(found, dtype=np.int64)
    del found
    docs = np.repeat(np.arange(len(span)), np.diff(ends))
    kept = every >= len(STOP_WORDS)
    every, docs = every[kept] - len(STOP_WORDS), docs[kept]
    lengths = np.bincount(docs, minlength=len(span))
    pairs, times = np.unique(every * len(span) + docs, return_counts=True)
    terms = list(numbers)[len(STOP_WORDS) :]
    counts = np.bincount(pairs // len(span), minlength=len(terms))
    (folder / "terms.array").write_bytes("".join(f"{term}\n" for term in terms).encode("utf-8", "replace"))
    for name, values in (
        ("counts.array", counts),
        ("docs.array", pairs % len(span) + span.start),
        ("times.array", times),
        ("lengths.array", lengths),
    ):
        values.astype(_CHUNK_ARRAYS[name]).tofile(folder / name)


# ---- The merge ---------------------------------------------------------------------------------------------------


def _merge(store: Store, folder: Path, chunks: list[sealed.Sealed], tell: Progress) -> None:
    terms, places = _vocabulary(folder, chunks)
    counts = np.zeros(terms, dtype=np.int64)
    words_in_all = 0
    for held, mine in zip(chunks, places, strict=True):
        counts[mine] += held["counts.array"].whole()
        words_in_all += int(held["lengths.array"].whole().sum(dtype=np.int64))
    average = words_in_all / len(store)
    starts = np.concatenate([[0], np.cumsum(counts)])
    starts.astype("<u8").tofile(folder / "starts.array")
    docs, scores = (_mapped(folder / name, ARRAYS[name], int(starts[-1])) for name in ("docs.array", "scores.array"))
    idf = np.log(1 + (len(store) - counts + 0.5) / (counts + 0.5))
    tops = np.zeros(terms, dtype=np.float32)
    free = starts[:-1].copy()
    for held, mine in zip(chunks, places, strict=True):
        here = held["counts.array"].whole()
        passages, times = held["docs.array"].whole(), held["times.array"].whole()
        lengths = held["lengths.array"].whole()[passages - held.facts["start"]]
        score = (np.repeat(idf[mine], here) * _weight(times, lengths, average)).astype(np.float32)
        ahead = np.cumsum(here) - here
        target = np.repeat(free[mine] - ahead, here) + np.arange(len(passages))
        docs[target], scores[target] = passages, score
        if len(here):
            tops[mine] = np.maximum(tops[mine], np.maximum.reduceat(score, ahead))
        free[mine] += here
        tell(len(store) + held.facts["stop"], 2 * len(store))
    tops.astype("<f4").tofile(folder / "tops.array")
    _rows(folder, len(store), starts, docs, scores)
    for values in (docs, scores):
        if isinstance(values, np.memmap):
            values.flush()
    del docs, scores
    facts = {"passages": store.content, "count": len(store), "k1": K1, "b": B, "words": NAME, "average": average}
    sealed.seal(folder, KIND, facts, ARRAYS)


def _rows(folder: Path, count: int, starts: np.ndarray, docs: np.ndarray, scores: np.ndarray) -> None:
    """Write the rows of the common terms, from which the value for any passage is read without a search."""
    tables: list[np.ndarray] = []
    common: list[int] = []
    with open(folder / "rows.array", "wb") as out:
        for term in (np.diff(starts) >= max(count / COMMON, FEWEST)).nonzero()[0].tolist():
            held = slice(starts[term], starts[term + 1])
            values, which = np.unique(scores[held], return_inverse=True)
            if len(values) <= VALUES:
                row = np.zeros(count, dtype="<u2")
                row[docs[held]] = which + 1
                out.write(row.tobytes())
                common.append(term)
                tables += [np.zeros(1), values]
    sizes = [0, *(1 + len(values) for values in tables[1::2])]
    np.array(common, dtype="<i8").tofile(folder / "common.array")
    np.concatenate([np.zeros(0), *tables]).astype("<f4").tofile(folder / "tables.array")
    np.cumsum(sizes).astype("<u8").tofile(folder / "tabled.array")


def _weight(times: np.ndarray, lengths: np.ndarray, average: float) -> Any:
    """Return what a passage's share of a term's idf is: Lucene's BM25."""
    return times / (times + K1 * (1 - B + B * lengths / average))


def _vocabulary(folder: Path, chunks: list[sealed.Sealed]) -> tuple[int, list[np.ndarray]]:
    """Write the terms of all chunks in order; return how many, and for each chunk the places of its own terms."""
    numbers = _Numbers()
    places = []
    for held in chunks:
        mine = held["terms.array"].whole().tobytes().decode().split("\n")[:-1]
        places.append(np.fromiter(map(numbers.__getitem__, mine), dtype=np.int64, count=len(mine)))
    terms = list(numbers)
    hashes = np.fromiter(map(term_hash, terms), dtype=np.uint64, count=len(terms))
    order = sorted(range(len(terms)), key=lambda place: (hashes[place], terms[place])) if _twins(hashes) else None
    ranked = np.argsort(hashes) if order is None else np.array(order)
    encoded = [terms[place].encode("utf-8", "replace") for place in ranked.tolist()]
    (folder / "terms.array").write_bytes(b"".join(encoded))
    ends = np.cumsum([0, *map(len, encoded)])
    ends.astype("<u8").tofile(folder / "ends.array")
    hashes[ranked].astype("<u8").tofile(folder / "hashes.array")
    rank = np.empty(len(terms), dtype=np.int64)
    rank[ranked] = np.arange(len(terms))
    return len(terms), [rank[mine] for mine in places]


def _twins(hashes: np.ndarray) -> bool:
    """Return whether two terms share a hash; then the terms decide their order."""
    ordered = np.sort(hashes)
    return bool((ordered[1:] == ordered[:-1]).any())


def _mapped(path: Path, dtype: str, size: int) -> np.ndarray:
    """Return a new array of zeros in a file."""
    if not size:  # which cannot be mapped
        path.write_bytes(b"")
        return np.zeros(0, dtype=dtype)
    return np.memmap(path, dtype=dtype, mode="w+", shape=(size,))
