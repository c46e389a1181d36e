import math

import numpy as np

from agentgym import credit
from agentgym.batch import TurnBatch

COVERED = {"hca.return": 1}


def each_in_a_group_of_its_own(case, _):
    rows = [
        {
            "group": n, "trajectory": 0, "turn": 0, "outcome_reward": entry["Z"], "tokens": 1,
            "logprob": math.log(entry["pi"]), "hindsight_logprob": math.log(entry["h"]),
        }
        for n, entry in enumerate(case["inputs"])
    ]  # fmt: skip
    got = credit.hca(TurnBatch.from_rows(rows), rewards="outcome", variant="return", gamma=1.0)
    np.testing.assert_allclose(got.total, case["expected"], rtol=0, atol=1e-6)


def state_conditional(case, _):
    given, gamma = case["inputs"], case["params"]["gamma"]
    got = credit.hca_state_q(given["r0"], given["pi"], given["h"], given["R"], gamma)
    np.testing.assert_allclose(got, case["expected"], rtol=0, atol=1e-6)


CHECKS = {"hca.return": each_in_a_group_of_its_own, "hca.state": state_conditional}
