"""Step groups by history: options to draw, claims, and the formula as loops."""

from tests.agentgym.credit_cases import GAMMA, REWARDS, SCALE, VOTES, Form
from tests.agentgym.slow_loops import group_normal, normal, pays, returns, rollouts

OPTIONS = {
    "hgpo": {
        **(REWARDS | GAMMA | VOTES | SCALE),
        "key": ("anchor", "state"),
        "history": (0, 1, 2, 7),
        "alpha": (1.0, 0.0, -1.0, 2.5),
        "skip_zeros": (False, True),
        "episode_weight": (1.0, 0.0),
        "step_weight": (1.0, 0.5),
    },
}

FORMS = [
    Form("hgpo", {}, "order apart standardised linear"),
    Form("hgpo", {"preset": "released"}, "order apart standardised linear"),
    Form("hgpo", {"history": 1, "alpha": 2.0, "key": "state", "normalise": "none"}, "order apart standardised linear"),
]


def hgpo(rows, *, rewards, gamma, history, alpha, skip_zeros, key, votes, singleton, **options):
    weights = [options.pop(f"{term}_weight") for term in ("episode", "step")]
    paid, parts, levels = pays(rows, rewards), rollouts(rows), [[] for _ in rows]
    score = {name: sum(paid[n] for n in numbers) for name, numbers in parts.items()}
    g = returns(rows, paid, gamma)
    for k in range(1, history + 2):
        classes = {}
        for name, numbers in parts.items():
            for t in range(k - 1, len(numbers)):
                past = tuple(rows[n][key] for n in numbers[t - k + 1 : t + 1])
                classes.setdefault((name[0], past), []).append(numbers[t])
        for members in classes.values():
            z = normal([g[n] for n in members], **options)
            away = normal([g[n] for n in members], normalise="none")
            for n, x, distance in zip(members, z, away, strict=True):
                zero = abs(distance) <= 1e-12 * max(1.0, abs(g[n]))
                if len(members) > 1 and not (skip_zeros and zero):
                    levels[n].append(((k + 1) ** alpha, x))
    step = [sum(v * x for v, x in found) / sum(v for v, _ in found) if found else 0.0 for found in levels]
    episode = group_normal(rows, score, votes, singleton, **options)
    return {"episode": [weights[0] * x for x in episode], "step": [weights[1] * x for x in step]}
