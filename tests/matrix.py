"""The determinism matrix: the same chains in every surrounding that this machine can be given.

    python tests/matrix.py                      every row, ten seeds a world; prints a Markdown table
    python tests/matrix.py --step 1             all hundred seeds
    python tests/matrix.py --only gymnasium     the rows whose names hold this word
    python tests/matrix.py --python PATH        that interpreter too; repeatable

A chain is the sha256 over all that 30 mixed turns return, and the snapshot's bytes (tests/golden_chains.py). What a row
needs and this machine lacks is said in its place. Packages of other versions are installed into a temporary folder.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
TESTS = ROOT / "tests"
Chains = dict[str, list[str]]

CHILD = "import json, golden_chains as g; print(json.dumps(g.chains({step})))"
LOCALE = "import locale; locale.setlocale(locale.LC_ALL, ''); assert 'UTF-8' in locale.setlocale(locale.LC_ALL); "
LATER = """
import datetime, time
AHEAD = 366 * 86_400
def ahead(real, unit): return lambda *given: real(*given) + AHEAD * unit
for name in ("time", "monotonic", "perf_counter"):
    setattr(time, name, ahead(getattr(time, name), 1))
    setattr(time, name + "_ns", ahead(getattr(time, name + "_ns"), 10**9))
class Later(datetime.datetime):
    @classmethod
    def now(cls, tz=None): return super().now(tz) + datetime.timedelta(days=366)
