"""SCOPE: options to draw, claims, and the formula as a loop."""

import math

from tests.agentgym.credit_cases import Form
from tests.agentgym.slow_loops import rollouts

OPTIONS = {"scope": {"temperature": (1.0, 0.3, 4.0), "times_size": (False, True), "flip_student": (False, True)}}

FORMS = [
    Form("scope", {}, "order apart outcome_shift turn_shift"),
    Form("scope", {"preset": "released", "temperature": 0.5}, "order apart outcome_shift turn_shift"),
]


def perplexity(rows, numbers, column):
    tokens = [x for n in numbers for x in rows[n][column]]
    return math.exp(-sum(tokens) / len(tokens)) if tokens else None


def path_weights(rows, column, success, power, times_size):
    """{rollout: weight} ∝ PPL^power over the group's rollouts on the path; 0 for the others."""
    parts = rollouts(rows)
    found = dict.fromkeys(parts, 0.0)
    for group in {key[0] for key in parts}:
        path = {
            key: perplexity(rows, numbers, column) ** power
            for key, numbers in parts.items()
            if key[0] == group and rows[numbers[0]]["success"] == success and perplexity(rows, numbers, column)
        }
        for key, x in path.items():
            found[key] = x / sum(path.values()) * (len(path) if times_size else 1)
    return found


def scope(rows, *, temperature, times_size, flip_student):
    weight = path_weights(rows, "teacher_logprobs", False, -1 / temperature, times_size)
    result = [0.0] * len(rows)
    for key, numbers in rollouts(rows).items():
        for n in numbers:
            gaps = [t - s for t, s in zip(rows[n]["teacher_logprobs"], rows[n]["token_logprobs"], strict=True)]
            result[n] = weight[key] * sum(gaps) / len(gaps) if gaps else 0.0
    return {"teacher": result}
