"""The store of public data: sets that a user has added from a folder of their own, checked once, found again by name.

A set's own module reads and checks its folder (`SETS` names it; it is imported when needed). What it found, the tasks
that play and a hash of every file that they need, is written as one JSON file into the user's cache folder; the data
itself stays where it is.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from agentgym.errors import DataError, unknown
from agentgym.task import Task, TaskPanel

FORMAT: Final = 1
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class DataSet:
    """A public set: `loader`, "module:function" of a `Loader`, and `world`, the id that plays it with `data=NAME`.

    `world` is "" while no world plays it yet: the set is checked and kept, and its loader's package reads it.
    """

    loader: str
    world: str


_CUSTOMERS: Final = "agentgym.envs.customer_service.sources"
_QUESTIONS: Final = "agentgym.envs.emotional_support.questions.sets"
_SALES: Final = "agentgym.envs.sales.sources"
_SQL: Final = "agentgym.envs.text_to_sql.sources"
_WIKI: Final = "agentgym.envs.wiki_search.sources"
SETS: Final[Mapping[str, DataSet]] = {
    "2wiki": DataSet(f"{_WIKI}.two_wiki:load", "agentgym/WikiSearch-v0"),
    "beir": DataSet(f"{_WIKI}.beir:load", "agentgym/WikiSearch-v0"),
    "bird": DataSet(f"{_SQL}.bird:load", "agentgym/TextToSQL-v0"),
    "craigslist": DataSet(f"{_SALES}.craigslist:load", "agentgym/Sales-v0"),
    "defog": DataSet(f"{_SQL}.defog:load", "agentgym/TextToSQL-v0"),
    "emobench": DataSet(f"{_QUESTIONS}:load_emo", "agentgym/EmotionQuestions-v0"),
    "eq-bench": DataSet(f"{_QUESTIONS}:load_eq", "agentgym/EmotionQuestions-v0"),
    "hotpotqa": DataSet(f"{_WIKI}.hotpotqa:load", "agentgym/WikiSearch-v0"),
    "kilt": DataSet(f"{_WIKI}.kilt:load", "agentgym/WikiSearch-v0"),
    "musique": DataSet(f"{_WIKI}.musique:load", "agentgym/WikiSearch-v0"),
    "nq": DataSet(f"{_WIKI}.open_questions:load_nq", "agentgym/WikiSearch-v0"),
    "persuasionforgood": DataSet(f"{_SALES}.persuasion:load", ""),
    "sage": DataSet("agentgym.envs.emotional_support.sage:load", "agentgym/EmotionalSupport-v0"),
    "spider": DataSet(f"{_SQL}.spider:load", "agentgym/TextToSQL-v0"),
    "tau-bench": DataSet(f"{_CUSTOMERS}.tau_bench:load", "agentgym/CustomerService-v0"),
    "tau2": DataSet(f"{_CUSTOMERS}.tau2:load", "agentgym/CustomerService-v0"),
    "triviaqa": DataSet(f"{_WIKI}.open_questions:load_triviaqa", "agentgym/WikiSearch-v0"),
    "wiki-18": DataSet(f"{_WIKI}.wiki18:load", "agentgym/WikiSearch-v0"),
}


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with one item of a data set.

    Attributes:
        file: where it lies, below the folder of the set.
        item: the item there, such as "question 12".
        wrong: what is wrong with it.
        remedy: what to do about it.
        plays: whether the item plays all the same.
    """

    file: str
    item: str
    wrong: str
    remedy: str
    plays: bool = False

    def __str__(self) -> str:
        where = f"{self.file}, {self.item}" if self.item else self.file
        return " ".join(f"{where}: {self.wrong}; {self.remedy}".split()) + (" (it plays)" if self.plays else "")


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a loader found in a folder.

    Attributes:
        splits: split → its tasks, those that play; their data holds what JSON keeps (no tuples, text keys).
        files: the files that the tasks need, as paths below the folder → `file_hash`.
        problems: what is wrong, item by item.
        items: how many items the folder's files hold, those that do not play too.
    """

    splits: Mapping[str, tuple[Task, ...]]
    files: Mapping[str, str]
    problems: tuple[Problem, ...]
    items: int


Loader = Callable[[Path, Progress], Loaded]
"""Reads a folder, telling how many items of how many are done. Bad items become problems; DataError: none is there."""


@dataclass(frozen=True, slots=True)
class Source:
    """A public data set that is ready to be played.

    Attributes:
        name: what it was added as; "" for a folder that was not added.
        kind: its key in SETS; also the panel's name, so that equal tasks have equal hashes wherever they lie.
        folder: where its files are, absolute.
        panel: the tasks that play.
        files, problems, items: as in `Loaded`.
    """

    name: str
    kind: str
    folder: Path
    panel: TaskPanel
    files: Mapping[str, str]
    problems: tuple[Problem, ...]
    items: int

    def file(self, path: str, item: str = "") -> Path:
        """Return the full path of one of `files`, as it was when the set was checked.

        Args:
            path: below the folder.
            item: what needs it, such as a task's id, for the message.

        Raises:
            DataError: it is missing, or no longer what it was.
        """
        place, needed = self.folder / path, f", needed by {item}," if item else ""
        again = f"agentgym data add {self.kind} --from {self.folder}" + (f" --name {self.name}" if self.name else "")
        if path not in self.files:
            raise DataError(f"{place}{needed} is no file of {self.name or self.folder}: run {again}")
        try:
            found = file_hash(place)
        except OSError as error:
            why = (error.strerror or type(error).__name__).lower()
            raise DataError(f"{place}{needed} cannot be read ({why}): put it back, or run {again}") from error
        if found != self.files[path]:
            raise DataError(f"{place}{needed} has changed since it was checked: put the old one back, or run {again}")
        return place


def file_hash(path: str | os.PathLike[str]) -> str:
    """Return the 128-bit BLAKE2b of a file's bytes, 32 hex digits; remembered while size and time stay.

    Raises:
        OSError: it cannot be read.
    """
    state = os.stat(path)
    return _hash(os.fspath(path), state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=4096)
def _hash(path: str, size: int, changed: int) -> str:
    digest = blake2b(digest_size=16)
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def check_given(data: object, data_dir: object) -> None:
    """Refuse values of a world's arguments `data` and `data_dir` that name no set and no folder; "" is none given.

    Raises:
        TypeError: the message names the argument.
    """
    if not isinstance(data, str):
        raise TypeError(f"data must be the name of a data set, not {data!r:.60}: `agentgym data list` shows them")
    if not isinstance(data_dir, str | os.PathLike):
        raise TypeError(f"data_dir must be the path of a folder with a data set's files, not {data_dir!r:.60}")


def read(kind: str, folder: str | os.PathLike[str], progress: Progress | None = None, name: str = "") -> Source:
    """Read and check a folder; nothing is written.

    Args:
        kind: one of SETS.
        folder: in the layout of that set.
        progress: told how many items of how many are done.
        name: what to call it.

    Raises:
        ValueError: an unknown kind. DataError: no such folder, or nothing in it plays.
    """
    if kind not in SETS:
        raise ValueError(unknown("data set", kind, SETS))
    place = _place(folder)
    if not place.is_dir():
        raise DataError(f"{place} is no folder: give the one that holds the files of {kind}")
    module, _, function = SETS[kind].loader.partition(":")
    loader: Loader = getattr(import_module(module), function)
    loaded = loader(place, progress or (lambda done, total: None))
    splits = {split: tasks for split, tasks in loaded.splits.items() if tasks}
    if not splits:
        first = f"; the first problem: {loaded.problems[0]}" if loaded.problems else ""
        raise DataError(f"{place}: none of {loaded.items} items of {kind} plays{first}")
    return Source(name, kind, place, TaskPanel(kind, splits), dict(loaded.files), loaded.problems, loaded.items)


# ---- The store ---------------------------------------------------------------------------------------------------


def cache_folder() -> Path:
    """Return the user's cache folder: AGENTGYM_CACHE, else XDG_CACHE_HOME/agentgym, else ~/.cache/agentgym."""
    own, shared = os.environ.get("AGENTGYM_CACHE"), os.environ.get("XDG_CACHE_HOME")
    if own:
        return Path(own).expanduser()
    return Path(shared) / "agentgym" if shared else Path.home() / ".cache" / "agentgym"


