"""Hindsight estimators: options to draw, claims, and the formulas as loops."""

import math

from tests.agentgym.credit_cases import GAMMA, REWARDS, SCALE, VOTES, Form
from tests.agentgym.slow_loops import group_normal, pays, rollouts, within

OPTIONS = {
    "hcapo": {
        **(REWARDS | GAMMA | VOTES | SCALE),
        "variant": ("trajectory_mean", "policy_ratio"),
        "temperature": (5.0, 1.0, 0.2),
        "clip": ((0.8, 1.2), (0.0, 3.0)),
        "smoothing": (None, 0.5, 1.0),
        "hindsight_weight": (1.0, 0.5),
        "do_no_harm": (True, False),
    },
}

FORMS = [
    Form("hcapo", {}, "order apart standardised linear"),
    Form("hcapo", {"variant": "policy_ratio", "smoothing": 0.5}, "order apart standardised linear"),
]


def hcapo(
    rows,
    *,
    variant,
    rewards,
    gamma,
    temperature,
    clip,
    smoothing,
    hindsight_weight,
    do_no_harm,
    votes,
    singleton,
    **scale,
):
    paid, parts = pays(rows, rewards), rollouts(rows)
    value = {name: sum(paid[n] for n in numbers) for name, numbers in parts.items()}
    q = [0.0] * len(rows)
    for name, numbers in parts.items():
        p = [math.exp(rows[n]["hindsight_logprob"] / temperature) for n in numbers]
        if variant == "policy_ratio":
            rho = [math.exp((rows[n]["hindsight_logprob"] - rows[n]["logprob"]) / temperature) for n in numbers]
        else:
            rho = [x / (sum(p) / len(p)) for x in p]
        rho = [min(max(x, clip[0]), clip[1]) for x in rho]
        raw = [rho[t] * gamma ** (len(numbers) - 1 - t) * value[name] for t in range(len(numbers))]
        for t, n in enumerate(numbers):
            q[n] = raw[t]
            if smoothing is not None and t + 1 < len(numbers):
                q[n] = smoothing * raw[t] + (1 - smoothing) * raw[t + 1]
    hindsight = within(rows, q, lambda n: rows[n]["group"], **scale)
    if do_no_harm:
        hindsight = [max(x, 0.0) if row["success"] else x for x, row in zip(hindsight, rows, strict=True)]
    episode = group_normal(rows, value, votes, singleton, **scale)
    return {"episode": episode, "hindsight": [hindsight_weight * x for x in hindsight]}
