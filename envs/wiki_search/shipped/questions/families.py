"""Families of questions: a plan over the facts and several wordings of what it asks.

    Family(
        "airport_currency",
        "a: airport / iata; b = a.country; c = b.currency",
        ("Which currency is used where the airport with the IATA code {a.iata} lies?", …),
    )

A slot {a} is what the entity is called, {a.iata} what its page says of it. Each line of a plan that is no name in the
question is a hop: an entity that is described is found on its own page, what a step leads to on the page that it
starts from. `drawing` makes questions of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from agentgym.envs.wiki_search.shipped.facts import Entity
from agentgym.envs.wiki_search.shipped.questions import plans
from agentgym.envs.wiki_search.shipped.questions.plans import Described, Named, Plan, Step, World
from agentgym.envs.wiki_search.shipped.questions.speech import RELATIONS, Said, Speech, is_said
from agentgym.envs.wiki_search.tokens import words

TYPES: Final = ("single", "bridge", "comparison", "composition")
"""One page; a chain of pages; two things compared; several conditions that one thing fulfils."""
LEVELS: Final = ("easy", "medium", "hard")
"""One page; several; several, none of which the question names."""
CODE: Final = re.compile(r"[A-Z\d .+-]*|\w{1,3}")
"""An alias that is a code, a symbol or a number: LIS, Si, HIP 123."""
SLOT: Final = re.compile(r"(\b[Aa] |)\{(\w+(?:\.\w+)?)\}")

Entry = dict[str, Any]
Mark = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Family:
    """A template of questions.

    Attributes:
        name: unique; part of the ids of its questions.
        plan: how the answer follows, as `plans` reads it.
        ask: wordings with {slots}, of one meaning; questions take them in turn.
        count: how many questions at most are drawn.
    """

    name: str
    plan: str
    ask: tuple[str, ...]
    count: int = 24


@dataclass(frozen=True, slots=True)
class Sketch:
    """A question before it is worded: what the names of its plan stand for, what it says of them, what comes out."""

    world: World
    said: Said
    answer: str


def worded(wording: str, said: Said) -> str:
    """Return a wording with its slots filled and a capital at its start."""
    text = SLOT.sub(lambda slot: f"{_article(slot[1], said[slot[2]])}{said[slot[2]]}", wording)
    return text[:1].upper() + text[1:]


def _article(written: str, word: str) -> str:
    """Return "a " or "an ", whichever the word needs, where the wording has one."""
    return "an ".replace("a", written[0]) if written and word[:1].lower() in "aeio" else written


def entry_of(family: Family, number: int, sketch: Sketch, speech: Speech) -> Entry:
    """Return a question's entry in the shipped file, all but its split; its wording goes by its number.

    Raises:
        KeyError: a page that it rests on has no article.
    """
    plan = plans.read(family.plan)
    question = worded(family.ask[number % len(family.ask)], sketch.said)
    hops = list(_hops(plan, sketch, speech))
    pages = {hop["title"]: hop["passage"] for hop in hops}
    result = plans.result(plan, sketch.world, speech)
    return {
        "id": f"{family.name}/{number}",
        "family": family.name,
        "said": dict(sketch.said),
        "question": question,
        "answers": [result] if isinstance(result, str) else speech.accepted(result) if result else [],
        "gold": [{"title": title, "passage": key} for title, key in pages.items()],
        "hops": hops,
        "type": type_of(plan, len(pages)),
        "level": LEVELS[0 if len(pages) == 1 else 1 if any(named(question, title, speech) for title in pages) else 2],
    }


def named(question: str, title: str, speech: Speech) -> bool:
    """Return whether a question holds the title of a page, or a name or alias of what it is about; codes are none."""
    entity = speech.facts.titled(title)
    aliases = [alias for alias in entity.aliases if not CODE.fullmatch(alias)] if entity else []
    return any(is_said(question, name) for name in (title, entity.name if entity else title, *aliases))


def marks(entry: Entry, family: Family) -> tuple[Mark, Mark]:
    """Return what no two questions may share: their words, and the gold titles with the relations that are followed."""
    titles = sorted(page["title"] for page in entry["gold"])
    return tuple(words(entry["question"].lower())), (*titles, plans.read(family.plan).chain)


def type_of(plan: Plan, pages: int) -> str:
    """Return which of TYPES a plan is that leads over so many pages."""
    if plan.verdict is not None:
        return "comparison"
    if pages == 1:
        return "single"
    joined = any(isinstance(line, Described) and len(line.told) + len(line.given) > 1 for line in plan.lines)
    return "composition" if joined else "bridge"


def _hops(plan: Plan, sketch: Sketch, speech: Speech) -> Iterator[dict[str, str]]:
    """Yield the hops: question, answer, title and key of the page."""
    called: dict[str, str] = {}  # name → what a later hop calls it
    number = 0
    for line in plan.lines:
        node = sketch.world[line.name]
        if isinstance(line, Named):
            called[line.name] = sketch.said[line.name]
            continue
        number += 1
        page = sketch.world[line.base] if isinstance(line, Step) else node
        if not isinstance(page, Entity):
            raise TypeError(f"{line} leads from or to the value {page}, which has no page")
        asked = _step_asked(line, called) if isinstance(line, Step) else _free_asked(line, sketch.said, called, speech)
        called[line.name] = f"#{number}"
        key = speech.pages.keys[page.title]
        yield {"question": asked, "answer": speech.text(node), "title": page.title, "passage": key}


def _step_asked(line: Step, called: Mapping[str, str]) -> str:
    return f"What is the {RELATIONS.get(line.relation, line.relation.replace('_', ' '))} of {called[line.base]}?"


def _free_asked(line: Described, said: Said, called: Mapping[str, str], speech: Speech) -> str:
    told = [(relation, said[f"{line.name}.{relation}"]) for relation in line.told]
    given = [(relation, called[name]) for relation, name in line.given]
    parts = [f"the {RELATIONS.get(name, name.replace('_', ' '))} {value}" for name, value in (*told, *given)]
    return f"Which {speech.noun(line.kind)} has {' and '.join(parts)}?"
