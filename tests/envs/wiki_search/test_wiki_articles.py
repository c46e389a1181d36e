"""The shipped articles: they follow from the facts, say what the facts say, and read as sentences."""

import gzip
import json
import re
from dataclasses import replace
from types import MappingProxyType

import pytest

from agentgym.envs.wiki_search.shipped.articles import WORDINGS, Article, render
from agentgym.envs.wiki_search.shipped.articles.grammar import SLOT, enumerated, ordinal, written
from agentgym.envs.wiki_search.shipped.articles.making import packed_articles
from agentgym.envs.wiki_search.shipped.facts import DISAMBIGUATION, Entity, Fact, Facts, load
from agentgym.envs.wiki_search.shipped.panels import ARTICLES, data_file

FACTS = load()
LINES = [json.loads(line) for line in gzip.decompress(data_file(ARTICLES).read_bytes()).splitlines()]
BY_TITLE = {line["title"]: line for line in LINES}
SAMPLE = [entity for at, entity in enumerate(FACTS.entities.values()) if at % 23 == 0]


def test_there_is_one_article_an_entity_in_their_order() -> None:
    assert [line["title"] for line in LINES] == [entity.title for entity in FACTS.entities.values()]


@pytest.mark.parametrize("kind", [*WORDINGS, DISAMBIGUATION])
def test_the_shipped_articles_are_made_anew_to_the_letter(kind: str) -> None:
    for entity in SAMPLE:
        if entity.kind == kind:
            article = render(entity, FACTS)
            assert BY_TITLE[entity.title] == {
                "title": article.title,
                "text": article.text,
                "links": list(article.links),
            }


@pytest.mark.slow
def test_all_shipped_articles_are_made_anew_to_the_byte() -> None:
    assert gzip.decompress(packed_articles(FACTS)) == gzip.decompress(data_file(ARTICLES).read_bytes())


def test_each_article_states_six_facts_and_names_five_others() -> None:
    for entity in SAMPLE:
        if entity.kind != DISAMBIGUATION:
            article = render(entity, FACTS)
            assert len(article.facts) >= 6 and len(article.links) >= 5, entity.id
            assert set(article.facts) <= set(entity.facts)


def test_links_are_titles_of_articles_whose_names_stand_in_the_text() -> None:
    for line in LINES:
        assert len(set(line["links"])) == len(line["links"]) and line["title"] not in line["links"]
        text = line["text"].casefold()
        for title in line["links"]:
            target = FACTS.titled(title)
            assert target is not None and target.name.casefold() in text, (line["title"], title)


def test_texts_are_sentences() -> None:
    for line in LINES:
        text = line["text"]
        assert text[0] == text[0].upper() and text.endswith("."), line["title"]
        assert not re.search(r"[{}|~]|\s\s|\s[,;]|\s\.\s|\bthe the\b|\ba [aeio]\w|\.\.|Its its", text), text


def test_every_slot_of_every_template_is_a_relation() -> None:
    known = {*FACTS.relations, "name", "S", "S's"}
    for kind, wording in WORDINGS.items():
        templates = [one for statement in wording.statements for one in statement.templates]
        for template in (*templates, *wording.leads, *wording.subjects):
            for name, how in SLOT.findall(template):
                assert name in known, (kind, template)
                assert how in ("", "year", "list", "nth", "sup", "an", "word", "north", "east", "lower"), template
            assert not re.sub(SLOT, "", template).count("{"), template


def test_another_entity_changes_no_other_article() -> None:
    more = dict(FACTS.entities)
    more["city:0"] = Entity("city:0", "city", "Nowhere", "Nowhere", (), ())
    grown = Facts(MappingProxyType(dict(sorted(more.items()))), FACTS.sources, FACTS.licences)
    for entity in SAMPLE[:40]:
        assert render(entity, grown) == render(entity, FACTS)


def test_the_text_depends_on_nothing_but_names_and_own_facts() -> None:
    """An article of a city says nothing of its country but the name."""
    city = FACTS.entities["city:2996944"]
    bare = {key: entity if key == city.id else replace(entity, facts=()) for key, entity in FACTS.entities.items()}
    assert render(city, Facts(MappingProxyType(bare), FACTS.sources, FACTS.licences)) == render(city, FACTS)


def test_an_article_worked_out_by_hand() -> None:
    """A page of disambiguation lists each page by its title and kind; nothing else can be said of it."""
    one = Entity("city:1", "city", "Ys", "Ys (France)", (), ())
    two = Entity("element:Ys", "element", "Ys", "Ys (element)", (), ())
    told = tuple(Fact("refers_to", "Ys", key, 0) for key in ("city:1", "element:Ys"))
    page = Entity("disambiguation:Ys", DISAMBIGUATION, "Ys", "Ys", (), told)
    facts = Facts(MappingProxyType({one.id: one, page.id: page, two.id: two}), ("x 1",), ("MIT",))
    article = render(page, facts)
    assert isinstance(article, Article) and set(article.links) == {"Ys (France)", "Ys (element)"}
    assert "Ys (France), a city" in article.text and "Ys (element), a chemical element" in article.text


@pytest.mark.parametrize(
    "value, how, text",
    [
        (1234567, "", "1,234,567"),
        (1995, "year", "1995"),
        (0.5, "", "0.5"),
        (1, "sup", ""),
        (2, "sup", "second-"),
        (13, "nth", "13th"),
        (21, "nth", "21st"),
        (112, "nth", "112th"),
        (0, "word", "no"),
        (12, "word", "twelve"),
        (13, "word", "13"),
        ("open cluster", "an", "an open cluster"),
        ("unitary authority", "an", "a unitary authority"),
        ("U.S. state", "an", "a U.S. state"),
        ("star", "an", "a star"),
        (-33.456, "north", "33.46° S"),
        (151.2, "east", "151.20° E"),
    ],
)
def test_values_in_words(value: str | int | float, how: str, text: str) -> None:
    assert written(value, how) == text


def test_ordinals_and_lists() -> None:
    assert [ordinal(number) for number in (1, 3, 12, 22, 23, 101, 111)] == [
        "first", "third", "twelfth", "22nd", "23rd", "101st", "111th",
    ]  # fmt: skip
    assert (
        enumerated(["A"]) == "A" and enumerated(["A", "B"]) == "A and B" and enumerated(["A", "B", "C"]) == "A, B and C"
    )
