"""Shared prefixes against whole rollouts: how the variance of the advantage grows with the horizon, and what it misses.

A conversation of T turns in which the policy chooses "one" or "none" with equal chance. A turn pays 1 for "one", and
`later` more a turn after it (nothing follows the last turn). Two ways to spend k·T turns of the world a group:

- k whole rollouts, A = R - mean of R over the group, the same on every turn (grpo without its division);
- one line of `collect(branching=Slate(k))`, A = r - mean of r over the k candidates of a prefix (slate without its).

Where all is paid at once, R sums T independent choices of variance ¼ and r holds one, so the variances are in the ratio
T : 1, which is SLATE's claim. With later = -2 a turn's own reward says the opposite of what its choice is worth: the
variances are in the same ratio, and the estimate of shared prefixes points the wrong way. A small variance alone says
nothing, so beside the ratio stands each estimate's correlation with the true advantages, of the tree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from agentgym import AgentEnv, EndReason, Opening, Outcome, RewardSpec, Task, TurnRng, credit
from agentgym.baselines.benchmark.summary import t_interval
from agentgym.baselines.claims.verdicts import interval
from agentgym.baselines.features import Floats
from agentgym.baselines.policies import RandomPolicy
from agentgym.batch import TurnBatch
from agentgym.branching import Slate, unfold
from agentgym.fidelity import true_advantages
from agentgym.rollout import collect
from agentgym.turn import Turn

HORIZONS = (1, 2, 4, 8, 16)
LATER: Mapping[str, float] = {"paid at once": 0.0, "costs twice a turn later": -2.0}
WAYS = ("rollouts", "prefixes")
"""Whole rollouts, and shared prefixes."""


class Choices(AgentEnv[float]):
    """T turns, T being `max_turns`; each pays for its choice, and `later` times as much for the choice before it.

    The state is the choice before, 0 or 1.
    """

    panel = tuple(Task(f"talk-{number}") for number in range(512))
    rewards = RewardSpec({"choice": 1.0})

    def __init__(self, *, later: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.later = later

    def initial(self, task: Task, rng: TurnRng) -> Opening[float]:
        """Begin with nothing chosen."""
        return Opening(0.0, "Say one or none.")

    def transition(self, state: float, action: Any, rng: TurnRng) -> Turn[float]:
        """Pay for this choice and for the one before."""
        chosen = 1.0 if action.text == "one" else 0.0
        return Turn(chosen, "", {"choice": chosen + self.later * state})

    def timeout(self, state: float) -> Outcome:
        """End without an outcome to speak of."""
        return Outcome(False, 0.0, EndReason.TURN_LIMIT)

    def menu(self, state: float) -> Sequence[str]:
        """Offer the two choices."""
        return ("one", "none")

    def describe(self, state: float) -> str:
        """Say what was chosen before."""
        return f"{state:g}"


def measure(seeds: int = 12, groups: int = 16, k: int = 8, horizons: Sequence[int] = HORIZONS) -> list[dict[str, Any]]:
    """Return a row for each reward and horizon: "value" is the ratio of the variances, whole rollouts to prefixes.

    "variance" holds both variances, "agreement" each estimate's correlation with the true advantages, by way of
    sampling, with Student's interval over seeds. A seed spends `groups`·k·T turns of the world on each.
    """
    rows = []
    for name, later in LATER.items():
        for horizon in horizons:
            found = [one(seed, later, horizon, groups, k) for seed in range(seeds)]
            rows.append(
                {
                    "label": f"{name}, T = {horizon}",
                    "horizon": horizon,
                    "later": later,
                    **t_interval([each["rollouts"][0] / each["prefixes"][0] for each in found]),
                    "variance": {way: t_interval([each[way][0] for each in found]) for way in WAYS},
                    "agreement": {way: t_interval([each[way][1] for each in found]) for way in WAYS},
                }
            )
    return rows


def one(seed: int, later: float, horizon: int, groups: int, k: int) -> dict[str, tuple[float, float]]:
    """Return (variance, correlation with the truth) of the advantages that each way of sampling estimates."""
    world, policy = Choices(later=later, max_turns=horizon), RandomPolicy()
    start = seed * groups
    whole = collect(world, policy, tasks=groups, group_size=k, seed=start)
    lines = collect(world, policy, tasks=groups, group_size=1, seed=start, branching=Slate(k))
    by_rollout = credit.estimate("grpo", whole, normalise="none").total
    by_prefix = credit.estimate("slate", lines, normalise="none").total
    played = unfold(lines)
    return {
        "rollouts": _judged(by_rollout, _truth(world, policy, whole)),
        "prefixes": _judged(by_prefix, _truth(world, policy, played)[played.last]),
    }


def _truth(world: Choices, policy: RandomPolicy, batch: TurnBatch) -> Floats:
    return true_advantages(batch, policy, env=world, objective="total", method="tree").advantage


def _judged(estimate: Floats, truth: Floats) -> tuple[float, float]:
    return float(np.var(estimate)), float(np.corrcoef(estimate, truth)[0, 1])


def decide(rows: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Return the verdict on SLATE's claim and the figures that decide."""
    plain = [row for row in rows if row["later"] == 0.0 and row["horizon"] > 1]
    shown = all(row["low"] > 1.0 and 0.8 <= row["value"] / row["horizon"] <= 1.25 for row in plain)
    longest = plain[-1]
    other = rows[-1]["agreement"]["prefixes"]
    return "shown" if shown else "refuted", (
        f"whole rollouts vary {interval(longest, 1)} times as much at T = {longest['horizon']}; where a choice costs "
        f"later, the estimate of shared prefixes has a correlation of {interval(other)} with the truth"
    )
