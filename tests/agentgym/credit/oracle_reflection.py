import numpy as np

from agentgym import credit
from agentgym.batch import TurnBatch

COVERED = {"ricl_advantage_logratio": 1}


def menu(case, _):
    given = case["inputs"]
    before, after = np.log(given["pi0"]).tolist(), np.log(given["pi_prime"]).tolist()
    return TurnBatch.from_rows(
        [
            {
                "group": 0, "trajectory": n, "turn": 0, "menu": given["actions"], "action": action,
                "menu_logprobs": before, "menu_hindsight_logprobs": after,
            }
            for n, action in enumerate(given["actions"])
        ]
    )  # fmt: skip


def every_value_of_the_case(case, fixture):
    """The advantages, and what else the case prints: log Z, their mean under π0, the target and its distance to π0."""
    given, wanted = case["inputs"], case["expected"]
    got = credit.ricl(menu(case, fixture), beta=case["params"]["beta"])
    target = credit.ricol_target(given["pi0"], given["pi_prime"], case["params"]["alpha"])
    found = {
        "adv": got.total,
        "logZ": got.diagnostics["log_z"][0],
        "mean_under_pi0": np.dot(given["pi0"], got.diagnostics["menu_advantage"][0]),
        "ricol_target": target,
        "kl_target_pi0": (target * np.log(target / given["pi0"])).sum(-1),
    }
    assert set(found) == set(wanted)
    for key, values in found.items():
        np.testing.assert_allclose(values, wanted[key], rtol=0, atol=1e-6, err_msg=key)


BUILDERS = {"menu": menu}
CHECKS = {"ricl_advantage_logratio": every_value_of_the_case}
