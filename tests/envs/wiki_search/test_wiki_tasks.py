"""Tasks of one's own: what their data may hold, and what is said of what it may not."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest
from wiki_small import TASKS, corpus, gold, world

from agentgym import Task, TaskPanel, TurnRng
from agentgym.check import check
from agentgym.envs.wiki_search import tasks
from agentgym.envs.wiki_search.env import WikiSearchEnv
from agentgym.envs.wiki_search.passages import Passage
from agentgym.envs.wiki_search.sources.question import passage_key
from agentgym.envs.wiki_search.state import Rules
from agentgym.envs.wiki_search.tasks import SearchPanel, question_of, random_success, ruled

GOOD = {"question": "Who?", "answers": ["Mara Venn"]}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"question": " "}, "data['question'] must be a text that says something, not ' '"),
        ({"question": 3}, "data['question'] must be a text that says something, not 3"),
        ({"answers": "Mara"}, "data['answers'] must be a list of texts that say something, not 'Mara'"),
        ({"answers": ["a", " "]}, "data['answers'] must be a list of texts that say something"),
        ({"answers": []}, "it has neither answers nor gold, so nothing could be judged"),
        ({"gold": "Orla"}, "data['gold'] must be a list of objects, not 'Orla'"),
        ({"gold": ["Orla"]}, "data['gold'][0] must be an object of title, passage, not 'Orla'"),
        ({"gold": [{"title": "a"}, {"titel": "a"}]}, "data['gold'][1]: unknown entry 'titel'; did you mean 'title'?"),
        ({"gold": [{"title": 1}]}, "data['gold'][0]['title'] must be a text, not 1"),
        ({"gold": [{"passage": "x"}]}, "data['gold'][0] must have a title"),
        ({"hops": {}}, "data['hops'] must be a list of objects, not {}"),
        ({"hops": [{"question": None}]}, "data['hops'][0]['question'] must be a text, not None"),
        ({"type": 1}, "data['type'] must be a text, not 1"),
        ({"plan": "Who?"}, "data['plan'] must be a list of texts, not 'Who?'"),
        ({"plan": ["Who?", 1]}, "data['plan'] must be a list of texts, not ['Who?', 1]"),
        ({"answer": "x"}, "unknown entry 'answer' of a task's data; did you mean 'answers'?"),
    ],
)
def test_what_is_wrong_with_a_task_is_said(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError) as caught:
        question_of(Task("mine", {**GOOD, **wrong}), Rules(), "content")
    assert str(caught.value).startswith(f"task 'mine': {said}")


def test_a_bad_task_does_not_hinder_the_others(tmp_path: Path) -> None:
    env = world(corpus(tmp_path), tasks=[Task("good", GOOD), Task("bad", {"question": "?"})])
    env.reset(seed=0, options={"task": "good"})
    with pytest.raises(ValueError, match="task 'bad': it has neither answers nor gold"):
        env.reset(seed=0, options={"task": "bad"})


def test_what_utf8_does_not_know_is_a_question_mark_on_both_sides(tmp_path: Path) -> None:
    """A half of a pair of surrogates, as broken JSON brings it, in the task and in the passage that it names."""
    held = Passage("Half \ud800", "The half \ud800 is a stone of Norrland.")
    step = {"question": "stone \ud800?", "answer": "a \ud800", "title": held.title, "passage": passage_key(held)}
    page = {"title": held.title, "passage": passage_key(held)}
    data = {"question": "Which \ud800?", "answers": ["half \ud800"], "gold": [page], "hops": [step]}
    env = world(corpus(tmp_path, [held]), tasks=[Task("half", data)], signals=("menu", "expert", "hops"))
    observation, info = env.reset(seed=0)
    assert observation == "Question: Which ??" and info["expert"] == "<search>stone ??</search>"
    while not info["end_reason"]:
        info = env.step(info["expert"])[-1]
    assert info["success"] and info["metrics"] == {"shown": 0.0, "new_gold": 0.0, "recall": 1.0, "hops_resolved": 1.0}


def test_questions_are_equal_by_content() -> None:
    first, same = (question_of(Task("mine", GOOD), Rules(), "content") for _ in range(2))
    assert first == same and hash(first) == hash(same) and len({first, same}) == 1
    others = [
        question_of(Task("mine", {**GOOD, "gold": gold("Orla")}), Rules(), "content"),
        question_of(Task("mine", {**GOOD, "answers": ["x"]}), Rules(), "content"),
        question_of(Task("mine", GOOD), Rules(k=4), "content"),
        question_of(Task("mine", GOOD), Rules(), "other"),
    ]
    assert len({first, *others}) == 5 and first != "mine"
    assert first.seen == others[0].seen == others[1].seen != others[2].seen


def test_panels_keep_their_rules_and_hash_on_the_way(tmp_path: Path) -> None:
    panel = ruled(TaskPanel("mine", {"train": TASKS[:5], "test": TASKS[5:]}), Rules("f1", 5))
    copied = pickle.loads(pickle.dumps(panel))
    assert isinstance(copied, SearchPanel) and copied.rules == panel.rules and copied.hash == panel.hash
    assert ruled(TASKS, Rules()).name == "WikiSearchEnv" and list(ruled(TASKS, Rules())) == ["train"]
    assert isinstance(random_success(), dict)


def test_a_panel_is_ruled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    given = TaskPanel("mine", {"train": TASKS})
    first = ruled(given, Rules())
    assert ruled(given, Rules()) is first is ruled(first, Rules())
    assert ruled(given, Rules("f1")) is not first and ruled(first, Rules("f1")).rules == Rules("f1")
    assert ruled(TaskPanel("mine", {"train": TASKS}), Rules()) is not first
    monkeypatch.setattr(tasks, "KEPT", 1)
    ruled(TaskPanel("other", {"train": TASKS}), Rules())
    assert len(tasks._RULED) == 1 and ruled(given, Rules()).hash == first.hash


def test_pages_by_title_alone_count_whichever_passage_was_shown(tmp_path: Path) -> None:
    task = Task("mine", {**GOOD, "gold": [{"title": "Orla"}, *gold("Mara Venn")]})
    env = world(corpus(tmp_path), tasks=[task])
    state = env.initial(task, TurnRng(0)).state
    library = env._library
    assert state.show(library.titled("Orla")).recall == 0.5
    both = state.show([*library.titled("Orla"), *library.titled("Mara Venn")])
    assert both.recall == 1.0 and both.show(library.titled("Orla")) is both


HERE = ("pure", "hash", "futures", "hooks", "hostile", "info", "leak", "bytes", "noop", "refused", "rewards", "signals")
"""Rules that need no other process."""


@pytest.mark.parametrize(
    ("given", "rules"),
    [
        ({"signals": ("critique", "novelty", "hops", "potential", "describe")}, HERE),
        pytest.param({"signals": ("novelty", "hops")}, None, marks=pytest.mark.slow),
        pytest.param({"scoring": "mt_grpo"}, None, marks=pytest.mark.slow),
        pytest.param({"scoring": "slate", "codec": "hermes", "k": 5}, None, marks=pytest.mark.slow),
    ],
)
def test_the_world_keeps_the_contract(tmp_path: Path, given: dict[str, Any], rules: tuple[str, ...] | None) -> None:
    kwargs = {"tasks": TaskPanel("small", {"train": TASKS[:7], "test": TASKS[7:]}), "corpus": str(corpus(tmp_path))}
    report = check(WikiSearchEnv, kwargs={**kwargs, **given}, rules=rules)
    assert report.ok, str(report)
