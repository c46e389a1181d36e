"""Which ids of a reply belong to which channel of a hierarchical estimator: HiPER's format, arXiv 2602.16165.

A reply may begin with `<switch>yes</switch>` (or no) and `<subgoal>a text</subgoal>`; the rest is the action. The world
reads the same text: it says in `switch` and `subgoal` what it made of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from agentgym.baselines.grpo.tokens import Tokens

_TAGGED = re.compile(r"\s*<(switch|subgoal)>.*?(?:</\1>|$)", re.DOTALL)


def channels(tokens: Tokens, ids: Sequence[int]) -> list[str]:
    """Return the channel of every id: "switch" or "subgoal", tags included, else "action".

    An id belongs where its first character stands. What closes a reply, and a tag behind the action, is action. A tag
    that is never closed reaches to the end of the reply.
    """
    starts = [len(tokens.decode(ids[:count])) for count in range(len(ids) + 1)]
    text = tokens.decode(ids)
    out, at = ["action"] * len(ids), 0
    while found := _TAGGED.match(text, at):
        for place in range(len(ids)):
            if at <= starts[place] < found.end() and starts[place + 1] > starts[place]:
                out[place] = found[1]
        at = found.end()
    return out
