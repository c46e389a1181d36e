import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym.envs.wiki_search.tokens import STOP_WORDS, tokens


def test_words_are_lower_case_two_letters_long_and_no_stop_words() -> None:
    # "A" is one letter, "the" and "of" are stop words; the apostrophe and the dash end a word, digits and _ do not.
    assert tokens("A Tale of the Queen's 2nd co-op x_1 ÉTÉ") == ["tale", "queen", "2nd", "co", "op", "x_1", "été"]


def test_repeated_words_stay_in_their_order() -> None:
    assert tokens("rose is a rose, Rose") == ["rose", "rose", "rose"]


def test_lower_case_comes_before_the_words() -> None:
    # "İ" becomes "i" and a combining dot, which is no word character: the word is cut there, as bm25s cuts it.
    assert tokens("İx") == re.findall(r"(?u)\b\w\w+\b", "İx".lower())


@given(st.text())
def test_the_words_are_those_of_the_pattern_with_its_boundaries(text: str) -> None:
    found = re.findall(r"(?u)\b\w\w+\b", text.lower())
    assert tokens(text) == [word for word in found if word not in STOP_WORDS]


@given(st.lists(st.text(max_size=40), min_size=1, max_size=5))
def test_the_words_are_those_of_bm25s(texts: list[str]) -> None:
    bm25s = pytest.importorskip("bm25s", reason="bm25s is not installed here")
    theirs = bm25s.tokenize(texts, return_ids=False, show_progress=False)
    assert [tokens(text) for text in texts] == theirs


def test_the_stop_words_are_those_of_bm25s() -> None:
    stopwords = pytest.importorskip("bm25s.stopwords", reason="bm25s is not installed here")
    assert set(stopwords.STOPWORDS_EN) == STOP_WORDS
    assert len(STOP_WORDS) == 33
