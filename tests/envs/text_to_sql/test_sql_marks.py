"""Tags in SQL's quotes are no tags, those of calls are, and every text is read in linear time."""

from __future__ import annotations

import time

import pytest
import sql_cases
from hypothesis import given
from hypothesis import strategies as st

from agentgym.action import Say, ToolCall
from agentgym.codec import CODECS
from agentgym.envs.text_to_sql.env import MARKS, TextToSQLEnv
from agentgym.envs.text_to_sql.marks import show
from agentgym.turn import InvalidAction

TOOLS = TextToSQLEnv._tools


def parsed(text: str) -> object:
    """Return the call or what is said in a text, or the message where it is refused."""
    try:
        return sql_cases.world("lund").parse(text)
    except InvalidAction as error:
        return str(error)


@pytest.mark.parametrize(
    "tag, body",
    [
        ("sql", "SELECT '<sql>'"),
        ("sql", "SELECT '</sql>' AS \"<submit>\""),
        ("sql", "SELECT '<solution>', '</solution>'"),
        ("sql", "SELECT `</sql>` FROM t"),
        ("sql", "SELECT 'it''s </sql>'"),
        ("sql", "SELECT '</sql>' -- don't"),
        ("sql", "/* don't */ SELECT '</sql>'"),
        ("sql", "```sql\nSELECT '<schema>'\n```"),
        ("solution", "SELECT '</solution>'"),
        ("submit", "SELECT '<solution>' || '</submit>'"),
        ("sql", "SELECT '\ue000', '</sql>\ue001'"),  # the first stand-ins are taken
        ("sql", "SELECT 1 < 2 AND '<b>' < '<i>'"),  # no tags of ours
    ],
)
def test_what_stands_in_quotes_is_no_tag(tag: str, body: str) -> None:
    name = "submit" if tag == "solution" else tag
    assert parsed(f"<think>'<sql>'</think> So: <{tag}> {body} </{tag}> it's done") == ToolCall(name, {"query": body})


@pytest.mark.parametrize(
    "text, body",
    [
        ("<sql>SELECT 'a</sql> open", "SELECT 'a"),  # quotes that do not pair hide nothing
        ("<sql>SELECT 'a</sql> it's", "SELECT 'a"),
        ("<sql>SELECT 1 -- it's</sql> it's", "SELECT 1 -- it's"),  # a comment ends with the tag
        ("<sql>SELECT 1 /* it's</sql> it's", "SELECT 1 /* it's"),
    ],
)
def test_a_call_ends_where_it_did(text: str, body: str) -> None:
    assert parsed(text) == ToolCall("sql", {"query": body})


@pytest.mark.parametrize(
    "text, words",
    [
        ("<sql>SELECT 1</sql><sql>SELECT 2</sql>", "one call a turn: found <sql> × 2"),
        ("<sql>SELECT '1'</sql> or '<sql>SELECT 2</sql>'", "one call a turn"),  # quotes outside a call are none
        ("<sql>SELECT 1 <submit>SELECT 2</submit></sql>", "one call a turn"),
        ("<solution>SELECT 1</solution> <submit>SELECT 2</submit>", "one call a turn"),
        ("<sql>SELECT '<sql>'", "unclosed"),
    ],
)
def test_other_tags_count(text: str, words: str) -> None:
    found = parsed(text)
    assert isinstance(found, str) and words in found


@pytest.mark.parametrize(
    "text, name, body",
    [
        ("<SQL>SELECT 'A'</SQL>", "sql", "SELECT 'A'"),
        ("<Sql>SELECT '</SQL>', '<Sql>'</sQL>", "sql", "SELECT '</SQL>', '<Sql>'"),  # in quotes as they were written
        ("So: <SOLUTION>SELECT 1 -- </SQL</Solution>", "submit", "SELECT 1 -- </SQL"),
        ("<sql>SELECT 1 FROM T</SQL>", "sql", "SELECT 1 FROM T"),
    ],
)
def test_tags_are_read_in_any_case(text: str, name: str, body: str) -> None:
    assert parsed(text) == ToolCall(name, {"query": body})


def test_two_calls_in_two_cases_are_two_calls() -> None:
    assert "one call a turn" in str(parsed("<sql>SELECT 1</sql><SQL>SELECT 2</SQL>"))
    assert parsed("a <B> and A <b>") == Say("a <B> and A <b>")


def test_a_tag_in_quotes_runs_as_it_was_written() -> None:
    env = sql_cases.world("lund")
    env.reset(seed=0)
    observation, *_, info = env.step("<sql>SELECT '</solution>' AS x, '<sql>' AS y</sql>")
    assert info["valid"] and observation.split("\n")[1].split() == ["</solution>", "|", "<sql>"]


@given(
    st.lists(st.sampled_from(["<sql>", "</sql>", "<solution>", "</solution>", "'", '"', "--", "/*", "*/", "\n", "a"]))
)
def test_without_quotes_a_text_reads_as_the_codec_reads_it(parts: list[str]) -> None:
    text = "".join(parts)
    hidden, stand_in = MARKS.hide(text)
    back = hidden.replace(stand_in, "<") if stand_in else hidden
    assert back.replace("submit>", "solution>") == text  # nothing else changes
    if not any(quote in text for quote in "'\"`"):
        assert not stand_in
        assert parsed(text) == parsed(text.replace("solution>", "submit>"))


def test_what_was_hidden_is_shown_in_texts_alone() -> None:
    call = ToolCall("sql", {"query": "a\ue000b", "n": 1}, "id")
    assert show(call, "") is call
    assert show(call, "\ue000") == ToolCall("sql", {"query": "a<b", "n": 1})
    assert show(Say("\ue000"), "\ue000") == Say("\ue000")
    assert CODECS["tags"]("<sql>1</sql>", TOOLS) == ToolCall("sql", {"query": "1"})


@pytest.mark.parametrize("piece", ["/*", "'", '"', "`'", "--", "<sql>", "'<sql>'", "</sql>", "<", "'</sql>' "])
def test_long_texts_take_linear_time(piece: str) -> None:
    for text in (f"<sql>{piece * (100_000 // len(piece))}", f"<sql>{piece * (100_000 // len(piece))}</sql>"):
        start = time.process_time()
        MARKS.hide(text)
        assert time.process_time() - start < 0.5, piece  # some milliseconds