datetime.datetime = Later
"""
WHEEL = """
import sys, agentgym
assert {folder!r} in agentgym.__file__, agentgym.__file__
sys.path.append({tests!r})
"""


class Absent(Exception):
    """This machine lacks what a row needs."""


class Failed(Exception):
    """A row raised: that is as bad as a chain that differs."""


@dataclass
class Row:
    """One row: its name, and what returns its chains, all of them or some; it raises Absent or Failed."""

    name: str
    chains: Callable[[int], Chains]


# ---- how chains are made ---------------------------------------------------------------------------------------------


def here(step: int) -> Chains:
    """Play in this process."""
    from golden_chains import chains

    return chains(step)


def fresh(
    *, python: str = sys.executable, before: str = "", first: str = "", sources: bool = True, **environment: str
) -> Callable[[int], Chains]:
    """Play in a new process.

    Args:
        python: the interpreter.
        before: code that runs first.
        first: a folder that stands before everything else on the path.
        sources: whether the checkout is on the path.
        **environment: variables.
    """

    def played(step: int) -> Chains:
        path = [first] * bool(first) + ([str(ROOT), str(TESTS)] if sources else [])
        done = subprocess.run(
            [python, "-c", before + CHILD.format(step=step)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path), **environment},
            cwd=tempfile.gettempdir(), capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            why = (done.stderr.strip().splitlines() or ["no word of why"])[-1][:100]
            raise Absent(why) if "ModuleNotFoundError" in why else Failed(why)
        found: Chains = json.loads(done.stdout.splitlines()[-1])
        return found

    return played


def child(method: str) -> Callable[[int], Chains]:
    """Play in a process that multiprocessing starts."""

    def played(step: int) -> Chains:
        from golden_chains import send

        if method not in multiprocessing.get_all_start_methods():
            raise Absent(f"no {method} on this system")
        context = multiprocessing.get_context(method)
        mine, theirs = context.Pipe(duplex=False)
        process = context.Process(target=send, args=(theirs, step))  # type: ignore[attr-defined]
        process.start()
        theirs.close()
        found: Chains = mine.recv()
        process.join(60)
        return found

    return played


def threads(count: int) -> Callable[[int], Chains]:
    """Play the seeds of every world in so many threads at once, each with worlds of its own."""

    def played(step: int) -> Chains:
        from golden_chains import SEEDS, chain, makers

        worlds = makers()
        places = [(name, seed) for name in worlds for seed in range(0, SEEDS, step)]

        def one(place: tuple[str, int]) -> str:
            name, seed = place
            make, good = worlds[name]
            return chain(make(seed).copy(), good, seed)

        with ThreadPoolExecutor(count) as pool:
            found: Chains = {}
            for (name, _), line in zip(places, pool.map(one, places), strict=True):
                found.setdefault(name, []).append(line)
        return found

    return played


def locale_row(name: str, folder: Path) -> Callable[[int], Chains]:
    """Play under a locale, which is made for this where the system has the sources of it."""

    def played(step: int) -> Chains:
        try:
            subprocess.run(
                ["localedef", "-i", name, "-f", "UTF-8", str(folder / f"{name}.UTF-8")],
                capture_output=True,
                check=False,
            )
        except OSError as error:
            raise Absent("localedef is not there") from error
        if not (folder / f"{name}.UTF-8").is_dir():
            raise Absent(f"the system has no sources of {name}")
        return fresh(before=LOCALE, LC_ALL=f"{name}.UTF-8", LOCPATH=str(folder))(step)

    return played


def package(requirement: str, folder: Path) -> Callable[[int], Chains]:
    """Play with another version of a package."""

    def played(step: int) -> Chains:
        place = folder / requirement.replace("=", "-")
        install(place, "--no-deps", requirement)
        return fresh(first=str(place))(step)

    return played


def wheel(folder: Path) -> Callable[[int], Chains]:
    """Play from the built wheel, with the checkout nowhere on the path."""

    def played(step: int) -> Chains:
        built, place = folder / "wheels", folder / "installed"
        done = subprocess.run(
            [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(built), str(ROOT)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            raise Absent("the wheel cannot be built here")
        (file,) = built.glob("*.whl")
        install(place, "--no-deps", str(file))
        before = WHEEL.format(folder=str(place), tests=str(TESTS))
        return fresh(before=before, first=str(place), sources=False)(step)

    return played


def install(place: Path, *what: str) -> None:
    """Install packages into a folder. Raises Absent."""
    if place.is_dir():
        return
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--target", str(place), *what],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise Absent(f"{what[-1]} cannot be installed here")


# ---- the rows --------------------------------------------------------------------------------------------------------


def rows(folder: Path, pythons: list[str]) -> Iterator[Row]:
    """Yield every row.

    Args:
        folder: for what is made on the way.
        pythons: other interpreters, with the package's dependencies.
    """
    yield Row("the same process again", here)
    yield Row("a fresh process", fresh())
    for method in ("fork", "spawn", "forkserver"):
        yield Row(method, child(method))
    for seed in ("0", "1", "4242", "random"):
        yield Row(f"PYTHONHASHSEED={seed}", fresh(PYTHONHASHSEED=seed))
    yield Row("locale C, without UTF-8 mode", fresh(LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0"))
    for name in ("tr_TR", "de_DE"):
        yield Row(f"locale {name}", locale_row(name, folder))
    for zone in ("UTC", "Pacific/Auckland"):
        yield Row(f"TZ={zone}", fresh(TZ=zone))
    yield Row("clocks a year later", fresh(before=LATER))
    yield Row("8 threads", threads(8))
    yield Row("-O, asserts away", fresh(PYTHONOPTIMIZE="1"))
    yield Row("the wheel", wheel(folder))
    for requirement in ("gymnasium==1.2.2", "gymnasium==1.4.0", "numpy==2.0.2", *newest()):
        yield Row(requirement.replace("==", " "), package(requirement, folder))
    for python in pythons:
        version = subprocess.run([python, "-V"], capture_output=True, text=True, check=True).stdout.strip()
        yield Row(version, fresh(python=python))


def newest() -> list[str]:
    """Return the version of numpy that is installed here, as a requirement; it stands for the newest."""
    import numpy

    return [f"numpy=={numpy.__version__}"]


def table(found: list[tuple[str, str, str, float]], about: str) -> str:
    """Return the rows as a Markdown table: name, chains, how many differ, seconds."""
    lines = [about, "", "| surrounding | chains | differ | seconds |", "| --- | --- | --- | --- |"]
    lines += [f"| {name} | {many} | {differ} | {seconds:.0f} |" for name, many, differ, seconds in found]
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Play the matrix; the exit status is 1 where a chain differs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--step", type=int, default=10, help="every so many-th of the 100 seeds (10)")
    parser.add_argument("--only", default="", help="rows whose names hold this")
    parser.add_argument("--python", action="append", default=[], help="another interpreter; repeatable")
    given = parser.parse_args(arguments)
    wanted = here(given.step)
    total = sum(map(len, wanted.values()))
    found, broken = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for row in rows(Path(folder), given.python):
            if given.only not in row.name:
                continue
            begin = time.monotonic()
            try:
                chains = row.chains(given.step)
            except Absent as why:
                found.append((row.name, "–", str(why), time.monotonic() - begin))
            except Failed as why:
                found.append((row.name, str(total), f"failed: {why}", time.monotonic() - begin))
                broken += 1
            else:
                differ = sum(chains.get(name, [None] * len(lines))[k] != line
                             for name, lines in wanted.items() for k, line in enumerate(lines))  # fmt: skip
                broken += differ
                found.append((row.name, str(total), str(differ), time.monotonic() - begin))
            print(*found[-1], sep=" | ", file=sys.stderr, flush=True)
    print(
        table(
            found,
            f"{len(wanted)} worlds, {total} chains of 30 turns each; {platform.platform()}, {sys.version.split()[0]}",
        )
    )
    return int(broken > 0)


def _main() -> Any:
    sys.path[:0] = [str(ROOT), str(TESTS)]
    return main()


if __name__ == "__main__":
    sys.exit(_main())
