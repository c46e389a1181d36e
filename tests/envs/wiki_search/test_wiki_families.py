"""Families: how a question is worded and decomposed, what is drawn, and what is wrong with questions."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from wiki_toy import article, made_speech

from agentgym.envs.wiki_search.shipped.questions import FAMILIES, drawing, families, making, plans, speech
from agentgym.envs.wiki_search.shipped.questions.drawing import drawn, evened, faults, sketches
from agentgym.envs.wiki_search.shipped.questions.families import Family, Sketch, entry_of
from agentgym.envs.wiki_search.shipped.questions.pages import Pages
from agentgym.envs.wiki_search.shipped.questions.speech import Speech

SPEECH = made_speech(40)
MONEY = Family(
    "money", "a: city; b = a.country; c = b.currency; d = c.first_year",
    ("since when is there money in {a}?", "How old is the money of {a}?"),
)  # fmt: skip
HIDDEN = Family(
    "hidden", "a: country / calling_code area_km2; b = a.currency; c = b.iso_4217",
    ("What is the code of the money where {a.calling_code} is dialled and {a.area_km2} km² are all?",),
)  # fmt: skip
RIVER = Family("river", "a: town; b = a.river; c = b.length_km", ("How long is the river of {a}?", "{a}: its river?"))
LONGER = Family(
    "longer", "a: town; b: town; c = a.river; d = b.river; p = c.length_km; q = d.length_km; more p q",
    ("{a} or {b}: which river is longer?",),
)  # fmt: skip
BANK = Family(
    "bank", "a: town; b: town; c = a.river; d = b.river; p = c.bank; q = d.bank; same p q",
    ("Do {a} and {b} lie on the same bank?",), 10,
)  # fmt: skip


def sketch_of(family: Family, **said: str) -> Sketch:
    return next(one for one in sketches(family, SPEECH) if said.items() <= one.said.items())


def test_an_entry_is_a_question_with_its_pages_and_hops() -> None:
    entry = entry_of(MONEY, 2, sketch_of(MONEY, a="Oak"), SPEECH)
    keys = SPEECH.pages.keys
    assert entry == {
        "id": "money/2", "family": "money", "said": {"a": "Oak"},
        "question": "Since when is there money in Oak?",  # the wordings take turns, 2 is the first again
        "answers": ["1950"],
        "gold": [{"title": title, "passage": keys[title]} for title in ("Oak", "Arland", "Crown (currency)")],
        "hops": [
            {"question": "What is the country of Oak?", "answer": "Arland", "title": "Oak", "passage": keys["Oak"]},
            {"question": "What is the currency of #1?", "answer": "Crown", "title": "Arland",
             "passage": keys["Arland"]},
            {"question": "What is the first year of #2?", "answer": "1950", "title": "Crown (currency)",
             "passage": keys["Crown (currency)"]},
        ],
        "type": "bridge", "level": "medium",
    }  # fmt: skip


def test_what_is_described_is_a_hop_on_its_own_page() -> None:
    entry = entry_of(HIDDEN, 1, sketch_of(HIDDEN, **{"a.area_km2": "900.5"}), SPEECH)
    assert entry["question"] == "What is the code of the money where +92 is dialled and 900.5 km² are all?"
    assert [hop["question"] for hop in entry["hops"]] == [
        "Which country has the calling code +92 and the area in square kilometres 900.5?",
        "What is the currency of #1?",
        "What is the ISO 4217 code of #2?",
    ]
    assert [hop["title"] for hop in entry["hops"]] == ["Borland", "Borland", "Mark"]
    assert [page["title"] for page in entry["gold"]] == ["Borland", "Mark"]
    assert (entry["type"], entry["level"]) == ("composition", "hard")


@pytest.mark.parametrize(
    ("plan", "pages", "kind"),
    [
        ("a: city; b = a.country", 1, "single"),
        ("a: country / calling_code; b = a.capital", 1, "single"),
        ("a: country / calling_code; b = a.capital; c = b.population", 2, "bridge"),
        ("a: country / calling_code area_km2; b = a.capital; c = b.population", 2, "composition"),
        ("a: country; b: country; c: country / borders=a borders=b; d = c.capital; e = d.population", 2, "composition"),
        ("a: city; b: city; p = a.population; q = b.population; more p q", 2, "comparison"),
    ],
)
def test_types_follow_from_plans(plan: str, pages: int, kind: str) -> None:
    assert families.type_of(plans.read(plan), pages) == kind


def test_questions_are_drawn_always_the_same() -> None:
    found = drawn(RIVER, SPEECH, set())
    assert found == drawn(RIVER, SPEECH, set())
    assert len(found) == 24 and [entry["id"] for entry in found] == [f"river/{number}" for number in range(1, 25)]
    assert len({entry["answers"][0] for entry in found}) == 24  # each river has another length
    starts = Counter(entry["question"].split()[0] for entry in found)
    assert starts["How"] == 12  # both wordings as often
    seen = {mark for entry in found for mark in families.marks(entry, RIVER)}
    rest = drawn(RIVER, SPEECH, seen)
    assert len(rest) == 16 and not {entry["said"]["a"] for entry in rest} & {entry["said"]["a"] for entry in found}
    assert drawn(RIVER, SPEECH, seen) == []  # all 40 towns are asked about
    assert drawn(RIVER, made_speech(10), set()) == []  # ten answers, a tenth each


def test_compared_answers_take_turns() -> None:
    longer = drawn(LONGER, SPEECH, set())
    assert len(longer) == 20  # each of 40 towns is met once
    first = [entry["answers"][0] == entry["said"]["a"] for entry in longer]
    assert first == [True, False] * 10
    bank = drawn(BANK, SPEECH, set())
    assert [entry["answers"] for entry in bank] == [["yes"], ["no"]] * 5
    assert max(Counter(text for entry in bank for text in entry["said"].values()).values()) == 1  # a town is met once


def test_answers_that_come_too_often_come_less_often() -> None:
    plan, world = plans.read(RIVER.plan), sketch_of(RIVER, a="Town1").world

    def kept(answers: str) -> str:
        return "".join(one.answer for one in evened(plan, [Sketch(world, {}, answer) for answer in answers]))

    assert kept("abcdefghijkaa") == "abcdefghijk"  # 13 questions: one of each, 2 would be 15 %
    assert kept("abcdefghij") == ""  # of ten each is a tenth: not less than 10 %
    letters = "abcdefghijklmnopqrs"
    assert kept(f"{letters}aab") == f"{letters}ab"  # of 21, 2 are 9.5 %
    yes = plans.read(BANK.plan)
    even = evened(yes, [Sketch(world, {}, answer) for answer in ("yes", "no", "yes")])
    assert [one.answer for one in even] == ["yes", "no", "yes"]


def test_faults_are_found() -> None:
    def found(family: Family, **said: str) -> list[str]:
        sketch = sketch_of(family, **said)
        return faults(family, entry_of(family, 1, sketch, SPEECH), sketch, SPEECH)

    assert found(MONEY, a="Oak") == []
    both = Family("both", "a: country / calling_code; b = a.currency; c = b.first_year", ("{a.calling_code}?",))
    assert found(both, **{"a.calling_code": "+92"}) == ["it can be read in more ways than one"]
    assert found(both, **{"a.calling_code": "+91"}) == []
    told = replace(RIVER, ask=("How long is the river of {a}?", "How long is River7 of {a}?"))
    assert found(told, a="Town7") == ["the question says an answer"]
    back = Family("back", "a: city; b = a.country; c = b.capital", ("The capital of the country of {a}?",))
    # Oak is the capital of its own country: its page is where the question began, and Arland's says all
    assert found(back, a="Oak") == [
        "the question says an answer", "one page says all", "it comes back to where it was",
    ]  # fmt: skip


def test_what_a_page_does_not_say_is_no_hop() -> None:
    sketch = sketch_of(MONEY, a="Oak")
    entry = entry_of(MONEY, 1, sketch, SPEECH)
    entry["hops"][1]["answer"] = "Mark"
    assert "a page does not say the answer of its hop" in drawing.text_faults(
        entry, plans.read(MONEY.plan), [entry["question"]], SPEECH
    )


def test_what_is_told_stands_on_the_page_that_is_meant() -> None:
    common = Family("common", "a: country; b: country; c: country / borders=a borders=b; d = c.capital", ("{a}, {b}?",))
    sketch = sketch_of(common, a="Borland", b="Carland")
    assert SPEECH.pages.says("Arland", "Borland") and SPEECH.pages.says("Arland", "Carland")
    assert drawing.FAULTS[1] not in faults(common, entry_of(common, 1, sketch, SPEECH), sketch, SPEECH)
    cut = [article(entity) for entity in SPEECH.facts.entities.values()]
    cut = [replace(page, text=page.text.replace("Its borders is Carland.", "")) for page in cut]
    silent = Speech(SPEECH.facts, Pages(cut))
    assert drawing.FAULTS[1] in faults(common, entry_of(common, 1, sketch, silent), sketch, silent)
    # its facts still state both, so that a question about the neighbour of Carland could mean it
    assert speech.stated(SPEECH.facts.entities["country:A"], "borders") == {"Borland", "Carland"}
    assert silent.told(SPEECH.facts.entities["country:A"], "borders") == ["Borland"]


def test_what_a_page_keeps_back_still_makes_a_description_doubtful() -> None:
    pages = [article(entity) for entity in SPEECH.facts.entities.values()]
    pages = [
        replace(page, text=page.text.replace("+92", "unknown")) if page.title == "Carland" else page for page in pages
    ]
    silent = Speech(SPEECH.facts, Pages(pages))
    # Carland's page does not give the calling code that Borland has too
    plan = plans.read("a: country / calling_code; b = a.capital")
    assert plans.answers(plan, {"a.calling_code": "+92"}, silent) == ["Ash", "Elm"]


def test_no_two_questions_are_alike_and_each_has_one_split() -> None:
    again = replace(RIVER, name="again", ask=("The length of the river at {a}?",))
    lines: list[str] = []
    found = making.made_entries([RIVER, again, BANK], SPEECH, lines.append)
    # 40 towns: 24 are asked about first, 16 are left
    assert lines == ["river: 24 of 24", "again: 16 of 24", "bank: 10 of 10"]
    assert {entry["split"] for entry in found} == set(making.SPLITS)
    places = Counter(entry["split"] for entry in found if entry["family"] == "river")
    # 60, 15 and 25 per cent of 24 are 14.4, 3.6 and 6
    assert 13 <= places["train"] <= 16 and 3 <= places["dev"] <= 5 and 5 <= places["test"] <= 7
    assert making.packed(found) == making.packed(found) and making.packed(found)[4:8] == bytes(4)  # gzip: the time


def test_families_are_in_order() -> None:
    assert len({family.name for family in FAMILIES}) == len(FAMILIES)
    for family in FAMILIES:
        plan = plans.read(family.plan)
        slots = {line.name for line in plan.lines if isinstance(line, plans.Named)}
        slots |= {
            f"{line.name}.{told}" for line in plan.lines if isinstance(line, plans.Described) for told in line.told
        }
        hops = sum(not isinstance(line, plans.Named) for line in plan.lines)
        assert 1 <= hops <= 4, family.name
        assert len(family.ask) >= 2 and len(set(family.ask)) == len(family.ask), family.name
        for wording in family.ask:
            assert {slot for _, slot in families.SLOT.findall(wording)} == slots, (family.name, wording)
            assert wording.rstrip()[-1] in "?.", (family.name, wording)
