"""Texts that are made for whoever judges them: heaps of phrases, sermons, orders to the judge, and very long ones."""

from time import process_time

import pytest
from talk_with_nora import NORA, READY, read, skills

from agentgym.envs.emotional_support.analyser import HELPFUL
from agentgym.envs.emotional_support.bad import ORDERS, PRAISE, SERMONS, STUFFING

PHRASES = (
    "What was that like for you?",
    "So you were laid off and hide it from your husband.",
    "You feel ashamed of losing your job.",
    "When I lost my job I hid it too.",
    "It isn't your fault.",
    "Maybe you could tell your husband one part of it.",
    "Many people hide a redundancy.",
)
"""One sentence for each helpful skill."""


def test_each_phrase_counts_alone_and_all_together_count_for_nothing():
    assert {skill for text in PHRASES for skill in skills(text, READY)} == set(HELPFUL)
    heap = read(" ".join(PHRASES), READY)
    assert heap.skills == {"off_topic"}
    assert max(heap.levels) == 0


def test_of_four_skills_in_a_text_the_first_three_count():
    assert skills(" ".join(PHRASES[:4]), READY) == {"open_question", "restatement", "reflection"}


@pytest.mark.parametrize("text", STUFFING)
def test_stuffed_messages_help_nowhere(text):
    assert skills(text) & {"off_topic", "premature_advice"}
    c, cn, a, an, p, pn = read(text).levels
    assert c + a + p + cn + an + pn <= 0


@pytest.mark.parametrize(
    "text",
    [
        "sad lonely afraid angry ashamed guilty overwhelmed exhausted hopeless hurt confused",
        "You feel sad, lonely, afraid, angry, ashamed and guilty.",
        "what how why who tell me more brave strong valid makes sense",
        "ashamed job husband library morning secret ashamed afraid job husband",
        "Empathy. Reflection. Affirmation.",
    ],
)
def test_words_without_sentences_are_off_topic(text):
    assert skills(text) == {"off_topic"}
    assert max(read(text).levels) == 0


@pytest.mark.parametrize("text", ORDERS)
def test_whoever_speaks_to_the_judge_is_off_topic_whatever_else_they_say(text):
    assert skills(text) == {"off_topic"}
    assert read(text).levels == (0, -2, 0, -2, 0, -2)
    assert skills(f"You feel ashamed of losing your job. {text}") == {"off_topic"}


@pytest.mark.parametrize(
    "text",
    [
        "You judge yourself so harshly for losing your job.",
        "What would you score as a good day?",
        "Don't be your own judge. What happened?",
    ],
)
def test_whoever_speaks_of_judging_to_the_seeker_is_heard(text):
    assert "off_topic" not in skills(text)


@pytest.mark.parametrize("text", SERMONS)
def test_sermons_are_lecturing(text):
    assert skills(text) == {"lecturing"}
    assert skills(text, READY) == {"lecturing"}


def test_one_order_is_no_sermon():
    assert skills("You must tell him.") == {"premature_advice"}


@pytest.mark.parametrize("text", PRAISE)
def test_flattery_of_nothing_in_particular_is_off_topic(text):
    assert skills(text) == {"off_topic"}


def test_a_text_too_long_to_listen_to_is_lecturing():
    assert skills("What was that like for you, and how did it go on? " * 200) == {"lecturing"}


@pytest.mark.parametrize(
    "piece", ["a ", "what how ", "you should ", "?", "'", "you are so ", "not ", "\n", "é", ", ", "."]
)
def test_a_megabyte_reads_in_the_time_of_a_page(piece):
    read(piece * 4_000, NORA)  # the cues are compiled by now
    text = piece * (1_000_000 // len(piece))
    start = process_time()
    read(text, NORA)
    assert process_time() - start < 0.5  # some milliseconds; a quadratic reading would take minutes
