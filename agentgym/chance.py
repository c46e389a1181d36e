"""How often uniform random choice from a world's menu succeeds, and what marks tell about the right entry.

A world publishes the former in a file. The commands `python -m agentgym.envs.NAME.measure_random` are made of these.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentgym.env import AgentEnv
from agentgym.errors import unknown
from agentgym.rng import TurnRng


def random_success(env: AgentEnv[Any], episodes: int, seed: int = 0, split: str = "test") -> dict[str, Any]:
    """Play every task of a split so many times; return the share of successes and the mean number of turns.

    Episode i of a task has the seed `seed` + i; it draws all that is drawn, the choices too.
    """
    tasks = env.panel[split]
    solved = turns = 0
    for task in tasks:
        for index in range(seed, seed + episodes):
            state = env.initial(task, TurnRng(index)).state
            for turn in range(env.max_turns):
                rng = TurnRng(index, 0, turn, f"random menu {task.id}")
                made, _, _ = env.apply(state, rng.choice(env.menu(state)), rng)
                state, turns = made.state, turns + 1
                if made.outcome is not None:
                    solved += made.outcome.success
                    break
    played = episodes * len(tasks)
    return {"episodes": played, "seed": seed, "split": split, "success": solved / played, "turns": turns / played}


def measured(
    arguments: Sequence[str] | None,
    kind: str,
    known: Sequence[str],
    success: Callable[[str, int, int], dict[str, Any]],
    path: Path,
    *,
    episodes: int,
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Measure what a command line names and write each result into a file at once, where others stay as they are.

    Args:
        arguments: of the command line; None: those of this process.
        kind: what the names are, such as "panel".
        known: all names, which are measured when none is given.
        success: from name, episodes and seed to what is written.
        path: the file, JSON by name.
        episodes: where the command line does not say.

    Yields:
        the name that was measured, and all that the file holds.

    Raises:
        SystemExit: a name that is not known, or less than one episode; the message says so.
    """
    parser = argparse.ArgumentParser(prog="measure_random", description="Success of random choice from the menu.")
    parser.add_argument(
        "names", nargs="*", metavar=kind.upper(), help="all when none is given; the others stay as they are"
    )
    parser.add_argument("--episodes", type=int, default=episodes, help="episodes to play (%(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    for name in options.names:
        if name not in known:
            parser.error(unknown(kind, name, known))
    if options.episodes < 1:
        parser.error(f"--episodes must be at least 1, not {options.episodes}")
    held: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    for name in options.names or known:
        held[name] = success(name, options.episodes, options.seed)
        lines = [f"{json.dumps(key)}: {json.dumps(held[key], sort_keys=True)}" for key in sorted(held)]
        path.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
        yield name, held


def line(name: str, held: dict[str, Any]) -> str:
    """Return a result as a line of text."""
    return f"{name}: {held[name]['success']:.1%} of {held[name]['episodes']} episodes\n"


# ---- what the marks of entries tell ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Guessed:
    """How readers fare who take an entry for its marks.

    Attributes:
        sizes: entries of each menu.
        missing: menus that do not hold the right entry exactly once.
        gains: way to guess → how often it is right, in multiples of how often a reader is who draws among all.
    """

    sizes: list[int]
    missing: int
    gains: dict[str, float]


def guessed(menus: Iterable[tuple[Sequence[str], str, Mapping[str, Sequence[float]]]]) -> Guessed:
    """Return how often a reader finds the right entry who takes the first, longest, … of each menu.

    Where several entries are first alike, the reader draws among them; what counts is how often he is right on average.

    Args:
        menus: (entries, the right one, way to guess → how much speaks for each entry).
    """
    hits: dict[str, float] = {}
    sizes, chance, missing = list[int](), 0.0, 0
    for offered, right, marks in menus:
        sizes.append(len(offered))
        missing += offered.count(right) != 1
        chance += 1 / len(offered)
        for name, values in marks.items():
            best = max(values)
            tied = [entry for entry, value in zip(offered, values, strict=True) if value == best]
            hits[name] = hits.get(name, 0.0) + (right in tied) / len(tied)
    return Guessed(sizes, missing, {name: found / chance for name, found in hits.items()})


def both_ways(many: int, features: Mapping[str, Sequence[float]]) -> dict[str, Sequence[float]]:
    """Return ways to guess among so many entries: the first, the last, and the most and least of each feature."""
    places = [float(place) for place in range(many)]
    found: dict[str, Sequence[float]] = {"first": [-place for place in places], "last": places}
    for name, values in features.items():
        found[f"most {name}"] = values
        found[f"least {name}"] = [-value for value in values]
    return found
