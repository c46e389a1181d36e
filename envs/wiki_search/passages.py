"""Passages on disk: a title and a text each, in one file that is mapped into memory.

A passage is its (title, text): equal ones are kept once, several may share a title. Its id is its place, in the order
in which passages first came; ids break ties of rankings, so the content hash covers the order too: the same passages in
another order are another store.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Final

import numpy as np

from agentgym.envs.wiki_search import sealed
from agentgym.envs.wiki_search.kept import Kept
from agentgym.errors import DataError

KIND: Final = "passages"
REMEDY: Final = "build it anew with agentgym data index, or build_store"
ARRAYS: Final = {"text.array": "|u1", "ends.array": "<u8", "titles.array": "<u8", "order.array": "<i4"}
MOST: Final = 2**31 - 1
_EVERY: Final = 4096


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of text and the title of the page that it is from."""

    title: str
    text: str


class Store:
    """The passages of a folder. `store[3]` is the passage with id 3; ids run from 0 to len(store) - 1.

    Copies, pickled ones too, and forked processes share the mapped file. Nothing is read before it is asked for.

    Attributes:
        folder: where it is.
        content: 128-bit BLAKE2b, 32 hex digits, of all passages in their order.
        empty: how many passages without text were left out when it was built.
        repeated: how many were left out since an equal one was there.
        source: what `build_store` was told of where they are from.

    Args:
        folder: what `build_store` wrote.

    Raises:
        DataError: it is missing, half-written, damaged or something else; the message names the file and the remedy.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        held = sealed.Sealed(folder, KIND, REMEDY)
        self.folder, self.content = held.folder, held.content
        self.empty: int = held.notes["empty"]
        self.repeated: int = held.notes["repeated"]
        self.source: str = held.notes["source"]
        self._sealed = held
        self._text, self._ends, self._titles, self._order = (held[name] for name in ARRAYS)

    def __len__(self) -> int:
        return len(self._order)

    def __getitem__(self, passage: int) -> Passage:
        if not 0 <= passage < len(self._order):
            raise IndexError(f"no passage {passage}: there are {len(self._order)}, from 0 on")
        start, middle, end = self._ends.part(2 * passage, 2 * passage + 3).tolist()
        raw = self._text.part(start, end).tobytes()
        return Passage(raw[: middle - start].decode(), raw[middle - start :].decode())

    def __iter__(self) -> Iterator[Passage]:
        for passage in range(len(self)):
            yield self[passage]

    def titled(self, title: str) -> tuple[int, ...]:
        """Return the ids of the passages with this title, in order.

        Those whose title is equal to the letter, if there are any; else those that differ in case or blanks alone.
        """
        key = np.uint64(_title_hash(title))
        hashes = self._titles.whole()
        first, last = int(hashes.searchsorted(key, "left")), int(hashes.searchsorted(key, "right"))
        if first == last:
            return ()
        same = [(passage, self[passage].title) for passage in self._order.part(first, last).tolist()]
        exact = tuple(passage for passage, found in same if found == title)
        return exact or tuple(passage for passage, found in same if folded(found) == folded(title))

    def verify(self) -> None:
        """Read every byte. Raises DataError: the first damaged block, by name."""
        self._sealed.verify()

    def __reduce__(self) -> tuple[object, ...]:
        return _again, (str(self.folder), self.content)

    def __deepcopy__(self, memo: object) -> Store:
        return self  # nothing in it changes

    def __repr__(self) -> str:
        return f"Store({str(self.folder)!r}: {len(self)} passages)"


def build_store(
    passages: Iterable[Passage],
    folder: str | os.PathLike[str],
    progress: Callable[[int, int], None] | None = None,
    source: str = "",
) -> Store:
    """Write passages into a folder and open it.

    Args:
        passages: read once, one after another. Those whose text is blank, and those equal to an earlier one, are left
            out and counted. A character that UTF-8 does not know becomes "?".
        folder: made if missing; a store in it is replaced.
        progress: told how many passages were read, now and then, and 0, since nobody knows how many there are.
        source: what the store shall remember of where they are from, such as the hash of a file.

    Raises:
        DataError: the folder cannot be written, another process writes there, or no passage is left.
        OSError: writing failed.
    """
    place = Path(folder).absolute()
    with sealed.builder(place):
        sealed.clear(place)
        writer = _Writer(place)
        with open(place / "text.array", "wb") as out:
            for read, passage in enumerate(passages, 1):
                if raw := writer.take(passage):
                    out.write(raw)
                if progress is not None and read % _EVERY == 0:
                    progress(read, 0)
        writer.finish(source)
    return open_store(place)


class _Writer:
    """What must be known of the passages that were written so far, some 100 bytes each."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seen: set[bytes] = set()
        self._ends, self._titles = array("Q", [0]), array("Q")
        self._empty = self._repeated = 0

    def take(self, passage: Passage) -> bytes:
        """Return the bytes to write for a passage, none if it is left out."""
        if not passage.text or passage.text.isspace():
            self._empty += 1
            return b""
        title, text = passage.title.encode("utf-8", "replace"), passage.text.encode("utf-8", "replace")
        key = blake2b(b"%d %b%b" % (len(title), title, text), digest_size=16).digest()
        if key in self._seen:
            self._repeated += 1
            return b""
        self._seen.add(key)
        middle = self._ends[-1] + len(title)
        self._ends.extend((middle, middle + len(text)))
        self._titles.append(_title_hash(title.decode()))
        return title + text

    def finish(self, source: str) -> None:
        if not self._titles:
            left = f"{self._empty} were empty" if self._empty else "there were none at all"
            raise DataError(f"{self._folder}: no passage to keep, {left}: give at least one with a text")
        if len(self._titles) > MOST:
            raise DataError(f"{self._folder}: {len(self._titles)} passages are more than {MOST}: split them")
        hashes = np.array(self._titles, dtype="<u8")
        order = np.argsort(hashes, kind="stable").astype("<i4")
        for name, values in (
            ("ends.array", np.array(self._ends, dtype="<u8")),
            ("titles.array", hashes[order]),
            ("order.array", order),
        ):
            values.tofile(self._folder / name)
        notes = {"empty": self._empty, "repeated": self._repeated, "source": source}
        sealed.seal(self._folder, KIND, {}, ARRAYS, notes)


def folded(title: str) -> str:
    """Return a title without what case and blanks make of it."""
    return " ".join(title.casefold().split())


def _title_hash(title: str) -> int:
    return int.from_bytes(blake2b(folded(title).encode("utf-8", "replace"), digest_size=8).digest(), "little")


_STORES: Final = Kept(Store)


def open_store(folder: str | os.PathLike[str]) -> Store:
    """Return the store of a folder: one object a process and path, and a new one when the folder was built anew.

    Raises:
        DataError: as `Store`.
    """
    return _STORES.get(folder)


def _again(folder: str, content: str) -> Store:
    """Return the store of a folder for a copy of one. Raises DataError: as `open_store`; it is another store now."""
    return sealed.same(open_store(folder), content)
