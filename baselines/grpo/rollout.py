"""Plays worlds token by token: what is sampled is what is trained on, what the world says is appended, once.

`play` is `agentgym.rollout.collect` with a context that can run out and a transcript of ids beside the record.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from agentgym.baselines.grpo.config import Config, TrainError
from agentgym.baselines.grpo.engine import Engine, Request, Sample
from agentgym.baselines.grpo.tokens import Message, Tokens
from agentgym.batch import TurnBatch
from agentgym.batch.played import batch_of
from agentgym.batch.rubrics import COLUMNS
from agentgym.env import AgentEnv
from agentgym.rng import TurnRng
from agentgym.rollout import Reply
from agentgym.rollout.episode import draws_of
from agentgym.task import Task
from agentgym.turn import EndReason

MOST_INFRA_ERRORS = 0.2
"""The share of rollouts that an infrastructure error may end before the run stops."""


UNCHANGED: Mapping[str, Any] = {"step_score": 0.0, "critique": 0.0, "switch": False, "tool_result": False, "safe": True}
"""What a turn says that could not be done, of what worlds say of the others."""
LASTING = ("step_score", "safe")
"""Those of which it repeats what the turn before said."""


@dataclass
class Transcript:
    """The ids of one rollout in the order in which the model reads them.

    Attributes:
        ids: all of them.
        logprobs: one an id: the sampler's for sampled ids, 0.0 for the others.
        spans: (begin, end) of the sampled ids of each turn.
        rubrics: what the world said in `rubrics` after each turn.
        opening: number of ids of the first prompt.
        messages, tools: what the first prompt was rendered from.
    """

    ids: list[int]
    messages: Sequence[Message] = ()
    tools: Sequence[Mapping[str, Any]] = ()
    logprobs: list[float] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)
    rubrics: list[Mapping[str, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Give the first prompt its zeros."""
        self.opening = len(self.ids)
        self.logprobs = [0.0] * len(self.ids)

    def copy(self) -> Transcript:
        """Return one that goes its own way from here."""
        twin = Transcript(list(self.ids), self.messages, self.tools)
        twin.logprobs, twin.spans, twin.rubrics = list(self.logprobs), list(self.spans), list(self.rubrics)
        twin.opening = self.opening
        return twin

    def sampled(self, ids: Sequence[int], logprobs: Sequence[float]) -> None:
        """Append a reply."""
        self.spans.append((len(self.ids), len(self.ids) + len(ids)))
        self.ids.extend(ids)
        self.logprobs.extend(logprobs)

    def read(self, ids: Sequence[int]) -> None:
        """Append what the world or the template wrote."""
        self.ids.extend(ids)
        self.logprobs.extend([0.0] * len(ids))


