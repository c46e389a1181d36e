"""Fluency: whether a message reads as somebody speaks, by what can be counted.

Each fault takes off a share between 0 and 1, and together they take off at most 1:

length     the share by which a message has more than 90 words, 1 at 180
run-on     the share of its words in sentences of more than 40
salad      the share of its words in lists of words: of a stretch of eight or more, less than a fifth hold it together
stutter    the share of its words that are the word before again, from the second one on
shouting   the share of its words of four letters and more that are all capitals, from the third one on
signs      the share of its characters that no speech has: braces, angle brackets, bars, underscores, other scripts
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from agentgym.envs.sales.claims.tokens import LONGEST, sentences
from agentgym.envs.sales.vocabulary import words

LENGTH: Final = 90
RUN_ON: Final = 40
_HOLD: Final = words(
    "a an the this that these those it its it's they them their i you your we our us he she is are was were be been am"
    " isn't aren't don't doesn't can't won't i'm you're we're they're that's there's there here do does did have has"
    " had"
    " can could will would may might must should shall to of in on at for with from by about as than into over under"
    " up"
    " and or but so if because when while though not no yes what which who how where why just only also too very more"
    " i'd i'll you'd you'll it'll we'd we'll let me my get got goes go all any some"
)
_SALAD: Final = 8  # words of a stretch that is looked at
_HELD: Final = 0.2
_SIGNS: Final = re.compile(r"[^\w\s.,;:!?'\"()$€£%&/+\-–—…²³°*#@]|[_\u0250-\u1dff\u2e80-\uffef]")
_ODD: Final = frozenset("<>[]\\^_`{|}~=;")  # of ASCII, those that may be such signs, and a few more
_LOUD: Final = re.compile(r"\b[A-Z]{4,}\b")
_SHOUTS: Final = re.compile(r"[!?]{2,}")


@lru_cache(maxsize=2048)
def fluency(text: str) -> float:
    """Return 0 for a message that reads well, less for one that does not, down to −1; −1 for one without words."""
    plain = text[:LONGEST]
    count = long = salad = again = 0
    last = ""
    for sentence in sentences(text):
        said = sentence.words
        length = len(said)
        count += length
        if length > RUN_ON:
            long += length
        if length >= _SALAD:
            salad += _unheld(said)
        if len(set(said)) < length or (said and said[0] == last):
            for word in said:
                again += word == last
                last = word
        elif said:
            last = said[-1]
    if not count:
        return -1.0
    off = max(count - LENGTH, 0) / LENGTH + (long + salad + max(again - 1, 0)) / count
    off += max(len(_LOUD.findall(plain)) - 2, 0) / count
    if plain.count("!") + plain.count("?") > 2:
        off += max(len(_SHOUTS.findall(plain)) - 1, 0) / count
    if not (plain.isascii() and _ODD.isdisjoint(plain)):
        off += 4.0 * len(_SIGNS.findall(plain)) / len(plain)
    return 0.0 - min(off, 1.0)


def _unheld(said: list[str]) -> int:
    """Return how many words of a sentence stand in stretches that nothing holds together."""
    unheld = 0
    for start in range(0, len(said), 2 * _SALAD):
        stretch = said[start : start + 2 * _SALAD]
        if len(stretch) >= _SALAD and len([word for word in stretch if word in _HOLD]) < _HELD * len(stretch):
            unheld += len(stretch)
    return unheld
