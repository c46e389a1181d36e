"""Costs come from one run of the measurement, and only its ratios to gigpo are kept."""

import json

import pytest

from agentgym.baselines.pages import cost, site


def line(row, against, ratio):
    return {"row": row, "against": against, "ratio": ratio, "ours": 1.0, "baseline": 2.0}


RUN = {
    "date": "2026-01-02", "machine": "x86_64", "cpus": 2, "system": "Linux", "busy": 1.04,
    "lines": [
        line("grpo, 100,000 turns", "gigpo", 0.4567),
        line("grpo, 100,000 turns", "10,000 turns", 9.0),
        line("rtt, 100,000 turns", "gigpo", 12.34),
        line("gigpo, 10,000 turns", "calibration", 7000.0),
    ],
}  # fmt: skip


def test_a_run_is_taken(tmp_path):
    run, kept = tmp_path / "perf.json", tmp_path / "cost.json"
    run.write_text(json.dumps(RUN), "utf-8")
    cost.take(run, kept)
    assert json.loads(kept.read_text("utf-8")) == {
        "date": "2026-01-02", "machine": "x86_64, 2 CPUs, Linux", "busy": 1.0, "ratio": {"grpo": 0.46, "rtt": 12.0},
    }  # fmt: skip


def test_a_run_without_estimators_is_refused(tmp_path):
    run = tmp_path / "perf.json"
    run.write_text(json.dumps({**RUN, "lines": RUN["lines"][1::2]}), "utf-8")
    with pytest.raises(
        ValueError, match=r"holds no estimator's time on 100,000 turns: make it with `python tests/perf"
    ):
        cost.take(run, tmp_path / "cost.json")
    assert not (tmp_path / "cost.json").exists()


def test_costs_in_words():
    assert cost.cost("gigpo") == "1 × gigpo"
    assert cost.cost("no such estimator") == "not measured"


def test_every_estimator_is_measured():
    assert [name for name in site.own() if cost.cost(name) == "not measured"] == []
