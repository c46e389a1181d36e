"""The shipped questions: families over the facts, and how questions are drawn from them."""

from __future__ import annotations

from typing import Final

from agentgym.envs.wiki_search.shipped.questions import bridge, comparison, composition, hidden, single
from agentgym.envs.wiki_search.shipped.questions.families import Family

FAMILIES: Final[tuple[Family, ...]] = (
    *single.FAMILIES,
    *bridge.FAMILIES,
    *hidden.FAMILIES,
    *composition.FAMILIES,
    *comparison.FAMILIES,
)
