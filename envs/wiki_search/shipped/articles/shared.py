"""Pages of names that several share."""

from typing import Final

from agentgym.envs.wiki_search.shipped.articles.grammar import Writer, enumerated
from agentgym.envs.wiki_search.shipped.facts import Entity

OPENINGS: Final = (
    "{name} may refer to {pages}.",
    "{name} is the name of {count} pages: {pages}.",
    "The name {name} is shared by {pages}.",
    "{count} pages bear the name {name}: {pages}.",
    "{name} can mean {pages}.",
    "There are {count} pages for {name}: {pages}.",
)
NUMBERS: Final = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight"}
KINDS: Final = {
    "messier": "a deep-sky object", "zone": "a time zone", "element": "a chemical element", "airport": "an airport",
    "island": "an island", "country": "a country or territory",
}  # fmt: skip


def shared(writer: Writer) -> str:
    """Return the text of a page of disambiguation: all pages of the name, each with its kind."""
    entity, rng = writer.entity, writer.rng
    pages = []
    for fact in rng.shuffled(entity.facts):
        target = writer.facts.entities[fact.target]
        writer.used.append(fact)
        writer.links.append(target.title)
        pages.append(f"{target.title}, {kind(target)}")
    text = rng.choice(OPENINGS)
    count = NUMBERS.get(len(pages), str(len(pages)))
    filled = text.format(name=entity.name, count=count, pages=enumerated(pages) if len(pages) < 3 else "; ".join(pages))
    return filled[0].upper() + filled[1:]


def kind(entity: Entity) -> str:
    """Return what an entity is, with an article."""
    return KINDS.get(entity.kind, f"a {entity.kind}")
