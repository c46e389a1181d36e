"""The shipped facts: what they hold is sound, and some of it is what everybody knows."""

from collections import Counter

import pytest

from agentgym.envs.wiki_search.shipped.facts import DISAMBIGUATION, Entity, Facts, load, pack, unpack

FACTS = load()
ENTITIES = list(FACTS.entities.values())
ARTICLES = [entity for entity in ENTITIES if entity.kind != DISAMBIGUATION]


def value(entity: str, relation: str) -> object:
    fact = FACTS.entities[entity].one(relation)
    assert fact is not None, f"{entity} has no {relation}"
    return fact.value


def target(entity: str, relation: str) -> str:
    fact = FACTS.entities[entity].one(relation)
    assert fact is not None, f"{entity} has no {relation}"
    return FACTS.entities[fact.target].title


def test_there_are_enough_of_enough_kinds() -> None:
    assert len(ARTICLES) >= 5_000
    assert sum(len(keys) >= 80 for kind, keys in FACTS.kinds.items() if kind != DISAMBIGUATION) >= 10
    assert len(FACTS.kinds[DISAMBIGUATION]) >= 200


def test_each_article_has_six_facts_and_five_links() -> None:
    for entity in ARTICLES:
        assert len(entity.facts) >= 6, entity.id
        assert len({fact.target for fact in entity.facts} - {""}) >= 5, entity.id


def test_titles_are_unique_and_made_of_the_name() -> None:
    assert len({entity.title for entity in ENTITIES}) == len(ENTITIES)
    for entity in ENTITIES:
        assert (
            entity.name and entity.name.strip() == entity.name and "(" not in entity.title.removeprefix(entity.name)[2:]
        )
        assert entity.title == entity.name or entity.title.startswith(f"{entity.name} (")
        assert entity.name not in entity.aliases


def test_a_shared_name_has_a_page_that_lists_exactly_its_bearers() -> None:
    names = Counter(entity.name for entity in ARTICLES)
    for name, times in names.items():
        page = FACTS.titled(name)
        assert page is not None
        if times == 1:
            assert page.kind != DISAMBIGUATION and page.name == name
        else:
            assert page.kind == DISAMBIGUATION
            listed = {fact.target for fact in page.facts}
            assert listed == {entity.id for entity in ARTICLES if entity.name == name}
    shared = {name for name, times in names.items() if times > 1}
    assert {FACTS.entities[key].name for key in FACTS.kinds[DISAMBIGUATION]} == shared


def test_targets_exist_and_the_value_is_their_name() -> None:
    for entity in ENTITIES:
        assert len(set(entity.facts)) == len(entity.facts), entity.id
        for fact in entity.facts:
            assert fact.value != "" and 0 <= fact.source < len(FACTS.sources)
            if fact.target:
                assert FACTS.entities[fact.target].name == fact.value and fact.target != entity.id


def test_facts_of_a_relation_stand_together() -> None:
    for entity in ENTITIES:
        runs = [fact.relation for at, fact in enumerate(entity.facts) if fact.relation != entity.facts[at - 1].relation]
        assert len(runs) <= len(set(runs)) + (len(set(runs)) == 1), entity.id


@pytest.mark.parametrize(
    "relation, low, high",
    [
        ("latitude", -90, 90),
        ("longitude", -180, 180),
        ("population", 0, 6e9),
        ("atomic_number", 1, 118),
        ("born", 1450, 2000),
        ("died", 1470, 2026),
        ("years_lived", 18, 105),
        ("magnitude", -2, 12),
        ("elevation_ft", -1300, 15000),
        ("discovery_year", 1600, 2020),
        ("first_year", 1600, 2026),
        ("local_time_until", 1840, 2000),
        ("height_m", 500, 8900),
        ("largest_share_percent", 0, 100),
    ],
)
def test_numbers_are_in_range(relation: str, low: float, high: float) -> None:
    found = FACTS.by_relation(relation)
    assert len(found) > 30
    for key, fact in found:
        assert isinstance(fact.value, int | float) and low <= fact.value <= high, (key, fact)


