"""State graphs that count edges: options to draw, claims, and the formula as loops."""

from itertools import pairwise

from tests.agentgym.credit_cases import REWARDS, SCALE, VOTES, Form
from tests.agentgym.slow_loops import group_normal, pays, rollouts, within

OPTIONS = {
    "graphgpo": {
        **(REWARDS | VOTES | SCALE),
        "key": ("anchor", "state"),
        "omega": (0.1, 0.5, 1.0),
        "success_reward": (10.0, 1.0),
        "own_edge": (1, 0),
        "success_from": ("flag", "score"),
        "episode_weight": (1.0, 0.5),
        "step_weight": (1.0, 0.5),
    },
}

FORMS = [
    Form("graphgpo", {}, "order apart standardised outcome_shift"),
    Form("graphgpo", {"omega": 0.5, "normalise": "none", "key": "state"}, "order apart standardised outcome_shift"),
    Form("graphgpo", {"preset": "released"}, "order apart"),
]


def edges_to_goal(edges, won):
    """{node: fewest edges to the goal}, for edges as pairs of nodes and the nodes that lead to the goal at once."""
    away, changed = dict.fromkeys(won, 1), True
    while changed:
        changed = False
        for here, there in edges:
            if there in away and away[there] + 1 < away.get(here, 1 << 40):
                away[here], changed = away[there] + 1, True
    return away


def graphgpo(rows, *, rewards, omega, success_reward, own_edge, success_from, key, votes, singleton, **options):
    weights = [options.pop(f"{term}_weight") for term in ("episode", "step")]
    paid, parts, x = pays(rows, rewards), rollouts(rows), [0.0] * len(rows)
    score = {name: sum(paid[n] for n in numbers) for name, numbers in parts.items()}
    for group in {name[0] for name in parts}:
        leads, wins = {}, []
        for name, numbers in parts.items():
            if name[0] != group:
                continue
            leads |= {here: rows[there][key] for here, there in pairwise(numbers)}
            if rows[numbers[-1]]["success"] if success_from == "flag" else score[name] > 0:
                wins.append(numbers[-1])
            else:
                leads[numbers[-1]] = rows[numbers[-1]]["next_state"]
        away = edges_to_goal([(rows[n][key], there) for n, there in leads.items()], {rows[n][key] for n in wins})
        for n in [*leads, *wins] if wins else ():
            d = 0 if n in wins else away.get(leads[n], max(away.values()) + 1)
            x[n] = success_reward * omega ** (d + own_edge)
    step = within(rows, x, lambda n: (rows[n]["group"], rows[n][key]), **options)
    episode = group_normal(rows, score, votes, singleton, **options)
    return {"episode": [weights[0] * v for v in episode], "step": [weights[1] * v for v in step]}
