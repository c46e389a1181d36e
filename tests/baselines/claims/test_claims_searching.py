"""What is learned from the rewards of MT-GRPO, of SLATE and of plans in the world that searches."""

import numpy as np
import pytest

from agentgym.baselines.benchmark.settings import Budget
from agentgym.baselines.claims import planning, searching
from agentgym.baselines.claims.tables import ways
from agentgym.baselines.policies import ExpertPolicy, LogLinearPolicy
from agentgym.batch import TurnBatch
from agentgym.credit import plan_reward
from agentgym.rng import TurnRng
from agentgym.rollout import collect


def test_what_was_seen_of_an_episode():
    """One answered at once and was right, one searched and was wrong, one planned and then answered."""
    tags, answered = ["right", "search", "wrong", "plan", "right"], [True, True, True, False, True]
    rows = {"trajectory": [0, 1, 1, 2, 2], "turn": [0, 0, 1, 0, 1], "group": [0] * 5}
    batch = TurnBatch.from_columns({**rows, "tag": tags, "tool_result": answered})
    assert searching.seen(batch) == (pytest.approx(2 / 3), pytest.approx(1 / 3))


@pytest.mark.parametrize("way", searching.WAYS, ids=lambda way: f"{way.scoring} {way.name}")
def test_every_way_learns_the_same_twice(way):
    world = searching.world_of(way.scoring)
    tasks = searching.guessable(world, 2)
    one, other = (searching.learn(world, tasks, way, 0, 2) for _ in range(2))
    assert one == other and all(0.0 <= share <= 1.0 for share in one)


def test_answers_of_the_questions_are_on_offer_at_once():
    world = searching.world_of("mt_grpo")
    for name in searching.guessable(world, 5):
        state = world.initial(world.panel.task(name), TurnRng(0)).state
        answers = [entry for entry in world.choices(state) if entry.startswith("<answer>")]
        assert "right" in {world.apply(state, entry, TurnRng(0))[0].tag for entry in answers}


def test_the_first_way_of_each_scoring_is_the_base():
    rows = searching.measure(seeds=2, updates=1, tasks=2, names=("the outcome alone", "turn by turn"))
    assert [row["label"] for row in rows] == [
        *("mt_grpo: the outcome alone, right answers", "mt_grpo: the outcome alone, episodes with a call"),
        *("mt_grpo: turn by turn, right answers", "mt_grpo: turn by turn, episodes with a call"),
        *("slate: the outcome alone, right answers", "slate: the outcome alone, episodes with a call"),
    ]
    for row in rows:
        if row["name"] == "the outcome alone":
            assert row["difference"] == {"value": 0.0, "low": 0.0, "high": 0.0}
    assert ways(rows).splitlines()[0].startswith("|  | right answers; minus the first | episodes with a call;")


def made(value, low, high, calls):
    rows = []
    for name, right in (("the outcome alone", 0.5), ("turn by turn", 0.5 + value)):
        gained = (
            {"value": value, "low": low, "high": high}
            if name == "turn by turn"
            else dict.fromkeys(("value", "low", "high"), 0.0)
        )
        for what, level in (("right answers", right), ("episodes with a call", calls)):
            rows.append({"estimator": "mt_grpo", "name": name, "what": what, "value": level, "difference": gained})
    return rows


@pytest.mark.parametrize(
    ("low", "high", "word"), [(0.1, 0.3, "shown"), (-0.1, 0.5, "not told apart"), (-0.4, -0.1, "refuted")]
)
def test_right_answers_decide(low, high, word):
    found, figures = searching.decide(made((low + high) / 2, low, high, 0.9), "mt_grpo")
    assert found == word
    assert figures.startswith("turn by turn, under the rewards of its paper, a tool is called in 90% of the episodes")
    assert "(more calls: *" in figures and figures.endswith(f"(better answers: *{word}*)")


# ---- plans -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def world():
    return planning.Planned(panel="all", max_turns=8, scoring="slate")


def test_the_first_turn_is_a_plan_and_the_gold_one_is_among_them(world):
    for task in world.panel["train"][:20]:
        state = world.initial(task, TurnRng(0)).state
        plans = planning.plans_of(state.question)
        gold = planning.gold_plan(state.question)
        assert gold == tuple(task.data["plan"]) and gold in plans
        assert 3 <= len(plans) == len(set(plans)) <= planning.PLANS
        turn, valid, _ = world.apply(state, world.advice(state), TurnRng(0))
        assert valid and turn.kind == "plan" and turn.plan == list(gold)
        assert not any("<plan>" in entry for entry in world.choices(turn.state))
        assert world.advice(turn.state) in world.choices(turn.state)


def test_the_gold_plan_alone_is_wholly_like_itself(world):
    """As `plan_reward` says: with one step less of n, likeness is 2(n − 1) / (2n − 1) at most."""
    batch = collect(
        world, ExpertPolicy(0.0), tasks=[task.id for task in world.panel["train"][:6]], group_size=1, seed=0
    )
    assert set(np.asarray(batch["tag"])[batch.last]) == {"right"} and searching.called(batch) == 0.0
    whole = planning.with_plans(batch, world)
    for kind, matrix in zip(whole.kind, whole.plan_similarity, strict=True):
        if kind == "plan":
            assert plan_reward(matrix) == pytest.approx(1.0)
            assert plan_reward(np.asarray(matrix)[1:]) < 1.0


def test_plans_become_like_the_gold_ones_from_their_reward(world):
    policy = Budget("plans", (), updates=6, update_tasks=2, group_size=8, seeds=1)
    before = planning.learn(world, "apex_plan", 0, Budget("none", (), updates=0, group_size=8), 2)[0]
    after = planning.learn(world, "apex_plan", 0, policy, 2)[0]
    assert after > before + 0.05
    assert not LogLinearPolicy().weights.any()  # each run began with a policy of its own


def test_the_likeness_of_plans_decides():
    gain = {"value": 0.2, "low": 0.1, "high": 0.3}
    rows = [{"estimator": "apex_plan", "what": what, "value": 0.9, "difference": gain} for what in planning.WHAT]
    word, figures = planning.decide(rows)
    assert word == "shown" and figures.startswith("plans reach a likeness of 0.90, +0.20 (+0.10 to +0.30)")
