"""How questions are drawn from a family, and what would be wrong with one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from agentgym.envs.wiki_search.shipped.facts import Entity
from agentgym.envs.wiki_search.shipped.questions import plans
from agentgym.envs.wiki_search.shipped.questions.families import Entry, Family, Mark, Sketch, entry_of, marks, worded
from agentgym.envs.wiki_search.shipped.questions.plans import Described, Named, Plan
from agentgym.envs.wiki_search.shipped.questions.speech import Speech, is_said
from agentgym.rng import TurnRng

SEED: Final = 20251130
TRIES: Final = 6000
"""So many choices of what the names of a plan stand for are looked at, at most."""
COMMONEST: Final = 10
"""An answer has less than this share of a family's questions, in per cent; yes and no have half of them each."""


FAULTS: Final = (
    "a page does not say the answer of its hop",
    "a page does not say what the question tells of it",
    "the question says an answer",
    "one page says all",
)


def drawn(family: Family, speech: Speech, seen: set[Mark]) -> list[Entry]:
    """Return questions of a family, at most `family.count`, about no entity twice: always the same ones.

    Args:
        family: what to draw.
        speech: facts and pages.
        seen: the `marks` of all questions so far, to which those of these are added.
    """
    plan = plans.read(family.plan)
    answers, met = Counter[str](), set[str]()
    kept: list[Sketch] = []
    for sketch in islice(sketches(family, speech), TRIES):
        free = {node.id for name in plan.free if isinstance(node := sketch.world[name], Entity)}
        if side(plan, sketch) not in ("", ("first", "second")[len(kept) % 2]):
            continue
        if answers[sketch.answer] >= _most(plan, family.count) or met & free:
            continue
        entry = entry_of(family, len(kept) + 1, sketch, speech)
        if seen.isdisjoint(marks(entry, family)) and not faults(family, entry, sketch, speech):
            kept.append(sketch)
            seen.update(marks(entry, family))
            answers[sketch.answer] += 1
            met |= free
        if len(kept) == family.count:
            break
    return [entry_of(family, number, sketch, speech) for number, sketch in enumerate(evened(plan, kept), 1)]


def sketches(family: Family, speech: Speech) -> Iterator[Sketch]:
    """Yield what questions of a family can be about, in a drawn order: all that can be said and answered."""
    plan = plans.read(family.plan)
    rng = TurnRng(SEED, stream=family.name)
    for world in plans.worlds(plan, speech.facts, rng):
        said: dict[str, str] = {}
        for line in plan.lines:
            node = world[line.name]
            if isinstance(line, Named) and isinstance(node, Entity):
                said[line.name] = speech.name(node)
            if isinstance(line, Described) and isinstance(node, Entity):
                said |= {f"{line.name}.{told}": rng.choice(speech.told(node, told) or [""]) for told in line.told}
        answer = plans.answer_of(plan, world, speech)
        if answer and all(said.values()):
            yield Sketch(world, said, answer)


def side(plan: Plan, sketch: Sketch) -> str:
    """Return which of two compared is the answer, "first" or "second", and "first" for yes; "" without comparison."""
    if plan.verdict is None:
        return ""
    if plan.verdict.how == "same":
        return "first" if sketch.answer == "yes" else "second"
    first = sketch.world[plan.root(plan.verdict.first)]
    return "first" if isinstance(first, Entity) and first.name == sketch.answer else "second"


def _most(plan: Plan, count: int) -> int:
    """Return how often an answer may come among so many questions."""
    if plan.verdict is not None and plan.verdict.how == "same":
        return count - count // 2
    return max(1, (count * COMMONEST - 1) // 100)


def evened(plan: Plan, kept: Sequence[Sketch]) -> list[Sketch]:
    """Return what is left when the answers that come too often for so few questions come less often.

    None is left where answers are too few for any to be rare.
    """
    for count in range(len(kept), 0, -1):
        seen = Counter[str]()
        left = []
        for sketch in kept:
            seen[sketch.answer] += 1
            if seen[sketch.answer] <= _most(plan, count):
                left.append(sketch)
        if len(left) >= count:
            closed = plan.verdict is not None and plan.verdict.how == "same"
            return left[:count] if closed or count * COMMONEST > 100 else []
    return []


def faults(family: Family, entry: Entry, sketch: Sketch, speech: Speech) -> list[str]:
    """Return what is wrong with a question, nothing if it is good.

    Args:
        family: that it is drawn from.
        entry: of the question.
        sketch: that it was made of.
        speech: facts and pages.
    """
    plan = plans.read(family.plan)
    found = []
    if plans.answers(plan, sketch.said, speech) != [sketch.answer]:
        found.append("it can be read in more ways than one")
    found += text_faults(entry, plan, [worded(wording, sketch.said) for wording in family.ask], speech)
    names = plan.free if plan.verdict else tuple(sketch.world)
    nodes = [node.name for name in names if isinstance(node := sketch.world[name], Entity)]
    if len(set(nodes)) < len(nodes):
        found.append("it comes back to where it was")
    return found


def text_faults(entry: Entry, plan: Plan, wordings: Sequence[str], speech: Speech) -> list[str]:
    """Return what is wrong with a question of a plan, however worded, by what it and the pages say: some of FAULTS."""
    pages, hops = speech.pages, entry["hops"]
    found = []
    if not all(pages.says(hop["title"], hop["answer"]) for hop in hops):
        found.append(FAULTS[0])
    if any(not pages.says(title, text) for title, text in _described(entry, plan)):
        found.append(FAULTS[1])
    compared = entry["type"] == "comparison"
    hidden = [hop["answer"] for hop in hops[:-1]] + ([] if compared else entry["answers"])
    if any(is_said(wording, text) for wording in wordings for text in hidden):
        found.append(FAULTS[2])
    everything = [*entry["said"].values(), *(hop["answer"] for hop in hops)]
    if len(entry["gold"]) > 1 and pages.together(everything):
        found.append(FAULTS[3])
    return found


def _described(entry: Entry, plan: Plan) -> Iterator[tuple[str, str]]:
    """Yield (title, text): what a question tells of the pages that it describes, and which entities lead to them."""
    called = dict(entry["said"])  # also name → the answer of its hop
    hops = iter(entry["hops"])
    for line in plan.lines:
        if isinstance(line, Named):
            continue
        hop = next(hops)
        called[line.name] = hop["answer"]
        if isinstance(line, Described):
            for text in (
                *(called[f"{line.name}.{told}"] for told in line.told),
                *(called[name] for _, name in line.given),
            ):
                yield hop["title"], text
