"""How often uniform random choice from a world's menu succeeds, and the file that a world publishes it in.

The commands `python -m agentgym.envs.NAME.measure_random` are made of these.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
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
