"""Codecs: how an agent's text becomes an action, in the dialects that models are trained on.

A world reads its agent's text by one of `CODECS`, chosen with `codec="hermes"`, or by any function (text, tools) →
action. Every reader here runs in linear time and raises InvalidAction at most. docs/actions.md holds the rules, which
are the same in every dialect where they can be.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from agentgym.codec.base import NOTHING_SAID, Codec, Dialect, one_block
from agentgym.codec.json_call import Hermes, MtGrpo
from agentgym.codec.react import React
from agentgym.codec.tags import Plain, SearchR1, Tags

__all__ = [
    "CODECS",
    "NOTHING_SAID",
    "Codec",
    "Dialect",
    "Hermes",
    "MtGrpo",
    "Plain",
    "React",
    "SearchR1",
    "Tags",
    "one_block",
]

CODECS: Final[Mapping[str, Dialect]] = MappingProxyType(
    {codec.name: codec for codec in (Plain(), Tags(), Hermes(), React(), SearchR1(), MtGrpo())}
)
"""Codecs by the name that a world's `codec=` takes."""
