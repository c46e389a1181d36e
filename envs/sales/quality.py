"""What the shipped buyers promise, measured by playing them: expert, no-op, menus, and how buyers repeat themselves."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from agentgym.chance import both_ways, guessed
from agentgym.env import AgentEnv
from agentgym.rng import TurnRng
from agentgym.task import Quality, Task
from agentgym.wording import distinct_2, longest_frame, words_of

SEED: Final = 1
EDGE: Final = 1.5
"""Times chance: what a mark may gain at most."""
EPISODES: Final = 1000
"""Talks in which buyers are listened to."""
REPEATED: Final = 5.0
"""Replies of buyers that may be word for word an earlier one, in per cent."""
FRAME: Final = 100
"""A frame is a run of words that stands in so many replies at least."""

CALL: Final = "<tool_call>"
_MARK: Final = re.compile(r"[^\w\s]")

World = AgentEnv[Any]
Policy = Callable[[Any, TurnRng], str]


def measure(world: World) -> list[Quality]:
    """Return what was measured of a world's panel; it takes a minute or two."""
    tasks = [task for split in world.panel for task in world.panel[split]]
    ends = [played(world, task, lambda state, _: world.advice(state), SEED)[0] for task in tasks]
    nothing = [played(world, task, lambda state, _: "", SEED)[0] for task in world.panel["test"]]
    solved = _per_cent(sum(won for won, _ in ends), len(tasks))
    broken = sum(len(state.broken) for _, state in ends)
    idle = sum(won for won, _ in nothing)
    industries = len({task.data["industry"] for task in tasks})
    return [
        Quality("buyers", len(tasks), "at least 200", len(tasks) >= 200),
        Quality("industries", industries, "at least 6", industries >= 6),
        Quality("buyers served rightly by the expert, per cent", solved, "100", solved == 100.0),
        Quality("rules that the expert breaks", broken, "0", broken == 0),
        Quality("talks that the empty action ends rightly", idle, "0", idle == 0),
        *of_menus(world, world.panel["test"]),
        *of_replies(world),
    ]


def _per_cent(part: int, whole: int) -> float:
    return round(100.0 * part / whole, 1)


def played(world: World, task: Task, policy: Policy, seed: int) -> tuple[tuple[bool, Any], list[str]]:
    """Return whether a policy served a buyer rightly, the last state, and what the buyer said."""
    opening = world.initial(task, TurnRng(seed))
    state, heard = opening.state, [opening.observation]
    for number in range(world.max_turns):
        action = policy(state, TurnRng(seed, turn=number, stream="policy"))
        turn, valid, _ = world.apply(state, action, TurnRng(seed, turn=number))
        if valid and not action.startswith(f'{CALL}\n{{"name": "lookup"'):
            heard.append(turn.observation)
        state = turn.state
        if turn.outcome is not None:
            return (turn.outcome.success, state), heard
    return (False, state), heard


# ---- what buyers say -------------------------------------------------------------------------------------------------


def of_replies(world: World, episodes: int = EPISODES) -> list[Quality]:
    """Return how often buyers repeat a reply, how many of their pairs of words differ, and their longest frame.

    Half of the talks are the expert's, half those of a seller who draws from the menu; seeds count from 0.
    """
    tasks = [task for split in world.panel for task in world.panel[split]]
    replies: list[str] = []
    for seed in range(episodes):
        policy = expert if seed % 2 == 0 else drawn
        replies += played(world, tasks[seed % len(tasks)], lambda state, rng, p=policy: p(world, state, rng), seed)[1]  # type: ignore[misc]
    again = _per_cent(len(replies) - len(set(replies)), len(replies))
    frame, times = longest_frame(replies, FRAME)
    return [
        Quality("replies of buyers", len(replies)),
        Quality("of these word for word an earlier one, per cent", again, f"at most {REPEATED:g}", again <= REPEATED),
        Quality("distinct-2 of their words", round(distinct_2(replies), 4)),
        Quality("longest frame of their replies", f"{len(frame.split())} words in {times} replies: {frame}"),
    ]


def expert(world: World, state: Any, rng: TurnRng) -> str:
    """Return the expert's action."""
    return world.advice(state)


def drawn(world: World, state: Any, rng: TurnRng) -> str:
    """Return an action drawn from the menu."""
    return rng.choice(world.choices(state))


# ---- menus -----------------------------------------------------------------------------------------------------------


def of_menus(world: World, tasks: Sequence[Task]) -> list[Quality]:
    """Return how often a reader finds the expert's action who takes the first, longest, … entry of each menu.

    Menus are those on the expert's way. Where several entries are first alike, the reader draws among them; what
    counts is how often he is right on average, in multiples of how often a reader is who draws among all.
    """
    menus = (menu for number, task in enumerate(tasks) for menu in menus_of(world, task, SEED + number))
    found = guessed((offered, right, marks(offered, heard)) for offered, right, heard in menus)
    least, most = min(found.sizes), max(found.sizes)
    return [
        Quality("menus without the expert's action, or with it twice", found.missing, "0", found.missing == 0),
        Quality("entries of a menu, least and most", f"{least} to {most}", "6 to 12", least >= 6),
        *(_edge(f"times chance, who takes the {way} is right", gain) for way, gain in found.gains.items()),
    ]


def _edge(name: str, gain: float) -> Quality:
    return Quality(name, round(gain, 2), f"at most {EDGE}", round(gain, 2) <= EDGE)


def menus_of(world: World, task: Task, seed: int) -> Iterator[tuple[list[str], str, str]]:
    """Yield (what is on offer, the expert's action, what the buyer said last) along the expert's way."""
    opening = world.initial(task, TurnRng(seed))
    state, heard = opening.state, opening.observation
    for number in range(world.max_turns):
        right = world.advice(state)
        yield world.offer(state, seed, number), right, heard
        turn, _, _ = world.apply(state, right, TurnRng(seed, turn=number))
        if turn.outcome is not None:
            return
        state, heard = turn.state, heard if '"lookup"' in right else turn.observation


def marks(offered: Sequence[str], heard: str) -> dict[str, Sequence[float]]:
    """Return for each way of guessing how much speaks for each entry."""
    said = set(words_of(heard))
    words = [set(words_of(entry)) for entry in offered]
    shared = [len(said & mine) for mine in words]
    calls = [float(entry.startswith(CALL)) for entry in offered]
    features: dict[str, list[float]] = {
        "length": [float(len(entry)) for entry in offered],
        "punctuation": [float(len(_MARK.findall(entry))) for entry in offered],
        "digits": [float(sum(char.isdigit() for char in entry)) for entry in offered],
        "words shared with what was said last": [float(many) for many in shared],
        "share of such words": [many / max(len(mine), 1) for many, mine in zip(shared, words, strict=True)],
        "likeness to the others": [
            sum(len(one & other) / max(len(one | other), 1) for other in words) for one in words
        ],
    }
    found = both_ways(len(offered), features)
    found["calls of tools"] = calls
    found["messages"] = [1.0 - value for value in calls]
    found["questions"] = [float(entry.endswith("?")) for entry in offered]
    found["longest message"] = [len(entry) * (1.0 - call) for entry, call in zip(offered, calls, strict=True)]
    return found
