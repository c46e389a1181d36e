"""The five estimators once more, as plain loops written straight from their formulas, apart from the library.

A record is a list of rows (dicts). Every function returns a dict of terms, one number a row, in the rows' order.
"""

import math
from difflib import SequenceMatcher
from itertools import pairwise


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


def grpo(rows, *, rewards, votes, singleton, **scale):
    paid = pays(rows, rewards)
    value = {key: sum(paid[n] for n in numbers) for key, numbers in rollouts(rows).items()}
    return {"episode": group_normal(rows, value, votes, singleton, **scale)}


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


def returns(rows, paid, gamma):
    result = [0.0] * len(rows)
    for numbers in rollouts(rows).values():
        for k, n in enumerate(numbers):
            result[n] = sum(gamma ** (j - k) * paid[numbers[j]] for j in range(k, len(numbers)))
    return result


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


def hcapo(
    rows,
    *,
    variant,
    rewards,
    gamma,
    temperature,
    clip,
    smoothing,
    hindsight_weight,
    do_no_harm,
    votes,
    singleton,
    **scale,
):
    paid, parts = pays(rows, rewards), rollouts(rows)
    value = {name: sum(paid[n] for n in numbers) for name, numbers in parts.items()}
    q = [0.0] * len(rows)
    for name, numbers in parts.items():
        p = [math.exp(rows[n]["hindsight_logprob"] / temperature) for n in numbers]
        if variant == "policy_ratio":
            rho = [math.exp((rows[n]["hindsight_logprob"] - rows[n]["logprob"]) / temperature) for n in numbers]
        else:
            rho = [x / (sum(p) / len(p)) for x in p]
        rho = [min(max(x, clip[0]), clip[1]) for x in rho]
        raw = [rho[t] * gamma ** (len(numbers) - 1 - t) * value[name] for t in range(len(numbers))]
        for t, n in enumerate(numbers):
            q[n] = raw[t]
            if smoothing is not None and t + 1 < len(numbers):
                q[n] = smoothing * raw[t] + (1 - smoothing) * raw[t + 1]
    hindsight = within(rows, q, lambda n: rows[n]["group"], **scale)
    if do_no_harm:
        hindsight = [max(x, 0.0) if row["success"] else x for x, row in zip(hindsight, rows, strict=True)]
    episode = group_normal(rows, value, votes, singleton, **scale)
    return {"episode": episode, "hindsight": [hindsight_weight * x for x in hindsight]}


def state_graph(rows, *, rewards, gamma, prior, key, normalise, eps):
    paid, result = pays(rows, rewards), [0.0] * len(rows)
    for group in {row["group"] for row in rows}:
        here = [n for n, row in enumerate(rows) if row["group"] == group]
        parts = [numbers for name, numbers in rollouts(rows).items() if name[0] == group]
        mean = sum(sum(paid[n] for n in numbers) for numbers in parts) / len(parts)
        after = {a: rows[b][key] for numbers in parts for a, b in pairwise(numbers)}
        after |= {numbers[-1]: rows[numbers[-1]]["next_state"] for numbers in parts}
        nodes = sorted({rows[n][key] for n in here})
        value = dict(zip(nodes, _values(rows, here, nodes, after, paid, mean, gamma, prior, key), strict=True))
        for n in here:
            ahead = 0.0 if rows[n]["terminated"] else value.get(after[n], mean)
            result[n] = paid[n] + gamma * ahead - value[rows[n][key]]
        if normalise == "std":
            flat = normal([result[n] for n in here], normalise="none")
            scale = math.sqrt(sum(x * x for x in flat) / len(here)) + eps
            for n in here:
                result[n] = result[n] / scale if any(flat) else 0.0
    return {"graph": result}


def _values(rows, here, nodes, after, paid, mean, gamma, prior, key):
    """(n_s + κ)·V(s) - γ·Σ c·V(s') = Σ ρ + κ·μ for every node, by Gauss-Jordan elimination."""
    size = len(nodes)
    table = [[0.0] * (size + 1) for _ in nodes]
    for s in range(size):
        table[s][s] += prior
        table[s][size] += prior * mean
    for n in here:
        s = nodes.index(rows[n][key])
        table[s][s] += 1.0
        table[s][size] += paid[n]
        if not rows[n]["terminated"]:
            if after[n] in nodes:
                table[s][nodes.index(after[n])] -= gamma
            else:
                table[s][size] += gamma * mean
    for i in range(size):
        best = max(range(i, size), key=lambda r: abs(table[r][i]))
        table[i], table[best] = table[best], table[i]
        table[i] = [x / table[i][i] for x in table[i]]
        for r in range(size):
            if r != i:
                table[r] = [x - table[r][i] * y for x, y in zip(table[r], table[i], strict=True)]
    return [row[size] for row in table]
