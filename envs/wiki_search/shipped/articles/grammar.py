"""How facts become sentences: templates with slots, of which some are drawn, ordered and joined.

A template that begins with "~" is what is said of a subject ("~lies in {country}"); any other is a clause of its own
("the nearest city is {nearest_city}"). A slot names a relation; `{relation|filter}` says how to write its value:

    (none)   a number with thousands separators, or a name, with "the" where it takes one
    year     a number as it is
    list     all values of the relation, "A, B and C"; of many the first ones "and others"
    nth      "third", "21st"
    sup      before a superlative: "" for 1, "second-" for 2
    an       with an indefinite article
    word     a small number in letters
    north    degrees of latitude; `east`: of longitude
    lower    in small letters

`{name}` is the entity's own name, `{S's}` its subject in the genitive.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from agentgym.envs.wiki_search.shipped.facts import Entity, Fact, Facts
from agentgym.rng import TurnRng

MOST_LISTED: Final = 6
SLOT: Final = re.compile(r"\{([a-z_0-9A-Z']+)(?:\|([a-z]+))?\}")
ORDINALS: Final = (
    "zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth",
)  # fmt: skip
NUMBERS: Final = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
WITH_THE: Final = frozenset((
    "Bahamas", "British Virgin Islands", "Caribbean Netherlands", "Cayman Islands", "Central African Republic",
    "Cocos (Keeling) Islands", "Comoros", "Cook Islands", "Democratic Republic of the Congo", "Dominican Republic",
    "Falkland Islands", "Faroe Islands", "Gambia", "Isle of Man", "Ivory Coast", "Maldives", "Marshall Islands",
    "Netherlands", "Northern Mariana Islands", "Palestinian Territories", "Philippines", "Pitcairn Islands",
    "Republic of the Congo", "Seychelles", "Solomon Islands", "Turks and Caicos Islands", "U.S. Virgin Islands",
    "United Arab Emirates", "United Kingdom", "United States", "Åland Islands", "District of Columbia",
    "Northern Territory", "Australian Capital Territory", "Pleiades",
))  # fmt: skip
THE_KINDS: Final = ("river", "mountain range", "desert", "currency", "peninsula")
PLURAL_KINDS: Final = ("mountain range", "island")
THE_ENDINGS: Final = ("Nebula", "Cluster", "Galaxy", "Cloud", "Peninsula", "Islands", "Desert")


@dataclass(frozen=True)
class Statement:
    """One thing to say, in several ways; `when` tells of which entities with these facts it can be said."""

    templates: tuple[str, ...]
    when: Callable[[Entity], bool] | None = None


def said(*templates: str, when: Callable[[Entity], bool] | None = None) -> Statement:
    """Return a statement."""
    return Statement(templates, when)


@dataclass(frozen=True)
class Wording:
    """How articles of a kind are worded.

    Attributes:
        subjects: what may stand for the name: "the city".
        pronoun: what stands for it inside a sentence, or after one that speaks of nothing else: "it", "" for none.
        leads: how the first sentence goes on after the name.
        blocks: statements; those of a block come in any order, blocks in theirs. A tuple of statements
            is kept together.
    """

    subjects: tuple[str, ...]
    pronoun: str
    leads: tuple[str, ...]
    blocks: tuple[tuple[Statement | tuple[Statement, ...], ...], ...]

    def drawn(self, rng: TurnRng) -> list[Statement]:
        """Return all statements in a drawn order."""
        kept = [one if isinstance(one, tuple) else (one,) for block in self.blocks for one in rng.shuffled(block)]
        return [statement for chain in kept for statement in chain]

    @property
    def statements(self) -> list[Statement]:
        """All statements, in the order in which they are written down."""
        return [
            one for block in self.blocks for part in block for one in (part if isinstance(part, tuple) else (part,))
        ]


@dataclass
class Writer:
    """Writes one article: draws by `rng`, and notes what links and facts it used."""

    entity: Entity
    facts: Facts
    rng: TurnRng
    links: list[str] = field(default_factory=list)
    used: list[Fact] = field(default_factory=list)

    def can(self, template: str) -> bool:
        """Tell whether there is a fact for each slot of a template."""
        return all(self.entity.one(name) is not None for name in _slots(template))

    def fill(self, template: str, subject: str) -> str:
        """Return a template with its slots filled."""

        def put(found: re.Match[str]) -> str:
            name, how = found[1], found[2] or ""
            if name == "name":
                return self.own
            if name in ("S", "S's"):
                return subject if name == "S" else _genitive(subject)
            return self._value(name, how)

        return SLOT.sub(put, template)

    @property
    def plural(self) -> bool:
        """Whether the name is a plural, as that of many mountain ranges."""
        return self.entity.kind in PLURAL_KINDS and self.entity.name.endswith("s")

    @property
    def own(self) -> str:
        """The entity's name as it stands inside a sentence."""
        return called(self.entity)

    def _value(self, relation: str, how: str) -> str:
        found = self.entity.all(relation)
        if how != "list":
            return self._written(found[0], how)
        shown = found if len(found) <= MOST_LISTED else found[: MOST_LISTED - 1]
        words = [self._written(fact, "") for fact in shown] + (["others"] if len(shown) < len(found) else [])
        return enumerated(words)

    def _written(self, fact: Fact, how: str) -> str:
        self.used.append(fact)
        if fact.target:
            target = self.facts.entities[fact.target]
            if target.title not in self.links:
                self.links.append(target.title)
            return called(target)
        return written(fact.value, how)


