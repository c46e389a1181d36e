"""What the panel promises of episodes, measured by playing: first observations, expert, no-op, random choice, menus."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from agentgym.env import AgentEnv
from agentgym.envs.text_to_sql.reading import columns_of
from agentgym.envs.text_to_sql.shipped.beside import measures, rank
from agentgym.envs.text_to_sql.shipped.bounds import least, most, none, per_cent
from agentgym.rng import TurnRng
from agentgym.task import Quality, Task
from agentgym.turn import Opening

SEED: Final = 1
EPISODES: Final = 4  # of random choice, for each task
EDGE: Final = 1.5  # times chance: what a mark may gain at most
TOGETHER: Final = ("one that is greatest in all", "one that is least in all", "most middling")


AnyWorld = AgentEnv[Any]
Openings = Mapping[str, Opening[Any]]


def of_episodes(world: AnyWorld, tasks: Sequence[Task]) -> list[Quality]:
    """Return what was measured by playing every task of a world with the shipped panel, in its default dialect."""
    openings = {task.id: world.initial(task, TurnRng(SEED)) for task in tasks}
    hidden = sum(is_hidden(task, openings[task.id]) for task in tasks)
    expert = sum(solves(world, openings[task.id], world.advice, f"expert {task.id}") for task in tasks)
    nothing = sum(solves(world, openings[task.id], lambda _: "", f"nothing {task.id}") for task in tasks)
    lucky = 0
    for task in tasks:
        for number in range(EPISODES):
            draws = TurnRng(SEED, stream=f"choices {number} of {task.id}")
            policy: Callable[[Any], str] = lambda state, rng=draws: rng.choice(world.choices(state))  # type: ignore[misc]
            lucky += solves(world, openings[task.id], policy, f"random {number} {task.id}")
    played = EPISODES * len(tasks)
    return [
        least("golds that read a column which the first observation hides, per cent", per_cent(hidden, len(tasks)), 40),
        least("tasks that the expert solves, per cent", per_cent(expert, len(tasks)), 100),
        none("tasks that the empty action solves", nothing),
        most("episodes that random choice from the menu solves, per cent", per_cent(lucky, played), 10),
        *of_menus(world, tasks, openings),
    ]


def is_hidden(task: Task, opening: Opening[Any]) -> bool:
    """Return whether the gold reads a column that nothing at the start names."""
    seen = set(re.findall(r"\w+", f"{opening.system} {opening.observation}".lower()))
    return any(column not in seen for _, column in columns_of(task.data["gold"][0], opening.state.question.tables))


def solves(world: AnyWorld, opening: Opening[Any], policy: Callable[[Any], str], stream: str) -> bool:
    """Return whether a policy solves a task within the world's turns."""
    state = opening.state
    for number in range(world.max_turns):
        turn, _, _ = world.apply(state, policy(state), TurnRng(SEED, turn=number, stream=stream))
        if turn.outcome is not None:
            return turn.outcome.success
        state = turn.state
    return False


def of_menus(world: AnyWorld, tasks: Sequence[Task], openings: Openings) -> list[Quality]:
    """Return how often a reader finds the right answer who takes the first, longest, … of those on offer.

    Menus are those after every table on offer was looked at. Where several entries are first alike, the reader draws
    among them; what counts is how often he is right on average.
    """
    hits: dict[str, float] = {}
    chance, unclear = 0.0, 0
    for number, task in enumerate(tasks):
        state = _looked(world, openings[task.id].state)
        offered = [entry for entry in world.offer(state, SEED + number, 3) if entry.startswith("<submit>")]
        right = [_is_right(world, state, entry) for entry in offered]
        unclear += sum(right) != 1
        chance += 1 / len(offered)
        for name, values in guesses(offered, f"{task.data['question']} {task.data['evidence']}").items():
            tied = [place for place, value in enumerate(values) if value == max(values)]
            hits[name] = hits.get(name, 0.0) + sum(right[place] for place in tied) / len(tied)
    return [
        none("menus with no right answer, or more than one", unclear),
        Quality("answers on offer, on average", round(len(tasks) / chance, 1)),
        *(_edge(key, round(hits[key] / chance, 2)) for key in hits),
    ]


def _edge(way: str, gain: float) -> Quality:
    """Return what a way to guess gains; bounded where it goes by one mark, only shown where it adds up all of them."""
    name = f"times chance: who takes the {way} is right"
    return Quality(name, gain) if way in TOGETHER else most(name, gain, EDGE)


def _looked(world: AnyWorld, state: Any) -> Any:
    """Return the state after a look at every table on offer."""
    while True:
        entry = next((entry for entry in world.choices(state) if entry.startswith("<schema>")), None)
        if entry is None:
            return state
        state = world.apply(state, entry, TurnRng(SEED))[0].state


def _is_right(world: AnyWorld, state: Any, entry: str) -> bool:
    outcome = world.apply(state, entry, TurnRng(SEED))[0].outcome
    return outcome is not None and outcome.success


def guesses(offered: Sequence[str], text: str) -> dict[str, list[float]]:
    """Return for each way of guessing how much speaks for each entry: each feature, either way, and all together."""
    found = {"place": [float(number) for number in range(len(offered))]}
    for group in measures(offered, text).values():
        found.update({name: measure(range(len(offered))) for name, measure in group.items()})
    ranks = [[rank(values, value) for value in values] for name, values in found.items() if name != "place"]
    middle = (len(offered) - 1) / 2
    ways = {f"greatest {name}": values for name, values in found.items()}
    ways |= {f"least {name}": [-value for value in values] for name, values in found.items()}
    ways["one that is greatest in all"] = [sum(column) for column in zip(*ranks, strict=True)]
    ways["one that is least in all"] = [-sum(column) for column in zip(*ranks, strict=True)]
    ways["most middling"] = [-sum(abs(at - middle) for at in column) for column in zip(*ranks, strict=True)]
    return ways
