"""Chemical elements: mendeleev. What is known to be wrong there is left out, and people are named as elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, Final

from agentgym.envs.wiki_search.shipped.gather.draft import Draft
from agentgym.envs.wiki_search.shipped.gather.packages import module

SOURCE: Final = "mendeleev"
ALIKE: Final = 3
WRONG_YEARS: Final = ("Be", "Nd", "Pt", "Co", "Pr", "Tl", "Mn", "Ni", "In", "Zr", "Rf", "Db", "Ce", "Er", "Tb", "Ho")
"""Whose year or place of discovery is contested, or differs from what handbooks say."""
COUNTRIES: Final = {
    "England": "GB", "Scotland": "GB", "Great Britain": "GB", "Sweden": "SE", "Germany": "DE", "France": "FR",
    "Denmark": "DK", "Finland": "FI", "Italy": "IT", "Russia": "RU", "United States": "US", "Austria": "AT",
    "Switzerland": "CH", "Spain": "ES", "Japan": "JP", "Romania": "RO",
}  # fmt: skip
DISCOVERERS: Final[Mapping[str, tuple[str, ...]]] = {
    "H": ("Henry Cavendish",), "Li": ("Johan August Arfwedson",), "N": ("Daniel Rutherford",),
    "O": ("Joseph Priestley", "Carl Wilhelm Scheele"), "F": ("Henri Moissan",),
    "Ne": ("William Ramsay", "Morris Travers"), "Na": ("Humphry Davy",), "Mg": ("Humphry Davy",),
    "Al": ("Hans Christian Oersted",), "Si": ("Jöns Jacob Berzelius",), "P": ("Hennig Brand",),
    "Cl": ("Carl Wilhelm Scheele",), "Ar": ("William Ramsay", "Third Baron Rayleigh"), "K": ("Humphry Davy",),
    "Ca": ("Humphry Davy",), "Sc": ("Lars Fredrik Nilson",), "Ti": ("William Gregor",), "V": ("Nils Gabriel Sefström",),
    "Cr": ("Louis Nicolas Vauquelin",), "Ga": ("Paul-Émile Lecoq de Boisbaudran",), "Ge": ("Clemens Winkler",),
    "Se": ("Jöns Jacob Berzelius",), "Br": ("Antoine Jérôme Balard",), "Kr": ("William Ramsay", "Morris Travers"),
    "Rb": ("Robert Wilhelm Bunsen", "Gustav Robert Kirchhoff"), "Sr": ("Adair Crawford",), "Y": ("Johan Gadolin",),
    "Nb": ("Charles Hatchett",), "Mo": ("Carl Wilhelm Scheele",), "Tc": ("Carlo Perrier", "Emilio Segrè"),
    "Ru": ("Karl Klaus",), "Rh": ("William Hyde Wollaston",), "Pd": ("William Hyde Wollaston",),
    "Cd": ("Friedrich Stromeyer",), "Te": ("Franz-Joseph Müller von Reichenstein",), "I": ("Bernard Courtois",),
    "Xe": ("William Ramsay", "Morris Travers"), "Cs": ("Gustav Robert Kirchhoff", "Robert Wilhelm Bunsen"),
    "Ba": ("Humphry Davy",), "La": ("Carl Gustaf Mosander",), "Sm": ("Paul-Émile Lecoq de Boisbaudran",),
    "Eu": ("Eugène-Anatole Demarçay",), "Gd": ("Jean de Marignac",), "Dy": ("Paul-Émile Lecoq de Boisbaudran",),
    "Tm": ("Per Teodor Cleve",), "Yb": ("Jean de Marignac",), "Lu": ("Georges Urbain",),
    "Hf": ("Dirk Coster", "Georg von Hevesy"), "Ta": ("Anders Gustaf Ekeberg",),
    "W": ("Fausto Elhuyar", "Juan José Elhuyar"), "Re": ("Walter Noddack", "Ida Tacke", "Otto Berg"),
    "Os": ("Smithson Tennant",), "Po": ("Marie Curie", "Pierre Curie"), "Ra": ("Marie Curie", "Pierre Curie"),
    "At": ("Dale Corson", "Kenneth MacKenzie", "Emilio Segrè"), "Rn": ("Friedrich Ernst Dorn",),
    "Fr": ("Marguerite Perey",), "Ac": ("André-Louis Debierne",), "Th": ("Jöns Jacob Berzelius",),
    "U": ("Martin Heinrich Klaproth",), "Np": ("Edwin Mattison McMillan", "Philip Abelson"),
    "Pu": ("Glenn Theodore Seaborg", "Joseph Kennedy", "Edwin Mattison McMillan", "Arthur Wahl"),
    "Cm": ("Glenn Theodore Seaborg", "Ralph James", "Albert Ghiorso"),
    "Bk": ("Glenn Theodore Seaborg", "Stanley Thompson", "Albert Ghiorso"),
}  # fmt: skip
"""mendeleev's column `discoverers` with the names spelled as they are in `words`, or in full."""
NAMED_AFTER: Final[Mapping[str, str]] = {
    "Ga": "country:FR", "Ge": "country:DE", "Po": "country:PL", "Fr": "country:FR", "Nh": "country:JP",
    "Ru": "country:RU", "Eu": "continent:EU", "Ts": "region:US-TN", "Cm": "person:Marie Curie",
    "Es": "person:Albert Einstein", "Fm": "person:Enrico Fermi", "No": "person:Alfred Nobel",
    "Lr": "person:Ernest Orlando Lawrence", "Rf": "person:Ernest Rutherford", "Sg": "person:Glenn Theodore Seaborg",
    "Bh": "person:Niels Bohr", "Rg": "person:Wilhelm Konrad Roentgen", "Cn": "person:Nicolaus Copernicus",
    "Md": "person:Dmitri Mendeleev", "Mt": "person:Lise Meitner",
}  # fmt: skip
"""mendeleev's column `name_origin`, where it names something that has an article."""


