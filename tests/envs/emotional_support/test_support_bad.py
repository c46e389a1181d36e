"""Bad supporters do worse than an honest one who is only clumsy: in return and in success."""

import pytest

from agentgym.envs.emotional_support import bad
from agentgym.envs.emotional_support.env import EmotionalSupportEnv
from agentgym.envs.emotional_support.measure_bad import Scored, main, scored
from agentgym.rng import TurnRng

SEEKERS = 40


@pytest.fixture(scope="module")
def clumsy() -> Scored:
    return scored(bad.honest_but_clumsy, SEEKERS)


def test_the_clumsy_one_helps_some_and_by_far_not_all(clumsy):
    assert 0.1 < clumsy.success < 0.9


@pytest.mark.parametrize("name", sorted(bad.bad_supporters()))
def test_a_bad_supporter_does_worse_than_a_clumsy_one(name, clumsy):
    found = scored(bad.bad_supporters()[name], SEEKERS)
    assert found.total < clumsy.total
    assert found.success < clumsy.success
    assert found.distance > clumsy.distance


def test_the_command_prints_a_line_for_each_and_the_clumsy_one_last(capsys):
    assert main(["--seekers", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("|")[1].strip() for line in lines[2:]] == [*bad.bad_supporters(), "honest but clumsy"]


def test_an_expert_scores_what_the_env_pays_it():
    env = EmotionalSupportEnv()

    def script(heard, rng):
        while True:
            yield env.expert(env.state)

    assert scored(script, 2, env).success == 1.0


def said(script, heard: str) -> list[str]:
    """Return the first messages of a script to a seeker who says the same over and over."""
    talk = script(heard, TurnRng(3))
    return [next(talk), *(talk.send(heard) for _ in range(3))]


@pytest.mark.parametrize("script", [*bad.bad_supporters().values(), bad.honest_but_clumsy])
def test_scripts_are_the_same_for_the_same_draws(script):
    assert said(script, "I lost my job.") == said(script, "I lost my job.")


def test_the_clumsy_one_says_back_the_longest_sentence_about_the_seeker():
    talk = bad.honest_but_clumsy("Hm. It rains. I lost my job in March.", TurnRng(0))
    assert "you lost your job in March" in next(talk)


def test_the_clumsy_one_goes_on_where_nothing_was_said_of_oneself():
    assert next(bad.honest_but_clumsy("Hm.", TurnRng(0))).startswith("I'm listening.")


def test_the_copier_says_what_was_said():
    talk = bad.bad_supporters()["copier"]("I lost my job.", TurnRng(0))
    assert next(talk) == "I lost my job."
    assert talk.send("And my keys.") == "And my keys."
    assert talk.send("") == "…"  # an empty message is none
