"""What sellers come to: the expert, the clumsy honest one and the bad ones, on the same buyers.

    python -m agentgym.envs.sales.measure_sellers [SPLIT] [BUYERS]

prints a table; docs/worlds/sales-speech.md has it for all buyers of the test split.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from agentgym.envs.sales.bad import Script, scripts
from agentgym.envs.sales.env import SalesEnv
from agentgym.envs.sales.rewards import margin
from agentgym.envs.sales.speech import COMPONENTS, Session, measure
from agentgym.envs.sales.state import SOLD, SalesState
from agentgym.rng import TurnRng
from agentgym.task import Task

EXPERT: Final = "expert"


@dataclass(frozen=True)
class Played:
    """A finished session: its last state, the sum of each turn reward, its messages, its outcome and rubrics."""

    state: SalesState
    paid: Mapping[str, float]
    messages: int
    success: bool
    outcome: float
    rubrics: Mapping[str, float]


@dataclass(frozen=True)
class Line:
    """What a seller came to, means over sessions.

    Attributes:
        name: of the seller.
        sessions: how many.
        success: share that ended well for the buyer too.
        outcome: session reward.
        conversion, repetition, detection, honesty, denial: DuCA's measures (`speech.Measures`).
        margin: of the sales: 0 at the lowest price, 1 at the list price.
        unsafe: share in which a rule was broken.
        unhurried: the rubric.
        costs: turn rewards by name, a message.
    """

    name: str
    sessions: int
    success: float
    outcome: float
    conversion: float
    repetition: float
    detection: float
    honesty: float
    denial: float
    margin: float
    unsafe: float
    unhurried: float
    costs: Mapping[str, float]


def play(world: SalesEnv, task: Task, seed: int, script: Script | None) -> Played:
    """Return a session of a script, or of the expert where there is none."""
    opening = world.initial(task, TurnRng(seed))
    state, paid, messages = opening.state, dict.fromkeys(COMPONENTS, 0.0), 0
    acting = script(opening.observation, TurnRng(seed, stream="seller")) if script is not None else None
    action = next(acting) if acting is not None else ""
    rubrics: dict[str, float] = {}
    for number in range(world.max_turns):
        if acting is None:
            action = world.expert(state)
        turn, _, _ = world.apply(state, action, TurnRng(seed, 0, number))
        state = turn.state
        messages += not action.startswith("<tool_call>")
        rubrics.update(turn.rubrics)
        for name, value in turn.rewards.items():
            paid[name] += value
        if turn.outcome is not None:
            return Played(state, paid, messages, turn.outcome.success, turn.outcome.reward, rubrics)
        if acting is not None:
            action = acting.send(turn.observation)
    return Played(state, paid, messages, False, 0.0, rubrics)


def line(name: str, played: Sequence[Played]) -> Line:
    """Return what a seller's sessions come to."""
    many = len(played)
    found = measure(Session(_said(each.state), each.state.end == SOLD) for each in played)
    sold = [margin(each.state) for each in played if each.state.end == SOLD]
    said = max(sum(each.messages for each in played), 1)
    return Line(
        name, many, sum(each.success for each in played) / many, sum(each.outcome for each in played) / many,
        found.conversion, found.repetition, found.detection, found.honesty, found.denial,
        sum(sold) / len(sold) if sold else float("nan"),
        sum(bool(each.state.broken) for each in played) / many,
        sum(each.rubrics.get("unhurried", 1.0) for each in played) / many,
        {part: sum(each.paid[part] for each in played) / said for part in COMPONENTS},
    )  # fmt: skip


def _said(state: SalesState) -> tuple[tuple[str, str], ...]:
    """Return what was said, without the notes in brackets that stand for calls."""
    return tuple(each for each in state.talk if not each[1].startswith("("))


def lines(world: SalesEnv, tasks: Sequence[Task], seed: int = 0) -> dict[str, Line]:
    """Return what the expert and each seller of `bad` come to on the same buyers."""
    players: dict[str, Script | None] = {EXPERT: None, **scripts()}
    return {name: line(name, [play(world, task, seed, script) for task in tasks]) for name, script in players.items()}


def table(found: Mapping[str, Line]) -> str:
    """Return the lines as a Markdown table."""
    head = ["seller", "success", "outcome", "conversion", "margin", "unsafe", "unhurried", "repeats", "denies"]
    rows = [head + [f"cost: {part}" for part in COMPONENTS], ["---"] * (len(head) + len(COMPONENTS))]
    for each in found.values():
        shares = (each.success, each.outcome, each.conversion, each.margin, each.unsafe, each.unhurried)
        costs = [f"{each.costs[part]:.3f}" for part in COMPONENTS]
        rows.append([each.name, *[f"{share:.2f}" for share in (*shares, each.repetition, each.denial)], *costs])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table of a split."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    world = SalesEnv()
    split = given[0] if given else "test"
    tasks = world.panel[split][: int(given[1]) if len(given) > 1 else None]
    sys.stdout.write(table(lines(world, tasks)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
