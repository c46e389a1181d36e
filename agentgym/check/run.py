"""check: every rule looks at a world; nothing that a world does stops it."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from time import perf_counter
from typing import Any

import gymnasium

import agentgym
from agentgym.check.actions import Sent
from agentgym.check.report import BROKEN, NOT_CHECKED, PASSED, Report, Result
from agentgym.check.rule import RULES, Broken, NotChecked, Rule
from agentgym.check.subject import Subject, World
from agentgym.errors import unknown

GATE = "made"
"""The rule without which there is nothing to look at; where it is broken it stands in the report alone."""
OURS = tuple(str(Path(module.__file__ or "").parent) + os.sep for module in (agentgym, gymnasium))
PYTHON = str(Path(os.__file__).parent) + os.sep
"""Where a line that raised says nothing of the world: agentgym, Gymnasium, Python's own library."""


def check(
    env: World,
    *,
    kwargs: Mapping[str, Any] | None = None,
    tasks: int | None = 200,
    seed: int = 0,
    rules: Sequence[str] | None = None,
    actions: Sequence[Sent] = (),
    progress: Callable[[str, int, int], None] | None = None,
) -> Report:
    """Return what every rule says of a world.

    Args:
        env: a registered id, a world's class, or a world, which is left alone and built again from its arguments.
        kwargs: constructor arguments, on top of those of a given world.
        tasks: how many tasks are looked at, spread evenly over all splits; None: all.
        seed: what the check's draws and the episodes' seeds follow from; equal arguments, equal report.
        rules: names of rules; None: all. The rule "made" comes first in any case.
        actions: valid actions for worlds without expert, menu and tools, which would tell some.
        progress: called with (rule, how many are done, of how many) before each rule.

    Raises:
        ValueError: an unknown rule, a bad count or seed. Whatever the world raises is in the report.
    """
    for name in rules or ():
        if name not in RULES:
            raise ValueError(unknown("rule", name, RULES))
    chosen = [rule for name, rule in RULES.items() if rules is None or name in rules or name == GATE]
    subject = Subject(env, kwargs, seed=seed, tasks=tasks, actions=actions)
    results: list[Result] = []
    for rule in chosen:
        if progress is not None:
            progress(rule.name, len(results), len(chosen))
        results.append(look(rule, subject))
        if rule.name == GATE and results[0].status == BROKEN:
            break
    return Report(*_head(subject), subject.seed, tuple(results))


def look(rule: Rule, subject: Subject) -> Result:
    """Return what one rule says; what the world prints meanwhile is not shown (the rule "hostile" tells of it)."""
    heard = StringIO()
    with redirect_stdout(heard), redirect_stderr(heard):
        return _look(rule, subject)


def _look(rule: Rule, subject: Subject) -> Result:
    start = perf_counter()
    status, note = PASSED, ""
    try:
        absent = [hook for hook in rule.hooks if not subject.offers(hook)]
        if absent:
            raise NotChecked(f"the world has no {absent[0]}(state)")
        note = rule.look(subject) or ""
    except Broken as fault:
        status, note = BROKEN, str(fault)
    except NotChecked as why:
        status, note = NOT_CHECKED, str(why)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever the world raises is what the report is there for
        built = rule.name != GATE or "world" in vars(subject)
        status, note = BROKEN, raised(error, "the world raised" if built else "it cannot be built:")
    return Result(rule.name, status, " ".join(note.split()), perf_counter() - start)


def raised(error: BaseException, what: str = "the world raised") -> str:
    """Return what was raised, where in the world's own code, and the notes that the shell added."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if _of_the_world(frame.filename)]
    place = f" at {frames[-1].filename}:{frames[-1].lineno} in {frames[-1].name}" if frames else ""
    notes = "".join(f"; {note}" for note in getattr(error, "__notes__", ()))
    return f"{what} {type(error).__name__}: {error}{place}{notes}"


def _of_the_world(file: str) -> bool:
    return not file.startswith(OURS) and ("site-packages" in file or not file.startswith(PYTHON))


def _head(subject: Subject) -> tuple[str, str, tuple[int, int]]:
    """Return world, panel and tasks of a report."""
    if "world" not in vars(subject):  # it could not be built
        env = subject.env
        return env if isinstance(env, str) else getattr(env, "__name__", type(env).__name__), "?", (0, 0)
    world = subject.world
    name = f"{world.env_id} (version {world.version})"
    return name, world.panel.name, (len(subject.tasks), len(subject.all_tasks))
