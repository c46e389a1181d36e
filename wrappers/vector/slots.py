"""Reads the infos of a vector environment: one TurnInfo a slot again, whatever made them columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agentgym.turn import copy_json
from agentgym.wrappers.episode import KINDS

Row = Mapping[str, Any] | None


def rows_of(infos: Mapping[str, Any], num_envs: int, ended: bool = True) -> tuple[Sequence[Row], Sequence[Row]]:
    """Return the infos by slot, None where a slot has none, and likewise those of episodes that were restarted.

    Args:
        infos: what `reset` or `step` of a vector environment returned: plain lists under "turns" and "final_turns", as
            GroupVectorEnv has them, or columns with masks, as every Gymnasium vector has them.
        num_envs: number of slots.
        ended: whether any episode ended; if not, nobody looks for final infos, as looking builds columns.

    Raises:
        TypeError: infos are no dict.
    """
    if not isinstance(infos, Mapping):
        raise TypeError(
            f"infos are a {type(infos).__name__}, not a dict: put what changes their shape, such as DictInfoToList, "
            "outside of agentgym's wrappers"
        )
    nothing: list[Row] = [None] * num_envs
    if "turns" in infos:
        return infos["turns"], infos.get("final_turns", nothing) if ended else nothing
    finals = _rows(infos["final_info"], num_envs) if ended and "final_info" in infos else nothing
    return _rows(infos, num_envs), finals


def _rows(columns: Mapping[str, Any], num_envs: int) -> list[Row]:
    there = columns.get("_state_hash")
    if there is None:
        return [None] * num_envs
    return [_row(columns, slot) if there[slot] else None for slot in range(num_envs)]


def _row(columns: Mapping[str, Any], slot: int) -> dict[str, Any]:
    """Return one slot's info with Python's own types, as the world gave it."""
    row: dict[str, Any] = {}
    for key, kind in KINDS.items():
        if key in columns and columns[f"_{key}"][slot]:
            value = columns[key] if kind is dict else columns[key][slot]
            row[key] = _numbers(value, slot) if kind is dict else copy_json(value) if kind is list else kind(value)
    return row


def _numbers(columns: Mapping[str, Any], slot: int) -> dict[str, float]:
    """Return a slot's dict of floats; a name is one that has a mask, so that no mask is taken for a number."""
    return {
        name: float(values[slot])
        for name, values in columns.items()
        if f"_{name}" in columns and columns[f"_{name}"][slot]
    }