def index_file(name: str) -> Path:
    """Return where the index of a set is kept. Raises ValueError: a name that is no plain file name."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", name):
        raise ValueError(f"{name!r} is no name for a data set: use letters, digits, «.», «_» and «-», at most 64")
    return cache_folder() / "data" / f"{name}.json"


def problems_file(name: str) -> Path:
    """Return where the problems of a set are listed, a line each. Raises ValueError as `index_file`."""
    return index_file(name).with_suffix(".problems.txt")


def add(kind: str, folder: str | os.PathLike[str], name: str = "", progress: Progress | None = None) -> Source:
    """Check a folder and keep what was found under a name; one that is taken is replaced.

    Args:
        kind: one of SETS.
        folder: in the layout of that set; it is only read.
        name: what to call it; "": the kind.
        progress: told how many items of how many are done.

    Raises:
        ValueError, DataError: as `read`; a name that is no plain file name; a cache folder that cannot be written.
        OSError: writing to it failed in the end.
    """
    file = index_file(name or kind)
    _check_writable(file.parent)  # reading may take an hour
    source = read(kind, folder, progress, name or kind)
    file.parent.mkdir(parents=True, exist_ok=True)
    _write(file, json.dumps(_plain(source), indent=1) + "\n")
    _write(problems_file(source.name), "".join(f"{problem}\n" for problem in source.problems))
    return source


def _check_writable(folder: Path) -> None:
    """Refuse a folder in which nothing can be written, or that cannot be made; leaves no trace.

    Raises:
        DataError: the message names what is in the way.
    """
    place = folder
    while not os.path.lexists(place) and place != place.parent:
        place = place.parent
    if not place.is_dir():
        why = "it is no folder"
    elif not os.access(place, os.W_OK | os.X_OK):
        why = "permission denied"
    else:
        return
    remedy = "make it writable, or set AGENTGYM_CACHE to a folder that is"
    raise DataError(f"{place} cannot be written ({why}), and data sets are kept in {folder}: {remedy}")


def names() -> list[str]:
    """Return the names of the sets that were added, sorted."""
    return sorted(file.stem for file in (cache_folder() / "data").glob("[!.]*.json"))


def find(
    name: str, folder: str | os.PathLike[str], kinds: Iterable[str], what: str, kind_of: Callable[[Path], str]
) -> Source:
    """Return a set by the name that it was added as, or the one in a folder; a process reads each folder once.

    Args:
        name: what it was added as; "" where a folder is given.
        folder: of its files, which is read and checked on the spot; "" where a name is given.
        kinds: the sets that the world plays, in `SETS`.
        what: what these are, for messages, such as "questions over databases".
        kind_of: which of them a folder holds.

    Raises:
        ValueError: none of name and folder is given, or both; a data set of another world.
        DataError: there is no such set, or nothing in it plays; and what `kind_of` raises.
    """
    if bool(name) == bool(folder):
        both = "both" if name else "neither"
        raise ValueError(f"give the name of a data set that was added, or a folder, not {both}")
    if folder:
        place = _place(folder)
        return _read_once(kind_of(place), place)
    source, known = get(name), tuple(kinds)
    if source.kind not in known:
        raise ValueError(f"data set {name!r}: " + unknown(f"kind of {what}", source.kind, known))
    return source


def _place(folder: str | os.PathLike[str]) -> Path:
    """Return a folder's whole path. Raises DataError: no path could be this, as one with a NUL."""
    try:
        return Path(folder).expanduser().resolve()
    except (ValueError, RuntimeError, OSError) as error:  # a NUL; a home of nobody; a ring of links or too long a name
        raise DataError(f"{os.fspath(folder)!r:.200} is no folder ({error}): give a path") from error


