"""No assertion of the checker is idle: without any one of them some broken world would pass its rule.

Every `require(…)` and every `raise Broken` is deleted in turn, in memory; the checker is imported anew with the module
that lacks it, and one of the worlds that it had caught must pass. `make test` deletes the last one of each module.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from broken_envs.all import CASES

import agentgym
import agentgym.check
from agentgym import AgentEnv
from agentgym.check import RULES, Broken
from agentgym.check.subject import Subject

FOLDER = Path(agentgym.check.__file__).parent
Site = tuple[str, int]  # module, line


def is_assertion(node: ast.AST) -> bool:
    """Return whether a statement is a require(…) or a raise of Broken."""
    if isinstance(node, ast.Raise):
        call: Any = node.exc
    elif isinstance(node, ast.Expr):
        call = node.value
    else:
        return False
    name = "Broken" if isinstance(node, ast.Raise) else "require"
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == name


@cache
def tree(module: str) -> ast.Module:
    return ast.parse((FOLDER / f"{module}.py").read_text("utf-8"))


LINES: dict[Site, range] = {
    (path.stem, node.lineno): range(node.lineno, node.end_lineno + 1)  # type: ignore[attr-defined]
    for path in sorted(FOLDER.glob("*.py"))
    for node in ast.walk(tree(path.stem))
    if is_assertion(node)
}
SITES = list(LINES)
QUICK = {module: (module, line) for module, line in SITES}.values()
SLOW = pytest.mark.slow


class Without(ast.NodeTransformer):
    """Deletes the assertion at a line."""

    def __init__(self, line: int) -> None:
        self.line = line

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if is_assertion(node) and node.lineno == self.line:  # type: ignore[attr-defined]
            return ast.copy_location(ast.Pass(), node)
        return super().generic_visit(node)


class Mutant(MetaPathFinder, Loader):
    """Imports one module of the checker without one of its assertions."""

    def __init__(self, site: Site) -> None:
        self.module, self.line = site
        self.name = f"agentgym.check.{self.module}"

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        return spec_from_loader(name, self) if name == self.name else None

    def exec_module(self, module: ModuleType) -> None:
        file = str(FOLDER / f"{self.module}.py")
        module.__file__ = file
        changed = Without(self.line).visit(ast.parse((FOLDER / f"{self.module}.py").read_text("utf-8")))
        exec(compile(changed, file, "exec"), vars(module))


@contextmanager
def mutated(site: Site) -> Iterator[Any]:
    """Yield an agentgym.check that lacks an assertion; the real one is back afterwards."""
    ours = {name: module for name, module in sys.modules.items() if name.startswith("agentgym.check")}
    for name in ours:
        del sys.modules[name]
    finder = Mutant(site)
    sys.meta_path.insert(0, finder)
    try:
        import agentgym.check as changed

        yield changed
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name in sys.modules if name.startswith("agentgym.check")]:
            del sys.modules[name]
        sys.modules.update(ours)
        agentgym.check = ours["agentgym.check"]  # type: ignore[misc]


def caught_at(name: str, world: type[AgentEnv[Any]]) -> list[Site]:
    """Return the assertions in the way of which a broken world ends: the one that caught it, and `require` itself."""
    try:
        RULES[name].look(Subject(world))
    except Broken as fault:
        found, trace = [], fault.__traceback__
        while trace is not None:
            module = Path(trace.tb_frame.f_code.co_filename).stem
            found += [site for site in SITES if site[0] == module and trace.tb_lineno in LINES[site]]
            trace = trace.tb_next
        return found
    except Exception:  # noqa: BLE001 - what the world raises is caught by no assertion
        return []
    return []


@cache
def caught() -> dict[Site, list[tuple[str, type[AgentEnv[Any]]]]]:
    """Return which broken worlds each assertion catches."""
    found: dict[Site, list[tuple[str, type[AgentEnv[Any]]]]] = {site: [] for site in SITES}
    for name, world in CASES:
        for site in caught_at(name, world):
            found[site].append((name, world))
    return found


@pytest.mark.parametrize(
    "site",
    [pytest.param(site, marks=[] if site in QUICK else SLOW, id=f"{site[0]}:{site[1]}") for site in SITES],
)
def test_without_an_assertion_a_broken_world_passes(site: Site) -> None:
    worlds = caught()[site]
    with mutated(site) as changed:
        notes = []
        for name, world in worlds:
            report = changed.check(world, rules=[name])
            result = next(result for result in report.results if result.rule == name)
            if result.status == "passed":
                return
            notes.append(f"{world.__name__} by {name}: {result.note}")
    pytest.fail(f"agentgym/check/{site[0]}.py:{site[1]} is idle; still caught: {notes}")


def test_every_assertion_catches_a_broken_world() -> None:
    assert [site for site, worlds in caught().items() if not worlds] == []


def test_every_broken_world_is_caught_by_its_rule() -> None:
    found = {case for cases in caught().values() for case in cases}
    for name, world in CASES:
        assert (name, world) in found or agentgym.check.check(world, rules=[name]).broken == [name], world


def test_the_real_checker_is_back_and_nothing_else_was_deleted() -> None:
    with mutated(SITES[0]) as changed:
        assert changed is not agentgym.check or changed.RULES is not RULES
    assert sys.modules["agentgym.check"].RULES is RULES
    assert agentgym.check.RULES is RULES
    text = "require(a, 'b')\nraise Broken('c')\nraise NotChecked('d')\nrequired(e)\n"
    left = ast.unparse(Without(2).visit(ast.parse(text)))
    assert left == "require(a, 'b')\npass\nraise NotChecked('d')\nrequired(e)"
