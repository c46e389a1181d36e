"""Blows and orders in context: what others said, and what the seeker said of themselves, may be said back."""

from dataclasses import replace

import pytest
from talk_with_nora import LAST, NORA, skills

from agentgym.envs.emotional_support.analyser import Fact


@pytest.mark.parametrize(
    "text",
    [
        "You lied to your husband for months.", "That's your own fault.", "Why didn't you tell him?",
        "You're so selfish.", "What kind of wife does that?", "You made it worse by hiding it.",
        "How could you do that?",
    ],
)  # fmt: skip
def test_what_accuses_is_blame(text):
    assert skills(text) == {"blame"}


@pytest.mark.parametrize(
    "text",
    [
        "It's not your own fault.", "You mustn't blame yourself.", "You couldn't have known.",
        "That doesn't make you a bad wife.", "Nobody could have seen that coming.",
    ],
)  # fmt: skip
def test_what_acquits_is_affirmation(text):
    assert skills(text) == {"affirmation"}


def test_what_the_seeker_said_of_themselves_is_said_back():
    sorry = replace(NORA, story=(*NORA.story, Fact("lied", ("lied",))), last=f"{LAST} I lied to him.")
    text = "So you lied to your husband."
    assert skills(text) == {"blame"}
    assert skills(text, sorry) == {"restatement"}
    assert skills("You should never have lied.", sorry) == {"blame"}


def test_what_seekers_feel_about_themselves_is_no_blame():
    assert skills("You feel ashamed, as if you had let your husband down.") == {"reflection"}


def test_what_somebody_else_said_is_no_blow_of_the_supporters():
    assert skills("So your husband told you to get over it.") == {"restatement"}
    assert skills("Get over it.") == {"minimising"}


@pytest.mark.parametrize(
    ("text", "skill"),
    [
        ("Tell me more.", "open_question"),
        ("Tell him.", "premature_advice"),
        ("Don't wait any longer.", "premature_advice"),
        ("Sit him down tonight.", "premature_advice"),
        ("What about telling him on a walk?", "premature_advice"),
        ("What would you like to tell him?", "open_question"),
        ("How would it be to write it down?", "premature_advice"),
        ("How would you describe him?", "open_question"),
    ],
)
def test_questions_that_want_no_answer_are_proposals(text, skill):
    assert skills(text) == {skill}


@pytest.mark.parametrize("text", ["Take your time.", "Go on.", "Take care."])
def test_what_begins_like_an_order_may_be_small_talk(text):
    assert skills(text) == set()
