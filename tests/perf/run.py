"""Measure speeds against their baselines in the same run and print a table: `python tests/perf/run.py`.

Ends with status 1 if a row misses its target. See docs/performance.md.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
if __name__ == "__main__":
    sys.path[0] = str(ROOT)  # the checkout, not this folder

from tests.perf import (  # noqa: E402
    babyai,
    estimators,
    imports,
    records,
    sales,
    service,
    sql,
    support,
    vectors,
    wiki,
    worlds,
)
from tests.perf.measure import CALIBRATION, REFERENCE, Clock, Line, Setting, calibration, machine  # noqa: E402

PAGE = ROOT / "docs" / "performance.md"
BEGIN, END = "<!-- results -->", "<!-- end of results -->"
HEAD = ("row", "ours", "against", "baseline", "ratio", "target", "verdict")
WIDTHS = (64, 11, 27, 11, 20, 20, 7)
BUSY = 1.15
"""Wall time over CPU time from which on the machine was too busy for figures to be kept."""

ROWS: Mapping[str, Callable[[Clock, Setting], Iterator[Line]]] = {
    "import": imports.importing,
    "shell": worlds.shell,
    "vector": vectors.stepping,
    "workers": vectors.working,
    "step": babyai.steps,
    "fork": babyai.forking,
    "hash": babyai.hashing,
    "collect": babyai.collecting,
    "sql": sql.steps,
    "sql-mix": sql.mixture,
    "guards": sql.guarding,
    "moments": sql.moments,
    "growth": sql.growth,
    "service": service.steps,
    "talks": service.talks,
    "service-moments": service.keeping,
    "support": support.steps,
    "support-moments": support.keeping,
    "sales": sales.steps,
    "search": wiki.searching,
    "search-growth": wiki.growing,
    "search-served": wiki.serving,
    "search-step": wiki.stepping,
    "search-build": wiki.building,
    "search-million": wiki.million,
    "batch": records.building,
    "gigpo": records.gigpo,
    "grpo": records.grpo,
    "estimators": estimators.against_gigpo,
    "proxmo": estimators.proxmo,
    "parse": worlds.parsing,
    "records": worlds.hashing,
}

BY_NAME = ("search-million",)
"""Rows that are measured only where they are named, since they take minutes and gigabytes."""


def time_text(seconds: float) -> str:
    """Return a duration with three digits and its unit."""
    size = abs(seconds)
    factor, unit = (1.0, "s") if size >= 1 else (1e3, "ms") if size >= 1e-3 else (1e6, "µs")
    value = seconds * factor
    return f"{value:.0f} {unit}" if abs(value) >= 100 else f"{value:.3g} {unit}"


def times_text(ratio: float) -> str:
    return f"{ratio:,.0f} ×" if abs(ratio) >= 100 else f"{ratio:.3g} ×"


def cells(line: Mapping[str, Any]) -> list[str]:
    """Return a line's seven cells; a ratio to the calibration is also told as time on the machine of reference."""
    if line["unit"] == "modules":
        return [line["row"], f"{line['ours']:.0f}", "", "", "", "none", line["verdict"]]
    if line["unit"] == "MB":
        return [line["row"], f"{line['ours']:,.0f} MB", "", "", "", f"≤ {line['bound']:,.0f} MB", line["verdict"]]
    told = times_text
    ratio = times_text(line["ratio"])
    if line["against"] == CALIBRATION:
        ratio += f" = {time_text(line['ratio'] * REFERENCE)}"
        told = lambda bound: time_text(bound * REFERENCE)
    target = "–" if line["bound"] is None else f"{line['sense']} {told(line['bound'])}"
    ours, base = time_text(line["ours"]), time_text(line["baseline"])
    return [line["row"], ours, line["against"], base, ratio, target, line["verdict"]]


def text_row(values: Sequence[str]) -> str:
    return "  ".join(value.ljust(width) for value, width in zip(values, WIDTHS, strict=True)).rstrip()


