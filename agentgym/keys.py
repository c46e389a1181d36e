"""The record under the names that other trainers read: one table, with the source of every name.

    keys.from_batch(batch, "trinity")  # one dict a turn, in the order of the batch's rows
    keys.from_infos(infos, "prime-rl")  # one dict an episode, from the infos of reset and of every step

Two moments are easy to mix up: states that turns are grouped by are those *before* acting, while a score of where a
turn led is taken *after* it. Both come from the right place here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from agentgym.batch import TurnBatch
from agentgym.errors import unknown

ANCHOR: Final = "anchor"
VALID: Final = "valid"
PAID: Final = "turn_reward + outcome_reward"
SCORE: Final = "next_potential, or step_score"
TOTAL: Final = "sum of turn_reward + outcome_reward"
SCORES: Final = ("next_potential", "step_score")


@dataclass(frozen=True, slots=True)
class KeyMap:
    """What one trainer calls what is in the record.

    Attributes:
        per: "turn": each turn gives a dict; "rollout": each rollout gives one, whose lists have an entry a turn.
        names: the trainer's name → what it holds, in the names of TurnBatch.
        source: where the trainer, or a proposal to it, uses these names.
    """

    per: str
    names: Mapping[str, str]
    source: str


MAPS: Final[Mapping[str, KeyMap]] = MappingProxyType(
    {
        "trinity": KeyMap(
            "turn",
            {"env_state_hash": ANCHOR, "step_reward": PAID},
            "agentscope-ai/Trinity-RFT: `experience.info` in trinity/algorithm/advantage_fn/gigpo_advantage.py",
        ),
        "verl-agent": KeyMap(
            "turn",
            {"anchor_obs": ANCHOR, "rewards": PAID, "is_action_valid": VALID},
            "langfengQ/verl-agent: `non_tensor_batch` in agent_system/multi_turn_rollout/rollout_loop.py",
        ),
        "prime-rl": KeyMap(
            "rollout",
            {"turn_rewards": SCORE},
            "PrimeIntellect-ai/prime-rl: `trace.info` in pull request 3282 (open)",
        ),
        "nemo-gym": KeyMap(
            "rollout",
            {"step_rewards": PAID, "reward": TOTAL},
            "NVIDIA-NeMo/Gym: the field proposed in issue 1298 (open)",
        ),
        "ms-swift": KeyMap(
            "rollout",
            {"step_rewards": PAID, "total_reward": TOTAL},
            "modelscope/ms-swift: `rollout_infos` of GYMScheduler in swift/rollout/multi_turn.py",
        ),
    }
)
"""Trainer → its names."""


def from_batch(batch: TurnBatch, trainer: str) -> list[dict[str, Any]]:
    """Return a batch under a trainer's names, as plain Python values.

    Returns:
        One dict a row in the order of the rows, or one a rollout in the order of `batch.starts` (see `KeyMap.per`).

    Raises:
        ValueError: an unknown trainer; the message offers the nearest.
        MissingColumn: the batch lacks a column that the names stand for.
    """
    names = _find(trainer)
    columns = {}
    for what in names.names.values():
        if what in (PAID, TOTAL):
            turn, outcome = (batch.need(name, who=f"the map to {trainer}") for name in PAID.split(" + "))
            columns[PAID] = (turn + outcome).tolist()
        else:
            column = next((name for name in SCORES if name in batch), SCORES[0]) if what == SCORE else what
            columns[what] = batch.need(column, who=f"the map to {trainer}").tolist()
    if names.per == "turn":
        return _turns(columns, names, len(batch))
    rollouts = [batch.order[start : start + length] for start, length in zip(batch.starts, batch.lengths, strict=True)]
    return [
        _rollout({what: [values[row] for row in rows] for what, values in columns.items()}, names) for rows in rollouts
    ]


def from_infos(infos: Sequence[Mapping[str, Any]], trainer: str) -> list[dict[str, Any]]:
    """Return one episode, finished or not, under a trainer's names.

    Args:
        infos: what `reset` returned, then what every step returned.
        trainer: a name in `MAPS`.

    Returns:
        One dict a step, or a single dict (see `KeyMap.per`). A score that a turn does not have is None.

    Raises:
        ValueError: an unknown trainer, with the nearest name; infos that do not begin with reset or leave a step out.
    """
    names = _find(trainer)
    if [info["turn"] for info in infos] != list(range(len(infos))) or not infos:
        raise ValueError(
            "infos must be that of reset and of every step after it, turns 0, 1, 2 …; these are of turns "
            f"{[info['turn'] for info in infos]}"
        )
    steps = infos[1:]
    score = "potential" if any("potential" in info for info in steps) else "step_score"
    columns = {
        ANCHOR: [info["anchor_hash"] for info in infos[:-1]],
        VALID: [info["valid"] for info in steps],
        PAID: [info["turn_reward"] + info["outcome_reward"] for info in steps],
        SCORE: [info.get(score) for info in steps],
    }
    return _turns(columns, names, len(steps)) if names.per == "turn" else [_rollout(columns, names)]


def _find(trainer: str) -> KeyMap:
    if trainer not in MAPS:
        raise ValueError(unknown("trainer", trainer, MAPS))
    return MAPS[trainer]


def _turns(columns: Mapping[str, list[Any]], names: KeyMap, turns: int) -> list[dict[str, Any]]:
    return [{name: columns[what][turn] for name, what in names.names.items()} for turn in range(turns)]


def _rollout(columns: Mapping[str, list[Any]], names: KeyMap) -> dict[str, Any]:
    return {name: float(sum(columns[PAID])) if what == TOTAL else columns[what] for name, what in names.names.items()}
