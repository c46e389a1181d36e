"""Hindsight credit assignment: options to draw, claims, and the formula as a loop."""

import math

from tests.agentgym.credit_cases import GAMMA, REWARDS, Form
from tests.agentgym.slow_loops import pays, returns

OPTIONS = {
    "hca": {
        **(REWARDS | GAMMA),
        "variant": ("return", "counts"),
        "max_ratio": (100.0, 1.0, 2.5),
        "key": ("anchor", "state"),
    },
}

FORMS = [
    Form("hca", {}, "order apart"),
    Form("hca", {"variant": "counts", "gamma": 0.95}, "order apart"),
]


def hca(rows, *, variant, rewards, gamma, max_ratio, key):
    z = returns(rows, pays(rows, rewards), gamma)
    result = []
    for n, row in enumerate(rows):
        pi = math.exp(row["logprob"] * row["tokens"])
        if variant == "return":
            h = math.exp(row["hindsight_logprob"] * row["tokens"])
        else:
            alike = [
                m
                for m, other in enumerate(rows)
                if (other["group"], other[key]) == (row["group"], row[key]) and abs(z[m] - z[n]) < 1e-9
            ]
            h = sum(rows[m]["action"] == row["action"] for m in alike) / len(alike)
        result.append((1 - min(pi / h, max_ratio)) * z[n])
    return {"hindsight": result}
