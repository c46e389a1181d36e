"""From text to an action, and the menu."""

from __future__ import annotations

import time

import pytest
from babyai_hostile import HOSTILE

from agentgym.envs.babyai import actions, expert, kernel
from agentgym.envs.babyai.build import Thing, build
from agentgym.envs.babyai.mission import Desc, Leaf
from agentgym.turn import InvalidAction


@pytest.mark.parametrize("number", range(7))
def test_names_in_any_case_and_spacing(number):
    name = kernel.ACTIONS[number]
    for text in (name, name.upper(), name.title(), f"  {name}\n", name.replace(" ", " \t\n ")):
        assert actions.read(text) == number


@pytest.mark.parametrize("text", HOSTILE)
def test_anything_else_is_invalid_and_the_message_names_what_is_allowed(text):
    begin = time.perf_counter()
    with pytest.raises(InvalidAction) as caught:
        actions.read(text)
    assert time.perf_counter() - begin < 0.05
    message = str(caught.value)
    assert all(name in message for name in kernel.ACTIONS)
    assert "<|" not in message
    message.encode()  # no lone surrogate got into it


def test_the_nearest_name_is_offered():
    with pytest.raises(InvalidAction, match="did you mean 'turn left'"):
        actions.read("turn lefft")


ROOM = ("######", "#....#", "#....#", "#....#", "######")


def menu(things, agent, carrying=-1):
    state = build(ROOM, things, agent, Leaf("go to", Desc("ball")), room_size=5, carrying=carrying)
    return [kernel.ACTIONS[number] for number in actions.sensible(state)]


# The agent stands at (2, 2) and looks right, at (3, 2). A far ball is there because the mission asks for one.
BALL = Thing("ball", "red", 1, 1)


def ahead(kind, state="", color="blue"):
    return [BALL, Thing(kind, color, 3, 2, state)]


TURNS = ["turn left", "turn right"]


@pytest.mark.parametrize(
    ("things", "expected"),
    [
        ([BALL], [*TURNS, "go forward"]),
        (ahead("key"), [*TURNS, "pick up", "done"]),
        (ahead("box"), [*TURNS, "pick up", "toggle", "done"]),
        (ahead("door", "open"), [*TURNS, "go forward", "toggle", "done"]),
        (ahead("door", "closed"), [*TURNS, "toggle", "done"]),
        (ahead("door", "locked"), [*TURNS, "done"]),
    ],
)
def test_menu_with_empty_hands(things, expected):
    assert menu(things, (2, 2, 0)) == expected


def test_menu_with_full_hands():
    key, other = Thing("key", "blue", 1, 3), Thing("key", "green", 1, 3)
    assert menu([BALL, key], (2, 2, 0), carrying=1) == [*TURNS, "go forward", "drop"]  # "go to" does not mind hands
    assert menu([*ahead("key"), key], (2, 2, 0), carrying=2) == [*TURNS, "done"]
    assert menu([*ahead("door", "locked"), key], (2, 2, 0), carrying=2) == [*TURNS, "toggle", "done"]
    assert menu([*ahead("door", "locked"), other], (2, 2, 0), carrying=2) == [*TURNS, "done"]


def test_menu_before_a_wall():
    assert menu([BALL], (4, 2, 0)) == TURNS


def names(state):
    return [kernel.ACTIONS[number] for number in actions.sensible(state)]


@pytest.mark.parametrize("ball", [(4, 2), (1, 3)])
def test_the_menu_of_a_start_with_full_hands_lets_the_instruction_see_them(ball):
    # "put next" counts a drop only of what it saw in the hands one turn earlier, and at reset it has seen nothing. With
    # the ball at (4, 2) the key could be dropped beside it at once, but for that; "done" makes it look, and so does
    # any other action: after one there is nothing to wait for. Wherever the ball lies the menu is the same.
    things = [Thing("key", "blue", 1, 1), Thing("ball", "red", *ball)]
    state = build(ROOM, things, (2, 2, 0), Leaf("put next", Desc("key"), Desc("ball")), room_size=5, carrying=0)
    assert names(state) == [*TURNS, "go forward", "drop", "done"]
    assert kernel.step(state, kernel.DROP)[1] == kernel.CONTINUE
    waited, _ = kernel.step(state, kernel.DONE)
    assert names(waited) == [*TURNS, "go forward", "drop"]
    assert kernel.step(waited, kernel.DROP)[1] == (kernel.SUCCESS if ball == (4, 2) else kernel.CONTINUE)
    assert names(kernel.step(state, kernel.LEFT)[0]) == [*TURNS, "go forward", "drop"]
    assert expert.expert_action(state) in actions.sensible(state)


def test_the_menu_has_pick_up_where_it_counts_with_full_hands():
    # A key held from the start counts as picked up just now, once: the first action decides.
    things = [Thing("key", "blue", 1, 1), Thing("ball", "red", 1, 3)]
    state = build(ROOM, things, (4, 2, 0), Leaf("pick up", Desc("key")), room_size=5, carrying=0)
    assert names(state) == [*TURNS, "pick up", "done"]
    assert expert.expert_action(state) == kernel.PICK_UP
    assert names(kernel.step(state, kernel.DONE)[0]) == TURNS
    solved, verdict = kernel.step(state, kernel.PICK_UP)
    assert verdict == kernel.SUCCESS
    assert names(solved) == TURNS  # an episode that is over waits for nothing
    other = build(ROOM, things, (4, 2, 0), Leaf("pick up", Desc("ball")), room_size=5, carrying=0)
    assert names(other) == [*TURNS, "done"]
