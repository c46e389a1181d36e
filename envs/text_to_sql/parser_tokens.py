"""sqlglot's tokens from our own: a query is split into tokens once, and sqlglot's tokenizer takes a third of its time.

A word whose token is not known for sure (a number with an exponent, bytes, a parameter) leaves the text to sqlglot.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from sqlglot.dialects.dialect import Dialect
from sqlglot.tokens import Token, TokenType

_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?", re.ASCII)
_NAME: Final = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*", re.ASCII)
_ALIKE = "( ) , . ; + - * / % < > = | || <= >= == <> !="
_SYMBOLS: Final = _ALIKE.split()
"""Symbols that all dialects read alike, with blanks on both sides."""


def parser_tokens(words: list[str], dialect: str) -> list[Token]:
    """Return what sqlglot's tokenizer would make of some words with blanks between them.

    Args:
        words: of a query, as `parsing.marked` writes them: names in double quotes alone.
        dialect: sqlglot's name.
    """
    known, alone, joined = _key_words(dialect)
    found: list[Token] = []
    start, at, count = 0, 0, len(words)
    while at < count:
        word = words[at]
        kind, text, end = known.get(word), word, start + len(word)
        if kind is None:
            first, upper = word[0], word.upper()
            if first == "'" or first == '"':
                if not is_closed(word):
                    return _by_sqlglot(words, dialect)
                kind = TokenType.STRING if first == "'" else TokenType.IDENTIFIER
                text = word[1:-1].replace(first + first, first)
            elif at + 1 < count and (pair := f"{upper} {words[at + 1].upper()}") in joined:
                at, end, kind, text = at + 1, end + 1 + len(words[at + 1]), joined[pair], pair
            elif _NAME.fullmatch(word):
                kind = alone.get(upper, TokenType.VAR)
            elif _NUMBER.fullmatch(word):
                kind = TokenType.NUMBER
            else:
                return _by_sqlglot(words, dialect)
        found.append(Token(kind, text, 1, end, start, end - 1))
        start, at = end + 1, at + 1
    return found


def is_closed(word: str) -> bool:
    """Return whether a word that begins with a quote is a whole string or name; one that was left open is not."""
    return len(word) > 1 and word.count(word[0]) % 2 == 0 and word[-1] == word[0]


def _by_sqlglot(words: list[str], dialect: str) -> list[Token]:
    made: list[Token] = Dialect.get_or_raise(dialect).tokenize(" ".join(words))
    return made


@cache
def _key_words(dialect: str) -> tuple[dict[str, TokenType], dict[str, TokenType], dict[str, TokenType]]:
    """Return tokens by symbol and lower-case word, by upper-case word, and by two words; the first begin no two."""
    tokenizer = Dialect.get_or_raise(dialect).tokenizer_class
    words: dict[str, TokenType] = tokenizer.KEYWORDS
    joined = {word: kind for word, kind in words.items() if " " in word}
    alone = {word: kind for word, kind in words.items() if _NAME.fullmatch(word)}
    begins = {word.split()[0] for word in joined}
    known = {word.lower(): kind for word, kind in alone.items() if word not in begins}
    known |= {symbol: (words | tokenizer.SINGLE_TOKENS)[symbol] for symbol in _SYMBOLS}
    return known, alone, joined
