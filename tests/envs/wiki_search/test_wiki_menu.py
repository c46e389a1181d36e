"""The menu: what it offers, how few states it leads to, and that nothing marks the right entry."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest
from wiki_small import TASKS, corpus, world

from agentgym import Task, TurnRng
from agentgym.envs.wiki_search import menu, pools
from agentgym.envs.wiki_search.env import WikiSearchEnv
from agentgym.envs.wiki_search.finding import opened, searched
from agentgym.envs.wiki_search.shipped.quality_menu import EDGE, measured
from agentgym.envs.wiki_search.state import SearchState

IDS = [task.id for task in TASKS]


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> WikiSearchEnv:
    return world(corpus(tmp_path_factory.mktemp("corpus")))


def start(env: WikiSearchEnv, name: str) -> SearchState:
    return env.initial(env.panel.task(name), TurnRng(0)).state


def offered(state: SearchState) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {"search": [], "open": [], "answer": []}
    for tool, said in menu.entries(state):
        found[tool].append(said)
    return found


def finished(state: SearchState) -> SearchState:
    """Return the state after all calls of the expert but the answer."""
    for tool, said in pools.pools_of(state.question).way:
        state = (searched(state, said, 3) if tool == "search" else opened(state, said)).state
    return state


@pytest.mark.parametrize("name", IDS)
def test_each_kind_has_its_number_of_entries(env: WikiSearchEnv, name: str) -> None:
    """Ten queries, three pages to open and seven answers, 20 in all, and every one of them can be done."""
    state = start(env, name)
    assert {tool: len(texts) for tool, texts in offered(state).items()} == {"search": 10, "open": 3, "answer": 7}
    entries = env.choices(state)
    assert len(set(entries)) == 20 and env.advice(state) in entries
    for entry in entries:
        turn, valid, _ = env.apply(state, entry, TurnRng(0))
        assert valid and turn.tag in ("search", "open", "right", "wrong"), entry


@pytest.mark.parametrize("name", IDS)
def test_of_queries_and_pages_the_expert_s_alone_leads_on(env: WikiSearchEnv, name: str) -> None:
    state = start(env, name)
    right = env.advice(state)
    for tool, said in menu.entries(state):
        if tool != "answer":
            after = (searched(state, said, 3) if tool == "search" else opened(state, said)).state
            assert (after.gold != 0) is (env.call(tool, said) == right), said


@pytest.mark.parametrize("name", IDS)
def test_one_answer_is_right_once_the_pages_are_known(env: WikiSearchEnv, name: str) -> None:
    state = finished(start(env, name))
    answers = [entry for entry in env.choices(state) if entry.startswith("<answer>")]
    right = [entry for entry in answers if env.apply(state, entry, TurnRng(0))[0].tag == "right"]
    assert right == [env.advice(state)]
    assert len(answers) >= 7


def test_before_that_it_is_on_offer_for_some_questions_alone(env: WikiSearchEnv) -> None:
    guessed = Counter()
    for name in IDS:
        state = start(env, name)
        tags = [env.apply(state, f"<answer>{said}</answer>", TurnRng(0))[0].tag for said in offered(state)["answer"]]
        assert tags.count("right") == pools.pools_of(state.question).guessed
        guessed[tags.count("right")] += 1
    assert min(guessed[0], guessed[1]) >= 1


def test_wrong_answers_are_of_the_kind_of_the_right_one(env: WikiSearchEnv) -> None:
    """A year among years; a town among names; where yes is right, no stands beside it, and the other river compared."""
    years = offered(finished(start(env, "climber")))["answer"]
    assert "1644" in years and all(said.isdigit() and len(said) == 4 for said in years)
    towns = offered(finished(start(env, "novelist")))["answer"]
    assert "Sallow" in towns and all(said[0].isupper() for said in towns)
    assert {"yes", "no"} <= set(offered(finished(start(env, "engineers")))["answer"])
    assert {"the Orla", "Tamsin"} <= set(offered(finished(start(env, "rivers")))["answer"])


def test_before_the_evidence_no_answer_is_there_without_its_rival(env: WikiSearchEnv) -> None:
    for name, both in (("engineers", {"yes", "no"}), ("rivers", {"the Orla", "Tamsin"})):
        state = start(env, name)
        there = both & set(offered(state)["answer"])
        assert there == (both if pools.pools_of(state.question).guessed else set())


def test_what_tells_nothing_new_is_not_offered_again(env: WikiSearchEnv) -> None:
    state = start(env, "mayor")
    said = next(
        said for tool, said in menu.entries(state) if tool == "search" and env.call(tool, said) != env.advice(state)
    )
    after = searched(state, said, 3).state
    assert said not in offered(after)["search"]
    title = offered(state)["open"][0]
    assert title not in offered(opened(state, title).state)["open"]


def test_who_wasted_calls_is_led_no_farther(env: WikiSearchEnv) -> None:
    """After WASTE passages beside the way, nothing new is on offer but what the expert would do."""
    state = start(env, "mayor")
    held = pools.pools_of(state.question)
    while len(set(state.seen) - held.shown) < menu.WASTE:
        wrong = [call for call in menu.entries(state) if call[0] != "answer" and env.call(*call) != env.advice(state)]
        tool, said = wrong[0]
        state = (searched(state, said, 3) if tool == "search" else opened(state, said)).state
    entries = [*menu.entries(state)]
    assert len(entries) == len(set(entries)) and env.advice(state) in env.choices(state)
    for tool, said in entries:
        if tool != "answer" and env.call(tool, said) != env.advice(state):
            assert (searched(state, said, 3) if tool == "search" else opened(state, said)).state.seen == state.seen


@pytest.mark.parametrize("name", IDS)
def test_a_task_has_few_states(env: WikiSearchEnv, name: str) -> None:
    first = start(env, name)
    seen, rim = {first.canonical()}, [first]
    while rim:
        state = rim.pop()
        for tool, said in menu.entries(state):
            if tool != "answer":
                after = (searched(state, said, 3) if tool == "search" else opened(state, said)).state
                if after.canonical() not in seen:
                    seen.add(after.canonical())
                    rim.append(after)
    assert 10 < len(seen) <= 4000


def test_equal_states_have_equal_menus(env: WikiSearchEnv) -> None:
    state = start(env, "mayor")
    one = searched(searched(state, "Oldhaven", 3).state, "opera", 3).state
    other = searched(searched(state, "opera", 3).state, "Oldhaven", 3).state
    assert one is not other and [*menu.entries(one)] == [*menu.entries(other)]
    kept = [*menu.entries(one)]
    pools.pools_of.cache_clear()
    menu.offer_of.cache_clear()
    assert [*menu.entries(one)] == kept


@pytest.mark.parametrize("data", [{"answers": ["tin"], "gold": []}, {"answers": [], "gold": [{"title": "Pintwick"}]}])
def test_tasks_without_gold_pages_or_answers_have_a_menu(tmp_path: Path, data: dict[str, object]) -> None:
    task = Task("bare", {"question": "What was found in Pintwick?", **data})
    env = world(corpus(tmp_path), tasks=[task])
    state = start(env, "bare")
    for _ in range(3):
        assert len(env.choices(state)) >= 13 and env.advice(state) in env.choices(state)
        turn = env.apply(state, env.advice(state), TurnRng(0))[0]
        state = turn.state
        if turn.outcome is not None:
            break
    assert turn.outcome is not None and turn.outcome.success


# ---- in nothing marked -----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_nothing_marks_the_right_entry_of_the_shipped_questions() -> None:
    """On 220 test questions no way of guessing is right more than 1.5 times as often as chance."""
    env = WikiSearchEnv(split="test")
    tasks = TurnRng(3).shuffled(env.panel["test"])[:220]
    sizes, gains, missing = measured(env, tasks)
    assert len(tasks) == 220 and missing == 0 and len(sizes) > 500 and min(sizes) >= 13
    assert max(gains.values()) <= EDGE, gains


REFERENCE = os.environ.get("AGENTGYM_REFERENCE", "")


def test_real_questions_have_menus_too(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With their decomposition, as MuSiQue has it, nothing marks the right entry of theirs either."""
    if not REFERENCE:
        pytest.skip("AGENTGYM_REFERENCE names no folder with samples of public sets")
    monkeypatch.setenv("AGENTGYM_CACHE", str(tmp_path_factory.mktemp("cache")))
    env = WikiSearchEnv(data_dir=Path(REFERENCE) / "data" / "musique")
    sizes, gains, missing = measured(env, env.panel[next(iter(env.panel))][:60])
    assert missing == 0 and min(sizes) >= 13
    assert max(gains.values()) <= EDGE, gains
