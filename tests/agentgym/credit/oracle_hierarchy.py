import numpy as np

from agentgym import credit
from agentgym.batch import TurnBatch

COVERED = {"hae": 3}


def by_trajectory(case, fixture):
    rows = []
    for name, inputs in case["inputs"].items():
        for turn, done in enumerate(inputs["done"]):
            last = turn == len(inputs["done"]) - 1
            row = {"group": "g", "trajectory": name, "turn": turn, "switch": bool(inputs["switch"][turn])}
            row |= {"turn_reward": inputs["reward"][turn], "outcome_reward": 0.0}
            row |= {"terminated": bool(done), "truncated": last and not done}
            row |= {f"value_{level}": inputs[f"v_{level}"][turn] for level in ("low", "high", "term")}
            rows.append(row)
    return TurnBatch.from_rows(rows)


def check_keep_penalty(case, fixture):
    for name, inputs in case["inputs"].items():
        made = credit.keep_penalty(inputs["reward"], inputs["switch"], case["params"]["keep_penalty"])
        np.testing.assert_allclose(made, case["expected"][name], rtol=0, atol=1e-6)


BUILDERS = {"by_trajectory": by_trajectory}
CHECKS = {"hae.keep_penalty": check_keep_penalty}
