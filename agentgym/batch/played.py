"""The record of played rollouts: what worlds and policies said, turn by turn, as the columns of one TurnBatch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from agentgym.batch.columns import BLANK, CHANCE
from agentgym.batch.record import TurnBatch
from agentgym.batch.rubrics import about, final_scores, names_of

Info = Mapping[str, Any]


class Rollout(Protocol):
    """What is read of a finished rollout.

    Attributes:
        group, member, seed: where it belongs.
        info: the last info record.
        rows: (observation, info before, reply, info after) of each turn.
        flags: (terminated, truncated) at the end.
    """

    group: str
    member: int
    seed: int
    info: Any
    rows: list[tuple[str, Any, Any, Any]]
    flags: tuple[bool, bool]


def batch_of(done: Sequence[Rollout], meta: Mapping[str, Any]) -> TurnBatch:
    """Return the finished rollouts as one batch, in the order in which they were started."""
    order = {id(rollout): (rollout.seed, rollout.group, rollout.member) for rollout in done}
    kept = [rollout for rollout in done if rollout.info["end_reason"] != "infra_error"]
    kept.sort(key=lambda rollout: order[id(rollout)])
    meta = {**meta, "infra_errors": len(done) - len(kept)}
    rows = [row for rollout in kept for row in rollout.rows]
    before = [row[1] for row in rows]
    replies = [row[2] for row in rows]
    after = [row[3] for row in rows]
    final = [row is rollout.rows[-1] for rollout in kept for row in rollout.rows]
    flags = [rollout.flags for rollout in kept for _ in rollout.rows]
    columns: dict[str, Any] = {
        "group": [rollout.group for rollout in kept for _ in rollout.rows],
        "trajectory": [f"{rollout.group}/{rollout.member}" for rollout in kept for _ in rollout.rows],
        "turn": [number for rollout in kept for number in range(len(rollout.rows))],
        "task": [info["task"] for info in before],
        "seed": [info["seed"] for info in before],
        "branch": [info["branch"] for info in before],
        "state": [info["state_hash"] for info in before],
        "next_state": [info["state_hash"] for info in after],
        "anchor": [info["anchor_hash"] for info in before],
        "turn_reward": [info["turn_reward"] for info in after],
        "outcome_reward": [info["outcome_reward"] for info in after],
        "components": [info["components"] for info in after],
        "success": [rollout.info["success"] for rollout in kept for _ in rollout.rows],
        "terminated": [last and flag[0] for last, flag in zip(final, flags, strict=True)],
        "truncated": [last and flag[1] for last, flag in zip(final, flags, strict=True)],
        "end_reason": [info["end_reason"] for info in after],
        "valid": [info["valid"] for info in after],
        "kind": [info["kind"] for info in after],
        "observation": [row[0] for row in rows],
        "action": [reply.text for reply in replies],
        "tokens": [1 if reply.token_ids is None else len(reply.token_ids) for reply in replies],
    }
    columns.update(_rubrics(kept))
    partial = _add_optional(columns, before, replies, after) if rows else []
    if partial:
        meta["partial"] = partial
    return TurnBatch.from_columns(columns, meta)


def _rubrics(kept: Sequence[Rollout]) -> dict[str, Any]:
    """Return the three columns of rubrics, none where no turn speaks of any; all tokens of a turn matter alike."""
    said = [[row[3].get("rubrics", {}) for row in rollout.rows] for rollout in kept]
    names = names_of(said)
    if not names:
        return {}
    found: dict[str, Any] = {"rubric_scores": [], "rubric_relevance": [], "token_mask": []}
    for rollout, turns in zip(kept, said, strict=True):
        scores = final_scores(turns, names)
        for (_, _, reply, _), turn in zip(rollout.rows, turns, strict=True):
            tokens = 1 if reply.token_ids is None else len(reply.token_ids)
            found["rubric_scores"].append(scores)
            found["rubric_relevance"].append([[matters] * tokens for matters in about(turn, names)])
            found["token_mask"].append([True] * tokens)
    return found


def _add_optional(
    columns: dict[str, Any], before: Sequence[Info], replies: Sequence[Any], after: Sequence[Info]
) -> list[str]:
    """Add the columns that every row has; return the names of those that only some have, which are left out."""
    found: dict[str, list[Any]] = {name: [info.get(name) for info in after] for name in (*BLANK, *CHANCE)}
    for name, blank in BLANK.items():
        if any(value is not None for value in found[name]):
            found[name] = [blank if value is None else value for value in found[name]]
    found["potential"] = [info.get("potential") for info in before]
    found["next_potential"] = [info.get("potential") for info in after]
    found["menu"] = [info.get("menu") for info in before]
    if all(safe is not None for safe in found["safe"]):  # a world that says so of every turn tells all that it breaks
        found["cost"] = [float(len(info.get("violations", ()))) for info in after]
    for name in ("logprob", "menu_logprobs", "token_ids", "token_logprobs"):
        found[name] = [getattr(reply, name) for reply in replies]
    partial = []
    for name, values in found.items():
        missing = sum(value is None for value in values)
        if missing == 0:
            columns[name] = values
        elif missing < len(values):
            partial.append(name)
    return partial
