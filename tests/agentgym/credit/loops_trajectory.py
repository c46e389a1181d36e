"""Trajectory-level estimators: options to draw, claims, and the formulas as loops."""

from tests.agentgym.credit_cases import REWARDS, SCALE, VOTES, Form
from tests.agentgym.slow_loops import group_normal, pays, rollouts

OPTIONS = {"grpo": REWARDS | VOTES | SCALE, "dr_grpo": REWARDS | VOTES, "rloo": REWARDS | VOTES}

FORMS = [
    Form("grpo", {}, "order apart outcome_shift equal_turn_shift standardised linear flat lone"),
    Form("grpo", {"normalise": "none", "rewards": "outcome"}, "order apart outcome_shift linear flat lone"),
    Form("grpo", {"preset": "verl_agent"}, "order apart"),
    Form("grpo", {"votes": "token", "preset": "trl"}, "order apart outcome_shift flat lone"),
    Form("dr_grpo", {}, "order apart outcome_shift equal_turn_shift linear flat lone"),
    Form("dr_grpo", {"votes": "token", "preset": "verl"}, "order apart linear"),
    Form("rloo", {}, "order apart outcome_shift equal_turn_shift linear flat lone"),
    Form("rloo", {"votes": "turn"}, "order apart outcome_shift linear flat lone"),
    Form("rloo", {"preset": "verl_agent", "rewards": "outcome"}, "order apart linear"),
]


def grpo(rows, *, rewards, votes, singleton, **scale):
    paid = pays(rows, rewards)
    value = {key: sum(paid[n] for n in numbers) for key, numbers in rollouts(rows).items()}
    return {"episode": group_normal(rows, value, votes, singleton, **scale)}


def dr_grpo(rows, **options):
    return grpo(rows, normalise="none", **options)


def rloo(rows, *, rewards, votes, singleton):
    paid, parts, result = pays(rows, rewards), rollouts(rows), [0.0] * len(rows)
    value = {key: sum(paid[n] for n in numbers) for key, numbers in parts.items()}
    ballots = {
        key: {"trajectory": 1, "turn": len(numbers), "token": sum(rows[n]["tokens"] for n in numbers)}[votes]
        for key, numbers in parts.items()
    }
    for key, numbers in parts.items():
        group = [other for other in parts if other[0] == key[0]]
        # All votes of the group but one of the rollout's own; with one vote each these are the other rollouts.
        others = sum(ballots[other] for other in group) - 1
        if len(group) == 1:
            baseline = value[key] if singleton == "zero" else 0.0
        elif others > 0:
            baseline = (sum(ballots[other] * value[other] for other in group) - value[key]) / others
        elif others == 0:  # a single vote: the distance to its holder
            baseline = sum(ballots[other] * value[other] for other in group)
        else:
            baseline = value[key]
        voters = [value[other] for other in group if ballots[other]]
        alike = len(group) > 1 and (not voters or max(voters) - min(voters) < 1e-12)
        for n in numbers:
            result[n] = 0.0 if alike else value[key] - baseline
    return {"episode": result}
