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
KEPT: Final = 4096
"""Names and key words whose tokens are kept."""
_QUOTED = "COMMAND EXECUTE FETCH LOCK MATCH_RECOGNIZE RENAME SHOW"
_QUOTING: Final = frozenset(TokenType[name] for name in _QUOTED.split())
"""Behind these the parser may take text as it stands."""
_ALIKE = "( ) , . ; + - * / % < > = | || <= >= == <> !="
_SYMBOLS: Final = _ALIKE.split()
"""Symbols that all dialects read alike, with blanks on both sides."""


def parser_tokens(words: list[str], dialect: str) -> list[Token]:
    """Return what sqlglot's tokenizer would make of some words with blanks between them, but for their places.

    Tokens of names and key words are kept and shared; the parser looks at places alone where it quotes the text, as in
    what it does not parse, and that is left to its tokenizer.

    Args:
        words: of a query, as `parsing.marked` writes them: names in double quotes alone.
        dialect: sqlglot's name.
    """
    fixed, names, known, joined = _key_words(dialect)
    found: list[Token] = []
    at, count = 0, len(words)
    while at < count:
        word = words[at]
        at += 1
        token = fixed.get(word) or names.get(word)
        if token is None:
            first, upper = word[0], word.upper()
            if first == "'" or first == '"':
                if not is_closed(word):
                    return _by_sqlglot(words, dialect)
                kind = TokenType.STRING if first == "'" else TokenType.IDENTIFIER
                token = Token(kind, word[1:-1].replace(first + first, first))
            elif at < count and (pair := f"{upper} {words[at].upper()}") in joined:
                at, token = at + 1, Token(joined[pair], pair)
            elif _NUMBER.fullmatch(word):
                token = Token(TokenType.NUMBER, word)
            elif _NAME.fullmatch(word) and known.get(upper) not in _QUOTING:
                token = Token(known.get(upper, TokenType.VAR), word)
                if not any(pair.startswith(f"{upper} ") for pair in joined):
                    if len(names) >= KEPT:
                        names.clear()
                    names[word] = token
            else:
                return _by_sqlglot(words, dialect)
        found.append(token)
    return found


def is_closed(word: str) -> bool:
    """Return whether a word that begins with a quote is a whole string or name; one that was left open is not."""
    return len(word) > 1 and word.count(word[0]) % 2 == 0 and word[-1] == word[0]


def _by_sqlglot(words: list[str], dialect: str) -> list[Token]:
    made: list[Token] = Dialect.get_or_raise(dialect).tokenize(" ".join(words))
    return made


@cache
def _key_words(
    dialect: str,
) -> tuple[dict[str, Token], dict[str, Token], dict[str, TokenType], dict[str, TokenType]]:
    """Return the tokens of symbols, those of names and key words met so far, and kinds by key word, and by pair."""
    tokenizer = Dialect.get_or_raise(dialect).tokenizer_class
    words: dict[str, TokenType] = tokenizer.KEYWORDS
    joined = {word: kind for word, kind in words.items() if " " in word}
    known = {word: kind for word, kind in words.items() if _NAME.fullmatch(word)}
    fixed = {symbol: Token((words | tokenizer.SINGLE_TOKENS)[symbol], symbol) for symbol in _SYMBOLS}
    return fixed, {}, known, joined
