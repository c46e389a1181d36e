"""The rules one by one, on rooms small enough to follow with a finger."""

from __future__ import annotations

import pytest
from babyai_pictures import play, world

from agentgym.envs.babyai import kernel
from agentgym.envs.babyai.mission import Desc, Leaf, Seq
from agentgym.envs.babyai.state import (
    carried,
    door_code,
    door_state,
    finished_leaves,
    is_door,
    is_passable,
    is_thing,
    objects,
    open_leaves,
    targets,
    type_of,
    where,
)

RIGHT, DOWN, LEFT, UP = range(4)

ROOM = """
## ## ## ## ## ##
## .. Kr .. Br ##
## .. .. .. .. ##
## Xb .. .. Bb ##
## .. .. Kb .. ##
## ## ## ## ## ##
"""
KEY, RED_BALL, BOX, BLUE_BALL, BLUE_KEY = 8, 10, 19, 22, 27  # cells, 6 a row
PICK_KEY = Leaf("pick up", Desc("key", "red"))
GO_BOX = Leaf("go to", Desc("box"))
GO_RED_BALL = Leaf("go to", Desc("ball", "red"))


def room(agent, tree=GO_BOX, **options):
    return world(ROOM, agent, tree, room_size=6, **options)


def things(state):
    return {o.cell: (o.color, o.type) for o in objects(state)}


@pytest.mark.parametrize(
    ("heading", "left", "right", "ahead"),
    [(RIGHT, UP, DOWN, 15), (DOWN, RIGHT, LEFT, 20), (LEFT, DOWN, UP, 13), (UP, LEFT, RIGHT, 8)],
)
def test_turning_and_walking(heading, left, right, ahead):
    state = room((2, 2, heading))  # cell 14
    assert state.front == ahead
    assert play(state, "turn left")[0].dir == left
    assert play(state, "turn right")[0].dir == right
    walked, _ = play(state, "go forward")
    assert walked.pos == (14 if heading == UP else ahead)  # the red key is in the way upwards


@pytest.mark.parametrize(
    ("agent", "action"),
    [
        ((1, 1, UP), "go forward"),  # wall
        ((3, 1, RIGHT), "go forward"),  # ball
        ((2, 2, RIGHT), "pick up"),  # nothing there
        ((1, 1, UP), "pick up"),  # a wall
        ((2, 2, RIGHT), "drop"),  # empty hands
        ((2, 2, RIGHT), "toggle"),  # nothing there
        ((3, 1, RIGHT), "toggle"),  # a ball
        ((1, 1, UP), "toggle"),  # a wall
        ((2, 2, RIGHT), "done"),
    ],
)
def test_when_nothing_changes_the_same_object_comes_back(agent, action):
    state = room(agent)
    after, verdicts = play(state, action)
    assert after is state
    assert verdicts == ["continue"]


def test_picking_up_and_dropping():
    state = room((2, 2, UP))
    taken, _ = play(state, "pick up")
    assert carried(taken)[2:4] == ("key", "red")
    assert taken.cells[KEY] == 0
    assert set(things(state)) - set(things(taken)) == {KEY}
    full, _ = play(taken, "turn right", "turn right", "turn right", "turn right", "go forward", "turn right")
    assert full.front == 9
    onto_ball, _ = play(full, "go forward", "drop", "pick up")  # the ball stays, the key stays in the hands
    assert carried(onto_ball)[2:4] == ("key", "red")
    assert things(onto_ball)[RED_BALL] == ("red", "ball")
    put, _ = play(full, "drop")
    assert things(put)[9] == ("red", "key")
    assert carried(put) is None


def test_a_box_is_replaced_by_what_is_in_it():
    full = room((1, 2, DOWN), inside={(1, 3): ("ball", "green")})
    empty = room((1, 2, DOWN))
    assert things(play(full, "toggle")[0])[BOX] == ("green", "ball")
    assert BOX not in things(play(empty, "toggle")[0])
    # Carried away and opened elsewhere it still holds the ball.
    moved, _ = play(full, "pick up", "turn left", "drop", "toggle")
    assert things(moved)[14] == ("green", "ball")


