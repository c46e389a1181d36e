"""Turn returns, alone and fused with the outcome: options to draw, claims, and the formulas as loops."""

from tests.agentgym.credit_cases import GAMMA, REWARDS, SCALE, Form
from tests.agentgym.slow_loops import group_normal, pays, returns, rollouts, within

OPTIONS = {
    "gtpo_hybrid": {**GAMMA, **SCALE, "outcome_weight": (0.3, 1.0, 0.0)},
    "turn_return": {**REWARDS, **GAMMA, **SCALE, "population": ("group", "group_turn", "batch")},
    "hian": {
        "turn_weight": (1.0, 0.5),
        "episode_weight": (1.0, 0.2),
        "turn_population": ("group_all_turns", "group_same_turn", "batch"),
        "per_component": (False, True, {"progress": -0.5}),
        **SCALE,
        "eps": (1e-8, 1e-6, 1e-2),
    },
}

FORMS = [
    Form("gtpo_hybrid", {}, "order apart equal_turn_shift standardised linear lone"),
    Form("gtpo_hybrid", {"gamma": 1.0, "ddof": 1}, "order apart outcome_shift equal_turn_shift flat lone"),
    Form("turn_return", {}, "order apart standardised linear"),
    Form("turn_return", {"population": "group_turn", "ddof": 1}, "order apart equal_turn_shift lone"),
    Form("turn_return", {"population": "batch", "rewards": "outcome"}, "order standardised linear"),
    Form("hian", {}, "order apart outcome_shift turn_shift standardised linear flat"),
    Form("hian", {"turn_population": "group_same_turn"}, "order apart outcome_shift turn_shift flat lone"),
    Form("hian", {"turn_population": "batch"}, "order outcome_shift standardised linear flat"),
    Form("hian", {"per_component": True}, "order apart outcome_shift turn_shift"),
]


def gtpo_hybrid(rows, *, gamma, outcome_weight, **scale):
    parts, raw = rollouts(rows), [0.0] * len(rows)
    outcome = {key: sum(rows[n]["outcome_reward"] for n in numbers) for key, numbers in parts.items()}
    for key, numbers in parts.items():
        for k, n in enumerate(numbers):
            raw[n] = sum(gamma ** (at - k) * rows[numbers[at]]["turn_reward"] for at in range(k, len(numbers)))
            raw[n] += gamma ** (len(numbers) - k) * outcome[key]
    turn = within(rows, raw, lambda n: (rows[n]["group"], rows[n]["turn"]), **scale)
    return {"turn": turn, "outcome": [outcome_weight * x for x in group_normal(rows, outcome, **scale)]}


def turn_return(rows, *, rewards, gamma, population, **scale):
    key = {
        "group": lambda n: rows[n]["group"],
        "group_turn": lambda n: (rows[n]["group"], rows[n]["turn"]),
        "batch": lambda n: "all",
    }[population]
    return {"return": within(rows, returns(rows, pays(rows, rewards), gamma), key, **scale)}


def hian(rows, *, turn_weight, episode_weight, turn_population, per_component, **scale):
    key = {
        "group_all_turns": lambda n: rows[n]["group"],
        "group_same_turn": lambda n: (rows[n]["group"], rows[n]["turn"]),
        "batch": lambda n: "all",
    }[turn_population]
    paid = [row["turn_reward"] for row in rows]
    if per_component is not False:
        weights = {"progress": 1.0, "format": 1.0} if per_component is True else per_component
        paid = [0.0] * len(rows)
        for name, weight in weights.items():
            alone = within(rows, [row["components"].get(name, 0.0) for row in rows], key, **scale)
            paid = [x + weight * z for x, z in zip(paid, alone, strict=True)]
    outcome = {k: sum(rows[n]["outcome_reward"] for n in numbers) for k, numbers in rollouts(rows).items()}
    return {
        "turn": [turn_weight * x for x in within(rows, paid, key, **scale)],
        "episode": [episode_weight * x for x in group_normal(rows, outcome, **scale)],
    }
