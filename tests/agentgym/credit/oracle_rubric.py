import numpy as np

from agentgym import TurnBatch, credit

FORMULAS = {
    "rtt_grpo_intra_sample": "intra_sample",
    "rtt_grpo_intra_group": "intra_group",
    "rtt_grpo_intra_sample.released_reshape": "released_reshape",
}
COVERED = dict.fromkeys(FORMULAS, 1)


def rubric(case, _):
    inputs = case["inputs"]
    return TurnBatch.from_rows(
        [
            {
                "group": g,
                "trajectory": i,
                "turn": 0,
                "rubric_scores": scores,
                "rubric_relevance": inputs["relevance"][g][i],
                "token_mask": inputs["mask"][g][i],
                "tokens": len(inputs["mask"][g][i]),
            }
            for g, group in enumerate(inputs["rubric_score"])
            for i, scores in enumerate(group)
        ]
    )


def check(case, fixture):
    params, expected = case["params"], case["expected"]
    batch = rubric(case, fixture)
    result = credit.estimate(
        "rtt",
        batch,
        variant=FORMULAS[case["formula_id"]],
        method=params["method"],
        token_weight=params["weight"],
        ddof=params["resp_ddof"],
        eps=params["eps"],
        response={"all-or-nothing": "all"}[params["reward_union"]],
    )
    for got, key in (
        (result.diagnostics["response"], "resp_reward"),
        (result.terms["episode"], "a_resp"),
        (np.concatenate(result.diagnostics["token"]), "a_token"),
        (np.concatenate(result.to_tokens(batch)), "adv"),
    ):
        np.testing.assert_allclose(got, np.ravel(expected[key]), rtol=0, atol=1e-6)


BUILDERS = {"rubric": rubric}
CHECKS = dict.fromkeys(FORMULAS, check)
