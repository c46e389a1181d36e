"""docs/grpo-step.md: short, learning whatever the draws, and its gradient is that of the clipped objective."""

import re
from typing import Any

import numpy as np
import pytest

from tests.docs_code import blocks
from tests.layering import ROOT

PAGE = ROOT / "docs" / "grpo-step.md"
(BLOCK,) = blocks(PAGE.read_text("utf-8"))


def run(**changes: str) -> dict[str, Any]:
    """Run the page's code, each text replaced that `changes` names by its number; return its names."""
    code = BLOCK.code
    for name, value in changes.items():
        before, after = {
            "seed": ("default_rng(0)", f"default_rng({value})"),
            "updates": ("range(21)", f"range({value})"),
            "epochs": ("CLIP, EPOCHS = 8, 10.0, 0.2, 4", f"CLIP, EPOCHS = 8, 10.0, 0.2, {value}"),
        }[name]
        assert code.count(before) == 1
        code = code.replace(before, after)
    names: dict[str, Any] = {}
    exec(compile(code, PAGE.name, "exec"), names)
    return names


def successes(printed: str) -> list[float]:
    return [float(number) for number in re.findall(r"success ([0-9.]+)", printed)]


def test_the_code_is_short_and_plain() -> None:
    assert len(BLOCK.code.splitlines()) < 60
    imports = re.findall(r"^(?:import|from) (\w+)", BLOCK.code, re.MULTILINE)
    assert imports == ["zlib", "gymnasium", "numpy", "agentgym"]


def test_the_policy_learns_under_other_draws_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert BLOCK.output is not None  # the run with the page's own draws, which test_docs.py holds to what is printed
    run(seed="1", updates="11")
    for shown in (successes(BLOCK.output), successes(capsys.readouterr().out)):
        assert shown == sorted(shown)
        assert shown[-1] - shown[0] > 0.35


def test_an_update_climbs_the_clipped_objective(capsys: pytest.CaptureFixture[str]) -> None:
    """The second step of an update, where ratios differ from 1, against central differences of the objective."""
    first, second = run(updates="1", epochs="1"), run(updates="1", epochs="2")
    at, step = first["weights"], (second["weights"] - first["weights"]) / first["RATE"]
    samples = first["samples"]

    def objective(weights: np.ndarray) -> float:
        first["weights"] = weights
        total = 0.0
        for pairs, choice, before, advantage in samples:
            ratio = np.exp(first["log_probs"](pairs)[choice] - before)
            total += min(ratio * advantage, np.clip(ratio, 0.8, 1.2) * advantage)
        return total / len(samples)

    def clipped() -> int:
        first["weights"] = at
        ratios = [np.exp(first["log_probs"](pairs)[choice] - before) for pairs, choice, before, _ in samples]
        return sum(abs(ratio - 1.0) > 0.2 for ratio in ratios)

    assert clipped() > 10  # so that the flat part is tried too
    assert len(samples) == len(second["samples"])
    for index in np.argsort(-np.abs(step))[[0, 1, 5, 20, 50]]:
        nudge = np.zeros_like(at)
        nudge[index] = 1e-6
        slope = (objective(at + nudge) - objective(at - nudge)) / 2e-6
        assert step[index] == pytest.approx(slope, abs=1e-7), index
