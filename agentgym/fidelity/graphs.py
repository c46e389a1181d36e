"""Graphs kept between calls."""

from __future__ import annotations

import json
from collections import OrderedDict
from typing import Any

from agentgym.env import AgentEnv
from agentgym.fidelity.graph import Graph
from agentgym.reward import RewardSpec
from agentgym.rollout import build

APART = frozenset({"signals", "render_mode"})
"""Arguments that change what a world shows, but no state, menu, transition or reward."""


class Graphs:
    """Graphs kept between calls, so that other policies and redrawn batches on the same tasks reuse them.

    The truth does not depend on what is kept. When more than `max_states` are held, the graphs used longest ago go.

    Args:
        max_states: most states held after a call, over all worlds (BabyAI: about 1 kB each).
    """

    def __init__(self, max_states: int = 500_000) -> None:
        self.max_states = max_states
        self._kept: OrderedDict[tuple[type, str], Graph] = OrderedDict()

    def __len__(self) -> int:
        """Return the number of states held."""
        return sum(map(len, self._kept.values()))

    def take(self, env: AgentEnv[Any], spec: RewardSpec) -> Graph:
        """Return the kept graph of an equal world, or a new one.

        Worlds are equal if they are of one class (not of two that share a name, as a function that makes classes or a
        redefined notebook cell gives), with equal arguments. A world with arguments that are not exactly JSON (a
        function, a model) gets a new graph each time; tasks are known by the panel's hash.
        """
        if env.signals:  # nobody reads them here, and some cost more than the turn itself
            env = build(env, {"signals": ()})
        made = env.spec_dict()
        if set(made["opaque"]) - APART - {"tasks"}:
            return Graph(env, spec)
        kwargs = {name: value for name, value in made["kwargs"].items() if name not in APART}
        weights = (sorted(spec.weights.items()), spec.default, spec.outcome, spec.invalid)
        world = (env.version, env.base_hash, made["panel"])
        key = (type(env), json.dumps([world, env.max_turns, kwargs, weights], sort_keys=True))
        graph = self._kept.pop(key, None) or Graph(env, spec)
        self._kept[key] = graph
        return graph

    def trim(self) -> None:
        """Let go of what is over the bound."""
        while len(self) > self.max_states:
            self._kept.popitem(last=False)
