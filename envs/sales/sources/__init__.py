"""Readers of public data: listings of CraigslistBargain to bargain over, and recorded talks of PersuasionForGood.

`load_source` finds a set of listings that was added by `agentgym data add`, or reads a folder on the spot;
`persuasion.recorded` gives the recorded talks.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from agentgym import data as store
from agentgym.data import Source
from agentgym.errors import DataError

KINDS: Final = ("craigslist",)
"""The sets of this world, by their names in `agentgym.data.SETS`."""


def load_source(name: str = "", folder: str | os.PathLike[str] = "") -> Source:
    """Return a set of listings; a process reads each once.

    Args:
        name: what it was added as.
        folder: or the folder of its files, which is read and checked on the spot.

    Raises:
        ValueError: none of the two is given, or both; a data set of another world.
        DataError: there is no such set, or nothing in it plays.
    """
    return store.find(name, folder, KINDS, "listings to bargain over", kind_of)


def kind_of(folder: Path) -> str:
    """Return which set's layout a folder has. Raises DataError: none of this world."""
    if (folder / "full_dialog.csv").is_file():
        raise DataError(f"{folder} holds recorded talks: read them with agentgym.envs.sales.sources.persuasion")
    return "craigslist"
