"""What a world searches: passages and a ranking of them, behind one small protocol.

`Local` is a store on this machine with any searcher; its keys are the ids of its passages. Whatever else finds passages
for a query, such as a server, can stand in its place.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol
from weakref import WeakValueDictionary

from agentgym.digest import state_hash
from agentgym.envs.wiki_search.corpus import DENSE, Corpus, open_corpus
from agentgym.envs.wiki_search.passages import Passage, Store
from agentgym.envs.wiki_search.ranking import Searcher
from agentgym.errors import AgentGymError, unknown

RETRIEVERS: Final = ("bm25", "dense", "hybrid")
REMEMBERED: Final = 1 << 16
_LOG: Final = logging.getLogger(__name__)


class Hit(NamedTuple):
    """A passage that was found. `key` tells it from all others of its library; 0 ≤ key < 2⁶³."""

    key: int
    score: float
    passage: Passage


class RetrieverError(AgentGymError):
    """A library cannot answer now, which is no fault of the agent's; the message says what failed."""


class Library(Protocol):
    """What can be searched. All methods may raise RetrieverError, or DataError where passages are damaged.

    Attributes:
        lasting: whether `passage` knows every key from the start, in every process. Else only those that were found or
            kept here, and snapshots carry the passages.
    """

    lasting: bool

    @property
    def content(self) -> str:
        """Hash of passages and ranking; equal libraries give equal results."""
        ...

    @property
    def size(self) -> int:
        """How many passages there are; 0 where that is unknown."""
        ...

    def search(self, query: str, k: int) -> list[Hit]:
        """Return the best k passages for a query, best first; fewer, or none, where no more fit."""
        ...

    def titled(self, title: str) -> list[Hit]:
        """Return the passages with this title, in order; where there are none, those that differ in case alone."""
        ...

    def passage(self, key: int) -> Passage:
        """Return the passage of a key that this library gave. Raises KeyError: it is not known here."""
        ...

    def keep(self, passages: Iterable[Passage]) -> None:
        """Make these passages known, as if they had been found; where all are known anyway, nothing happens."""
        ...


class Local:
    """Passages on this machine under a ranking; keys are their ids.

    Args:
        store: the passages.
        searcher: ranks them, such as a BM25 index of this store. Its `content`, a text, tells it from others; without
            one the name of its class does.
    """

    lasting = True

    def __init__(self, store: Store, searcher: Searcher) -> None:
        self.store, self.searcher = store, searcher
        self.size = len(store)
        self.content = state_hash((store.content, _identity(searcher)))
        self._known: dict[int, Passage] = {}

    def search(self, query: str, k: int) -> list[Hit]:
        """Return the best k passages for a query, best first."""
        return [Hit(key, score, self.passage(key)) for key, score in self.searcher.search(query, k)]

    def titled(self, title: str) -> list[Hit]:
        """Return the passages with this title, in order; where there are none, those that differ in case alone."""
        return [Hit(key, 0.0, self.passage(key)) for key in self.store.titled(title)]

    def passage(self, key: int) -> Passage:
        """Return a passage. Raises KeyError: there is none of this key."""
        found = self._known.get(key)
        if found is None:
            if not 0 <= key < self.size:
                raise KeyError(f"no passage {key}: there are {self.size}, from 0 on")
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            found = self._known[key] = self.store[key]
        return found

    def keep(self, passages: Iterable[Passage]) -> None:
        """Do nothing: all passages are known."""

    def __deepcopy__(self, memo: object) -> Local:
        return self  # nothing in it changes

    def __repr__(self) -> str:
        return f"Local({self.store!r}, {self.searcher!r})"


_KNOWN: Final[WeakValueDictionary[str, Library]] = WeakValueDictionary()


def make_known(library: Library) -> str:
    """Make a library findable in this process while somebody holds it; return its content, by which states name it."""
    _KNOWN[library.content] = library
    return library.content


def known(content: str) -> Library:
    """Return the library with this content. Raises KeyError: nobody in this process holds one."""
    found = _KNOWN.get(content)
    if found is None:
        raise KeyError(f"no library of the content {content} is open in this process: keep the world that opened it")
    return found


