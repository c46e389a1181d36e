"""What menus promise, measured along the expert's way: the right entry is there once, and nothing marks it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from agentgym.chance import both_ways, guessed
from agentgym.env import AgentEnv
from agentgym.envs.wiki_search.spelling import spelling
from agentgym.rng import TurnRng
from agentgym.task import Quality, Task

SEED: Final = 1
EDGE: Final = 1.5  # times chance: what a mark may gain at most
ANSWER: Final = "<answer>"
SEARCH: Final = "<search>"
FEWEST: Final = 8

AnyWorld = AgentEnv[Any]


def of_menus(world: AnyWorld, tasks: Sequence[Task]) -> list[Quality]:
    """Return how often a reader finds the expert's call who takes the first, longest, … entry of each menu.

    Where several entries are first alike, the reader draws among them; what counts is how often he is right on average,
    in multiples of how often a reader is who draws among all.
    """
    sizes, gains, missing = measured(world, tasks)
    return [
        Quality("menus without the expert's call, or with it twice", missing, "0", missing == 0),
        Quality("entries of a menu, on average", round(sum(sizes) / len(sizes), 1)),
        Quality("entries of the smallest menu", min(sizes), f"at least {FEWEST}", min(sizes) >= FEWEST),
        *(
            Quality(f"times chance: who takes the {way} is right", gain, f"at most {EDGE}", gain <= EDGE)
            for way, gain in gains.items()
        ),
    ]


def measured(world: AnyWorld, tasks: Sequence[Task]) -> tuple[list[int], dict[str, float], int]:
    """Return the sizes of all menus, what each way to guess gains, and how many menus hold the right call not once."""
    menus = (
        (offered, right, guesses(offered, task.data["question"]))
        for number, task in enumerate(tasks)
        for offered, right in menus_of(world, task, SEED + number)
    )
    found = guessed(menus)
    return found.sizes, {name: round(gain, 2) for name, gain in found.gains.items()}, found.missing


def menus_of(world: AnyWorld, task: Task, seed: int) -> Iterator[tuple[list[str], str]]:
    """Yield (what is on offer, the expert's call) along the expert's way."""
    state = world.initial(task, TurnRng(seed)).state
    for number in range(world.max_turns):
        right = world.advice(state)
        yield world.offer(state, seed, number), right
        turn, _, _ = world.apply(state, right, TurnRng(seed, turn=number))
        if turn.outcome is not None:
            return
        state = turn.state


def guesses(offered: Sequence[str], question: str) -> Mapping[str, Sequence[float]]:
    """Return for each way of guessing how much speaks for each entry."""
    said = [entry.partition(">")[2].rpartition("<")[0] for entry in offered]
    found = both_ways(len(offered), spelling(said, question))
    found["queries"] = [float(entry.startswith(SEARCH)) for entry in offered]
    found["answers"] = [float(entry.startswith(ANSWER)) for entry in offered]
    return found
