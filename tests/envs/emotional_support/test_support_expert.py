"""The expert, the menu and what is measured of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentgym import TurnRng
from agentgym.envs.emotional_support import expert, measure_random, menu, quality, tasks
from agentgym.envs.emotional_support.env import EmotionalSupportEnv
from agentgym.envs.emotional_support.state import SupportState

ENV = EmotionalSupportEnv()
EVERY = [task for split in ENV.panel for task in ENV.panel[split]]


def led(task: Any, seed: int = 3) -> list[SupportState]:
    """Return the states of a talk that the expert leads, the last one after the end."""
    states = [ENV.initial(task, TurnRng(seed)).state]
    for turn in range(ENV.max_turns):
        made = ENV.apply(states[-1], ENV.advice(states[-1]), TurnRng(seed, 0, turn))[0]
        states.append(made.state)
        if made.outcome is not None:
            break
    return states


@pytest.mark.parametrize("number", range(4, 250, 19))
def test_the_expert_wins_without_harm(number: int) -> None:
    solved, said = quality.play(ENV, EVERY[number], lambda state, rng: expert.advice(state), 3)
    assert solved and 13 <= len(said) <= 21, EVERY[number].id
    last = led(EVERY[number])[-1]
    assert not last.harmed and last.explored and last.felt and last.deep


@pytest.mark.slow
def test_the_expert_wins_every_talk() -> None:
    lost = [task.id for task in EVERY if not quality.play(ENV, task, lambda state, rng: expert.advice(state), 1)[0]]
    assert lost == []


def test_the_menu_offers_the_expert_s_message_among_seven_others() -> None:
    for state in led(EVERY[-1])[:-1]:
        offered = menu.entries(state)
        assert len(set(offered)) == len(offered) == menu.ENTRIES and offered[0] == expert.advice(state)
        assert all(text == text.strip() and "{" not in text for text in offered)


def test_the_menu_is_a_copy_that_no_caller_can_spoil() -> None:
    state = led(EVERY[0])[2]
    menu.entries(state).clear()
    assert len(menu.entries(state)) == menu.ENTRIES


def test_nothing_marks_the_right_message() -> None:
    for found in quality.of_menus(ENV, ENV.panel["test"][::4]):
        value = float(found.value)  # a sample of a quarter strays further than all
        assert found.holds or value <= 1.75, f"{found.name}: {value}"


def test_random_choice_hardly_ever_wins_and_doing_nothing_never() -> None:
    some = ENV.panel["test"][::7]
    assert sum(quality.play(ENV, task, quality.chosen(ENV), seed)[0] for task in some for seed in range(2)) <= 1
    assert not any(quality.play(ENV, task, lambda state, rng: "", 1)[0] for task in some)
    assert quality.play(ENV, some[0], lambda state, rng: "", 1)[1] == [ENV.initial(some[0], TurnRng(1)).observation]


# ---- measures --------------------------------------------------------------------------------------------------------


def test_pairs_of_words_are_counted_by_hand() -> None:
    # a b, b c | a b: three pairs, of which two differ.
    assert quality.distinct_2(["a b c", "A b!"]) == round(2 / 3, 3)
    assert quality.distinct_2([]) == 0.0


def test_the_longest_frame_is_what_one_text_in_a_hundred_holds() -> None:
    texts = [f"well {number} that is how it is" for number in range(3)] + [f"number {number}" for number in range(97)]
    # five words in a row stand in three of a hundred texts; two texts are the least that count
    assert quality.longest_frame(texts) == (5, 3.0, "that is how it is")
    assert quality.longest_frame(["one", "two"]) == (0, 0.0, "")


def test_seekers_seldom_repeat_themselves() -> None:
    found = {one.name: one for one in quality.of_words(ENV, 30)}
    share = found["of which repeat an earlier one word for word, per cent"]
    assert share.holds and float(share.value) <= 2.0


def test_what_is_promised_of_people_holds() -> None:
    assert all(one.holds for one in quality.of_people())
    assert {one.name: one.value for one in quality.of_people()}["seekers"] == 250


def test_marks_tell_the_longest_and_the_one_that_shares_most() -> None:
    found = quality.marks(["you lost it?", "the long grey dog ran", "I see."], "It was a grey dog.")
    assert found["most length"] == [12.0, 21.0, 6.0] and found["least length"][2] == -6.0
    assert found["most words shared with what was said last"] == [1.0, 2.0, 0.0]
    assert found["questions at the end"] == [1.0, 0.0, 0.0] and found["most of the word you"][0] == 1.0


def test_random_choice_is_published() -> None:
    published = tasks.random_success()
    assert list(published) == [tasks.PANEL] and 0.0 <= published[tasks.PANEL] <= 0.05
    assert ENV.panels() == [(tasks.panel(), published[tasks.PANEL])]


def test_what_is_measured_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(measure_random, "PATH", tmp_path / "random.json")
    monkeypatch.setattr(
        measure_random,
        "success",
        lambda env, episodes, seed: {"episodes": episodes, "success": 0.25, "turns": 2.0, "seed": seed},
    )
    assert measure_random.main(["--episodes", "3"]) == 0
    assert json.loads((tmp_path / "random.json").read_text())["seekers"]["episodes"] == 3
    assert "seekers: 25.0%" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        measure_random.main(["seeker"])
