"""The true advantages of a batch's turns, and how well estimators recover them."""

from agentgym.fidelity.graph import Graphs
from agentgym.fidelity.record import FidelityError, TooManyNodes, Truth
from agentgym.fidelity.truth import true_advantages

__all__ = ["FidelityError", "Graphs", "TooManyNodes", "Truth", "true_advantages"]
