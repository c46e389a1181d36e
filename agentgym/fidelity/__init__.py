"""The true advantages of a batch's turns, and how well estimators recover them."""

from agentgym.fidelity.graphs import Graphs
from agentgym.fidelity.record import LEAST_CEILING, FidelityError, TooManyNodes, Truth
from agentgym.fidelity.reference import reference_lines
from agentgym.fidelity.score import (
    METRICS,
    Difference,
    FidelityScore,
    Interval,
    Judge,
    compare,
    rank,
    score,
)
from agentgym.fidelity.truth import fork_values, true_advantages

__all__ = [
    "LEAST_CEILING",
    "METRICS",
    "Difference",
    "FidelityError",
    "FidelityScore",
    "Graphs",
    "Interval",
    "Judge",
    "TooManyNodes",
    "Truth",
    "compare",
    "fork_values",
    "rank",
    "reference_lines",
    "score",
    "true_advantages",
]
