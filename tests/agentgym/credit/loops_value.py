"""Value estimators: options to draw, claims, and the formulas as loops."""

from tests.agentgym.credit_cases import GAMMA, REWARDS, Form
from tests.agentgym.slow_loops import pays, rollouts

OPTIONS = {"gae": {**REWARDS, **GAMMA, "lam": (0.0, 0.5, 0.95, 1.0), "bootstrap_truncated": (False, True)}}

FORMS = [Form("gae", {}, "order apart"), Form("gae", {"lam": 0.5, "bootstrap_truncated": True}, "order apart")]


def gae(rows, *, rewards, gamma, lam, bootstrap_truncated):
    paid, result = pays(rows, rewards), [0.0] * len(rows)
    for numbers in rollouts(rows).values():
        end = rows[numbers[-1]]
        after = end["bootstrap_value"] if bootstrap_truncated and end["truncated"] else 0.0
        trace = 0.0
        for n in reversed(numbers):
            trace = paid[n] + gamma * after - rows[n]["value"] + gamma * lam * trace
            result[n], after = trace, rows[n]["value"]
    return {"gae": result}
