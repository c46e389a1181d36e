"""The menu: the right action is always in it, nothing marks it, random choice from it succeeds as published."""

from __future__ import annotations

from collections import Counter

import pytest

from agentgym import TurnRng
from agentgym.envs.babyai import actions, expert, kernel, measure_random, tasks
from agentgym.envs.babyai.env import BabyAIEnv


def states(panel, count, turns):
    """Yield (state, menu as offered) along random play of `count` tasks, `turns` turns each."""
    env = BabyAIEnv(level=panel)
    for index, task in enumerate(env.panel["train"][:count]):
        state = env.initial(task, TurnRng(index)).state
        for turn in range(turns):
            menu = env.offer(state, index, turn)
            yield state, menu
            choice = TurnRng(index, 0, turn, "test").choice(menu)
            made, valid, _ = env.apply(state, choice, TurnRng(index, 0, turn))
            assert valid
            state = made.state
            if made.outcome is not None:
                break


def right(state):
    """Return the expert's action, or "" where it knows no way."""
    return kernel.ACTIONS[expert.expert_action(state)] if expert.remaining(state) < expert.UNSOLVABLE else ""


def check_expert_in_menu(panel, count, turns):
    looked = 0
    for state, menu in states(panel, count, turns):
        action = right(state)
        if action:
            looked += 1
            assert action in menu, f"{panel}: {action!r} is not in {menu} for {state.level.mission!r}"
    assert looked > count


@pytest.mark.parametrize("panel", tasks.PANELS)
def test_the_experts_action_is_in_the_menu(panel):
    check_expert_in_menu(panel, 4, 12)


@pytest.mark.parametrize("size", ["S5N2", "S6N3", "S7N4"])
def test_the_experts_action_is_in_the_menu_where_the_hands_start_full(size):
    # Some of these starts face the place to drop, and the instruction must see the hands first: the expert waits.
    waits = 0
    for task in tasks.panel(f"PutNext{size}Carrying-v0")["test"][:120]:
        state = tasks.first_state(task.data)
        waits += right(state) == "done"
        assert kernel.ACTIONS.index(right(state)) in actions.sensible(state), task.id
    assert 0 < waits < 40


@pytest.mark.parametrize("level", tasks.LEVELS)
def test_the_experts_action_is_in_the_menu_of_each_level(level):
    check_expert_in_menu(level, 2, 6)


@pytest.mark.slow
@pytest.mark.parametrize("panel", tasks.PANELS)
def test_the_experts_action_is_in_the_menu_of_many_states(panel):
    check_expert_in_menu(panel, 60, 60)


@pytest.mark.parametrize("panel", tasks.MIXED)
def test_menus_hold_no_action_without_effect_but_done(panel):
    for state, menu in states(panel, 5, 30):
        assert len(set(menu)) == len(menu)
        for number, name in enumerate(kernel.ACTIONS):
            after, verdict = kernel.step(state, number)
            if verdict == kernel.CONTINUE and after is state and name != "done":
                assert name not in menu, f"{name!r} does nothing"


def test_the_menu_does_not_look_at_the_instruction():
    env = BabyAIEnv(level="pick_up_seq_go_to")
    for state, _ in states("pick_up_seq_go_to", 8, 20):
        other = state._replace(level=tasks.mixed_state("goto", 1, 8).level, done=0, held=0, noted=((),))
        if max(state.cells) - 20 < len(other.level.kinds) and not state.carry:
            types = [kind.type for kind in state.level.kinds]
            others = [kind.type for kind in other.level.kinds]
            ahead = state.cells[state.front]
            if ahead < 20 or types[ahead - 20] == others[ahead - 20]:
                assert env.menu(state) == env.menu(other)


def words(text):
    return set(text.lower().replace(",", " ").split())


# Each says how much an entry of a menu looks like the right one, to somebody who cannot see the world.
GUESSES = {
    "first": lambda menu, index, mission: -index,
    "last": lambda menu, index, mission: index,
    "shortest": lambda menu, index, mission: -len(menu[index]),
    "longest": lambda menu, index, mission: len(menu[index]),
    "fewest words": lambda menu, index, mission: -len(menu[index].split()),
    "first letter": lambda menu, index, mission: [-ord(letter) for letter in menu[index]],
    "words of the instruction": lambda menu, index, mission: len(words(menu[index]) & words(mission)),
    "no words of the instruction": lambda menu, index, mission: -len(words(menu[index]) & words(mission)),
}


def lifts(panels, count, turns):
    """Return how much better than chance each guess finds the expert's action; ties count in shares."""
    hits: Counter[str] = Counter()
    chance = 0.0
    for panel in panels:
        for state, menu in states(panel, count, turns):
            action = right(state)
            if not action:
                continue
            chance += 1 / len(menu)
            for name, guess in GUESSES.items():
                marks = [guess(menu, index, state.level.mission) for index in range(len(menu))]
                chosen = [menu[index] for index, mark in enumerate(marks) if mark == max(marks)]
                hits[name] += (action in chosen) / len(chosen)
    return {name: hits[name] / chance for name in GUESSES}


def test_nothing_marks_the_right_entry():
    found = lifts(tasks.MIXED, 10, 40)
    assert max(found.values()) <= 1.5, found


@pytest.mark.slow
@pytest.mark.parametrize("panel", tasks.PANELS)
def test_nothing_marks_the_right_entry_in_any_panel(panel):
    found = lifts([panel], 40, 60)
    assert max(found.values()) <= 1.5, found


def test_random_choice_succeeds_as_published():
    published = tasks.random_success()
    assert set(published) == set(tasks.PANELS)
    # 60 fresh episodes of goto: within 4 standard errors of the published share (500 episodes).
    item = published["goto"]
    share = measure_random.success("goto", 60, seed=10_000, split="dev")["success"]
    error = (item["success"] * (1 - item["success"]) * (1 / 60 + 1 / item["episodes"])) ** 0.5
    assert abs(share - item["success"]) <= 4 * error


def test_the_measurement_repeats_itself():
    assert measure_random.success("pickup", 5, 3) == measure_random.success("pickup", 5, 3)


def test_the_command_measures_what_it_is_asked_for(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(measure_random, "PATH", tmp_path / "random.json")
    assert measure_random.main(["goto", "--episodes", "4"]) == 0
    printed = capsys.readouterr().out
    assert printed.splitlines()[0].startswith("| panel |")
    assert printed.splitlines()[2].startswith("| goto |")
    with pytest.raises(SystemExit):
        measure_random.main(["gotoo"])
    with pytest.raises(SystemExit):
        measure_random.main(["goto", "--episodes", "0"])
    assert "did you mean 'goto'" in capsys.readouterr().err