def test_an_unknown_action_is_refused():
    for action in (7, -1):
        with pytest.raises(ValueError, match="turn left, turn right, go forward, pick up, drop, toggle, done"):
            kernel.step(room((2, 2, UP)), action)


def test_rewards_size():
    assert kernel.reward(1, 64) == 1 - 0.9 / 64
    assert kernel.reward(32, 64) == 0.55


def test_before_wants_its_first_half_first():
    tree = Seq("before", PICK_KEY, GO_RED_BALL)
    start = room((2, 2, UP), tree)
    assert [leaf.slot for leaf in open_leaves(start)] == [0]
    assert targets(start, open_leaves(start)[0]) == (KEY,)
    # Facing the red ball first proves nothing.
    early, verdicts = play(start, "turn right", "go forward", "go forward", "turn left")
    assert early.front == RED_BALL
    assert verdicts == ["continue"] * 4
    picked, verdicts = play(start, "pick up")
    assert verdicts == ["continue"]
    assert (picked.done, finished_leaves(picked)) == (2, 1)  # node 1 is done
    assert [leaf.slot for leaf in open_leaves(picked)] == [1]
    solved, verdicts = play(picked, "turn right", "go forward", "go forward", "turn left")
    assert verdicts[-1] == "success"
    assert solved.solved
    assert (finished_leaves(solved), open_leaves(solved)) == (2, ())


def test_after_wants_its_second_half_first():
    start = room((2, 2, UP), Seq("after", GO_RED_BALL, PICK_KEY))
    assert [leaf.slot for leaf in open_leaves(start)] == [1]
    picked, _ = play(start, "pick up")
    assert [leaf.slot for leaf in open_leaves(picked)] == [0]
    assert play(picked, "turn right", "go forward", "go forward", "turn left")[1][-1] == "success"


def test_and_takes_either_order_and_remembers():
    start = room((2, 2, UP), Seq("and", PICK_KEY, GO_RED_BALL))
    assert [leaf.slot for leaf in open_leaves(start)] == [0, 1]
    went, verdicts = play(start, "turn right", "go forward", "go forward", "turn left")
    assert verdicts[-1] == "continue"
    assert [leaf.slot for leaf in open_leaves(went)] == [0]
    assert went.noted == ((), ())  # the finished half's notes matter no more
    back = ("turn left", "go forward", "go forward", "turn right", "pick up")
    assert play(went, *back)[1] == ["continue"] * 4 + ["success"]


def test_and_inside_a_sequence():
    both = Seq("and", PICK_KEY, GO_BOX)
    start = room((2, 2, UP), Seq("before", both, GO_RED_BALL))
    assert [leaf.slot for leaf in open_leaves(start)] == [0, 1]
    picked, _ = play(start, "pick up")
    assert [leaf.slot for leaf in open_leaves(picked)] == [1]
    boxed, _ = play(picked, "turn left", "go forward", "turn left")
    assert boxed.front == BOX
    assert [leaf.slot for leaf in open_leaves(boxed)] == [2]
    assert finished_leaves(boxed) == 2


def test_pick_up_counts_the_meant_object_only():
    state = room((2, 2, UP), Leaf("pick up", Desc("ball")))
    assert play(state, "pick up")[1] == ["continue"]
    assert play(room((3, 1, RIGHT), Leaf("pick up", Desc("ball"))), "pick up")[1] == ["success"]


def test_strict_pick_up_fails_on_the_wrong_object():
    state = room((2, 2, UP), Leaf("pick up", Desc("ball"), strict=True))
    failed, verdicts = play(state, "turn left", "pick up", "turn right", "pick up")
    assert verdicts == ["continue", "continue", "continue", "failure"]
    assert failed.failed
    assert not failed.solved


PUT = Leaf("put next", Desc("key", "red"), Desc("ball", "red"))


