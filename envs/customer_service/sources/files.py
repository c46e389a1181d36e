"""Where the files of the official sets lie, and how they are read: what is wrong with one is a problem, never an error.

A set's folder holds one folder a domain, itself or in `data/tau2/domains` (tau2's repository) or `tau_bench/envs`
(tau-bench's). A file that is not there is looked for in the folders `tau2-bench` and `tau-bench` beside it, since the
sets share their databases: tau2's airline is tau-bench's with a `user_id` in each user.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from agentgym.data import Problem, file_hash
from agentgym.envs.customer_service.database import Database, Record
from agentgym.envs.customer_service.official.domains import Official, officials
from agentgym.envs.customer_service.official.values import Invalid

BESIDE: Final = ("tau2-bench", "tau-bench")
POLICIES: Final = {
    "airline": ("policy.md",),
    "retail": ("policy.md",),
    "telecom": ("main_policy.md", "tech_support_manual.md"),
}
"""Domain → the files of its policy, in the order in which the agent reads them."""

_LAYOUTS: Final = {
    "airline": (("db.json",), ("flights.json", "users.json", "reservations.json")),
    "retail": (("db.json",), ("products.json", "users.json", "orders.json")),
    "telecom": (("db.toml", "user_db.toml"),),
}
_AGAIN: Final = "download it again"


class Files:
    """The files of one set.

    Args:
        folder: of the set.
        kind: of the set, which says what its tools are and how they keep records.

    Attributes:
        used: path below the folder → hash, of the files that were asked for and are there.
        problems: what is wrong with them.
    """

    def __init__(self, folder: Path, kind: str = "tau2") -> None:
        self.folder = folder
        self.officials = officials(kind)
        self.used: dict[str, str] = {}
        self.problems: list[Problem] = []

    def places(self, domain: str) -> Iterator[str]:
        """Yield the folders of a domain, as paths below the set's folder: its own, then those beside it."""
        for base in ("", *(f"../{name}/" for name in BESIDE)):
            for inner in (domain, f"data/tau2/domains/{domain}", f"tau_bench/envs/{domain}/data"):
                if (self.folder / base / inner).is_dir():
                    yield f"{base}{inner}"

    def find(self, domain: str, name: str, *, beside: bool = True) -> str:
        """Return the path of a file of a domain, "" where it is nowhere; without `beside`, in the own folder alone."""
        paths = (f"{place}/{name}" for place in self.places(domain))
        return next((path for path in paths if (beside or path[0] != ".") and (self.folder / path).is_file()), "")

    def use(self, path: str) -> None:
        """Count a file among those that are used."""
        try:
            self.used[path] = file_hash(self.folder / path)
        except OSError as error:
            self.wrong(path, "", f"it cannot be read ({(error.strerror or str(error)).lower()})", "put it there")

    def read(self, path: str) -> Any:
        """Return what a JSON or TOML file holds, None and a problem where it cannot be read."""
        place = self.folder / path
        try:
            text = place.read_text("utf-8")
            held = tomllib.loads(text) if path.endswith(".toml") else json.loads(text, parse_constant=_constant)
            self.used[path] = file_hash(place)
        except OSError as error:
            self.wrong(path, "", f"it cannot be read ({(error.strerror or str(error)).lower()})", "put it there")
        except (ValueError, RecursionError) as error:  # no JSON, no TOML, no UTF-8, or it nests without end
            self.wrong(path, "", f"it is no {'TOML' if path.endswith('.toml') else 'JSON'} ({error})", _AGAIN)
        else:
            return held
        return None

    def wrong(self, path: str, item: str, wrong: str, remedy: str, plays: bool = False) -> None:
        """Note what is wrong with an item."""
        self.problems.append(Problem(path, item, wrong, remedy, plays))

    def database(self, domain: str) -> Database | None:
        """Return a domain's database; None and a problem where there is none that can be read."""
        paths = self.database_files(domain)
        if not paths:
            wanted = " or ".join(" and ".join(names) for names in _LAYOUTS[domain])
            self.wrong(domain, "", f"there is no database ({wanted})", "put it there, or its set's folder beside it")
            return None
        held = {path: self.read(path) for path in paths}
        for path, one in held.items():
            if one is not None and type(one) is not dict:
                self.wrong(path, "", f"it holds a {type(one).__name__}, no object of tables", _AGAIN)
        if not all(type(one) is dict for one in held.values()):
            return None
        official = self.officials[domain]
        tables = {name: self._table(official, name, held) for name in official.models}
        if official.user_models:
            tables["user"] = self._user(official, held)
        return official.build(tables)

    def database_files(self, domain: str) -> tuple[str, ...]:
        """Return the paths of a domain's database, () where it is nowhere: one file for all tables, or one for each."""
        for place in self.places(domain):
            for names in _LAYOUTS[domain]:
                if all((self.folder / place / name).is_file() for name in names):
                    return tuple(f"{place}/{name}" for name in names)
        return ()

    def own_database(self, domain: str) -> bool:
        """Whether a domain's database lies in the set's own folder."""
        return any(not path.startswith("..") for path in self.database_files(domain))

    def _table(self, official: Official, name: str, held: Mapping[str, Any]) -> dict[str, Record]:
        """Return the checked records of a table; those that its model refuses are left out."""
        alone = next((path for path in held if path.endswith(f"/{name}.json")), "")
        path = alone or next(iter(held))
        rows = held[path] if alone else held[path].get(name)
        table: dict[str, Record] = {}
        for key, row in _rows(rows, official.keys.get(name, "")):
            if alone and (official.name, name) == ("airline", "users") and type(row) is dict:
                row = {"user_id": key, **row}  # what tau-bench leaves to the key
            try:
                table[key] = official.models[name](row)
            except Invalid as error:
                self.wrong(path, f"{name} {key!r:.40}", f"{error}, so it is left out", "mend the record")
        return table

    def _user(self, official: Official, held: Mapping[str, Any]) -> dict[str, Record]:
        """Return the records of the customer's side, as they are by default where a model refuses them."""
        path = next(path for path in held if path.endswith("/user_db.toml"))
        table: dict[str, Record] = {}
        for key, check in official.user_models.items():
            try:
                table[key] = check(held[path].get(key, {}))
            except Invalid as error:
                self.wrong(path, key, f"{error}, so it is as by default", "mend the record")
                table[key] = check({})
        return table


def _rows(rows: Any, key: str) -> Iterator[tuple[str, Any]]:
    """Yield the records of a table with their keys: of a mapping, or of a list by the field `key`."""
    if key:
        for number, row in enumerate(rows if type(rows) is list else ()):
            name = row.get(key) if type(row) is dict else None
            yield (name if type(name) is str else f"number {number}"), row
    else:
        yield from rows.items() if type(rows) is dict else ()


def _constant(name: str) -> Any:
    raise ValueError(f"it holds {name}")
