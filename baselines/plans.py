"""Plans compared with the plans of their tasks: the columns `gold_plan` and `plan_similarity`, which `apex_plan` reads.

A world says in `plan` what a turn of kind "plan" planned; its task's data hold under "plan" the steps of a reference.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentgym.baselines.columns import Actor
from agentgym.batch import TurnBatch
from agentgym.env import AgentEnv
from agentgym.errors import MissingColumn

_WORD = re.compile(r"\w+")

Likeness = Callable[[str, str], float]


def word_cosine(one: str, other: str) -> float:
    """Return the cosine of two texts' counts of lower-cased words; 0 where one has none.

    The paper takes the cosine of sentence embeddings; this needs no model and does not know that words can mean the
    same.
    """
    first, second = (Counter(_WORD.findall(text.lower())) for text in (one, other))
    size = math.sqrt(sum(n * n for n in first.values()) * sum(n * n for n in second.values()))
    return sum(n * second[word] for word, n in first.items()) / size if size else 0.0


def with_plans(batch: TurnBatch, world: AgentEnv[Any], likeness: Likeness = word_cosine) -> TurnBatch:
    """Return the batch with `gold_plan` and `plan_similarity` [predicted][gold] on turns of kind "plan".

    Args:
        batch: with task, kind and, where anything was planned, plan.
        world: whose tasks hold the reference.
        likeness: of a planned step and a step of the reference.

    Raises:
        MissingColumn: a task that was planned for has no list of texts under "plan" in its data.
    """
    golds: list[Sequence[str]] = []
    found: list[NDArray[np.float64]] = []
    plans = batch.plan if "plan" in batch else [()] * len(batch)  # where nobody planned anything
    for kind, task, steps in zip(batch.kind, batch.task, plans, strict=True):
        gold = _reference(world, task) if kind == "plan" else ()
        golds.append(gold)
        matrix = [likeness(step, other) for step in steps for other in gold]
        found.append(np.array(matrix, dtype=np.float64).reshape(len(steps) if gold else 0, len(gold)))
    return batch.with_columns(gold_plan=golds, plan_similarity=found)


def _reference(world: AgentEnv[Any], task: str) -> tuple[str, ...]:
    steps = world.panel.task(task).data.get("plan", ())
    if isinstance(steps, str) or not steps or not all(isinstance(step, str) for step in steps):
        raise MissingColumn(
            f"plans are compared with the column 'gold_plan', and task {task!r} holds no list of texts under 'plan' in "
            "its data: give the tasks reference plans, or add the column with batch.with_columns"
        )
    return tuple(steps)


class PlanningPolicy(Actor):
    """Plays as another menu policy; what it adds to a batch is what `with_plans` does."""

    def make(self, batch: TurnBatch, world: AgentEnv[Any]) -> TurnBatch:
        """Return the batch with both columns."""
        return with_plans(batch, world)


def begin(parts: Any, config: Any) -> Callable[[Any], TurnBatch]:
    """Return the maker for language models; see `agentgym.baselines.grpo.columns`."""
    return lambda played: with_plans(played.batch, parts.world)