def test_put_next():
    state = room((2, 2, UP), PUT)
    (leaf,) = open_leaves(state)
    assert targets(state, leaf) == (KEY,)
    taken, _ = play(state, "pick up")
    assert targets(taken, leaf) == (RED_BALL,)
    # (3, 1) is beside the ball at (4, 1) …
    solved, verdicts = play(taken, "turn right", "go forward", "turn left", "drop")
    assert verdicts == ["continue"] * 3 + ["success"]
    assert things(solved)[9] == ("red", "key")
    # … (2, 1) and the diagonal (3, 2) are not.
    assert play(taken, "drop")[1] == ["continue"]
    assert play(taken, "turn right", "drop")[1] == ["continue", "continue"]


def test_bringing_the_fixed_object_to_the_moved_one_does_not_count():
    state = room((4, 2, UP), PUT)
    brought, verdicts = play(state, "pick up", "turn left", "go forward", "turn right", "drop")
    assert things(brought)[9] == ("red", "ball")  # beside the key at (2, 1)
    assert verdicts == ["continue"] * 5
    # Lifting the key and putting it back does.
    assert play(brought, "turn left", "go forward", "turn right", "pick up", "drop")[1][-1] == "success"


def test_strict_put_next_fails_on_any_pick_up():
    state = room((2, 2, UP), Leaf("put next", Desc("key", "red"), Desc("ball", "red"), strict=True))
    assert play(state, "pick up")[1] == ["failure"]


DOORS = """
## ## ## ## ## ## ##
## .. .. Cr .. .. ##
## .. .. ## .. .. ##
## .. .. Cb .. .. ##
## ## ## ## ## ## ##
"""


@pytest.mark.parametrize("strict", [False, True])
def test_open_wants_the_meant_door_open(strict):
    tree = Leaf("open", Desc("door", "blue"), strict=strict)
    blue = world(DOORS, (2, 3, RIGHT), tree, room_size=4)
    assert targets(blue, open_leaves(blue)[0]) == (24,)
    opened, verdicts = play(blue, "toggle")
    assert verdicts == ["success"]
    assert [o.state for o in objects(opened)] == ["closed", "open"]
    red = world(DOORS, (2, 1, RIGHT), tree, room_size=4)
    assert play(red, "toggle")[1] == ["failure" if strict else "continue"]
    assert play(red, "go forward")[0] is red  # shut


def test_an_open_door_is_a_way_and_can_be_shut_from_beyond():
    tree = Leaf("go to", Desc("ball"))
    state = world(DOORS, (2, 1, RIGHT), tree, room_size=4)
    through, _ = play(state, "toggle", "go forward")
    assert through.pos == 10
    beyond, _ = play(through, "go forward", "turn left", "turn left", "toggle")
    assert things(beyond)[10] == ("red", "door")
    assert [o.state for o in objects(beyond)] == ["closed", "closed"]
    # Nothing can be put onto an open door.
    carrying = world(DOORS.replace("## .. .. Cr", "## Kr .. Or"), (2, 1, RIGHT), tree, room_size=4, in_hand=(1, 1))
    assert carried(play(carrying, "drop")[0]) is not None


def test_a_strict_sequence_fails_when_its_second_half_comes_first():
    tree = Seq("before", PICK_KEY, GO_RED_BALL, strict=True)
    there = ("turn right", "go forward", "go forward", "turn left")
    failed, verdicts = play(room((2, 2, UP), tree), *there)
    assert verdicts == ["continue"] * 3 + ["failure"]
    assert failed.failed
    assert finished_leaves(failed) == 0
    assert play(room((2, 2, UP), tree), "pick up", *there)[1][-1] == "success"


def test_codes():
    code = door_code("purple", "locked")
    assert code == 2 + 3 * 3 + 2
    assert (is_door(code), is_thing(code), is_passable(code), door_state(code)) == (True, False, False, "locked")
    assert is_passable(door_code("red", "open"))
    assert is_passable(0)
    assert not is_passable(1)
    state = room((2, 2, UP))
    assert {type_of(state.level, state.cells[cell]) for cell in things(state)} == {"key", "ball", "box"}
    assert is_thing(state.cells[KEY])
    codes = tuple(state.cells[cell] for cell in (RED_BALL, BLUE_BALL))
    assert where(state.cells, codes) == (RED_BALL, BLUE_BALL)
    assert where(state.cells, (), (3, 4)) == (3, 4)
