"""What every module of this folder makes of its world: raw_env, env and parallel_env."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from pettingzoo.utils.conversions import turn_based_aec_to_parallel_wrapper
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from agentgym.envs.pettingzoo.view import OVER, DialogueEnv, SpeakerError
from agentgym.errors import StepAfterEnd

Ordered: TypeAlias = OrderEnforcingWrapper[str, dict[str, str], Any]


def ordered(raw: DialogueEnv) -> Ordered:
    """Return an environment in PettingZoo's usual wrapper, which refuses calls before reset."""
    return OrderEnforcingWrapper(raw)


class ParallelDialogue(turn_based_aec_to_parallel_wrapper):  # type: ignore[misc]  # PettingZoo ships no types
    """Both speakers in PettingZoo's parallel form, one turn a step.

    Each step takes the words of whoever is to speak, and passes over what the other may have put in: every agent's info
    says in "active_agent" whose turn it is.
    """

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, dict[str, str]], dict[str, dict[str, Any]]]:
        """Start an episode; return observations and infos."""
        observations, infos = super().reset(seed=seed, options=options)
        for info in infos.values():
            info["active_agent"] = self.aec_env.agent_selection
        return dict(observations), dict(infos)

    def step(self, actions: Mapping[str, Any]) -> Any:
        """Take one turn.

        Raises:
            SpeakerError: no action of the agent whose turn it is.
            StepAfterEnd: nobody is left to speak.
        """
        if not getattr(self, "agents", None):
            raise StepAfterEnd(OVER.format(self.metadata["name"]))
        speaker = self.aec_env.agent_selection
        if speaker not in actions:
            given = ", ".join(map(str, actions)) or "nobody"
            raise SpeakerError(f"{self.metadata['name']}: it is {speaker}'s turn to speak, not {given}'s")
        return super().step(dict(actions))


def parallel(raw: DialogueEnv) -> ParallelDialogue:
    """Return the parallel form of an environment."""
    return ParallelDialogue(ordered(raw))
