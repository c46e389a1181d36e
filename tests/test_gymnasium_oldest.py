"""The oldest supported Gymnasium: the tests of the shell in an environment of their own. Needs a package index."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TESTS = [
    "test_env.py",
    "test_env_actions.py",
    "test_registry.py",
    "test_space.py",
    "test_space_shared.py",
    "test_snapshot.py",
    "test_golden.py",
    "test_vector_env.py",
    "test_vector_golden.py",
    "test_vector_groups.py",
    "test_vector_infos.py",
    "test_vector_kinds.py",
    "test_vector_make.py",
]


def oldest() -> str:
    """Return the lowest Gymnasium that pyproject.toml admits."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        dependencies = tomllib.load(file)["project"]["dependencies"]
    bounds = [re.fullmatch(r"gymnasium>=([0-9.]+)", name) for name in dependencies]
    return next(bound[1] for bound in bounds if bound)


@pytest.mark.slow
def test_the_oldest_supported_gymnasium(tmp_path: Path) -> None:
    version = oldest()
    subprocess.run([sys.executable, "-m", "venv", tmp_path], check=True)
    python = tmp_path / "bin" / "python"
    packages = [f"gymnasium=={version}", "minigrid>=3.2.0", "rich", "pytest", "hypothesis"]
    installed = subprocess.run(
        [python, "-m", "pip", "--disable-pip-version-check", "-q", "install", *packages],
        capture_output=True,
        text=True,
        check=False,
    )
    if installed.returncode:
        pytest.skip(f"gymnasium {version} cannot be installed here: {installed.stderr[-300:]}")
    found = subprocess.run(
        [python, "-c", "import gymnasium; print(gymnasium.__version__)"], capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == version
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST"))}
    tests = [*(f"tests/agentgym/{name}" for name in TESTS), "tests/wrappers"]
    done = subprocess.run(
        [python, "-m", "pytest", "-p", "no:cacheprovider", *tests],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
