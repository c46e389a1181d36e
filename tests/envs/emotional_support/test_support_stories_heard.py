"""What a sentence speaks of in a seeker's story, and what is not in it."""

import pytest
from talk_with_nora import LAST, NORA

from agentgym.envs.emotional_support.analyser import Fact
from agentgym.envs.emotional_support.analyser.said import Said, sentences
from agentgym.envs.emotional_support.analyser.story import Index, heard_in, index_of

NORAS = index_of(NORA.story)
HEARD = heard_in(LAST)


def said(text: str) -> Said:
    return sentences(text)[0].said


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("your job", ("laid off",)),
        ("your jobs and secrets", ("laid off", "hides it")),
        ("they laid you", ()),  # "laid off" is a phrase
        ("so you were laid off", ("laid off",)),
        ("your position", ("laid off",)),  # puts another word for "job"
        ("nothing of it", ()),
    ],
)
def test_facts_are_known_by_forms_phrases_and_near_words(text, facts):
    assert NORAS.facts(said(text)) == facts


def test_words_of_two_facts_speak_of_both():
    index = Index((Fact("a", ("boss",)), Fact("b", ("boss", "team"))))
    assert index.facts(said("your boss")) == ("a", "b")


def test_strange_words_are_neither_of_the_story_nor_of_every_talk():
    assert NORAS.strange(said("You hide it from your husband."), HEARD) == 0
    assert NORAS.strange(said("Penguins swim to Norway."), HEARD) == 3


def test_other_topics_are_elsewhere_unless_the_story_has_them():
    assert NORAS.elsewhere(said("What film do you like?"), HEARD)
    assert not Index((Fact("a", ("film",)),)).elsewhere(said("What film do you like?"), HEARD)


@pytest.mark.parametrize(
    "text",
    [
        "How is your wife?", "Your daughter must be sad.", "It is hard that he cheated on you.", "You were in prison.",
        "You told me that penguins swim to Norway.", "It must be awful that your father died.", "Your boss hit you.",
    ],
)  # fmt: skip
def test_what_is_said_of_the_story_and_not_in_it_is_invented(text):
    assert NORAS.invented(said(text), HEARD)


@pytest.mark.parametrize(
    "text",
    [
        "How is your husband?", "Does your mother know?", "If you were in prison, would he wait?", "My wife left me.",
        "Maybe your sister could come.", "You told me that you were laid off.", "What would your partner say?",
    ],
)  # fmt: skip
def test_what_is_asked_supposed_or_known_is_not(text):
    assert not NORAS.invented(said(text), HEARD)


def test_an_index_is_kept_with_its_story():
    assert index_of(NORA.story) is NORAS
    assert index_of((*NORA.story[:-1], NORA.story[-1])) is not NORAS
