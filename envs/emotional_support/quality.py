"""What is promised of the shipped seekers, measured: people, play, menus, how much of what is said is said twice."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from agentgym import wording
from agentgym.chance import both_ways, guessed
from agentgym.env import AgentEnv
from agentgym.envs.emotional_support import tasks
from agentgym.envs.emotional_support.expert import advice
from agentgym.envs.emotional_support.story import templates
from agentgym.rng import TurnRng
from agentgym.task import Quality, Task
from agentgym.wording import words_of

SEED: Final = 1
EPISODES: Final = 1000  # over which repeated replies are counted, half of the expert's, half of random choice
EDGE: Final = 1.5  # times chance: what a mark may gain at most
COMMON: Final = 0.01  # share of the replies from which on words in a row are called a frame

_MARK: Final = re.compile(r"[^\w\s]")

World = AgentEnv[Any]
Policy = Callable[[Any, TurnRng], str]


def measure(world: World) -> list[Quality]:
    """Return what was measured of the shipped seekers in a world that plays them."""
    test = world.panel["test"]
    expert = [play(world, task, _advised, SEED)[0] for split in world.panel for task in world.panel[split]]
    nothing = sum(play(world, task, lambda state, rng: "", SEED)[0] for task in test)
    lucky = [play(world, task, chosen(world), seed)[0] for task in test for seed in range(2)]
    return [
        *of_people(),
        _is("tasks that the expert solves, per cent", per_cent(sum(expert), len(expert)), 100.0),
        _is("test tasks that the empty action solves", nothing, 0),
        _most("episodes that random choice from the menu solves, per cent", per_cent(sum(lucky), len(lucky)), 5.0),
        *of_menus(world, test),
        *of_words(world),
    ]


def of_people() -> list[Quality]:
    """Return how many seekers there are, in how many areas of life, and that no story stands in two splits."""
    panel = tasks.panel()
    stories = {split: {task.data["story"]["name"] for task in panel[split]} for split in panel}
    shared = sum(len(one & other) for a, one in stories.items() for b, other in stories.items() if a < b)
    areas = {name.split("/")[0] for name in templates()}
    return [
        _least("seekers", sum(map(len, panel.values())), 200),
        _least("areas of life", len(areas), 8),
        Quality("stories", len(templates())),
        _is("stories that stand in two splits", shared, 0),
        _is("areas without a test seeker", len(areas - {name.split("/")[0] for name in stories["test"]}), 0),
    ]


def _advised(state: Any, rng: TurnRng) -> str:
    return advice(state)


def chosen(world: World) -> Policy:
    """Return the policy that chooses uniformly from the menu."""
    return lambda state, rng: rng.choice(world.menu(state))


def play(world: World, task: Task, policy: Policy, seed: int) -> tuple[bool, list[str]]:
    """Return whether a policy solves a task, and what the seeker said, the first words too."""
    opened = world.initial(task, TurnRng(seed))
    state, said = opened.state, [opened.observation]
    for number in range(world.max_turns):
        rng = TurnRng(seed, 0, number, f"choice {task.id}")
        turn, valid, _ = world.apply(state, policy(state, rng), TurnRng(seed, 0, number))
        if valid:
            said.append(turn.observation)
        if turn.outcome is not None:
            return turn.outcome.success, said
        state = turn.state
    return False, said


# ---- words -----------------------------------------------------------------------------------------------------------


def of_words(world: World, episodes: int = EPISODES) -> list[Quality]:
    """Return how much of what seekers say in so many episodes was said before, and how rich their words are."""
    every = [task for split in world.panel for task in world.panel[split]]
    said = []
    for number in range(episodes):
        policy = _advised if number % 2 else chosen(world)
        said += play(world, every[number % len(every)], policy, SEED + number)[1]
    again = per_cent(len(said) - len(set(said)), len(said))
    length, share, frame = longest_frame(said)
    return [
        Quality("replies in so many episodes", len(said)),
        _most("of which repeat an earlier one word for word, per cent", again, 5.0),
        Quality("distinct-2 of one reply in ten", distinct_2(said[::10])),
        Quality("longest frame, words in a row in one reply of a hundred", length),
        Quality("that frame", frame),
        Quality("share of the replies that it is in, per cent", share),
    ]


def distinct_2(texts: Sequence[str]) -> float:
    """Return the share of different pairs of words in a row among all such pairs."""
    return round(wording.distinct_2(texts), 3)


def longest_frame(texts: Sequence[str]) -> tuple[int, float, str]:
    """Return the longest run of words that one text in a hundred holds: its length, share in per cent, words."""
    frame, times = wording.longest_frame(texts, max(2, round(COMMON * len(texts))))
    return len(frame.split()), per_cent(times, len(texts)), frame


# ---- menus -----------------------------------------------------------------------------------------------------------


def of_menus(world: World, some: Sequence[Task]) -> list[Quality]:
    """Return how often a reader finds the expert's message who takes the first, longest, … entry of each menu.

    Menus are those on the expert's way. Where several entries are first alike, the reader draws among them; what
    counts is how often he is right on average, in multiples of how often a reader is who draws among all.
    """
    menus = (menu for number, task in enumerate(some) for menu in menus_of(world, task, SEED + number))
    found = guessed((offered, right, marks(offered, heard)) for offered, right, heard in menus)
    return [
        _is("menus without the expert's message, or with it twice", found.missing, 0),
        _least("entries of the smallest menu", min(found.sizes), 6),
        *(
            _most(f"times chance, who takes the {way} is right", round(found.gains[way], 2), EDGE)
            for way in found.gains
        ),
    ]


def menus_of(world: World, task: Task, seed: int) -> Iterator[tuple[list[str], str, str]]:
    """Yield (what is on offer, the expert's message, what the seeker said last) along the expert's way."""
    opening = world.initial(task, TurnRng(seed))
    state, heard = opening.state, opening.observation
    for number in range(world.max_turns):
        right = world.advice(state)
        yield world.offer(state, seed, number), right, heard
        turn, _, _ = world.apply(state, right, TurnRng(seed, 0, number))
        if turn.outcome is not None:
            return
        state, heard = turn.state, turn.observation


def marks(offered: Sequence[str], heard: str) -> dict[str, Sequence[float]]:
    """Return for each way of guessing how much speaks for each entry."""
    spoken = set(words_of(heard))
    shared = [len(spoken & set(words_of(entry))) for entry in offered]
    features: dict[str, list[float]] = {
        "length": [float(len(entry)) for entry in offered],
        "punctuation": [float(len(_MARK.findall(entry))) for entry in offered],
        "question marks": [float(entry.count("?")) for entry in offered],
        "words shared with what was said last": [float(count) for count in shared],
        "share of such words": [c / max(len(words_of(e)), 1) for c, e in zip(shared, offered, strict=True)],
        "likeness to the others": _likeness(offered),
        "of the word you": [float(sum(word.startswith("you") for word in words_of(entry))) for entry in offered],
    }
    found = both_ways(len(offered), features)
    found["questions at the end"] = [float(entry.endswith("?")) for entry in offered]
    found["sentences that name a feeling"] = [float(" feel" in entry) for entry in offered]
    return found


def _likeness(offered: Sequence[str]) -> list[float]:
    """Return how much each entry has in common with all others, by words."""
    words = [set(words_of(entry)) for entry in offered]
    return [sum(len(one & other) / max(len(one | other), 1) for other in words) for one in words]


# ---- bounds ----------------------------------------------------------------------------------------------------------


def per_cent(part: int, whole: int) -> float:
    """Return a share in per cent, to a tenth."""
    return round(100.0 * part / whole, 1)


def _is(name: str, value: float, wanted: float) -> Quality:
    return Quality(name, value, f"{wanted:g}", value == wanted)


def _least(name: str, value: float, bound: float) -> Quality:
    return Quality(name, value, f"at least {bound:g}", value >= bound)


def _most(name: str, value: float, bound: float) -> Quality:
    return Quality(name, value, f"at most {bound:g}", value <= bound)
