"""Airports: airportsdata, for the airports of cities that are here."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from agentgym.envs.wiki_search.shipped.gather.draft import Draft
from agentgym.envs.wiki_search.shipped.gather.packages import module
from agentgym.envs.wiki_search.shipped.gather.places import plain

SOURCE: Final = "airportsdata"
METROPOLIS: Final = 5_000_000
FARTHEST: Final = 1.0
"""Degrees of latitude or longitude that an airport may lie from its city; a place that is farther is another one."""


def gather(draft: Draft) -> None:
    """Add the international airports, and some others, that name a city which is here."""
    cities: dict[tuple[str, str], list[tuple[str, float, float]]] = {}
    for key in draft.of("city"):
        facts = {relation: value for relation, value, _, _ in draft.raw[key].facts}
        country = next(target for relation, _, target, _ in draft.raw[key].facts if relation == "country")
        place = (key, float(facts["latitude"] or 0), float(facts["longitude"] or 0))
        cities.setdefault((country, plain(draft.raw[key].name)), []).append(place)
    others: Counter[str] = Counter()
    people = {
        key: next(int(fact[1] or 0) for fact in draft.raw[key].facts if fact[0] == "population")
        for key in draft.of("city")
    }
    for code, row in sorted(module(SOURCE).load("IATA").items()):
        near = [
            key
            for key, lat, lon in cities.get((f"country:{row['country']}", plain(row["city"])), ())
            if abs(lat - row["lat"]) < FARTHEST and abs(lon - row["lon"]) < FARTHEST
        ]
        if len(near) != 1 or "Airport" not in row["name"] or not row["icao"]:
            continue
        others[near[0]] += "International" not in row["name"]
        if "International" in row["name"] or others[near[0]] <= _most(people[near[0]]):
            _airport(draft, code, row, near[0])


def _most(people: int) -> int:
    """Return how many airports a city of so many people may have besides those called international."""
    return 1 if people < METROPOLIS else 8


def _airport(draft: Draft, code: str, row: Any, city: str) -> None:
    key, name = f"airport:{code}", " ".join(row["name"].replace(" / ", "/").split())
    draft.add(key, name, (draft.raw[city].name, code), [code, row["icao"]])
    draft.link(key, "city", city, SOURCE)
    draft.link(key, "country", f"country:{row['country']}", SOURCE)
    draft.say(key, "iata", code, SOURCE)
    draft.say(key, "icao", row["icao"], SOURCE)
    draft.say(key, "elevation_ft", round(row["elevation"]), SOURCE)
    draft.say(key, "latitude", round(row["lat"], 4), SOURCE)
    draft.say(key, "longitude", round(row["lon"], 4), SOURCE)
    draft.link(key, "time_zone", f"zone:{row['tz']}", SOURCE, otherwise=row["tz"])
