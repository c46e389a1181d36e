"""`agentgym data add | list | remove | index | serve`: what they say."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from importlib import import_module
from pathlib import Path

from agentgym import data
from agentgym.data import Progress
from agentgym.errors import DataError, unknown

SHOWN = 20
"""Problems that are printed; all of them stand in the file beside the index."""

Say = Callable[[str], None]
Bar = AbstractContextManager[Progress]


def add(kind: str, folder: str, name: str, say: Say, progress: data.Progress) -> None:
    """Add a set, and say how many items play, what is wrong with the others, and how to play.

    Raises:
        ValueError, DataError, OSError: as `data.add`.
    """
    source = data.add(kind, folder, name, progress)
    for problem in source.problems[:SHOWN]:
        say(str(problem))
    more = len(source.problems) - SHOWN
    if more > 0:
        say(f"… and {more} more, all in {data.problems_file(source.name)}")
    say(f"{source.name}: {_sizes(source)}, {_problems(source)}; kept in {data.index_file(source.name)}")
    say(f"{'play it: ' if data.SETS[source.kind].world else ''}{_use(source)}")


def show(say: Say) -> int:
    """Say which sets were added; return 1 if one of them is damaged."""
    names, broken = data.names(), 0
    for name in names:
        try:
            source = data.get(name)
        except DataError as error:
            say(f"{name}: {error}")
            broken = 1
        else:
            say(f"{name}: {_sizes(source)}, {_problems(source)}; {source.kind} from {source.folder}\n  {_use(source)}")
    if not names:
        say(f"nothing was added; agentgym data add KIND --from DIR adds one of {', '.join(sorted(data.SETS))}")
    return broken


def remove(name: str, say: Say) -> None:
    """Forget a set. Raises DataError: there is none of this name."""
    data.remove(name)
    say(f"{name} is forgotten; its own files stay where they are")


def index(name: str, file: str, out: str, model: str, say: Say, progress: Callable[[str], Bar]) -> None:
    """Write the passages of a set, or of a file, and their indexes into a folder; what is there already is kept.

    Args:
        name: of a set that was added, or "".
        file: its path, or "".
        out: the folder.
        model: folder of the embedder that makes a dense index too, or "".
        say: told what came of it.
        progress: begins to show the progress of something, such as "passage".

    Raises:
        ValueError: neither a name nor a file is given, or both. DataError, OSError, ImportError: as the functions of
            wiki_search's module `corpus`.
    """
    if bool(name) == bool(file):
        raise ValueError(f"give the name of a set or --from FILE, not {'both' if name else 'neither'}")
    corpus = import_module("agentgym.envs.wiki_search.corpus")
    embedder = import_module("agentgym.envs.wiki_search.embed").open_embedder(model, "") if model else None
    bad = 0

    def wrong(problem: str) -> None:
        nonlocal bad
        bad += 1
        if bad <= SHOWN:
            say(problem)

    source = corpus.set_source(name) if name else corpus.file_source(file, wrong)
    with progress("passage") as tell:
        store = corpus.keep_store(source, out, tell)
    if bad > SHOWN:
        say(f"… and {bad - SHOWN} more lines")
    others = bad - store.empty if bad else 0  # 0 where the file was read before
    left = f"left out: {store.repeated} repeated, {store.empty} empty" + (f", {others} bad lines" if others else "")
    with progress("step") as tell:
        found = corpus.keep_index(store, out, tell)
    say(f"{out}: {len(store)} passages ({left}), content {store.content}, index {found.content}")
    if embedder:
        with progress("vector") as tell:
            found = corpus.keep_dense(store, out, embedder, tell)
        say(f"{out}: vectors of {embedder.name}, {found.dimension} numbers each, index {found.content}")


def serve(folder: str, retriever: str, encoder: str, host: str, port: int, workers: int, say: Say) -> None:
    """Answer Search-R1's /retrieve from a corpus until SIGTERM or SIGINT.

    Args:
        folder: the corpus.
        retriever: "bm25", "dense" or "hybrid".
        encoder: MODULE:NAME of a function that makes what turns queries into vectors, or the folder of a model of
            sentence-transformers, or "".
        host: what to listen on.
        port: of it; 0 for any that is free.
        workers: how many processes answer.
        say: told the address, and what goes wrong.

    Raises:
        ValueError, DataError, ImportError: as `library.open_library` and `serving.serve`; there is no such encoder.
    """
    library = import_module("agentgym.envs.wiki_search.library")
    serving = import_module("agentgym.envs.wiki_search.serving")
    made = encoder if encoder and Path(encoder).is_dir() else None
    if encoder and not made:
        module, colon, name = encoder.partition(":")
        if not (module and colon and name):
            raise ValueError(f"--encoder takes MODULE:NAME, or the folder of a model, not {encoder!r}")
        found = import_module(module)
        if not callable(getattr(found, name, None)):
            functions = [key for key, value in vars(found).items() if callable(value)]
            raise ValueError(unknown("encoder", name, functions, f"in {module}"))
        made = getattr(found, name)()
    serving.serve(library.open_library(folder, retriever, made), retriever, host, port, workers, say)


def _sizes(source: data.Source) -> str:
    sizes = {split: len(source.panel[split]) for split in source.panel}
    each = ", ".join(f"{size} {split}" for split, size in sizes.items())
    return f"{sum(sizes.values())} of {source.items} items play ({each})"


def _problems(source: data.Source) -> str:
    count = len(source.problems)
    return "1 problem" if count == 1 else f"{count or 'no'} problems"


def _use(source: data.Source) -> str:
    world = data.SETS[source.kind].world
    return f'gymnasium.make("agentgym:{world}", data="{source.name}")' if world else "no world of agentgym plays it yet"
