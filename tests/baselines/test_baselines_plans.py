"""Plans beside the plans of their tasks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from agentgym import AgentEnv, EndReason, Opening, Outcome, Task, Turn, credit
from agentgym.baselines.columns import MAKERS, Crew, plan
from agentgym.baselines.plans import with_plans, word_cosine
from agentgym.baselines.policies import RandomPolicy
from agentgym.errors import MissingColumn
from agentgym.rollout import collect


@dataclass(frozen=True)
class Stage:
    planned: bool


class Planner(AgentEnv[Stage]):
    """A plan, then one action."""

    panel = tuple(Task(f"t{k}", {"plan": ["find the key", "open the door"]}) for k in range(2)) + (Task("bare", {}),)
    max_turns = 3

    def initial(self, task: Task, rng: Any) -> Opening[Stage]:
        return Opening(Stage(False), "plan")

    def transition(self, state: Stage, action: Any, rng: Any) -> Turn[Stage]:
        if not state.planned:
            return Turn(Stage(True), "go", kind="plan", plan=[step for step in action.text.split(";") if step])
        return Turn(state, "done", outcome=Outcome(True, 1.0, EndReason.SOLVED))

    def menu(self, state: Stage) -> tuple[str, ...]:
        return ("find the key; open a door", "dance") if not state.planned else ("go",)

    def describe(self, state: Stage) -> str:
        return f"plan\n{state.planned}"


def test_the_cosine_counts_words() -> None:
    """{open, the, door} and {open, a, door}: 2 shared of 3 and 3: 2/3. {a: 2} and {a, b}: 2/(2·√2)."""
    assert word_cosine("open the door", "Open a door!") == pytest.approx(2 / 3)
    assert word_cosine("a a", "a b") == pytest.approx(2**-0.5)
    assert word_cosine("", "a") == word_cosine("?", "a") == 0.0


def said(*texts: str) -> Any:
    replies = iter(texts)
    return lambda views: [next(replies) for _ in views]


def test_plan_turns_have_a_matrix_and_the_others_none() -> None:
    batch = with_plans(collect(Planner, said("find the key; dance", "go"), tasks=["t0"], group_size=1), Planner())
    assert batch.gold_plan.tolist() == [("find the key", "open the door"), ()]
    first = batch.plan_similarity[0]
    # the: 1 of 3 words in common; dance shares nothing
    assert np.allclose(first, [[1.0, 1 / 3], [0.0, 0.0]])
    assert batch.plan_similarity[1].size == 0


def test_a_plan_of_nothing_is_an_empty_matrix() -> None:
    """No row has the column plan then, since the world said nothing."""
    batch = with_plans(collect(Planner, said(";", "go"), tasks=["t0"], group_size=1), Planner())
    assert "plan" not in batch
    assert batch.plan_similarity[0].shape == (0, 2)


def test_a_task_without_a_reference_is_named_with_the_remedy() -> None:
    batch = collect(Planner, said("dance", "go"), tasks=["bare"], group_size=1)
    with pytest.raises(MissingColumn, match=r"task 'bare' holds no list of texts under 'plan'.*give the tasks ref"):
        with_plans(batch, Planner())


def test_menu_policies_are_credited_for_their_plans() -> None:
    """The good plan matches 1 + ⅔ of 2 and 2 steps, the dance 0: plans of the two kinds lie on either side of 0."""
    pytest.importorskip("scipy")
    world, apex = Planner(signals=("menu", "describe")), credit.info("apex_plan")
    crew = Crew(RandomPolicy(), plan(MAKERS, apex).makers)
    batch = collect(world, crew.policy, tasks=["t0", "t1"], group_size=6, seed=3)
    how = plan(MAKERS, apex, batch.columns)
    assert how.missing == ()
    (whole,) = crew.make(batch, world, [how])
    made = credit.estimate("apex_plan", whole)
    good = whole.action == "find the key; open a door"
    assert good.any()
    assert (made.total[good] > 0).all()
    assert (made.total[(whole.kind == "plan") & ~good] < 0).all()
    assert not made.total[whole.kind != "plan"].any()
    assert made.diagnostics["plan_reward"][good] == pytest.approx((1 + 2 / 3) / 2)
