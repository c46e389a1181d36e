"""What `agentgym check` does."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from agentgym.check.report import Report
from agentgym.check.run import check
from agentgym.rollout import build

CLEAR = "\r\033[K"  # makes the terminal's line empty


def command(
    env: str,
    *,
    kwargs: Mapping[str, Any],
    rules: Sequence[str],
    tasks: str,
    panels: bool,
    seed: int,
    actions: Sequence[str],
    file: str | None,
    say: Callable[[str], None],
) -> int:
    """Check a world, or each of its panels, say what was found, and return the exit status: 1 if a rule is broken."""
    if tasks != "all" and not (tasks.isascii() and tasks.isdigit() and int(tasks) > 0):
        raise ValueError(f"--tasks takes a number of at least 1, or all, not {tasks!r}")
    reports: list[Report] = []
    for arguments in _each_panel(env, kwargs) if panels else [dict(kwargs)]:
        reports.append(
            check(
                env,
                kwargs=arguments,
                tasks=None if tasks == "all" else int(tasks),
                seed=seed,
                rules=rules or None,
                actions=actions,
                progress=_progress if sys.stderr.isatty() else None,
            )
        )
        if sys.stderr.isatty():
            sys.stderr.write(CLEAR)
        say(str(reports[-1]) + "\n" * panels)
    if panels and reports[0].tasks[1]:
        broken = [report.panel for report in reports if not report.ok]
        say(
            f"{len(reports) - len(broken)} of {len(reports)} panels passed"
            + (f"; broken: {', '.join(broken)}" * bool(broken))
        )
    if file is not None:
        Path(file).write_text("".join(f"{report.to_json()}\n" for report in reports), "utf-8")
    return int(not all(report.ok for report in reports))


def _each_panel(env: str, kwargs: Mapping[str, Any]) -> list[dict[str, Any]]:
    try:
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            return [{**kwargs, "tasks": panel} for panel, _ in build(env, kwargs).panels()]
    except Exception:  # noqa: BLE001 - the rule "made" says why
        return [dict(kwargs)]


def _progress(rule: str, done: int, total: int) -> None:
    sys.stderr.write(f"{CLEAR}{done}/{total} {rule}")
    sys.stderr.flush()
