"""Texts as bags of hashed words, and a turn's observation and action as one vector."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import chain, pairwise

import torch
from torch import Tensor, nn

from agentgym.batch import TurnBatch

_WORD = re.compile(r"\w+|\?")


class Bags:
    """Texts as bags of word numbers, one after the other, for `nn.EmbeddingBag`.

    A bag holds the numbers of the text's lower-cased words and of its pairs of neighbours; "?" counts as a word.

    Args:
        texts: n of them.
        size: how many numbers there are; two words may share one.

    Attributes:
        numbers: all of them, int64. offsets: where each bag begins, shape [n].
    """

    def __init__(self, texts: Sequence[str], size: int) -> None:
        found = [_numbers(text, size) for text in texts]
        ends = torch.tensor([0, *map(len, found)], dtype=torch.int64).cumsum(0)
        self.numbers = torch.tensor(list(chain.from_iterable(found)), dtype=torch.int64)
        self.offsets = ends[:-1]


class TurnEncoder(nn.Module):
    """tanh(W·[mean embedding of the observation's words, of the action's]): a vector a turn.

    Args:
        size: of the bags. width: of embeddings and vectors.
    """

    def __init__(self, size: int, width: int) -> None:
        super().__init__()
        self.size = size
        self.words = nn.EmbeddingBag(size, width, mode="mean")
        self.mix = nn.Linear(2 * width, width)

    def forward(self, observations: Bags, actions: Bags) -> Tensor:
        """Return [turns, width]."""
        both = [self.words(bags.numbers, bags.offsets) for bags in (observations, actions)]
        return torch.tanh(self.mix(torch.cat(both, 1)))

    def bags(self, batch: TurnBatch) -> tuple[Bags, Bags]:
        """Return observations and actions of the turns, rollout after rollout (the order of `batch.order`)."""
        first, second = ([str(batch[name][row]) for row in batch.order] for name in ("observation", "action"))
        return Bags(first, self.size), Bags(second, self.size)


@lru_cache(maxsize=65536)
def _numbers(text: str, size: int) -> tuple[int, ...]:
    words = _WORD.findall(text.lower())
    return tuple(_number(word, size) for word in (*words, *(" ".join(pair) for pair in pairwise(words))))


@lru_cache(maxsize=65536)
def _number(word: str, size: int) -> int:
    return int.from_bytes(blake2b(word.encode("utf-8", "replace"), digest_size=8).digest(), "big") % size
