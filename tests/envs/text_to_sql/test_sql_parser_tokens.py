"""Our tokens are what sqlglot's tokenizer makes of the same text, in kind, text and place."""

from __future__ import annotations

import pytest
from sql_small import GOLDS
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError
from sqlglot.tokens import Token

from agentgym.envs.text_to_sql import parser_tokens as module
from agentgym.envs.text_to_sql.lexical import is_parsable, tokens
from agentgym.envs.text_to_sql.parser_tokens import parser_tokens
from agentgym.envs.text_to_sql.parsing import marked_words

WORDS = (
    "group by order by partition by primary key double precision indexed by character varying similar to",
    "order group by partition primary double order",
    "select distinct all cast null true false end then over rows between unbounded preceding and current row",
    "a.b = 'it''s' and \"q\"\"r\" <> '' or x >= 1.50 and y <= 2 and z != 3 and w == 4 || 'a' || \"b\"",
    "( 1 + 2 ) * 3 - 4 / 5 % 6 < 7 > 8 ; | 9 ,",
    "select replace temp temporary natural left join exists not in is div mod glob like with recursive as values",
)
UNSURE = ("1e3", "x'41'", ".5", "?", "@v", ":p", "0x1F", "1a", "&", "~", "<<", "->>", "$1", "a$b", "5.")
OPEN = ("'open", "'open''", '"', '"a""')


def plain(found: list[Token]) -> list[tuple[object, ...]]:
    return [(token.token_type, token.text, token.start, token.end, token.comments) for token in found]


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
