"""A corpus: a folder with passages and their indexes, made from a data set or a file by `agentgym data index`."""

from __future__ import annotations

import atexit
import logging
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Final

from agentgym.data import Source, cache_folder, file_hash
from agentgym.envs.wiki_search import bm25, dense, sealed
from agentgym.envs.wiki_search.embed import TextEmbedder
from agentgym.envs.wiki_search.passages import Passage, Store, build_store, open_store
from agentgym.envs.wiki_search.sources import load_source, passages
from agentgym.envs.wiki_search.sources.parts import Empty, Unplayable
from agentgym.envs.wiki_search.sources.reading import Reading
from agentgym.envs.wiki_search.sources.wiki18 import line_passages
from agentgym.errors import DataError

PASSAGES: Final = "passages"
BM25: Final = "bm25"
DENSE: Final = "dense"
_AT_ONCE: Final = 256
"""Texts that an embedder may put in batches of its own, by length."""
_LOG: Final = logging.getLogger(__name__)
_WAIT: Final = 0.1
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Corpus:
    """Passages and their index, open; one pair a process and folder."""

    store: Store
    index: bm25.Index


@dataclass(frozen=True, slots=True)
class Passages:
    """Where passages are from: a hash of all that they depend on, and a function that reads them."""

    content: str
    read: Callable[[], Iterator[Passage]]


def open_corpus(folder: str | os.PathLike[str]) -> Corpus:
    """Open the corpus of a folder.

    Raises:
        DataError: it is missing, half-written or damaged, or the index is not that of the passages.
    """
    store = open_store(Path(folder) / PASSAGES)
    return Corpus(store, bm25.open_index(Path(folder) / BM25, store))


def set_source(name: str) -> Passages:
    """Return the passages of a set that was added.

    Raises:
        ValueError: a set of another world.
        DataError: there is no such set, or it brings no passages.
    """
    return source_passages(load_source(name))


def source_passages(source: Source) -> Passages:
    """Return the passages of a set. Raises DataError: it brings none."""
    if not source.files:
        named = f"data set {source.name!r}" if source.name else f"the {source.kind} in {source.folder}"
        raise DataError(f"{named} brings no passages: take those of another set, or a file of passages")
    digest = blake2b(digest_size=16)
    for path, content in sorted(source.files.items()):
        digest.update(f"{path}\0{content}\0".encode("utf-8", "surrogateescape"))
    return Passages(digest.hexdigest(), lambda: passages(source))


def file_source(path: str | os.PathLike[str], wrong: Callable[[str], None] = lambda text: None) -> Passages:
    """Return the passages of a file of JSON lines, with a name that ends in .gz a compressed one.

    Args:
        path: a line holds title and text, or contents as Search-R1 has them: the title in quotes, a line break, the
            text. BEIR's corpus.jsonl is such a file too.
        wrong: told about each line that is left out: what is wrong with it, and what to do. A passage without text is
            read as an empty one besides, so that the store counts it.

    Raises:
        DataError: there is no such file; when it is read, that it cannot be read to its end.
    """
    file = Path(path)
    try:
        content = file_hash(file)
    except OSError as error:
        raise DataError(f"{file} cannot be read ({(error.strerror or str(error)).lower()}): give a file") from error

    def read() -> Iterator[Passage]:
        reading = Reading(file.parent)
        for place, value in reading.lines(file.name):
            for found in [value] if isinstance(value, Unplayable) else line_passages(value):
                if isinstance(found, Unplayable):
                    wrong(f"{file}, {place}: {found.wrong}; {found.remedy}")
                if not isinstance(found, Unplayable):
                    yield found
                elif isinstance(found, Empty):
                    yield Passage("", "")  # to be counted
        for problem in reading.problems:
            raise DataError(f"{file.parent / str(problem)}")

    return Passages(content, read)


def keep_store(source: Passages, folder: str | os.PathLike[str], progress: Progress | None = None) -> Store:
    """Write passages into a corpus, unless those of the same source are there; return them.

    Raises:
        DataError, OSError: as `build_store`; what reading the source raises.
    """
    place = Path(folder) / PASSAGES
    with suppress(DataError):
        held = Store(place)  # not the one that is open already, which may have been read before it was damaged
        if held.source == source.content:
            held.verify()
            return open_store(place)
    return build_store(source.read(), place, progress, source.content)


def keep_index(store: Store, folder: str | os.PathLike[str], progress: Progress | None = None) -> bm25.Index:
    """Write the BM25 index of a corpus, unless it is there, and return it; goes on where it was stopped.

    Raises:
        DataError, OSError: as `bm25.build`.
    """
    place = Path(folder) / BM25
    with suppress(DataError):
        bm25.Index(place).verify()
        return bm25.open_index(place, store)
    bm25.build(store, place, progress)
    return bm25.open_index(place, store)


# ---- In the cache folder -----------------------------------------------------------------------------------------

_TEMPORARY: dict[str, Path] = {}


def kept_corpus(source: Passages, name: str) -> Path:
    """Return the folder of the corpus of these passages in the user's cache folder, made when it is first needed.

    One process makes it and others wait. Where the cache folder cannot be written, it is a temporary one, which goes
    with this process. What is made is logged.

    Args:
        source: the passages.
        name: what they are called, a file name such as "hotpotqa".

    Raises:
        DataError: there are no passages, or the temporary folder cannot be written either. What reading them raises.
    """
    place = cache_folder() / "wiki_search" / f"{name}-{source.content}"
    if (held := _TEMPORARY.get(source.content)) is not None:
        place = held
    waited = False
    while True:
        with suppress(DataError):
            if open_corpus(place).store.source == source.content:
                return place
        try:
            _make(source, name, place)
            return place
        except sealed.Busy:
            if not waited:
                _LOG.info("waiting for another process, which makes the corpus of %s in %s", name, place)
            waited = True
            time.sleep(_WAIT)
        except sealed.Unwritable as error:
            if place == _TEMPORARY.get(source.content):
                raise
            place = _TEMPORARY[source.content] = _temporary()
            _LOG.warning("%s; the corpus of %s is made in %s and goes with this process", error, name, place)


def _make(source: Passages, name: str, place: Path) -> None:
    with sealed.builder(place):
        _LOG.info("making the corpus of %s in %s, once", name, place)
        try:
            keep_index(keep_store(source, place), place)
        except OSError as error:  # such as a full disk
            reason = (error.strerror or str(error)).lower()
            remedy = "make room, or choose another folder by AGENTGYM_CACHE"
            raise sealed.Unwritable(f"{place} cannot be written ({reason}): {remedy}") from error
        _LOG.info("the corpus of %s is made", name)


def _temporary() -> Path:
    place, process = Path(tempfile.mkdtemp(prefix="agentgym-corpus-")), os.getpid()

    def remove() -> None:
        if os.getpid() == process:  # not in a child that was forked
            shutil.rmtree(place, ignore_errors=True)

    atexit.register(remove)
    return place


def keep_dense(
    store: Store, folder: str | os.PathLike[str], embedder: TextEmbedder, progress: Progress | None = None
) -> dense.DenseIndex:
    """Write the dense index of a corpus, unless it is there, and return it; goes on where it was stopped.

    Raises:
        DataError, OSError, ImportError: as `dense.build`.
    """
    place = Path(folder) / DENSE
    with suppress(DataError):
        held = dense.open_dense(place, store, embedder, embedder.name)
        held.verify()
        return held
    dense.build(store, place, embedder, embedder.name, batch=_AT_ONCE, progress=progress)
    return dense.open_dense(place, store, embedder, embedder.name)
