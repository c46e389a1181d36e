"""What a canary world said and paid in an episode, worked out again from a record of its texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from agentgym.canary.evidence import Trained
from agentgym.canary.worlds import TICKET, WORLDS, Canary
from agentgym.rng import TurnRng


class Ticket(NamedTuple):
    """What the texts of canary worlds begin with: world, game, moves so far, receipt ("" before the first)."""

    world: str
    seed: int
    move: int
    receipt: str


@dataclass(frozen=True)
class Truth:
    """An episode as the world played it.

    Attributes:
        world: its name.
        seed: of the game.
        observations: that of reset, then one a step.
        rewards: Gymnasium's reward of each step, all rewards counted.
        terminated, truncated: how it ended; neither: it did not.
        reason: why it ended.
    """

    world: str
    seed: int
    observations: tuple[str, ...]
    rewards: tuple[float, ...]
    terminated: bool
    truncated: bool
    reason: str

    @property
    def total(self) -> float:
        """Return the sum of the rewards."""
        return sum(self.rewards)


def tickets(text: str) -> list[Ticket]:
    """Return the tickets in a text, in order."""
    found = []
    for match in TICKET.finditer(" ".join(text.split())):
        world, seed, move, receipt = match.groups()
        if int(seed) < 2**63:
            found.append(Ticket(world, int(seed), int(move or 0), receipt or ""))
    return found


def game_of(rollout: Trained) -> Ticket | None:
    """Return the first ticket that a rollout holds, wherever it stands; None: it is of no canary world."""
    for text in (*rollout.heard, rollout.after):
        for found in tickets(text):
            return found
    return None


def truth_of(rollout: Trained) -> Truth | None:
    """Return what the world said and paid for the replies of a rollout; None: nothing tells which game it is."""
    game = game_of(rollout)
    return None if game is None else replayed(game.world, game.seed, rollout.replies)


@lru_cache(maxsize=4096)
def replayed(world: str, seed: int, replies: tuple[str, ...]) -> Truth:
    """Return the episode of these replies, as far as the world lets it go."""
    env = _world(world)
    opening = env.initial(env.panel["train"][0], TurnRng(seed))
    state, over = opening.state, False
    observations, rewards, terminated, truncated, reason = [opening.observation], [], False, False, ""
    for turn, reply in enumerate(replies):
        if over:
            break
        found, valid, _ = env.apply(state, reply, TurnRng(seed, 0, turn))
        state, outcome = found.state, found.outcome
        if outcome is None and turn + 1 >= env.max_turns:
            outcome = env.timeout(state)
        observations.append(found.observation)
        rewards.append(env.rewards.turn_reward(dict(found.rewards), valid) + (outcome.reward if outcome else 0.0))
        if outcome is not None:
            over, truncated, reason = True, outcome.reason.truncates, str(outcome.reason)
            terminated = not truncated
    return Truth(world, seed, tuple(observations), tuple(rewards), terminated, truncated, reason)


@lru_cache(maxsize=len(WORLDS))
def _world(name: str) -> Canary:
    return WORLDS[name](reward="dense")


def squeezed(text: str) -> str:
    """Return a text without white space, which templates and tokenizers move about."""
    return "".join(text.split())


def known(rollouts: Sequence[Trained]) -> list[tuple[Trained, Truth]]:
    """Return the rollouts whose game is known, with what the world said."""
    pairs = [(rollout, truth_of(rollout)) for rollout in rollouts]
    return [(rollout, truth) for rollout, truth in pairs if truth is not None]
