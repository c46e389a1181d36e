"""Rollouts restarted from moments inside them: SLATE's candidates, T-STAR's grafts, the continuations behind vine.

The schemes are those of `agentgym.branching`, with ids: what is gone on from is the transcript up to that moment, never
text that is tokenised again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from agentgym.baselines.grpo.columns import Make
from agentgym.baselines.grpo.config import Config, TrainError
from agentgym.baselines.grpo.rollout import Episode, Played, finished, go_through, reply_once, start
from agentgym.batch import TurnBatch
from agentgym.batch.played import batch_of
from agentgym.rng import TurnRng
from agentgym.rollout.episode import draws_of
from agentgym.task import Task

if TYPE_CHECKING:
    from agentgym.baselines.grpo.prepare import Parts

Progress = Callable[[int, int], None]


def moments(parts: Parts, config: Config, episode: Episode) -> list[Episode]:
    """Return a finished rollout as it stood before each of its turns, by replay.

    Raises:
        TrainError: the world went another way than before.
    """
    task, out = parts.world.panel.task(episode.info["task"]), []
    again = start(parts.world, parts.tokens, config, task, episode.seed, episode.member)
    for _, _, reply, _ in episode.rows:
        out.append(again.moment())
        again.take(reply.text, reply.token_ids, reply.token_logprobs)
        if not again.over:
            again.go_on(parts.tokens, config)
    if again.transcript.ids != episode.transcript.ids:
        raise TrainError(
            f"replaying rollout {episode.trajectory!r} gave other texts than playing it: {config.env} is not "
            "deterministic (agentgym check says where), and rollouts cannot branch in it"
        )
    return out


# --- SLATE


@dataclass
class _Line:
    """A rollout of SLATE: its turns so far as those of one rollout, and the moment that is gone on from."""

    whole: Episode
    at: Episode

    def candidates(self, count: int) -> list[Episode]:
        return [self.at.branched(self.at.trajectory, number) for number in range(count)]

    def follow(self, drawn: Episode, parts: Parts, config: Config) -> None:
        if not drawn.over:
            drawn.go_on(parts.tokens, config)
        self.whole.rows.append(drawn.rows[-1])
        self.whole.info, self.whole.flags = drawn.info, drawn.flags
        self.at = drawn


def slate(parts: Parts, config: Config, tasks: Sequence[Task], seed: int, progress: Progress | None = None) -> Played:
    """Play one line a task as `agentgym.branching.Slate` does: each turn is sampled `group_size` times from one prefix.

    In the record every candidate is a rollout of one turn, whose transcript begins with the prefix; `lines` is the
    record of the lines as whole rollouts. The next prefix is drawn as the estimator's options say. Arguments as in
    `rollout.play`.
    """
    begun = [start(parts.world, parts.tokens, config, task, seed + index, 0) for index, task in enumerate(tasks)]
    lines = [_Line(episode, episode.moment()) for episode in begun]
    live, every, unfinished = list(lines), list[Episode](), 0
    while live:
        kept = [line.candidates(config.group_size) for line in live]
        mine = [episode for members in kept for episode in members]
        unfinished += reply_once(mine, parts.engine, parts.tokens)
        every += mine
        for line, members in zip(live, kept, strict=True):
            line.follow(_drawn(members, parts, config), parts, config)
        live = [line for line in live if not line.at.over]
        if progress is not None:
            progress(len(lines) - len(live), len(lines))
    meta = {"env": parts.world.spec_dict(), "seed": seed, "group_size": config.group_size}
    played = finished(every, {**meta, "branching": {"scheme": "slate"}}, unfinished, parts.given)
    batch = played.batch.with_columns(prefix=played.batch.group)
    return replace(played, batch=batch, lines=batch_of([line.whole for line in lines], meta))


def _drawn(members: Sequence[Episode], parts: Parts, config: Config) -> Episode:
    """Return the candidate that is gone on from; where all ended with an infrastructure error, one of these."""
    sound = [episode for episode in members if episode.info["end_reason"] != "infra_error"]
    if not sound:
        return members[0]
    columns = {
        "group": [episode.group for episode in sound],
        "trajectory": [episode.trajectory for episode in sound],
        "turn": [0] * len(sound),
        "prefix": [episode.group for episode in sound],
        "turn_reward": [episode.info["turn_reward"] for episode in sound],
    }
    made = parts.estimator(TurnBatch.from_columns(columns), **config.options)
    first = sound[0]
    rng = TurnRng(first.seed, draws_of(first.group), first.rows[0][1]["turn"], "slate")
    return rng.choice(sound, made.diagnostics["select_prob"].tolist())


# --- T-STAR


def grafted(played: Played, parts: Parts, config: Config) -> Played:
    """Return the rollouts with `grafts` more at each divergence, as `agentgym.branching.Graft` adds them.

    Each keeps the turns of the better rollout up to where the two part and goes on from there with draws of its own.
    """
    found = parts.estimator(played.batch, **config.options).diagnostics["divergences"]
    members = dict.fromkeys(played.batch.group, 0)
    by_name = {episode.trajectory: episode for episode in played.episodes}
    for episode in played.episodes:
        members[episode.group] = max(members.get(episode.group, 0), episode.member + 1)
    new = []
    for divergence in found:
        name, turn = divergence.better
        if turn + 1 < len(by_name[name].rows):
            moment = moments(parts, config, by_name[name])[turn + 1]
            for _ in range(config.grafts):
                member = members[moment.group]
                members[moment.group] += 1
                again = replace(moment.moment(), member=member)
                new.append(replace(again, draws=draws_of(again.trajectory)))
    unfinished = go_through(new, parts.engine, parts.tokens, config)
    meta = {name: played.batch.meta[name] for name in ("env", "seed", "group_size")}
    whole = finished([*played.episodes, *new], meta, played.unfinished + unfinished, parts.given)
    return replace(whole, lines=played.batch)


# --- vine


def begin(parts: Parts, config: Config) -> Make:
    """Return the maker of `value` for vine."""
    return lambda played: with_values(played, parts, config)


def with_values(played: Played, parts: Parts, config: Config) -> TurnBatch:
    """Return the record with `value`: the mean return of fresh continuations from before each turn.

    `continuations` of them a moment, with draws of their own, of the model and of the world. Rollouts that have read
    the same ids share theirs. `rollouts` continuations are played at a time. `meta["branching"]` counts their turns.
    """
    rewards = str(config.made().settings(*_split(config)).get("rewards", "total"))
    names = set(played.batch.trajectory)
    places: dict[tuple[str, int], tuple[str, tuple[int, ...]]] = {}
    forks: dict[tuple[str, tuple[int, ...]], list[Episode]] = {}
    for episode in played.episodes:
        for turn, moment in enumerate(moments(parts, config, episode) if episode.trajectory in names else ()):
            key = places[episode.trajectory, turn] = (episode.group, tuple(moment.transcript.ids))
            if key not in forks:
                forks[key] = [moment.branched(f"{episode.trajectory}@{turn}", k) for k in range(config.continuations)]
    every = [fork.freed() for several in forks.values() for fork in several]
    for begin_ in range(0, len(every), config.rollouts):
        go_through(every[begin_ : begin_ + config.rollouts], parts.engine, parts.tokens, config)
    value = {key: float(np.mean([_return(fork, rewards) for fork in several])) for key, several in forks.items()}
    keys = zip(played.batch.trajectory, played.batch.turn.tolist(), strict=True)
    steps = sum(len(fork.rows) for fork in every)
    made = {"scheme": "vine", "k": config.continuations, "rewards": rewards, "steps": steps}
    return played.batch.with_columns(value=[value[places[key]] for key in keys]).with_meta(branching=made)


def _return(episode: Episode, rewards: str) -> float:
    """Return what a continuation was paid."""
    paid = (row[3] for row in episode.rows)
    return sum(info["outcome_reward"] + (info["turn_reward"] if rewards == "total" else 0.0) for info in paid)


def _split(config: Config) -> tuple[str | None, dict[str, object]]:
    options = dict(config.options)
    return options.pop("preset", None), options
