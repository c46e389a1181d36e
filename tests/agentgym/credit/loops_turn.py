"""Turn-level estimators: options to draw, claims, and the formulas as loops."""

from tests.agentgym.credit_cases import SCALE, Form
from tests.agentgym.slow_loops import group_normal, rollouts, within

OPTIONS = {
    "mt_grpo": {
        "variant": ("future_sum", "own_turn", "grpo_or", "grpo_mr", "two_segment"),
        "coef": (1.0, 0.5),
        **SCALE,
    },
    "mt_grpo_unbiased": {},
}

FORMS = [
    Form("mt_grpo", {}, "order apart outcome_shift turn_shift standardised linear flat lone"),
    Form("mt_grpo", {"variant": "own_turn"}, "order apart outcome_shift turn_shift standardised linear flat lone"),
    Form("mt_grpo", {"variant": "grpo_or"}, "order apart outcome_shift standardised linear flat lone"),
    Form("mt_grpo", {"variant": "grpo_mr"}, "order apart outcome_shift standardised linear flat lone"),
    Form("mt_grpo", {"preset": "two_segment"}, "order apart outcome_shift flat lone"),
    Form("mt_grpo_unbiased", {}, "order apart outcome_shift equal_turn_shift linear flat lone"),
]


def mt_grpo(rows, *, variant, coef, **scale):
    parts = rollouts(rows)
    outcome = {key: sum(rows[n]["outcome_reward"] for n in numbers) for key, numbers in parts.items()}
    total = {key: sum(rows[n]["turn_reward"] for n in numbers) for key, numbers in parts.items()}
    alone = group_normal(rows, outcome, **scale)
    merged = group_normal(rows, {key: outcome[key] + total[key] for key in parts}, **scale)
    nothing = [0.0] * len(rows)
    if variant == "grpo_or":
        return {"turn": nothing, "outcome": alone}
    if variant == "grpo_mr":
        return {"turn": nothing, "outcome": merged}
    if variant == "two_segment":
        turn, result, sums = [0.0] * len(rows), list(alone), group_normal(rows, total, **scale)
        for numbers in parts.values():
            hits = [k for k, n in enumerate(numbers) if rows[n]["tool_result"]]
            for k, n in enumerate(numbers):
                if not hits:
                    result[n] = merged[n]
                elif k <= hits[0]:
                    turn[n] = coef * sums[n]
        return {"turn": turn, "outcome": result}
    rewards = [row["turn_reward"] for row in rows]
    own = within(rows, rewards, lambda n: (rows[n]["group"], rows[n]["turn"]), **scale)
    if variant == "future_sum":
        turn = [0.0] * len(rows)
        for numbers in parts.values():
            for k, n in enumerate(numbers):
                turn[n] = sum(own[m] for m in numbers[k:])
        own = turn
    return {"turn": own, "outcome": alone}


def mt_grpo_unbiased(rows):
    parts = rollouts(rows)
    pay = {key: [rows[n]["turn_reward"] for n in numbers] for key, numbers in parts.items()}
    outcome = {key: sum(rows[n]["outcome_reward"] for n in numbers) for key, numbers in parts.items()}
    turn, result = [0.0] * len(rows), [0.0] * len(rows)
    for key, numbers in parts.items():
        others = [other for other in parts if other[0] == key[0] and other != key]
        for k, n in enumerate(numbers):
            if others:
                turn[n] = sum(pay[key][k:]) - sum(sum(pay[other][k:]) for other in others) / len(others)
                result[n] = outcome[key] - sum(outcome[other] for other in others) / len(others)
    return {"turn": turn, "outcome": result}
