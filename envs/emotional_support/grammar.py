"""How a seeker puts what they do into words: parts of data/phrases.txt around what data/stories.txt tells."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

from agentgym.envs.emotional_support.person import sentence
from agentgym.envs.emotional_support.seeker import Seeker
from agentgym.envs.emotional_support.story import Matter
from agentgym.envs.emotional_support.words import Chooser

PATH: Final = Path(__file__).parent / "data" / "phrases.txt"
_SLOT: Final = re.compile(r"\{(\w+)\}")


@lru_cache(maxsize=1)
def phrases() -> Mapping[str, Sequence[str]]:
    """Return the phrases by the name of their block."""
    found: dict[str, tuple[str, ...]] = {}
    for block in PATH.read_text("utf-8").split("\n@ ")[1:]:
        name, *lines = block.strip().split("\n")
        found[name] = tuple(lines)
    return found


def opening(seeker: Seeker, chooser: Chooser) -> str:
    """Return the first words of the talk."""
    found = phrases()
    parts = [chooser.pick(found[f"greets:{seeker.manner}"]), chooser.pick(seeker.story.openers)]
    return " ".join(parts if chooser.chance(6) else [*parts, chooser.pick(found["greets.tail"])])


def words(seeker: Seeker, act: str, about: str, chooser: Chooser) -> str:
    """Return what a seeker says by an act of `listen` about one of their matters ("": the first fact)."""
    say = _SAYS.get(act)
    if say is not None:
        return _ended(act, say(seeker, seeker.matters[about or "fact0"], chooser), chooser)
    if act not in _OWN and about in ("", "strength", "step"):
        about = "fact0"  # what hurts is spoken of, and not what helps
    matter = seeker.matters[about]
    found = phrases()
    name = f"{act}:{seeker.resistance}" if act == "resists" else act
    parts = [chooser.pick(found[f"short:{seeker.manner}"])] if act in _CURT and not chooser.chance(4) else []
    parts.append(filled(chooser.pick(found[name]), seeker, matter))
    return _ended(act, parts, chooser)


def _ended(act: str, parts: list[str], chooser: Chooser) -> str:
    """Return parts in a row, mostly with a tail of the act."""
    tails = phrases().get(f"{act}.tail")
    if tails is not None and not chooser.chance(6):
        parts.append(chooser.pick(tails))
    return " ".join(parts)


def filled(phrase: str, seeker: Seeker, matter: Matter) -> str:
    """Return a phrase with what it says about a matter."""
    if "{" not in phrase:
        return phrase
    values = {
        "about": matter.about, "About": sentence(matter.about, ""), "clause": matter.clause,
        "Clause": sentence(matter.clause, ""), "step": seeker.story.step.clause, "feel": seeker.story.feel.words[0],
    }  # fmt: skip
    return _SLOT.sub(lambda slot: values[slot[1]], phrase)


def _tells(seeker: Seeker, matter: Matter, chooser: Chooser) -> list[str]:
    """Return a lead, the matter in the seeker's words or in a frame, and what they add, in their manner."""
    found, manner = phrases(), seeker.manner
    parts = [] if chooser.chance(3) else [chooser.pick(found[f"lead:{manner}"])]
    if chooser.chance(4):
        parts.append(filled(chooser.pick(found["frame"]), seeker, matter))
    else:
        parts.append(chooser.pick(matter.told))
    if not chooser.chance(4):
        parts.append(chooser.pick(found[f"tail:{manner}"]))
    return parts


def _feels(seeker: Seeker, matter: Matter, chooser: Chooser) -> list[str]:
    found = phrases()
    parts = [] if chooser.chance(4) else [chooser.pick(found["feels.lead"])]
    parts.append(chooser.pick(seeker.story.feel.told))
    return parts if chooser.chance(4) else [*parts, chooser.pick(found[f"tail:{seeker.manner}"])]


def _deepens(seeker: Seeker, matter: Matter, chooser: Chooser) -> list[str]:
    return [chooser.pick(phrases()["deepens.lead"]), chooser.pick(seeker.story.deep.told)]


def _led(act: str) -> Callable[[Seeker, Matter, Chooser], list[str]]:
    """Return a speaker of a lead of an act and a matter's own words."""
    return lambda seeker, matter, chooser: [chooser.pick(phrases()[f"{act}.lead"]), chooser.pick(matter.told)]


_SAYS: Final[Mapping[str, Callable[[Seeker, Matter, Chooser], list[str]]]] = {
    "tells": _tells, "feels": _feels, "deepens": _deepens, "discloses": _led("discloses"), "owns": _led("owns"),
    "weighs": _led("weighs"),
}  # fmt: skip


_CURT: Final = frozenset(
    "resists objects hurt belittled corrects notices lectured drifts waits circles".split()  # noqa: SIM905
)
"""Acts that begin with a short word of the seeker's manner, mostly."""
_OWN: Final = frozenset({"warms", "decides"})
"""Acts that speak of a strength or a step themselves."""
