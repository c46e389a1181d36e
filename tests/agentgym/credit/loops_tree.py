"""Estimators on branched rollouts: options to draw, claims, and the formulas as loops."""

from tests.agentgym.credit_cases import GAMMA, REWARDS, SCALE, Form
from tests.agentgym.slow_loops import normal, pays, rollouts, within

OPTIONS = {
    "slate": {**SCALE, "eta": (0.7, 0.1, 3.0)},
    "tstar": {**(REWARDS | GAMMA | SCALE), "divergence_threshold": (0.3, 0.0)},
    "vine": {**REWARDS, "bootstrap_truncated": (False, True)},
}

FORMS = [
    Form("slate", {}, "order apart outcome_shift turn_shift standardised linear flat"),
    Form("slate", {"normalise": "none", "ddof": 0}, "order apart outcome_shift turn_shift linear flat"),
    Form("tstar", {}, "order apart standardised linear flat lone"),
    Form("tstar", {"rewards": "outcome", "gamma": 1.0}, "order apart outcome_shift standardised linear flat lone"),
    Form("vine", {}, "order apart"),
    Form("vine", {"rewards": "outcome", "bootstrap_truncated": True}, "order apart"),
]


def slate(rows, *, eta, **scale):
    paid = [row["turn_reward"] for row in rows]
    return {"step": within(rows, paid, lambda n: (rows[n]["group"], rows[n]["prefix"]), **scale)}


def tstar(rows, *, rewards, gamma, divergence_threshold, **scale):
    paid, parts, result = pays(rows, rewards), rollouts(rows), [0.0] * len(rows)
    score = {name: sum(paid[n] for n in numbers) for name, numbers in parts.items()}
    for group in {name[0] for name in parts}:
        mine = {name: numbers for name, numbers in parts.items() if name[0] == group}
        returns = [score[name] for name in mine]
        for name, numbers in mine.items():
            for t, n in enumerate(numbers):
                q = _value(rows, mine, score, name, t, gamma)
                # The returns and q together, of which q has no vote.
                votes = [1] * len(returns) + [0]
                result[n] = normal([*returns, q], votes, **scale)[-1]
    return {"tree": result}


def _value(rows, parts, score, name, t, gamma):
    """Q of the node after turn t of a rollout: R where it ends, else γ times the mean over all who came by there."""
    if t == len(parts[name]) - 1:
        return score[name]
    state = rows[parts[name][t]]["next_state"]
    visitors = [
        other for other, numbers in parts.items() if t < len(numbers) - 1 and rows[numbers[t]]["next_state"] == state
    ]
    return gamma * sum(_value(rows, parts, score, other, t + 1, gamma) for other in visitors) / len(visitors)


def vine(rows, *, rewards, bootstrap_truncated):
    paid, result = pays(rows, rewards), [0.0] * len(rows)
    for numbers in rollouts(rows).values():
        for n, after in zip(numbers, [*numbers[1:], None], strict=True):
            ahead = 0.0 if after is None else rows[after]["value"]
            if bootstrap_truncated and rows[n]["truncated"]:
                ahead = rows[n]["bootstrap_value"]
            result[n] = paid[n] + ahead - rows[n]["value"]
    return {"turn": result}