def _identity(searcher: Any) -> Any:
    """Return what tells a searcher from others."""
    content = getattr(searcher, "content", None)
    if isinstance(content, str):
        return content
    parts = [_identity(part) for part in getattr(searcher, "searchers", ())]
    return [type(searcher).__qualname__, getattr(searcher, "depth", 0), parts]


def _is_named(searcher: Any) -> bool:
    """Return whether a searcher, or each that it is made of, says what tells it from others of its class."""
    parts = getattr(searcher, "searchers", ())
    return isinstance(getattr(searcher, "content", None), str) or (bool(parts) and all(map(_is_named, parts)))


_OPEN: dict[tuple[str, str], Local] = {}


def open_library(
    corpus: str | os.PathLike[str] | Corpus, retriever: str | Searcher = "bm25", encoder: Any = None
) -> Local:
    """Return a corpus as a library; one object a process, corpus and name of a retriever.

    Args:
        corpus: the folder that `agentgym data index` wrote, or one that is open.
        retriever: "bm25", "dense" (the index in the corpus' folder `dense`), "hybrid" (both), or any searcher of these
            passages.
        encoder: turns queries into vectors (`dense.Embedder`), or the folder of a model of sentence-transformers; dense
            and hybrid need it.

    Raises:
        TypeError: no folder, no retriever, no encoder.
        ValueError: an unknown retriever, a dense one without an encoder, an encoder that nothing would use.
        DataError: the corpus, or its dense index, is missing, half-written or damaged.
        ImportError: dense retrieval without faiss.
    """
    if not isinstance(corpus, Corpus | str | os.PathLike) or corpus == "":
        raise TypeError(f"corpus must be the folder that agentgym data index wrote, not {corpus!r:.60}")
    if not isinstance(retriever, str) and not callable(getattr(retriever, "search", None)):
        raise TypeError(f"retriever must be one of {', '.join(RETRIEVERS)}, a URL or a searcher, not {retriever!r:.60}")
    if not isinstance(encoder, str | os.PathLike | None) and not callable(getattr(encoder, "encode", None)):
        raise TypeError(f"encoder must be a model's folder or have a method encode(texts), not {encoder!r:.60}")
    held = corpus if isinstance(corpus, Corpus) else open_corpus(corpus)
    if not isinstance(retriever, str):
        made = Local(held.store, retriever)
        same = _KNOWN.get(made.content)  # worlds that were given one searcher share what it has shown
        if isinstance(same, Local) and same.store is made.store:
            if same.searcher is retriever:
                return same
            if not _is_named(retriever):
                _LOG.warning(
                    "two searchers of the class %s are in use over %s and taken for one, the later: give each a "
                    "`content`, a text that tells it from the other",
                    type(retriever).__qualname__,
                    held.store.folder,
                )
        return made
    if retriever not in RETRIEVERS:
        raise ValueError(unknown("retriever", retriever, RETRIEVERS))
    if (encoder is None) is not (retriever == "bm25"):
        needs = "needs an encoder of queries: give encoder=, to agentgym data serve --encoder"
        raise ValueError(f"the retriever {retriever!r} {needs if encoder is None else 'uses no encoder: leave it out'}")
    if encoder is not None:
        return Local(held.store, _dense(held, retriever, encoder))
    key = str(held.store.folder), retriever
    found = _OPEN.get(key)
    if found is None or found.store is not held.store or found.searcher is not held.index:
        found = _OPEN[key] = Local(held.store, held.index)
    return found


def _dense(held: Corpus, retriever: str, encoder: Any) -> Searcher:
    from agentgym.envs.wiki_search.dense import open_dense  # the extra `search` may not be installed
    from agentgym.envs.wiki_search.embed import open_embedder
    from agentgym.envs.wiki_search.hybrid import Hybrid

    folder = Path(held.store.folder).parent / DENSE
    made_by = open_dense(folder, held.store).embedder
    if isinstance(encoder, str | os.PathLike):
        encoder = open_embedder(encoder)
        made_by = encoder.name  # where the index is of another, that is said
    index = open_dense(folder, held.store, encoder, made_by)
    return index if retriever == "dense" else Hybrid([held.index, index])
