"""Plans in an agent's messages: the steps between <plan> and </plan>, one a line."""

from __future__ import annotations

import re
from typing import Final

from agentgym.action import strip_blocks

STEPS: Final = 20  # steps that are read
STEP: Final = 300  # characters of each

_NUMBERING: Final = re.compile(r"(?:[-*•]|(?:step\s{1,9})?[0-9]{1,3}[.):])\s+", re.IGNORECASE)


def plan_of(message: str) -> list[str]:
    r"""Return the steps of the first whole plan in a message, without their numbers; none in reasoning. Linear time.

    Example:
        >>> plan_of("<plan>1. Who made it? 2. When?</plan>"), plan_of("<plan>- Who made it?\n- When?</plan>")
        (['Who made it? 2. When?'], ['Who made it?', 'When?'])
    """
    _, body, closed = _block(message)
    lines = (" ".join(line.split()) for line in body.splitlines()) if closed else ()
    steps = (_NUMBERING.sub("", line, count=1) if _NUMBERING.match(line) else line for line in lines)
    return [step[:STEP] for step in steps if step][:STEPS]


def is_unclosed(message: str) -> bool:
    """Return whether a message, reasoning aside, begins a plan and never ends it. Linear time."""
    opened, _, closed = _block(message)
    return bool(opened) and not closed


def _block(message: str) -> tuple[str, str, str]:
    """Return the tag that opens the first plan, what it holds, and the tag that closes it; "" for what is not there."""
    if "<plan>" not in message:
        return "", "", ""
    for tag in ("think", "reasoning"):
        message = strip_blocks(message, tag)
    _, opened, rest = message.partition("<plan>")
    body, closed, _ = rest.partition("</plan>")
    return opened, body, closed
