"""Step-group estimators: options to draw, claims, and the formulas as loops."""

from difflib import SequenceMatcher

from tests.agentgym.credit_cases import GAMMA, REWARDS, SCALE, VOTES, Form
from tests.agentgym.slow_loops import group_normal, pays, returns, rollouts, within

OPTIONS = {
    "gigpo": {
        **(REWARDS | GAMMA | VOTES | SCALE),
        "step_weight": (1.0, 0.5),
        "key": ("anchor", "state"),
        "similarity": (None, None, 0.6, 0.95),
        "invalid_penalty": (0.0, 0.1),
    },
}

FORMS = [
    Form("gigpo", {}, "order apart standardised linear"),
    Form("gigpo", {"normalise": "none", "key": "state"}, "order apart standardised linear"),
    Form("gigpo", {"preset": "verl_agent", "invalid_penalty": 0.1}, "order apart"),
]


def clusters(rows, threshold):
    """For each row the number of its text cluster in its group."""
    first, result = {}, []
    for row in rows:
        texts = first.setdefault(row["group"], [])
        text = row["observation"]
        fits = [n for n, other in enumerate(texts) if SequenceMatcher(None, text, other).ratio() >= threshold]
        if not fits:
            texts.append(text)
        result.append(fits[0] if fits else len(texts) - 1)
    return result


def gigpo(rows, *, rewards, gamma, step_weight, key, similarity, votes, singleton, invalid_penalty, **scale):
    paid, parts = pays(rows, rewards), rollouts(rows)
    value = {name: sum(paid[n] for n in numbers) for name, numbers in parts.items()}
    to_come = returns(rows, paid, gamma)
    episode = group_normal(rows, value, votes, singleton, **scale)
    if invalid_penalty:
        fine = [0.0 if row["valid"] else invalid_penalty for row in rows]
        to_come = [g - p for g, p in zip(to_come, fine, strict=True)]
        score = [value[row["group"], row["trajectory"]] - p for row, p in zip(rows, fine, strict=True)]
        episode = within(rows, score, lambda n: rows[n]["group"], **scale)
        for name, numbers in parts.items():
            if singleton == "raw" and [other[0] for other in parts].count(name[0]) == 1:
                for n in numbers:
                    episode[n] = score[n] / (1.0 + scale["eps"] if scale["normalise"] == "std" else 1.0)
    states = [row[key] for row in rows] if similarity is None else clusters(rows, similarity)
    step = within(rows, to_come, lambda n: (rows[n]["group"], states[n]), **scale)
    return {"episode": episode, "step": [step_weight * x for x in step]}
