"""Who takes part in a run, and whether they can: tried on a few rollouts, before hours are spent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agentgym import credit
from agentgym.baselines.benchmark.fidelity_track import columned
from agentgym.baselines.benchmark.learning import world_for
from agentgym.baselines.benchmark.settings import Panel
from agentgym.baselines.benchmark.store import RunError
from agentgym.baselines.columns import MAKERS, Crew, plan
from agentgym.baselines.policies import ExpertPolicy, RandomPolicy
from agentgym.errors import MissingColumn
from agentgym.rollout import collect

ALL = "all"
"""What stands for every registered estimator where estimators are named."""

TASKS, ROLLOUTS, RANDOM = 2, 4, 0.5
"""Of the rollouts that named estimators are tried on: tasks, rollouts a task, share of random actions."""


def made(name: str) -> credit.Estimator:
    """Return the estimator of a name or of a file's function. Raises ValueError or TypeError where there is none."""
    return credit.as_estimator(credit.load(name) if ":" in name else name)


def everyone() -> tuple[str, ...]:
    """Return the names of the estimators of this package; what a file of one's own registers is named by its file."""
    return tuple(name for name in credit.names() if credit.info(name).function.__module__.startswith("agentgym."))


def entries(named: Sequence[str], *, only: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return (the estimators of a run, those of them that were named), each once; named ones learn too.

    Args:
        named: names, "file.py:function", "column:NAME" or "all".
        only: the named ones alone; else they take their place beside everyone.

    Raises:
        ValueError: `only`, and none is named.
    """
    if only and not named:
        raise ValueError("--only runs nothing but what --estimator names, and it names none: add --estimator NAME")
    told = tuple(dict.fromkeys(each for name in named for each in (everyone() if name == ALL else (name,))))
    return (told if only else tuple(dict.fromkeys((*everyone(), *told)))), told


def try_out(panels: Sequence[Panel], named: Sequence[str], *, record: bool = True) -> None:
    """Let every named estimator estimate a few rollouts of each panel.

    Args:
        panels: of the run.
        named: the estimators to try.
        record: whether an estimator that finds its columns in no panel is refused.

    Raises:
        RunError: an estimator returned something other than one finite number a turn, or lacks a column everywhere.
        Exception: whatever an estimator raises.
    """
    found = {name: made(name) for name in named}
    lacking: dict[str, list[str]] = {name: [] for name in named}
    for panel in panels if found else ():
        for name, why in _tried(panel, found).items():
            lacking[name].append(why)
    for reasons in lacking.values():
        if record and len(reasons) == len(panels):
            raise RunError(
                f"{reasons[0]}, nor do those of any other panel of this run: choose another estimator, a world that "
                "gives it (--envs), or let a function of your own make it from the columns it reads"
            )


def _tried(panel: Panel, estimators: Mapping[str, credit.Estimator]) -> dict[str, str]:
    """Return why estimators could not run on a panel, by name."""
    world = world_for(panel, list(estimators.values()))
    policy = ExpertPolicy(RANDOM) if world.offers("expert") else RandomPolicy()
    crew = Crew(policy, [maker for each in estimators.values() for maker in plan(MAKERS, each).makers])
    tasks = [task.id for task in world.panel["train"][:TASKS]]
    batch = collect(world, crew.policy, tasks=tasks, group_size=ROLLOUTS)
    if not len(batch):
        return {}  # the run itself says why
    whole, missing = columned(crew, world, [batch], estimators, panel)
    for name, (grown,) in whole.items():
        try:
            estimators[name](grown)
        except MissingColumn as error:
            missing[name] = str(error)
        except (ValueError, TypeError) as error:
            if getattr(error, "__notes__", ()):  # it comes from the estimator's own lines, and says from which
                raise
            raise RunError(
                f"{error} (tried on {len(grown)} turns of {panel.name}): let it return one finite number for each row "
                "of the batch it is given, in the rows' order"
            ) from error
    return missing
