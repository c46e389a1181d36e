import numpy as np
import pytest

from agentgym import credit
from agentgym.batch import TurnBatch
from tests.agentgym import credit_oracles as oracles

COVERED = {"slate_step_advantage": 2, "tstar.tree": 1}


def prefixes(case, fixture):
    """A group for each (rollout, step): one one-turn rollout a candidate."""
    return TurnBatch.from_rows(
        [
            {"group": (i, t), "trajectory": j, "turn": 0, "state": "s", "turn_reward": paid}
            for i, steps in enumerate(case["expected"]["step_reward"])
            for t, rewards in enumerate(steps)
            for j, paid in enumerate(rewards)
        ]
    )


BUILDERS = {"prefixes": prefixes}


def check_slate(case, fixture):
    params, expected = case["params"], case["expected"]
    made = credit.estimate("slate", prefixes(case, fixture), **{name: params[name] for name in ("ddof", "eps", "eta")})
    for key, got in (("adv", made.total), ("select_prob", made.diagnostics["select_prob"])):
        np.testing.assert_allclose(got, np.ravel(expected[key]), rtol=0, atol=1e-6)
    first = 0 if case["id"].endswith("t_from_0") else 1
    for steps, rewards in zip(case["inputs"]["candidates"], expected["step_reward"], strict=True):
        for t, (candidates, wanted) in enumerate(zip(steps, rewards, strict=True), first):
            options = {"bonus": params["lambda_bonus"], "budget": params["B"]}
            got = [credit.slate_reward(c["think"], c["score"], c["kind"], t, **options) for c in candidates]
            assert got == pytest.approx(wanted)


def check_tstar(case, fixture):
    entry = oracles.read("oracle_map")["estimators"]["tstar.tree"]
    batch = oracles.build_common(entry)(case, fixture)
    [(name, options, _)] = oracles.runs(entry, case)
    made = credit.estimate(name, batch, **options)
    for key, got in (("advantage", made.total), ("Q", made.diagnostics["q"])):
        np.testing.assert_allclose(got, oracles.expected_rows(batch, case["expected"], key), rtol=0, atol=1e-6)
    for found, wanted in zip(made.diagnostics["divergences"], case["expected"]["divergences"], strict=True):
        assert [list(found.better), list(found.worse)] == [wanted["better"], wanted["worse"]]
        assert found.gap == pytest.approx(wanted["gap"])


def check_surgical_loss(case, fixture):
    inputs, params, expected = case["inputs"], case["params"], case["expected"]
    assert credit.surgical_loss(**inputs, **params) == pytest.approx(expected["weighted"])
    assert credit.surgical_loss(**inputs, **{**params, "weight": 1.0}) == pytest.approx(expected["loss"])
    level = dict.fromkeys(inputs, -3.0)
    assert credit.surgical_loss(**level, **{**params, "weight": 1.0}) == pytest.approx(expected["at_zero_gap"])


CHECKS = {
    "slate_step_advantage": check_slate,
    "tstar.tree": check_tstar,
    "tstar.surgical_loss": check_surgical_loss,
}
