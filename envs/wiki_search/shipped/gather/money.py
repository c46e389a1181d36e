"""Currencies, those of today and those of the past: CLDR by Babel, ISO 4217 by pycountry."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any, Final

from agentgym.envs.wiki_search.shipped.gather.draft import Draft
from agentgym.envs.wiki_search.shipped.gather.packages import module

CLDR: Final = "Babel"
ALIKE: Final = 3
Spell = tuple[str, tuple[int, int, int] | None, tuple[int, int, int] | None]


def gather(draft: Draft) -> None:
    """Add each currency that is or was legal tender in a country that is here, with its years, and what followed."""
    english = module(CLDR, "babel").Locale("en")
    spells: dict[str, list[Spell]] = {}
    for country, rows in sorted(module(CLDR, "babel.core").get_global("territory_currencies").items()):
        for code, first, last, tender in rows:
            if f"country:{country}" in draft.raw and tender:
                spells.setdefault(code, []).append((country, first, last))
    for code in sorted(spells):
        if english.currencies.get(code):
            _currency(draft, code, english, spells[code])
    _sequence(draft, spells)
    _alike(draft)


def _currency(draft: Draft, code: str, english: Any, spells: list[Spell]) -> None:
    key, name = f"currency:{code}", re.sub(r" \(.*\)$", "", english.currencies[code])
    told = module("pycountry").currencies.get(alpha_3=code)
    qualifier = re.search(r"\((.*)\)$", english.currencies[code])
    draft.add(key, name, ("currency", qualifier.group(1) if qualifier else "", code), [code])
    draft.say(key, "iso_4217", code, CLDR)
    draft.say(key, "iso_number", getattr(told, "numeric", None), "pycountry")
    symbol = english.currency_symbols.get(code, "")
    draft.say(key, "symbol", symbol if symbol != code else None, CLDR)
    digits, _ = (*module(CLDR, "babel.core").get_global("currency_fractions").get(code, (2, 0, 0, 0)), 0)[:2]
    draft.say(key, "decimal_places", digits, CLDR)
    draft.say(key, "unit", name.split()[-1], CLDR)
    today = [country for country, _, last in spells if last is None]
    for country in today:
        draft.link(key, "used_in", f"country:{country}", CLDR)
        draft.link(f"country:{country}", "currency", key, CLDR)
    for country, _, last in spells:
        if last is not None and country not in today:
            draft.link(key, "formerly_used_in", f"country:{country}", CLDR)
    draft.say(key, "first_year", min((first[0] for _, first, _ in spells if first), default=None), CLDR)
    if not today:
        draft.say(key, "last_year", max(last[0] for _, _, last in spells if last), CLDR)


def _alike(draft: Draft) -> None:
    """Add which currencies have the same unit, which came into use next and before, and which are used next door."""
    told = {key: {name: value for name, value, _, _ in draft.raw[key].facts} for key in draft.of("currency")}
    units: dict[str, list[str]] = {}
    for key, facts in told.items():
        units.setdefault(str(facts["unit"]), []).append(key)
    for found in units.values():
        for at, key in enumerate(found):
            for other in (*found[at + 1 :], *found[:at])[:ALIKE]:
                draft.link(key, "same_unit", other, CLDR)
    dated = sorted((int(facts["first_year"] or 0), key) for key, facts in told.items() if facts.get("first_year"))
    for (_, old), (_, new) in pairwise(dated):
        draft.link(old, "introduced_before", new, CLDR)
        draft.link(new, "introduced_after", old, CLDR)
    current = {}
    for key in told:
        for name, _, country, _ in draft.raw[key].facts:
            if name == "used_in":
                current.setdefault(country, []).append(key)
    for key in told:
        homes = [to for name, _, to, _ in draft.raw[key].facts if name in ("used_in", "formerly_used_in")]
        beyond = [to for home in homes for name, _, to, _ in draft.raw[home].facts if name == "borders"]
        near = sorted({other for country in beyond for other in current.get(country, ())} - {key})
        for other in near[:ALIKE]:
            draft.link(key, "used_next_door", other, CLDR)


def _sequence(draft: Draft, spells: dict[str, list[Spell]]) -> None:
    """Add which currency of a country was followed by which: the next that began before or when the other ended."""
    rows: dict[str, list[tuple[tuple[int, int, int], tuple[int, int, int] | None, str]]] = {}
    for code, told in spells.items():
        for country, first, last in told:
            if first and f"currency:{code}" in draft.raw:
                rows.setdefault(country, []).append((first, last, code))
    for country in sorted(rows):
        ordered = sorted(rows[country], key=lambda row: (row[0], row[2]))
        for (_, last, old), (first, _, new) in pairwise(ordered):
            if last is not None and abs(first[0] - last[0]) <= 4 and old != new:
                draft.link(f"currency:{old}", "followed_by", f"currency:{new}", CLDR)
                draft.link(f"currency:{new}", "follows", f"currency:{old}", CLDR)
