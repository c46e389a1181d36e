"""Prints how far wordings of one meaning are judged the same, for lists of labelled sets.

python -m agentgym.envs.emotional_support.agreement LIST…  # the format: tests/envs/emotional_support/wordings.txt
python -m agentgym.envs.emotional_support.agreement LIST --misses
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from agentgym.envs.emotional_support.analyser import HARMFUL, HELPFUL, Context, Fact, Reading, analyse
from agentgym.errors import DataError, unknown

_SKILLS = (*HELPFUL, *HARMFUL)


class Set(NamedTuple):
    """Wordings of one meaning: who is spoken to, in what context, what it is taken for, and where it stands."""

    seeker: str
    context: Context
    skills: frozenset[str]
    wordings: tuple[str, ...]
    line: int

    def readings(self) -> list[Reading]:
        """Return how each wording is read."""
        return [analyse(text, self.context) for text in self.wordings]


def read(path: Path) -> list[Set]:
    """Return the sets of a list.

    Raises:
        DataError: a line that no list has; the message names it.
    """
    return list(_sets(path.read_text("utf-8"), path.name))


def _sets(text: str, name: str) -> Iterator[Set]:
    seekers: dict[str, Context] = {}
    seeker, context, label, wordings, place = "", Context(), "", [], 0  # type: str, Context, str, list[str], int
    for number, line in enumerate((*text.split("\n"), "-- "), 1):
        if line.startswith(("== ", "-- ")) and wordings:
            yield _set(seeker, context, label, wordings, f"{name}, line {place}", place)
            wordings = []
        if line.startswith("== "):
            seeker = line[3:].strip()
            context, label = seekers.get(seeker, Context()), ""
        elif line.startswith("-- "):
            label, place = line[3:].strip(), number
        elif not line.strip() or line.startswith("#"):
            continue
        elif label:
            wordings.append(line.strip())
        else:
            context = seekers[seeker] = _told(context, line, f"{name}, line {number}")


def _told(context: Context, line: str, where: str) -> Context:
    """Return a context with what a line adds to it."""
    key, _, rest = line.partition(":")
    kind, _, fact = key.partition(" ")
    words = tuple(word.strip() for word in rest.split(",") if word.strip())
    if kind in ("fact", "fact*"):
        told = context.told | {fact} if kind == "fact*" else context.told
        return replace(context, story=(*context.story, Fact(fact, words)), told=told)
    if key == "feelings":
        return replace(context, feelings=words)
    if key == "last":
        return replace(context, last=rest.strip())
    if key == "earlier":
        return replace(context, earlier=(*context.earlier, rest.strip()))
    raise DataError(f"{where}: {unknown('line', key, ('fact', 'fact*', 'feelings', 'last', 'earlier'))}")


def _set(seeker: str, context: Context, label: str, wordings: Sequence[str], where: str, line: int) -> Set:
    names, _, ready = label.partition(" @")
    skills = frozenset(name.strip() for name in names.split("+")) - {"none"}
    for name in sorted(skills):
        if name not in _SKILLS:
            raise DataError(f"{where}: {unknown('skill', name, (*_SKILLS, 'none'))}")
    return Set(seeker, replace(context, ready=ready == "ready"), skills, tuple(wordings), line)


class Agreement(NamedTuple):
    """Counts of sets: all, judged the same in all wordings, and that as labelled; and of wordings: all, as labelled."""

    sets: int
    same: int
    right: int
    wordings: int
    as_labelled: int


def agreement(sets: Sequence[Set]) -> Agreement:
    """Return how far the wordings of sets are judged the same."""
    same = right = wordings = hits = 0
    for one in sets:
        skills = [reading.skills for reading in one.readings()]
        good = sum(found == one.skills for found in skills)
        same += len(set(skills)) == 1
        right += good == len(skills)
        wordings, hits = wordings + len(skills), hits + good
    return Agreement(len(sets), same, right, wordings, hits)


def lines(path: Path, sets: Sequence[Set], misses: bool) -> Iterator[str]:
    """Yield what is printed of a list."""
    if misses:
        for one in sets:
            for text, reading in zip(one.wordings, one.readings(), strict=True):
                if reading.skills != one.skills:
                    wanted, found = ("+".join(sorted(some)) or "none" for some in (one.skills, reading.skills))
                    yield f"{path.name}:{one.line} {one.seeker}: {wanted} read as {found}: {text}\n"
    counts = agreement(sets)
    yield (
        f"{path.name}: {counts.sets} sets, judged the same in all wordings {counts.same / counts.sets:.1%}, "
        f"and as labelled {counts.right / counts.sets:.1%}; "
        f"{counts.as_labelled / counts.wordings:.1%} of {counts.wordings} wordings as labelled\n"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the agreement of the lists that the arguments name; return the exit status."""
    parser = ArgumentParser(prog="python -m agentgym.envs.emotional_support.agreement", description=__doc__)
    parser.add_argument("lists", nargs="+", type=Path)
    parser.add_argument("--misses", action="store_true", help="print every wording that is not read as labelled")
    options = parser.parse_args(arguments)
    for path in options.lists:
        for line in lines(path, read(path), options.misses):
            sys.stdout.write(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
