"""All sources, in an order in which what is linked to comes first."""

from __future__ import annotations

from pathlib import Path

from agentgym.envs.wiki_search.shipped.facts import Facts
from agentgym.envs.wiki_search.shipped.gather import airports, elements, money, places, sky, tongues, words, zones
from agentgym.envs.wiki_search.shipped.gather.derived import Deriver
from agentgym.envs.wiki_search.shipped.gather.draft import Draft


def gathered(root: Path) -> Facts:
    """Return the facts of all packages.

    Args:
        root: the folder with the unpacked packages.

    Raises:
        DataError: a package is missing or of another version.
    """
    draft = Draft()
    places.gather(draft, root)
    zones.gather(draft)
    airports.gather(draft)
    tongues.gather(draft)
    money.gather(draft)
    words.gather(draft, root)
    elements.gather(draft)
    sky.gather(draft, root)
    return draft.finish(Deriver(draft))
