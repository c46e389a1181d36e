"""What the GPU recipe says is missing, and that it says so before anything is installed or begun."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import io
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from agentgym.baselines.grpo import recipe_check
from tests.layering import ROOT

SCRIPT = ROOT / "baselines" / "grpo" / "gpu_recipe.sh"


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A machine on which everything is there; what a test takes away is gone."""
    has: dict[str, Any] = {
        "absent": set(),
        "torch": "2.11.0+cu130",
        "transformers": "5.17.0",
        "cuda": True,
        "bf16": True,
    }
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in has["absent"] else object())

    def version(name: str) -> str:
        if has[name] is None:
            raise importlib.metadata.PackageNotFoundError(name)
        return str(has[name])

    monkeypatch.setattr(importlib.metadata, "version", version)
    cuda = SimpleNamespace(is_available=lambda: has["cuda"], is_bf16_supported=lambda: has["bf16"])
    fake = SimpleNamespace(cuda=cuda, __version__=has["torch"], version=SimpleNamespace(cuda="13.0"))
    monkeypatch.setitem(sys.modules, "torch", fake)
    return has


def test_nothing_is_missing_where_everything_is_there(machine: dict[str, Any]) -> None:
    assert recipe_check.missing("100m", "") == ([], [])


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"torch": "2.7.1"}, "torch is 2.7.1: torch 2.8 or newer must be installed"),
        ({"torch": None}, "torch is not installed for"),
        ({"transformers": "4.57.1"}, "transformers is 4.57.1: transformers 5.0 or newer must be installed"),
        ({"cuda": False}, "no GPU: torch 2.11.0+cu130 built for CUDA 13.0, sees none; SIZE=toy"),
        ({"bf16": False}, "CONFIG='dtype=float32'"),
        ({"absent": {"minigrid"}}, "minigrid is not installed, and no folder of wheels was given"),
    ],
)
def test_what_is_missing_is_named_with_a_remedy(machine: dict[str, Any], changes: dict[str, Any], said: str) -> None:
    machine.update(changes)
    _, lines = recipe_check.missing("100m", "")
    assert len(lines) == 1
    assert said in lines[0]


def test_the_toy_needs_no_gpu(machine: dict[str, Any]) -> None:
    machine.update(cuda=False)
    assert recipe_check.missing("toy", "") == ([], [])


def test_wheels_are_found_by_their_distribution_and_all_that_is_missing_is_said_at_once(
    machine: dict[str, Any], tmp_path: Path
) -> None:
    machine.update(absent={"pygame", "farama_notifications", "minigrid"}, cuda=False)
    (tmp_path / "pygame_ce-2.5.8-cp312-cp312-manylinux.whl").touch()
    (tmp_path / "Farama_Notifications-0.0.6-py3-none-any.whl").touch()
    wanted, lines = recipe_check.missing("100m", str(tmp_path))
    assert wanted == ["Farama-Notifications", "minigrid", "pygame-ce"]
    assert [line.split()[0] for line in lines] == ["no", "minigrid"]
    out, err = io.StringIO(), io.StringIO()
    assert recipe_check.main(["100m", str(tmp_path)], out, err) == 2
    assert err.getvalue().count("missing: ") == 2
    machine.update(absent={"pygame"}, cuda=True)
    out = io.StringIO()
    assert recipe_check.main(["100m", str(tmp_path)], out, io.StringIO()) == 0
    assert out.getvalue() == "pygame-ce\n"


def script(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", str(SCRIPT), *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["SEZE=toy"], 1, "what is 'SEZE=toy'? Settings are TOTAL_SECONDS"),
        (["SIZE=7b"], 1, "SIZE is 100m or toy, not '7b'"),
        (["TOTAL_SECONDS=9min"], 1, "TOTAL_SECONDS is a whole number"),
        (["PYTHON=no-such-python"], 2, "missing: no no-such-python"),
        (["WHEELS=/no/such/folder"], 2, "missing: WHEELS=/no/such/folder is no folder"),
    ],
)
def test_bad_settings_are_refused_before_anything(arguments: list[str], status: int, said: str) -> None:
    found = script(*arguments)
    assert found.returncode == status
    assert said in found.stderr


def test_the_script_ends_with_what_is_missing_and_writes_nothing(tmp_path: Path) -> None:
    """A Python without any library: -S hides them, so the same interpreter serves."""
    bare = tmp_path / "python"
    bare.write_text(f'#!/bin/sh\nunset PYTHONPATH\nexec "{sys.executable}" -S "$@"\n')
    bare.chmod(0o755)
    found = script("SIZE=toy", f"PYTHON={bare}", f"OUT={tmp_path / 'out'}")
    assert found.returncode == 2
    for name in ("torch", "transformers", "numpy", "gymnasium", "minigrid"):
        assert f"missing: {name} is not installed" in found.stderr
    assert not (tmp_path / "out").exists()
