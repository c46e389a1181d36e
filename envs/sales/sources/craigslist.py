"""Listings of CraigslistBargain (He et al. 2018, arXiv 1808.09637), to bargain over.

craigslist_CATEGORY.json holds a list of listings: post_id, title, price, category, description (a list of texts), item.
Of every ten listings seven are in the split train, one in dev and two in test, by their ids. The task of a listing is
`listing`, what the listing says, and what `negotiation.buyer` draws from its id.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from agentgym.data import Loaded, Problem, Progress, file_hash
from agentgym.envs.sales.negotiation import CATEGORIES
from agentgym.errors import DataError, unknown
from agentgym.rng import TurnRng
from agentgym.task import Task

SPLITS: Final = ("train",) * 7 + ("dev",) + ("test",) * 2
LEAST: Final = 5
"""Below this price, in US dollars, a listing states none: sellers write $1 to be found."""
LONGEST: Final = 80
"""Characters of a title, and ten times as many of a description, that are kept."""


def load(folder: Path, progress: Progress) -> Loaded:
    """Read a folder of listings; see `agentgym.data.Loader`.

    Raises:
        DataError: it holds no file of listings.
    """
    files = sorted(folder.glob("craigslist_*.json"))
    if not files:
        raise DataError(f"{folder} holds no file of listings; looked for such as craigslist_bike.json")
    splits: dict[str, list[Task]] = {split: [] for split in dict.fromkeys(SPLITS)}
    problems: list[Problem] = []
    hashes: dict[str, str] = {}
    seen: dict[str, str] = {}
    items = 0
    for number, file in enumerate(files):
        progress(number, len(files))
        try:
            listings = json.loads(file.read_text("utf-8"))
        except (OSError, ValueError) as error:
            problems.append(Problem(file.name, "", f"it cannot be read: {str(error)[:80]}", "put a whole file there"))
            continue
        if not isinstance(listings, list):
            problems.append(Problem(file.name, "", "it holds no list of listings", "put a JSON list there"))
            continue
        hashes[file.name] = file_hash(file)
        for place, listing in enumerate(listings):
            items += 1
            wrong = _wrong(listing, seen)
            if wrong:
                problems.append(Problem(file.name, f"listing {place}", *wrong))
                continue
            key = str(listing["post_id"])
            seen[key] = file.name
            split = SPLITS[TurnRng(0, stream=f"craigslist {key}").integers(len(SPLITS))]
            splits[split].append(Task(f"{listing['category']}/{key}", {"listing": _kept(listing)}))
    progress(len(files), len(files))
    return Loaded({split: tuple(tasks) for split, tasks in splits.items()}, hashes, tuple(problems), items)


def _wrong(listing: Any, seen: Mapping[str, str]) -> tuple[str, str] | None:
    """Return what is wrong with a listing, and the remedy; None where it plays."""
    if not isinstance(listing, dict):
        return "it is no object", "leave it out"
    for name in ("post_id", "title", "category"):
        if not isinstance(listing.get(name), str) or not listing[name].strip(" .!?,;:-"):
            return f"it has no {name}", f"give it a text as {name}"
    price = listing.get("price")
    if isinstance(price, bool) or not isinstance(price, int | float) or not LEAST <= price < 1e6:
        return f"its price is {price!r:.20}, nothing to bargain from", f"give a number of dollars from {LEAST} up"
    if listing["category"] not in CATEGORIES:
        return unknown("category", listing["category"], CATEGORIES), "leave it out"
    if listing["post_id"] in seen:
        return f"its post_id stands in {seen[listing['post_id']]} before", "leave one out"
    return None


def _kept(listing: Mapping[str, Any]) -> dict[str, Any]:
    texts = listing.get("description", ())
    said = " ".join(text for text in texts if isinstance(text, str)) if isinstance(texts, list) else ""
    return {
        "post_id": listing["post_id"], "title": " ".join(listing["title"].split())[:LONGEST].rstrip(" .!?,;:-"),
        "price": round(listing["price"]), "category": listing["category"],
        "description": " ".join(said.split())[: 10 * LONGEST],
    }  # fmt: skip
