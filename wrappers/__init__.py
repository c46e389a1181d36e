"""Gymnasium wrappers: advantages inside a loop, the record of what was played, rewards under other weights.

TurnAdvantage, StepGroupAdvantage, HindsightAdvantage: `credit` comes out of the loop, a value a turn.
RecordTurns: finished episodes as a TurnBatch.
RewardTerms: the reward under a RewardSpec, and its terms.

Each takes one world or a vector environment; `agentgym.wrappers.vector` holds the classes for vectors by themselves.
"""

if __name__ != "agentgym.wrappers":
    raise ImportError(f"import agentgym.wrappers, not {__name__!r}: a second copy would register everything twice.")

from agentgym.wrappers import vector
from agentgym.wrappers.advantage import HindsightAdvantage, StepGroupAdvantage, TurnAdvantage
from agentgym.wrappers.record import RecordTurns
from agentgym.wrappers.reward import RewardTerms

__all__ = ["HindsightAdvantage", "RecordTurns", "RewardTerms", "StepGroupAdvantage", "TurnAdvantage", "vector"]
