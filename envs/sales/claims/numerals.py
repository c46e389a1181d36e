"""Numbers as figures and in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agentgym.envs.sales.claims.units import BETWEEN, UNIT
from agentgym.envs.sales.vocabulary import listed, words

_ONES: Final = listed(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen"
    " eighteen nineteen"
)
_TENS: Final = listed("twenty thirty forty fifty sixty seventy eighty ninety")
_WORDS: Final[dict[str, float]] = {
    **{word: float(value) for value, word in enumerate(_ONES)},
    **{word: 10.0 * value for value, word in enumerate(_TENS, 2)},
}
SHARES: Final = {"third": 1 / 3, "fifth": 0.2, "tenth": 0.1, "quarter": 0.25}
_SCALES: Final = {"hundred": 100.0, "thousand": 1000.0, "million": 1e6, "k": 1000.0, "dozen": 12.0, "grand": 1000.0}
_COUPLES: Final = {"couple": 2.0, "few": 3.0}
_PRICES: Final = words("price total amount sum cost")
_GOES_ON: Final = words("of is up as down")
_WEAK: Final = BETWEEN | words("single free")
AFTER_ARTICLE: Final = frozenset(("half", "good", *_WEAK, *_COUPLES, *_SCALES, *SHARES, *UNIT))
"""What may follow "a" where the two begin a number."""
STARTS: Final = frozenset(
    ("half", "quarter", "three", "couple", "few", "several", "single", "a", "an", *_WORDS, *_SCALES)
)
"""Words with which a number may begin."""


def number_at(tokens: Sequence[str], at: int) -> tuple[float, int, bool] | None:
    """Return the number at a token, where it ends, and whether it is but an article; None: there is none."""
    if at >= len(tokens):
        return None
    token = tokens[at]
    following = tokens[at + 1] if at + 1 < len(tokens) else ""
    if token[0].isdigit() or token[0] == ".":
        return _figures(tokens, at)
    if token in ("a", "an"):
        return _behind_article(tokens, at + 1)
    if token in ("half", "quarter") or (token == "three" and following in ("quarter", "quarters")):
        return _fraction(tokens, at)
    if token in ("single", "several"):
        return (1.0 if token == "single" else 3.0), at + 1, False
    if token in _WORDS or (token in _SCALES and token != "k"):
        return _in_words(tokens, at, 0.0)
    return None


def _figures(tokens: Sequence[str], at: int) -> tuple[float, int, bool] | None:
    value, at = float(tokens[at].replace(",", "")), at + 1
    if at > 1 and tokens[at - 2] == "/":
        return None
    if tokens[at : at + 1] == ["/"] and tokens[at + 1 : at + 2] and tokens[at + 1][0].isdigit():
        return None  # 24/7
    while at < len(tokens) and tokens[at] in _SCALES:
        value, at = value * _SCALES[tokens[at]], at + 1
    return value, at, False


def _behind_article(tokens: Sequence[str], at: int) -> tuple[float, int, bool] | None:
    """Return the number of which "a" is the first word: a dozen, a couple of, a fifth of, a good 100, a week."""
    word = tokens[at] if at < len(tokens) else ""
    behind = tokens[at + 1 : at + 2]
    if word in ("half", "quarter"):
        return _fraction(tokens, at)
    if word in _SCALES and word != "k":
        return _in_words(tokens, at, 1.0)
    if word in _COUPLES:
        return _COUPLES[word], at + 1 + (behind == ["of"]), False
    if word in SHARES and behind and behind[0] in _GOES_ON:
        return SHARES[word], at + 1, False
    if word == "good" and behind:
        return number_at(tokens, at + 1)
    while at < len(tokens) and tokens[at] in _WEAK:
        at += 1
    return (1.0, at, True) if at < len(tokens) and tokens[at] in UNIT else None


def of_price(tokens: Sequence[str], at: int) -> bool:
    """Whether the "half" before a token is half the price, and no half of a unit."""
    return not _PRICES.isdisjoint(tokens[at : at + 4])


def _fraction(tokens: Sequence[str], at: int) -> tuple[float, int, bool] | None:
    value = {"half": 0.5, "quarter": 0.25, "three": 0.75}[tokens[at]]
    at += 2 if tokens[at] == "three" else 1
    if tokens[at : at + 1] == ["of"]:
        at += 1
    if tokens[at : at + 1] and tokens[at] in ("a", "an"):
        return value, at + 1, False
    known = at < len(tokens) and (tokens[at] in UNIT or (value == 0.5 and of_price(tokens, at)))
    return (value, at, False) if known else None


def _in_words(tokens: Sequence[str], at: int, first: float) -> tuple[float, int, bool]:
    """Return a number in words: "one hundred and twenty", "two and a half", "three thousand"."""
    total, current = 0.0, first
    while at < len(tokens):
        token = tokens[at]
        if token in _WORDS:
            if current and not (current % 100 >= 20 and _WORDS[token] < 10) and current % 100:
                break
            current += _WORDS[token]
        elif token in _SCALES and token != "k":
            current = (current or 1.0) * _SCALES[token]
            if _SCALES[token] >= 1000:
                total, current = total + current, 0.0
        elif token == "point" and at + 1 < len(tokens) and tokens[at + 1] in _WORDS:
            return total + current + _WORDS[tokens[at + 1]] / 10.0, at + 2, False
        elif token == "and" and tokens[at + 1 : at + 3] in (["a", "half"], ["a", "quarter"]):
            return total + current + (0.5 if tokens[at + 2] == "half" else 0.25), at + 3, False
        elif not (token == "and" and current >= 100 and at + 1 < len(tokens) and tokens[at + 1] in _WORDS):
            break
        at += 1
    return total + current, at, False
