"""What the rows are held against, where the rival is no package that can be installed: stand-ins written for this.

Each does the same work as ours to the same result, which tests/test_perf_harness.py checks.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tests.agentgym import slow_loops
from tests.agentgym.credit import loops_soft_group, loops_trajectory

SCALE = {"normalise": "std", "ddof": 0, "eps": 1e-6}


def gigpo(columns: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], gamma: float = 0.95) -> dict[str, list[float]]:
    """Return gigpo's terms by loops over rows; the return of every row looks for its rollout in the whole batch.

    That search, quadratic in the batch, is what released code does and what its time goes into.

    Args:
        columns: trajectory (ids that no two groups share), turn, turn_reward, outcome_reward as arrays.
        rows: the same record as one mapping a turn.
        gamma: the discount.
    """
    trajectory, turn = columns["trajectory"], columns["turn"]
    paid = columns["turn_reward"] + columns["outcome_reward"]
    to_come = [0.0] * len(rows)
    for row in range(len(rows)):
        mine = np.flatnonzero(trajectory == trajectory[row])
        mine = mine[turn[mine] >= turn[row]]
        to_come[row] = float((gamma ** (turn[mine] - turn[row]) * paid[mine]).sum())
    value = {key: sum(paid[n] for n in numbers) for key, numbers in slow_loops.rollouts(rows).items()}
    states = [(row["group"], row["anchor"]) for row in rows]
    return {
        "episode": slow_loops.group_normal(rows, value, **SCALE),
        "step": slow_loops.within(rows, to_come, states.__getitem__, **SCALE),
    }


def grpo(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[float]]:
    """Return grpo's term by a loop over rows."""
    return loops_trajectory.grpo(rows, rewards="total", votes="trajectory", singleton="zero", **SCALE)


def proxmo(rows: Sequence[Mapping[str, Any]], gamma: float = 0.95, temperature: float = 0.1) -> np.ndarray:
    """Return proxmo's step term with one matrix of all turns by all turns of the batch, masked to the groups.

    Every text is read, and every pair of turns compared, whether they are of one group or not, as released code does.
    """
    found = loops_soft_group.vectors([row["observation"] for row in rows], 1024)
    place = {term: n for n, term in enumerate(dict.fromkeys(term for vector in found for term in vector))}
    dense = np.zeros((len(rows), len(place)))
    for n, vector in enumerate(found):
        dense[n, [place[term] for term in vector]] = list(vector.values())
    group = np.unique([row["group"] for row in rows], return_inverse=True)[1]
    weight = dense @ dense.T
    weight -= 1.0
    weight /= temperature
    np.exp(weight, out=weight)
    weight *= group[:, None] == group
    weight /= weight.sum(axis=1, keepdims=True)
    paid = slow_loops.pays(rows, "total")
    to_come = np.zeros(len(rows))
    for numbers in slow_loops.rollouts(rows).values():
        ahead = 0.0
        for n in reversed(numbers):
            to_come[n] = ahead = paid[n] + gamma * ahead
    step: np.ndarray = to_come - weight @ to_come
    return step


class Teller:
    """minigrid's step, and the view in words, the way BALROG's and BabyAI-Text's programs go about it.

    They make the 7 × 7 view a second time for the text, encode it, and go through its cells.
    """

    def __init__(self, env: Any) -> None:
        from minigrid.core.constants import IDX_TO_COLOR, IDX_TO_OBJECT

        self.env = env
        self.types, self.colors = IDX_TO_OBJECT, IDX_TO_COLOR

    def step(self, action: int) -> tuple[str, Any, bool, bool]:
        """Take one step and return (text, reward, terminated, truncated)."""
        _, reward, terminated, truncated, _ = self.env.step(action)
        return self.text(), reward, terminated, truncated

    def text(self) -> str:
        """Return what the agent sees, one thing a line, walls first."""
        grid, seen = self.env.gen_obs_grid()
        image = grid.encode(seen)
        lines = []
        if self.env.carrying is not None:
            lines.append(f"You carry a {self.env.carrying.color} {self.env.carrying.type}")
        for cells, side in (
            ([(3, row) for row in (5, 4, 3, 2, 1, 0)], "forward"),
            ([(column, 6) for column in (2, 1, 0)], "left"),
            ([(column, 6) for column in (4, 5, 6)], "right"),
        ):
            for steps, (column, row) in enumerate(cells, 1):
                name = self.types[int(image[column, row, 0])]
                if name == "wall":
                    lines.append(f"a wall {count(steps)} {side}")
                if name not in ("unseen", "empty"):
                    break
        for column in range(7):
            for row in range(7):
                kind, color, state = (int(value) for value in image[column, row])
                name = self.types[kind]
                if name in ("unseen", "empty", "wall") or (column, row) == (3, 6):
                    continue
                door = ("open ", "closed ", "locked ")[state] if name == "door" else ""
                lines.append(f"a {door}{self.colors[color]} {name} {place(column - 3, 6 - row)}")
        return "\n".join(lines)


def count(steps: int) -> str:
    return "1 step" if steps == 1 else f"{steps} steps"


def place(dx: int, dy: int) -> str:
    side = f"{count(abs(dx))} {'left' if dx < 0 else 'right'}" if dx else ""
    ahead = f"{count(dy)} forward" if dy else ""
    return " and ".join(filter(None, [side, ahead]))
