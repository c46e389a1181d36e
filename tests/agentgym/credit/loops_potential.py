"""Potential estimators: options to draw, claims, and the formulas as loops."""

from tests.agentgym.credit.loops_step_group import gigpo
from tests.agentgym.credit.loops_trajectory import grpo
from tests.agentgym.credit_cases import GAMMA, SCALE, Form
from tests.agentgym.slow_loops import group_normal, normal, returns, rollouts, within

OPTIONS = {
    "mica": {"turn_weight": (0.5, 0.4), "group_weight": (0.5, 0.6, 0.0), **GAMMA, **SCALE, "eps": (1e-8, 1e-4)},
    "stepwise_gain": {"variant": ("joint", "per_step"), **SCALE},
    "igpo": {"variant": ("gain", "gain", "shaping"), **GAMMA, **SCALE},
    "potential_shaping": {
        **GAMMA,
        "base": ("grpo", "gigpo"),
        "base_options": (None, {"normalise": "none"}, {"ddof": 1, "eps": 1e-4}, {"preset": "verl_agent"}),
    },
}

FORMS = [
    Form("mica", {}, "order apart"),
    Form("mica", {"preset": "released"}, "order apart"),
    Form("stepwise_gain", {}, "order apart"),
    Form("stepwise_gain", {"variant": "per_step"}, "order apart lone"),
    Form("igpo", {}, "order apart outcome_shift standardised"),
    Form("igpo", {"preset": "tips"}, "order apart outcome_shift lone"),
    Form("potential_shaping", {}, "order apart outcome_shift lone"),
    Form("potential_shaping", {"gamma": 0.9, "base": "mt_grpo"}, "order apart outcome_shift turn_shift lone"),
]


def gains(rows):
    return [row["next_potential"] - row["potential"] for row in rows]


def mica(rows, *, turn_weight, group_weight, gamma, **scale):
    gain = gains(rows)
    turn = within(rows, returns(rows, gain, gamma), lambda n: (rows[n]["group"], rows[n]["turn"]), **scale)
    group = within(rows, gain, lambda n: rows[n]["group"], **scale)
    return {"turn": [turn_weight * x for x in turn], "group": [group_weight * x for x in group]}


def stepwise_gain(rows, *, variant, **scale):
    same = (lambda n: rows[n]["group"]) if variant == "joint" else (lambda n: (rows[n]["group"], rows[n]["turn"]))
    return {"turn": within(rows, gains(rows), same, **scale)}


def igpo(rows, *, variant, gamma, **scale):
    if variant == "shaping":
        return grpo(shaped(rows, gamma), rewards="total", votes="trajectory", singleton="zero", **scale)
    parts, gain = rollouts(rows), gains(rows)
    lasts = {numbers[-1] for numbers in parts.values()}
    rise, paid = [0.0] * len(rows), [0.0] * len(rows)
    for group in {row["group"] for row in rows}:
        members = [n for n, row in enumerate(rows) if row["group"] == group and n not in lasts]
        for n, x in zip(members, normal([gain[n] for n in members], **scale), strict=True):
            rise[n] = x
    z = group_normal(rows, {key: rows[numbers[-1]]["outcome_reward"] for key, numbers in parts.items()}, **scale)
    for n in lasts:
        paid[n] = z[n]
    return {"gain": returns(rows, rise, gamma), "outcome": returns(rows, paid, gamma)}


PLAIN = {"rewards": "total", "votes": "trajectory", "singleton": "zero", "normalise": "std", "ddof": 0, "eps": 1e-6}
STEPS = {"gamma": 0.95, "step_weight": 1.0, "key": "anchor", "similarity": None, "invalid_penalty": 0.0}
VERL_AGENT = {"ddof": 1, "votes": "turn", "singleton": "raw"}


def potential_shaping(rows, *, gamma, base, base_options):
    given = dict(base_options or {})
    given |= VERL_AGENT if given.pop("preset", None) else {}
    run, settings = (grpo, PLAIN) if base == "grpo" else (gigpo, PLAIN | STEPS)
    return run(shaped(rows, gamma), **settings | given)


def shaped(rows, gamma):
    more = lambda row: gamma * row["next_potential"] - row["potential"]
    return [{**row, "turn_reward": row["turn_reward"] + more(row)} for row in rows]
