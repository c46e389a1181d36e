"""Words and sentences: short forms written out, forms of a word brought together, and what follows from words alone."""

import pytest

from agentgym.envs.emotional_support.analyser.cues import compiled, cues
from agentgym.envs.emotional_support.analyser.feelings import named, names_feeling
from agentgym.envs.emotional_support.analyser.said import LONG, sentences
from agentgym.envs.emotional_support.analyser.words import LONGEST, fold, stem, tokens
from agentgym.errors import DataError


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("you've lost it, didn't you", "you have lost it , did not you"),
        ("youve lost it didnt you", "you have lost it did not you"),
        ("ur doing well and its ur choice", "you are doing well and it is your choice"),
        ("that's ben's cat", "that is ben cat"),
        ("you'd been away", "you had been away"),
        ("he'd like to", "he would like to"),
        ("can't won't cannot", "can not will not can not"),
        ("mum (or dad) – well", "mother , or father , , well"),
        (", so", "so"),
        ("", ""),
    ],
)
def test_short_forms_are_written_out(text, words):
    assert " ".join(tokens(text)) == words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("shouting", "shouted"), ("hiding", "hides"), ("worry", "worries"), ("told", "tell"), ("left", "leaving"),
        ("stopped", "stop"), ("letters", "letter"), ("died", "death"), ("kids", "kid"), ("slept", "sleeping"),
    ],
)  # fmt: skip
def test_forms_of_a_word_have_one_stem(one, other):
    assert stem(one) == stem(other)


@pytest.mark.parametrize(("one", "other"), [("boss", "bos"), ("wife", "wit"), ("class", "clas"), ("bus", "bu")])
def test_other_words_keep_theirs(one, other):
    assert stem(one) != stem(other)


def test_a_text_is_folded_up_to_its_bound():
    assert fold("Don’t") == "don't"
    assert len(fold("A" * (LONGEST + 5))) == LONGEST


def test_sentences_stand_where_they_were():
    text = "Hm… What now?! I see\nGo on."
    found = sentences(text)
    assert [text[one.start : one.end].strip() for one in found] == ["Hm…", "What now?!", "I see", "Go on."]
    assert [one.said.asks for one in found] == [False, True, False, False]


def test_a_long_sentence_is_read_in_parts():
    assert [len(one.said.words) for one in sentences("word " * (LONG + 3))] == [LONG, 3]


@pytest.mark.parametrize(
    "text",
    [
        "What was that like?", "whats it like at home", "how are you feeling", "Tell me more about that.",
        "Could you say a bit more?", "I wonder what that does to you.", "When you lie awake, what do you think of?",
        "Can I ask what happened?", "Is there anything you long for, and what would it be?", "So who is there for you?",
    ],
)  # fmt: skip
def test_open_questions_invite_to_tell(text):
    assert sentences(text)[0].said.opens


@pytest.mark.parametrize(
    "text",
    [
        "Did you tell him?", "How long were you married?", "What time was it?", "How are you today?", "What a day.",
        "What you did was brave.", "How lonely you must be.", "You told him, didn't you?", "When did he leave?",
    ],
)  # fmt: skip
def test_other_sentences_do_not(text):
    assert not sentences(text)[0].said.opens


def test_closed_questions_want_a_yes_or_a_number():
    assert sentences("Did you tell him?")[0].said.closed
    assert sentences("How long were you married?")[0].said.closed
    assert not sentences("You told him.")[0].said.closed


@pytest.mark.parametrize(
    ("text", "families"),
    [
        ("you feel ashamed and terrified", ("ashamed", "afraid")),
        ("you are running on empty", ("exhausted",)),
        ("you feel so low", ("sad",)),
        ("prices are low", ()),  # low is no feeling where nobody feels it
        ("you are not angry", ()),
        ("you feel stuck", ("overwhelmed", "hopeless", "confused", "frustrated")),
        ("there is no hope", ("hopeless",)),
    ],
)
def test_feelings_are_named_by_words_and_turns_of_phrase(text, families):
    assert named(text.split()) == families


def test_a_word_names_a_feeling_by_itself_or_not():
    assert names_feeling("ashamed")
    assert not names_feeling("low")


def test_cues_are_found_where_their_words_stand():
    text = "well , you should have told him"
    assert cues(text.split(), text) == {"blame": text.index("you")}
    assert cues(["hello"], "hello") == {}


@pytest.mark.parametrize("text", ["you | x", "== kind\nyou x", "== kind\nyou |(", "== kind\nyou"])
def test_a_bad_table_of_cues_is_a_data_error(text):
    with pytest.raises(DataError):
        compiled(text)
