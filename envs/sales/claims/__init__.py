"""Claims about products: what a seller's message states, and whether the catalogue says so."""

from agentgym.envs.sales.claims.check import Claim, check

__all__ = ["Claim", "check"]
