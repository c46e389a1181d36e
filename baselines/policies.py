"""Policies that need no language model: random, no-op, ε-expert, and a log-linear one that learns in seconds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agentgym.baselines.features import Menus, TextFeatures
from agentgym.batch import TurnBatch
from agentgym.rollout import Reply, View

Floats = NDArray[np.float64]
_TINY = 5e-324


def _entries(view: View) -> int:
    """Return how many entries the menu has. Raises ValueError for none."""
    if not view.menu:
        raise ValueError(
            f"the menu is empty at turn {view.turn}, and a menu policy has nothing to choose from: play it through "
            "collect, which asks the world for the signal 'menu', and let the world's menu(state) offer an action"
        )
    return len(view.menu)


class NoopPolicy:
    """Says nothing, every turn."""

    signals: Sequence[str] = ()
    markov = True

    def __call__(self, views: Sequence[View]) -> list[Reply]:
        """Return an empty text a view."""
        return [Reply("") for _ in views]


class MenuPolicy:
    """Base of policies that draw from the menu with probabilities they can state; markov.

    `stationary` says that the probabilities depend on the state and the entries alone, not on the turn nor on the
    menu's order; truth then asks once a state. It is off unless a subclass sets it.

    A subclass defines `log_probs(views)`: one array a view, log-probabilities over its menu.
    """

    signals: Sequence[str] = ("menu",)
    markov = True
    stationary = False

    def log_probs(self, views: Sequence[View]) -> list[Floats]:
        """Return log-probabilities over each view's menu, in its order."""
        raise NotImplementedError

    def __call__(self, views: Sequence[View]) -> list[Reply]:
        """Draw one action a view with the view's own draws."""
        replies = []
        for view in views:
            _entries(view)
        for view, logp in zip(views, self.log_probs(views), strict=True):
            index = _draw(np.exp(logp).tolist(), view.rng.random())
            replies.append(Reply(view.menu[index], float(logp[index]), logp.tolist()))
        return replies


class RandomPolicy(MenuPolicy):
    """Chooses uniformly from the menu."""

    stationary = True

    def log_probs(self, views: Sequence[View]) -> list[Floats]:
        """Return the uniform distribution."""
        return [np.full(_entries(view), -math.log(_entries(view))) for view in views]


class ExpertPolicy(MenuPolicy):
    """The world's expert with probability 1 − epsilon, a uniform draw from the menu with probability epsilon.

    Where the expert's action is not in the menu (it has given up), it draws uniformly.

    Args:
        epsilon: in [0, 1]; 0 follows the expert always.
        slips: among how many other entries it draws instead of the whole menu, at least 1; they follow from the state
            and the entries, so it errs in the same ways whenever it comes to a state, and the tree of its futures stays
            small. 0: the whole menu, the expert's entry among it.
    """

    signals: Sequence[str] = ("menu", "expert")
    stationary = True

    def __init__(self, epsilon: float = 0.0, slips: int = 0) -> None:
        if not 0.0 <= epsilon <= 1.0:
            raise ValueError(f"epsilon must lie in [0, 1], not {epsilon!r}")
        if slips < 0:
            raise ValueError(f"slips must be 0 or more, not {slips!r}")
        self.epsilon, self.slips = epsilon, slips

    def log_probs(self, views: Sequence[View]) -> list[Floats]:
        """Return the mixture; an action it never takes has the log of the smallest positive float."""
        out = []
        for view in views:
            known = view.expert in view.menu
            erring = self.epsilon if known else 1.0
            slips = _slips(view, self.slips) if self.slips else []
            probs = np.full(_entries(view), 0.0 if slips else erring / _entries(view))
            probs[slips] = erring / max(len(slips), 1)
            if known:
                probs[list(view.menu).index(view.expert)] += 1.0 - self.epsilon
            out.append(np.log(np.maximum(probs, _TINY)))
        return out


def _slips(view: View, many: int) -> list[int]:
    """Return the places of some entries of the menu, not the expert's, that its state and their texts choose."""
    others = [place for place, entry in enumerate(view.menu) if entry != view.expert]
    marks = {place: blake2b(f"{view.key} {view.menu[place]}".encode("utf-8", "replace")).digest() for place in others}
    return sorted(others, key=marks.__getitem__)[:many]


class LogLinearPolicy(MenuPolicy):
    """A softmax over the menu, linear in hashed text features; exact log-probabilities, learns by policy gradient.

    The logit of a menu entry is the sum of one weight for each pair (feature of the description, entry); see
    `TextFeatures`. New policies are uniform.

    Args:
        size: number of weights, a power of two.
    """

    signals: Sequence[str] = ("menu", "describe")
    stationary = True

    def __init__(self, size: int = 1 << 15) -> None:
        self.features = TextFeatures(size)
        self.weights: Floats = np.zeros(size)

    def log_probs(self, views: Sequence[View]) -> list[Floats]:
        """Return the softmax over each view's menu."""
        self.features.remember(views)
        for view in views:
            _entries(view)
        menus = self.features.menus([view.key for view in views], [view.menu for view in views])
        return np.split(menus.log_softmax(self.weights), menus.rows[1:])

    def update(self, batch: TurnBatch, advantage: Floats, step: float) -> None:
        """Take one step up the policy gradient: weights += step · mean over turns of A·∇log π(a|s).

        Args:
            batch: turns that this policy played, with `state`, `menu` and `action`.
            advantage: (n,) one value a row.
            step: length of the step.
        """
        if not len(batch):
            return
        menus = self.features.menus(list(batch.state), list(batch.menu))
        weight = -np.exp(menus.log_softmax(self.weights)) * advantage[menus.row_of]
        weight[chosen(batch, menus)] += advantage
        self.weights += step / len(batch) * menus.gradient(weight, len(self.weights))

    def approach(self, batch: TurnBatch, targets: Sequence[ArrayLike], step: float) -> None:
        """Take one step down the divergence from target distributions: weights -= step · mean over turns ∇KL(q ‖ π).

        That is the update of RICOL, with q of `agentgym.credit.ricol_target` (the mean over the samples where there are
        several: the mean of their divergences has the same gradient).

        Args:
            batch: turns with `state` and `menu` that this policy has seen, played by whomever.
            targets: for each row probabilities over its menu, which sum to 1.
            step: length of the step.
        """
        if not len(batch):
            return
        menus = self.features.menus(list(batch.state), list(batch.menu))
        target = np.concatenate([np.asarray(row, dtype=np.float64) for row in targets])
        if len(target) != len(menus.entries):
            raise ValueError(f"targets hold {len(target)} probabilities for menus of {len(menus.entries)} entries")
        weight = target - np.exp(menus.log_softmax(self.weights))  # of the logits, KL's gradient is π - q
        self.weights += step / len(batch) * menus.gradient(weight, len(self.weights))

    def copy(self) -> LogLinearPolicy:
        """Return a policy with equal weights of its own."""
        twin = LogLinearPolicy(len(self.weights))
        twin.weights[:] = self.weights
        return twin


def chosen(batch: TurnBatch, menus: Menus) -> NDArray[np.int64]:
    """Return (n,) the number, among all entries of `menus`, of the action that each row took."""
    place = [list(menu).index(action) for menu, action in zip(batch.menu, batch.action, strict=True)]
    return menus.rows + np.array(place, dtype=np.int64)


def _draw(probs: Sequence[float], mark: float) -> int:
    last = 0
    for index, prob in enumerate(probs):
        if prob > 0.0:
            last = index
            if mark < prob:
                return index
            mark -= prob
    return last
