"""`agentgym data add | list | remove`: what they say."""

from __future__ import annotations

from collections.abc import Callable

from agentgym import data
from agentgym.errors import DataError

SHOWN = 20
"""Problems that are printed; all of them stand in the file beside the index."""

Say = Callable[[str], None]


def add(kind: str, folder: str, name: str, say: Say, progress: data.Progress) -> None:
    """Add a set, and say how many items play, what is wrong with the others, and how to play.

    Raises:
        ValueError, DataError, OSError: as `data.add`.
    """
    source = data.add(kind, folder, name, progress)
    for problem in source.problems[:SHOWN]:
        say(str(problem))
    more = len(source.problems) - SHOWN
    if more > 0:
        say(f"… and {more} more, all in {data.problems_file(source.name)}")
    say(f"{source.name}: {_sizes(source)}, {_problems(source)}; kept in {data.index_file(source.name)}")
    say(f"{'play it: ' if data.SETS[source.kind].world else ''}{_use(source)}")


def show(say: Say) -> int:
    """Say which sets were added; return 1 if one of them is damaged."""
    names, broken = data.names(), 0
    for name in names:
        try:
            source = data.get(name)
        except DataError as error:
            say(f"{name}: {error}")
            broken = 1
        else:
            say(f"{name}: {_sizes(source)}, {_problems(source)}; {source.kind} from {source.folder}\n  {_use(source)}")
    if not names:
        say(f"nothing was added; agentgym data add KIND --from DIR adds one of {', '.join(sorted(data.SETS))}")
    return broken


def remove(name: str, say: Say) -> None:
    """Forget a set. Raises DataError: there is none of this name."""
    data.remove(name)
    say(f"{name} is forgotten; its own files stay where they are")


def _sizes(source: data.Source) -> str:
    sizes = {split: len(source.panel[split]) for split in source.panel}
    each = ", ".join(f"{size} {split}" for split, size in sizes.items())
    return f"{sum(sizes.values())} of {source.items} items play ({each})"


def _problems(source: data.Source) -> str:
    count = len(source.problems)
    return "1 problem" if count == 1 else f"{count or 'no'} problems"


def _use(source: data.Source) -> str:
    world = data.SETS[source.kind].world
    return f'gymnasium.make("agentgym:{world}", data="{source.name}")' if world else "no world of agentgym plays it yet"
