"""Entities while they are gathered: facts come one by one; names are settled, thin entities left out at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from agentgym.envs.wiki_search.shipped.facts import DISAMBIGUATION, Entity, Fact, Facts
from agentgym.envs.wiki_search.shipped.gather.packages import NAMES, SOURCES

FEWEST_FACTS: Final = 6
FEWEST_LINKS: Final = 5
NEEDED: Final = ("country", "city", "constellation")
"""Relations whose target must have an article: without it the entity has none either."""
Value = str | int | float


@dataclass
class Raw:
    """An entity so far: `facts` holds (relation, value or None, target or "", index of the source)."""

    id: str
    kind: str
    name: str
    qualifiers: tuple[str, ...]
    aliases: tuple[str, ...]
    facts: list[tuple[str, Value | None, str, int]] = field(default_factory=list)


class Draft:
    """What was gathered so far."""

    def __init__(self) -> None:
        self.raw: dict[str, Raw] = {}

    def add(self, key: str, name: str, qualifiers: Sequence[str], aliases: Sequence[str] = ()) -> None:
        """Add an entity of the kind that its id begins with; `qualifiers` are tried in turn where a name is shared."""
        if key in self.raw:
            raise ValueError(f"{key} comes twice: {name} and {self.raw[key].name}")
        others = tuple(dict.fromkeys(alias for alias in aliases if alias and alias != name))
        self.raw[key] = Raw(key, key.partition(":")[0], name, tuple(qualifiers), others)

    def say(self, key: str, relation: str, value: Value | None, source: str) -> None:
        """Add a fact that leads nowhere; nothing where there is no value."""
        if value is not None and value != "":
            self._put(key, (relation, value, "", NAMES.index(source)))

    def link(self, key: str, relation: str, target: str, source: str, otherwise: str | None = None) -> None:
        """Add a fact that leads to an entity; if that one is not kept, `otherwise` is its value, or it is left out."""
        otherwise = otherwise or None
        if target != key and (target or otherwise):
            self._put(key, (relation, otherwise, target, NAMES.index(source)))

    def _put(self, key: str, fact: tuple[str, Value | None, str, int]) -> None:
        facts = self.raw[key].facts
        if fact not in facts:
            facts.append(fact)

    def of(self, kind: str) -> list[str]:
        """Return the ids of a kind, sorted."""
        return sorted(key for key, raw in self.raw.items() if raw.kind == kind)

    def settle(self, derive: Callable[[], None]) -> dict[str, str]:
        """Let `derive` compute facts and leave out what then cannot have an article: too few facts or links, no title.

        What is derived may rest on what is left out, so it is derived anew until nothing is. Returns titles by id.
        """
        while True:
            titles = self._titles()
            self.raw = {key: raw for key, raw in self.raw.items() if key in titles}
            gathered = {key: list(raw.facts) for key, raw in self.raw.items()}
            derive()
            thin = {key for key, raw in self.raw.items() if self._thin(raw)}
            if not thin:
                return self._titles()
            self.raw = {key: raw for key, raw in self.raw.items() if key not in thin}
            for key, raw in self.raw.items():
                raw.facts = gathered[key]

    def _thin(self, raw: Raw) -> bool:
        lost = any(name in NEEDED and target and target not in self.raw for name, _, target, _ in raw.facts)
        stated = [fact for fact in raw.facts if not fact[2] or fact[2] in self.raw or fact[1] is not None]
        links = {fact[2] for fact in raw.facts if fact[2] in self.raw}
        return lost or len(stated) < FEWEST_FACTS or len(links) < FEWEST_LINKS

    def _titles(self) -> dict[str, str]:
        shared: dict[str, list[Raw]] = {}
        for raw in self.raw.values():
            shared.setdefault(raw.name, []).append(raw)
        titles: dict[str, str] = {}
        for name, group in shared.items():
            if len(group) == 1:
                titles[group[0].id] = name
                continue
            left, taken = group, set[str]()
            for level in range(max(len(raw.qualifiers) for raw in group)):
                tried = {raw.id: raw.qualifiers[level] for raw in left if level < len(raw.qualifiers)}
                times = Counter(tried.values())
                for raw in left:
                    qualifier = tried.get(raw.id, "")
                    if qualifier and times[qualifier] == 1 and qualifier not in taken:
                        titles[raw.id] = f"{name} ({qualifier})"
                taken |= set(tried.values())
                left = [raw for raw in left if raw.id not in titles]
        return titles

    def finish(self, derive: Callable[[], None]) -> Facts:
        """Settle all and return it, with a page of disambiguation for each name that several share."""
        titles = self.settle(derive)
        entities = {key: self._entity(raw, titles[key]) for key, raw in self.raw.items()}
        shared: dict[str, list[str]] = {}
        for key in sorted(entities):
            shared.setdefault(entities[key].name, []).append(key)
        for name, keys in shared.items():
            if len(keys) > 1:
                key = f"{DISAMBIGUATION}:{name}"
                facts = tuple(Fact("refers_to", name, target, entities[target].facts[0].source) for target in keys)
                entities[key] = Entity(key, DISAMBIGUATION, name, name, (), facts)
        ordered = {key: entities[key] for key in sorted(entities)}
        sources = tuple(source for source, _ in SOURCES)
        return Facts(MappingProxyType(ordered), sources, tuple(licence for _, licence in SOURCES))

    def _entity(self, raw: Raw, title: str) -> Entity:
        facts, order = [], {relation: at for at, (relation, *_) in reversed([*enumerate(raw.facts)])}
        for relation, value, target, source in sorted(raw.facts, key=lambda fact: order[fact[0]]):
            if target in self.raw:
                facts.append(Fact(relation, self.raw[target].name, target, source))
            elif value is not None:
                facts.append(Fact(relation, value, "", source))
        return Entity(raw.id, raw.kind, raw.name, title, raw.aliases, tuple(facts))
