"""collect and acollect: a policy plays tasks in groups, and every turn becomes one row of a TurnBatch."""

from agentgym.rollout.concurrent import acollect
from agentgym.rollout.lockstep import collect, play_all
from agentgym.rollout.run import Branching, Run
from agentgym.rollout.views import Policy, PolicyError, Reply, RolloutError, View
from agentgym.rollout.worlds import build

__all__ = [
    "Branching",
    "Policy",
    "PolicyError",
    "Reply",
    "RolloutError",
    "Run",
    "View",
    "acollect",
    "build",
    "collect",
    "play_all",
]
