"""State graphs: options to draw, claims, and the formulas as loops."""

import math
from itertools import pairwise

from tests.agentgym.credit_cases import REWARDS, Form
from tests.agentgym.slow_loops import normal, pays, rollouts

OPTIONS = {
    "state_graph": {
        **REWARDS,
        "gamma": (0.0, 0.5, 0.9, 0.95),
        "prior": (0.0, 0.3, 1.0),
        "key": ("anchor", "state"),
        "normalise": ("std", "none"),
        "eps": (1e-6, 1e-2),
    },
}

FORMS = [
    Form("state_graph", {}, "order apart standardised linear"),
    Form("state_graph", {"key": "state", "prior": 0.0, "normalise": "none"}, "order apart standardised linear"),
]


def state_graph(rows, *, rewards, gamma, prior, key, normalise, eps):
    paid, result = pays(rows, rewards), [0.0] * len(rows)
    for group in {row["group"] for row in rows}:
        here = [n for n, row in enumerate(rows) if row["group"] == group]
        parts = [numbers for name, numbers in rollouts(rows).items() if name[0] == group]
        mean = sum(sum(paid[n] for n in numbers) for numbers in parts) / len(parts)
        after = {a: rows[b][key] for numbers in parts for a, b in pairwise(numbers)}
        after |= {numbers[-1]: rows[numbers[-1]]["next_state"] for numbers in parts}
        nodes = sorted({rows[n][key] for n in here})
        value = dict(zip(nodes, _values(rows, here, nodes, after, paid, mean, gamma, prior, key), strict=True))
        for n in here:
            ahead = 0.0 if rows[n]["terminated"] else value.get(after[n], mean)
            result[n] = paid[n] + gamma * ahead - value[rows[n][key]]
        if normalise == "std":
            flat = normal([result[n] for n in here], normalise="none")
            scale = math.sqrt(sum(x * x for x in flat) / len(here)) + eps
            for n in here:
                result[n] = result[n] / scale if any(flat) else 0.0
    return {"graph": result}


def _values(rows, here, nodes, after, paid, mean, gamma, prior, key):
    """(n_s + κ)·V(s) - γ·Σ c·V(s') = Σ ρ + κ·μ for every node, by Gauss-Jordan elimination."""
    size = len(nodes)
    table = [[0.0] * (size + 1) for _ in nodes]
    for s in range(size):
        table[s][s] += prior
        table[s][size] += prior * mean
    for n in here:
        s = nodes.index(rows[n][key])
        table[s][s] += 1.0
        table[s][size] += paid[n]
        if not rows[n]["terminated"]:
            if after[n] in nodes:
                table[s][nodes.index(after[n])] -= gamma
            else:
                table[s][size] += gamma * mean
    for i in range(size):
        best = max(range(i, size), key=lambda r: abs(table[r][i]))
        table[i], table[best] = table[best], table[i]
        table[i] = [x / table[i][i] for x in table[i]]
        for r in range(size):
            if r != i:
                table[r] = [x - table[r][i] * y for x, y in zip(table[r], table[i], strict=True)]
    return [row[size] for row in table]
