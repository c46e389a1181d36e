"""Transition estimators: options to draw, claims, and the formulas as loops."""

from tests.agentgym.credit_cases import SCALE, VOTES, Form
from tests.agentgym.slow_loops import group_normal, rollouts

PUBLISHED = {"LH": 1.0, "HL": -1.5, "LL": 0.0, "HH": 0.0}
OPTIONS = {
    "atr": {
        "matrix": (PUBLISHED, {"LH": 0.5, "HL": -1.0, "LL": -0.25, "HH": 0.25}),
        "tau": (0.5, 0.3, 0.0),
        "inside": ("matrix", "signed"),
        "initial_score": (0.0, 0.75),
        **VOTES,
        **SCALE,
    },
}

FORMS = [
    Form("atr", {}, "order apart lone"),
    Form("atr", {"inside": "signed", "normalise": "none"}, "order apart lone"),
]


def atr(rows, *, matrix, tau, inside, initial_score, votes, singleton, **scale):
    total = {}
    for key, numbers in rollouts(rows).items():
        total[key], before = 0.0, initial_score
        for n in numbers:
            score = rows[n]["step_score"]
            move = ("H" if before >= tau else "L") + ("H" if score >= tau else "L")
            if inside == "signed" and move in ("LL", "HH"):
                total[key] += score - before
            else:
                total[key] += matrix[move] * abs(score - before)
            before = score
    return {"episode": group_normal(rows, total, votes, singleton, **scale)}
