"""What a supporter's text does to one seeker."""

from dataclasses import replace

import pytest
from talk_with_nora import NORA, READY, read, skills

from agentgym.envs.emotional_support.analyser import HARMFUL, HELPFUL, Context, analyse


@pytest.mark.parametrize(
    ("text", "skill"),
    [
        ("What was it like to sit in the library all day?", "open_question"),
        ("Would you like to tell me more about that?", "open_question"),
        ("So you were laid off, and your husband has no idea.", "restatement"),
        ("It sounds as if you feel deeply ashamed about losing your job.", "reflection"),
        ("When I lost my job I couldn't tell anyone either.", "self_disclosure"),
        ("It isn't your fault.", "affirmation"),
        ("Anyone would feel like that.", "affirmation"),
        ("Many people who are laid off hide it for months.", "information"),
        ("You should tell your husband tonight.", "premature_advice"),
        ("Why don't you just tell him?", "premature_advice"),
        ("You should have told him at once.", "blame"),
        ("How could you lie to your own husband?", "blame"),
        ("At least you still have a husband.", "minimising"),
        ("It's not the end of the world.", "minimising"),
        ("How are your children taking it?", "false_fact"),
        ("It must be hard that your wife has left you.", "false_fact"),
        ("My favourite film is the one with the dinosaurs.", "off_topic"),
    ],
)
def test_a_sentence_does_one_thing(text, skill):
    assert skills(text) == {skill}


@pytest.mark.parametrize(
    "text",
    ["Hello Nora.", "I see.", "Thank you for telling me.", "I understand exactly how you feel.", "Is he at home now?"],
)
def test_small_talk_and_sympathy_that_names_nothing_are_no_skill(text):
    assert skills(text) == set()
    assert read(text).levels == (0, 0, 0, 0, 0, 0)


def test_empathy_must_name_a_feeling_of_this_seeker():
    assert skills("You must feel so ashamed.") == {"reflection"}
    assert skills("You must feel so angry.") == set()  # not Nora's
    assert skills("You must feel so angry.", replace(NORA, feelings=("angry",))) == {"reflection"}


def test_what_is_denied_is_not_named():
    assert "ashamed" not in read("You are not ashamed.").feelings


def test_advice_hurts_until_enough_is_explored():
    text = "Maybe you could tell your husband on a walk."
    early, late = read(text), read(text, READY)
    assert early.skills == {"premature_advice"}
    assert early.levels[5] < 0
    assert late.skills == {"suggestion"}
    assert late.levels[4] > 0


def test_facts_and_feelings_come_in_the_order_of_the_story():
    reading = read("You are afraid your husband finds out, and ashamed that you were laid off.")
    assert reading.facts == ("laid off", "hides it")
    assert reading.feelings == ("ashamed", "afraid")


def test_evidence_is_the_sentence_as_it_was_written():
    reading = read("Hm. You feel ASHAMED of it! What happened in March?")
    assert reading.evidence == (
        ("reflection", "You feel ASHAMED of it!"),
        ("open_question", "What happened in March?"),
    )


def test_the_same_words_again_are_repetition_and_so_are_the_seekers_own():
    said = "That sounds heavy. What happened in March?"
    heard = replace(NORA, earlier=(said, "How do you sleep?"))
    assert skills(said.upper(), heard) == {"repetition"}
    assert skills("So that sounds heavy. Well, what happened in March?", heard) == {"repetition"}
    assert skills("What happened on the day itself?", heard) == {"open_question"}
    assert skills("I was laid off in March. My husband doesn't know.") == {"repetition"}  # Nora's words
    assert skills("You were laid off in March, and your husband doesn't know.") == {"restatement"}


def test_a_blow_takes_away_from_what_helps_beside_it():
    kind = "You feel so ashamed of losing your job."
    alone, beside = read(kind).levels, read(f"{kind} But you brought this on yourself.").levels
    assert alone[2] == 2
    assert beside[2] == 1
    assert beside[3] == -2


def test_nothing_known_and_nothing_said_still_reads():
    assert analyse("", Context()).skills == frozenset()
    assert analyse("?!…", Context()).levels == (0, 0, 0, 0, 0, 0)
    assert analyse("What happened?", Context()).skills == {"open_question"}


def test_every_skill_has_one_side():
    assert not set(HELPFUL) & set(HARMFUL)


def test_reading_draws_nothing():
    text = "Sounds like you're scared. What if he finds out? You should tell him."
    assert len({read(text) for _ in range(3)}) == 1
