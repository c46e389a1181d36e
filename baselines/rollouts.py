"""Rollouts of a policy by name, for `agentgym rollout`: chat data from experts, lower bounds from chance."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from agentgym.baselines.benchmark.metrics import evaluate
from agentgym.baselines.policies import ExpertPolicy, NoopPolicy, RandomPolicy
from agentgym.batch import TurnBatch
from agentgym.env import AgentEnv
from agentgym.rollout import Policy, View, build, collect

POLICIES = ("expert", "random", "noop")
REPORTED = (2, 3, 4, 8, 16, 32, 64)
"""The k of the summary's pass^k, as far as every task was played so often."""


class FollowPolicy:
    """Says what the world's expert says, in worlds without a menu."""

    signals: Sequence[str] = ("expert",)
    markov = True

    def __call__(self, views: Sequence[View]) -> list[str]:
        """Return the expert's action a view."""
        return [view.expert for view in views]


def policy_named(name: str, world: AgentEnv[Any]) -> Policy:
    """Return one of POLICIES as it suits the world. Raises ValueError where the world lacks what the policy reads."""
    if name == "noop":
        return NoopPolicy()
    needed = "menu" if name == "random" else "expert"
    if not world.offers(needed):
        raise ValueError(f"this world has no {needed}, which --policy {name} reads: choose --policy noop")
    if name == "random":
        return RandomPolicy()
    return ExpertPolicy() if world.offers("menu") else FollowPolicy()


def rollout(
    env: str,
    policy: str,
    out: str,
    *,
    tasks: int | None = None,
    group_size: int = 1,
    seed: int = 0,
    kwargs: Mapping[str, Any] | None = None,
    append: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> str:
    """Play a policy, log every rollout, and return a summary of what was played.

    Args:
        env: id of the world.
        policy: one of POLICIES.
        out: the file; see `agentgym.RolloutLog`.
        tasks: the first so many of the split; None: all.
        group_size: rollouts a task.
        seed: of the first task; the next task has the next seed.
        kwargs: constructor arguments of the world.
        append: go on with a file that exists already; without it that is refused.
        progress: called with (finished, total) rollouts.

    Raises:
        ValueError: the file exists, or the world lacks what the policy reads.
        LogError, RolloutError: as in `collect`.
    """
    if not append and Path(out).exists():
        raise ValueError(f"{out} exists already: choose another --out, or add to it with --append")
    world = build(env, kwargs)
    batch = collect(
        world, policy_named(policy, world), tasks=tasks, group_size=group_size, seed=seed, log=out, progress=progress
    )
    return summary(batch, out)


def summary(batch: TurnBatch, out: str) -> str:
    """Return rollouts, success, pass^k where tasks were played several times, and turns in one line."""
    lost = batch.meta["infra_errors"]
    parts = [f"{batch.num_rollouts + lost} rollouts in {out}"]
    if batch.num_rollouts:
        wins = int(batch.success[batch.last].sum())
        parts.append(f"success {wins / batch.num_rollouts:.1%} ({wins} of {batch.num_rollouts})")
        found = evaluate(batch, REPORTED)
        parts += [f"pass^{k} {found[f'pass^{k}']:.1%}" for k in REPORTED if f"pass^{k}" in found]
        parts.append(f"{len(batch) / batch.num_rollouts:.1f} turns a rollout")
    if lost:
        parts.append(f"{lost} ended with an infrastructure error, which no batch holds")
    return "; ".join(parts)
