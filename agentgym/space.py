"""UnicodeText: gymnasium's Text space for real text, in vector envs and in memory shared by processes too."""

from __future__ import annotations

import multiprocessing
from collections.abc import Sequence
from copy import deepcopy
from ctypes import c_uint8
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Text, Tuple
from gymnasium.vector.utils import (
    batch_differing_spaces,
    create_shared_memory,
    read_from_shared_memory,
    write_to_shared_memory,
)

_SAMPLED = "abcdefghijklmnopqrstuvwxyz 0123456789"
_HEAD = 8
"""Bytes before a text in shared memory: how many bytes of UTF-8 follow."""


class UnicodeText(Text):
    """Any str of at most `max_length` characters, whatever the characters.

    Membership is a length check alone, so it costs the same for one word and for a page; samples are short (at most
    16 characters beyond `min_length`), from lower-case letters, digits and blanks.

    Args:
        max_length: most characters.
        min_length: fewest characters.
    """

    def __init__(self, max_length: int, *, min_length: int = 0, seed: int | np.random.Generator | None = None) -> None:
        super().__init__(max_length, min_length=min_length, charset=_SAMPLED, seed=seed)

    def contains(self, x: Any) -> bool:
        """Return whether `x` is a str of allowed length."""
        return isinstance(x, str) and self.min_length <= len(x) <= self.max_length

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """Return a short random text; masks do not apply to free text and are refused."""
        if mask is not None or probability is not None:
            raise ValueError("UnicodeText has no fixed character set: sample() takes neither mask nor probability")
        longest = min(self.max_length, self.min_length + 16)
        length = int(self.np_random.integers(self.min_length, longest + 1))
        return "".join(_SAMPLED[index] for index in self.np_random.integers(len(_SAMPLED), size=length))

    def unseeded(self) -> UnicodeText:
        """Return an equal space with a generator of its own."""
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__)
        copy._np_random = None  # type: ignore[assignment]
        return copy

    @property
    def is_np_flattenable(self) -> bool:
        """Return False: text of any characters has no array form."""
        return False

    def __repr__(self) -> str:
        return f"UnicodeText({self.max_length}, min_length={self.min_length})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UnicodeText) and (self.min_length, self.max_length) == (
            other.min_length,
            other.max_length,
        )

    __hash__ = None  # type: ignore[assignment]


class SharedTexts(Sequence[str]):
    """The texts of all slots as they stand in shared memory now; `copy.deepcopy` gives them as a tuple of str."""

    def __init__(self, space: UnicodeText, memory: npt.NDArray[np.uint8], n: int) -> None:
        self._rows = memory[: n * _row(space)].reshape(n, _row(space))

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return tuple(self)[index]
        row = self._rows[index]
        size = int.from_bytes(row[:_HEAD].tobytes(), "little")
        return row[_HEAD : _HEAD + size].tobytes().decode("utf-8", "surrogatepass")

    def __deepcopy__(self, memo: Any) -> tuple[str, ...]:
        return tuple(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (list(self),)

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, tuple | SharedTexts) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(tuple(self))


def _row(space: UnicodeText) -> int:
    """Return the bytes that one slot takes: no character needs more than four."""
    return _HEAD + 4 * space.max_length


@create_shared_memory.register(UnicodeText)
def _create(space: UnicodeText, n: int = 1, ctx: Any = multiprocessing) -> Any:
    return ctx.Array(c_uint8, n * _row(space))


@read_from_shared_memory.register(UnicodeText)
def _read(space: UnicodeText, shared_memory: Any, n: int = 1) -> SharedTexts:
    return SharedTexts(space, np.frombuffer(shared_memory.get_obj(), np.uint8), n)


@write_to_shared_memory.register(UnicodeText)
def _write(space: UnicodeText, index: int, value: str, shared_memory: Any) -> None:
    if not isinstance(value, str) or len(value) > space.max_length:
        found = f"{len(value)} characters" if isinstance(value, str) else type(value).__name__
        raise ValueError(f"the observation of slot {index} is no text of {space!r}: {found}")
    data = str.encode(value, "utf-8", "surrogatepass")
    start = index * _row(space)
    memory = np.frombuffer(shared_memory.get_obj(), np.uint8)
    memory[start + _HEAD : start + _HEAD + len(data)] = np.frombuffer(data, np.uint8)
    memory[start : start + _HEAD] = np.frombuffer(len(data).to_bytes(_HEAD, "little"), np.uint8)


@batch_differing_spaces.register(UnicodeText)
def _batch_differing(spaces: Sequence[UnicodeText]) -> Tuple[Any]:  # type: ignore[misc]
    return Tuple([deepcopy(space) for space in spaces], seed=deepcopy(spaces[0].np_random))