@pytest.mark.parametrize(
    "country, capital, currency, neighbour",
    [
        ("FR", "Paris", "Euro", "Spain"),
        ("JP", "Tokyo", "Japanese Yen", ""),
        ("PE", "Lima", "Peruvian Sol", "Chile"),
        ("KE", "Nairobi", "Kenyan Shilling", "Uganda"),
        ("PL", "Warsaw", "Polish Zloty", "Germany"),
        ("AU", "Canberra", "Australian Dollar", ""),
        ("IN", "New Delhi", "Indian Rupee", "Nepal"),
        ("US", "Washington", "US Dollar", "Mexico"),
        ("KZ", "Astana", "Kazakhstani Tenge", "China"),
    ],
)
def test_what_everybody_knows_of_countries(country: str, capital: str, currency: str, neighbour: str) -> None:
    key = f"country:{country}"
    assert value(key, "capital") == capital and value(key, "currency") == currency
    borders = {fact.value for fact in FACTS.entities[key].all("borders")}
    assert neighbour in borders if neighbour else not borders


def test_borders_are_mutual() -> None:
    one_sided = [
        (key, fact.target)
        for key, fact in FACTS.by_relation("borders")
        if key not in {other.target for other in FACTS.entities[fact.target].all("borders")}
    ]
    assert not one_sided


@pytest.mark.parametrize(
    "symbol, name, number, group",
    [
        ("Fe", "Iron", 26, 8),
        ("Au", "Gold", 79, 11),
        ("W", "Tungsten", 74, 6),
        ("Na", "Sodium", 11, 1),
        ("Kr", "Krypton", 36, 18),
    ],
)
def test_what_everybody_knows_of_elements(symbol: str, name: str, number: int, group: int) -> None:
    key = f"element:{symbol}"
    assert FACTS.entities[key].name == name
    assert (value(key, "atomic_number"), value(key, "group")) == (number, group)


def test_what_everybody_knows_of_other_things() -> None:
    assert target("element:Po", "named_after") == "Poland"
    assert "Marie Curie" in {fact.value for fact in FACTS.entities["element:Ra"].all("discovered_by")}
    assert target("constellation:Ori", "brightest_star") == "Rigel"
    assert target("star:32349", "constellation") == "Canis Major"  # Sirius
    assert value("zone:Asia/Kolkata", "offset_july") == "UTC+05:30"
    assert value("zone:Europe/London", "clock_changes") == "yes"
    assert target("currency:DEM", "followed_by") == "Euro"
    assert target("airport:LHR", "city") == "London (United Kingdom)"
    assert target("language:ru", "script") == "Cyrillic"
    assert value("person:Charles Darwin", "born") == 1809
    assert target("person:Karl Gauss", "country") == "Germany"
    assert target("region:US-CA", "largest_city") == "Los Angeles"


def test_the_same_facts_come_back_and_give_the_same_bytes() -> None:
    packed = pack(FACTS)
    again = unpack(packed)
    assert again.entities == FACTS.entities and again.sources == FACTS.sources and again.licences == FACTS.licences
    assert pack(again) == packed


def test_reading_by_relation_and_backwards() -> None:
    assert FACTS is load()
    here = FACTS.inverse("capital", target_id("country:FR", "capital"))
    assert here == ("country:FR",)
    assert FACTS.inverse("capital", "country:FR") == ()
    assert set(FACTS.inverse("continent", "continent:SA")) >= {"country:BR", "country:PE"}
    with pytest.raises(ValueError, match=r"unknown relation 'capitol'; did you mean 'capital'"):
        FACTS.by_relation("capitol")
    assert FACTS.titled("no such title") is None
    assert sorted(FACTS.relations) == list(FACTS.relations)


def target_id(entity: str, relation: str) -> str:
    fact = FACTS.entities[entity].one(relation)
    assert fact is not None
    return fact.target


def test_an_entity_without_a_relation_says_so() -> None:
    entity = Entity("x:1", "x", "One", "One", (), ())
    assert entity.one("capital") is None and entity.all("capital") == ()
    assert Facts({"x:1": entity}, (), ()).kinds == {"x": ("x:1",)}
