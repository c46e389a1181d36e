"""All broken worlds of this folder."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from agentgym import AgentEnv

CASES: list[tuple[str, type[AgentEnv[Any]]]] = []
"""(rule, world that breaks it)."""

for _path in sorted(Path(__file__).parent.glob("*.py")):
    if _path.stem != "all":
        for _name, _worlds in getattr(import_module(f"broken_envs.{_path.stem}"), "BROKEN", {}).items():
            CASES.extend((_name, _world) for _world in _worlds)
