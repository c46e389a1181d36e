"""Which ids of a reply belong to which channel of a hierarchical estimator, by the switch token in front of the action.

    <switch>find the red key</switch> go forward        switch: <switch>   subgoal: find the red key</switch>
    <keep> go forward                                   switch: <keep>

The rest is the action; see `agentgym.baselines.switching`, which reads the same texts.
"""

from __future__ import annotations

from collections.abc import Sequence

from agentgym.baselines.grpo.tokens import Tokens
from agentgym.baselines.switching import END, KEEP, SWITCH, split


def channels(tokens: Tokens, ids: Sequence[int]) -> list[str]:
    """Return the channel of every id: "switch", "subgoal" or "action".

    An id belongs where its first character stands, blanks before the flag to the flag. What closes a reply is action,
    and so is all of a text without a flag.
    """
    text = tokens.decode(ids)
    said = split(text)
    if said.switch is None:
        return ["action"] * len(ids)
    flag = len(text) - len(text.lstrip()) + len(SWITCH if said.switch else KEEP)
    announced = text.index(END) + len(END) if said.switch else flag
    out = []
    for place in range(len(ids)):
        begin, end = (len(tokens.decode(ids[:count])) for count in (place, place + 1))
        out.append("action" if begin >= announced or begin == end else "subgoal" if begin >= flag else "switch")
    return out
