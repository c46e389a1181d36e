"""What seekers and supporters say: whole sentences, the same for the same voice, no good phrase heard as harm."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from agentgym import TurnRng
from agentgym.envs.emotional_support import grammar, speech, tasks
from agentgym.envs.emotional_support.analyser import HARMFUL
from agentgym.envs.emotional_support.env import EmotionalSupportEnv
from agentgym.envs.emotional_support.hearing import contradiction, read
from agentgym.envs.emotional_support.seeker import MANNERS, RESISTANCE, seeker_of
from agentgym.envs.emotional_support.state import SupportState
from agentgym.envs.emotional_support.text import describe
from agentgym.envs.emotional_support.words import Chooser

PANEL = tasks.panel()
SEEKERS = [seeker_of(task) for task in (*PANEL["test"][::5], *PANEL["train"][:5])]
ABOUT = {
    "hints": "concern", "discloses": "concern", "deepens": "concern", "owns": "strength", "warms": "strength",
    **dict.fromkeys(("weighs", "decides", "settles"), "step"),
}  # fmt: skip
ACTS = [
    "tells", "feels", "hints", "discloses", "deepens", "owns", "warms", "weighs", "decides", "settles", "agrees",
    "circles", "softens", "waits", "resists", "objects", "hurt", "belittled", "corrects", "notices", "lectured",
    "drifts", "thanks", "leaves",
]  # fmt: skip


@pytest.mark.parametrize("act", ACTS)
def test_every_act_has_words_for_everybody(act: str) -> None:
    for seeker in SEEKERS:
        said = {grammar.words(seeker, act, ABOUT.get(act, "fact1"), Chooser(act, seed)) for seed in range(12)}
        assert len(said) > 4
        for text in said:
            assert not re.search(r"[{}|@]|  |\.\.|[,;:]$", text), text
            assert text[-1] in '.?!…"' and (text[0].isupper() or text[0] == '"'), text


def test_words_follow_from_their_address() -> None:
    seeker = SEEKERS[0]
    assert grammar.words(seeker, "tells", "fact0", Chooser(7, 3)) == grammar.words(
        seeker, "tells", "fact0", Chooser(7, 3)
    )
    assert Chooser("a", 1).pick(range(10**9)) != Chooser("a", 2).pick(range(10**9))
    both = Chooser("x")
    assert {both.pick("ab") for _ in range(40)} == {"a", "b"}


def test_every_manner_and_every_resistance_has_phrases_of_its_own() -> None:
    found = grammar.phrases()
    for kind in ("lead", "tail", "greets", "short"):
        assert all(len(found[f"{kind}:{manner}"]) >= 7 for manner in MANNERS)
    assert all(len(found[f"resists:{resistance}"]) >= 8 for resistance in RESISTANCE)
    every = [line for lines in found.values() for line in lines]
    assert all(line[-1] in ".?!…" for line in every)


def moments(number: int) -> Iterator[SupportState]:
    """Yield the states of a talk that the expert leads."""
    env = EmotionalSupportEnv()
    task = PANEL["test"][number * 5]
    state = env.initial(task, TurnRng(number)).state
    for turn in range(env.max_turns):
        yield state
        made = env.apply(state, env.advice(state), TurnRng(number, 0, turn))[0]
        if made.outcome is not None:
            return
        state = made.state


@pytest.mark.parametrize("number", range(0, 10, 3))
def test_no_good_phrase_about_what_was_told_is_heard_as_harm(number: int) -> None:
    """But for the same sentence again; a few wordings of a few stories are misread, which the expert passes over."""
    heard = misread = 0
    for state in moments(number):
        feel = state.seeker.feelings[state.feelings[0]].words[0]
        blocks = {"meet": "fact0", "begin": "fact0", "ask": "fact0"} if not state.told else {}
        blocks |= {block: state.known[-1] for block in ("restate", "reflect", "bear") if state.about.startswith("fact")}
        for block, about in blocks.items():
            for phrase in speech.phrases()[block]:
                text = speech.filled(phrase, state.seeker, state.seeker.matters[about], feel)
                heard += 1
                misread += not (read(state, text).skills - {"repetition"}).isdisjoint(HARMFUL)
    assert heard > 80 and misread <= 0.05 * heard


def test_what_a_story_says_is_not_so_is_heard() -> None:
    seeker = seeker_of(PANEL.task("work/passed-over/robin"))  # «my manager dismissed me»
    assert contradiction(seeker, "I see. So your manager dismissed you. What then?") == "So your manager dismissed you."
    assert contradiction(seeker, "If I hear you right, your manager dismissed you.")
    for harmless in (
        "Were you afraid that your manager dismissed you?", "So your manager has not dismissed you.", "Your manager!",
        "You worry that your manager dismissed you.", "It hurts if a manager dismissed you.", "x" * 50_000,
    ):  # fmt: skip
        assert contradiction(seeker, harmless) == ""


def test_a_false_story_hurts_also_between_kind_words() -> None:
    state = next(moments(0))
    lie = speech.filled("So {clause}.", state.seeker, state.seeker.matters["fact0"], "")
    said = lie.replace(lie[3:], f"{state.seeker.story.lies[0]}.")
    found = read(state, f"I'm glad you wrote. {said} What happened?")
    assert "false_fact" in found.skills and found.levels[1] == -2 and found.levels[3] <= -1
    assert ("false_fact", said) in found.evidence or any(skill == "false_fact" for skill, _ in found.evidence)


def test_describe_grows_with_what_is_told() -> None:
    texts = [describe(state) for state in moments(2)]
    assert "nothing yet" in texts[0] and "none yet" in texts[0]
    assert len(texts[-1]) > 3 * len(texts[0]) and len(set(texts)) == len(texts)
