"""Trajectory-level estimators: options to draw, claims, and the formulas as loops."""

from tests.agentgym.credit_cases import REWARDS, SCALE, VOTES, Form
from tests.agentgym.slow_loops import group_normal, pays, rollouts

OPTIONS = {"grpo": REWARDS | VOTES | SCALE}

FORMS = [
    Form("grpo", {}, "order apart outcome_shift standardised linear flat lone"),
    Form("grpo", {"normalise": "none", "rewards": "outcome"}, "order apart outcome_shift linear flat lone"),
    Form("grpo", {"preset": "verl_agent"}, "order apart"),
    Form("grpo", {"votes": "token", "preset": "trl"}, "order apart outcome_shift flat lone"),
]


def grpo(rows, *, rewards, votes, singleton, **scale):
    paid = pays(rows, rewards)
    value = {key: sum(paid[n] for n in numbers) for key, numbers in rollouts(rows).items()}
    return {"episode": group_normal(rows, value, votes, singleton, **scale)}
