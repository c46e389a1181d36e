"""Groups: starts and restarts the episodes of a GroupVectorEnv's slots, so that a group's members start equal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any

from agentgym.env import AgentEnv
from agentgym.errors import WorldError
from agentgym.turn import TurnInfo

_COMPARED = ("task", "seed", "state_hash", "history_hash")


class Groups:
    """The worlds of all slots, and how the episodes of each group began.

    Without a seed a world draws the next one from its own generator. Those of a group's members are alike, so the n-th
    restarts of all members are equal whenever each takes place; hashes verify it.

    Args:
        envs: the worlds; groups are runs of `size` of them.
        size: slots of a group.
        branches: the branch of each member's draws.
        offset: number of the first slot among all of the vector's; errors name slots and groups of the vector.
    """

    def __init__(self, envs: Sequence[AgentEnv[Any]], size: int, branches: Sequence[int], offset: int = 0) -> None:
        self.envs = envs
        self._offset = offset
        self.size = size
        self.branches = branches
        self._episode = [0] * len(envs)
        self._begun: list[dict[int, tuple[tuple[Any, ...], list[int]]]] = [{} for _ in range(len(envs) // size)]

    def __len__(self) -> int:
        return len(self._begun)

    def start(self, group: int, seed: int | None, task: str | None) -> Iterator[tuple[int, TurnInfo]]:
        """Start the slots of a group equal; if one fails, all of them are as worlds that were never started."""
        slots = self.prepare(group, seed)
        infos = []
        for slot in slots:
            try:
                infos.append(self.begin(slot, seed, task))
                self.admit(slot, infos[-1])
            except BaseException as error:
                error.add_note(self.place(slot))
                self.undo(slots)
                raise
        return zip(slots, infos, strict=True)

    def prepare(self, group: int, seed: int | None) -> range:
        """Forget the episodes of a group that is about to start; return its slots."""
        slots = range(group * self.size, (group + 1) * self.size)
        for slot in slots:
            self._episode[slot] = 0
        self._begun[group].clear()
        if seed is None:
            self._share_generator(slots)
        return slots

    def begin(self, slot: int, seed: int | None, task: str | None) -> TurnInfo:
        """Start one slot of a group that was prepared; touches no other slot."""
        return self.envs[slot].reset(seed=seed, options=self._options(slot, task))[1]

    def draw(self, slot: int) -> tuple[str, TurnInfo]:
        """Start the next episode of one slot, which `settle` has to count; touches no other slot."""
        env = self.envs[slot]
        before = env.np_random.bit_generator.state
        try:
            return env.reset(options=self._options(slot))
        except BaseException:  # an interrupt too: another try will be at the same episode
            env.np_random.bit_generator.state = before
            raise

    def settle(self, slot: int, info: TurnInfo) -> None:
        """Count the episode that `draw` started. Raises WorldError unless it starts like those of the other members."""
        self._episode[slot] += 1
        try:
            self.admit(slot, info)
        except WorldError:
            self.undo([slot])
            raise

    def undo(self, slots: Sequence[int]) -> None:
        """Make slots as worlds that were never started."""
        for slot in slots:
            self.envs[slot]._over, self.envs[slot]._task = True, None

    def place(self, slot: int) -> str:
        """Return where an error took place, for its note."""
        return f"in slot {slot + self._offset}, member {slot % self.size} of group {(slot + self._offset) // self.size}"

    def where(self, slot: int) -> str:
        """Return task, seed and turn of a slot in words."""
        env = self.envs[slot]
        task = "" if env._task is None else env._task.id
        return f"task {task!r}, seed {env._seed}, turn {env._turn}"

    def _options(self, slot: int, task: str | None = None) -> dict[str, Any]:
        options: dict[str, Any] = {} if task is None else {"task": task}
        branch = self.branches[slot % self.size]
        return {**options, "branch": branch} if branch else options

    def _share_generator(self, slots: Sequence[int]) -> None:
        """Let the generators of a group's members go on like the first one's."""
        first = self.envs[slots[0]]
        generator, seed = first.np_random, first.np_random_seed
        for slot in slots[1:]:
            self.envs[slot]._np_random, self.envs[slot]._np_random_seed = deepcopy(generator), seed

    def admit(self, slot: int, info: TurnInfo) -> None:
        """Raise WorldError unless an episode starts like those of the same number in the other slots of its group."""
        if self.size == 1:
            return
        group, number = slot // self.size, self._episode[slot]
        mine = tuple(info[name] for name in _COMPARED)  # type: ignore[literal-required]
        known, members = self._begun[group].setdefault(number, (mine, []))
        if known != mine:
            at = self._offset
            name, theirs, ours = next(row for row in zip(_COMPARED, known, mine, strict=True) if row[1] != row[2])
            raise WorldError(
                f"the members of group {group + at // self.size} do not start equal: in slot {slot + at}, task "
                f"{info['task']!r}, seed {info['seed']}, {name} is {ours!r}, and in slot {members[0] + at} it is "
                f"{theirs!r}"
            )
        members.append(slot)
        if len(members) == self.size:
            del self._begun[group][number]
