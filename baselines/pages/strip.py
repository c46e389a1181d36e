"""A heat strip of one group as SVG: a row a rollout, a column a turn, blue above 0 and red below."""

from __future__ import annotations

from html import escape

import numpy as np

from agentgym import TurnBatch
from agentgym.credit import Credit

__all__ = ["strip"]

LEFT, TOP, BELOW = 96, 26, 24
"""Room for the names of the rollouts, for the turns, and for the scale, in pixels."""
WIDTH, HEIGHT, GAP = 112, 54, 2
BLUE, RED = (33, 102, 172), (178, 24, 43)
SHADES = 20
"""Steps from white to the full colour."""
DARK = 14
"""The shade from which on text is white."""


def strip(batch: TurnBatch, made: Credit, title: str) -> str:
    """Draw what an estimate gives every turn of one group.

    The colour is full at the largest value of the group, to two decimals; the bytes depend on nothing else.

    Args:
        batch: one group with the columns `state`, `action` and `success`.
        made: an estimate of its turns.
        title: what a reader of the picture is told first.

    Returns:
        The text of an SVG file, with a newline at its end.
    """
    values = [_rounded(value) for value in made.total]
    largest = max(map(abs, values)) or 1.0
    rollouts = list(dict.fromkeys(batch.trajectory))
    width = LEFT + int(batch.turn.max() + 1) * WIDTH
    height = TOP + len(rollouts) * HEIGHT + BELOW
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'role="img" font-family="sans-serif" font-size="14" text-anchor="middle">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    lines += [
        _text(LEFT + turn * WIDTH + (WIDTH - GAP) // 2, TOP - 9, f"turn {turn}", 'font-size="11" fill="#555"')
        for turn in range(int(batch.turn.max()) + 1)
    ]
    for y, rollout in enumerate(rollouts):
        [first, *_] = np.flatnonzero(batch.trajectory == rollout)
        ended = "succeeds" if batch.success[first] else "fails"
        at = TOP + y * HEIGHT + HEIGHT // 2 + 4
        lines.append(_text(LEFT - 8, at, f"{rollout} {ended}", 'font-size="12" text-anchor="end"'))
    for row, value in enumerate(values):
        x = LEFT + int(batch.turn[row]) * WIDTH
        y = TOP + rollouts.index(batch.trajectory[row]) * HEIGHT
        lines += _cell(x, y, (str(batch.state[row]), str(batch.action[row])), value, largest)
    scale = f"blue: above 0, red: below; full colour at ±{largest:.2f}"
    lines.append(_text(LEFT, height - 8, scale, 'font-size="11" fill="#555" text-anchor="start"'))
    return "\n".join([*lines, "</svg>"]) + "\n"


def _rounded(value: float) -> float:
    """Return two decimals, the same on every machine: sums that differ in their last bits are made equal first."""
    return round(round(float(value), 9), 2) + 0.0


def _cell(x: int, y: int, labels: tuple[str, str], value: float, largest: float) -> list[str]:
    shade = round(SHADES * round(abs(value) / largest, 9))
    full = BLUE if value > 0 else RED
    fill = "#" + "".join(f"{255 - (255 - part) * shade // SHADES:02x}" for part in full)
    ink = "#fff" if shade >= DARK else "#222"
    middle = x + (WIDTH - GAP) // 2
    return [
        f'<rect x="{x}" y="{y}" width="{WIDTH - GAP}" height="{HEIGHT - GAP}" fill="{fill}" stroke="#ccc"/>',
        _text(middle, y + 13, labels[0], f'font-size="11" fill="{ink}"'),
        _text(middle, y + 26, labels[1], f'font-size="10" fill="{ink}"'),
        _text(middle, y + 45, f"{value:.2f}".replace("-", "−"), f'fill="{ink}"'),
    ]


def _text(x: int, y: int, text: str, style: str) -> str:
    return f'<text x="{x}" y="{y}" {style}>{escape(text)}</text>'