@lru_cache(maxsize=24)
def _read_once(kind: str, folder: Path) -> Source:
    return read(kind, folder)


def get(name: str) -> Source:
    """Return a set that was added; the same object while its index stays as it is.

    Raises:
        DataError: there is none of this name, or its index is damaged or of another version.
    """
    file = index_file(name)
    try:
        state = file.stat()
    except OSError:
        missing = unknown("data set", name, names(), f"in {file.parent}")
        raise DataError(f"{missing}; agentgym data add KIND --from DIR --name {name} adds one") from None
    return _get(file, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=32)
def _get(file: Path, size: int, changed: int) -> Source:
    try:
        held = json.loads(file.read_text("utf-8"))
        if held["format"] != FORMAT:
            raise ValueError(f"format {held['format']}, not {FORMAT}")
        splits = {split: [Task(task["id"], task["data"]) for task in tasks] for split, tasks in held["splits"].items()}
        panel = TaskPanel(held["kind"], splits)
        problems = tuple(Problem(**problem) for problem in held["problems"])
        folder = Path(held["folder"])
        return Source(held["name"], held["kind"], folder, panel, held["files"], problems, held["items"])
    except (ValueError, KeyError, TypeError, AttributeError, OSError, RecursionError) as error:
        again = f"run agentgym data remove {file.stem}, then agentgym data add"
        raise DataError(f"{file} is damaged or of another version ({error}): {again}") from error


def remove(name: str) -> None:
    """Forget a set; its own files stay. Raises DataError: there is none of this name."""
    file = index_file(name)
    if not file.is_file():
        raise DataError(unknown("data set", name, names(), f"in {file.parent}"))
    file.unlink()
    problems_file(name).unlink(missing_ok=True)


def _plain(source: Source) -> dict[str, Any]:
    splits = {
        split: [{"id": task.id, "data": dict(task.data)} for task in source.panel[split]] for split in source.panel
    }
    return {
        "format": FORMAT,
        "name": source.name,
        "kind": source.kind,
        "folder": str(source.folder),
        "items": source.items,
        "splits": splits,
        "files": dict(source.files),
        "problems": [asdict(problem) for problem in source.problems],
    }


def _write(file: Path, text: str) -> None:
    """Write a file whole or not at all, whenever the process or the machine stops."""
    handle, made = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        os.replace(made, file)
    except BaseException:
        Path(made).unlink(missing_ok=True)
        raise
