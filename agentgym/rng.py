"""TurnRng: every draw is a function of (seed, branch, turn, stream, index), so a snapshot has no generator to save.

A draw hashes its own address with BLAKE2b: equal addresses give equal draws in every process, on every machine and
under every numpy version. `turn` is the number of turns taken before the action; the opening draws at turn −1.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from operator import index as as_index
from statistics import NormalDist
from typing import Any, TypeVar

Item = TypeVar("Item")

OPENING = -1
"""The turn under which a world draws its first state."""

_NORMAL = NormalDist()
_UNIT = 2.0**-53


def checked_seed(seed: Any, name: str = "seed") -> int:
    """Return `seed` as an int; ValueError unless it is an integer (numpy's too, but no bool) with 0 ≤ seed < 2⁶³."""
    try:
        value = -1 if isinstance(seed, bool) else as_index(seed)
    except TypeError:
        value = -1
    if not 0 <= value < 2**63:
        raise ValueError(f"{name} must be an integer with 0 <= {name} < 2**63, not {seed!r:.80}")
    return value


class TurnRng:
    """Draws of one turn; cheap to make, nothing is hashed before the first draw.

    Args:
        seed: the episode's seed, 0 ≤ seed < 2⁶³.
        branch: 0 in an episode as played; other numbers give a continuation draws of its own.
        turn: turns taken before this one; `OPENING` for the first state.
        stream: keeps apart draws of different purposes at one turn, such as "menu".

    Two objects with equal arguments give equal draws in the same order. `draws` counts those taken so far: a
    transition that leaves it at 0 was deterministic.
    """

    __slots__ = ("_address", "branch", "draws", "seed", "stream", "turn")

    def __init__(self, seed: int, branch: int = 0, turn: int = OPENING, stream: str = "") -> None:
        self.seed = seed
        self.branch = branch
        self.turn = turn
        self.stream = stream
        self.draws = 0
        self._address = b""

    def __repr__(self) -> str:
        return f"TurnRng(seed={self.seed}, branch={self.branch}, turn={self.turn}, stream={self.stream!r})"

    def bits(self) -> int:
        """Return the next 64 bits as an integer in [0, 2⁶⁴)."""
        if not self._address:
            self._address = f"{self.seed},{self.branch},{self.turn},{self.stream},".encode()
        index = self.draws
        self.draws = index + 1
        return int.from_bytes(blake2b(self._address + b"%d" % index, digest_size=8).digest(), "big")

    def random(self) -> float:
        """Return a float in [0, 1), uniform on the multiples of 2⁻⁵³."""
        return (self.bits() >> 11) * _UNIT

    def integers(self, low: int, high: int | None = None) -> int:
        """Return an integer in [low, high), or in [0, low) with one argument; exactly uniform.

        Raises:
            ValueError: the range is empty or wider than 2⁶⁴.
            TypeError: a bound that is no integer; numpy's are.
        """
        if high is None:
            low, high = 0, low
        low, high = as_index(low), as_index(high)
        width = high - low
        if not 0 < width <= 1 << 64:
            raise ValueError(f"integers({low}, {high}) needs low < high, at most 2**64 apart")
        limit = (1 << 64) // width * width
        while (value := self.bits()) >= limit:
            pass
        return low + value % width

    def choice(self, items: Sequence[Item], weights: Sequence[float] | None = None) -> Item:
        """Return one of `items`, uniformly or in proportion to non-negative finite `weights`.

        Raises:
            ValueError: nothing to choose from, or weights that are negative, not finite, all 0 or of another length.
        """
        if len(items) == 0:
            raise ValueError("choice() needs at least one item")
        if weights is None:
            return items[self.integers(len(items))]
        if len(weights) != len(items):
            raise ValueError(f"choice() got {len(items)} items and {len(weights)} weights")
        total = 0.0
        for weight in weights:
            if not 0.0 <= weight < float("inf"):
                raise ValueError(f"choice() needs finite weights of at least 0, not {weight!r}")
            total += weight
        if not 0.0 < total < float("inf"):
            raise ValueError("choice() needs weights with a positive finite sum")
        mark, last = self.random() * total, 0
        for index, weight in enumerate(weights):
            if weight > 0.0:
                last = index
                if mark < weight:
                    break
            mark -= weight
        return items[last]

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """Return the items in a uniformly random order, as a new list."""
        out = list(items)
        for end in range(len(out) - 1, 0, -1):
            width = end + 1  # what `integers(width)` gives, without its checks
            limit = (1 << 64) // width * width
            while (value := self.bits()) >= limit:
                pass
            other = value % width
            out[end], out[other] = out[other], out[end]
        return out

    def normal(self) -> float:
        """Return a standard normal draw, rounded to 9 decimals so that no machine's last bit shows."""
        return round(_NORMAL.inv_cdf(((self.bits() >> 12) + 0.5) * 2.0**-52), 9)
