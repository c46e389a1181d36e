import numpy as np

from agentgym import credit
from agentgym.batch import TurnBatch

COVERED = {"apex_plan_reward_semantic_f1": 2}


def plan(case, fixture):
    rows = []
    for group, matrices in enumerate(case["inputs"]["similarity"]):
        for trajectory, matrix in enumerate(matrices):
            for turn, (kind, similarity) in enumerate((("plan", matrix), ("execute", []))):
                row = {"group": group, "trajectory": trajectory, "turn": turn}
                rows.append({**row, "kind": kind, "plan_similarity": similarity})
    return TurnBatch.from_rows(rows)


def check(case, fixture):
    batch = plan(case, fixture)
    result = credit.estimate("apex_plan", batch, **case["params"])
    wanted = [entry for group in case["expected"]["plan"] for entry in group]
    close = {"rtol": 0, "atol": 1e-6}
    for name, key in (("plan_reward", "f1"), ("precision", "precision"), ("recall", "recall")):
        np.testing.assert_allclose(result.diagnostics[name][::2], [entry[key] for entry in wanted], **close)
    advantages = [x for group in case["expected"]["adv"] for x in group]
    np.testing.assert_allclose(result.total[::2], advantages, **close)
    assert (result.total[1::2] == 0).all()
    assert result.diagnostics["sft_mask"].tolist() == [False, True] * len(wanted)
    for matrix, entry in zip(batch["plan_similarity"].tolist()[::2], wanted, strict=True):
        assert abs(credit.plan_reward(matrix, case["params"]["threshold"]) - entry["f1"]) < 1e-6


BUILDERS = {"plan": plan}
CHECKS = {"apex_plan_reward_semantic_f1": check}
