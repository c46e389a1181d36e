"""Truth by forks: fresh continuations from each row's moment, with draws of their own.

Plays the worlds through their shells, as `collect` does, so it shares no code path with the tree. Works for every
policy that can be taken back to a moment: markov ones, and those that implement `snapshot` and `restore`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from hashlib import blake2b
from types import MappingProxyType
from typing import Any

import numpy as np

from agentgym.env import AgentEnv
from agentgym.fidelity.graph import MOST_TRIES, Floats, Ints
from agentgym.fidelity.menu_policy import ask
from agentgym.fidelity.record import Answer, FidelityError, Question, ceiling_of, distinct
from agentgym.rng import TurnRng
from agentgym.rollout import View
from agentgym.snapshot import Snapshot
from agentgym.turn import TurnInfo, copy_json

MAX_LIVE = 2048
"""Most continuations under way at once; all of them are in each call of the policy."""


@dataclass(slots=True)
class _Start:
    """Where continuations begin: a moment of the world, of the talk, of the policy; `action` is forced, if not None."""

    row: int
    address: str
    snapshot: Snapshot
    messages: list[Mapping[str, Any]]
    moment: Any
    action: str | None


@dataclass(slots=True)
class _Fork:
    """One continuation under way."""

    start: int
    index: int
    env: AgentEnv[Any]
    branch: int
    info: TurnInfo
    messages: list[Mapping[str, Any]]
    moment: Any
    observation: str = ""
    redrawn: int = 0
    gained: float = 0.0
    discount: float = 1.0

    def view(self, tools: Sequence[Mapping[str, Any]]) -> View:
        """Return what the policy sees, copies as in `collect`."""
        info, shown = self.info, MappingProxyType(copy_json(self.info))
        return View(
            list(self.messages), info["turn"], TurnRng(info["seed"], self.branch, info["turn"], "policy"),
            info["state_hash"], shown, tuple(info.get("menu", ())), info.get("expert", ""), info.get("describe", ""),
            tools,
        )  # fmt: skip


def solve(question: Question, continuations: int) -> Answer:
    """Return the truth by `continuations` forks from before and from after each row's action.

    Raises:
        FidelityError: a policy with history without `snapshot` and `restore`; replay does not lead to the recorded
            states; the infrastructure fails again and again.
    """
    markov = _is_markov(question.policy)
    starts, before, after = _starts(question, markov)
    returns, turns = _played(question, starts, continuations, markov)
    return _answer(returns, before, after, turns)


def values(question: Question, continuations: int) -> tuple[Floats, int]:
    """Return V of each row's moment by `continuations` forks, with other draws than `solve`, and the turns played.

    Raises:
        FidelityError: as in `solve`.
    """
    markov = _is_markov(question.policy)
    rows, keys, _ = _moments(question, markov)
    first, before = distinct(keys)
    starts = [_addressed(rows[row], "value", keys[row], None, rows[row].moment) for row in first]
    returns, turns = _played(question, starts, continuations, markov)
    return returns.mean(axis=1)[before], turns


def _is_markov(policy: Any) -> bool:
    """Return whether a policy is markov. Raises FidelityError for one that is not and cannot be taken back."""
    markov = bool(getattr(policy, "markov", False))
    if not markov and not _restorable(policy):
        raise FidelityError(
            f"{_name(policy)} depends on history (markov is not True) and has no snapshot() and restore(moment): "
            "give it both (return None from snapshot if the view's messages are all it uses), or set markov = True if "
            "its replies follow from state, turn and menu alone"
        )
    return markov


def _played(question: Question, starts: Sequence[_Start], continuations: int, markov: bool) -> tuple[Floats, int]:
    """Return (starts, continuations) the return of each continuation, and the turns played."""
    player, policy = _Player(question, starts, continuations), question.policy
    returns = player.play()
    if not markov and all(start.moment is None for start in starts) and policy.snapshot() is not None:  # type: ignore[attr-defined]
        raise FidelityError(
            f"{_name(policy)}.snapshot() was None before the first turn and is not now: None means that the policy "
            "remembers nothing; return something else, such as an empty tuple, for a memory that is still empty"
        )
    return returns, player.turns


def _restorable(policy: Any) -> bool:
    return callable(getattr(policy, "snapshot", None)) and callable(getattr(policy, "restore", None))


def _name(policy: Any) -> str:
    return getattr(policy, "__name__", type(policy).__name__)


def _answer(returns: Floats, before: Ints, after: Ints, turns: int) -> Answer:
    count = returns.shape[1]
    mean, variance = returns.mean(axis=1), returns.var(axis=1, ddof=1) / count
    first, second = returns[:, ::2].mean(axis=1), returns[:, 1::2].mean(axis=1)
    value, q = mean[before], mean[after]
    ceiling = ceiling_of(first[after] - first[before], second[after] - second[before], q - value)
    stderr = np.sqrt(variance[before] + variance[after])
    return Answer(value, q, stderr, ceiling, turns, f"{count} continuations each from {len(returns):,} moments")


def _starts(question: Question, markov: bool) -> tuple[list[_Start], Ints, Ints]:
    """Return the distinct starts, and each row's start before and after its action."""
    rows, keys, after_moment = _moments(question, markov)
    actions = question.batch.action.tolist()
    first, before = distinct(keys)
    acted, after = distinct([(*key, action) for key, action in zip(keys, actions, strict=True)])
    starts = [_addressed(rows[row], "v", keys[row], None, rows[row].moment) for row in first]
    starts += [_addressed(rows[row], "q", keys[row], actions[row], after_moment[row]) for row in acted]
    return starts, before, after + len(first)