@dataclass
class Episode:
    """One rollout under way; its first six fields are what `agentgym.batch.played` reads.

    `draws`: number of the model's draws; None: the member.
    """

    group: str
    member: int
    seed: int
    info: Any
    rows: list[tuple[str, Any, Any, Any]]
    flags: tuple[bool, bool]
    env: AgentEnv[Any]
    observation: str
    transcript: Transcript
    draws: int | None = None

    @property
    def rng(self) -> TurnRng:
        """The model's draws for the next reply."""
        return TurnRng(self.seed, self.member if self.draws is None else self.draws, self.info["turn"], "policy")

    def moment(self) -> Episode:
        """Return a copy that goes its own way from here."""
        return replace(self, env=self.env.copy(), rows=list(self.rows), transcript=self.transcript.copy())

    def branched(self, group: str, member: int) -> Episode:
        """Return this moment as a rollout of its own, without turns; the model draws anew, the world as before."""
        copy = replace(self.moment(), group=group, member=member, rows=[], draws=draws_of(f"{group}/{member}"))
        copy.transcript.spans, copy.transcript.rubrics = [], []
        return copy

    def freed(self) -> Episode:
        """Let the world draw anew too; return this."""
        self.env.restore(self.env.snapshot(), branch=draws_of(self.trajectory))
        return self

    @property
    def trajectory(self) -> str:
        """The rollout's id in the record."""
        return f"{self.group}/{self.member}"

    def take(self, text: str, ids: Sequence[int], logprobs: Sequence[float]) -> None:
        """Play an action that these ids stand for."""
        mean = sum(logprobs) / len(logprobs) if logprobs else 0.0
        reply = Reply(text, mean, None, list(ids), list(logprobs))
        self.transcript.sampled(ids, logprobs)
        observation, _, terminated, truncated, info = self.env.step(text)
        self.rows.append((self.observation, self.info, reply, info))
        self.transcript.rubrics.append(info.get("rubrics", {}))
        self.observation, self.info, self.flags = observation, info, (terminated, truncated)

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self.flags != (False, False)

    def go_on(self, tokens: Tokens, config: Config) -> None:
        """Append what comes before the next reply, or end the rollout where the context cannot hold that and a reply.

        Such an end is the world's timeout with the reason token_limit; the turns before it stay whole.
        """
        ids = self.transcript.ids
        begin, end = self.transcript.spans[-1]
        new = tokens.following(self.info["messages"], end > begin and ids[end - 1] == tokens.end)
        needed = len(ids) + len(new) + config.max_new_tokens
        if needed <= config.context:
            self.transcript.read(new)
            return
        outcome = self.env.timeout(self.env.state)
        self.info = {
            **self.info,
            "success": outcome.success,
            "outcome_reward": float(outcome.reward),
            "end_reason": EndReason.TOKEN_LIMIT.value,
            "end_detail": f"the next turn needs {needed} tokens and the context holds {config.context}",
        }
        self.rows[-1] = (*self.rows[-1][:3], self.info)
        self.flags = (False, True)


@dataclass(frozen=True)
class Played:
    """What `play` returns.

    Attributes:
        batch: the record, with token_ids, token_logprobs and logprob.
        transcripts: by trajectory id.
        cut: rollouts that the context ended. unfinished: turns that max_new_tokens ended.
        episodes: the rollouts themselves, those that an infrastructure error ended too.
        lines: where the batch is not of whole rollouts from the start, each once: the record of these; else None.
    """

    batch: TurnBatch
    transcripts: dict[str, Transcript]
    cut: int
    unfinished: int
    episodes: Sequence[Episode] = ()
    lines: TurnBatch | None = None


def start(world: AgentEnv[Any], tokens: Tokens, config: Config, task: Task, seed: int, member: int) -> Episode:
    """Start one rollout. Raises TrainError where not even its first prompt and a reply fit the context."""
    env = world.copy()
    observation, info = env.reset(seed=seed, options={"task": task.id})
    shown = [message for message in info["messages"] if config.system or message["role"] != "system"]
    tools = world.tool_schemas if config.system or config.model else []
    opening = tokens.opening(shown, tools)
    if len(opening) + config.max_new_tokens > config.context:
        raise TrainError(
            f"the first prompt of task {task.id!r} has {len(opening)} tokens, and a reply up to "
            f"{config.max_new_tokens}: raise context from {config.context}"
        )
    script = Transcript(opening, shown, tools)
    return Episode(f"{task.id}#{seed}", member, seed, info, [], (False, False), env, observation, script)


def play(
    world: AgentEnv[Any],
    engine: Engine,
    tokens: Tokens,
    config: Config,
    tasks: Sequence[Task],
    *,
    group_size: int,
    seed: int,
    progress: Callable[[int, int], None] | None = None,
    given: Sequence[str] = (),
) -> Played:
    """Play every task `group_size` times, all unfinished rollouts in each call of the engine.

    Members of a group start equal and meet the same draws of the world; the seed of task i is seed + i. `given`: as
    in `finished`.

    Raises:
        TrainError: a first prompt that is too long, an engine that saw other ids than the transcript's, or more than a
            fifth of the rollouts lost to infrastructure errors.
    """
    episodes = [
        start(world, tokens, config, task, seed + index, member)
        for index, task in enumerate(tasks)
        for member in range(group_size)
    ]
    unfinished = go_through(episodes, engine, tokens, config, progress)
    meta = {"env": world.spec_dict(), "seed": seed, "group_size": group_size}
    return finished(episodes, meta, unfinished, given)


