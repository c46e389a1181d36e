"""UnicodeText: gymnasium's Text space for real text."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Text

_SAMPLED = "abcdefghijklmnopqrstuvwxyz 0123456789"


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