def gather(draft: Draft) -> None:
    """Add the 118 elements."""
    rows = _rows()
    places = {(row.period, row.group_id): row.symbol for row in rows if row.group_id}
    people = {
        name: key for key in reversed(draft.of("person")) for name in (draft.raw[key].name, *draft.raw[key].aliases)
    }
    for row in rows:
        _element(draft, row, rows, places, people)
    for relation, unit in (
        ("melts_next_to", "melting_point_k"),
        ("boils_next_to", "boiling_point_k"),
        ("as_dense_as", "density"),
    ):
        _nearest(draft, relation, unit)
    series: dict[str, list[str]] = {}
    for row in rows:
        series.setdefault(row.series, []).append(f"element:{row.symbol}")
    for found in series.values():
        for at, key in enumerate(found):
            for other in (*found[at + 1 :], *found[:at])[:ALIKE]:
                draft.link(key, "same_series", other, SOURCE)


def _rows() -> list[Any]:
    """Return a namespace an element, by atomic number; what is not known is None."""
    fetch = module(SOURCE, "mendeleev.fetch").fetch_table
    series = {row["id"]: row["name"] for row in fetch("series").to_dict("records")}
    rows = {row["atomic_number"]: _told(row) for row in fetch("elements").to_dict("records")}
    for row in rows.values():
        row |= {"series": series[row["series_id"]], "melting_point": None, "boiling_point": None}
    for told in fetch("phasetransitions").to_dict("records"):
        known = _told(told)
        if not known["allotrope"] and not known["is_sublimation_point"]:
            rows[told["atomic_number"]] |= {name: known[name] for name in ("melting_point", "boiling_point")}
    return [SimpleNamespace(**rows[number]) for number in sorted(rows)]


def _told(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row of a data frame with None for what is not a number."""
    plain = {name: None if value != value else value for name, value in row.items()}
    whole = ("group_id", "discovery_year", "period")
    return plain | {name: int(plain[name]) for name in whole if plain.get(name) is not None}


def _element(
    draft: Draft, row: Any, rows: list[Any], places: dict[tuple[int, int], str], people: dict[str, str]
) -> None:
    key = f"element:{row.symbol}"
    draft.add(key, row.name, ("element",), [row.symbol])
    draft.say(key, "symbol", row.symbol, SOURCE)
    draft.say(key, "atomic_number", row.atomic_number, SOURCE)
    draft.say(key, "atomic_weight", round(row.atomic_weight, 3), SOURCE)
    draft.say(key, "period", row.period, SOURCE)
    draft.say(key, "group", row.group_id, SOURCE)
    draft.say(key, "block", row.block, SOURCE)
    draft.say(key, "series", _singular(row.series), SOURCE)
    draft.say(key, "melting_point_k", _rounded(row.melting_point), SOURCE)
    draft.say(key, "boiling_point_k", _rounded(row.boiling_point), SOURCE)
    draft.say(key, "density", _rounded(row.density, 3), SOURCE)
    draft.say(key, "electronegativity", _rounded(row.en_pauling), SOURCE)
    draft.say(key, "radioactive", "yes" if row.is_radioactive else "no", SOURCE)
    draft.say(key, "cas_number", row.cas, SOURCE)
    if row.symbol not in WRONG_YEARS:
        draft.say(key, "discovery_year", row.discovery_year, SOURCE)
        for place in (row.discovery_location or "").split("/"):
            draft.link(key, "discovered_in", f"country:{COUNTRIES[place]}" if place in COUNTRIES else "", SOURCE)
    for name in DISCOVERERS.get(row.symbol, ()):
        draft.link(key, "discovered_by", people.get(name, "person:"), SOURCE, otherwise=name)
    origin = NAMED_AFTER.get(row.symbol, "")
    draft.link(key, "named_after", people.get(origin.removeprefix("person:"), origin), SOURCE)
    at = row.atomic_number - 1
    for relation, other in (("previous", at - 1), ("next", at + 1)):
        if 0 <= other < len(rows):
            draft.link(key, relation, f"element:{rows[other].symbol}", SOURCE)
    for relation, period in (("element_above", row.period - 1), ("element_below", row.period + 1)):
        if row.group_id and (period, row.group_id) in places:
            draft.link(key, relation, f"element:{places[period, row.group_id]}", SOURCE)


def _singular(series: str) -> str:
    return series.lower().removesuffix("s") if series not in ("Noble gases", "Halogens") else series.lower()[:-1]


def _rounded(value: float | None, digits: int = 2) -> float | None:
    return None if value is None else round(float(value), digits)


def _nearest(draft: Draft, relation: str, measure: str) -> None:
    """Add to each element the one whose measure is nearest to its own; of two equally near the first by symbol."""
    known = {
        key: float(fact[1] or 0) for key in draft.of("element") for fact in draft.raw[key].facts if fact[0] == measure
    }
    for key, value in known.items():
        others = sorted((abs(known[other] - value), other) for other in known if other != key)
        draft.link(key, relation, others[0][1], SOURCE)
