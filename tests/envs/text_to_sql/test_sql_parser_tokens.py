"""Our tokens are what sqlglot's tokenizer makes of the same text, in kind and text."""

from __future__ import annotations

import pytest
from sql_small import GOLDS
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError
from sqlglot.tokens import Token

from agentgym.envs.text_to_sql import parser_tokens as module
from agentgym.envs.text_to_sql.lexical import is_parsable, tokens
from agentgym.envs.text_to_sql.parser_tokens import parser_tokens
from agentgym.envs.text_to_sql.parsing import marked_words, words_tree

WORDS = (
    "group by order by partition by primary key double precision indexed by character varying similar to",
    "order group by partition primary double order",
    "select distinct all cast null true false end then over rows between unbounded preceding and current row",
    "a.b = 'it''s' and \"q\"\"r\" <> '' or x >= 1.50 and y <= 2 and z != 3 and w == 4 || 'a' || \"b\"",
    "( 1 + 2 ) * 3 - 4 / 5 % 6 < 7 > 8 ; | 9 ,",
    "select replace temp temporary natural left join exists not in is div mod glob like with recursive as values",
)
UNSURE = (
    "fetch",
    "show",
    "1e3",
    "x'41'",
    ".5",
    "?",
    "@v",
    ":p",
    "0x1F",
    "1a",
    "&",
    "~",
    "<<",
    "->>",
    "$1",
    "a$b",
    "5.",
)
OPEN = ("'open", "'open''", '"', '"a""')


def plain(found: list[Token]) -> list[tuple[object, ...]]:
    return [(token.token_type, token.text, token.comments) for token in found]


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "postgres"])
def test_tokens_are_sqlglots(dialect: str) -> None:
    texts = [marked_words(words, dialect) for query in GOLDS if is_parsable(words := tokens(query, dialect), dialect)]
    assert len(texts) == len(GOLDS)
    for words in (*texts, *(text.split() for text in WORDS), *(text.upper().split() for text in WORDS)):
        assert plain(parser_tokens(words, dialect)) == plain(Dialect.get_or_raise(dialect).tokenize(" ".join(words)))


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "postgres"])
@pytest.mark.parametrize("word", UNSURE + OPEN)
def test_what_is_not_sure_is_left_to_sqlglot(dialect: str, word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    by_sqlglot = module._by_sqlglot
    monkeypatch.setattr(module, "_by_sqlglot", lambda words, name: asked.append(words) or by_sqlglot(words, name))
    words = ["select", word, "from", "t"]
    try:
        right = plain(Dialect.get_or_raise(dialect).tokenize(" ".join(words)))
    except SqlglotError as error:
        with pytest.raises(type(error)):
            parser_tokens(words, dialect)
    else:
        assert plain(parser_tokens(words, dialect)) == right
    assert asked == [words]


def test_kept_tokens_are_bounded_and_none_begins_a_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT", 20)
    names = module._key_words("sqlite")[1]
    names.clear()
    for number in range(50):
        parser_tokens(["select", f"name{number}", "indexed", "group", "from", "t"], "sqlite")
        assert 0 < len(names) <= 20 and not {"indexed", "group"} & names.keys()
    pair = parser_tokens(["t", "indexed", "by", "i", "group", "by", "a"], "sqlite")
    assert [token.text for token in pair] == ["t", "INDEXED BY", "i", "GROUP BY", "a"]
    names.clear()


def test_the_parser_changes_no_kept_token() -> None:
    for query in (*GOLDS, *GOLDS):
        assert words_tree(tokens(query), "sqlite") is not None
    fixed, names, *_ = module._key_words("sqlite")
    assert len(names) > 20
    for word, token in (fixed | names).items():
        assert (token.text, token.start, token.end, token.comments) == (word, 0, 0, [])
