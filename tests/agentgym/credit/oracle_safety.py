import numpy as np

from agentgym import TurnBatch, credit

COVERED = {"traces_violation_credit": 1}


def log_safe(case, _):
    return TurnBatch.from_rows(
        [
            {"group": g, "trajectory": i, "turn": t, "log_safe": value}
            for g, group in enumerate(case["inputs"]["log_score"])
            for i, turns in enumerate(group)
            for t, value in enumerate(turns)
        ]
    )


def check_traces(case, fixture):
    params, expected = case["params"], case["expected"]
    batch = log_safe(case, fixture)
    result = credit.estimate("traces", batch, base="none", clamp=tuple(params["clamp"]))
    said = result.diagnostics
    for name, key in (("cost", "step_cost"), ("hazard", "step_violation_prob"), ("cost_to_go", "cost_to_go")):
        np.testing.assert_allclose(said[name], np.ravel(expected[key]), rtol=0, atol=1e-6)
    np.testing.assert_allclose(-said["cost"], np.ravel(expected["clamped"]), rtol=0, atol=1e-6)
    last = batch.order[batch.starts]
    np.testing.assert_allclose(said["prob_safe"][last], np.ravel(expected["prob_safe"]), rtol=0, atol=1e-6)
    assert said["predicted_safe"][last].tolist() == [bool(x) for x in np.ravel(expected["predicted_safe"])]
    cost = said["expected_cost"]
    np.testing.assert_allclose(cost, expected["Jc"], rtol=0, atol=1e-6)
    _, gradient = credit.multiplier_loss(params["lagrangian"], cost, params["cost_limit"])
    np.testing.assert_allclose(gradient, expected["lambda_loss_grad"], rtol=0, atol=1e-6)


def check_mix(case, _):
    inputs = case["inputs"]
    for reward, cost, wanted in zip(inputs["a_reward"], inputs["a_cost"], case["expected"]["adv"], strict=True):
        got = credit.lagrangian_mix(reward, cost, case["params"]["lagrangian"])
        np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-6)


BUILDERS = {"log_safe": log_safe}
CHECKS = {"traces_violation_credit": check_traces, "lagrangian_advantage_mix": check_mix}
