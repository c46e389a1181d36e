"""Whether a message tells what is to be told, and how what a tool printed is read out."""

from __future__ import annotations

import re
from typing import Final

NUMBERS: Final = 60  # a message with more numbers tells none of them
LINE_NUMBERS: Final = 8  # nor does a line with more

_NUMBER = re.compile(r"\d+(?:[.:]\d+)*")


def tells(folded: str, tell: str) -> bool:
    """Whether a folded text without commas says what is to be told; not if it is one of very many numbers."""
    start = folded.find(tell)
    while start >= 0:
        end = start + len(tell)
        if _alone(folded, start, end):
            if not any(char.isdigit() for char in tell):
                return True
            first = folded.rfind("\n", 0, start) + 1
            last = folded.find("\n", end)
            line = folded[first : last if last >= 0 else len(folded)]
            if len(_NUMBER.findall(line)) <= LINE_NUMBERS and len(_NUMBER.findall(folded)) <= NUMBERS:
                return True
        start = folded.find(tell, start + 1)
    return False


def _alone(text: str, start: int, end: int) -> bool:
    """Whether a stretch of a text is not part of a longer word or number."""
    before, after = text[max(start - 2, 0) : start], text[end : end + 2]
    if text[start].isalnum() and before[-1:].isalnum():
        return False
    if text[end - 1].isalnum() and after[:1].isalnum():
        return False
    if text[start].isdigit() and before[-1:] == "." and before[:1].isdigit():
        return False
    return not (text[end - 1].isdigit() and after[:1] == "." and after[1:].isdigit())


def plain(text: str) -> str:
    """Return what a tool printed as a customer reads it out: JSON's quotes, braces and underscores left out."""
    return re.sub(r'[{}\[\]"]', "", text).replace("_", " ")
