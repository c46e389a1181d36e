"""State graphs over mean returns: options to draw, claims, and the formulas as loops."""

from itertools import pairwise

from tests.agentgym.credit_cases import GAMMA, REWARDS, SCALE, VOTES, Form
from tests.agentgym.slow_loops import group_normal, pays, returns, rollouts, within

KEY = {"key": ("anchor", "state")}
OPTIONS = {
    "gagpo": {**(REWARDS | GAMMA | SCALE | KEY), "lam": (0.0, 0.5, 0.95, 1.0)},
    "g2po": {
        **(REWARDS | GAMMA | VOTES | SCALE | KEY),
        "episode_weight": (1.0, 0.0),
        "local_weight": (1.0, 0.5),
        "edge_weight": (1.0, 2.0),
        "invalid_penalty": (0.0, 0.1),
    },
    "bipace": {
        **(REWARDS | GAMMA | VOTES | SCALE | KEY),
        "episode_weight": (1.0, 0.5),
        "step_weight": (1.0, 0.5),
        "min_peers": (1, 2, 3),
    },
}

FORMS = [
    Form("gagpo", {}, "order apart standardised linear"),
    Form("gagpo", {"lam": 1.0, "key": "state", "normalise": "none"}, "order apart standardised linear"),
    Form("g2po", {}, "order apart standardised linear"),
    Form("g2po", {"preset": "released", "normalise": "none", "key": "state"}, "order apart"),
    Form("bipace", {}, "order apart linear"),
    Form("bipace", {"min_peers": 1, "normalise": "none", "key": "state"}, "order apart linear"),
]


def mean_at(rows, values, key):
    """{(group, state): mean of the values of its rows}."""
    found = {}
    for row, x in zip(rows, values, strict=True):
        found.setdefault((row["group"], row[key]), []).append(x)
    return {node: sum(xs) / len(xs) for node, xs in found.items()}


def gagpo(rows, *, rewards, gamma, lam, key, **scale):
    paid, ahead = pays(rows, rewards), [0.0] * len(rows)
    value = mean_at(rows, returns(rows, paid, gamma), key)
    at = lambda n: value[rows[n]["group"], rows[n][key]]
    for numbers in rollouts(rows).values():
        gae = 0.0
        for k in reversed(range(len(numbers))):
            after = at(numbers[k + 1]) if k + 1 < len(numbers) else 0.0
            gae = paid[numbers[k]] + gamma * after - at(numbers[k]) + gamma * lam * gae
            ahead[numbers[k]] = gae
    return {"graph": within(rows, ahead, lambda n: rows[n]["group"], **scale)}


def g2po(rows, *, rewards, gamma, key, votes, singleton, invalid_penalty, **options):
    weights = {term: options.pop(f"{term}_weight") for term in ("episode", "local", "edge")}
    paid, parts = pays(rows, rewards), rollouts(rows)
    score = {name: sum(paid[n] for n in numbers) for name, numbers in parts.items()}
    x, after = [0.0] * len(rows), [0.0] * len(rows)
    for name, numbers in parts.items():
        for k, n in enumerate(numbers):
            x[n] = gamma ** (len(numbers) - k) * score[name]
    value = mean_at(rows, x, key)
    node = lambda n: (rows[n]["group"], rows[n][key])
    for name, numbers in parts.items():
        for here, there in pairwise(numbers):
            after[here] = value[node(there)]
        after[numbers[-1]] = score[name] if rows[numbers[-1]]["success"] else 0.0
    fined = [v - (0.0 if row["valid"] else invalid_penalty) for v, row in zip(after, rows, strict=True)]
    terms = {
        "episode": group_normal(rows, score, votes, singleton, **options),
        "local": within(rows, fined, node, **options),
        "edge": within(rows, [after[n] - value[node(n)] for n in range(len(rows))], lambda n: node(n)[0], **options),
    }
    return {term: [weights[term] * v for v in values] for term, values in terms.items()}


def bipace(rows, *, rewards, gamma, episode_weight, step_weight, min_peers, key, votes, singleton, **scale):
    paid, step = pays(rows, rewards), [0.0] * len(rows)
    score = {name: sum(paid[n] for n in numbers) for name, numbers in rollouts(rows).items()}
    g = returns(rows, paid, gamma)
    for n, row in enumerate(rows):
        state = [m for m, other in enumerate(rows) if (other["group"], other[key]) == (row["group"], row[key])]
        same = [m for m in state if rows[m]["action"] == row["action"]]
        if len(state) == 1:
            continue
        if len(same) >= min_peers:
            step[n] = sum(g[m] for m in same) / len(same) - sum(g[m] for m in state) / len(state)
        else:
            step[n] = g[n] - sum(g[m] for m in state if m != n) / (len(state) - 1)
    episode = group_normal(rows, score, votes, singleton, **scale)
    return {"episode": [episode_weight * x for x in episode], "step": [step_weight * x for x in step]}
