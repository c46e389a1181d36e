"""Menus, what is measured of the shipped buyers, and the file of random choice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentgym.envs.sales import expert, measure_random, quality, tasks
from agentgym.envs.sales.env import SalesEnv
from agentgym.envs.sales.menu import POOLS, SIZE


@pytest.fixture(scope="module")
def env() -> SalesEnv:
    return SalesEnv()


def test_a_menu_holds_the_expert_once_among_entries_that_all_can_be_done(env: SalesEnv) -> None:
    for number, task in enumerate(env.panel["dev"][::4]):
        for offered, right, _ in quality.menus_of(env, task, number):
            assert len(offered) == len(set(offered)) == SIZE and right in offered
    env.reset(seed=0)
    for entry in env.menu(env.state):
        fresh = env.copy()
        assert fresh.step(entry)[4]["valid"], entry


def test_each_kind_has_its_pool(env: SalesEnv) -> None:
    kinds = set()
    for task in env.panel["dev"]:
        env.reset(seed=1, options={"task": task.id})
        while env.state.end == "":
            kind, text = expert.step(env.state)
            kinds.add(kind)
            env.step(text)
    assert kinds <= set(POOLS) and kinds >= {"ask", "look", "tell", "assure", "quote", "close"}


def test_nothing_marks_the_right_entry(env: SalesEnv) -> None:
    measured = quality.of_menus(env, env.panel["test"])
    assert all(found.holds for found in measured), [found for found in measured if not found.holds]


def test_marks_tell_where_something_does() -> None:
    # the right entry is always the longest and always the only question: 1.0 against a chance of 1/3
    offered = ["Yes.", "No.", "What is it that you need?"]
    marks = quality.marks(offered, "I need a laptop")
    assert marks["most length"].index(max(marks["most length"])) == 2 and marks["questions"] == [0.0, 0.0, 1.0]
    assert marks["most words shared with what was said last"] == [0.0, 0.0, 1.0]  # need


def test_buyers_hardly_repeat_themselves(env: SalesEnv) -> None:
    found = {each.name: each for each in quality.of_replies(env, 120)}
    again = found["of these word for word an earlier one, per cent"]
    assert again.holds and float(again.value) < 2.0


def test_distinct_2_and_frames_by_hand() -> None:
    # a b, b c, a b, b d: three different pairs of four
    assert quality.distinct_2(["a b c", "A b d"]) == 0.75
    assert quality.longest_frame(["I would like that", "well I would like it", "no"], 2) == ("i would like", 2)
    assert quality.longest_frame(["a", "b"], 2) == ("", 0)


def test_random_choice_is_measured_into_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "random.json"
    monkeypatch.setattr(measure_random, "PATH", place)
    monkeypatch.setattr(measure_random, "success", lambda env, episodes, seed: {"success": 0.25, "episodes": episodes})
    assert measure_random.main(["sales", "--episodes", "3"]) == 0
    assert json.loads(place.read_text()) == {"sales": {"success": 0.25, "episodes": 3}}


def test_the_success_of_random_choice_is_published(env: SalesEnv) -> None:
    ((panel, chance),) = env.panels()
    assert panel is tasks.panel() and chance is not None and 0.0 < chance < 0.05
