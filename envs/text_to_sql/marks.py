"""The tags of a call whose body is SQL: none stands in SQL's quotes, their case is no matter, <solution> is <submit>.

The codecs count a tag wherever it stands. A query may hold one in a text or a name, as `SELECT '</sql>'`; such a tag is
hidden from the codec and shown again in the call that it read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Final

from agentgym.action import Action, ToolCall

ANSWERS: Final = ("solution", "submit")
"""The tag of other programs, and ours that it stands for."""
_CAPITAL: Final = re.compile(r"</?[a-z]*[A-Z]")


class Marks:
    """Reads the tags of some tools in texts of agents.

    Args:
        names: of the tools.
    """

    def __init__(self, names: Iterable[str]) -> None:
        known = sorted({*names, *ANSWERS})
        either = "|".join(map(re.escape, known))
        self._opening = re.compile(f"<({either})>", re.IGNORECASE)
        self._tag = re.compile(f"<(?=/?(?:{either})>)", re.IGNORECASE)
        self._whole = re.compile(f"</?(?:{either})>", re.IGNORECASE)
        self._ends = {name: _end(name) for name in known}

    def hide(self, text: str) -> tuple[str, str]:
        """Return a text whose tags are those of calls alone, and what stands in it for < in SQL's quotes; "" if none.

        Where no closing tag stands outside quotes, as in a query whose quotes do not pair, all tags count.
        """
        stand_in = ""
        opened = self._opening.search(text) if text.count("<") > 2 else None
        quoted = self._quoted(text, opened) if opened is not None else []
        if quoted:
            stand_in = next(char for char in map(chr, range(0xE000, 0xF8FF)) if char not in text)
            borders = [0, *(at for span in quoted for at in span), len(text)]
            pieces = [text[start:end] for start, end in pairwise(borders)]  # outside quotes and inside in turns
            pieces[1::2] = [self._tag.sub(stand_in, piece) for piece in pieces[1::2]]
            text = "".join(pieces)
        if _CAPITAL.search(text):
            text = self._whole.sub(lambda tag: tag[0].lower(), text)
        if "solution>" in text:
            theirs, ours = ANSWERS
            text = text.replace(f"<{theirs}>", f"<{ours}>").replace(f"</{theirs}>", f"</{ours}>")
        return text, stand_in

    def _quoted(self, text: str, opened: re.Match[str]) -> list[tuple[int, int]]:
        """Return where in the body of a call quotes hold tags; nothing where the body does not end."""
        found: list[tuple[int, int]] = []
        for piece in self._ends[opened[1].lower()].finditer(text, opened.end()):
            if piece.lastgroup == "end":
                return found
            if piece.lastgroup == "quoted" and self._tag.search(piece[0]):
                found.append(piece.span())
        return []


def show(action: Action, stand_in: str) -> Action:
    """Return an action with < where `Marks.hide` hid it."""
    if not stand_in or not isinstance(action, ToolCall):
        return action
    shown = {
        key: value.replace(stand_in, "<") if isinstance(value, str) else value
        for key, value in action.arguments.items()
    }
    return ToolCall(action.name, shown)


def _end(name: str) -> re.Pattern[str]:
    """Return what finds the next quoted text, comment or closing tag; a comment ends with the tag at the latest."""
    end = f"</{re.escape(name)}>"
    quoted = "|".join(f"{quote}[^{quote}]*{quote}" for quote in "'\"`")
    comment = rf"--(?:(?!{end})[^\n])*|/\*(?:(?!\*/|{end})[\s\S])*"
    return re.compile(rf"(?P<end>{end})|(?P<quoted>{quoted})|(?P<comment>{comment})", re.IGNORECASE)
