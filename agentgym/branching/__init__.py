"""Schemes for `collect(branching=…)`: rollouts that are restarted from moments inside them.

`Slate` samples every turn several times from one shared prefix, `Vine` values each turn's start by fresh continuations,
`Graft` grows new rollouts where a group's rollouts diverged.
"""

from agentgym.branching.graft import Graft, Pair, grafting_pairs
from agentgym.branching.slate import Slate, unfold
from agentgym.branching.vine import Vine

__all__ = ["Graft", "Pair", "Slate", "Vine", "grafting_pairs", "unfold"]
