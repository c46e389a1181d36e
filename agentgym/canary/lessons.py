"""What the policy learned in a canary world, and what that says of its trainer; what the worlds saw of its episodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from agentgym.canary.diary import Entry
from agentgym.canary.report import DROPPED, KEPT, NOT_CHECKED, Line
from agentgym.canary.worlds import WORLDS, Game

LAST: Final = 0.25
"""The share of the episodes, the last ones, by which a lesson is judged."""
FEWEST: Final = 16
"""Episodes that have to be among them."""
LEARNED: Final = 0.75
"""The share of them that shows that a lesson was learned."""


@dataclass(frozen=True)
class Lesson:
    """What one world teaches.

    Attributes:
        check: what it shows.
        choice: what an episode chose: "right", or another of `meanings`; "" where it chose nothing.
        meanings: what a trainer dropped whose policy mostly chose so.
    """

    check: str
    choice: Callable[[Entry], str]
    meanings: Mapping[str, str]


def _words(entry: Entry) -> list[str]:
    known = WORLDS[entry.world].words
    return [word for action in entry.actions if (word := action.strip().lower()) in known]


def _at(move: int) -> Callable[[Entry], str]:
    """Return a choice of the word of a move (from 0): the one that the game is about, or another."""

    def choice(entry: Entry) -> str:
        words = _words(entry)
        if len(words) <= move:
            return ""
        return "right" if words[move] == Game(entry.seed).drawn(WORLDS[entry.world].words) else "wrong"

    return choice


def _first(entry: Entry) -> str:
    words = _words(entry)
    return words[0] if words else ""


def _amber(entry: Entry) -> str:
    words = _words(entry)
    return "" if not words else "right" if words.count("amber") * 2 > len(words) else "wrong"


def _wages(entry: Entry) -> str:
    first = _first(entry)
    return "right" if first == "amber" else first


def _shift(entry: Entry) -> str:
    words = _words(entry)
    if not words:
        return ""
    return "right" if "olive" not in words else "late" if len(words) >= WORLDS["Shift"].max_turns - 1 else "early"


LESSONS: Final[Mapping[str, Lesson]] = {
    "Control": Lesson(
        "learning", _amber,
        {"wrong": "what always pays was not learned; train longer, or from a model that tries both words"},
    ),
    "Hint": Lesson("opening", _at(1), {"wrong": "the policy cannot tell what the observation of reset said"}),
    "Middle": Lesson("observations", _at(2), {"wrong": "the policy cannot tell what the first answer said"}),
    "Wages": Lesson(
        "rewards", _wages,
        {
            "green": "the policy plays what the last turn's reward alone would teach",
            "olive": "the policy plays what the first turn's reward alone would teach",
        },
    ),
    "Echo": Lesson("mask", _amber, {"wrong": "the policy says what the environment says, not what was paid"}),
    "Luck": Lesson("groups", _amber, {"wrong": "luck was learned from: rollouts were compared that started unequal"}),
    "Shift": Lesson(
        "truncation", _shift,
        {
            "late": "the policy leaves before it would be cut, as if cut rollouts were left out or worth nothing",
            "early": "the policy leaves at once, as if cut rollouts were left out or worth nothing",
        },
    ),
}  # fmt: skip
"""What each world that teaches teaches; the other worlds are for the record alone."""


def judged(world: str, entries: Sequence[Entry], *, learns: bool = True) -> Line:
    """Return what the last episodes in a world say.

    Args:
        world: one of LESSONS.
        entries: its episodes in the order in which they were played.
        learns: whether the policy learned in the world Control; where it did not, nothing follows from here.
    """
    lesson = LESSONS[world]
    last = entries[len(entries) - int(LAST * len(entries)) :]
    if len(last) < FEWEST:
        return Line(lesson.check, "lesson", NOT_CHECKED, f"{len(last)} last episodes in {world}, needs {FEWEST}")
    counts = Counter(map(lesson.choice, last))
    share = counts["right"] / len(last)
    if share >= LEARNED:
        return Line(lesson.check, "lesson", KEPT, f"{world}: right in {share:.0%} of the last {len(last)} episodes")
    if not learns:
        return Line(lesson.check, "lesson", NOT_CHECKED, f"{world}: nothing was learned in Control either")
    mostly = max(lesson.meanings, key=lambda name: counts[name])
    why = lesson.meanings[mostly] if counts[mostly] else "hardly a word of the game was played"
    return Line(lesson.check, "lesson", DROPPED, f"{world}: right in {share:.0%} of the last {len(last)}: {why}")


def starts(entries: Sequence[Entry]) -> Line:
    """Check that games were played more than once each: a group that starts equal plays one game."""
    if len(entries) < FEWEST:
        return Line("groups", "diary", NOT_CHECKED, f"{len(entries)} episodes, needs {FEWEST}")
    times = Counter((entry.world, entry.seed) for entry in entries)
    alone = sum(many for many in times.values() if many == 1)
    if 2 * alone > len(entries):
        note = f"{alone} of {len(entries)} episodes are the only ones of their seed: seed the members of a group alike"
        return Line("groups", "diary", DROPPED, note)
    return Line("groups", "diary", KEPT, f"{len(entries)} episodes of {len(times)} games")


def cut(entries: Sequence[Entry], trained: int) -> Line:
    """Check that cut episodes were not left out.

    Args:
        entries: all that were played.
        trained: how many rollouts of the record were cut.
    """
    played = sum(entry.truncated and entry.reason != "infra_error" for entry in entries)
    unfinished = sum(not (entry.terminated or entry.truncated) for entry in entries)
    if 2 * unfinished > len(entries):
        note = f"{unfinished} of {len(entries)} episodes were left before they ended"
        return Line("truncation", "diary", DROPPED, note)
    if played < FEWEST:
        return Line("truncation", "diary", NOT_CHECKED, f"{played} episodes were cut, needs {FEWEST}")
    if 4 * trained < played:
        note = f"{played} episodes were cut at the limit and {trained} of the rollouts trained on"
        return Line("truncation", "diary", DROPPED, note)
    return Line("truncation", "diary", KEPT, f"{played} episodes were cut, {trained} of the rollouts trained on")
