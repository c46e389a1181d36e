"""What the agent sees, in the words of BALROG and of BabyAI-Text.

The view is 7 x 7 cells, turned so that the agent looks up: column 0 far left, row 0 farthest, the agent at column 3,
row 6. Here it is 49 bytes, column after column: `7 * column + row`, the order in which things are told.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from operator import itemgetter

from agentgym.envs.babyai.state import COLORS, DOOR, DOOR_STATES, EMPTY, THING, TYPES, WALL, GridState, is_door
from agentgym.errors import unknown

STYLES = ("balrog", "babyai_text")
GRAMMARS = ("original", "fixed")
SIZE = 7
CACHE = 16384  # texts and windows kept; half a kilobyte to two kilobytes each

_AGENT = 7 * 3 + 6
_FORWARD = tuple(7 * 3 + row for row in (5, 4, 3, 2, 1, 0))
_LEFT = tuple(7 * column + 6 for column in (2, 1, 0))
_RIGHT = tuple(7 * column + 6 for column in (4, 5, 6))
_OBJECT = re.compile(rb"[^\x00\x01]")
_OPAQUE = bytes(code == WALL or is_door(code) and (code - DOOR) % 3 != 0 for code in range(256))
_BITS = {bytes(row >> column & 1 for column in range(7)): row for row in range(128)}
_AHEAD = ((1, 0), (0, 1), (-1, 0), (0, -1))

_windows: dict[tuple[int, int, int, int], Callable[[bytes], tuple[int, ...]]] = {}
_texts: dict[tuple[bytes, int, str, str], str] = {}


def describe(state: GridState, style: str = "balrog", grammar: str = "original") -> str:
    """Return what the agent sees and carries, one thing a line; "" when there is nothing to tell.

    Args:
        state: any state.
        style: "balrog" (lines without "You see ") or "babyai_text".
        grammar: "original" prints "a open door", as both programs do; "fixed" prints "an open door".

    Raises:
        ValueError: unknown style or grammar.
    """
    level = state.level
    view = look(state).translate(level.looks)
    key = (view, level.looks[state.carry], style, grammar)
    text = _texts.get(key)
    if text is None:
        text = _tell(*key)
        if len(_texts) >= CACHE:
            _texts.clear()
        _texts[key] = text
    return text


def whole(state: GridState) -> str:
    """Return the whole grid, what is out of sight and inside boxes too, which the agent must not read.

    A row a line, two marks a cell: ## wall, .. empty, K key, B ball, X box, O open, C closed, L locked door, each with
    the first letter of its colour (grey: e). Then the agent, its hands and the boxes' contents, by (column, row).
    """
    level, cells, pos, heading, carry = state[:5]
    marks = [_mark(level.looks[code]) for code in cells]
    rows = [" ".join(marks[start : start + level.width]) for start in range(0, len(marks), level.width)]
    name = _phrases["balrog", "original"].name
    lines = [f"agent at {level.xy(pos)} looking {('right', 'down', 'left', 'up')[heading]}"]
    if carry:
        lines.append(f"carried: {name(level.looks[carry])}")
    places = [*((f"at {level.xy(cell)}", code) for cell, code in enumerate(cells)), ("carried", carry)]
    for place, code in places:
        if code >= THING and (content := level.kind(code).content):
            lines.append(f"inside the box {place}: {name(level.looks[content])}")
    return "\n".join([*rows, *lines])


def _mark(look: int) -> str:
    if look < DOOR:
        return "##" if look == WALL else ".."
    kind, color = (
        ("OCL"[(look - DOOR) % 3], (look - DOOR) // 3)
        if look < THING
        else ("KBX"[(look - THING) // 6], (look - THING) % 6)
    )
    return kind + "rgbpye"[color]


def look(state: GridState) -> bytes:
    """Return the 49 codes of the view, hidden cells included, walls outside the grid."""
    level, cells, pos, heading = state[:4]
    key = (level.width, level.height, pos, heading)
    window = _windows.get(key)
    if window is None:
        if len(_windows) >= CACHE:
            _windows.clear()
        window = _windows[key] = itemgetter(*_window(*key))
    return bytes(window(cells))


def _window(width: int, height: int, pos: int, heading: int) -> list[int]:
    """Return the grid cells of the view; cell 0, a corner of the border, stands for all outside the grid."""
    y, x = divmod(pos, width)
    ahead_x, ahead_y = _AHEAD[heading]
    cells = []
    for column in range(-3, 4):
        for ahead in range(6, -1, -1):
            at_x, at_y = x + ahead * ahead_x - column * ahead_y, y + ahead * ahead_y + column * ahead_x
            inside = 0 <= at_x < width and 0 <= at_y < height
            cells.append(at_y * width + at_x if inside else 0)
    return cells


class _Spread(dict[int, tuple[int, int]]):
    """Sight along one row: (cells known from the row before << 7 | opaque cells) to (cells seen, cells of the next).

    From each seen, clear cell sight spreads to its neighbour and to the next row's two cells ahead; first rightwards
    over the row, then leftwards, as minigrid does it.
    """

    def __missing__(self, key: int) -> tuple[int, int]:
        seen, clear, ahead = key >> 7, ~key & 127, 0
        for i in range(6):
            if seen & clear & 1 << i:
                seen |= 2 << i
                ahead |= 3 << i
        for i in range(6, 0, -1):
            if seen & clear & 1 << i:
                seen |= 1 << i - 1
                ahead |= 3 << i - 1
        self[key] = seen, ahead
        return seen, ahead


_spread = _Spread()


def visible(view: bytes) -> list[int]:
    """Return which cells of a view are seen: for each row, far to near, a number with bit c set for column c."""
    opaque = view.translate(_OPAQUE)
    seen = [0] * 7
    known = 1 << 3
    for row in (6, 5, 4, 3, 2, 1, 0):
        if not known:
            break
        seen[row], known = _spread[known << 7 | _BITS[opaque[row::7]]]
    return seen


class _Phrases(dict[int, str]):
    """(code * 49 + place in the view) to the line about it, in one style and grammar."""

    def __init__(self, style: str, grammar: str) -> None:
        self.see = "" if style == "balrog" else "You see "
        self.open = "a" if grammar == "original" else "an"

    def __missing__(self, key: int) -> str:
        code, place = divmod(key, 49)
        self[key] = line = f"{self.see}{self.name(code)} {_place(place)}"
        return line

    def name(self, code: int) -> str:
        if code == WALL:
            return "a wall"
        if code < THING:
            color, state = divmod(code - DOOR, 3)
            return f"{self.open if state == 0 else 'a'} {DOOR_STATES[state]} {COLORS[color]} door"
        kind, color = divmod(code - THING, 6)
        return f"a {COLORS[color]} {TYPES[kind]}"


_phrases = {(style, grammar): _Phrases(style, grammar) for style in STYLES for grammar in GRAMMARS}


def _place(place: int) -> str:
    column, row = divmod(place, 7)
    dx, dy = column - 3, 6 - row
    sideways = f"{_steps(abs(dx))} {'left' if dx < 0 else 'right'}"
    ahead = f"{_steps(dy)} forward"
    return ahead if dx == 0 else sideways if dy == 0 else f"{sideways} and {ahead}"


def _steps(count: int) -> str:
    return "1 step" if count == 1 else f"{count} steps"


def _tell(view: bytes, carry: int, style: str, grammar: str) -> str:
    phrases = _phrases.get((style, grammar))
    if phrases is None:
        raise ValueError(unknown("grammar", grammar, GRAMMARS) if style in STYLES else unknown("style", style, STYLES))
    seen = visible(view)
    lines = [f"You carry {phrases.name(carry)}"] if carry else []
    for places in (_FORWARD, _LEFT, _RIGHT):
        for place in places:
            code = view[place]
            if code != EMPTY and seen[place % 7] >> place // 7 & 1:
                if code == WALL:
                    lines.append(phrases[49 + place])
                break
    for found in _OBJECT.finditer(view):
        place = found.start()
        if seen[place % 7] >> place // 7 & 1 and place != _AGENT:
            lines.append(phrases[49 * view[place] + place])
    return "\n".join(lines)
