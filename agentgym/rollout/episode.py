"""One episode under way: what the policy sees of it, and the rows that its turns make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from types import MappingProxyType
from typing import Any, Self

from agentgym.batch.replies import reply_values
from agentgym.env import AgentEnv
from agentgym.errors import InfraError, WorldError
from agentgym.rng import TurnRng
from agentgym.rollout.views import Reply, View
from agentgym.turn import TurnInfo, copy_json

_TEXTS = ("kind", "tag", "channel", "subgoal")


def group_of(task: str, seed: int) -> str:
    """Return the name of the group of rollouts that play a task from a seed."""
    return f"{task}#{seed}"


@dataclass(slots=True)
class Episode:
    """One episode and the rows it has made.

    Attributes:
        env: a world of its own.
        group, member, seed: where it belongs.
        observation, info: of this moment.
        messages: the whole conversation so far.
        rows: (observation, info before, reply, info after) of each turn.
        flags: (terminated, truncated).
        tools: schemas of the world's tools.
        draws: number of the policy's draws; None: the member.
        memory: what the policy remembers here, its `snapshot()`; None: nothing.
    """

    env: AgentEnv[Any]
    group: str
    member: int
    seed: int
    observation: str
    info: TurnInfo
    messages: list[Mapping[str, Any]]
    rows: list[tuple[str, TurnInfo, Reply, TurnInfo]] = field(default_factory=list)
    flags: tuple[bool, bool] = (False, False)
    tools: Sequence[Mapping[str, Any]] = ()
    draws: int | None = None
    memory: Any = None

    @classmethod
    def start(cls, world: AgentEnv[Any], task: str, seed: int, branch: int, group: str, member: int) -> Self:
        """Begin an episode in a copy of the world. Raises what the world raises."""
        env = world.copy()
        observation, info = env.reset(seed=seed, options={"task": task, "branch": branch})
        _check_texts(info)
        messages = copy_json(info["messages"])
        return cls(env, group, member, seed, observation, info, messages, tools=tuple(world.tool_schemas))

    def view(self) -> View:
        """Return what the policy sees; nothing that it does to it reaches the record."""
        info, shown = self.info, MappingProxyType(copy_json(self.info))
        draws = self.member if self.draws is None else self.draws
        return View(
            list(self.messages), info["turn"], TurnRng(self.seed, draws, info["turn"], "policy"),
            info["state_hash"], shown, tuple(info.get("menu", ())), info.get("expert", ""), info.get("describe", ""),
            self.tools,
        )  # fmt: skip

    def checked(self, reply: Any) -> Reply:
        """Return a copy of a reply that can be recorded. Raises ValueError; the message goes on with «at …»."""
        reply = reply if isinstance(reply, Reply) else Reply(reply)
        if reply.lost:
            return Reply("", lost=str(reply.lost))
        menu = self.info.get("menu", ())
        return Reply(
            *reply_values(reply.text, reply.logprob, reply.menu_logprobs, reply.token_ids, reply.token_logprobs, menu)
        )

    def take(self, reply: Reply) -> bool:
        """Play the reply; return whether the episode is over."""
        if reply.lost:
            taken = self.env.abandon(InfraError(reply.lost, "policy_error"))
        else:
            taken = self.env.step(reply.text)
        observation, _, terminated, truncated, info = taken
        _check_texts(info)
        self.rows.append((self.observation, self.info, reply, info))
        self.messages.extend(copy_json(info["messages"]))
        self.observation, self.info, self.flags = observation, info, (terminated, truncated)
        return terminated or truncated

    @property
    def trajectory(self) -> str:
        """Return the name of the rollout."""
        return f"{self.group}/{self.member}"

    def branched(self, group: str, member: int) -> Self:
        """Return this moment as a rollout of its own, without rows; the policy draws anew, the world as before."""
        draws = draws_of(f"{group}/{member}")
        copy, said = self.env.copy(), list(self.messages)
        return replace(self, env=copy, group=group, member=member, messages=said, rows=[], draws=draws)


def draws_of(name: str) -> int:
    """Return a number for draws of their own, below 2⁶³."""
    return int.from_bytes(blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big") >> 1


def _check_texts(info: TurnInfo) -> None:
    """Refuse now what would make the record fail when all is played. Raises WorldError."""
    for name in _TEXTS:
        if not isinstance(info.get(name, ""), str):
            raise WorldError(f"the world gave {name} = {info.get(name)!r:.60}, which is no text")
    for name in ("menu", "plan"):
        texts: Any = info.get(name, ())
        for value in texts:
            if not isinstance(value, str):
                raise WorldError(f"the world gave a {name} with {value!r:.60}, which is no text")


def where(episodes: Sequence[Episode]) -> str:
    """Return the places of episodes in words."""
    shown = [f"task {episode.info['task']!r} turn {episode.info['turn']}" for episode in episodes[:3]]
    return ", ".join(shown) + (f" and {len(episodes) - 3} more" if len(episodes) > 3 else "")
