"""What the loops written from the formulas share: plain Python, apart from the library.

A record is a list of rows (dicts). An estimator's loop, in `tests/agentgym/credit/loops_*.py`, takes the rows and every
option by name and returns a dict of terms, one number a row, in the rows' order.
"""

import math


def rollouts(rows):
    """{(group, trajectory): row numbers, by turn}."""
    found = {}
    for number, row in enumerate(rows):
        found.setdefault((row["group"], row["trajectory"]), []).append(number)
    return {key: sorted(numbers, key=lambda n: rows[n]["turn"]) for key, numbers in found.items()}


def normal(values, votes=None, *, normalise="std", ddof=0, eps=1e-6):
    """Every value less the mean, over std + eps; 0 where the voters all agree."""
    votes = votes or [1] * len(values)
    voters = [x for x, w in zip(values, votes, strict=True) if w > 0]
    if not voters or max(voters) - min(voters) <= 1e-12 * max(1.0, *map(abs, voters)):
        return [0.0] * len(values)
    total = sum(votes)
    mean = math.fsum(w * x for x, w in zip(values, votes, strict=True)) / total
    if normalise == "none":
        return [x - mean for x in values]
    variance = math.fsum(w * (x - mean) ** 2 for x, w in zip(values, votes, strict=True)) / (total - ddof)
    return [(x - mean) / (math.sqrt(variance) + eps) for x in values]


def pays(rows, rewards):
    return [row["outcome_reward"] + (row["turn_reward"] if rewards == "total" else 0.0) for row in rows]


def group_normal(rows, value, votes="trajectory", singleton="zero", **scale):
    """GN of one value a rollout ({rollout: value}), on every row."""
    result = [0.0] * len(rows)
    parts = rollouts(rows)
    for group in {key[0] for key in parts}:
        members = [key for key in parts if key[0] == group]
        count = {
            "trajectory": lambda key: 1,
            "turn": lambda key: len(parts[key]),
            "token": lambda key: sum(rows[n]["tokens"] for n in parts[key]),
        }[votes]
        values = normal([value[key] for key in members], [count(key) for key in members], **scale)
        if singleton == "raw" and len(members) == 1:
            values = [value[members[0]] / (1.0 + scale["eps"] if scale["normalise"] == "std" else 1.0)]
        for key, x in zip(members, values, strict=True):
            for n in parts[key]:
                result[n] = x
    return result


def within(rows, values, key, **scale):
    """Values normalised over the rows of equal key(row number)."""
    result, classes = [0.0] * len(rows), {}
    for n in range(len(rows)):
        classes.setdefault(key(n), []).append(n)
    for members in classes.values():
        for n, x in zip(members, normal([values[n] for n in members], **scale), strict=True):
            result[n] = x
    return result


def returns(rows, paid, gamma):
    result = [0.0] * len(rows)
    for numbers in rollouts(rows).values():
        for k, n in enumerate(numbers):
            result[n] = sum(gamma ** (j - k) * paid[numbers[j]] for j in range(k, len(numbers)))
    return result