def differs(relation: str, *others: str) -> Callable[[Entity], bool]:
    """Return whether a relation leads elsewhere than some others, so that one place is not told of twice."""

    def when(entity: Entity) -> bool:
        found = entity.one(relation)
        return found is not None and all(
            found.target not in {fact.target for fact in entity.all(one)} for one in others
        )

    return when


def equals(relation: str, *values: str | int) -> Callable[[Entity], bool]:
    """Return whether an entity has one of some values."""

    def when(entity: Entity) -> bool:
        found = entity.one(relation)
        return found is not None and found.value in values

    return when


def several(relation: str) -> Callable[[Entity], bool]:
    """Return whether a relation has more than one value."""
    return lambda entity: len(entity.all(relation)) > 1


def single(relation: str) -> Callable[[Entity], bool]:
    """Return whether a relation has exactly one value."""
    return lambda entity: len(entity.all(relation)) == 1


def lacks(relation: str) -> Callable[[Entity], bool]:
    """Return whether a relation has no value."""
    return lambda entity: entity.one(relation) is None


def more(relation: str) -> Callable[[Entity], bool]:
    """Return whether a number is greater than 1."""

    def when(entity: Entity) -> bool:
        found = entity.one(relation)
        return found is not None and not isinstance(found.value, str) and found.value > 1

    return when


def called(entity: Entity) -> str:
    """Return the name as it stands inside a sentence: with "the" where English has it, elements in small letters."""
    if entity.kind == "element":
        return entity.name.lower()
    the = entity.name in WITH_THE and entity.kind in ("country", "region", "messier")
    the = the or entity.kind in THE_KINDS or (entity.kind == "messier" and entity.name.endswith(THE_ENDINGS))
    return f"the {entity.name}" if the and not entity.name.startswith("the ") else entity.name


def written(value: str | int | float, how: str = "") -> str:
    """Return a value in words or figures."""
    if how == "nth":
        return ordinal(int(value))
    if how == "sup":
        return "" if int(value) == 1 else f"{ordinal(int(value))}-"
    if how == "word" and isinstance(value, int) and value < len(NUMBERS):
        return NUMBERS[value]
    if how == "an":
        return f"{'an' if str(value)[0].casefold() in 'aeio' else 'a'} {value}"
    if how == "lower":
        return str(value).lower()
    if how in ("north", "east"):
        letters = ("N", "S") if how == "north" else ("E", "W")
        return f"{abs(float(value)):.2f}° {letters[float(value) < 0]}"
    if isinstance(value, str) or how == "year":
        return str(value)
    return f"{value:,}"


