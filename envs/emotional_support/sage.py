"""SAGE's seekers (arXiv 2505.02847): profiles and scenes in Chinese, spoken by a language model, rated by a judge.

Nothing here reads Chinese: what such a seeker does follows from a judge's levels, and a draft is a direction to
whoever speaks. Of SAGE's recorded talks only one thing is taken, how the seeker's emotion changes from turn to turn
(`changes`).

python -m agentgym.envs.emotional_support.sage FOLDER  # the distribution of that change
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from agentgym.data import Loaded, Problem, Progress, file_hash
from agentgym.envs.emotional_support.rules import WEIGHTS
from agentgym.errors import DataError
from agentgym.task import Task

KIND: Final = "sage"
PROFILES: Final = "simulator_profile_withfirsttalk.jsonl"
TALKS: Final = "dialogues*.jsonl"
NEEDED: Final = ("id", "player", "scene", "task", "first_talk")
LEVEL: Final = 1  # of each of EMPA's items, which SAGE does not rate

_TURN: Final = "Say only what this turn asks for, in the language of your role, and stay in it."
DIRECTIONS: Final[Mapping[str, str]] = {
    "tells": "(Go on telling what happened: the next part.)",
    "feels": "(Your feeling was named rightly. Show that it was.)",
    "hints": "(Hint that there is something that you have not said, and stop.)",
    "discloses": "(You feel safe enough now: tell what you held back.)",
    "deepens": "(What lies behind it was understood. Say how that is.)",
    "owns": "(Name something that you have done well in all this.)",
    "warms": "(You are glad that it was seen. Say so in your way.)",
    "weighs": "(Name a step that you might take, and hesitate.)",
    "decides": "(Decide on that step.)",
    "settles": "(You are calmer. Say how it is now.)",
    "agrees": "(You were understood. Agree.)",
    "circles": "(You cannot say what it does to you. Go round in circles.)",
    "softens": "(That was kind. Take it in.)",
    "waits": "(That did not reach you. Say little.)",
    "resists": "(You do not want to go on yet. Hold back in your way.)",
    "hurt": "(That hurt. Show it.)",
    "thanks": "(You feel better. Thank them and say goodbye.)",
    "leaves": "(You have had enough. Say goodbye.)",
}
"""What a seeker without a script of ours is to do by each act."""

_FACT: Final = "what happened | part {0} of it was told | (Part {0}.) | (Part {0}.)"
_STORY: Final = (
    *(("fact", _FACT.format(number)) for number in range(1, 5)),
    ("feel", "sad | (The feeling.)"),
    ("concern", "what is held back | it was told | (What is held back.) | (What is held back.)"),
    ("deep", "afraid | (What lies behind.)"),
    ("strength", "what went well | it was told | (What went well.) | (What went well.)"),
    ("step", "take a step | (The step.) | (The step.)"),
    ("advice", "get over it"),
    ("lie", "nothing happened at all"),
    ("lie", "everything was invented"),
    ("small", "it is nothing"),
)


def load(folder: Path, progress: Progress) -> Loaded:
    """Read SAGE's profiles with their first words; all seekers are the split "test"."""
    place = folder / PROFILES
    if not place.is_file():
        raise DataError(f"{folder} holds no {PROFILES}: give the folder profile/ of SAGE")
    lines = place.read_text("utf-8").splitlines()
    tasks: dict[str, Task] = {}
    problems = []
    for number, line in enumerate(lines):
        try:
            task = _task(json.loads(line))
            if task.id in tasks:
                raise ValueError(f"the id {task.id} stands twice")
            tasks[task.id] = task
        except (ValueError, TypeError, RecursionError) as error:
            problems.append(Problem(PROFILES, f"line {number + 1}", str(error), "mend or remove it"))
        progress(number + 1, len(lines))
    if not tasks:
        raise DataError(f"{place} holds no seeker that plays: {problems[0] if problems else 'it is empty'}")
    return Loaded({"test": tuple(tasks.values())}, {PROFILES: file_hash(place)}, tuple(problems), len(lines))


def _task(profile: Any) -> Task:
    if not isinstance(profile, dict):
        raise TypeError(f"a seeker must be a JSON object, not {type(profile).__name__}")
    lacks = [name for name in NEEDED if not isinstance(profile.get(name), str) or not profile[name].strip()]
    if lacks:
        raise ValueError(f"it lacks the text {', '.join(lacks)}")
    first = profile["first_talk"].strip()
    role = f"{profile['player']}\n\n{profile['scene']}\n\n{profile['task']}\n\n{_TURN}"
    lines = [["open", first], ["open", first], *(list(line) for line in _STORY)]
    data = {
        "name": "the seeker", "manner": "plain", "resistance": "open", "items": dict.fromkeys(WEIGHTS, LEVEL),
        "story": {"name": f"sage/{profile['id']}", "lines": lines}, "role": role,
    }  # fmt: skip
    return Task(f"sage-{profile['id']}", data)


def changes(folder: Path) -> Counter[int]:
    """Return how often the seekers' emotion, from 0 to 100, changed by so much from one turn to the next.

    Raises:
        DataError: there are no talks, or a line is none; the message names the file and the line.
    """
    places = sorted(folder.glob(TALKS))
    if not places:
        raise DataError(f"{folder} holds no {TALKS}: give the folder with SAGE's recorded talks")
    found: Counter[int] = Counter()
    for place in places:
        for number, line in enumerate(place.read_text("utf-8").splitlines()):
            try:
                points = list(_points(json.loads(line)))
            except (ValueError, TypeError, KeyError, RecursionError) as error:
                raise DataError(f"{place}, line {number + 1} is no recorded talk ({error!r})") from error
            found.update(after - before for before, after in pairwise(points))
    return found


def _points(talk: Any) -> Iterator[int]:
    for message in talk["history"]:
        if message["role"] == "user" and "emotion-point" in message:
            yield int(message["emotion-point"])


def main(arguments: list[str] | None = None) -> int:
    """Write the distribution of the change a turn; return the exit status."""
    (folder,) = sys.argv[1:] if arguments is None else arguments
    found = changes(Path(folder))
    total = sum(found.values())
    for change, count in sorted(found.items()):
        sys.stdout.write(f"{change:+4d} {count:5d} {count / total:6.1%}\n")
    mean = sum(change * count for change, count in found.items()) / total
    worse = sum(count for change, count in found.items() if change < 0)
    sys.stdout.write(f"{total} changes, {mean:+.2f} on average, {worse / total:.1%} of them for the worse\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
