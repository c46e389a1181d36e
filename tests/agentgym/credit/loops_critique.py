"""Critique estimators: options to draw, claims, and the formulas as loops."""

from tests.agentgym.credit.loops_potential import PLAIN
from tests.agentgym.credit.loops_trajectory import grpo
from tests.agentgym.credit.loops_turn import mt_grpo
from tests.agentgym.credit_cases import Form
from tests.agentgym.slow_loops import rollouts

OPTIONS = {
    "arew": {
        "base": ("grpo", "mt_grpo"),
        "base_options": (None, {"normalise": "none"}, {"ddof": 1, "eps": 1e-4}),
        "critique_weight": (0.5, 0.2, 1.0),
        "require_both": (True, False),
        "variant": ("margin", "abs_sum"),
        "channels": (None, True, False),
    },
}

FORMS = [
    Form("arew", {}, "order apart outcome_shift"),
    Form("arew", {"base": "mt_grpo", "channels": False}, "order apart outcome_shift turn_shift"),
    Form("arew", {"variant": "abs_sum", "require_both": False, "base_options": {"preset": "verl"}}, "order apart"),
]


def arew(rows, *, base, base_options, critique_weight, require_both, variant, channels):
    scale = {name: PLAIN[name] for name in ("normalise", "ddof", "eps")}
    run, settings = (grpo, PLAIN) if base == "grpo" else (mt_grpo, {"variant": "future_sum", "coef": 1.0, **scale})
    made = run(rows, **settings | (base_options or {}))
    u = [0.0] * len(rows)
    for numbers in rollouts(rows).values():
        for channel in {rows[n]["channel"] if channels is not False else "" for n in numbers}:
            members = [n for n in numbers if channels is False or rows[n]["channel"] == channel]
            up, down = ([n for n in members if rows[n]["critique"] == sign] for sign in (1.0, -1.0))
            if require_both and not (up and down):
                continue
            for n in up:
                u[n] = 1.0 / (len(up) if variant == "margin" else len(up) + len(down))
            for n in down:
                u[n] = -1.0 / (len(down) if variant == "margin" else len(up) + len(down))
    return {
        "base": [sum(term) for term in zip(*made.values(), strict=True)],
        "critique": [critique_weight * x for x in u],
    }
