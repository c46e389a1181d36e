"""`agentgym credit LOG`: estimate the credit of every turn of a file and show one conversation as a page."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from agentgym import credit
from agentgym.baselines.benchmark.settings import short
from agentgym.baselines.benchmark.store import write_text
from agentgym.baselines.conversations.page import page
from agentgym.baselines.conversations.read import read
from agentgym.baselines.conversations.tau import read_tau
from agentgym.batch import BatchError, TurnBatch
from agentgym.errors import MissingColumn, unknown


def command(
    log: str,
    *,
    estimators: Sequence[str],
    options: Mapping[str, Any],
    keys: Mapping[str, str],
    success_at: float | None,
    run: int | None,
    rollout: int | None,
    out: str,
    values: str | None,
    say: Callable[[str], None],
    tau: str | None = None,
) -> None:
    """Estimate, write the page and, where asked, the numbers.

    Args:
        log: the file, see `read.read`.
        estimators: names or "file.py:function"; none: all whose columns the file has.
        options: "ESTIMATOR.OPTION" for one estimator, or "OPTION" for all that have it; "preset" is one.
        keys: see `read.read`.
        success_at: see `read.read`.
        run: see `read.read`.
        rollout: the number of the rollout shown, groups together; None: one of a group with different outcomes.
        out: file of the page.
        values: file of JSON lines, a turn each: group, trajectory, turn, {estimator: credit}.
        say: takes the lines of the report.
        tau: the file holds runs of tau-bench or tau2: the set, or folder, with its databases; see `tau.read_tau`.

    Raises:
        BatchError: the file. MissingColumn: an estimator that was named needs a column the file lacks.
        ValueError, TypeError: an unknown estimator, option or rollout; a file that cannot be written, or is another of
            the three.
    """
    _check_targets({"LOG": log, "--out": out, **({} if values is None else {"--values": values})})
    batch, left = read(log, keys, success_at, run) if tau is None else _tau(log, tau, keys, success_at, run, say)
    if not batch.num_rollouts:
        raise BatchError(f"{log}: it holds no rollout but such as an infrastructure error ended, so there is no credit")
    if rollout is not None and not 0 <= rollout < batch.num_rollouts:
        raise ValueError(
            f"--rollout {rollout}: the file has the rollouts 0 to {batch.num_rollouts - 1}, counted group by group"
        )
    for column in ("observation", "action"):
        batch.need(column, who="the page of a conversation")
    made, missing = _credited(batch, estimators, options, say)
    chosen = _chosen(batch, made) if rollout is None else rollout
    say(f"{log}: {batch.num_rollouts} rollouts in {batch.num_groups} groups, {len(batch)} turns")
    if left:
        say(f"not read: the entries {', '.join(left)} (--key NAME=ENTRY reads one)")
    for line in _table(made):
        say(line)
    for name, why in missing.items():
        say(f"{name}: not estimated, {why}")
    text, lines = page(batch, made, chosen, title=log), "" if values is None else _lines(batch, made)
    if values is not None:
        write_text(Path(values), lines)
        say(f"{values}: the credit of every turn")
    write_text(Path(out), text)
    say(f"{out}: rollout {chosen}, turn by turn")


def _credited(
    batch: TurnBatch, estimators: Sequence[str], options: Mapping[str, Any], say: Callable[[str], None]
) -> tuple[dict[str, credit.Credit], dict[str, str]]:
    """Estimate by the named estimators, or by all; return what `_estimates` does."""
    found = {title: credit.as_estimator(credit.load(name) if ":" in name else name)
             for title, name in _titles(estimators or credit.names()).items()}  # fmt: skip
    outcomes_alone = "turn_reward" not in batch and "outcome_reward" in batch and "rewards" not in options
    if outcomes_alone and any(_has(estimator, "rewards") for estimator in found.values()):
        options = {"rewards": "outcome", **options}
        say("the file has outcomes and no turn rewards: estimators with the option rewards count outcomes alone")
    return _estimates(batch, found, options, skip=not estimators)


def _tau(
    log: str, tau: str, keys: Mapping[str, str], success_at: float | None, run: int | None, say: Callable[[str], None]
) -> tuple[TurnBatch, list[str]]:
    """Read runs of tau-bench or tau2, and say what differs from the record. Raises BatchError: options of others."""
    given = {"--key": keys, "--success-at": success_at is not None, "--run": run is not None}
    for flag in [flag for flag, there in given.items() if there]:
        raise BatchError(f"{flag} is for other files than those of --tau, which say all that; leave it out")
    found = read_tau(log, tau)
    agree = sum(recorded == now for *_, recorded, now in found.rewards)
    say(f"graded anew: {agree} of {len(found.rewards)} rewards as recorded")
    for note in found.notes:
        say(note)
    return found.batch, []


def _check_targets(places: Mapping[str, str]) -> None:
    """Raise ValueError, before anything is read, where a result cannot be written or would replace another file."""
    for flag, place in places.items():
        if flag == "LOG":
            continue
        path = Path(place)
        if not place or path.is_dir():
            raise ValueError(f"{flag} {place!r} is {'a folder' if place else 'empty'}: name a file")
        if not path.parent.is_dir():
            raise ValueError(f"{flag} {place}: there is no folder {str(path.parent)!r} to write it in; make it first")
        if path.exists() and not path.is_file():
            raise ValueError(f"{flag} {place} is no plain file, and would be replaced by one: name another")
    files = [(flag, Path(place).resolve()) for flag, place in places.items()]
    for number, (flag, path) in enumerate(files):
        for other, there in files[:number]:
            if path == there or (path.exists() and there.exists() and path.samefile(there)):
                raise ValueError(f"{flag} {places[flag]} is the file of {other}, which it would replace: name another")


def _estimates(
    batch: TurnBatch, found: Mapping[str, credit.Estimator], options: Mapping[str, Any], *, skip: bool
) -> tuple[dict[str, credit.Credit], dict[str, str]]:
    """Return the credits by name; with `skip` also why others could not be made, else that is an error."""
    settings = _settings(found, options)
    if not skip:
        return {name: estimator(batch, **settings[name]) for name, estimator in found.items()}, {}
    made: dict[str, credit.Credit] = {}
    missing: dict[str, str] = {}
    refused: list[Exception] = []
    for name, estimator in found.items():
        try:
            lacking = [column for column in estimator.needs_with(**settings[name]) if column not in batch]
            if lacking:
                missing[name] = f"the file has no {', '.join(lacking)}"
            else:
                made[name] = estimator(batch, **settings[name])
        except MissingColumn as error:
            missing[name] = str(error)
        except (ValueError, ImportError) as error:
            missing[name] = str(error)
            refused.append(error)
    if not made and refused:
        raise refused[0]
    if not made:
        raise MissingColumn(
            "no estimator can run: the file has no rewards and outcomes of the rollouts; --key outcome=NAME and "
            "--key rewards=NAME say where they are; with outcomes alone add --option rewards=outcome"
        )
    return made, missing


def _titles(names: Sequence[str]) -> dict[str, str]:
    """Return the estimators by what the report calls them: their short names, in full where two share one."""
    distinct = list(dict.fromkeys(names))
    shorts = [short(name) for name in distinct]
    return {name if shorts.count(brief) > 1 else brief: name for name, brief in zip(distinct, shorts, strict=True)}


def _settings(estimators: Mapping[str, credit.Estimator], options: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the options of each estimator. Raises ValueError for one that none of them has."""
    out: dict[str, dict[str, Any]] = {name: {} for name in estimators}
    for given, value in options.items():
        name, dot, option = given.rpartition(".")
        if dot and name not in estimators:
            raise ValueError(unknown("estimator", name, list(estimators), f"in --option {given}"))
        takes = [each for each in ([name] if dot else estimators) if _has(estimators[each], option)]
        if not takes:
            known = sorted({key for each in ([name] if dot else estimators) for key in estimators[each].options})
            raise ValueError(unknown("option", option, [*known, "preset"], f"in --option {given}"))
        for each in takes:
            out[each][option] = value
    return out


