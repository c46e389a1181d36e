"""Time zones: tzdata, read by the standard library's zoneinfo."""

from __future__ import annotations

import re
import struct
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

from agentgym.envs.wiki_search.shipped.gather.draft import Draft
from agentgym.envs.wiki_search.shipped.gather.packages import module

SOURCE: Final = "tzdata"
YEAR: Final = 2025
"""The year whose clocks are told."""


def gather(draft: Draft) -> None:
    """Add the zones of zone1970.tab and those of zone.tab that are not mere links to them."""
    root = Path(module(SOURCE).__file__).parent / "zoneinfo"
    tables = {name: (root / name).read_text("utf-8").splitlines() for name in ("zone1970.tab", "zone.tab")}
    rows = {name: [line.split("\t") for line in lines if line[:1] != "#"] for name, lines in tables.items()}
    shared = {row[2]: row[0].split(",") for row in rows["zone1970.tab"]}
    for row in sorted(rows["zone.tab"], key=lambda row: row[2]):
        _zone(draft, root, row, shared.get(row[2], [row[0]]))


def _zone(draft: Draft, root: Path, row: list[str], countries: list[str]) -> None:
    name, place = row[2], row[2].rpartition("/")[2].replace("_", " ")
    key = f"zone:{name}"
    with (root / name).open("rb") as file:
        zone = ZoneInfo.from_file(file, key=name)
    draft.add(key, name, ("time zone",), [f"{place} time zone"])
    for country in countries:
        draft.link(key, "used_in" if country == row[0] else "also_used_in", f"country:{country}", SOURCE)
    winter, summer = (datetime(YEAR, month, 1, 12, tzinfo=zone) for month in (1, 7))
    draft.say(key, "named_after", place, SOURCE)
    draft.say(key, "offset_january", offset(winter), SOURCE)
    draft.say(key, "offset_july", offset(summer), SOURCE)
    draft.say(key, "abbreviation", winter.tzname() if (winter.tzname() or "+").isalpha() else None, SOURCE)
    found = re.fullmatch(r"([+-]\d{2})(\d{2})(?:\d{2})?([+-]\d{3})(\d{2})(?:\d{2})?", row[1])
    if found is None:
        raise ValueError(f"{name} has no place: {row[1]}")
    degrees = [
        int(whole) + (-1 if whole[0] == "-" else 1) * int(minutes) / 60
        for whole, minutes in ((found[1], found[2]), (found[3], found[4]))
    ]
    draft.say(key, "latitude", round(degrees[0], 2), SOURCE)
    draft.say(key, "longitude", round(degrees[1], 2), SOURCE)
    draft.say(key, "clock_changes", "yes" if winter.utcoffset() != summer.utcoffset() else "no", SOURCE)
    first = first_change(root / name)
    if first:
        draft.say(key, "local_time_until", first, SOURCE)


def offset(moment: datetime) -> str:
    """Return the offset of a moment from universal time, such as "UTC+05:30"."""
    minutes = round((moment.utcoffset() or timedelta()).total_seconds() / 60)
    hours, rest = divmod(abs(minutes), 60)
    return f"UTC{'-' if minutes < 0 else '+'}{hours:02d}:{rest:02d}"


def first_change(file: Path) -> int:
    """Return the year of the first change that a TZif file records, 0 if there is none: the end of local mean time."""
    raw = file.read_bytes()
    counts: Any = struct.unpack(">6l", raw[20:44])
    isutc, isstd, leap, times, types, chars = counts
    second = 44 + times * 5 + types * 6 + chars + leap * 8 + isstd + isutc
    isutc, isstd, leap, times, types, chars = struct.unpack(">6l", raw[second + 20 : second + 44])
    if not times:
        return 0
    (first,) = struct.unpack(">q", raw[second + 44 : second + 52])
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=first)).year
