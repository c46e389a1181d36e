"""Rules: fresh processes see the same world, whatever PYTHONHASHSEED they run under."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from agentgym.check.child import described
from agentgym.check.determinism import baseline
from agentgym.check.facts import builds_upon, fault, once, told_from
from agentgym.check.moments import kept
from agentgym.check.rule import NotChecked, require, rule
from agentgym.check.subject import Subject

HASH_SEEDS = ("1", "4242")
"""A set of texts comes in another order under each."""

_CODE = """\
import json, sys
request = json.load(sys.stdin)
sys.path[:] = request["path"]
from agentgym.check.child import answer
answer(request)
"""


@once
def _children(subject: Subject) -> list[dict[str, Any]] | str:
    """Return what one fresh process for each hash seed has seen, or why there is nothing."""
    kind = type(subject.world)
    if kind.__module__ == "__main__":
        return f"{kind.__name__} is defined in a script or a notebook: put it into a module that can be imported"
    if "<locals>" in kind.__qualname__:
        return f"{kind.__qualname__} is defined in a function: put it at the top of a module"
    try:
        world = described(subject)
        body = json.dumps({"path": sys.path, "subject": world, "moments": _bytes_of_moments(subject)})
    except (TypeError, ValueError) as error:
        return f"its arguments cannot be handed to another process ({error}): register an id whose defaults hold them"
    started = [_started(hash_seed) for hash_seed in HASH_SEEDS]  # side by side
    seen = []
    for told in [_asked(process, body) for process in started]:
        if "failed" in told:
            return (
                f"another process cannot rebuild {kind.__module__}:{kind.__qualname__} ({told['failed']}): "
                "put it into a module that can be imported from the working folder or an installed package"
            )
        seen.append(told)
    return seen


def _bytes_of_moments(subject: Subject) -> list[list[Any]]:
    found = []
    for number, one in enumerate(kept(subject)):
        for turn, moment in one.moments.items():
            try:
                found.append([number, turn, moment.to_bytes().hex()])
            except Exception:  # noqa: BLE001 - the rule "bytes" reports it
                continue
    return found


def _started(hash_seed: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _CODE],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
    )


def _asked(process: subprocess.Popen[str], body: str) -> dict[str, Any]:
    """Return what a process that was started answers to a request; "failed": why it does not."""
    said, complaints = process.communicate(body)
    if process.returncode:
        last = complaints.strip().splitlines()[-1:] or [f"exit status {process.returncode}"]
        return {"failed": last[0]}
    told: dict[str, Any] = json.loads(said)
    return told


def _seen(subject: Subject) -> list[dict[str, Any]]:
    children = _children(subject)
    if isinstance(children, str):
        raise NotChecked(children)
    return children


@fault("panel")
def _other_panel(subject: Subject) -> str:
    mine = subject.world.panel.hash
    for told in _seen(subject):
        if told["panel"] != mine:
            return (
                f"the panel's hash is {mine[:8]}… here and {told['panel'][:8]}… in a fresh process: make tasks from "
                "constants and arguments, in a fixed order, never from a set's"
            )
    return ""


@rule("panel")
def panel(subject: Subject) -> str:
    """The panel of tasks is the same in fresh processes, so that task ids and results mean the same everywhere."""
    found = _other_panel(subject)
    require(not found, found)
    return f"{len(subject.all_tasks)} tasks, {len(HASH_SEEDS)} processes"


@fault("processes")
def _other_records(subject: Subject) -> str:
    for hash_seed, told in zip(HASH_SEEDS, _seen(subject), strict=True):
        where = f"in a fresh process under PYTHONHASHSEED={hash_seed}"
        if isinstance(told["records"], str):
            return f"{where} playing raises {told['records']}"
        for (_, _, first), records in zip(baseline(subject), told["records"], strict=True):
            if found := told_from(first, first.records, records):
                return f"{where} it differs: {found}: sort sets where their order matters, and never use hash() or id()"
    return ""


@rule("processes")
def fresh_process(subject: Subject) -> str:
    """Equal task, seed and actions give equal traces in fresh processes, under two values of PYTHONHASHSEED.

    A world that another process cannot rebuild (from a notebook, from within a function) is not checked.
    """
    builds_upon(subject, "processes")
    found = _other_records(subject)
    require(not found, found)
    return f"{len(baseline(subject))} episodes in {len(HASH_SEEDS)} processes"


@rule("elsewhere")
def snapshot_elsewhere(subject: Subject) -> str:
    """A snapshot's bytes restore the moment in fresh processes too, and what follows is the same."""
    builds_upon(subject, "")
    for told in _seen(subject):
        found = told["moments"]
        require(not found, f"from bytes in a fresh process, {found}: pack(state) must give all that unpack needs")
    return f"{len(_bytes_of_moments(subject))} moments in {len(HASH_SEEDS)} processes"
