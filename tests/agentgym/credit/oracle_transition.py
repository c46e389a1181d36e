from agentgym import credit
from agentgym.batch import TurnBatch
from tests.agentgym.credit.oracle_potential import flat, same

COVERED = {"atr_group_advantage": 1, "atr_cycle_is_dissipative": 1}


def scores(groups):
    """One row a turn; groups[group][rollout] are the step scores."""
    return TurnBatch.from_rows(
        [
            {"group": g, "trajectory": i, "turn": t, "step_score": score}
            for g, group in enumerate(groups)
            for i, rollout in enumerate(group)
            for t, score in enumerate(rollout)
        ]
    )


def _advantage(case, fixture):
    params, expected = case["params"], case["expected"]
    batch = scores(case["inputs"]["step_score"])
    firsts = batch.order[batch.starts]
    shared = {"matrix": params["M"], "tau": params["tau"], "initial_score": params["init_score"]}
    made = credit.atr(batch, **shared, eps=params["eps"], ddof=params["ddof"])
    same(made.diagnostics["transition"], expected["parts"])
    same(made.diagnostics["atr"][firsts], expected["atr"])
    same(made.total[firsts], expected["adv"])
    same(credit.atr(batch, **shared, ddof=0, eps=1e-6).total[firsts], expected["adv_pop"])


def _cycle(case, fixture):
    params, inputs = case["params"], case["inputs"]
    assert inputs["cycle"][0] == inputs["init"]
    batch = scores([[inputs["cycle"][1:]]])
    for key, falls in (("asymmetric", params["M"]["HL"]), ("symmetric", -1.0)):
        made = credit.atr(batch, matrix={**params["M"], "HL": falls}, tau=params["tau"], initial_score=inputs["init"])
        same(made.diagnostics["atr"], [case["expected"][key]] * len(batch))


def _csmr(case, fixture):
    gold, expected = case["inputs"]["gold"], case["expected"]
    got = [credit.csmr(gold, pred, scale=case["params"]["alpha"]) for pred in case["inputs"]["pred"].values()]
    assert list(expected) == list(case["inputs"]["pred"])
    same(got, flat(expected))


CHECKS = {"atr_group_advantage": _advantage, "atr_cycle_is_dissipative": _cycle, "csmr": _csmr}
