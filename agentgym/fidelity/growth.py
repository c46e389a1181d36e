"""What a graph grows with: draws that tell how they were used, and arrays that get longer."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentgym.rng import TurnRng


class Watched(TurnRng):
    """Draws as usual, and tells afterwards whether the world asked for the turn (`asked_turn`) or for the address."""

    __slots__ = ("_at", "asked", "asked_turn")

    def __init__(self, seed: int, branch: int, turn: int) -> None:
        self._at = (seed, branch, turn)
        self.asked = self.asked_turn = False
        self.stream = ""
        self.draws = 0
        self._address = f"{seed},{branch},{turn},,".encode()

    @property
    def seed(self) -> int:  # type: ignore[override]
        """The seed; asking for it counts as a draw, since the world may derive draws from it."""
        self.asked = True
        return self._at[0]

    @property
    def branch(self) -> int:  # type: ignore[override]
        """The branch; asking for it counts as a draw."""
        self.asked = True
        return self._at[1]

    @property
    def turn(self) -> int:  # type: ignore[override]
        """Turns taken before this one."""
        self.asked_turn = True
        return self._at[2]

    @property
    def noisy(self) -> bool:
        """Whether the transition may come out differently under another address."""
        return self.draws > 0 or self.asked


class Column:
    """A numpy array that grows at its end."""

    def __init__(self, dtype: Any) -> None:
        self._data: NDArray[Any] = np.empty(1024, dtype)
        self.size = 0

    def extend(self, values: Any) -> None:
        """Append values."""
        end = self.size + len(values)
        if end > len(self._data):
            grown = np.empty(max(end, 2 * len(self._data)), self._data.dtype)
            grown[: self.size] = self.values
            self._data = grown
        self._data[self.size : end] = values
        self.size = end

    @property
    def values(self) -> NDArray[Any]:
        """The filled part; writing to it writes here, until the next `extend`."""
        return self._data[: self.size]
