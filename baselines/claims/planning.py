"""Plans of a search, rewarded for their likeness to the gold decomposition, against the outcome alone.

The world is Wikipedia search, in which the first turn is a plan: the gold decomposition stands among plans near it,
which lack a step, have one too many, or ask for something else. Afterwards the menu is the world's. A plan changes
nothing in the world, and menu policies do not read their own, so plans can be learned here, but not what they are good
for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from agentgym import credit
from agentgym.baselines.benchmark.learning import play, scaled
from agentgym.baselines.benchmark.settings import Budget, search
from agentgym.baselines.benchmark.summary import t_interval
from agentgym.baselines.claims.verdicts import direction, signed
from agentgym.baselines.plans import with_plans
from agentgym.baselines.policies import LogLinearPolicy
from agentgym.envs.wiki_search import pools
from agentgym.envs.wiki_search.env import WikiSearchEnv
from agentgym.envs.wiki_search.state import SearchQuestion, SearchState
from agentgym.rng import TurnRng
from agentgym.rollout import collect

ESTIMATORS = ("grpo", "apex_plan")
"""The base first; it learns from the outcome."""
WHAT = ("likeness of the plan", "right answers")
PLANS = 8
"""Plans on offer."""


class Planned(WikiSearchEnv):
    """Wikipedia search in which the first turn is a plan from a menu."""

    def menu(self, state: SearchState) -> Sequence[str]:
        """Return plans, and after one of them what the world offers."""
        if state.turns:
            return super().menu(state)
        return [f"<plan>{chr(10).join(steps)}</plan>" for steps in plans_of(state.question)]

    def expert(self, state: SearchState) -> str:
        """Return the gold plan, then the expert's calls."""
        if state.turns:
            return super().expert(state)
        return f"<plan>{chr(10).join(gold_plan(state.question))}</plan>"


def gold_plan(question: SearchQuestion) -> tuple[str, ...]:
    """Return the steps of the decomposition, or the question as the only one."""
    return tuple(hop["question"] for hop in question.hops) or (question.text,)


@lru_cache(maxsize=4096)
def plans_of(question: SearchQuestion) -> tuple[tuple[str, ...], ...]:
    """Return the gold plan and others near it, PLANS in all or a few less, sorted: nothing tells it from the others."""
    gold = gold_plan(question)
    rng = TurnRng(int.from_bytes(question.key[:7], "big"), stream="plans near the gold one")
    near = [text for text, _ in pools.pools_of(question).queries]
    found = [gold]
    for _ in range(8 * PLANS):
        steps, place = list(gold), rng.integers(len(gold))
        kind = rng.integers(4)
        if kind == 0 and len(steps) > 1:
            del steps[place]
        elif kind == 1:
            steps.insert(place, rng.choice(near))
        elif kind == 2:
            steps[place] = rng.choice(near)
        else:
            steps = [step if number == place else rng.choice(near) for number, step in enumerate(steps)]
        if tuple(steps) not in found and len(set(steps)) == len(steps):
            found.append(tuple(steps))
        if len(found) == PLANS:
            break
    return tuple(sorted(found))


def measure(seeds: int = 6, updates: int = 12, tasks: int = 12) -> list[dict[str, Any]]:
    """Return a row for each estimator and thing measured after the last update: "value", and "difference" to grpo.

    Both have Student's interval over the seeds.
    """
    budget = Budget("planning", (), updates=updates, update_tasks=4, group_size=8, seeds=seeds)
    world = Planned(**search().kwargs, scoring="slate")  # whose states remember that there was a plan
    found = {name: np.array([learn(world, name, seed, budget, tasks) for seed in range(seeds)]) for name in ESTIMATORS}
    rows = []
    for name in ESTIMATORS:
        apart = found[name] - found[ESTIMATORS[0]]
        for place, what in enumerate(WHAT):
            about = {"label": f"{what}, {name}", "way": name, "estimator": name, "what": what}
            spread = t_interval(found[name][:, place].tolist())
            rows.append({**about, **spread, "difference": t_interval(apart[:, place].tolist())})
    return rows


def learn(world: Planned, name: str, seed: int, budget: Budget, tasks: int) -> tuple[float, float]:
    """Return how like the gold ones the plans of a policy are, and its share of right answers, after it has learned."""
    policy = LogLinearPolicy()
    options = {"rewards": "outcome"} if name == "grpo" else {}
    for update in range(budget.updates):
        batch = with_plans(play(world, policy, budget, seed, update, tasks), world)
        policy.update(batch, scaled(credit.estimate(name, batch, **options).total), budget.step)
        policy.features.forget()
    names = [task.id for task in world.panel["train"][:tasks]]
    batch = with_plans(collect(world, policy, tasks=names, group_size=budget.group_size, seed=seed), world)
    planned = np.asarray(batch["kind"]) == "plan"
    alike = credit.estimate("apex_plan", batch).diagnostics["plan_reward"][planned]
    return float(np.mean(alike)), float(np.mean(np.asarray(batch["tag"])[batch.last] == "right"))


def decide(rows: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Return whether plans become more like the gold ones than under the outcome alone, and the figures."""
    plan, right = (
        next(row for row in rows if row["estimator"] == "apex_plan" and row["what"] == what) for what in WHAT
    )
    return direction(plan["difference"]), (
        f"plans reach a likeness of {plan['value']:.2f}, {signed(plan['difference'])} beside the outcome alone; right "
        f"answers differ by {signed(right['difference'])}, which says nothing of the paper: here a plan changes "
        "nothing in the world, and what carries it out is not trained by this reward"
    )
