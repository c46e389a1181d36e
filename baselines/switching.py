"""HiPER's switch token (arXiv 2602.16165): the policy itself says when a new subgoal begins, in front of its action.

    <switch>find the red key</switch> go forward        a new subgoal, and the first action that serves it
    <keep> go forward                                   on with the last one

`Switching` is the codec that reads the action behind the flag, so that any world can be played that way;
`with_switches` reads the columns `switch` and `subgoal` from what was written. A world's own `switch` is the default
source of both; this is for policies that set their own subgoals.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from agentgym.action import Action
from agentgym.batch import TurnBatch
from agentgym.codec import CODECS, Dialect
from agentgym.codec.base import Tools
from agentgym.errors import unknown

KEEP, SWITCH, END = "<keep>", "<switch>", "</switch>"
INSTRUCTIONS = (
    f"Begin every turn with {SWITCH}your next subgoal{END} where you take up a new one, or with {KEEP} where you go on "
    "with the last; your action follows."
)
"""What to tell a language model."""


class Said(NamedTuple):
    """What a text says: `switch` is None without a flag, `subgoal` "" but at a switch; `action` is the rest."""

    switch: bool | None
    subgoal: str
    action: str


def split(text: str) -> Said:
    """Return the flag, the subgoal and the action of a text.

    A flag counts at the text's beginning alone, blanks aside; an opened switch that never ends is no flag. Any text is
    read, in linear time.
    """
    bare = text.lstrip()
    if bare.startswith(KEEP):
        return Said(False, "", bare.removeprefix(KEEP).lstrip())
    subgoal, end, action = bare.removeprefix(SWITCH).partition(END)
    if bare.startswith(SWITCH) and end:
        return Said(True, subgoal.strip(), action.lstrip())
    return Said(None, "", text)


class Switching:
    """A codec that reads the action behind a flag, and texts without one as they stand.

    Pass it as a world's `codec=`, or make it the `default_codec` of a subclass, which has a name to train on.

    Args:
        codec: how the action is read, by name; worlds with tools speak "tags" by default, others "plain".
    """

    def __init__(self, codec: str = "plain") -> None:
        if codec not in CODECS:
            raise ValueError(unknown("codec", codec, CODECS))
        self.inner: Dialect = CODECS[codec]

    def __call__(self, text: str, tools: Tools) -> Action:
        """Return the action. Raises InvalidAction as the inner codec does."""
        return self.inner(split(text).action, tools)

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel by the inner codec's name."""
        return Switching, (self.inner.name,)


def with_switches(batch: TurnBatch) -> TurnBatch:
    """Return the batch with `switch` and `subgoal` as the policy announced them in `action`.

    A turn without a flag keeps. The subgoal is that of the rollout's last switch, "" before the first one. What a world
    wrote into these columns is replaced.
    """
    said = [split(text) for text in batch.action]
    subgoals, current = [""] * len(batch), ""
    for row, first in zip(batch.order.tolist(), (batch.turn[batch.order] == 0).tolist(), strict=True):
        current = said[row].subgoal if said[row].switch else "" if first else current
        subgoals[row] = current
    return batch.with_columns(switch=[bool(each.switch) for each in said], subgoal=subgoals)
