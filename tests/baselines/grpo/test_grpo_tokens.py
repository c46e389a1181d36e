"""Word-level tokens: exact round trips, one rule for the unknown, and prompts that only grow."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym.baselines.grpo.tokens import SPECIAL, WordTokens

TEXTS = ("go to the red ball", "a red ball 2 steps left\na wall 3 steps forward", "turn left", "turn right, für dich")
TOKENS = WordTokens.of(TEXTS)


@pytest.mark.parametrize("text", [*TEXTS, "", " ", "\n\n", "unheard-of words & 12345 <end>"])
def test_a_round_trip_is_exact(text: str) -> None:
    assert TOKENS.decode(TOKENS.encode(text)) == text


@given(st.text(st.characters(codec="ascii", categories=("L", "N", "P", "S", "Zs"), include_characters="\n")))
def test_every_printable_ascii_text_comes_back(text: str) -> None:
    assert TOKENS.decode(TOKENS.encode(text)) == text


def test_a_known_word_is_one_token_with_the_blank_before_it() -> None:
    """«turn left» are two pieces; «left» alone was never seen, so it is spelt: 4 characters."""
    assert len(TOKENS.encode("turn left")) == 2
    assert len(TOKENS.encode("left")) == 4
    assert TOKENS.decode(TOKENS.encode("left")) == "left"


def test_what_cannot_be_spelt_is_unknown() -> None:
    """ü was in a text, but only inside the piece « für», so alone it has no id; é has none at all."""
    assert TOKENS.encode("é") == [TOKENS.unknown]
    assert TOKENS.decode(TOKENS.encode("aé")) == "a\ufffd"
    assert TOKENS.encode("ü") == [TOKENS.unknown]


def test_no_text_encodes_to_a_marker() -> None:
    for marker in SPECIAL:
        ids = TOKENS.encode(marker)
        assert min(ids) >= len(SPECIAL)
        assert TOKENS.decode(ids) == marker


def test_the_vocabulary_follows_from_the_set_of_texts() -> None:
    assert WordTokens.of(reversed(TEXTS * 2)).words == TOKENS.words
    assert WordTokens(TOKENS.words).encode(TEXTS[1]) == TOKENS.encode(TEXTS[1])
    with pytest.raises(ValueError, match="must differ"):
        WordTokens(["red", "red"])


def test_every_prompt_is_the_beginning_of_the_next() -> None:
    user = {"role": "user", "content": "go to the red ball"}
    reply, news = TOKENS.encode("turn left"), {"role": "user", "content": "a wall 3 steps forward"}
    first = TOKENS.opening([user])
    said = {"role": "assistant", "content": "turn left"}
    second = [*first, *reply, TOKENS.end, *TOKENS.following([said, news], True)]
    assert second == TOKENS.opening([user])[:-1] + [SPECIAL.index("<assistant>"), *reply, TOKENS.end] + [
        SPECIAL.index("<user>"), *TOKENS.encode(news["content"]), SPECIAL.index("<assistant>"),
    ]  # fmt: skip


def test_a_reply_that_was_cut_is_closed_by_the_template() -> None:
    news = [{"role": "user", "content": "a wall"}]
    assert TOKENS.following(news, False) == [TOKENS.end, *TOKENS.following(news, True)]


def test_tools_stand_before_the_messages() -> None:
    opening = TOKENS.opening([{"role": "user", "content": "go"}], [{"name": "get"}])
    assert TOKENS.decode(opening) == '[{"name": "get"}]go'
