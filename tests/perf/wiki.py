"""Rows of wiki_search: a query beside bm25s on the same passages, growth where no posting grows, and building.

The words are drawn so that passages and queries are to each other as those of HotpotQA are: a query of ten words, whose
postings are four tenths of the passages together and the longest one a sixth of them.
"""

import atexit
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from agentgym.envs.wiki_search import bm25
from agentgym.envs.wiki_search.corpus import Corpus
from agentgym.envs.wiki_search.env import WikiSearchEnv
from agentgym.envs.wiki_search.library import Local
from agentgym.envs.wiki_search.passages import Passage, Store, build_store
from agentgym.envs.wiki_search.ranking import Ranking, Searcher
from agentgym.envs.wiki_search.remote import RemoteLibrary
from agentgym.envs.wiki_search.serving import running
from agentgym.envs.wiki_search.tokens import tokens
from agentgym.task import Task
from tests.corpora import Words
from tests.layering import ROOT
from tests.perf.measure import CALIBRATION, Clock, Line, Setting, Work, calibration, cost, line

TARGETS = {10_000: 100e-6, 100_000: 500e-6, 1_000_000: 5e-3}
"""Passages → seconds that a query may take on the machine of reference."""
SHIFT = 14.0
QUERIES = 200
LENGTH = 10
OPENED = 20.0
"""Megabytes of an index that opening it may read: the checksums, and what the system reads ahead."""
MEMORY = 8_000.0
"""Megabytes that a process which searches a million passages may hold."""
HELD = """
import sys, time
from agentgym.envs.wiki_search import bm25
from tests.perf import wiki

def held(what):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) / 1000 for line in file if line.startswith(what))

before, clock = held("RssFile"), time.process_time()
index = bm25.open_index(sys.argv[1])
opened, mapped = time.process_time() - clock, held("RssFile") - before
for query in wiki.queries():
    index.search(query, 10)
print(opened, mapped, held("VmRSS"))
"""
"""Prints the CPU seconds that opening an index takes, megabytes of it read by then, and those held after queries."""
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
        yield from querying(clock, setting, count)


def querying(clock: Clock, setting: Setting, count: int) -> Iterator[Line]:
    """Yield the cost of a query among so many passages, beside bm25s where it is installed."""
    works = {"ours": ours(count), CALIBRATION: calibration()}
    if find_spec("bm25s"):
        works["bm25s"] = theirs(count)
    found = clock.alternate(setting, works)
    row = f"wiki_search: query of {LENGTH} words, {count:,} passages"
    yield cost(row, "query", found["ours"], found[CALIBRATION], TARGETS.get(count))
    if "bm25s" in found:
        bound = 4.0 if count >= 100_000 else None
        yield line(f"{row}, beside bm25s", "query", found["ours"], "bm25s", found["bm25s"], "≥", bound)


def memory(folder: Path) -> tuple[float, float, float]:
    """Return seconds to open an index, MB of files it has read then, and MB that a process holds after all queries."""
    command = [sys.executable, "-c", HELD, str(folder)]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    seconds, mapped, held = map(float, done.stdout.split())
    return seconds, mapped, held


def million(clock: Clock, setting: Setting) -> Iterator[Line]:
    """Yield what opening and memory come to at a million passages (`--million N`: at N), and the lines of `search`."""
    count = setting.million
    row = f"wiki_search: {count:,} passages"
    seconds, mapped, held = memory(index(count).folder)
    loop = clock.alternate(setting, {CALIBRATION: calibration()})[CALIBRATION]
    yield cost(f"{row}, opening", "open", [seconds] * len(loop), loop, 0.1)
    yield Line(f"{row}, read by opening", "MB", mapped, "", 0.0, "≤", mapped, OPENED)
    yield Line(f"{row}, held after {QUERIES} queries", "MB", held, "", 0.0, "≤", held, MEMORY)
    yield from querying(clock, setting, count)


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


class Looked:
    """A searcher that has all its answers."""

    content = "looked up"

    def __init__(self, index: bm25.Index, asked: list[str], k: int) -> None:
        self._found = {query: index.search(query, k) for query in asked}

    def search(self, query: str, k: int = 10) -> Ranking:
        return self._found[query]


def stepping(clock: Clock, setting: Setting) -> Iterator[Line]:
    """Yield the steps of the world: what is its own, with searches looked up, and with searches; a reset every ten."""
    count = setting.passages // 10
    held, asked = Corpus(corpus(count), index(count)), queries()
    gold = [{"title": passage.title} for passage in (held.store[0], held.store[1])]
    tasks = [Task("perf", {"question": asked[0], "answers": ["nobody knows"], "gold": gold})]

    def steps(searcher: Searcher) -> Work:
        env = WikiSearchEnv(tasks=tasks, corpus=held, retriever=searcher)
        calls = [f"<search>{query}</search>" for query in asked]

        def play(_: None) -> None:
            for number, call in enumerate(calls):
                if number % 10 == 0:
                    env.reset(seed=0)
                env.step(call)

        return Work(play, len(calls))

    works = {"own": steps(Looked(held.index, asked, 3)), "all": steps(held.index), CALIBRATION: calibration()}
    found = clock.alternate(setting, works)
    row = f"wiki_search: step that searches, {count:,} passages"
    yield cost(f"{row}, but for the search", "step", found["own"], found[CALIBRATION], 100e-6)
    yield cost(row, "step", found["all"], found[CALIBRATION])


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
