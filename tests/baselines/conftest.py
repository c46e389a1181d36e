"""Figures that are not drawn where a test does not look at them: drawing takes longer than a small benchmark."""

import pytest

from agentgym.baselines.benchmark import plots


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every figure of a benchmark's report, and write an empty picture instead of it."""
    monkeypatch.setattr(plots, "as_svg", lambda figure: "<svg></svg>")