def _has(estimator: credit.Estimator, option: str) -> bool:
    return option in estimator.options or estimator.open or (option == "preset" and bool(estimator.presets))


def _chosen(batch: TurnBatch, made: Mapping[str, credit.Credit]) -> int:
    """Return the best rollout of the first group whose outcomes differ, else the first with any credit, else 0."""
    if "outcome_reward" in batch:
        outcome = np.bincount(batch.rollout, batch["outcome_reward"], batch.num_rollouts)
        low, high = np.full(batch.num_groups, np.inf), np.full(batch.num_groups, -np.inf)
        np.minimum.at(low, batch.rollout_group, outcome)
        np.maximum.at(high, batch.rollout_group, outcome)
        if (high > low).any():
            members = np.flatnonzero(batch.rollout_group == np.argmax(high > low))
            return int(members[np.argmax(outcome[members])])
    credited = np.any([one.total != 0.0 for one in made.values()], axis=0)
    return int(batch.rollout[np.argmax(credited)])


def _table(made: Mapping[str, credit.Credit]) -> list[str]:
    width = max(len(name) for name in made)
    lines = [f"{'estimator':<{width}}  turns with credit    lowest   highest"]
    for name, one in made.items():
        low, high, credited = one.total.min(), one.total.max(), np.mean(one.total != 0.0)
        lines.append(f"{name:<{width}}  {credited:>16.1%}  {low:>8.3f}  {high:>8.3f}")
    return lines


def _lines(batch: TurnBatch, made: Mapping[str, credit.Credit]) -> str:
    lines = []
    for row, (group, trajectory, turn) in enumerate(zip(batch.group, batch.trajectory, batch.turn, strict=True)):
        entry = {"group": group, "trajectory": trajectory, "turn": int(turn)}
        entry["credit"] = {name: float(one.total[row]) for name, one in made.items()}
        try:
            lines.append(json.dumps(entry))  # in ASCII, which half a pair of surrogates survives
        except TypeError as error:
            raise BatchError(f"row {row}: its group or trajectory is no JSON value ({error})") from None
    return "".join(line + "\n" for line in lines)
