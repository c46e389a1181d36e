import pytest

from agentgym import credit


def reward_update(case, fixture):
    params, turns = case["params"], case["inputs"]["turns"]
    made = credit.calibrate(
        [turn["tier"] for turn in turns],
        [turn["success"] for turn in turns],
        params["prior"],
        alpha=params["alpha"],
        delta=params["delta"],
        eta=params["eta"],
        clip=tuple(params["clip"]),
    )
    for name in ("rho", "reward", "weight"):
        assert getattr(made, name) == pytest.approx(case["expected"][name], abs=1e-6)


def soft_match(case, fixture):
    found = credit.soft_match(case["inputs"]["args"], case["inputs"]["gold"])
    assert found == pytest.approx(case["expected"]["value"], abs=1e-6)


CHECKS = {"irc.reward_update": reward_update, "irc.soft_match": soft_match}
