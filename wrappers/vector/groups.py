"""Which episodes of a vector's slots belong together: the n-th ones of a group's slots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from agentgym.wrappers.episode import Episode


@dataclass(slots=True)
class _Round:
    """The n-th episodes of one group's slots.

    Attributes:
        starts: task and first state of each member that has begun.
        finished: the episodes that wait for the others, by member.
        passed: how many members have finished, or were cut.
        cut: whether a reset has cut it, so that no member gets credit.
    """

    starts: dict[int, tuple[str, str]] = field(default_factory=dict)
    finished: dict[int, Episode] = field(default_factory=dict)
    passed: int = 0
    cut: bool = False


class Groups:
    """Keeps finished episodes until their group is complete, and nothing longer.

    Attributes:
        dropped: episodes with at least one turn that will get no credit, since a reset cut their group.
        infra_errors: episodes that ended with an infrastructure error.
    """

    def __init__(self, num_envs: int, size: int) -> None:
        if num_envs % size:
            raise ValueError(f"{num_envs} slots are no multiple of group_size={size}")
        self.size = size
        self.dropped = 0
        self.infra_errors = 0
        self._rounds: list[dict[int, _Round]] = [{} for _ in range(num_envs // size)]
        self._number = [-1] * num_envs
        self._current: list[Episode | None] = [None] * num_envs

    @property
    def waiting(self) -> int:
        """Number of finished episodes whose group is not complete yet."""
        return sum(len(round_.finished) for rounds in self._rounds for round_ in rounds.values())

    def begin(self, slot: int, episode: Episode) -> None:
        """Take note of an episode that begins.

        Raises:
            ValueError: it does not start as the others of its group do.
        """
        group, member = divmod(slot, self.size)
        self._number[slot] += 1
        self._current[slot] = episode
        round_ = self._rounds[group].setdefault(self._number[slot], _Round())
        for other, start in round_.starts.items():
            if start != episode.start:
                raise ValueError(
                    f"slots {group * self.size + other} and {slot} are in one group of {self.size} and start "
                    f"differently: task {start[0]!r} with state {start[1]}, task {episode.start[0]!r} with state "
                    f"{episode.start[1]}; give the slots of a group the same seed, as in "
                    f"reset(seed=[seed for seed in seeds for _ in range({self.size})]), or use GroupVectorEnv"
                )
        round_.starts[member] = episode.start

    def finish(self, slot: int, episode: Episode) -> list[tuple[int, Episode]]:
        """Take note of an episode that has finished; return (slot, episode) of its whole group if it was the last."""
        group, member = divmod(slot, self.size)
        round_ = self._rounds[group][self._number[slot]]
        self._current[slot] = None
        self.infra_errors += episode.failed
        if round_.cut:
            self.dropped += not episode.failed
        else:
            round_.finished[member] = episode
        finished = sorted(round_.finished.items())
        return [(group * self.size + other, one) for other, one in finished] if self._pass(slot) else []

    def restart(self, slots: Sequence[int], anew: bool) -> None:
        """Take note of a reset of these slots, before their next episodes begin.

        Args:
            slots: those that are reset.
            anew: whether groups that are reset whole count their episodes anew, or each slot goes on counting.
        """
        chosen = set(slots)
        for group in range(len(self._rounds)):
            members = range(group * self.size, (group + 1) * self.size)
            if anew and chosen.issuperset(members):
                self._clear(group)
                continue
            idle = [slot for slot in members if slot in chosen and not self._played(slot)]
            for slot in members:
                if slot in chosen and slot not in idle:
                    self._cut(slot)
            for slot in idle:
                self._rounds[group][self._number[slot]].starts.pop(slot % self.size)
                self._number[slot] -= 1

    def _played(self, slot: int) -> bool:
        """Return whether a slot has finished, or anybody in its round has taken a turn."""
        if self._current[slot] is None:
            return True
        group, number = slot // self.size, self._number[slot]
        members = range(group * self.size, (group + 1) * self.size)
        current = [self._current[other] for other in members if self._number[other] == number]
        return bool(self._rounds[group][number].passed) or any(one is not None and one.rows for one in current)

    def _clear(self, group: int) -> None:
        """Begin a group anew: nothing of what it has not completed will be."""
        for round_ in self._rounds[group].values():
            self.dropped += sum(not episode.failed for episode in round_.finished.values())
        self._rounds[group].clear()
        for slot in range(group * self.size, (group + 1) * self.size):
            episode, self._current[slot] = self._current[slot], None
            self.dropped += episode is not None and bool(episode.rows)
            self._number[slot] = -1

    def _cut(self, slot: int) -> None:
        """Give up the round that a slot is in, unless the slot has finished it."""
        episode, self._current[slot] = self._current[slot], None
        if episode is None:
            return
        round_ = self._rounds[slot // self.size][self._number[slot]]
        self.dropped += bool(episode.rows) + sum(not other.failed for other in round_.finished.values())
        round_.finished.clear()
        round_.cut = True
        self._pass(slot)

    def _pass(self, slot: int) -> bool:
        """Count a member that is done with its round; return whether all are."""
        group, number = slot // self.size, self._number[slot]
        self._rounds[group][number].passed += 1
        if self._rounds[group][number].passed < self.size:
            return False
        del self._rounds[group][number]
        return True
