import numpy as np

from agentgym import credit
from agentgym.batch import TurnBatch

ATOL = 1e-6
COVERED = {"mica_mixed_advantage": 5, "stepwise_gain_joint": 1, "stepwise_gain_per_step": 1}


def batch_of(curves):
    """One row a turn; curves[group][rollout] are the potentials at every boundary of a turn."""
    rows = []
    for g, group in enumerate(curves):
        for i, curve in enumerate(group):
            for t, (before, after) in enumerate(zip(curve[:-1], curve[1:], strict=True)):
                end = after if t == len(curve) - 2 else 0.0
                rows.append({"group": g, "trajectory": i, "turn": t, "potential": before, "next_potential": after})
                rows[-1]["outcome_reward"] = end
    return TurnBatch.from_rows(rows)


def flat(nested):
    """The numbers of nested lists (and of dicts by group name), in order."""
    parts = nested.values() if isinstance(nested, dict) else nested
    return [x for part in parts for x in (flat(part) if isinstance(part, (list, dict)) else [part])]


def same(got, wanted):
    np.testing.assert_allclose(got, flat(wanted), rtol=0, atol=ATOL)


def _mica(case, fixture):
    expected, params = case["expected"], case["params"]
    distance = case["inputs"].get("distance") or expected["distance"]
    if "P0" in case["inputs"]:
        same(credit.zone_distance(expected["positions"]["g0"], params["zone_eps"]).ravel(), distance["g0"])
    groups = list(distance.values()) if isinstance(distance, dict) else [distance]
    batch = batch_of([[[-d for d in curve] for curve in group] for group in groups])
    weights = {"turn_weight": params["alpha"], "group_weight": params["beta"]}
    shared = {name: params[name] for name in ("ddof", "eps", "gamma")}
    made = credit.mica(batch, **weights, **shared)
    same(made.diagnostics["gain"], expected["idr"])
    same(made.diagnostics["return"], expected["mc_return"])
    same(made.terms["turn"] / weights["turn_weight"], expected["a_turn"])
    same(made.terms["group"] / weights["group_weight"], expected["a_group"])
    same(made.total, expected["a_mixed"])


def _stepwise(variant):
    def check(case, fixture):
        batch, params = batch_of(case["inputs"]["intermediate_reward"]), case["params"]
        made = credit.stepwise_gain(batch, variant=variant, ddof=params["ddof"], eps=params["eps"])
        same(made.diagnostics["gain"], case["expected"]["gain"])
        same(made.total, case["expected"]["adv"])
        uniform = credit.grpo(batch, rewards="outcome").total[batch.order[batch.starts]]
        same(uniform, case["expected"]["adv_uniform_flow_grpo"])

    return check


CHECKS = {
    "mica_mixed_advantage": _mica,
    "stepwise_gain_joint": _stepwise("joint"),
    "stepwise_gain_per_step": _stepwise("per_step"),
}
