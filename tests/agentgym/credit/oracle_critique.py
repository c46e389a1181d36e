from agentgym import credit
from agentgym.batch import TurnBatch
from tests.agentgym.credit.oracle_potential import same

COVERED = {"arew_reweight_likelihood_margin": 1, "arew_reweight_step_abs_sum": 1}


def _reweighted(variant):
    def check(case, fixture):
        critiques, base = case["inputs"]["critique"], case["inputs"]["base_advantage"]
        rows = [
            {"group": g, "trajectory": i, "turn": t, "critique": float(z)}
            for g, group in enumerate(critiques)
            for i, rollout in enumerate(group)
            for t, z in enumerate(rollout)
        ]
        given = [base[row["group"]][row["trajectory"]] for row in rows]
        params = case["params"]
        options = {"critique_weight": params["lambda"], "require_both": params.get("require_both", False)}
        made = credit.arew(TurnBatch.from_rows(rows), base=given, variant=variant, **options)
        same(made.diagnostics["u"], case["expected"]["u"])
        same(made.total, case["expected"]["adv"])

    return check


CHECKS = {
    "arew_reweight_likelihood_margin": _reweighted("margin"),
    "arew_reweight_step_abs_sum": _reweighted("abs_sum"),
}
