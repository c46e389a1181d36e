"""REINFORCE++: options to draw, claims, and the formulas as loops."""

import math

from tests.agentgym.credit_cases import GAMMA, REWARDS, Form
from tests.agentgym.slow_loops import group_normal, pays, returns, rollouts

WHITENING = {"ddof": (0, 1), "eps": (1e-8, 1e-4, 1e-2)}
OPTIONS = {
    "reinforce_pp": REWARDS | GAMMA | WHITENING,
    "reinforce_pp_baseline": REWARDS | WHITENING | {"singleton": ("zero", "raw")},
}

FORMS = [
    Form("reinforce_pp", {}, "order standardised"),
    Form("reinforce_pp", {"gamma": 0.5, "rewards": "outcome", "ddof": 0}, "order standardised"),
    Form("reinforce_pp_baseline", {}, "order outcome_shift equal_turn_shift standardised flat"),
    Form("reinforce_pp_baseline", {"preset": "verl"}, "order standardised"),
]


def reinforce_pp(rows, *, rewards, gamma, ddof, eps):
    return {"return": whitened(rows, returns(rows, pays(rows, rewards), gamma), ddof, eps)}


def reinforce_pp_baseline(rows, *, rewards, ddof, eps, singleton):
    paid = pays(rows, rewards)
    value = {key: sum(paid[n] for n in numbers) for key, numbers in rollouts(rows).items()}
    relative = group_normal(rows, value, singleton=singleton, normalise="none", eps=0.0)
    return {"episode": whitened(rows, relative, ddof, eps)}


def whitened(rows, values, ddof, eps):
    """Over one entry a token."""
    entries = [x for row, x in zip(rows, values, strict=True) for _ in range(row["tokens"])]
    if not entries or max(entries) - min(entries) < 1e-12:
        return [0.0] * len(rows)
    mean = math.fsum(entries) / len(entries)
    variance = math.fsum((x - mean) ** 2 for x in entries) / (len(entries) - ddof)
    return [(x - mean) / math.sqrt(variance + eps) for x in values]
