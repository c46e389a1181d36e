"""The expert solves every question, by the state alone, from wherever it is asked."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from wiki_small import PAGES, TASKS, corpus, world

from agentgym import Task, TurnRng
from agentgym.codec import CODECS
from agentgym.envs.wiki_search import expert
from agentgym.envs.wiki_search.env import WikiSearchEnv
from agentgym.envs.wiki_search.passages import Passage
from agentgym.envs.wiki_search.sources.question import passage_key


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return corpus(tmp_path_factory.mktemp("corpus"))


def solved(env: WikiSearchEnv, task: str) -> list[str]:
    """Let the expert play on from a start; return its actions."""
    _, info = env.reset(seed=0, options={"task": task})
    actions, over = [], False
    while not over:
        actions.append(info["expert"])
        _, reward, terminated, truncated, info = env.step(info["expert"])
        over = terminated or truncated
    assert (reward, info["success"]) == (1.0, True), (task, actions)
    assert env.state.recall == 1.0, (task, actions)
    return actions


@pytest.mark.parametrize("task", [task.id for task in TASKS])
def test_every_question_is_solved_with_all_gold_seen(folder: Path, task: str) -> None:
    solved(world(folder, signals=("expert",)), task)


def test_the_steps_become_queries_with_earlier_answers(folder: Path) -> None:
    assert solved(world(folder, signals=("expert",), k=1), "climber") == [
        "<search>Who first climbed Grey Nan?</search>",
        "<search>Where was Edda Lorne born?</search>",
        "<search>When was the university of Sallow founded?</search>",  # which finds the page of the university alone
        "<open>Sallow</open>",
        "<answer>1644</answer>",
    ]


def test_without_a_decomposition_pages_are_sought_by_what_names_them(folder: Path) -> None:
    """The question names the bridge, and the page of the bridge its designer, who was not sought before."""
    bare = Task("bare", {**next(task for task in TASKS if task.id == "designer").data, "hops": []})
    env = world(folder, tasks=[bare], signals=("expert",), k=1)
    assert solved(env, "bare") == [
        "<search>Orla Bridge</search>",
        "<search>Mara Venn</search>",
        "<answer>Oldhaven</answer>",
    ]
    opening = env.initial(bare, TurnRng(0)).state
    assert [expert.is_named(opening, place) for place in (0, 1)] == [True, False]


@pytest.mark.parametrize("less", ["gold", "hops"])
def test_steps_and_gold_pages_meet_by_title_where_one_does_not_say_which_passage(folder: Path, less: str) -> None:
    data = next(task for task in TASKS if task.id == "climber").data
    loose = [{key: value for key, value in entry.items() if key != "passage"} for entry in data[less]]
    task = Task("loose", {**data, less: loose})
    env = world(folder, tasks=[task])
    assert [place for place, _ in expert.steps(env.initial(task, TurnRng(0)).state.question)] == [0, 1, 2]


def test_steps_on_pages_that_are_not_gold_are_passed_over(folder: Path) -> None:
    data = next(task for task in TASKS if task.id == "climber").data
    other = {"title": "Sallow", "passage": "0" * 32}  # another passage of that page
    task = Task("other", {**data, "gold": [data["gold"][0], data["gold"][1], other], "hops": data["hops"]})
    question = world(folder, tasks=[task]).initial(task, TurnRng(0)).state.question
    assert [place for place, _ in expert.steps(question)] == [0, 1]


def test_triples_and_references_become_words(folder: Path) -> None:
    env = world(folder)
    question = env.initial(TASKS[6], TurnRng(0)).state.question
    assert expert.query_of(question, "#1 >> place of birth") == "Edda Lorne place of birth"
    assert expert.query_of(question, "#9 of #2") == "#9 of Sallow"


@pytest.mark.parametrize("seed", range(8))
def test_the_expert_knows_a_way_from_anywhere(folder: Path, seed: int) -> None:
    """Whatever was searched and opened before, it sees all gold pages and answers, in at most two turns a page."""
    env = world(folder, signals=("expert",), max_turns=40)
    rng = TurnRng(seed, stream="wander")
    task = rng.choice(TASKS)
    _, info = env.reset(seed=0, options={"task": task.id})
    for _ in range(rng.integers(12)):
        title = rng.choice(tuple(PAGES))
        call = rng.choice((f"<open>{title}</open>", f"<search>{title}</search>", f"<lookup>{title}</lookup>"))
        info = env.step(call)[-1]
    left, over = info["turn"], False
    while not over:
        _, reward, terminated, truncated, info = env.step(info["expert"])
        over = terminated or truncated
    assert reward == 1.0 and env.state.recall == 1.0
    assert info["turn"] - left <= 2 * len(task.data["gold"]) + 1


def test_a_part_that_its_page_has_no_room_for_is_found_by_its_own_words(tmp_path: Path) -> None:
    parts = [Passage("Long", f"Part {number} tells of {'much ' * 900}and more.") for number in range(6)]
    last = Passage("Long", "The dogs of Oldhaven bark at the moon. " + "So it is. " * 150)
    gold = {"title": "Long", "passage": passage_key(last)}
    task = Task("last", {"question": "What do many tell?", "answers": ["much"], "gold": [gold]})
    env = world(corpus(tmp_path, [*parts, last]), tasks=[task], signals=("expert",))
    actions = solved(env, "last")
    assert actions[-2].startswith("<search>Long The dogs of Oldhaven bark at the moon. So it is.")
    assert len(actions[-2]) < 400


def test_answers_that_a_tag_cannot_hold_as_they_are(folder: Path) -> None:
    """A query that begins with a brace is written as JSON; a tag in a title as it is shown, which opens the page."""
    for answer in ("{x}", '{"text": 1}', "a < b", "a <b>"):
        env = world(folder, tasks=[Task("odd", {"question": "Odd?", "answers": [answer]})], signals=("expert",))
        _, info = env.reset(seed=0)
        assert env.step(info["expert"])[1] == 1.0
    page = {"{braces}": "It begins like JSON.", "a </open> b": "A hostile title."}
    env = world(
        corpus(folder / "braces", page),
        tasks=[Task("odd", {"question": "{town?", "answers": ["x"], "gold": [{"title": "{braces}"}]})],
        signals=("expert",),
    )
    assert solved(env, "odd")[0] == '<search>{"query": "{town?"}</search>'
    env.reset(seed=0)
    assert env.call("open", "a </open> b") == "<open>a &lt;/open> b</open>"
    assert env.step(env.call("open", "a </open> b"))[0] == "(Title: a &lt;/open> b) A hostile title."


@pytest.mark.parametrize("codec", [name for name in CODECS if name != "plain"])
def test_the_expert_speaks_every_dialect(folder: Path, codec: str) -> None:
    solved(world(folder, signals=("expert",), codec=codec), "mayor")


REFERENCE = os.environ.get("AGENTGYM_REFERENCE", "")


@pytest.mark.parametrize("name", ["hotpotqa", "musique"])
def test_the_expert_solves_every_real_question(
    name: str, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """300 questions of each set over the union of their passages: all answered, with all gold pages seen."""
    if not REFERENCE:
        pytest.skip("AGENTGYM_REFERENCE names no folder with samples of public sets")
    monkeypatch.setenv("AGENTGYM_CACHE", str(tmp_path_factory.mktemp("cache")))
    env = WikiSearchEnv(data_dir=Path(REFERENCE) / "data" / name, signals=("expert",))
    tasks = [task.id for split in env.panel for task in env.panel[split]]
    assert len(tasks) == 300
    for task in tasks:
        assert len(solved(env, task)) <= 7
