"""The shipped questions as they lie in the package: complete, proved, and what their script makes."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from agentgym.envs.wiki_search.shipped import make_panels, panels, quality
from agentgym.envs.wiki_search.shipped.questions import FAMILIES
from agentgym.envs.wiki_search.shipped.questions.drawing import drawn
from agentgym.envs.wiki_search.shipped.questions.families import LEVELS, TYPES, marks
from agentgym.envs.wiki_search.shipped.questions.making import placed
from agentgym.envs.wiki_search.shipped.questions.speech import Speech
from agentgym.rng import TurnRng

AGAIN = ("airport_capital", "common_neighbour_capital", "larger_country", "same_currency", "star_home")


@pytest.fixture(scope="module")
def speech() -> Speech:
    return make_panels.shipped_speech()


def test_every_entry_is_whole() -> None:
    found = panels.entries()
    assert len({entry["id"] for entry in found}) == len(found)
    names = {family.name for family in FAMILIES}
    for entry in found:
        assert set(entry) == {"id", "family", "said", "split", *panels.ENTRIES}
        assert entry["family"] in names and entry["id"].startswith(entry["family"] + "/")
        assert entry["split"] in panels.SPLITS and entry["type"] in TYPES and entry["level"] in LEVELS
        assert entry["question"][0] == entry["question"][0].upper() and entry["question"][-1] in "?."
        assert entry["answers"] and all(answer.strip() for answer in entry["answers"])
        assert 1 <= len(entry["hops"]) <= 4
        titles = [page["title"] for page in entry["gold"]]
        assert len(set(titles)) == len(titles) and {hop["title"] for hop in entry["hops"]} == set(titles)


def test_a_panel_is_a_choice_of_tasks_in_their_splits() -> None:
    everything = panels.splits("all")
    sizes = {split: len(tasks) for split, tasks in everything.items()}
    assert sum(sizes.values()) == len(panels.entries()) >= 1_000
    assert sizes["test"] >= 200 and sizes["dev"] >= 100
    types = [panels.splits(name) for name in TYPES]
    for split, tasks in everything.items():
        ids = [task.id for kind in types for task in kind[split]]
        assert sorted(ids) == sorted(task.id for task in tasks)
        assert set(tasks[0].data) == set(panels.ENTRIES)
    hard = [task for tasks in panels.splits("hard").values() for task in tasks]
    assert len(hard) >= 100 and all(task.data["level"] == "hard" and len(task.data["gold"]) > 1 for task in hard)


def test_an_unknown_panel_is_answered_with_the_nearest() -> None:
    with pytest.raises(ValueError, match=r"unknown panel 'brige' of wiki_search; did you mean 'bridge'\?"):
        panels.splits("brige")


def test_of_what_is_counted_all_holds() -> None:
    entries = panels.entries()
    rows = [*quality.of_questions(entries), *quality.of_copies(entries), *quality.of_guesses(entries)]
    assert all(row.holds for row in rows), [row for row in rows if not row.holds]


def test_some_questions_are_proved(speech: Speech) -> None:
    some = TurnRng(7, stream="proved").shuffled(panels.entries())[:150]
    rows = quality.of_proofs(some, speech)
    assert all(row.holds for row in rows), [row for row in rows if not row.holds]


@pytest.mark.parametrize("name", AGAIN)
def test_the_script_asks_the_questions_that_are_shipped(name: str, speech: Speech) -> None:
    by_name = {family.name: family for family in FAMILIES}
    earlier = {family.name for family in FAMILIES[: FAMILIES.index(by_name[name])]}
    before = [dict(entry) for entry in panels.entries() if entry["family"] in earlier]
    seen = {mark for entry in before for mark in marks(entry, by_name[entry["family"]])}
    again = drawn(by_name[name], speech, seen)
    shipped = [dict(entry) for entry in panels.entries() if entry["family"] == name]
    assert json.loads(json.dumps(placed(again, name))) == shipped
    assert Counter(entry["split"] for entry in shipped).keys() == set(panels.SPLITS)


@pytest.mark.slow
def test_the_script_makes_all_that_is_shipped(capsys: pytest.CaptureFixture[str]) -> None:
    assert make_panels.main(["--check"]) == 0
    assert capsys.readouterr().err.endswith("the same\n")


@pytest.mark.slow
def test_every_promise_holds() -> None:
    broken = [row for row in quality.measure() if not row.holds]
    assert not broken, broken
