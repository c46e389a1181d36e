"""The probabilities a markov menu policy gives to the actions of nodes, asked in batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from agentgym.fidelity.graph import Floats, Graph, Ints
from agentgym.fidelity.growth import Column
from agentgym.fidelity.record import FidelityError
from agentgym.rng import TurnRng
from agentgym.rollout import Reply, View

ASK_AT_ONCE = 4096
NEVER = 1e-30
"""Probabilities below this count as 0: what they lead to is not followed."""

HINTS = ("describe", "expert", "potential")


def ask(policy: Callable[[Sequence[View]], Sequence[Reply | str]], views: Sequence[View]) -> list[Reply | str]:
    """Return the policy's replies; its own errors get a note of where truth asked.

    Raises:
        FidelityError: not one reply a view, or one that was lost.
    """
    try:
        replies = list(policy(views))
    except Exception as error:
        error.add_note(f"while truth asked the policy about {len(views)} views, the first of turn {views[0].turn}")
        raise
    if len(replies) != len(views):
        raise FidelityError(f"the policy returned {len(replies)} replies to {len(views)} views: return one a view")
    if lost := next((reply.lost for reply in replies if isinstance(reply, Reply) and reply.lost), ""):
        raise FidelityError(f"the policy gave no reply ({lost}): see to what it needs, then run again")
    return replies


class MenuProbabilities:
    """A policy's probabilities over the menus of states.

    A policy with `stationary = True` declares that its menu_logprobs depend on the state and on the entries of the
    menu, but not on their order nor on the turn. It is asked once a state; any other is asked at each (episode, state,
    turn), with the menu in the order of the episode.
    """

    def __init__(
        self, policy: Callable[[Sequence[View]], Sequence[Reply | str]], graph: Graph, seeds: Sequence[int]
    ) -> None:
        self.policy, self.graph, self.seeds = policy, graph, seeds
        self.stationary = bool(getattr(policy, "stationary", False))
        self.hints = [name for name in getattr(policy, "signals", ()) if name in HINTS]
        self._known = Column(np.float64)  # by edge, for stationary policies; NaN: not asked

    def __call__(self, episodes: Ints, states: Ints, turn: int) -> tuple[Floats, Ints, Ints]:
        """Return (probabilities, edges, menu sizes) of nodes of one turn; the first two are flat, node after node.

        Raises:
            FidelityError: a reply has no menu_logprobs, or they are no distribution over the menu.
        """
        self.graph.open(states)
        edges, counts = self.graph.menus(states)
        if not self.stationary:
            return self._ask(episodes, states, turn), edges, counts
        missing = int(edges.max(initial=-1)) + 1 - self._known.size
        if missing > 0:
            self._known.extend(np.full(missing, np.nan))
        new = states[np.isnan(self._known.values[edges[np.cumsum(counts) - counts]])] if len(states) else states
        if len(new):
            found = self._ask(np.zeros_like(new), new, turn)
            self._known.values[self.graph.menus(new)[0]] = found
        return self._known.values[edges], edges, counts

    def _ask(self, episodes: Ints, states: Ints, turn: int) -> Floats:
        """Return flat probabilities in the order of the graph's menus."""
        found = [np.empty(0)]
        pairs = list(zip(episodes.tolist(), states.tolist(), strict=True))
        for start in range(0, len(pairs), ASK_AT_ONCE):
            asked = [self._view(episode, state, turn) for episode, state in pairs[start : start + ASK_AT_ONCE]]
            replies = ask(self.policy, [view for view, _ in asked])
            for (view, order), reply in zip(asked, replies, strict=True):
                probability = np.empty(len(order))
                probability[order] = self._distribution(view, reply)
                found.append(probability)
        return np.concatenate(found)

    def _view(self, episode: int, state: int, turn: int) -> tuple[View, list[int]]:
        """Return what the policy sees, and the place in the graph's menu of each entry on offer."""
        graph, seed = self.graph, self.seeds[episode]
        menu = graph.menu(state)
        order = list(range(len(menu)))
        if not self.stationary:
            order = TurnRng(seed, 0, turn, "menu").shuffled(order)  # the draws of AgentEnv.offer
            menu = [menu[place] for place in order]
        hints = {name: graph.hint(name, state) for name in self.hints}
        info: dict[str, Any] = {"task": graph.tasks[state], "seed": seed, "turn": turn, "menu": menu, **hints}
        info["state_hash"] = graph.keys[state]
        rng = TurnRng(seed, 0, turn, "policy")
        expert, describe = hints.get("expert", ""), hints.get("describe", "")
        return View((), turn, rng, graph.keys[state], MappingProxyType(info), tuple(menu), expert, describe), order

    def _distribution(self, view: View, reply: Reply | str) -> Floats:
        logprobs = None if isinstance(reply, str) else reply.menu_logprobs
        where = f"task {view.info['task']!r} turn {view.turn}"
        if logprobs is None:
            raise NoMenuPolicy(
                f"the policy returned no menu_logprobs at {where}, and the tree needs the probability of every action: "
                "let it return Reply(text, menu_logprobs=…) over view.menu, or use method='forks'"
            )
        probability = np.exp(np.asarray(logprobs, np.float64))
        total = probability.sum()
        if probability.shape != (len(view.menu),) or not abs(total - 1.0) < 1e-3:
            raise FidelityError(
                f"the policy's menu_logprobs at {where} are no distribution over the menu of {len(view.menu)} "
                f"(shape {probability.shape}, sum {total:.6g}): return one finite or -inf log-probability an entry"
            )
        probability[probability < NEVER] = 0.0
        normalised: Floats = probability / probability.sum()
        return normalised


class NoMenuPolicy(FidelityError):
    """The policy does not say how likely it finds each action."""
