"""RTT: options to draw, claims, and the formula as a loop over responses, rubrics and tokens."""

from tests.agentgym.credit_cases import Form
from tests.agentgym.slow_loops import group_normal, normal, rollouts

OPTIONS = {
    "rtt": {
        "variant": ("intra_sample", "intra_group", "released_reshape"),
        "response": ("all", "mean"),
        "method": ("add", "mix"),
        "token_weight": (0.5, 1.0, 0.0),
        "ddof": (0, 1),
        "eps": (1e-6, 1e-2),
    }
}

FORMS = [
    Form("rtt", {}, "order apart outcome_shift turn_shift"),
    Form(
        "rtt", {"variant": "intra_group", "response": "mean", "method": "mix"}, "order apart outcome_shift turn_shift"
    ),
    Form("rtt", {"variant": "released_reshape"}, "apart outcome_shift turn_shift"),
]


def responses(rows):
    """{rollout: (scores, relevance [rubric][token], mask)} over the tokens of all its turns."""
    found = {}
    for key, numbers in rollouts(rows).items():
        scores = rows[numbers[0]]["rubric_scores"]
        relevance = [[w for n in numbers for w in rows[n]["rubric_relevance"][k]] for k in range(len(scores))]
        found[key] = scores, relevance, [valid for n in numbers for valid in rows[n]["token_mask"]]
    return found


def values_of(members, variant):
    """[response][rubric][token] of one group, the last axis padded with 0 to the longest."""
    longest = max(len(mask) for _, _, mask in members)
    values = [
        [[s * w for w in line] + [0.0] * (longest - len(line)) for s, line in zip(scores, relevance, strict=True)]
        for scores, relevance, _ in members
    ]
    if variant != "released_reshape":
        return values
    rubrics = len(members[0][0])
    flat = [x for response in values for line in response for x in line]
    return [
        [[flat[(k * len(members) + i) * longest + t] for t in range(longest)] for k in range(rubrics)]
        for i in range(len(members))
    ]


def token_values(rows, variant, eps):
    """{rollout: mean_k z of every token}, 0 on masked ones."""
    every, found = responses(rows), {}
    for group in {key[0] for key in every}:
        keys = [key for key in every if key[0] == group]
        members = [every[key] for key in keys]
        values = values_of(members, variant)
        z = [[0.0] * len(mask) for _, _, mask in members]
        rubrics = range(len(members[0][0]))
        for k in rubrics:
            cells = [(i, t) for i, (_, _, mask) in enumerate(members) for t, valid in enumerate(mask) if valid]
            pools = [cells] if variant == "intra_group" else [[c for c in cells if c[0] == i] for i in range(len(keys))]
            for pool in pools:
                for (i, t), x in zip(pool, normal([values[i][k][t] for i, t in pool], eps=eps), strict=True):
                    z[i][t] += x / len(rubrics)
        found |= dict(zip(keys, z, strict=True))
    return found


def response_of(scores, response):
    return sum(scores) / len(scores) if response == "mean" else float(all(score == 1 for score in scores))


def rtt(rows, *, variant, response, method, token_weight, ddof, eps):
    parts = rollouts(rows)
    reward = {key: response_of(scores, response) for key, (scores, _, _) in responses(rows).items()}
    episode = group_normal(rows, reward, normalise="std", ddof=ddof, eps=eps)
    token = [0.0] * len(rows)
    for key, z in token_values(rows, variant, eps).items():
        begin = 0
        for n in parts[key]:
            mask = rows[n]["token_mask"]
            kept = [x for x, valid in zip(z[begin : begin + len(mask)], mask, strict=True) if valid]
            token[n] = token_weight * sum(kept) / len(kept) if kept else 0.0
            begin += len(mask)
    share = 1 - token_weight if method == "mix" else 1
    return {"episode": [share * x for x in episode], "token": token}
