"""Reflection: options to draw, claims, and the formula as a loop."""

import math

from tests.agentgym.credit_cases import Form

OPTIONS = {"ricl": {"beta": (1.0, 0.5, -2.0)}}

FORMS = [Form("ricl", {}, "order apart outcome_shift turn_shift")]


def ricl(rows, *, beta):
    result = []
    for row in rows:
        place = row["menu"].index(row["action"])
        before = normalised(row["menu_logprobs"])
        total = 0.0
        for logprobs in row["menu_hindsight_logprobs"]:
            after = normalised(logprobs)
            log_z = sum(p * math.log(p / q) for p, q in zip(before, after, strict=True))
            total += math.log(after[place]) - math.log(before[place]) + log_z
        result.append(beta / len(row["menu_hindsight_logprobs"]) * total)
    return {"reflection": result}


def normalised(logprobs):
    whole = sum(math.exp(x) for x in logprobs)
    return [math.exp(x) / whole for x in logprobs]
