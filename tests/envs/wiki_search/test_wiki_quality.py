"""What is measured of articles and questions, on small ones whose numbers are counted by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import wiki_small
from wiki_toy import article, made_speech

from agentgym.envs.wiki_search.passages import Passage
from agentgym.envs.wiki_search.shipped import bounds, quality, quality_articles, quality_play
from agentgym.envs.wiki_search.shipped.questions.drawing import sketches
from agentgym.envs.wiki_search.shipped.questions.families import Family, entry_of
from agentgym.envs.wiki_search.shipped.questions.making import made_entries
from agentgym.envs.wiki_search.shipped.questions.pages import Pages
from agentgym.envs.wiki_search.shipped.questions.speech import Speech
from agentgym.task import Quality

SPEECH = made_speech(40)
FAMILIES = (
    Family("river", "a: town; b = a.river; c = b.length_km", ("How long is the river of {a}?", "{a}: its river?")),
    Family(
        "longer", "a: town; b: town; c = a.river; d = b.river; p = c.length_km; q = d.length_km; more p q",
        ("{a} or {b}: which river is longer?",),
    ),
    Family(
        "bank", "a: town; b: town; c = a.river; d = b.river; p = c.bank; q = d.bank; same p q",
        ("Do {a} and {b} lie on the same bank?",), 10,
    ),
    Family("marked", "a: town / mark; b = a.river; c = b.length_km", ("How long is the river at {a.mark}?",)),
)  # fmt: skip


@pytest.fixture
def families(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quality, "FAMILIES", FAMILIES)


@pytest.fixture
def entries(families: None) -> list[dict[str, Any]]:
    return made_entries(FAMILIES, SPEECH)


def named(rows: list[Quality]) -> dict[str, Quality]:
    return {row.name: row for row in rows}


def test_questions_are_counted(entries: list[dict[str, Any]]) -> None:
    found = named(quality.of_questions(entries))
    # 24 of river, 20 of longer, 10 of bank and 24 of marked
    assert found["questions"].value == 78 and not found["questions"].holds
    assert found["questions of type bridge"].value == 48
    assert found["questions of type comparison"].value == 30
    assert found["questions of level hard"].value == 24
    assert found["questions over two pages or more of which they name none"].value == 24
    assert found["questions of 2 hops"].value == 24 and found["questions of 3 hops"].value == 24
    assert found["questions of 4 hops"].value == 30 and found["questions of more hops, or none"].value == 0
    assert found["largest family, per cent"].value == 30.77  # 24 of 78
    assert found["commonest wording but for names and numbers, per cent"].value == 30.77  # those of marked
    assert sum(int(found[f"questions in {split}"].value) for split in ("train", "dev", "test")) == 78


def test_copies_are_counted(entries: list[dict[str, Any]]) -> None:
    assert [row.value for row in quality.of_copies(entries)] == [0, 0]
    again = {**entries[0], "id": "river/99", "split": "dev" if entries[0]["split"] == "test" else "test"}
    rows = quality.of_copies([*entries, again])
    # its text and its gold titles with relations
    assert [row.value for row in rows] == [2, 2] and not any(row.holds for row in rows)


def test_good_questions_have_proofs(entries: list[dict[str, Any]]) -> None:
    rows = quality.of_proofs(entries, SPEECH)
    assert len(rows) == 8 and all(row.holds for row in rows), rows


def entry(family: Family, **said: str) -> dict[str, Any]:
    sketch = next(one for one in sketches(family, SPEECH) if one.said == said)
    return {**entry_of(family, 2, sketch, SPEECH), "split": "train"}


@pytest.mark.parametrize(
    ("change", "wrong", "count"),
    [
        ({"answers": ["36"]}, "questions that can be read in more ways than one, or in none", 1),
        ({"gold": [{"title": "River7", "passage": "0" * 32}]}, "gold pages that are no article", 1),
        ({"gold": [{"title": "Town7", "passage": "0" * 32}]}, "answers that the last gold page does not say", 1),
        ({"question": "How long is the river of Town7, River7?"}, "the question says an answer", 1),
        ({"level": "hard"}, "pages that a question of level hard names", 1),
    ],
)
@pytest.mark.usefixtures("families")
def test_broken_questions_are_counted(change: dict[str, Any], wrong: str, count: int) -> None:
    good = entry(FAMILIES[0], a="Town7")
    assert good["question"] == "How long is the river of Town7?" and good["answers"] == ["37"]
    assert all(row.holds for row in quality.of_proofs([good], SPEECH))
    found = next(row for row in quality.of_proofs([{**good, **change}], SPEECH) if wrong in row.name)
    assert found.value == count and not found.holds


@pytest.mark.usefixtures("families")
def test_a_page_that_says_all_is_counted() -> None:
    good = entry(FAMILIES[0], a="Town7")
    about = [article(entity) for entity in SPEECH.facts.entities.values()]
    everything = Passage("Rivers", "Town7 lies on River7, which is 37 km long.")
    speech = Speech(SPEECH.facts, Pages([*about, everything]))
    rows = named(quality.of_proofs([good], speech))
    assert rows["questions of which holds: one page says all"].value == 1


def test_guesses_are_counted() -> None:
    def answered(family: str, answer: str, question: str, **said: str) -> dict[str, Any]:
        kind = "comparison" if said else "bridge"
        return {"family": family, "answers": [answer], "question": question, "said": said, "type": kind}

    entries = [answered("one", str(number), "Which?") for number in (1, 1, 2, 3)]
    entries += [answered("two", answer, "Is it?", a="x") for answer in ("yes", "yes", "yes", "no")]
    entries += [
        answered("three", "Oak", "Which is taller, Oak or Elm?", a="Oak", b="Elm"),
        answered("three", "Oak", "Of Elm and the city Oak, which?", a="the city Oak", b="Elm"),
        answered("three", "Ash", "Of the city Ash and Elm, which?", a="the city Ash", b="Elm"),
    ]
    rows = named(quality.of_guesses(entries))
    # Oak twice of three: 66.67 %; 1 is the answer of two of the four of the first family
    assert rows["commonest answer of a family but yes and no, per cent"].value == 66.67
    assert rows["commonest answer of all, per cent"].value == 27.27  # yes, three of eleven
    assert rows["of these, yes, per cent"].value == 75.0 and not rows["of these, yes, per cent"].holds
    # Oak, which stands first; Oak, which stands second; the city Ash, first
    assert rows["of those that give a choice of two, the first is right, per cent"].value == 66.67


class Found:
    """A searcher that finds the same two passages whatever is asked."""

    def search(self, query: str, k: int) -> list[tuple[int, float]]:
        return [(1, 2.0), (0, 1.0)][:k]


def test_a_search_counts_if_it_finds_all_pages() -> None:
    titles = ["Oak", "Elm", "Ash"]

    def about(*gold: str) -> dict[str, Any]:
        return {"question": "What?", "gold": [{"title": title, "passage": ""} for title in gold]}

    row = quality.of_search([about("Oak", "Elm"), about("Oak", "Ash"), about("Ash")], Found(), titles)
    assert row.value == 50.0 and not row.holds  # of the two over several pages, one


def test_frames_leave_names_and_values_out() -> None:
    assert quality_articles.frame("Its length is 1,234.5 km.") == quality_articles.frame("Its length is 7 km.")
    assert quality_articles.frame("It borders France, Spain and Andorra.") == "_ borders _."
    entities = SPEECH.facts.entities.values()
    towns = [(article(entity), entity) for entity in entities if entity.kind == "town"]
    shares = quality_articles.frames(towns, SPEECH)
    assert set(shares.values()) == {40}  # "_ is a town", "its river is _", "its mark is _", in every article
    assert len(shares) == 3


def test_articles_are_counted() -> None:
    passages = [article(entity) for entity in SPEECH.facts.entities.values()]
    rows = named(quality_articles.of_articles(passages, SPEECH))
    # 3 countries, 5 cities, 2 currencies, 40 towns and 40 rivers; a page for the name Ash
    assert rows["articles"].value == 90 and rows["kinds of articles"].value == 5
    assert rows["articles about nothing in the facts, or entities without one"].value == 0
    assert rows["facts that an article states, fewest"].value == 2
    assert rows["articles that an article names, fewest"].value == 0  # a river names none
    assert rows["names that several articles share, with a page that lists them"].value == 1
    # the toy's page says "Its refers_to is Ash" and no title in full
    assert rows["such pages that leave one out"].value == 1
    stray = named(quality_articles.of_articles([*passages[1:], Passage("Yew", "A yew.")], SPEECH))
    assert stray["articles about nothing in the facts, or entities without one"].value == 2


def test_episodes_are_played(tmp_path: Path) -> None:
    world = wiki_small.world(wiki_small.corpus(tmp_path))
    tasks = world.panel["train"]
    rows = quality_play.of_episodes(world, tasks)
    assert len(tasks) == 10 and [row.value for row in rows][:2] == [100.0, 0]
    assert rows == quality_play.of_episodes(world, tasks)  # random choice is drawn, always the same
    wrong = "<answer>Nowhere</answer>"
    assert not quality_play.solves(world, tasks[0], lambda state, rng: wrong, "wrong")
    right = "<answer>188 km</answer>"
    assert quality_play.solves(world, tasks[0], lambda state, rng: right, "right")
    assert not quality_play.solves(world, tasks[0], lambda state, rng: "<search>Orla</search>", "searching for ever")


def test_bounds_are_kept_or_broken() -> None:
    assert bounds.least("x", 5, 5).holds and not bounds.least("x", 4, 5).holds
    assert bounds.most("x", 5, 5).holds and not bounds.most("x", 5.01, 5).holds
    assert bounds.below("x", 9.99, 10).holds and not bounds.below("x", 10, 10).holds
    assert bounds.none("x", 0).holds and not bounds.none("x", 1).holds
    assert bounds.least("x", 1, 5_000).bound == "at least 5,000"
    assert bounds.per_cent(1, 3) == 33.33 and bounds.per_cent(0, 0) == 0.0
