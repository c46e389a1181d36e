"""Which wrong entries stand beside the right one, so that nothing but its meaning marks it among them.

Of every mark (`spelling`) a rank of the right entry is drawn; of many drawn selections that one is taken in which it
comes nearest to these ranks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agentgym.envs.wiki_search.spelling import likenesses, spelling, words
from agentgym.rng import TurnRng
from agentgym.score import added

TRIES: Final = 120
"""Selections that are drawn."""
_LIKENESS: Final = "likeness to the others"


def beside(right: str, wrong: Sequence[str], many: int, question: str, rng: TurnRng) -> list[str]:
    """Return up to `many` of the wrong entries, in an order that says nothing.

    Args:
        right: the right entry.
        wrong: entries of its kind, distinct.
        many: how many are wanted.
        question: what is asked.
        rng: draws ranks and selections.
    """
    if len(wrong) <= many:
        return rng.shuffled(wrong)
    everyone = [right, *wrong]
    below = {name: _below(values) for name, values in spelling(everyone, question).items() if name != _LIKENESS}
    like = likenesses([words(entry) for entry in everyone])
    aims = {name: rng.integers(many + 1) for name in (*below, _LIKENESS)}
    best: tuple[float, list[int]] = (float("inf"), [])
    for _ in range(TRIES):
        taken = rng.shuffled(range(1, len(everyone)))[:many]
        off = sum(abs(sum(map(values.__getitem__, taken)) - aims[name]) for name, values in below.items())
        menu = (0, *taken)
        alike = _below([added(map(like[at].__getitem__, menu)) for at in menu])
        off += abs(sum(alike) - aims[_LIKENESS])
        best = min(best, (off, taken), key=lambda found: found[0])
    return [everyone[at] for at in best[1]]


def _below(values: Sequence[float]) -> list[float]:
    """Return for each value what it adds to the rank of the first: 1 if it is less, half if equal; 0 for itself."""
    mine = values[0]
    return [0.0, *(float(value < mine) + 0.5 * (value == mine) for value in values[1:])]
