"""Revision: options to draw, claims, and the formula as a loop."""

from tests.agentgym.credit_cases import REWARDS, SCALE, VOTES, Form
from tests.agentgym.slow_loops import group_normal, pays, rollouts

OPTIONS = {
    "ibpo": {
        **(REWARDS | VOTES | SCALE),
        "shaping_weight": (0.6, 0.0, 1.0),
        "revision_credit": (0.5, 1.0),
    },
}

FORMS = [
    Form("ibpo", {}, "order apart outcome_shift lone"),
    Form("ibpo", {"normalise": "none", "votes": "turn"}, "order apart outcome_shift lone"),
]


def ibpo(rows, *, rewards, shaping_weight, revision_credit, votes, singleton, **scale):
    paid, shaped = pays(rows, rewards), {}
    for key, numbers in rollouts(rows).items():
        mended = [ok for n in numbers for ok in rows[n]["revision_ok"]]
        phi = 0.0
        if not rows[numbers[0]]["success"] and mended:
            phi = revision_credit * sum(mended) / len(mended)
        shaped[key] = sum(paid[n] for n in numbers) + shaping_weight * phi
    return {"episode": group_normal(rows, shaped, votes, singleton, **scale)}
