"""The view of optimal play: the same estimates against the truth under the expert instead of the acting policy.

A(s, a) under the expert is what the action changes if the expert plays on. A signal can be right about that and of no
use to the policy that acts, and the reverse, so the two are reported side by side and never mixed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import ArrayLike

from agentgym.baselines.policies import ExpertPolicy, MenuPolicy
from agentgym.batch import TurnBatch
from agentgym.fidelity import Graphs, Interval, Judge, Truth, true_advantages


def expert_view(
    batch: TurnBatch,
    policy: MenuPolicy,
    acting: Truth,
    estimates: Mapping[str, ArrayLike],
    *,
    graphs: Graphs,
    max_nodes: int,
    samples: int,
    seed: int,
) -> dict[str, Any]:
    """Return the rank correlation of every estimate with the advantages under the expert.

    Args:
        batch: the record, of a world with an expert.
        policy: that played it.
        acting: the truth under that policy.
        estimates: name → one value a row.
        graphs: as in `true_advantages`.
        max_nodes: as there.
        samples: bootstrap draws of tasks.
        seed: as there.

    Returns:
        JSON: "ceiling" and "method" of that truth; "acting", its correlation with the truth under the acting policy;
        "estimators": name → value, low, high.
    """
    truth = true_advantages(batch, policy, under=ExpertPolicy(), graphs=graphs, max_nodes=max_nodes, seed=seed)
    judge = Judge(truth, batch, samples=samples, seed=seed)
    found = {name: _interval(judge.spearman(values, name)) for name, values in estimates.items()}
    agreed = _interval(judge.spearman(acting.advantage, "the acting policy's advantage"))
    return {"ceiling": truth.ceiling, "method": truth.method, "acting": agreed, "estimators": found}


def _interval(found: Interval) -> dict[str, float]:
    return {"value": found.value, "low": found.low, "high": found.high}