def measure(rows: Sequence[str], setting: Setting, say: Callable[[str], None]) -> dict[str, Any]:
    """Measure the named rows, say every line as it is known, and return all numbers as JSON values."""
    clock = Clock()
    loop = clock.alternate(setting, {CALIBRATION: calibration()})[CALIBRATION]
    say(
        f"calibration: a bare Gymnasium step takes {time_text(median(loop))} of CPU time here, {time_text(REFERENCE)} "
        "on the machine of reference; targets in µs, ms and s are multiples of it"
    )
    say("\n" + text_row(HEAD))
    lines: list[dict[str, Any]] = []
    for name in rows:
        for line in ROWS[name](clock, setting):
            lines.append(line.as_dict())
            say(text_row(cells(lines[-1])))
    facts = {"schema": 1, **machine(), "calibration": median(loop), "busy": clock.busy, "setting": asdict(setting)}
    return {**facts, "lines": lines}


def summary(result: Mapping[str, Any]) -> str:
    """Return the last line: how many rows missed, and whether the machine was quiet."""
    missed = [line["row"] for line in result["lines"] if line["verdict"] == "MISS"]
    told = f"{len(result['lines'])} lines, {len(missed)} missed; wall time over CPU time {result['busy']:.2f}"
    return told + ("" if result["busy"] < BUSY else ": the machine was busy, take no figures from this run")


def markdown(result: Mapping[str, Any]) -> str:
    """Return the results as a paragraph and a table."""
    versions = ", ".join(f"{name} {version}" for name, version in result["versions"].items())
    head = (
        f"Measured on {result['date']}: {result['machine']}, {result['cpus']} CPUs, {result['system']}, "
        f"Python {result['python']}, {versions}; calibration {time_text(result['calibration'])}, wall time over CPU "
        f"time {result['busy']:.2f}.\n"
    )
    rows = [HEAD, ("---", *["---:" if name in ("ours", "baseline", "ratio", "target") else "---" for name in HEAD[1:]])]
    rows += [tuple(cells(line)) for line in result["lines"]]
    return head + "\n" + "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n"


def filled(page: str, result: Mapping[str, Any]) -> str:
    """Return the page with the results between its two marks."""
    before, found, rest = page.partition(BEGIN)
    _, ended, after = rest.partition(END)
    if not found or not ended:
        raise SystemExit(f"the page lacks the marks {BEGIN} and {END}: put them back where the table belongs")
    return f"{before}{BEGIN}\n\n{markdown(result)}\n{END}{after}"


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"measure only these: {', '.join(ROWS)}")
    parser.add_argument("--json", type=Path, metavar="PATH", help="write the numbers to this file")
    parser.add_argument("--rounds", type=int, default=Setting().rounds, help="times that the works take turns")
    parser.add_argument("--passages", type=int, default=Setting().passages, help="of the rows of wiki_search")
    parser.add_argument("--million", type=int, default=Setting().million, help="passages of search-million")
    parser.add_argument(
        "--markdown",
        type=Path,
        metavar="PATH",
        help=f"measure nothing: write the numbers of this file into {PAGE.name}",
    )
    chosen = parser.parse_args(argv)
    if stray := [name for name in chosen.rows if name not in ROWS]:
        parser.error(f"unknown row {stray[0]!r}: choose from {', '.join(ROWS)}")
    if chosen.rounds < 1:
        parser.error(f"--rounds must be at least 1, not {chosen.rounds}")
    for name in ("passages", "million"):
        if getattr(chosen, name) < 100:
            parser.error(f"--{name} must be at least 100, not {getattr(chosen, name)}")
    return chosen


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit status."""
    chosen = arguments(argv)
    if chosen.markdown is not None:
        result = json.loads(chosen.markdown.read_text("utf-8"))
        PAGE.write_text(filled(PAGE.read_text("utf-8"), result), "utf-8")
        return 0
    setting = replace(Setting(), rounds=chosen.rounds, passages=chosen.passages, million=chosen.million)
    rows = chosen.rows or [name for name in ROWS if name not in BY_NAME]
    result = measure(rows, setting, lambda text: print(text, flush=True))
    print("\n" + summary(result))
    if chosen.json is not None:
        chosen.json.parent.mkdir(parents=True, exist_ok=True)
        chosen.json.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return 1 if any(line["verdict"] == "MISS" for line in result["lines"]) else 0


if __name__ == "__main__":
    raise SystemExit(main())
