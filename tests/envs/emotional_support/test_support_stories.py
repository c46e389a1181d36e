"""Stories and seekers: what is shipped is whole, hidden things are hidden, and bad data is named."""

from __future__ import annotations

import re
from typing import Any

import pytest

from agentgym.envs.emotional_support import tasks
from agentgym.envs.emotional_support.analyser.reading import FEELINGS
from agentgym.envs.emotional_support.person import sentence, you
from agentgym.envs.emotional_support.seeker import RESISTANCE, content, seeker_of
from agentgym.envs.emotional_support.story import FAMILIES, story_of, templates
from agentgym.errors import DataError
from agentgym.task import Task

PANEL = tasks.panel()
EVERY = [task for split in PANEL for task in PANEL[split]]
ONE_EACH = [seeker_of(task) for task in EVERY[:: tasks.TELLERS]]
FIRST = re.compile(r"\b(?:i|me|my|mine|myself|we|us|our|am)\b")


@pytest.mark.parametrize(
    "said, heard",
    [
        ("my boss told me that I was late", "your boss told you that you were late"),
        ("I am sure I'd lose myself", "you are sure you'd lose yourself"),
        ("we sold our house, it was mine", "you sold your house, it was yours"),
        ("Immy is myopic", "Immy is myopic"),
    ],
)
def test_the_second_person(said: str, heard: str) -> None:
    assert you(said) == heard


def test_a_clause_becomes_a_sentence() -> None:
    assert sentence("he left") == "He left." and sentence("did he?") == "Did he?"


def test_there_are_seekers_of_many_areas_and_no_story_in_two_splits() -> None:
    stories = {split: {task.data["story"]["name"] for task in PANEL[split]} for split in PANEL}
    assert {split: len(PANEL[split]) for split in PANEL} == {"train": 150, "dev": 50, "test": 50}
    assert len(set.union(*stories.values())) == sum(map(len, stories.values())) == 50
    areas = {split: {name.split("/")[0] for name in stories[split]} for split in stories}
    assert len(areas["train"]) == 10 and areas["train"] == areas["dev"] == areas["test"]


def test_the_tellers_of_a_story_differ() -> None:
    for first in range(0, len(EVERY), tasks.TELLERS):
        tellers = [seeker_of(task) for task in EVERY[first : first + tasks.TELLERS]]
        assert len({one.manner for one in tellers}) == len({one.resistance for one in tellers}) == tasks.TELLERS
        assert len({one.key for one in tellers}) == len({one.name for one in tellers}) == tasks.TELLERS


def test_what_seekers_lack_is_within_bounds() -> None:
    for task in EVERY:
        assert all(-12 <= value <= -6 for value in seeker_of(task).start), task.id


@pytest.mark.parametrize("seeker", ONE_EACH, ids=lambda seeker: seeker.story.name)
def test_a_story_reads_in_both_persons_and_keeps_its_secret(seeker: Any) -> None:
    story = seeker.story
    clauses = [text for matter in seeker.matters.values() for text in (matter.about, matter.clause)]
    for text in (*clauses, story.advice, story.small, *story.lies):
        assert not FIRST.search(you(text).lower()), text
        assert "{" not in text and not text.endswith((".", ",")), text
    for matter in seeker.matters.values():
        assert all(told[0].isupper() or told[0] == '"' for told in matter.told), matter.told
    open_words = " ".join([*story.openers, *(text for fact in story.facts for text in (fact.clause, *fact.told))])
    kept = [story.concern.clause, *story.concern.told]
    assert len(set(content(" ".join(kept))) - set(content(open_words))) >= 3, "the concern is told before its time"
    assert {story.feel.family, story.deep.family} <= set(FEELINGS) and len(story.lies) >= 2
    assert all(len(words) >= 2 for words in seeker.lies)
    assert all(fact.words for fact in seeker.known)


def test_the_families_of_feelings_are_the_analysers() -> None:
    assert sorted(FAMILIES) == sorted(FEELINGS)
    words = [word for family in FAMILIES.values() for word in family]
    assert len(words) == len(set(words))


def test_slots_are_those_that_are_used() -> None:
    for template in templates().values():
        assert template.used <= {"w", "w2", "m", "m2", *(slot for slot, _ in template.slots)}, template.name


def data(**changes: Any) -> dict[str, Any]:
    return {**EVERY[0].data, **changes}


@pytest.mark.parametrize(
    "given, says",
    [
        (data(manner="wri"), "did you mean 'wry'"),
        (data(resistance="gaurded"), "guarded"),
        (data(items={"C.9": 1}), "C.9"),
        (data(items={"C.1": 5}), "from 0 to 3"),
        ({"name": "Jo"}, "lacks manner, resistance, items, story"),
        (data(story={"name": "x", "lines": [["fcat", "a | b | c | d"]]}), "fcat"),
        (data(story={"name": "x", "lines": []}), "0 lines 'open'"),
    ],
)
def test_bad_seekers_are_named(given: dict[str, Any], says: str) -> None:
    with pytest.raises(DataError, match=re.escape(says)) as caught:
        seeker_of(Task("mine", given))
    assert "mine" in str(caught.value)


@pytest.mark.parametrize(
    "key, text, says",
    [
        ("fact", "the job | I lost it", "needs 4 parts"),
        ("feel", "glum | I am.", "FAMILIES"),
        ("feel", "sad", "FAMILIES"),
    ],
)
def test_bad_lines_of_a_story_are_named(key: str, text: str, says: str) -> None:
    lines = [[name, text if name == key else line] for name, line in EVERY[0].data["story"]["lines"]]
    with pytest.raises(DataError, match=says):
        story_of({"name": "mine/own", "lines": lines})


def test_the_card_says_who_what_and_what_is_held_back() -> None:
    seeker = ONE_EACH[0]
    for part in (seeker.name, seeker.story.concern.clause, seeker.story.step.clause, "hold back"):
        assert part.lower() in seeker.card.lower()
    assert set(RESISTANCE) == {seeker_of(task).resistance for task in EVERY[: tasks.TELLERS]}
