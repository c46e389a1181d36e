"""Levels on EMPA's three axes: (c_prog, c_neg, a_prog, a_neg, p_prog, p_neg)."""

from dataclasses import replace

from talk_with_nora import NORA, READY, read

from agentgym.envs.emotional_support.analyser.levels import HARM
from agentgym.envs.emotional_support.analyser.reading import HARMFUL


def test_a_feeling_with_a_fact_reaches_deeper_than_a_feeling_alone_and_fades():
    alone, both = "You feel ashamed, I think.", "You feel ashamed that you hide it from your husband."
    assert read(alone).levels == (0, 0, 1, 0, 0, 0)
    assert read(both).levels == (0, 0, 2, 0, 0, 0)
    once = replace(NORA, earlier=("I hear how ashamed you are of this secret.",))
    assert read(both, once).levels[2] == 1  # this feeling with this fact was named before
    twice = replace(NORA, earlier=(*once.earlier, "Hiding it makes you feel ashamed."))
    assert read(both, twice).levels[2] == 0
    assert read("You are ashamed to sit in the library.", twice).levels[2] == 2  # with a new fact


def test_the_newest_fact_and_two_facts_together_are_understood_best():
    assert read("So you spend the day in the library.").levels[0] == 2  # told last
    assert read("So you were laid off.").levels[0] == 1
    assert read("So you were laid off and hide it.").levels[0] == 2
    again = replace(NORA, earlier=("So you were laid off, in March.",))
    assert read("You were laid off, then.", again).levels[0] == 0


def test_a_question_and_information_help_to_understand_a_little():
    assert read("What goes through your mind there?").levels == (1, 0, 0, 0, 0, 0)
    assert read("Many people who are laid off hide it.").levels == (1, 0, 0, 0, 0, 0)


def test_affirming_what_the_seeker_did_lifts_most_and_praise_of_nothing_lifts_not():
    assert read("It took courage to write your applications.", READY).levels[4] == 2
    assert read("It took courage to tell me about your job.", READY).levels[4] == 1
    assert read("That was brave of you.", READY).levels[4] == 0
    restated = replace(READY, earlier=("So you wrote applications.",))
    assert read("It took courage to write your applications.", restated).levels[4] == 2  # said, never affirmed
    affirmed = replace(READY, earlier=("Writing applications was brave.",))
    assert read("It took courage to write your applications.", affirmed).levels[4] == 1


def test_a_gentle_suggestion_about_the_story_helps_more_than_an_order():
    assert read("Perhaps you could tell your husband one part of it.", READY).levels[4] == 2
    assert read("You should tell your husband.", READY).levels[4] == 1


def test_every_harm_hurts_somewhere_within_bounds():
    assert set(HARM) == set(HARMFUL)
    for levels in HARM.values():
        assert min(levels) < 0
        assert all(-2 <= level <= 0 for level in levels)


def test_two_harms_hurt_as_much_as_the_worse_on_each_axis():
    # blame (-1, -2, -1) and premature advice (-1, 0, -1)
    levels = read("You should have told him. Tell him tonight.").levels
    assert levels == (0, -1, 0, -2, 0, -1)
