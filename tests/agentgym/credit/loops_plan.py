"""Plan-level estimators: options to draw, claims, and the formulas as loops."""

from itertools import permutations

from tests.agentgym.credit_cases import SCALE, Form
from tests.agentgym.slow_loops import normal

# Drawn similarities lie on a grid, where two matchings of equal sum may hold different numbers of pairs above a
# threshold; 0 counts them all. Other thresholds are tried on similarities without ties in test_credit_plan.py.
OPTIONS = {"apex_plan": {"threshold": (None, 0.0), **SCALE}}

FORMS = [
    Form("apex_plan", {}, "order apart outcome_shift turn_shift lone"),
    Form("apex_plan", {"threshold": 0.5, "normalise": "none"}, "order apart outcome_shift turn_shift lone"),
]


def matchings(matrix):
    """The similarities of the pairs of every one-to-one matching of as many pairs as there can be."""
    rows, columns = len(matrix), len(matrix[0]) if matrix else 0
    if rows <= columns:
        for picked in permutations(range(columns), rows):
            yield [matrix[i][j] for i, j in enumerate(picked)]
    else:
        for picked in permutations(range(rows), columns):
            yield [matrix[i][j] for j, i in enumerate(picked)]


def plan_reward(matrix, threshold):
    if not matrix or not matrix[0]:
        return 0.0
    pairs = max(matchings(matrix), key=sum)
    size = sum(pairs) if threshold is None else sum(x >= threshold for x in pairs)
    precision, recall = size / len(matrix), size / len(matrix[0])
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def apex_plan(rows, *, threshold, **scale):
    plans = {}
    for n, row in enumerate(rows):
        if row["kind"] == "plan":
            plans.setdefault((row["group"], row["trajectory"]), []).append(n)
    result = [0.0] * len(rows)
    for group in {key[0] for key in plans}:
        members = [key for key in plans if key[0] == group]
        values = []
        for key in members:
            rewards = [plan_reward(rows[n]["plan_similarity"], threshold) for n in plans[key]]
            values.append(sum(rewards) / len(rewards))
        for key, x in zip(members, normal(values, **scale), strict=True):
            for n in plans[key]:
                result[n] = x
    return {"plan": result}
