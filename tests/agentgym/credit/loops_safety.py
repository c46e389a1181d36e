"""TraCeS: options to draw, claims, and the formula as a loop."""

from tests.agentgym.credit.loops_trajectory import grpo
from tests.agentgym.credit_cases import SCALE, Form
from tests.agentgym.slow_loops import rollouts, within

OPTIONS = {
    "traces": {
        "base": ("none", "grpo"),
        "base_options": (None,),
        "multiplier": (0.0, 0.5, 1.0, 30.0),
        "costs": ("learned", "true"),
        "clamp": ((-7.0, 0.0), (-1.0, -0.25)),
        **SCALE,
    }
}

FORMS = [
    Form("traces", {}, "order apart outcome_shift lone"),
    Form("traces", {"base": "none", "costs": "true", "normalise": "none"}, "order apart outcome_shift turn_shift lone"),
]


def traces(rows, *, base, base_options, multiplier, costs, clamp, **scale):
    assert base_options is None
    low, high = clamp
    if costs == "true":
        cost = [row["cost"] for row in rows]
    else:
        cost = [-min(max(row["log_safe"], low), high) for row in rows]
    ahead = [0.0] * len(rows)
    for numbers in rollouts(rows).values():
        for place, n in enumerate(numbers):
            ahead[n] = sum(cost[later] for later in numbers[place:])
    z = within(rows, ahead, lambda n: (rows[n]["group"], rows[n]["turn"]), **scale)
    plain = {"rewards": "total", "votes": "trajectory", "singleton": "zero", "normalise": "std", "ddof": 0, "eps": 1e-6}
    reward = grpo(rows, **plain)["episode"] if base == "grpo" else [0.0] * len(rows)
    return {
        "reward": [x / (1 + multiplier) for x in reward],
        "cost": [-multiplier * x / (1 + multiplier) for x in z],
    }