def go_through(
    episodes: Sequence[Episode],
    engine: Engine,
    tokens: Tokens,
    config: Config,
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """Play rollouts to their ends, all unfinished ones in each call of the engine.

    Returns:
        The number of turns that max_new_tokens ended.
    """
    live, unfinished = list(episodes), 0
    while live:
        unfinished += reply_once(live, engine, tokens)
        for episode in live:
            if not episode.over:
                episode.go_on(tokens, config)
        live = [episode for episode in live if not episode.over]
        if progress is not None:
            progress(len(episodes) - len(live), len(episodes))
    return unfinished


def reply_once(live: Sequence[Episode], engine: Engine, tokens: Tokens) -> int:
    """Let the engine reply to every rollout and play that; return how many replies max_new_tokens ended."""
    unfinished = 0
    requests = [Request(episode.trajectory, episode.transcript.ids, episode.rng) for episode in live]
    for episode, sample in zip(live, engine.generate(requests), strict=True):
        check_seen(episode, sample)
        unfinished += sample.ids[-1:] != [tokens.end]
        episode.take(tokens.decode(sample.ids), sample.ids, sample.logprobs)
    return unfinished


def check_seen(episode: Episode, sample: Sample) -> None:
    """Refuse a reply to another prompt than the transcript: token drift. Raises TrainError."""
    if sample.seen != episode.transcript.ids:
        pairs = zip(sample.seen, episode.transcript.ids, strict=False)
        place = next((i for i, (one, other) in enumerate(pairs) if one != other), len(sample.seen))
        raise TrainError(
            f"the engine answered to other ids than those of rollout {episode.trajectory!r} (first at {place}; "
            f"{len(sample.seen)} seen, {len(episode.transcript.ids)} sent): it must take ids as they are"
        )


def finished(
    episodes: Sequence[Episode], meta: dict[str, Any], unfinished: int = 0, given: Sequence[str] = ()
) -> Played:
    """Return record and transcripts of rollouts that are over.

    Args:
        episodes: in their order.
        meta: of the record.
        unfinished: turns that max_new_tokens ended.
        given: names of `UNCHANGED` that the world is known to give, though every turn here may be one that it was not
            asked about.

    Raises:
        TrainError: too many infrastructure errors.
    """
    _fill_invalid(episodes, given)
    batch = batch_of(episodes, meta)
    batch = batch.without(*(name for name in COLUMNS if name in batch))  # `Rubrics` makes them, token by token
    lost = batch.meta["infra_errors"]
    if lost > MOST_INFRA_ERRORS * len(episodes):
        raise TrainError(
            f"{lost} of {len(episodes)} rollouts ended with an infrastructure error (the last: "
            f"{next(e.info['end_detail'] for e in reversed(episodes) if e.info['end_reason'] == 'infra_error')!r}): "
            "mend the world's service and go on with --resume"
        )
    cut = sum(episode.info["end_reason"] == EndReason.TOKEN_LIMIT for episode in episodes)
    scripts = {episode.trajectory: episode.transcript for episode in episodes}
    return Played(batch, scripts, cut, unfinished, tuple(episodes))


def _fill_invalid(episodes: Sequence[Episode], known: Sequence[str]) -> None:
    """Let turns whose action could not be done say of what worlds say of others that nothing has changed.

    A world is not asked about such a turn, and models write many of them; one gap would take the column from the whole
    batch. The step score and whether the rollout is safe are those of the turn before (0 and True at the start).
    """
    given = {name for episode in episodes for row in episode.rows for name in UNCHANGED if name in row[3]}
    given |= set(known)
    for episode in episodes:
        held = {name: UNCHANGED[name] for name in UNCHANGED if name in given}
        for place, (observation, before, reply, after) in enumerate(episode.rows):
            if not after["valid"]:
                episode.rows[place] = (observation, before, reply, {**held, **after})
            held |= {name: after[name] for name in LASTING if name in given and name in after}
