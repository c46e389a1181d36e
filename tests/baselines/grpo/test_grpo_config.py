"""Bad values are refused when a configuration is made, with the field and the remedy."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import grpo_world
import pytest

from agentgym import credit
from agentgym.baselines.grpo import run
from agentgym.baselines.grpo.config import (
    PRESETS,
    SEEDS,
    TASKS,
    UPDATES,
    TrainError,
    differences,
    make,
    rollout_seed,
)
from tests.layering import ROOT


@pytest.mark.parametrize(
    "changes, said",
    [
        ({"group_size": 16}, "group_size 16 is larger than the batch of 8 rollouts: lower group_size, or raise"),
        ({"group_size": 3}, "rollouts (8) must be a multiple of group_size (3)"),
        ({"minibatches": 3}, "and of minibatches (3)"),
        ({"rollouts": 0}, "rollouts must be an integer of at least 1, not 0"),
        ({"updates": 2.0}, "updates must be an integer of at least 1, not 2.0"),
        ({"epochs": True}, "epochs must be an integer of at least 1, not True"),
        ({"lr": float("nan")}, "lr must be a number from 0 to 10, not nan"),
        ({"temperature": 0.0}, "temperature must be a number from 0.01 to 100, not 0.0"),
        ({"aggregation": "token_man"}, "did you mean 'token_mean'?"),
        ({"control": "shuffle"}, "did you mean 'shuffled'?"),
        ({"device": "gpu"}, "known: cpu, cuda"),
        ({"engine": "vlm"}, "did you mean 'vllm'?"),
        ({"engine": "vllm", "temperature": 2.5}, "temperature 2.5 is above 2.0, the most that vLLM samples at"),
        ({"context": 8, "max_new_tokens": 8}, "max_new_tokens 8 leaves no prompt in a context of 8"),
        ({"dual_clip": 0.5}, "dual_clip must be 0 (none) or above 1, not 0.5"),
        ({"width": 18, "heads": 4}, "width 18 must be a multiple of twice the heads (4)"),
        ({"seed": -1}, "seed must be an integer"),
        ({"estimator": "grop"}, "did you mean 'grpo'?"),
        ({"options": {"preset": "vrl"}}, "did you mean 'verl'?"),
    ],
)
def test_a_bad_value_is_refused_with_its_remedy(changes: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError) as refused:
        grpo_world.config(**changes)
    assert said in str(refused.value)


def test_an_unknown_field_or_option_offers_the_nearest() -> None:
    with pytest.raises(TypeError, match="did you mean 'rollouts'"):
        grpo_world.config(rollout=8)
    with pytest.raises(TypeError, match="unknown option 'singletn' of grpo; did you mean 'singleton'"):
        grpo_world.config(options={"singletn": "raw"})
    with pytest.raises(ValueError, match="unknown preset 'gpus'; did you mean 'gpu'"):
        make(grpo_world.ENV, "gpus")


def test_an_estimator_whose_column_no_rollout_has_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from agentgym.credit import estimator\n\n"
        '@estimator("mine", needs=("ref_logprob",))\n'
        "def mine(batch):\n    return batch.turn_reward\n"
    )
    said = r"needs the column 'ref_logprob'; rollouts of tests/Walk-v0 do not have it: choose another estimator"
    with pytest.raises(ValueError, match=said):
        grpo_world.parts(estimator=f"{tmp_path / 'mine.py'}:mine")


@pytest.mark.parametrize("name", ["grpo", "mt_grpo", "gigpo", "hcapo", "state_graph"])
def test_every_registered_estimator_can_be_trained_with(name: str) -> None:
    assert name in credit.names()
    assert grpo_world.config(estimator=name).made().name == name


def test_presets_change_known_fields_only() -> None:
    for name in PRESETS:
        assert make(grpo_world.config().env, name, model="folder").env == grpo_world.ENV


@pytest.mark.parametrize("given", [{"model": "folder"}, {"warm_episodes": 16}, {"warm_from": "warm.pt"}])
def test_the_gpu_preset_begins_with_a_model_or_a_warm_start(given: dict[str, object]) -> None:
    made = make(grpo_world.config().env, "gpu", **given)
    assert made.warm_episodes == given.get("warm_episodes", 0)


@pytest.mark.parametrize("given", [{}, {"model": ""}, {"warm_episodes": 0}, {"device": "cpu"}])
def test_the_gpu_preset_with_nothing_to_begin_from_is_refused_and_only_that_preset(given: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"has no model to begin with: give one with --config model=…"):
        make(grpo_world.ENV, "gpu", **given)
    assert make(grpo_world.config().env, "cpu", warm_episodes=0).model == ""  # asked for in so many words


def test_differences_name_field_and_values() -> None:
    assert differences({"lr": 1.0, "seed": 0}, {"lr": 2.0, "seed": 0}) == ["lr: 1.0 there, 2.0 here"]


def test_a_missing_model_library_is_named_with_the_remedy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    for name in [name for name in sys.modules if name.startswith("agentgym.baselines.grpo.")]:
        if not name.endswith(".config"):
            monkeypatch.delitem(sys.modules, name)
    with pytest.raises(TrainError, match=r"the trainer needs torch: pip install 'agentgym-suite\[train,bench\]'"):
        run(grpo_world.config(), str(tmp_path / "run"))
    assert not (tmp_path / "run").exists()


def test_the_configuration_needs_no_model_library() -> None:
    code = "import sys, agentgym.baselines.grpo; print({'torch', 'transformers'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"mask_cut": "no"}, "mask_cut must be true or false, not 'no'"),  # any text is true
        ({"system": 0}, "system must be true or false, not 0"),
        ({"model": 5}, "model must be text, not 5"),
        ({"warm_from": 7}, "warm_from must be text, not 7"),
        ({"env_kwargs": 3}, "env_kwargs must be names with values, not 3"),
        ({"options": "eps"}, "options must be names with values, not 'eps'"),
        ({"seed": 10**10}, "seed must be below 10,000,000,000"),
    ],
)
def test_a_value_of_another_kind_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        make("agentgym/BabyAI-v0", **given)


def test_no_two_tasks_of_any_updates_and_runs_share_a_seed() -> None:
    """Seeds 0 … 3 and the greatest, updates around the thousands, first and last task: all of them differ.

    The first 1,000 updates keep (seed + 1)·10⁶ + 10³·update; the last task of the last update lies below 2⁶³.
    """
    assert [rollout_seed(4, update) for update in (0, 7, 999)] == [5_000_000, 5_007_000, 5_999_000]
    seeds, updates = (0, 1, 2, 3, SEEDS - 2, SEEDS - 1), (0, 1, 998, 999, 1000, 1001, 1999, 2000, 2001, UPDATES - 1)
    firsts = sorted(rollout_seed(seed, update) for seed in seeds for update in updates)
    assert all(after - before >= TASKS for before, after in pairwise(firsts))
    assert firsts[-1] + TASKS < 2**63


@pytest.mark.parametrize("given", [{"updates": 400_001}, {"rollouts": 1001, "group_size": 1, "minibatches": 1}])
def test_sizes_that_would_repeat_draws_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must be at most 400,000 and rollouts / group_size at most 1,000"):
        make("agentgym/BabyAI-v0", **given)
