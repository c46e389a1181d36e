"""Revisions: failed rollouts played again, with what a successful sibling did as a reference.

A policy that can use references has a method `revise(views, references)`, which answers like the policy itself, one
reply a view. One that has none plays through `FirstDivergence`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agentgym.baselines.columns import Actor
from agentgym.batch import TurnBatch
from agentgym.env import AgentEnv
from agentgym.rollout import Policy, Reply, View, build
from agentgym.rollout.episode import Episode


@dataclass(frozen=True)
class Reference:
    """What a revision has before it.

    Attributes:
        failed: the actions of the rollout that is revised.
        sibling: those of a rollout of its group that succeeded.
    """

    failed: tuple[str, ...]
    sibling: tuple[str, ...]

    @property
    def divergence(self) -> int:
        """The first turn in which the two differ; where one begins with all of the other, the turn after that."""
        pairs = enumerate(zip(self.failed, self.sibling, strict=False))
        return next((turn for turn, (one, other) in pairs if one != other), min(len(self.failed), len(self.sibling)))


Revise = Callable[[Sequence[View], Sequence[Reference]], Sequence[Reply | str]]


class FirstDivergence:
    """The default hook: one action of the sibling, where the two rollouts part; before it as played, then the policy.

    It answers what a hint at one turn is worth to a policy that cannot read hints. Its draws are the policy's own, so
    that a revision comes out the same every time.
    """

    def __init__(self, policy: Policy) -> None:
        self.policy = policy

    def revise(self, views: Sequence[View], references: Sequence[Reference]) -> list[Reply | str]:
        """Return one reply a view."""
        said = [_shown(view.turn, reference) for view, reference in zip(views, references, strict=True)]
        own = [view for view, text in zip(views, said, strict=True) if text is None]
        drawn = iter(self.policy(own) if own else ())
        return [next(drawn) if text is None else text for text in said]


def _shown(turn: int, reference: Reference) -> str | None:
    """Return the action that the hook dictates: the sibling's up to the divergence, until which both are the same."""
    known = turn <= reference.divergence and turn < len(reference.sibling)
    return reference.sibling[turn] if known else None


def with_revisions(
    batch: TurnBatch, policy: Policy, *, revise: Revise | None = None, env: AgentEnv[Any] | None = None
) -> TurnBatch:
    """Return the batch with `revision_ok` and `revision`: what came of playing its failures again.

    Every failed rollout is played once for every successful rollout of its group, from the same start and with the same
    draws of the world; the policy's draws are new. A revision that an infrastructure error ends does not count.

    Args:
        batch: what `collect` returned, with `meta["env"]`.
        policy: who plays.
        revise: the hook; by default the policy's own method `revise`, or else `FirstDivergence(policy).revise`.
        env: the world, where the record cannot rebuild it.

    Returns:
        The batch with, on every row of a failed rollout, `revision_ok` (one boolean a reference, in the order of the
        siblings: did the revision succeed) and `revision` (the text that the first revision that succeeded, or else the
        first, said in that turn; "" after its end); [] and "" on the rows of successes. `meta["revision_turns"]` counts
        the turns that were played for it.

    Raises:
        ValueError: the record says not which world it was played in, or the hook returned too few replies or one that
            cannot be recorded.
    """
    hook = revise or getattr(policy, "revise", None) or FirstDivergence(policy).revise
    world = _world(batch, policy, env)
    jobs = list(_jobs(batch))
    played = [_start(world, batch, number, place) for number, _, place in jobs]
    _play(played, [reference for _, reference, _ in jobs], hook)
    return columns_of(batch, [number for number, _, _ in jobs], played)


def columns_of(batch: TurnBatch, numbers: Sequence[int], played: Sequence[Any]) -> TurnBatch:
    """Return the batch with the columns of finished revisions.

    Args:
        batch: the record.
        numbers: for each revision the number of the rollout that it revises.
        played: the revisions; of each `info` of its end and `rows` are read.
    """
    ok: dict[int, list[bool]] = {}
    texts: dict[int, list[str]] = {}
    for number, episode in zip(numbers, played, strict=True):
        if episode.info["end_reason"] == "infra_error":
            continue
        won = bool(episode.info["success"])
        if number not in texts or (won and not any(ok[number])):
            texts[number] = [reply.text for _, _, reply, _ in episode.rows]
        ok.setdefault(number, []).append(won)
    made = batch.with_columns(
        revision_ok=[ok.get(number, []) for number in batch.rollout.tolist()],
        revision=[
            texts[number][turn] if turn < len(texts.get(number, ())) else ""
            for number, turn in zip(batch.rollout.tolist(), batch.turn.tolist(), strict=True)
        ],
    )
    return made.with_meta(revision_turns=sum(len(episode.rows) for episode in played))


def pairs(batch: TurnBatch) -> Iterator[tuple[int, int]]:
    """Yield the numbers of every failed rollout and of every successful one of its group."""
    won = np.asarray(batch.success)[batch.order[batch.starts]]
    for number in np.flatnonzero(~won).tolist():
        for sibling in np.flatnonzero(won & (batch.rollout_group == batch.rollout_group[number])).tolist():
            yield number, sibling


def actions(batch: TurnBatch, number: int) -> tuple[str, ...]:
    """Return what a rollout did, turn by turn."""
    begin = batch.starts[number]
    return tuple(batch.action[row] for row in batch.order[begin : begin + batch.lengths[number]])


def _jobs(batch: TurnBatch) -> Iterator[tuple[int, Reference, int]]:
    """Yield the rollout that is revised, its reference, and a number among the revisions of its group."""
    places = [batch.num_rollouts] * batch.num_groups  # beyond the members that played, whose draws are theirs
    for number, sibling in pairs(batch):
        group = int(batch.rollout_group[number])
        yield number, Reference(actions(batch, number), actions(batch, sibling)), places[group]
        places[group] += 1


def _start(world: AgentEnv[Any], batch: TurnBatch, number: int, member: int) -> Episode:
    row = int(batch.order[batch.starts[number]])
    task, seed, branch = str(batch.task[row]), int(batch.seed[row]), int(batch.branch[row])
    return Episode.start(world, task, seed, branch, str(batch.group[row]), member)


def _play(episodes: Sequence[Episode], references: Sequence[Reference], hook: Revise) -> None:
    live = list(zip(episodes, references, strict=True))
    while live:
        replies = list(hook([episode.view() for episode, _ in live], [reference for _, reference in live]))
        if len(replies) != len(live):
            raise ValueError(f"the hook returned {len(replies)} replies to {len(live)} views: return one a view")
        over = [episode.take(episode.checked(reply)) for (episode, _), reply in zip(live, replies, strict=True)]
        live = [pair for pair, done in zip(live, over, strict=True) if not done]


def _world(batch: TurnBatch, policy: Policy, env: AgentEnv[Any] | None) -> AgentEnv[Any]:
    signals = tuple(getattr(policy, "signals", ()))
    if env is not None:
        return build(env, signals=signals)
    made = batch.meta.get("env")
    if not isinstance(made, dict) or made.get("opaque"):
        raise ValueError("batch.meta['env'] cannot rebuild the world that the batch was played in: pass env=the world")
    return build(made["id"], made["kwargs"], signals=signals)


class RevisingPolicy(Actor):
    """Plays as another menu policy; what it adds to a batch is `revision_ok` and `revision`, see `with_revisions`."""

    def make(self, batch: TurnBatch, world: AgentEnv[Any]) -> TurnBatch:
        """Return the batch with both columns; revisions are played in the world given."""
        return with_revisions(batch, self.policy, env=world)
