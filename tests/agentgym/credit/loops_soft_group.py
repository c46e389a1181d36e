"""Soft step groups: options to draw, claims, and the formula as loops."""

import math
import re
from collections import Counter

from tests.agentgym.credit_cases import GAMMA, REWARDS, SCALE, VOTES, Form
from tests.agentgym.slow_loops import group_normal, pays, returns, rollouts

OPTIONS = {
    "proxmo": {
        **(REWARDS | GAMMA | VOTES),
        "ddof": SCALE["ddof"],
        "eps": SCALE["eps"],
        "episode_std": (True, False),
        "step_weight": (1.0, 0.5),
        "temperature": (0.1, 1.0, 0.02),
        "max_features": (1024, 1, 3),
        "alpha": (4.0, 1.0),
        "target_range": (0.05, 0.5),
        "success_from": ("flag", "score"),
    },
}

FORMS = [
    Form("proxmo", {}, "order"),
    Form("proxmo", {"preset": "released"}, "order"),
    Form("proxmo", {"temperature": 1.0, "max_features": 2, "votes": "turn", "ddof": 1}, "order"),
]


def vectors(texts, limit):
    """One {term: weight} a text, of length 1 or empty."""
    counts = [Counter(re.findall(r"(?u)\b\w\w+\b", text.lower())) for text in texts]
    total = sum(counts, Counter())
    kept = sorted(total, key=lambda term: (-total[term], term))[:limit]
    rare = {term: math.log((1 + len(texts)) / (1 + sum(term in found for found in counts))) + 1 for term in kept}
    weights = [{term: found[term] * rare[term] for term in kept if term in found} for found in counts]
    lengths = [math.sqrt(sum(w * w for w in found.values())) for found in weights]
    return [{term: w / size for term, w in found.items()} for found, size in zip(weights, lengths, strict=True)]


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def proxmo(rows, *, rewards, gamma, temperature, max_features, alpha, target_range, success_from, **options):
    step_weight, normalise = options.pop("step_weight"), "std" if options.pop("episode_std") else "none"
    paid, parts, step, weight = pays(rows, rewards), rollouts(rows), [0.0] * len(rows), [1.0] * len(rows)
    score = {name: sum(paid[n] for n in numbers) for name, numbers in parts.items()}
    g, seen = returns(rows, paid, gamma), vectors([row["observation"] for row in rows], max_features)
    for n, row in enumerate(rows):
        here = [m for m, other in enumerate(rows) if other["group"] == row["group"]]
        near = [math.exp(sum(w * seen[m].get(term, 0.0) for term, w in seen[n].items()) / temperature) for m in here]
        step[n] = step_weight * (g[n] - sum(k * g[m] for k, m in zip(near, here, strict=True)) / sum(near))
    for name, numbers in parts.items():
        peers = [other for other in parts if other[0] == name[0]]
        if success_from == "flag":
            won = rows[numbers[0]]["success"]
            p = sum(rows[parts[other][0]]["success"] for other in peers) / len(peers)
        else:
            won, p = score[name] > 0.5, min(max(sum(score[other] for other in peers) / len(peers), 0.0), 1.0)
        beta = target_range / (sigmoid(1) - 0.5)
        for n in numbers:
            weight[n] = 1 + beta * (sigmoid((1 - p) ** alpha if won else -(p**alpha)) - 0.5)
    episode = group_normal(rows, score, normalise=normalise, **options)
    return {"episode": [w * x for w, x in zip(weight, episode, strict=True)], "step": step}
