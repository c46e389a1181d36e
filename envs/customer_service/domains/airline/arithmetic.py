"""The calculator of the airline's desk: decimal arithmetic, exact in cents."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Context, Decimal, DecimalException
from typing import Final

_LONGEST: Final = 500
_DEPTH: Final = 20
_TOKEN: Final = re.compile(r"\s*(?:(\d+(?:\.\d*)?|\.\d+)|([-+*/()]))", re.ASCII)
_EXACT: Final = Context(prec=40)
_CENT: Final = Decimal("0.01")


def value(expression: str) -> str:
    """Return the value of an expression with two decimals, halves away from zero.

    Raises:
        ValueError: not an expression of numbers, + - * / and parentheses, or one without a value.
    """
    if len(expression) > _LONGEST:
        raise ValueError(f"at most {_LONGEST} characters")
    reader = _Reader([*_tokens(expression), ""])
    try:
        found = reader.total(0)
        if reader.token:
            raise ValueError(f"{reader.token!r} is too much")
        return str(found.quantize(_CENT, rounding=ROUND_HALF_UP, context=_EXACT))
    except DecimalException as error:
        raise ValueError(f"it has no value ({type(error).__name__})") from None


def _tokens(expression: str) -> Iterator[str]:
    text = expression.replace("€", " ").rstrip()
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if not match:
            raise ValueError(f"{text[at:].strip()[:10]!r} is neither a number nor one of + - * / ( )")
        yield match[1] or match[2]
        at = match.end()


class _Reader:
    """Reads sums of products of numbers; the last token is ""."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.at = 0

    @property
    def token(self) -> str:
        return self.tokens[self.at]

    def take(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1]

    def total(self, depth: int) -> Decimal:
        found = self.product(depth)
        while self.token in ("+", "-"):
            sign, other = self.take(), self.product(depth)
            found = _EXACT.add(found, other) if sign == "+" else _EXACT.subtract(found, other)
        return found

    def product(self, depth: int) -> Decimal:
        found = self.number(depth)
        while self.token in ("*", "/"):
            sign, other = self.take(), self.number(depth)
            found = _EXACT.multiply(found, other) if sign == "*" else _EXACT.divide(found, other)
        return found

    def number(self, depth: int) -> Decimal:
        if depth > _DEPTH:
            raise ValueError(f"at most {_DEPTH} signs and parentheses inside one another")
        token = self.take() if self.token else ""
        if token in ("+", "-"):
            found = self.number(depth + 1)
            return -found if token == "-" else found
        if token == "(":
            found = self.total(depth + 1)
            if self.token != ")":
                raise ValueError("a parenthesis is not closed")
            self.take()
            return found
        if not token or token in "*/)":
            raise ValueError(f"a number is missing {f'before {token!r}' if token else 'at the end'}")
        return Decimal(token)
