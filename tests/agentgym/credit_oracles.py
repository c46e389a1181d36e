"""Run the reference cases that AGENTGYM_REFERENCE points to, the way their own map says.

The map gives, for each formula id, the estimator, its fixed options, how a case's params become options, the builder
that makes the record, and where in the Credit the expected values are found.
"""

import json
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from agentgym import credit
from agentgym.batch import TurnBatch

REFERENCE = os.environ.get("AGENTGYM_REFERENCE")
FILES = ("estimators-a", "estimators-b", "estimators-c", "estimators-d")


def read(name: str) -> Any:
    assert REFERENCE is not None
    return json.loads((Path(REFERENCE) / "oracles" / f"{name}.json").read_text("utf-8"))


def cases() -> dict[str, list[tuple[dict, list]]]:
    """Every case by formula id, each with the fixture of its file."""
    found: dict[str, list[tuple[dict, list]]] = {}
    for name in FILES:
        data = read(name)
        fixture = data.get("meta", {}).get("fixture", [])
        for case in data.get("cases") or data["oracles"]:
            found.setdefault(case["formula_id"], []).append((case, fixture))
    return found


def runs(entry: dict, case: dict) -> Iterator[tuple[str, dict, dict]]:
    """(estimator, options, {expected key: path on the Credit}) of every run that a case asks for; key "" is all."""
    if "runs" in entry:
        for key, (estimator, options) in entry["runs"].items():
            yield estimator, options, {key: "total"}
        return
    options = dict(entry["options"])
    for name, value in case.get("params", {}).items():
        target = entry["params"].get(name)
        if isinstance(target, str):
            options[target] = tuple(value) if isinstance(value, list) else value
        elif target is not None:
            options[target["option"]] = target["values"].get(value, target["values"].get("*"))
    expect = entry["expect"]
    if "also" in entry and any(key in case["expected"] for key in entry["also"]):
        expect = {key: "total" for key in case["expected"] if key not in entry["also"]}
        for key, run in entry["also"].items():
            yield run[0], run[1], {key: run[2] if len(run) > 2 and " " not in run[2] else "total"}
    yield entry["estimator"], options, {"": expect} if isinstance(expect, str) else expect


def build(entry: dict, case: dict, fixture: list) -> TurnBatch:
    """The record of a case."""
    builder, inputs = entry["rows"], case["inputs"]
    if builder == "rows" and inputs != "fixture":
        # Some cases charge invalid actions in records that do not say which: then none is.
        return TurnBatch.from_rows([{"valid": True, **row, "anchor": row["state"]} for row in inputs])
    if builder == "outcomes":
        return TurnBatch.from_rows([_row(0, str(i), 0, outcome_reward=x) for i, x in enumerate(inputs["outcomes"])])
    if builder == "step_returns":
        rows = [_row(0, str(i), 0, outcome_reward=x, anchor="s") for i, x in enumerate(inputs["step_returns"])]
        return TurnBatch.from_rows(rows)
    if builder == "turn_and_session":
        return _turn_and_session(inputs)
    return _from_fixture(case, fixture) if not isinstance(inputs, list) else _from_entries(inputs)


def build_common(entry: dict) -> Callable[[dict, list], TurnBatch]:
    """The builder of a case's record, where it is one of the common shapes."""
    return partial(build, entry)


def _row(group: Any, trajectory: Any, turn: int, **columns: Any) -> dict:
    return {"group": group, "trajectory": trajectory, "turn": turn, **columns}


def _turn_and_session(inputs: dict) -> TurnBatch:
    rows = []
    for g, group in enumerate(inputs["turn_reward"]):
        for i, turns in enumerate(group):
            last = len(turns) - 1
            outcome = inputs["session_reward"][g][i]
            for t, paid in enumerate(turns):
                rows.append(_row(g, i, t, turn_reward=paid, outcome_reward=outcome if t == last else 0.0))
    return TurnBatch.from_rows(rows)


def _from_entries(entries: list) -> TurnBatch:
    rows = []
    for entry in entries:
        turns = entry.get("turn_reward", [0.0] * entry.get("n_turns", 0))
        for t, paid in enumerate(turns):
            outcome = entry["outcome"] if t == len(turns) - 1 else 0.0
            extra = {"turn_reward": paid, "outcome_reward": outcome, "success": entry["outcome"] > 0, "tokens": 1}
            rows.append(_row("g", entry["traj"], t, **extra))
    return TurnBatch.from_rows(rows)


def _from_fixture(case: dict, fixture: list) -> TurnBatch:
    inputs, params, rows = case["inputs"], case.get("params", {}), []
    scale, first = params.get("outcome_scale", 1.0), params.get("first_result_after_turn")
    for rollout in fixture:
        name, last = rollout["traj"], len(rollout["states"]) - 1
        after = rollout["states"][1:] + [rollout["next_state_final"]]
        for t, state in enumerate(rollout["states"]):
            row = _row(rollout["group"], name, t, state=state, anchor=state, next_state=after[t])
            row |= {"turn_reward": rollout["turn_reward"][t], "success": bool(rollout["success"])}
            row |= {"outcome_reward": rollout["outcome"] * scale if t == last else 0.0, "terminated": t == last}
            row |= {"valid": bool(rollout["is_action_valid"][t]), "tokens": rollout["tokens_per_turn"][t]}
            row |= {"observation": rollout["obs_text"][t]}
            if first is not None:
                row["tool_result"] = t == first[name] - 1
            for key, target in (("hindsight_mean_logprob", "hindsight_logprob"), ("policy_mean_logprob", "logprob")):
                if isinstance(inputs, dict) and key in inputs:
                    row[target] = inputs[key][name][t]
            if isinstance(inputs, dict) and "revision_correct" in inputs:
                row["revision_ok"] = inputs["revision_correct"][name] or []
            rows.append(row)
    return TurnBatch.from_rows(rows)


def look(result: credit.Credit, path: str) -> np.ndarray:
    """What a path of the map points at: "total", "terms.step", "channels.action", or one of them " / an_option"."""
    path, _, option = path.partition(" / ")
    head, _, name = path.partition(".")
    found = getattr(result, head)
    found = found[name] if name else found
    values = np.asarray(found.values if isinstance(found, credit.Channel) else found)
    return values / result.options[option] if option else values


def expected_rows(batch: TurnBatch, expected: Any, key: str) -> np.ndarray:
    """Expected values as one number a row, nan where the case says nothing."""
    wanted = np.full(len(batch), np.nan)
    if isinstance(expected, dict) and key in expected:
        expected, key = expected[key], ""
    groups, places = list(dict.fromkeys(batch.group)), {}
    for row, (group, rollout, turn) in enumerate(zip(batch.group, batch.trajectory, batch.turn, strict=True)):
        g = groups.index(group)
        number = places.setdefault(g, {}).setdefault(rollout, len(places.get(g, {})))
        value = expected
        if isinstance(value, dict):
            value = value[str(rollout)]
            value = value[key] if key else value
        elif isinstance(value, list) and value and isinstance(value[0], list):
            value = value[g][number]
        elif isinstance(value, list):
            value = value[number]
        value = value[turn] if isinstance(value, list) else value
        wanted[row] = np.nan if value is None else 0.0 if isinstance(value, str) else value
    return wanted
