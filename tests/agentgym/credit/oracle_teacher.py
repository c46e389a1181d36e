import numpy as np

from agentgym import TurnBatch, credit

FORMULAS = {"scope_dual_path_weights_paper": None, "scope_dual_path_weights_released": "released"}
COVERED = dict.fromkeys(FORMULAS, 1)


def token_logprobs(case, _):
    inputs = case["inputs"]
    return TurnBatch.from_rows(
        [
            {
                "group": g,
                "trajectory": i,
                "turn": 0,
                "token_logprobs": inputs["student_logp"][g][i],
                "teacher_logprobs": inputs["teacher_logp"][g][i],
                "success": correct,
            }
            for g, group in enumerate(inputs["correct"])
            for i, correct in enumerate(group)
        ]
    )


def check(case, fixture):
    batch, expected = token_logprobs(case, fixture), case["expected"]
    result = credit.estimate("scope", batch, preset=FORMULAS[case["formula_id"]], temperature=case["params"]["tau"])
    for got, key in (
        (result.diagnostics["w_student"], "w_student"),
        (result.diagnostics["w_teacher"], "w_teacher"),
        (np.concatenate(result.to_tokens(batch)), "distill_advantage"),
    ):
        np.testing.assert_allclose(got, np.ravel(expected[key]), rtol=0, atol=1e-6)


BUILDERS = {"token_logprobs": token_logprobs}
CHECKS = dict.fromkeys(FORMULAS, check)
