"""BabyAI beside minigrid itself, in the same run: `python tests/perf/babyai_step.py`.

Rows: a whole step with text, hashes and info against minigrid's bare step; a fork against a deep copy; the state hash
against minigrid's own (which leaves out the instruction's progress and the boxes' contents), smallest and largest grid.
"""

import copy
import sys
from pathlib import Path
from time import thread_time
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from agentgym.digest import state_hash
from agentgym.envs.babyai import kernel, levels
from agentgym.envs.babyai.env import BabyAIEnv

STEPS = (0, 2, 2, 1, 3, 2, 4)  # turns, walks, a pick up, a drop
SMALLEST, LARGEST = "BabyAI-GoToObjS4-v0", "BabyAI-BossLevel-v0"


def seconds(function: Any, count: int) -> float:
    """Processor seconds of one call, mean over `count`."""
    begin = thread_time()
    for _ in range(count):
        function()
    return (thread_time() - begin) / count


def fastest(ours: Any, theirs: Any, count: int, repeats: int = 12) -> tuple[float, float]:
    """Return the fastest of the repeats of both, interleaved."""
    pairs = [(seconds(ours, count), seconds(theirs, count)) for _ in range(repeats)]
    return min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)


class Players:
    """The same level in both, played with the same actions for ever."""

    def __init__(self, level: str) -> None:
        self.env = BabyAIEnv(level=level)
        self.raw = levels.make_minigrid(level)
        self.task = self.env.panel["train"][0]
        self.turn = self.raw_turn = 0
        self.restart()
        self.raw_restart()

    def restart(self) -> None:
        self.env.reset(seed=0, options={"task": self.task.id})

    def raw_restart(self) -> None:
        levels.reset(self.raw, self.task.data["seed"])

    def step(self) -> None:
        self.turn += 1
        *_, terminated, truncated, _ = self.env.step(kernel.ACTIONS[STEPS[self.turn % len(STEPS)]])
        if terminated or truncated:
            self.restart()

    def raw_step(self) -> None:
        self.raw_turn += 1
        *_, terminated, truncated, _ = self.raw.step(STEPS[self.raw_turn % len(STEPS)])
        if terminated or truncated:
            self.raw_restart()


def rows() -> list[tuple[str, float, float, float]]:
    """Return (row, seconds of ours, seconds of the baseline, target ratio)."""
    local = Players("BabyAI-GoToLocal-v0")
    found = [("step", *fastest(local.step, local.raw_step, 300), 4.0)]
    found.append(("fork", *fastest(lambda: local.env.fork(1), lambda: copy.deepcopy(local.raw), 30), 60.0))
    for name, level, target in (("hash, smallest", SMALLEST, 6.0), ("hash, largest", LARGEST, 25.0)):
        both = Players(level)
        state = both.env.state
        ours = lambda state=state, env=both.env: state_hash(env.canonical(state))
        found.append((name, *fastest(ours, both.raw.hash, 200), target))
    return found


def main() -> int:
    """Print the table; 1 if a row misses its target."""
    missed = 0
    for name, ours, theirs, target in rows():
        ratio = theirs / ours
        missed += ratio < target
        print(f"{name:14} {ours * 1e6:7.2f} µs, minigrid {theirs * 1e6:9.2f} µs: {ratio:6.1f}×, target {target}×")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
