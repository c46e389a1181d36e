"""Stars, constellations and Messier's objects: d3-celestial; spectral classes by ephem."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import numpy as np

from agentgym.envs.wiki_search.shipped.gather.draft import Draft
from agentgym.envs.wiki_search.shipped.gather.near import degrees, unit
from agentgym.envs.wiki_search.shipped.gather.packages import folder, module

SOURCE: Final = "d3-celestial"
TYPES: Final = {
    "gg": "galaxy cluster", "g": "galaxy", "s": "spiral galaxy", "s0": "lenticular galaxy",
    "sd": "dwarf spheroidal galaxy", "i": "irregular galaxy", "e": "elliptical galaxy", "oc": "open cluster",
    "gc": "globular cluster", "dn": "dark nebula", "bn": "bright nebula", "sfr": "star-forming region",
    "rn": "reflection nebula", "en": "emission nebula", "pn": "planetary nebula", "snr": "supernova remnant",
}  # fmt: skip
COLOURS: Final = ((-0.02, "blue"), (0.3, "blue-white"), (0.58, "white"), (0.81, "yellow"), (1.4, "orange"))
"""Up to which B-V index a star is called what; beyond the last it is red."""


def gather(draft: Draft, root: Path) -> None:
    """Add the 88 constellations, the stars with a proper name, and Messier's objects."""
    data = folder(root, SOURCE) / "data"
    told = {name: json.loads((data / f"{name}.json").read_text("utf-8")) for name in _FILES}
    for row in told["constellations"]["features"]:
        _constellation(draft, row["properties"])
    for row in told["constellations.borders"]["features"]:
        one, other = (_known(part) for part in row["ids"].split(","))
        draft.link(f"constellation:{one}", "borders", f"constellation:{other}", SOURCE)
        draft.link(f"constellation:{other}", "borders", f"constellation:{one}", SOURCE)
    stars = {str(row["id"]): row for row in told["stars.8"]["features"]}
    places: dict[str, tuple[float, float]] = {}
    seen: set[str] = set()
    for hip, row in sorted(told["starnames"].items(), key=lambda item: int(item[0])):
        if row.get("name") and hip in stars and row["name"] not in seen and row.get("c"):
            seen.add(row["name"])
            places[f"star:{hip}"] = _star(draft, hip, row, stars[hip])
    for row in told["messier"]["features"]:
        if row["properties"]["type"] in TYPES:
            lon, lat = row["geometry"]["coordinates"]
            places[f"messier:{row['id']}"] = (float(lat), float(lon) % 360)
            _messier(draft, row)
    _constellation_of_messier(draft, places, told)
    _neighbours(draft, places)


_FILES: Final = ("constellations", "constellations.borders", "constellations.bounds", "stars.8", "starnames", "messier")


def _known(code: str) -> str:
    return "Ser" if code in ("Ser1", "Ser2") else code


def _constellation(draft: Draft, row: Any) -> None:
    key = f"constellation:{row['desig']}"
    if key in draft.raw:
        return  # Serpens has two parts
    name = row["name"].removesuffix(" Caput")  # the head of Serpens stands for both its parts
    draft.add(key, name, ("constellation",), [row["en"]])
    draft.say(key, "abbreviation", row["desig"], SOURCE)
    draft.say(key, "genitive", row["gen"], SOURCE)
    draft.say(key, "meaning", row["en"], SOURCE)


def _star(draft: Draft, hip: str, row: Any, place: Any) -> tuple[float, float]:
    key, name = f"star:{hip}", row["name"]
    lon, lat = (float(value) for value in place["geometry"]["coordinates"])
    draft.add(key, name, ("star", f"HIP {hip}"), [f"HIP {hip}", " ".join(row["hd"].split())])
    draft.link(key, "constellation", f"constellation:{_known(row['c'])}", SOURCE)
    draft.say(key, "bayer", row["bayer"], SOURCE)
    draft.say(key, "flamsteed", row["flam"], SOURCE)
    draft.say(key, "hipparcos", int(hip), SOURCE)
    draft.say(key, "henry_draper", row["hd"].removeprefix("HD").strip(), SOURCE)
    draft.say(key, "magnitude", float(place["properties"]["mag"]), SOURCE)
    if place["properties"]["bv"] not in ("", None):
        index = float(place["properties"]["bv"])
        draft.say(key, "colour_index", index, SOURCE)
        draft.say(key, "colour", next((word for most, word in COLOURS if index < most), "red"), SOURCE)
    draft.say(key, "right_ascension_h", round(lon % 360 / 15, 3), SOURCE)
    draft.say(key, "declination_deg", round(lat, 3), SOURCE)
    draft.say(key, "spectral_class", _spectra().get(name), "ephem")
    return lat, lon % 360