def _moments(question: Question, markov: bool) -> tuple[list[_Start], list[tuple[Any, ...]], list[Any]]:
    """Return each row's moment, its key (equal keys, equal futures), and the policy's moment after its reply."""
    moments: list[_Start | None] = [None] * len(question.batch)
    after_moment: list[Any] = [None] * len(question.batch)
    keys: list[tuple[Any, ...]] = [()] * len(question.batch)
    for row, start, moment in _replay(question, markov):
        moments[row], after_moment[row] = start, moment
        info = start.snapshot.info
        seen = info["state_hash"] if markov else f"{info['history_hash']} {info['state_hash']}"
        keys[row] = (info["task"], info["seed"], info["turn"], seen)
    return [start for start in moments if start is not None], keys, after_moment


def _addressed(start: _Start, kind: str, key: tuple[Any, ...], action: str | None, moment: Any) -> _Start:
    return _Start(start.row, repr((kind, key, action)), start.snapshot, start.messages, moment, action)


def _replay(question: Question, markov: bool) -> Iterator[tuple[int, _Start, Any]]:
    """Yield (row, its start, the policy's moment once it has replied there), rollout by rollout."""
    batch = question.batch
    policy: Any = question.policy
    fresh = None if markov else deepcopy(policy.snapshot())
    for begin, length in zip(batch.starts.tolist(), batch.lengths.tolist(), strict=True):
        rows = batch.order[begin : begin + length].tolist()
        env, moment = question.env.copy(), fresh
        messages: list[Mapping[str, Any]] = []
        for turn, row in enumerate(rows):
            if turn == 0:
                options = {"task": batch.task[row], "branch": int(batch.branch[row])}
                _, info = env.reset(seed=int(batch.seed[row]), options=options)
                messages = list(info["messages"])
            if info["end_reason"] or info["state_hash"] != batch.state[row]:
                raise question.strayed(row)
            start = _Start(row, "", env.snapshot(), copy_json(messages), moment, None)
            if moment is not None:
                policy.restore(deepcopy(moment))
                shown = copy_json(messages)  # whatever the policy does to them
                policy([_Fork(0, 0, env, int(batch.branch[row]), info, shown, None).view(env.tool_schemas)])
                moment = deepcopy(policy.snapshot())
            yield row, start, moment
            info = env.step(batch.action[row])[4]
            messages.extend(info["messages"])


