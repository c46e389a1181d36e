"""The wrappers of `agentgym.wrappers` for vector environments: GroupVectorEnv, and Gymnasium's Sync and Async."""

from agentgym.wrappers.vector.advantage import HindsightAdvantage, StepGroupAdvantage, TurnAdvantage
from agentgym.wrappers.vector.record import RecordTurns
from agentgym.wrappers.vector.reward import RewardTerms

__all__ = ["HindsightAdvantage", "RecordTurns", "RewardTerms", "StepGroupAdvantage", "TurnAdvantage"]
