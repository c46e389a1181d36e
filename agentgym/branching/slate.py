"""SLATE's sampling: every turn is drawn k times from one shared prefix, and one of them is gone on from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from agentgym import credit
from agentgym.batch import BatchError, TurnBatch
from agentgym.rng import TurnRng
from agentgym.rollout import RolloutError, Run
from agentgym.rollout.episode import Episode, draws_of, group_of


@dataclass(frozen=True)
class Slate:
    """Sample k replies from one prefix, draw the next prefix with probability softmax(A / η), and go on from it.

    A *line* is what `collect` calls a rollout: `group_size` of them a task, all from its start. At every turn of a line
    the policy answers the same view k times, with draws of its own each time, and each answer is played in a fork of
    the world; the forks meet the same draws of the world. A is what `credit.slate` gives the k turns. The line is over
    when the turn that was drawn ends the episode.

    In the record **every candidate is a rollout of one turn**: its group is the prefix it was sampled from, its turn is
    0, its trajectory id is the prefix that it would lead to. The first prefix of a line is the trajectory id that the
    rollout would have otherwise. `unfold` makes whole rollouts of them. A candidate that ends with an infrastructure
    error is left out, of the draw too.

    Args:
        k: candidates a prefix, at least 1.
        eta: η > 0; small values follow the best candidate.

    Raises:
        ValueError: k or eta out of its range.
    """

    keeps_log: ClassVar[bool] = False
    k: int = 5
    eta: float = 0.7

    def __post_init__(self) -> None:
        if isinstance(self.k, bool) or not isinstance(self.k, int) or self.k < 1:
            raise ValueError(f"k must be an integer of at least 1, not {self.k!r}")
        if isinstance(self.eta, bool) or not isinstance(self.eta, int | float) or not 0.0 < self.eta < float("inf"):
            raise ValueError(f"eta must be a number above 0 and finite, not {self.eta!r}")

    def play(self, run: Run) -> TurnBatch:
        """Play the lines of a run; see `collect`, which calls this. Raises RolloutError."""
        run.meta["branching"] = {"scheme": "slate", "k": self.k, "eta": self.eta}
        try:
            self._play(run)
        except RolloutError as error:
            error.batch = None if error.batch is None else _with_prefix(error.batch)
            raise
        return _with_prefix(run.batch())

    def _play(self, run: Run) -> None:
        waiting, lines, over = run.starts(), list[Episode](), 0
        while True:
            while len(lines) < run.limit and (episode := next(waiting, None)) is not None:
                lines.append(episode)
            if not lines:
                return
            drawn = self._turn(run, lines)
            lines = [episode for episode in drawn if episode is not None and not any(episode.flags)]
            if len(lines) < len(drawn):
                over += len(drawn) - len(lines)
                run.tell(over)

    def _turn(self, run: Run, lines: Sequence[Episode]) -> list[Episode | None]:
        """Play a turn of each line; return the candidates that were drawn, None for a line that has none left."""
        candidates = [line.branched(line.trajectory, number) for line in lines for number in range(self.k)]
        kept: dict[str, list[Episode]] = {line.trajectory: [] for line in lines}
        for episode, _ in run.step(candidates, run.ask(candidates)):
            run.done.append(episode)
            if episode.info["end_reason"] != "infra_error":
                kept[episode.group].append(episode)
        chances = iter(self._chances([episode for members in kept.values() for episode in members]))
        drawn: list[Episode | None] = []
        for line in lines:
            members = kept[line.trajectory]
            weights = [next(chances) for _ in members]
            rng = TurnRng(line.seed, draws_of(line.trajectory), line.info["turn"], "slate")
            drawn.append(rng.choice(members, weights) if members else None)
        return drawn

    def _chances(self, candidates: Sequence[Episode]) -> list[float]:
        """Return the probability of each candidate to be drawn among those of its group."""
        columns: dict[str, Any] = {
            "group": [episode.group for episode in candidates],
            "trajectory": [episode.trajectory for episode in candidates],
            "turn": [0] * len(candidates),
            "prefix": [episode.group for episode in candidates],
            "turn_reward": [episode.info["turn_reward"] for episode in candidates],
        }
        made = credit.slate(TurnBatch.from_columns(columns), eta=self.eta)
        chances: list[float] = made.diagnostics["select_prob"].tolist()
        return chances


def _with_prefix(batch: TurnBatch) -> TurnBatch:
    return batch.with_columns(prefix=batch.group)


def unfold(batch: TurnBatch) -> TurnBatch:
    """Return each candidate of a Slate batch as the last turn of a whole rollout, turns of its prefix before it.

    The group is the line's task and seed, the turn counts from the line's start, and trajectories keep their ids, so
    `unfolded.last` marks the candidates, in the batch's order. Truth and every other estimator can read this batch; a
    turn that others went on from is in it many times.

    Args:
        batch: rows as `collect(branching=Slate())` makes them; those of single tasks or lines too.

    Raises:
        MissingColumn: no column prefix. BatchError: rollouts of more than one turn, candidates of one name, a prefix
            that is no text or leads back to itself, or whose turn is missing.
    """
    prefixes = batch.need("prefix", who="unfold")
    row_of = {name: row for row, name in enumerate(batch.trajectory)}
    if (batch.lengths > 1).any() or len(row_of) < len(batch):
        raise BatchError("unfold takes what collect(branching=Slate()) returned: rollouts of one turn, named apart")
    chains = [_chain(batch, prefixes, row_of, row) for row in range(len(batch))]
    rows = [row for chain in chains for row in chain]
    columns = {name: [batch[name][row] for row in rows] for name in batch.columns}
    ends = [chain[-1] for chain in chains for _ in chain]
    columns["group"] = [group_of(batch.task[row], batch.seed[row]) for row in rows]
    columns["turn"] = [turn for chain in chains for turn in range(len(chain))]
    for name in ("trajectory", "success"):
        columns[name] = [batch[name][row] for row in ends]
    return TurnBatch.from_columns(columns, batch.meta)


def _chain(batch: TurnBatch, prefixes: Any, row_of: Mapping[str, int], row: int) -> list[int]:
    """Return the rows that lead to a row, itself last. Raises BatchError where one is missing, or they go round."""
    chain = [row]
    while (before := row_of.get(prefixes[chain[-1]])) is not None:
        chain.append(before)
        if len(chain) > len(batch):
            raise BatchError(f"the prefix {prefixes[row]!r} leads back to itself: unfold takes the lines of Slate", row)
    if not isinstance(prefixes[chain[-1]], str):
        raise BatchError(f"the prefix {prefixes[chain[-1]]!r} is no text, as collect(branching=Slate()) writes it", row)
    begin, _, member = prefixes[chain[-1]].rpartition("/")
    if begin != group_of(batch.task[row], batch.seed[row]) or not member.isdecimal():
        raise BatchError(
            f"the turn that led to the prefix {prefixes[chain[-1]]!r} is not in this batch: unfold whole lines", row
        )
    return chain[::-1]