class _Player:
    """Plays all continuations, as many as possible in each call of the policy."""

    def __init__(self, question: Question, starts: Sequence[_Start], continuations: int) -> None:
        self.question, self.starts, self.continuations = question, starts, continuations
        self.returns = np.zeros((len(starts), continuations))
        self.tools = question.env.tool_schemas
        self.turns = self.done = 0

    def play(self) -> Floats:
        """Return (starts, continuations): the return of each."""
        waiting = ((start, index) for start in range(len(self.starts)) for index in range(self.continuations))
        live: list[_Fork] = []
        while True:
            while len(live) < MAX_LIVE:
                if (place := next(waiting, None)) is None:
                    break
                if (begun := self._begin(*place)) is not None:
                    live.append(begun)
            if not live:
                return self.returns
            texts = self._ask(live)
            live = [fork for fork, text in zip(live, texts, strict=True) if self._goes_on(fork, text)]

    def _begin(self, start: int, index: int) -> _Fork | None:
        """Return a new continuation, its forced action taken; None if it is over with that."""
        asked = self.starts[start]
        env, branch = self.question.env.copy(), self._branch(start, index, 0)
        observation, info = env.restore(asked.snapshot, branch=branch)
        fork = _Fork(start, index, env, branch, info, copy_json(asked.messages), asked.moment, observation)
        return fork if asked.action is None or self._goes_on(fork, asked.action) else None

    def _branch(self, start: int, index: int, redrawn: int) -> int:
        """Return a number for draws of their own."""
        address = f"{self.question.seed},{self.starts[start].address},{index},{redrawn}"
        return int.from_bytes(blake2b(address.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big") >> 1

    def _goes_on(self, fork: _Fork, text: str) -> bool:
        """Play a turn; return whether the continuation is still running."""
        over, info = self._step(fork, text)
        spec = self.question.spec
        paid = spec.turn_reward(info["components"], info["valid"]) + spec.outcome * info["outcome_reward"]
        fork.gained += fork.discount * paid
        fork.discount *= self.question.gamma
        fork.messages.extend(copy_json(info["messages"]))
        fork.info = info
        if over:
            self._end(fork)
        return not over

    def _step(self, fork: _Fork, text: str) -> tuple[bool, TurnInfo]:
        """Take a turn; return whether it was the last one, and its info.

        One that the infrastructure ends is taken again with other draws, as in the tree: to begin the continuation
        anew would favour short ones, which meet fewer failures.
        """
        env, observation = fork.env, fork.observation
        state = env.copy_state(env.state)
        for _ in range(MOST_TRIES):
            fork.observation, _, terminated, truncated, info = env.step(text)
            self.turns += 1
            if info["end_reason"] != "infra_error":
                return terminated or truncated, info
            fork.redrawn += 1
            fork.branch = self._branch(fork.start, fork.index, fork.redrawn)
            before, turn = self.starts[fork.start].snapshot, fork.info["turn"]
            moment = replace(before, turn=turn, state=state, observation=observation, record=fork.info)
            env.restore(moment, branch=fork.branch)
        where = self.question.where(self.starts[fork.start].row)
        raise FidelityError(
            f"turn {fork.info['turn']} of a continuation from {where} ended with an infrastructure error {MOST_TRIES} "
            "times in a row, and such ends have no value: see to the endpoint or worker the world needs, then run again"
        )

    def _end(self, fork: _Fork) -> None:
        self.returns[fork.start, fork.index] = fork.gained
        self.done += 1
        if self.question.progress is not None:
            self.question.progress(self.done, self.returns.size)

    def _ask(self, live: Sequence[_Fork]) -> list[str]:
        policy: Any = self.question.policy
        if all(fork.moment is None for fork in live):
            replies = ask(policy, [fork.view(self.tools) for fork in live])
        else:
            replies = []
            for fork in live:  # what such a policy remembers belongs to one continuation: it is asked for one at a time
                policy.restore(deepcopy(fork.moment))  # which other continuations start from too
                replies += ask(policy, [fork.view(self.tools)])
                fork.moment = deepcopy(policy.snapshot())
        return [reply if isinstance(reply, str) else reply.text for reply in replies]
