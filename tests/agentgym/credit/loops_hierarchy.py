"""Hierarchical estimators: options to draw, claims, and the formulas as loops."""

from tests.agentgym.credit_cases import GAMMA, Form
from tests.agentgym.slow_loops import normal, pays, rollouts

OPTIONS = {
    "hae": {
        **GAMMA,
        "lam_turn": (0.0, 0.5, 0.95, 1.0),
        "lam_seg": (0.0, 0.9, 1.0),
        "bootstrap_truncated": (False, True),
        "whiten": (False, True),
    }
}

FORMS = [
    Form("hae", {}, "order apart"),
    Form("hae", {"bootstrap_truncated": True}, "order apart"),
    Form("hae", {"whiten": True, "gamma": 0.5}, "order"),
]


def hae_channels(rows, *, gamma, lam_turn, lam_seg, bootstrap_truncated, whiten):
    """{channel: a number a row, None where it does not exist}, segment by segment from the last."""
    paid = pays(rows, "total")
    made = {name: [None] * len(rows) for name in ("action", "subgoal", "switch")}
    for numbers in rollouts(rows).values():
        starts = [k for k, n in enumerate(numbers) if k == 0 or rows[n]["switch"]]
        stale = bootstrap_truncated and rows[numbers[-1]]["truncated"]
        after_low = rows[numbers[-1]]["value_low"] if stale else 0.0
        after_high = rows[numbers[starts[-1]]]["value_high"] if stale else 0.0
        later = 0.0
        for begin, end in reversed(list(zip(starts, [*starts[1:], len(numbers)], strict=True))):
            segment = numbers[begin:end]
            if end < len(numbers):
                after_low = after_high = rows[numbers[end]]["value_high"]
            low = [rows[n]["value_low"] for n in segment] + [after_low]
            error = [paid[n] + gamma * low[k + 1] - low[k] for k, n in enumerate(segment)]
            for k, n in enumerate(segment):
                rest = range(k, len(segment))
                made["action"][n] = sum((gamma * lam_turn) ** (j - k) * error[j] for j in rest)
                worth = sum(gamma ** (j - k) * paid[segment[j]] for j in rest)
                worth += gamma ** (len(segment) - k) * after_high
                made["switch"][n] = worth - rows[n]["value_term"]
                if k == 0:
                    own = worth - rows[n]["value_high"] + gamma ** len(segment) * lam_seg * later
            made["subgoal"][segment[0]] = later = own
    return {name: _whitened(x) if whiten else x for name, x in made.items()}


def _whitened(values):
    there = [n for n, x in enumerate(values) if x is not None]
    result = list(values)
    for n, x in zip(there, normal([values[n] for n in there], eps=1e-8), strict=True):
        result[n] = x
    return result


def hae(rows, **options):
    return {"action": hae_channels(rows, **options)["action"]}
