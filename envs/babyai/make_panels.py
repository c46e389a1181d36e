"""Writes data/seeds.json: which seeds of every level are train, dev and test.

    python -m agentgym.envs.babyai.make_panels                  # all panels: about half an hour on one core
    python -m agentgym.envs.babyai.make_panels goto GoToObj     # only these; the others stay
    python -m agentgym.envs.babyai.make_panels --check          # makes the states anew and compares, changes nothing

Seeds are tried from 0 upwards. Skipped are those whose first state (by content hash) came before in the same family,
so that no two tasks of a panel, in whatever splits, start alike; those that the expert cannot solve; and the few of
which minigrid makes no level. A level with too few first states gets what there is, in the same proportions; the
report names it. README.md says of which families the seeds in the file were all tried so, and of which a sample.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from typing import Any

from agentgym.envs.babyai import expert, levels
from agentgym.envs.babyai.state import GridState
from agentgym.envs.babyai.tasks import FAMILIES, MOST_DISTS, PANELS, SIZES, mixed_state
from agentgym.errors import unknown

PATH = Path(__file__).parent / "data" / "seeds.json"
MOST_TRIES = 2 * sum(SIZES)


def entry(state_of: Callable[[int], GridState], seen: set[bytes]) -> dict[str, Any]:
    """Return the seed entry of one level: sizes, stop, skip, limits, and the digests of the states in their order.

    Args:
        state_of: seed → first state.
        seen: content hashes that count as taken; those found here are added.
    """
    skip, digests, limits, stop = [], [], set(), 0
    for seed in range(MOST_TRIES):
        stop = seed + 1
        try:
            state = state_of(seed)
        except levels.LevelError:
            skip.append(seed)
            continue
        content = blake2b(state.canonical(), digest_size=16).digest()
        if content in seen or expert.remaining(state) == expert.UNSOLVABLE:
            skip.append(seed)
            continue
        seen.add(content)
        limits.add(state.level.max_steps)
        digests.append(content)
        if len(digests) == sum(SIZES):
            break
    sizes = list(SIZES) if len(digests) == sum(SIZES) else shares(len(digests))
    used = digests[: sum(sizes)]
    return {
        "sizes": sizes,
        "stop": stop,
        "skip": skip,
        "limits": sorted(limits),
        "first": blake2b(b"".join(used[:10]), digest_size=16).hexdigest(),
        "all": blake2b(b"".join(used), digest_size=16).hexdigest(),
    }


def shares(count: int) -> list[int]:
    """Return (train, dev, test) of `count` states in the proportions of SIZES, rounded down."""
    return [count * size // sum(SIZES) for size in SIZES]


def level_states(level: str) -> Callable[[int], GridState]:
    """Return seed → first state of a minigrid level, on one environment that is reset again and again."""
    env = levels.make_minigrid(level)
    return lambda seed: levels.reset(env, seed)


def family_entries(name: str) -> dict[str, Any]:
    """Return the entries of a family's levels; their first states are all different."""
    seen: set[bytes] = set()
    return {f"BabyAI-{short}": entry(level_states(f"BabyAI-{short}"), seen) for short in FAMILIES[name]}


def mixed_entry(task: str, num_dists: int) -> dict[str, Any]:
    """Return the entry of a mixed task."""
    return entry(lambda seed: mixed_state.__wrapped__(task, seed, num_dists), set())


def made(name: str, say: Callable[[str], None]) -> dict[str, Any]:
    """Return the entries of one panel: of a mixed task by number of distractors, of a family by level."""
    if name in FAMILIES:
        entries = family_entries(name)
    else:
        entries = {str(number): mixed_entry(name, number) for number in range(MOST_DISTS + 1)}
    for part, item in entries.items():
        few = "" if item["sizes"] == list(SIZES) else "   (too few different first states for more)"
        say(f"{name}, {part}: {'/'.join(map(str, item['sizes']))}, {len(item['skip'])} seeds skipped{few}")
    return entries


def main(arguments: list[str] | None = None) -> int:
    """Write the file, or compare it; return the exit status."""
    parser = argparse.ArgumentParser(prog="make_panels", description="Write or check the seed lists of the panels.")
    parser.add_argument("panels", nargs="*", metavar="PANEL", help="mixed tasks and families; all when none is given")
    parser.add_argument("--check", action="store_true", help="compare with the file instead of writing it")
    options = parser.parse_args(arguments)
    found: dict[str, Any] = json.loads(PATH.read_text("utf-8")) if PATH.exists() else {}
    wrong = 0
    for name in options.panels or PANELS:
        if name not in PANELS:
            parser.error(unknown("panel", name, PANELS))
        entries = made(name, _say)
        if options.check:
            same = entries == found.get(name)
            _say(f"{name}: {'the same' if same else 'DIFFERENT'}")
            wrong += not same
        else:
            found[name] = entries
            found["minigrid"] = version("minigrid")
            _write(found)
    return int(bool(wrong))


def _write(found: dict[str, Any]) -> None:
    """Write the file with one panel a line."""
    lines = [
        f"{json.dumps(name)}:{json.dumps(found[name], separators=(',', ':'), sort_keys=True)}" for name in sorted(found)
    ]
    PATH.parent.mkdir(exist_ok=True)
    PATH.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
