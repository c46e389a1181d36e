"""Choosing words: the same voice at the same moment says the same, another one says something else."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeVar

Item = TypeVar("Item")


class Chooser:
    """Choices that follow from an address alone: equal addresses choose alike, in every process.

    Args:
        address: what the choices depend on; plain values with one `str` each.
    """

    __slots__ = ("_bits",)

    def __init__(self, *address: object) -> None:
        text = "\x1f".join(map(str, address))
        self._bits = int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=32).digest(), "big")

    def pick(self, items: Sequence[Item]) -> Item:
        """Return one of the items; each call uses up a part of the address' 256 bits."""
        self._bits, index = divmod(self._bits, len(items))
        return items[index]

    def chance(self, one_in: int) -> bool:
        """Return True once in so many."""
        self._bits, index = divmod(self._bits, one_in)
        return index == 0
