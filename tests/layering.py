"""Run the import contracts of pyproject.toml: `python tests/layering.py`.

import-linter reads packages from the file system and cannot follow setuptools' package-dir (agentgym.envs lies in
envs/), so the sources are first laid out as the wheel holds them, in a temporary folder, and checked there.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def package_dirs(root: Path = ROOT) -> dict[str, str]:
    """Return setuptools' package-dir: import name → folder relative to the root."""
    config = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    mapping: dict[str, str] = config["tool"]["setuptools"]["package-dir"]
    return mapping


def lay_out(target: Path, root: Path = ROOT) -> None:
    """Copy the Python files of every package below `target`, each at the place of its import name."""
    for name, folder in package_dirs(root).items():
        for file in sorted((root / folder).rglob("*.py")):
            place = target / name.replace(".", "/") / file.relative_to(root / folder)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, place)


LINT = f"""\
from importlinter.cli import lint_imports_command as run
run([{str(ROOT / "pyproject.toml")!r}, "--no-cache"])
"""
PLAIN = {"COLUMNS": "120", "NO_COLOR": "1"}


def lint(layout: Path) -> subprocess.CompletedProcess[str]:
    """Run import-linter over a laid-out tree with this repository's contracts."""
    environment = {**os.environ, **PLAIN, "PYTHONPATH": str(layout)}
    command = [sys.executable, "-c", LINT]
    return subprocess.run(command, cwd=layout, env=environment, capture_output=True, text=True, check=False)


def main() -> int:
    """Lint the checkout; print the report only when a contract is broken."""
    with tempfile.TemporaryDirectory() as folder:
        lay_out(Path(folder))
        done = lint(Path(folder))
    lines = (done.stdout + done.stderr).strip().splitlines()
    print("\n".join(lines if done.returncode else lines[-1:]))
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
