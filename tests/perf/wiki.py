"""Rows of wiki_search: a query beside bm25s on the same passages, growth where no posting grows, and building.

The words are drawn so that passages and queries are to each other as those of HotpotQA are: a query of ten words, whose
postings are four tenths of the passages together and the longest one a sixth of them.
"""

import atexit
import shutil
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from agentgym.envs.wiki_search import bm25
from agentgym.envs.wiki_search.library import Local
from agentgym.envs.wiki_search.passages import Passage, Store, build_store
from agentgym.envs.wiki_search.remote import RemoteLibrary
from agentgym.envs.wiki_search.serving import running
from agentgym.envs.wiki_search.tokens import tokens
from tests.corpora import Words
from tests.perf.measure import CALIBRATION, Clock, Line, Setting, Work, calibration, cost, line

TARGETS = {10_000: 100e-6, 100_000: 500e-6, 1_000_000: 5e-3}
"""Passages → seconds that a query may take on the machine of reference."""
SHIFT = 14.0
QUERIES = 200
LENGTH = 10
MARK = Passage("Zweibrücken", "Rosengarten und Wildrosengarten am Schwarzbach")
"""Of words that no other passage has."""


@lru_cache(maxsize=4)
def corpus(count: int) -> Store:
    """Return so many passages in a folder that goes with the process."""
    place = Path(tempfile.mkdtemp(prefix="agentgym-perf-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    words = Words(200_000, SHIFT)
    return build_store([MARK, *words.passages(count - 1)], place / "passages")


@lru_cache(maxsize=4)
def index(count: int) -> bm25.Index:
    store = corpus(count)
    folder = store.folder.parent / "bm25"
    if not folder.exists():
        bm25.build(store, folder)
    return bm25.open_index(folder, store)


def queries() -> list[str]:
    words = Words(200_000, SHIFT, seed=1)
    return [words.text(LENGTH) for _ in range(QUERIES)]


def ours(count: int) -> Work:
    held, asked = index(count), queries()
    return Work(lambda _: [held.search(query, 10) for query in asked], len(asked))


def theirs(count: int) -> Work:
    """Return the same queries by bm25s, which keeps its scores as we do and ranks all passages."""
    import bm25s

    documents = [f"{passage.title} {passage.text}" for passage in corpus(count)]
    peer = bm25s.BM25()
    peer.index(bm25s.tokenize(documents, show_progress=False), show_progress=False)

    def ask(query: str) -> Any:
        return peer.retrieve(bm25s.tokenize([query], return_ids=False, show_progress=False), k=10, show_progress=False)

    asked = queries()
    return Work(lambda _: [ask(query) for query in asked], len(asked))


def searching(clock: Clock, setting: Setting) -> Iterator[Line]:
    """Yield the query's cost at each size, beside bm25s where it is installed."""
    for count in (setting.passages // 10, setting.passages):
        works = {"ours": ours(count), CALIBRATION: calibration()}
        if find_spec("bm25s"):
            works["bm25s"] = theirs(count)
        found = clock.alternate(setting, works)
        row = f"wiki_search: query of {LENGTH} words, {count:,} passages"
        yield cost(row, "query", found["ours"], found[CALIBRATION], TARGETS.get(count))
        if "bm25s" in found:
            bound = 4.0 if count >= 100_000 else None
            yield line(f"{row}, beside bm25s", "query", found["ours"], "bm25s", found["bm25s"], "≥", bound)


def serving(clock: Clock, setting: Setting) -> Iterator[Line]:
    """Yield a query through a server beside one that needs none; its both sides run in this process and are counted."""
    count = setting.passages // 10
    held, asked = Local(corpus(count), index(count)), queries()
    here = Work(lambda _: [Local(held.store, held.searcher).search(query, 10) for query in asked], len(asked))
    for clients in (1, 8, 64):
        with running(held) as url, ThreadPoolExecutor(clients) as pool:
            ask = partial(RemoteLibrary(url).search, k=10)
            served = Work(lambda _, ask=ask, pool=pool: list(pool.map(ask, asked)), len(asked))
            found = clock.alternate(setting, {"served": served, "here": here})
        row = f"wiki_search: query through a server, of {clients} client{'s' * (clients > 1)}"
        yield line(row, "query", found["served"], "in process", found["here"], "≤")


def growing(clock: Clock, setting: Setting) -> Iterator[Line]:
    """Yield a query whose postings do not grow, among ten times the passages."""

    def search(count: int) -> Callable[[None], object]:
        held = index(count)
        return lambda _: held.search("Wildrosengarten Schwarzbach", 10)

    works = {"large": Work(search(setting.passages)), "small": Work(search(setting.passages // 10))}
    found = clock.alternate(setting, works)
    row = "wiki_search: query whose postings do not grow, 10 × passages"
    yield line(row, "query", found["large"], "a tenth", found["small"], "≤", 2.0)


def building(clock: Clock, setting: Setting) -> Iterator[Line]:
    """Yield what a passage costs in the index, beside counting its words and no more."""
    store = corpus(setting.passages // 10)
    folder = store.folder.parent / "again"

    def build(_: None) -> None:
        bm25.build(store, folder)

    def count(_: None) -> None:
        for passage in store:
            tokens(f"{passage.title} {passage.text}")

    found = clock.alternate(setting, {"ours": Work(build, len(store)), "words": Work(count, len(store))})
    yield line("wiki_search: index, a passage of 60 words", "passage", found["ours"], "its words", found["words"], "≤")
