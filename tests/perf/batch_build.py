"""Time of building a TurnBatch, in multiples of a bare Gymnasium step: `python tests/perf/batch_build.py`.

The target of 3 µs a turn was set where a bare step takes 0.08 µs, so a row passes at 37.5 steps a turn.
"""

import sys
from pathlib import Path
from time import thread_time
from typing import Any

import gymnasium

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from agentgym.batch import TurnBatch

TARGET = 3.0 / 0.08


class Bare(gymnasium.Env[int, int]):
    """A step that does nothing."""

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        return action, 0.0, False, False, {}


def rows_of(turns: int) -> list[dict[str, Any]]:
    """Rows with the columns of every collected batch: groups of eight rollouts of eight turns, states that repeat."""
    return [row_of(*divmod(i, 8)) for i in range(turns)]


def row_of(rollout: int, turn: int) -> dict[str, Any]:
    """One row of the r-th rollout."""
    group, member = divmod(rollout, 8)
    node = (group * 3 + member % 3) * 9 + turn
    ids = {"group": f"task-{group}", "trajectory": f"task-{group}/{member}", "turn": turn, "task": f"task-{group}"}
    draws = {"seed": group, "branch": 0}
    states = {"state": f"{node:032x}", "next_state": f"{node + 1:032x}", "anchor": f"{node // 2:032x}"}
    paid = {"turn_reward": 0.1 * turn, "outcome_reward": float(turn == 7), "components": {"progress": 0.1 * turn}}
    ends = {"success": True, "terminated": turn == 7, "truncated": False, "end_reason": "solved" if turn == 7 else ""}
    texts = {"valid": True, "kind": "act", "observation": f"you see {node} keys", "action": f"go {turn}"}
    return {**ids, **draws, **states, **paid, **ends, **texts, "logprob": -0.5 * turn, "tokens": turn}


def once(function: Any, *args: Any) -> float:
    """Seconds of processor time of one call: what other processes take meanwhile does not count."""
    begin = thread_time()
    function(*args)
    return thread_time() - begin


def steps(count: int) -> None:
    """Take bare steps."""
    step = Bare().step
    for _ in range(count):
        step(0)


def measure(turns: int = 10_000, repeats: int = 60) -> dict[str, float]:
    """Return seconds a turn (a step) of each way, interleaved; the fastest of the repeats."""
    rows = rows_of(turns)
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    ways = {
        "bare step": (steps, turns),
        "from_rows": (TurnBatch.from_rows, rows),
        "from_columns": (TurnBatch.from_columns, columns),
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(repeats):
        for name, (function, argument) in ways.items():
            times[name].append(once(function, argument) / turns)
    return {name: min(values) for name, values in times.items()}


def main() -> int:
    """Print the table; 1 if a row is over its target."""
    seconds = measure()
    bare = seconds.pop("bare step")
    print(f"bare Gymnasium step {bare * 1e6:.3f} µs", file=sys.stderr)
    for name, value in seconds.items():
        steps_a_turn = value / bare
        print(f"{name:13} {value * 1e6:5.2f} µs a turn = {steps_a_turn:4.1f} steps, target {TARGET}", file=sys.stderr)
    return int(max(seconds.values()) / bare > TARGET)


if __name__ == "__main__":
    sys.exit(main())
