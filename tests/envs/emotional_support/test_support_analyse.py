"""Reading a supporter's text."""

from agentgym.envs.emotional_support.analyser import Context, Fact, analyse

STORY = (Fact("laid off", ("laid off", "job", "redundan")), Fact("hiding it", ("hiding", "husband", "told him")))
HEARD = Context(STORY, frozenset({"laid off"}), ("ashamed", "afraid"), "I was laid off in March.", ())


def test_a_feeling_of_the_seeker_that_is_named_is_reflected():
    reading = analyse("It sounds like you feel ashamed of losing your job.", HEARD)
    assert reading.skills == {"reflection"}
    assert reading.facts == ("laid off",)
    assert reading.feelings == ("ashamed",)
    assert reading.levels[2] > 0  # affective progress


def test_advice_comes_too_early_until_enough_is_explored():
    text = "You could try a course for your next job."
    assert analyse(text, HEARD).skills == {"premature_advice"}
    ready = Context(STORY, HEARD.told, HEARD.feelings, HEARD.last, (), ready=True)
    assert analyse(text, ready).skills == {"suggestion"}


def test_what_asks_for_the_story_is_an_open_question():
    assert analyse("What happened after you lost your job?", HEARD).skills == {"open_question"}


def test_what_has_nothing_to_do_with_the_seeker_is_off_topic():
    assert analyse("The weather is nice in June.", HEARD).skills == {"off_topic"}