def _spectra() -> dict[str, str]:
    rows = [line.split(",") for line in module("ephem", "ephem.stars").db.splitlines() if line.strip()]
    return {row[0]: row[1].split("|")[2] for row in rows if row[1].count("|") >= 2}


def _messier(draft: Draft, row: Any) -> None:
    told, key = row["properties"], f"messier:{row['id']}"
    number, kind = f"Messier {row['id'][1:]}", TYPES[told["type"]]
    name = told["alt"].replace("´", "'") or number
    if "galaxy" in kind and "Galaxy" not in name and told["alt"]:
        name += " Galaxy"
    draft.add(key, name, ("deep-sky object", row["id"]), [number, row["id"], told["desig"]])
    draft.say(key, "messier_number", int(row["id"][1:]), SOURCE)
    draft.say(key, "catalogue_name", told["desig"] if told["desig"] != row["id"] else None, SOURCE)
    draft.say(key, "type", kind, SOURCE)
    draft.say(key, "magnitude", float(told["mag"]), SOURCE)
    draft.say(key, "size_arcmin", told["dim"].replace("x", " × "), SOURCE)
    lon, lat = row["geometry"]["coordinates"]
    draft.say(key, "right_ascension_h", round(lon % 360 / 15, 3), SOURCE)
    draft.say(key, "declination_deg", round(lat, 3), SOURCE)


def _constellation_of_messier(draft: Draft, places: dict[str, tuple[float, float]], told: dict[str, Any]) -> None:
    """Link Messier's objects to the constellation whose outline they lie in."""
    for key, (lat, lon) in places.items():
        if key.startswith("messier:"):
            draft.link(key, "constellation", f"constellation:{_at(lat, lon)}", "ephem")
    for row in told["constellations"]["features"]:
        lon, lat = (float(value) for value in row["geometry"]["coordinates"])
        key = f"constellation:{row['properties']['desig']}"
        if not any(fact[0] == "opposite" for fact in draft.raw[key].facts):
            draft.say(key, "declination_deg", round(lat, 1), SOURCE)
            draft.say(key, "right_ascension_h", round(lon % 360 / 15, 1), SOURCE)
            draft.link(key, "opposite", f"constellation:{_at(-lat, (lon + 180) % 360)}", "ephem")


def _at(lat: float, lon: float) -> str:
    """Return the abbreviation of the constellation at a declination and right ascension, both in degrees."""
    ephem = module("ephem")
    found, _ = ephem.constellation((ephem.degrees(np.radians(lon)), ephem.degrees(np.radians(lat))), epoch="2000")
    return str(found)


def _neighbours(draft: Draft, places: dict[str, tuple[float, float]]) -> None:
    """Add which named stars, and which other object of Messier, lie nearest in the sky, and how many degrees away."""
    for kind, relations in (("star", ("nearest_star", "second_nearest_star")), ("messier", ("nearest_messier",))):
        targets = [key for key in places if key.startswith(f"{kind}:")]
        vectors = unit([places[key] for key in targets])
        for key, place in places.items():
            angles = degrees(unit([place])[0], vectors)
            near = [int(at) for at in np.argsort(angles, kind="stable") if targets[at] != key]
            for relation, at in zip(relations, near, strict=False):
                draft.link(key, relation, targets[at], SOURCE)
                draft.say(key, f"{relation}_deg", round(float(angles[at]), 1), SOURCE)
