"""collect and acollect: a policy plays tasks in groups, and every turn becomes one row of a TurnBatch."""

from agentgym.rollout.concurrent import acollect
from agentgym.rollout.lockstep import collect
from agentgym.rollout.views import Policy, PolicyError, Reply, RolloutError, View
from agentgym.rollout.worlds import build

__all__ = ["Policy", "PolicyError", "Reply", "RolloutError", "View", "acollect", "build", "collect"]
