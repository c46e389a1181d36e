"""Plans in messages: what is read, how turns are marked, and how plans are compared with the decomposition."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from wiki_small import TASKS, corpus, world

from agentgym import Task, credit
from agentgym.baselines.plans import with_plans
from agentgym.cli import main
from agentgym.envs.wiki_search.plan import STEP, STEPS, is_unclosed, plan_of
from agentgym.envs.wiki_search.tasks import planned
from agentgym.rollout import collect


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return corpus(tmp_path_factory.mktemp("corpus"))


@pytest.mark.parametrize(
    ("message", "steps"),
    [
        ("<plan>\n1. Who made it?\n2) When?\n</plan>", ["Who made it?", "When?"]),
        ("<plan>- a\n* b\n• c\nStep 4: d\nstep 5. e</plan>", ["a", "b", "c", "d", "e"]),
        ("<plan>1977 was when?\n3.5 km of what?</plan>", ["1977 was when?", "3.5 km of what?"]),
        ("<plan>a</plan> <plan>b</plan>", ["a"]),
        ("<plan>\n \n</plan>", []),
        ("<plan>a", []),
        ("a</plan>", []),
        ("<think><plan>a</plan></think>", []),
        ("<think>hm</think><plan>  a \t b </plan><search>c</search>", ["a b"]),
        ("no plan", []),
    ],
)
def test_a_plan_is_the_lines_of_its_block(message: str, steps: list[str]) -> None:
    assert plan_of(message) == steps


@pytest.mark.parametrize(
    ("message", "unclosed"),
    [
        ("<plan>a", True),
        ("</plan> <plan>a", True),
        ("<think>b</think><plan>a", True),
        ("<plan>a</plan> <plan>b", False),  # the first one is whole, and read
        ("<plan></plan>", False),
        ("<think><plan>a</think> b", False),
        ("a</plan>", False),
        ("no plan", False),
    ],
)
def test_a_plan_without_an_end_is_seen(message: str, unclosed: bool) -> None:
    assert is_unclosed(message) is unclosed


def test_long_plans_are_cut() -> None:
    assert plan_of(f"<plan>{'x' * 999}</plan>") == ["x" * STEP]
    assert plan_of("<plan>" + "go\n" * 99 + "</plan>") == ["go"] * STEPS


def test_a_plan_stands_alone_or_with_a_call(folder: Path) -> None:
    env = world(folder)
    env.reset(seed=0, options={"task": "designer"})
    before = env.state
    observation, reward, *_, info = env.step("<plan>Find the designer\nFind the birthplace</plan>")
    assert observation == "Your plan of 2 steps is noted. Go on." and info["valid"] and reward == 0.0
    assert (info["kind"], info["tag"]) == ("plan", "plan")
    assert info["plan"] == ["Find the designer", "Find the birthplace"]
    assert env.state is before
    observation, *_, info = env.step("<plan>Find it</plan> <search>Orla Bridge</search>")
    assert observation.startswith("Doc 1 (Title: Orla Bridge)")
    assert (info["kind"], info["tag"], info["plan"]) == ("plan", "search", ["Find it"])
    info = env.step("<search>Mara Venn</search>")[-1]
    assert info["kind"] == "tool" and "plan" not in info


def test_a_plan_without_an_end_is_refused_as_that(folder: Path) -> None:
    env = world(folder)
    env.reset(seed=0, options={"task": "designer"})
    before = env.state
    observation, *_, info = env.step("<plan>Find the designer\nFind the birthplace")
    assert observation == "unclosed: <plan> has no </plan>; write <plan>…</plan>" and not info["valid"]
    assert info["tag"] == "invalid" and "plan" not in info and env.state is before
    observation, *_, info = env.step("<plan>Find it <search>Orla Bridge</search>")  # a call is done all the same
    assert observation.startswith("Doc 1 (Title: Orla Bridge)") and info["valid"] and "plan" not in info


def test_who_plays_writes_a_plan_line_by_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("<plan>\nFind it\nSay it\n</plan>\nquit\n"))
    assert main(["play", "agentgym/WikiSearch-v0", "--set", "panel=single"]) == 0
    shown = capsys.readouterr().out
    assert "\n... > </plan>\nYour plan of 2 steps is noted. Go on.\n\nturn 1 > quit\nstopped\n" in shown


def test_tasks_with_a_decomposition_have_a_reference_plan(folder: Path) -> None:
    env = world(folder)
    assert env.panel.task("designer").data["plan"] == ["Who designed the Orla Bridge?", "Where was #1 born?"]
    bare = Task("bare", {"question": "?", "answers": ["x"]})
    own = Task("own", {"hops": [{"question": "a"}], "plan": ["b"]})
    assert planned(bare) is bare and planned(own) is own


def test_plans_are_credited_by_their_likeness_to_the_decomposition(folder: Path) -> None:
    """Cosines of words. {who, designed, the, orla, bridge} is the first step itself, 1; «where was she born» shares
    where, was, born with the four of «where was 1 born», ¾. One plan has both, the other says nothing of the kind."""
    good = "<plan>Who designed the Orla Bridge?\nWhere was she born?</plan>"
    env = world(folder)
    replies = iter([good, "<plan>Guess</plan>", "<answer>x</answer>", "<answer>x</answer>"])
    played = collect(env, lambda views: [next(replies) for _ in views], tasks=["designer"], group_size=2)
    assert played.kind.tolist() == ["plan", "tool", "plan", "tool"]
    batch = with_plans(played, env)
    assert np.allclose(batch.plan_similarity[0], [[1.0, 0.0], [0.0, 0.75]])
    assert batch.plan_similarity[2].tolist() == [[0.0, 0.0]]
    found = credit.estimate("apex_plan", batch)
    assert np.allclose(found.diagnostics["plan_reward"], [0.875, 0, 0, 0])  # 1.75 of two steps and two
    assert np.allclose(found.total, [1, 0, -1, 0], atol=1e-4)
    assert found.diagnostics["sft_mask"].tolist() == [False, True, False, True]

    near = with_plans(played, env, likeness=lambda step, gold: float(step[0] == gold[0]))  # an embedder of one's own
    assert near.plan_similarity[0].tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_the_questions_of_the_fixture_are_planned() -> None:
    assert all(len(planned(task).data["plan"]) == len(task.data["hops"]) for task in TASKS)
