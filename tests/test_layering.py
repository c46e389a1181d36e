"""The import contracts hold on the tree, and each of them catches the breach that it is there for."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.forked import Scripts
from tests.layering import LINT, PLAIN, ROOT, lay_out, lint

# Every module of the design, empty: breaches are planted there, so these tests do not depend on what is built already.
MODULES = [
    "cli",
    "__main__",
    "env",
    "turn",
    "rng",
    "action",
    "tool",
    "task",
    "space",
    "digest",
    "snapshot",
    "score",
    "errors",
    "user",
    "vector",
    "rollout",
    "batch",
    "log",
    "fidelity",
    "credit.algebra",
    "credit.turn",
    "check.rules",
    "envs.babyai.env",
    "envs.sales.env",
    "envs.text_to_sql.env",
    "wrappers.turn",
    "baselines.grpo.loss",
]

BREACHES = [
    ("digest", "import agentgym.env", "The layers of agentgym"),
    ("env", "from agentgym.rollout import collect", "The layers of agentgym"),
    ("env", "from agentgym import vector", "The layers of agentgym"),
    ("turn", "def late():\n    import agentgym.cli", "The layers of agentgym"),
    ("rollout", "import agentgym.credit.turn", "The layers of agentgym"),
    ("turn", "import agentgym.envs.babyai.env", "The layers of agentgym"),
    ("vector", "import agentgym.envs.babyai.env", "The core does not know the worlds"),
    ("fidelity", "import agentgym.baselines.grpo.loss", "The layers of agentgym"),
    ("newcomer", "", "The layers of agentgym"),
    ("credit.turn", "from agentgym import env", "Estimators see only the batch and the scores"),
    ("credit.turn", "import agentgym.rng", "Estimators see only the batch and the scores"),
    ("envs.babyai.env", "import agentgym.batch", "Worlds see only the contract"),
    ("envs.babyai.env", "from agentgym.credit import turn", "Worlds see only the contract"),
    ("envs.babyai.env", "from agentgym.envs.sales import env", "Worlds never see each other"),
    ("wrappers.turn", "import torch", "Only baselines import a model library"),
    ("cli", "def late():\n    import transformers", "Only baselines import a model library"),
    ("envs.sales.env", "import sqlite3", "A world's library stays in its folder"),
    ("envs.text_to_sql.env", "import minigrid.core", "A world's library stays in its folder"),
    ("baselines.grpo.loss", "import faiss", "A world's library stays in its folder"),
    ("envs.sales.env", "import pettingzoo", "A world's library stays in its folder"),
]

PERMITTED = {
    "env": "from agentgym import digest, rng, turn\nimport gymnasium",
    "vector": "from agentgym import env",
    "credit.turn": "from agentgym import batch, score, errors\nfrom agentgym.credit import algebra",
    "batch": "import agentgym.digest",
    "score": "import numpy",
    "fidelity": "from agentgym.credit import turn\nfrom agentgym import rollout",
    "envs.babyai.env": "from agentgym import env, turn, task\nimport minigrid.core",
    "envs.text_to_sql.env": "import sqlite3, sqlglot",
    "envs.pettingzoo.sales_v0": "import pettingzoo\nfrom agentgym.envs.sales import env",
    "wrappers.turn": "from agentgym.credit import turn\nimport agentgym.vector",
    "baselines.grpo.loss": "import torch\nfrom agentgym.envs.babyai import env\nfrom agentgym.wrappers import turn",
    "cli": "def late():\n    import agentgym.baselines.grpo.loss\n    import agentgym.envs.babyai.env",
    "__main__": "from agentgym import cli",
}


def plant(target: Path, sources: dict[str, str]) -> Path:
    """Write an agentgym of empty modules, but for the given sources."""
    for name in [*MODULES, *sources]:
        file = target.joinpath("agentgym", *name.split(".")).with_suffix(".py")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(sources.get(name, "") + "\n", "utf-8")
    for folder in {file.parent for file in target.rglob("*.py")} | {target / "agentgym" / "envs"}:
        for package in [folder, *folder.parents]:
            if target in package.parents:
                (package / "__init__.py").touch()
    return target


def test_the_tree_keeps_every_contract(tmp_path: Path) -> None:
    lay_out(tmp_path)
    assert (tmp_path / "agentgym/envs/babyai/__init__.py").is_file()
    done = lint(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_the_design_allows_is_no_breach(tmp_path: Path) -> None:
    done = lint(plant(tmp_path, PERMITTED))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def linter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scripts]:
    found = Scripts(tmp_path_factory.mktemp("linter"), "importlinter.cli", **PLAIN)
    yield found
    found.close()


@pytest.mark.parametrize(("module", "source", "contract"), BREACHES, ids=[f"{m}: {s}" for m, s, _ in BREACHES])
def test_a_breach_is_caught(linter: Scripts, tmp_path: Path, module: str, source: str, contract: str) -> None:
    plant(tmp_path, {module: source})
    (tmp_path / "lint.py").write_text(LINT, "utf-8")
    done = linter.run(tmp_path / "lint.py")
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"{contract} BROKEN" in " ".join(done.stdout.split())
    assert f"agentgym.{module}" in done.stdout or f"- {module}" in done.stdout  # the report says where


# Third-party packages by module of the core; the worlds, wrappers and baselines have contracts of their own.
ALLOWED = {"batch/parquet.py": {"pyarrow"}, "cli.py": {"rich"}, "credit/plan.py": {"scipy"}}


def imported(file: Path) -> set[str]:
    """Return the top-level names that a file imports absolutely, wherever in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names.add((node.module or "").split(".")[0])
    return names


def test_the_core_imports_numpy_and_gymnasium_only() -> None:
    own = {"agentgym", "numpy", "gymnasium", "__future__"} | set(sys.stdlib_module_names)
    for file in sorted((ROOT / "agentgym").rglob("*.py")):
        name = file.relative_to(ROOT / "agentgym").as_posix()
        strangers = imported(file) - own - ALLOWED.get(name, set())
        assert not strangers, f"agentgym/{name} imports {sorted(strangers)}"
