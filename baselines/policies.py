"""Policies that need no language model: random, no-op, ε-expert, and a log-linear one that learns in seconds."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentgym.batch import TurnBatch
from agentgym.rollout import Reply, View

Floats = NDArray[np.float64]


class NoopPolicy:
    """Says nothing, every turn."""

    signals: Sequence[str] = ()
    markov = True

    def __call__(self, views: Sequence[View]) -> list[Reply]:
        """Return an empty text a view."""
        return [Reply("") for _ in views]


class MenuPolicy:
    """Base of policies that draw from the menu with probabilities they can state; markov.

    A subclass defines `log_probs(views)`: one array a view, log-probabilities over its menu.
    """

    signals: Sequence[str] = ("menu",)
    markov = True

    def log_probs(self, views: Sequence[View]) -> list[Floats]:
        """Return log-probabilities over each view's menu, in its order."""
        raise NotImplementedError

    def __call__(self, views: Sequence[View]) -> list[Reply]:
        """Draw one action a view with the view's own draws."""
        replies = []
        for view, logp in zip(views, self.log_probs(views), strict=True):
            index = _draw(np.exp(logp).tolist(), view.rng.random())
            replies.append(Reply(view.menu[index], float(logp[index]), logp.tolist()))
        return replies


class RandomPolicy(MenuPolicy):
    """Chooses uniformly from the menu."""

    def log_probs(self, views: Sequence[View]) -> list[Floats]:
        """Return the uniform distribution."""
        return [np.full(len(view.menu), -math.log(len(view.menu))) for view in views]


class ExpertPolicy(MenuPolicy):
    """The world's expert with probability 1 − epsilon, a uniform draw from the menu with probability epsilon.

    Args:
        epsilon: in [0, 1]; 0 follows the expert always.
    """

    signals: Sequence[str] = ("menu", "expert")

    def __init__(self, epsilon: float = 0.0) -> None:
        if not 0.0 <= epsilon <= 1.0:
            raise ValueError(f"epsilon must lie in [0, 1], not {epsilon!r}")
        self.epsilon = epsilon

    def log_probs(self, views: Sequence[View]) -> list[Floats]:
        """Return the mixture; an action the mixture never takes has −inf."""
        out = []
        for view in views:
            probs = np.full(len(view.menu), self.epsilon / len(view.menu))
            probs[list(view.menu).index(view.expert)] += 1.0 - self.epsilon
            with np.errstate(divide="ignore"):
                out.append(np.log(probs))
        return out


class LogLinearPolicy(MenuPolicy):
    """A softmax over the menu, linear in hashed text features; exact log-probabilities, learns by policy gradient.

    The logit of a menu entry is the sum of one weight for each pair (feature of the description, entry), the pairs
    hashed into `size` weights. Features of a description are its lines: as they are, with the words they share with
    the first line (the goal) masked, and that with numbers masked too.

    Args:
        size: number of weights, a power of two.
    """

    signals: Sequence[str] = ("menu", "describe")

    def __init__(self, size: int = 1 << 15) -> None:
        if size < 2 or size & (size - 1):
            raise ValueError(f"size must be a power of two, not {size!r}")
        self.weights: Floats = np.zeros(size)
        self._contexts: dict[str, NDArray[np.uint64]] = {}

    def log_probs(self, views: Sequence[View]) -> list[Floats]:
        """Return the softmax over each view's menu."""
        contexts = []
        for view in views:
            context = self._contexts.get(view.key)
            if context is None:
                context = self._contexts[view.key] = _context(view.describe)
            contexts.append(context)
        return self._log_softmax(contexts, [view.menu for view in views])[0]

    def update(self, batch: TurnBatch, advantage: Floats, step: float) -> None:
        """Take one step up the policy gradient Σ A·∇log π(a|s) / Σ_turns 1 of a batch this policy has played.

        Args:
            batch: rows with `state`, `menu` and `action`.
            advantage: one value a row.
            step: length of the step.
        """
        contexts = [self._contexts[key] for key in batch.state.tolist()]
        menus = [tuple(menu) for menu in batch.menu]
        logps, pairs = self._log_softmax(contexts, menus)
        gradient = np.zeros_like(self.weights)
        for row, (logp, index) in enumerate(zip(logps, pairs, strict=True)):
            if advantage[row] == 0.0:
                continue
            weight = -np.exp(logp)
            weight[menus[row].index(batch.action[row])] += 1.0
            np.add.at(gradient, index, (advantage[row] * weight)[:, None])
        self.weights += step / max(len(batch), 1) * gradient

    def forget(self) -> None:
        """Drop what is remembered of the states seen, after an update."""
        self._contexts.clear()

    def copy(self) -> LogLinearPolicy:
        """Return a policy with equal weights of its own."""
        twin = LogLinearPolicy(len(self.weights))
        twin.weights[:] = self.weights
        return twin

    def _log_softmax(
        self, contexts: Sequence[NDArray[np.uint64]], menus: Sequence[Sequence[str]]
    ) -> tuple[list[Floats], list[NDArray[np.int64]]]:
        mask = np.uint64(len(self.weights) - 1)
        logps, pairs = [], []
        for context, menu in zip(contexts, menus, strict=True):
            entries = _entries(tuple(menu))
            index = (((context[None, :] ^ entries[:, None]) * _MIX) >> np.uint64(24) & mask).astype(np.int64)
            logits = self.weights[index].sum(axis=1)
            logits -= logits.max()
            logps.append(logits - math.log(np.exp(logits).sum()))
            pairs.append(index)
        return logps, pairs


_MIX = np.uint64(0x9E3779B97F4A7C15)
_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+")


def _hashed(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "big")


@lru_cache(maxsize=4096)
def _entries(menu: tuple[str, ...]) -> NDArray[np.uint64]:
    return np.array([_hashed("entry " + text) for text in menu], dtype=np.uint64)


@lru_cache(maxsize=65536)
def _line_hashes(line: str, goal: str) -> tuple[int, ...]:
    shared = set(_WORD.findall(goal.lower()))
    masked = _WORD.sub(lambda match: "*" if match[0].lower() in shared else match[0], line)
    return tuple(_hashed(text) for text in dict.fromkeys((line, masked, _NUMBER.sub("#", masked))))


def _context(description: str) -> NDArray[np.uint64]:
    goal, *lines = description.split("\n")
    hashes = {value: None for line in lines for value in _line_hashes(line, goal)}
    return np.array([_hashed("bias"), *hashes], dtype=np.uint64)


def _draw(probs: Sequence[float], mark: float) -> int:
    last = 0
    for index, prob in enumerate(probs):
        if prob > 0.0:
            last = index
            if mark < prob:
                return index
            mark -= prob
    return last


POLICIES: Mapping[str, Any] = {"random": RandomPolicy, "noop": NoopPolicy, "expert": ExpertPolicy}
"""Policies by the name that the command line takes."""
