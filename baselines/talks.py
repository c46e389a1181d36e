"""Talks to be read: `python -m agentgym.baselines.talks ENV --seed 20` prints ten of the expert, ten of a random agent.

The tasks are drawn from the split test, the random agent chooses uniformly from the menu, and both follow from the
seed. `--page FILE` writes them into a page, between their marks; remarks that stand outside of the marks stay.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agentgym.env import AgentEnv
from agentgym.rng import TurnRng
from agentgym.rollout import build

MANY = 10
WIDEST = 132
"""Characters of a line, of the sheets that tools show too."""
AGENTS = ("expert", "random")
_CALL = re.compile(r"<tool_call>\s*(\{.*\})\s*</tool_call>", re.S)


def talks(env_id: str, seed: int, many: int = MANY) -> dict[str, str]:
    """Return the talks as Markdown by their names, such as "expert 3"."""
    world = build(env_id, {}, signals=("menu", "expert"))
    tasks = TurnRng(seed, stream="talks to be read").shuffled([task.id for task in world.panel["test"]])
    return {
        f"{agent} {number}": played(world, tasks[number - 1], seed + number, agent)
        for agent in AGENTS
        for number in range(1, many + 1)
    }


def played(world: AgentEnv[Any], task: str, seed: int, agent: str) -> str:
    """Return one talk as Markdown."""
    said, info = world.reset(seed=seed, options={"task": task})
    lines, over = [f"Task `{task}`, seed {seed}.", "", _line("user", said)], False
    while not over:
        menu = info.get("menu", [])
        action = info["expert"] if agent == "expert" else TurnRng(seed, turn=info["turn"], stream="read").choice(menu)
        said, _, terminated, truncated, info = world.step(action)
        over = terminated or truncated
        lines += [_line("agent", action), _line("user", said)]
    reward = info["outcome_reward"]
    return "\n".join([*lines, "", f"*{info['end_reason']}, {info['turn']} turns, outcome {reward:.2f}.*"])


def _line(who: str, text: str) -> str:
    """Return a line of a list; calls without their tags, line breaks as strokes, long ones cut visibly."""
    call = _CALL.search(text)
    shown = " / ".join(filter(None, (part.strip() for part in (call[1] if call else text).split("\n"))))
    return f"- **{who}** " + (
        f"`{shown}`" if call else shown if len(shown) <= 3 * WIDEST else shown[: 3 * WIDEST] + " …"
    )


def filled(page: str, found: dict[str, str]) -> str:
    """Return a page with the talks between their marks; what stands outside of them stays."""
    for name, text in found.items():
        begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
        block = f"{begin}\n\n{text}\n\n{end}"
        if begin in page:
            head, _, rest = page.partition(begin)
            page = head + block + rest.partition(end)[2]
        else:
            page += f"\n\n### {name.capitalize()}\n\n{block}\n"
    return page


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the talks, or write them into a page."""
    parser = argparse.ArgumentParser(
        prog="python -m agentgym.baselines.talks", description=(__doc__ or "").split(":")[0]
    )
    parser.add_argument("env", help="a registered id, such as agentgym/Sales-v0")
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--many", type=int, default=MANY, help="talks of each agent")
    parser.add_argument("--page", type=Path, help="the page to write them into")
    chosen = parser.parse_args(arguments)
    found = talks(chosen.env, chosen.seed, chosen.many)
    if chosen.page is None:
        sys.stdout.write(filled("", found).lstrip("\n"))
    else:
        chosen.page.write_text(filled(chosen.page.read_text("utf-8"), found), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