def ordinal(number: int) -> str:
    """Return "third", "21st", "112th"."""
    if number < len(ORDINALS):
        return ORDINALS[number]
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{ending}"


def enumerated(words: list[str]) -> str:
    """Return "A", "A and B" or "A, B and C"."""
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]


def _genitive(subject: str) -> str:
    if subject == "it":
        return "its"
    return f"{subject}'" if subject.endswith("s") else f"{subject}'s"


def compose(writer: Writer, wording: Wording) -> str:
    """Return the text of an article: a lead, and all that can be said, in drawn order, words and joints."""
    rng = writer.rng
    lead = rng.choice([one for one in wording.leads if writer.can(one)])
    known = {name for name, _ in SLOT.findall(lead)}
    chosen: list[str] = []
    for statement in wording.drawn(rng):
        usable = [one for one in statement.templates if writer.can(one) and not _slots(one) <= known]
        if usable and (statement.when is None or statement.when(writer.entity)):
            chosen.append(rng.choice(usable))
    sentences = [_ended(_part(writer, lead, writer.own))]
    alone, at = True, 0
    while at < len(chosen):
        pair = chosen[at : at + (1 if rng.random() < 0.4 else 2)]
        at += len(pair)
        sentence, alone = _sentence(writer, wording, pair, alone)
        sentences.append(sentence)
    return " ".join(sentences)


def _sentence(writer: Writer, wording: Wording, parts: list[str], alone: bool) -> tuple[str, bool]:
    """Return a sentence of one or two templates, and whether it speaks of the subject alone."""
    rng = writer.rng
    subjects = [writer.fill(one, "") for one in wording.subjects]
    names = [writer.own, *subjects]
    subject = rng.choice([*names, wording.pronoun] if alone and wording.pronoun else names)
    text = _part(writer, parts[0], subject)
    for part in parts[1:]:
        again = wording.pronoun or rng.choice(subjects)
        if part[0] != "~":
            text += rng.choice(("; ", ", and ", ", while ")) + writer.fill(part, rng.choice(subjects))
        elif parts[0][0] == "~":
            joint = [f"; {again} ", f", and {again} "] + ([" and "] if " and " not in text + part else [])
            joint_word = rng.choice(joint)
            plural = joint_word == " and " and subject == writer.own and writer.plural
            text += joint_word + writer.fill(_verb(part[1:], plural), again)
        else:
            text += rng.choice(("; ", ", and ", ", while ")) + _part(writer, part, rng.choice(subjects))
    return _ended(text), all(part[0] == "~" for part in parts)


def _part(writer: Writer, template: str, subject: str) -> str:
    if template[0] != "~":
        return writer.fill(template, subject)
    rest = writer.fill(_verb(template[1:], subject == writer.own and writer.plural), subject)
    return f"{subject}{'' if rest[0] == ',' else ' '}{rest}"


def _slots(template: str) -> set[str]:
    return {name for name, _ in SLOT.findall(template)} - {"name", "S", "S's"}


def _verb(rest: str, plural: bool) -> str:
    """Return what is said of a subject, with its verb in the plural if the subject is."""
    if not plural:
        return rest
    start = re.match(r"(,.*?, )?(\w+)", rest)
    if start is None:
        return rest
    verb = {"is": "are", "has": "have", "was": "were"}.get(start[2], start[2].removesuffix("s"))
    return rest[: start.start(2)] + verb + rest[start.end(2) :]


def _ended(text: str) -> str:
    return text[0].upper() + text[1:] + ("" if text.endswith(".") else ".")
