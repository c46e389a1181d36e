"""T-STAR's grafting: where a group's rollouts diverged, the better way is gone on from; the two ways make a pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

from agentgym import credit
from agentgym.batch import BatchError, TurnBatch
from agentgym.credit import Divergence
from agentgym.rollout import Run, play_all
from agentgym.rollout.episode import Episode

_NOTHING = TurnBatch.from_columns(
    {name: [] for name in ("group", "trajectory", "turn", "turn_reward", "outcome_reward", "next_state")}
)


class Pair(NamedTuple):
    """Two turns of a batch taken in one state: row numbers of the better and the worse one, and the gap of their Q."""

    better: int
    worse: int
    gap: float


@dataclass(frozen=True)
class Graft:
    """Play as ever, find the divergences of `credit.tstar`, and at each regenerate `n` rollouts from the better way.

    A grafted rollout keeps the turns of the better rollout up to and including the one where they diverged, then goes
    on from the moment after it with draws of the policy of its own; the world's draws stay those of that rollout. It is
    one more member of the group, a whole rollout from the start, so its first turns are in the batch again. A better
    way that ends with the divergence has nothing to regenerate; its pair stands all the same.

    `grafting_pairs(batch)` gives the pairs for `credit.surgical_loss`. `meta["branching"]` holds them and, in `steps`,
    how many turns of the world were played besides those of the first rollouts.

    Args:
        n: rollouts a divergence, at least 0; 0 gives the pairs alone.
        threshold: the gap that a divergence has to exceed.
        rewards: of `credit.tstar`.
        gamma: of `credit.tstar`.

    Raises:
        ValueError: an argument out of its range.
    """

    keeps_log: ClassVar[bool] = False
    n: int = 1
    threshold: float = 0.3
    rewards: str = "total"
    gamma: float = 0.99

    def __post_init__(self) -> None:
        if isinstance(self.n, bool) or not isinstance(self.n, int) or self.n < 0:
            raise ValueError(f"n must be an integer of at least 0, not {self.n!r}")
        for name, value in (("threshold", self.threshold), ("gamma", self.gamma)):
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise ValueError(f"{name} must be a number, not {value!r}")
        credit.tstar(_NOTHING, **self._options)  # which checks the rest

    @property
    def _options(self) -> dict[str, Any]:
        return {"divergence_threshold": self.threshold, "rewards": self.rewards, "gamma": self.gamma}

    def play(self, run: Run) -> TurnBatch:
        """Play a run and graft; see `collect`, which calls this. Raises RolloutError."""
        moments: dict[str, list[Episode]] = {}

        def watch(live: Sequence[Episode]) -> None:
            for episode in live:
                moments.setdefault(episode.trajectory, []).append(_moment(episode))

        batch = play_all(run, watch)
        found = credit.tstar(batch, **self._options).diagnostics["divergences"] if len(batch) else ()
        grafts, pairs, members = [], [], dict.fromkeys(batch.group, 0)
        for episode in run.done:
            members[episode.group] = max(members.get(episode.group, 0), episode.member + 1)
        for divergence in found:
            name, turn = divergence.better
            begun = [] if turn + 1 >= len(moments[name]) else self._begun(moments[name][turn + 1], members)
            grafts += begun
            pairs.append(_as_json(divergence, begun))
        steps = self._play(run, grafts)
        run.meta["branching"] = {"scheme": "graft", "n": self.n, "steps": steps, "pairs": pairs}
        return run.batch()

    def _begun(self, moment: Episode, members: dict[Any, int]) -> list[Episode]:
        """Return the rollouts that go on from a moment, as further members of its group."""
        begun = []
        for _ in range(self.n):
            member = members[moment.group]
            members[moment.group] = member + 1
            begun.append(replace(moment.branched(moment.group, member), rows=list(moment.rows)))
        return begun

    def _play(self, run: Run, grafts: Sequence[Episode]) -> int:
        """Play the grafted rollouts to their ends; return how many turns that took."""
        run.total += len(grafts)
        waiting, live, steps = iter(grafts), list[Episode](), 0
        while True:
            while len(live) < run.limit and (episode := next(waiting, None)) is not None:
                live.append(episode)
            if not live:
                return steps
            steps += len(live)
            live = run.play(live, run.ask(live))


def _moment(episode: Episode) -> Episode:
    """Return a frozen copy of a rollout under way."""
    return replace(episode, env=episode.env.copy(), messages=list(episode.messages), rows=list(episode.rows))


def _as_json(found: Divergence, grafts: Sequence[Episode]) -> dict[str, Any]:
    ways = {"better": list(found.better), "worse": list(found.worse)}
    return {"group": found.group, **ways, "gap": found.gap, "grafts": [episode.trajectory for episode in grafts]}


def grafting_pairs(batch: TurnBatch) -> tuple[Pair, ...]:
    """Return the pairs that a Graft batch holds, as row numbers, in the order of the divergences.

    Args:
        batch: what `collect(branching=Graft())` returned, in any row order.

    Raises:
        BatchError: another batch, or one in which a turn of a pair is missing.
    """
    made = batch.meta.get("branching")
    if not isinstance(made, Mapping) or made.get("scheme") != "graft" or "pairs" not in made:
        raise BatchError("grafting_pairs takes what collect(branching=Graft()) returned: this batch has no pairs")
    row_of = {key: row for row, key in enumerate(zip(batch.trajectory, batch.turn.tolist(), strict=True))}
    pairs = []
    for pair in made["pairs"]:
        better, worse = (row_of.get(tuple(pair[way]), -1) for way in ("better", "worse"))
        if min(better, worse) < 0:
            raise BatchError(f"a turn of the pair {pair['better']}, {pair['worse']} is not in this batch")
        pairs.append(Pair(better, worse, pair["gap"]))
    return tuple(pairs)
