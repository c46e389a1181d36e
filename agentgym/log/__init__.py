"""RolloutLog: finished rollouts as chat JSON lines that survive a kill; replay: are they what the world does today."""

from agentgym.errors import LogError
from agentgym.log.replay import Difference, replay
from agentgym.log.store import RolloutLog

__all__ = ["Difference", "LogError", "RolloutLog", "replay"]
