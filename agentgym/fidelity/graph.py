"""The transition graph of a world, grown on demand: what any policy's truth needs to know of the world.

States are numbered per task by their hash, actions per state in the order of the world's menu. A transition that took
no draw and did not read `rng.turn` is one edge, shared by all turns; any other is looked at turn by turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentgym import _setup
from agentgym.digest import state_hash
from agentgym.env import AgentEnv
from agentgym.errors import AgentGymError
from agentgym.fidelity.growth import Column, Watched
from agentgym.reward import RewardSpec
from agentgym.rng import TurnRng
from agentgym.turn import EndReason, Turn

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

UNKNOWN, DRAWN, ENDED = -3, -2, -1
"""What stands in `child` instead of a state: not looked at yet; depends on draws or the turn; the episode ended."""

MOST_TRIES = 32
"""A turn that ends with an infrastructure error is taken again, so many times in all."""


@dataclass(frozen=True, slots=True)
class Draws:
    """Equally likely results of one action at one turn: next states (ENDED where over), turn rewards, outcomes."""

    child: Ints
    reward: Floats
    outcome: Floats


class Graph:
    """States, menus and transitions of one world under one reward specification.

    Args:
        env: a bare world; only its pure functions are called.
        spec: weights that make a turn's reward of its components, and the weight of the outcome.

    Attributes:
        states, keys, tasks: the state, its hash and its task id, by state number.
    """

    def __init__(self, env: AgentEnv[Any], spec: RewardSpec) -> None:
        self.env = env
        self.spec = spec
        self.states: list[Any] = []
        self.keys: list[str] = []
        self.tasks: list[str] = []
        self.hints: dict[str, dict[int, Any]] = {}
        self._ids: dict[tuple[str, str], int] = {}
        self._texts: list[str] = []
        self._codes: dict[str, int] = {}
        self._first, self._count = Column(np.int64), Column(np.int64)  # by state: its menu's edges; −1: not opened
        self._timeout, self._limit = Column(np.float64), Column(np.int64)  # by state; NaN: not looked at
        self._source, self._text, self._child = Column(np.int64), Column(np.int64), Column(np.int64)  # by edge
        self._reward, self._outcome = Column(np.float64), Column(np.float64)
        self._off_menu: dict[tuple[int, int], int] = {}
        self._drawn: dict[tuple[int, int, int, int], Draws] = {}

    def __len__(self) -> int:
        """Return the number of states seen."""
        return len(self.states)

    # ---- states ----------------------------------------------------------------------------------------------------

    def add(self, task: str, state: Any) -> int:
        """Return the number of a state, a new one if its task never met it."""
        key = state_hash(self.env.canonical(state))
        number = self._ids.setdefault((task, key), len(self.states))
        if number == len(self.states):
            self.states.append(self.env.copy_state(state))
            self.keys.append(key)
            self.tasks.append(task)
        return number

    def opening(self, task: str, seed: int) -> int:
        """Return the number of the first state of an episode."""
        return self.add(task, self.env.initial(self.env.panel.task(task), TurnRng(seed)).state)

    def open(self, numbers: Ints) -> None:
        """Give the states their menus."""
        self._settle()
        new = numbers[self._first.values[numbers] < 0].tolist()
        texts: list[str] = []
        counts: list[int] = []
        for number in new:
            menu = self.env.choices(self.states[number])
            if not menu:
                raise AgentGymError(
                    f"{self._where(number)} has an empty menu, so no menu policy can act there: "
                    "let the world offer at least one action, or use method='forks'"
                )
            texts += menu
            counts.append(len(menu))
        self._first.values[new] = self._source.size + np.cumsum([0, *counts])[:-1]
        self._count.values[new] = counts
        self._add_edges(np.repeat(np.array(new, np.int64), counts), [self._code(text) for text in texts])

    def menus(self, numbers: Ints) -> tuple[Ints, Ints]:
        """Return (edges of all the states' menus, how many each has); the states are opened."""
        counts = self._count.values[numbers]
        ends = np.cumsum(counts)
        start = np.repeat(self._first.values[numbers] - (ends - counts), counts)
        return start + np.arange(len(start)), counts

    def menu(self, number: int) -> list[str]:
        """Return the menu of an opened state, in the world's order."""
        first, count = self._first.values[number], self._count.values[number]
        return [self._texts[code] for code in self._text.values[first : first + count].tolist()]

    def hint(self, name: str, number: int) -> Any:
        """Return describe, expert or potential of a state; remembered."""
        known = self.hints.setdefault(name, {})
        if number not in known:
            asked = self.env.advice if name == "expert" else getattr(self.env, name)
            known[number] = asked(self.states[number])
        return known[number]

    def limits(self, numbers: Ints) -> Ints:
        """Return after how many turns the time is up in these states."""
        self._settle()
        found: Ints = self._limit.values[numbers]
        return found

    def timeouts(self, numbers: Ints) -> Floats:
        """Return the weighted outcome reward if the turns are used up in these states."""
        self._settle()
        values = self._timeout.values
        for number in np.unique(numbers[np.isnan(values[numbers])]).tolist():
            outcome = _setup.checked_timeout(self.env, self.env.timeout(self.states[number]))
            values[number] = self.spec.outcome * self._finite(number, outcome.reward)
        found: Floats = values[numbers]
        return found

    # ---- transitions -----------------------------------------------------------------------------------------------

    def edge(self, number: int, text: str) -> int:
        """Return the edge of an action, on the state's menu or off it; the state is opened if it has a menu."""
        self._settle()
        code = self._code(text)
        first, count = int(self._first.values[number]), int(self._count.values[number])
        if first >= 0:
            codes = self._text.values[first : first + count].tolist()
            if code in codes:
                return first + int(codes.index(code))
        edge = self._off_menu.get((number, code))
        if edge is None:
            edge = self._off_menu[number, code] = self._source.size
            self._add_edges(np.array([number]), [code])
        return edge

    def look(self, edges: Ints, turn: int) -> None:
        """Find out where edges lead that were not looked at yet."""
        new = edges[self._child.values[edges] == UNKNOWN]
        if not len(new):
            return
        found: list[tuple[int, float, float]] = []
        for number, code in zip(self._source.values[new].tolist(), self._text.values[new].tolist(), strict=True):
            found.append(self._looked(number, code, turn))
        child, reward, outcome = zip(*found, strict=True)
        self._child.values[new], self._reward.values[new], self._outcome.values[new] = child, reward, outcome

    def _looked(self, number: int, code: int, turn: int) -> tuple[int, float, float]:
        """Return (child, turn reward, outcome) of an edge; a failure that no draw decided may be gone the next time."""
        for _ in range(MOST_TRIES):
            rng = Watched(0, 0, turn)
            made, valid = self._apply(number, code, rng)
            if rng.asked_turn or rng.noisy:
                return DRAWN, 0.0, 0.0
            result = self._result(number, made, valid)
            if result is not None:
                return result
        raise self._infra(number)

    def child(self, edges: Any) -> Any:
        """Return where edges lead: a state's number, ENDED, DRAWN or UNKNOWN."""
        return self._child.values[edges]

    def paid(self, edges: Ints) -> Floats:
        """Return (edges,) weighted turn rewards and (edges,) weighted outcomes, stacked as two rows."""
        return np.stack([self._reward.values[edges], self._outcome.values[edges]])

    def draws(self, edge: int, turn: int, chance: int, seed: int) -> Draws:
        """Return `chance` draws of what an edge does at a turn, or one if it only depends on the turn.

        Draws of different states, actions and turns are independent; equal arguments give equal draws.
        """
        known = self._drawn.get((edge, turn, chance, seed))
        if known is None:
            known = self._drawn[edge, turn, chance, seed] = self._draw(edge, turn, chance, seed)
        return known

    def follow(self, edge: int, seed: int, branch: int, turn: int) -> int:
        """Return the state an edge led to in an episode as it was played; ENDED where the episode ended."""
        self.look(np.array([edge]), turn)
        child = int(self._child.values[edge])
        if child != DRAWN:
            return child
        number = int(self._source.values[edge])
        made, _ = self._apply(number, int(self._text.values[edge]), TurnRng(seed, branch, turn))
        return ENDED if made.outcome is not None else self.add(self.tasks[number], made.state)

    def _draw(self, edge: int, turn: int, chance: int, seed: int) -> Draws:
        number = int(self._source.values[edge])
        code = int(self._text.values[edge])
        address = f"{seed},{self.tasks[number]},{self.keys[number]},{self._texts[code]}"
        own = int.from_bytes(blake2b(address.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big") >> 1
        found: list[tuple[int, float, float]] = []
        for branch in range(16 * chance):
            rng = Watched(own, branch, turn)
            result = self._result(number, *self._apply(number, code, rng))
            if result is not None:
                found.append(result)
            if len(found) == (chance if rng.noisy else 1):
                break
        else:
            raise self._infra(number)
        child, reward, outcome = zip(*found, strict=True)
        return Draws(np.array(child), np.array(reward), np.array(outcome))

    def _apply(self, number: int, code: int, rng: TurnRng) -> tuple[Turn[Any], bool]:
        made, valid, _ = self.env.apply(self.env.copy_state(self.states[number]), self._texts[code], rng)
        return made, valid

    def _result(self, number: int, made: Turn[Any], valid: bool) -> tuple[int, float, float] | None:
        """Return (child, turn reward, outcome), or None where the infrastructure failed."""
        reward = 0.0
        if made.rewards or not valid:
            reward = self._finite(number, self.spec.turn_reward(made.rewards, valid))
        if made.outcome is None:
            child = number if made.state is self.states[number] else self.add(self.tasks[number], made.state)
            return child, reward, 0.0
        if made.outcome.reason is EndReason.INFRA_ERROR:
            return None
        return ENDED, reward, self.spec.outcome * self._finite(number, made.outcome.reward)

    def _settle(self) -> None:
        """Make room for the states added since."""
        new = range(self._first.size, len(self.states))
        if not new:
            return
        limits = [_setup.checked_limit(self.env, self.env.limit(self.states[number])) for number in new]
        for column, values in (
            (self._first, np.full(len(new), -1)),
            (self._count, np.zeros(len(new), np.int64)),
            (self._timeout, np.full(len(new), np.nan)),
            (self._limit, limits),
        ):
            column.extend(values)

    def _add_edges(self, sources: Ints, codes: Sequence[int]) -> None:
        count = len(codes)
        self._source.extend(sources)
        self._text.extend(codes)
        self._child.extend(np.full(count, UNKNOWN))
        self._reward.extend(np.zeros(count))
        self._outcome.extend(np.zeros(count))

    def _code(self, text: str) -> int:
        code = self._codes.setdefault(text, len(self._texts))
        if code == len(self._texts):
            self._texts.append(text)
        return code

    def _finite(self, number: int, reward: float) -> float:
        if reward - reward != 0.0:
            raise AgentGymError(f"{self._where(number)} pays {reward}: let the world pay finite rewards")
        return float(reward)

    def _where(self, number: int) -> str:
        return f"state {self.keys[number][:8]}… of task {self.tasks[number]!r}"

    def _infra(self, number: int) -> AgentGymError:
        return AgentGymError(
            f"the world reports an infrastructure error again and again at {self._where(number)}, and such ends "
            "have no value: see to the endpoint or worker it needs, then run again"
        )
