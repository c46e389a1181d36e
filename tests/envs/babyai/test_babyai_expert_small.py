"""Plans of the BabyAI expert in worlds small enough to count every action by hand.

Actions: 0 left, 1 right, 2 forward, 3 pick up, 4 drop, 5 toggle, 6 done. Headings: 0 right, 1 down, 2 left, 3 up.
"""

from __future__ import annotations

import pytest

from agentgym.envs.babyai import kernel
from agentgym.envs.babyai.build import Thing, build
from agentgym.envs.babyai.expert import UNSOLVABLE, Plan, expert_action, plan, remaining, subgoal
from agentgym.envs.babyai.mission import Desc, Leaf, Part, Seq
from agentgym.envs.babyai.state import GridState

ROOM = ("#####", "#...#", "#...#", "#...#", "#####")
BALL, KEY, BOX, DOOR = Desc("ball"), Desc("key"), Desc("box"), Desc("door")
GO_TO_BALL, PICK_UP_BALL = Leaf("go to", BALL), Leaf("pick up", BALL)


def corridor(row: str, things: list[Thing], mission: Part, x: int = 1, heading: int = 0, **options: int) -> GridState:
    """Return a world one cell high; the agent looks right unless said."""
    return build(("#" * len(row), row, "#" * len(row)), things, (x, 1, heading), mission, **options)


def actions(state: GridState) -> tuple[int, ...]:
    found = plan(state)
    assert found is not None
    assert len(found.actions) == len(found.subgoals) == remaining(state)
    played = state
    for i, action in enumerate(found.actions):
        played, verdict = kernel.step(played, action)
        assert (verdict == "success") == (i == len(found.actions) - 1)
    return found.actions


def test_go_to_takes_the_shortest_walk():
    # From (1, 1) to (3, 2) looking down at (3, 3): two steps, one turn, one step. By (2, 3) it is one turn more.
    state = build(ROOM, [Thing("ball", "red", 3, 3)], (1, 1, 0), GO_TO_BALL)
    assert actions(state) == (2, 2, 1, 2)
    assert plan(state) == Plan((2, 2, 1, 2), ("go next to the ball",) * 4)


def test_pick_up_is_a_walk_and_one_more():
    state = build(ROOM, [Thing("ball", "red", 3, 3)], (1, 1, 0), PICK_UP_BALL)
    assert actions(state) == (2, 2, 1, 2, 3)
    assert plan(state).subgoals == ("go next to the ball",) * 4 + ("pick up the ball",)


def test_the_three_answers_are_those_of_the_plan():
    state = build(ROOM, [Thing("ball", "red", 3, 3)], (1, 1, 0), PICK_UP_BALL)
    assert (expert_action(state), remaining(state), subgoal(state)) == (2, 5, "go next to the ball")
    for action in plan(state).actions:
        state, _ = kernel.step(state, action)
    assert state.solved
    assert (plan(state), expert_action(state), remaining(state), subgoal(state)) == (Plan((), ()), kernel.DONE, 0, "")


def test_facing_the_goal_at_the_start_takes_one_action():
    # "go to" is judged after an action only, and `done` changes nothing.
    assert actions(build(ROOM, [Thing("ball", "red", 3, 3)], (2, 3, 0), GO_TO_BALL)) == (kernel.DONE,)


def test_full_hands_are_emptied_before_a_pick_up():
    # The ball is ahead at (3, 1), above is a wall: turn right, drop the key at (2, 2), turn back, pick up.
    things = [Thing("ball", "red", 3, 1), Thing("key", "blue", 1, 3)]
    state = build(ROOM, things, (2, 1, 0), PICK_UP_BALL, carrying=1)
    assert actions(state) == (1, 4, 0, 3)
    assert plan(state).subgoals == ("drop the blue key", "drop the blue key", "go next to the ball", "pick up the ball")


def test_full_hands_do_not_hinder_a_walk():
    things = [Thing("ball", "red", 3, 1), Thing("key", "blue", 1, 3)]
    assert actions(build(ROOM, things, (1, 1, 0), GO_TO_BALL, carrying=1)) == (2,)


def test_something_in_the_way_is_carried_when_the_goal_is_to_go_somewhere():
    # Cells 1 to 5, key in 3, ball in 5: step to 2, take the key, step to 3 and to 4.
    things = [Thing("key", "red", 3, 1), Thing("ball", "blue", 5, 1)]
    assert actions(corridor("#.....#", things, GO_TO_BALL)) == (2, 3, 2, 2)


def test_something_in_the_way_is_put_behind_when_the_hands_are_needed():
    # Pick up, drop and pick up (3 actions); from cell 1 to cell 4 (3 steps); the only place to put the key is behind,
    # so two turns there and two back (4): 10, in whatever order.
    things = [Thing("key", "red", 3, 1), Thing("ball", "blue", 5, 1)]
    state = corridor("#.....#", things, PICK_UP_BALL)
    assert len(actions(state)) == 10
    assert [actions(state).count(action) for action in (2, 3, 4)] == [3, 2, 1]
    assert "drop the red key" in plan(state).subgoals


def test_a_corner_is_entered_through_what_fills_it():
    # The ball in the corner (3, 3) is walled in by two keys; the upper one is ahead: pick it up, step, face the ball.
    things = [Thing("ball", "red", 3, 3), Thing("key", "blue", 3, 2), Thing("key", "grey", 2, 3)]
    assert actions(build(ROOM, things, (3, 1, 1), GO_TO_BALL)) == (3, 2)


def test_a_locked_door_is_opened_with_its_key():
    # Key in 2, locked door in 4, ball in 7: take the key, steps to 2 and 3, unlock, steps to 4, 5 and 6.
    things = [Thing("door", "red", 4, 1, "locked"), Thing("key", "red", 2, 1), Thing("ball", "blue", 7, 1)]
    state = corridor("#...#...#", things, GO_TO_BALL)
    assert actions(state) == (3, 2, 2, 5, 2, 2, 2)
    assert plan(state).subgoals == (
        "pick up the red key",
        "go next to the red door",
        "go next to the red door",
        "open the red door",
        *("go next to the ball",) * 3,
    )


def test_the_key_is_put_down_where_the_hands_are_needed():
    # As above, then pick up (1) and drop (1), with the place for the key behind: two turns there and two back (4).
    things = [Thing("door", "red", 4, 1, "locked"), Thing("key", "red", 2, 1), Thing("ball", "blue", 7, 1)]
    assert len(actions(corridor("#...#...#", things, PICK_UP_BALL))) == 7 + 6


def test_a_key_of_another_color_is_left_alone():
    things = [Thing("door", "red", 4, 1, "locked"), Thing("key", "blue", 2, 1), Thing("ball", "blue", 7, 1)]
    assert plan(corridor("#...#...#", things, GO_TO_BALL)) is None


def test_the_key_behind_its_own_door_is_out_of_reach():
    # minigrid makes such worlds: its GoToImpUnlock means to put the key into another room, and sometimes does not.
    things = [Thing("door", "red", 4, 1, "locked"), Thing("key", "red", 5, 1), Thing("ball", "blue", 7, 1)]
    assert plan(corridor("#...#...#", things, GO_TO_BALL)) is None


def test_a_key_comes_out_of_a_box():
    # Open the box in 2, pick up the key that lies there now, steps to 2 and 3, unlock.
    things = [Thing("door", "red", 4, 1, "locked"), Thing("box", "grey", 2, 1, "", ("key", "red"))]
    state = corridor("#...#...#", things, Leaf("open", DOOR))
    assert actions(state) == (5, 3, 2, 2, 5)
    assert plan(state).subgoals[:2] == ("open the grey box", "pick up the red key")


def test_one_key_after_the_other():
    # The blue key in the middle opens the left room, the red key there the right room, where the ball is.
    walls = ("##########", "#..#..#..#", "#..#..#..#", "##########")
    things = [
        Thing("door", "blue", 3, 1, "locked"),
        Thing("door", "red", 6, 1, "locked"),
        Thing("key", "blue", 5, 2),
        Thing("key", "red", 1, 1),
        Thing("ball", "grey", 8, 2),
    ]
    state = build(walls, things, (4, 1, 0), PICK_UP_BALL)
    deeds = [text for text in plan(state).subgoals if not text.startswith("go next to")]
    deeds = [text for i, text in enumerate(deeds) if text != deeds[i - 1]]
    assert deeds == [
        "pick up the blue key",
        "open the blue door",
        "drop the blue key",
        "pick up the red key",
        "open the red door",
        "drop the red key",
        "pick up the ball",
    ]
    assert actions(state)[-1] == kernel.PICK_UP


def test_put_next_needs_an_action_before_the_drop_where_the_object_was_given():
    # Key in hand, ball in 3, the cell ahead is beside it; but the rules must have seen the hands full once.
    things = [Thing("ball", "red", 3, 1), Thing("key", "blue", 5, 1)]
    assert actions(corridor("#.....#", things, Leaf("put next", KEY, BALL), carrying=1)) == (kernel.DONE, kernel.DROP)


def test_put_next_fetches_and_brings():
    # Key in 2, ball in 5: take the key, steps to 2 and 3, drop it in 4.
    things = [Thing("ball", "red", 5, 1), Thing("key", "blue", 2, 1)]
    state = corridor("#.....#", things, Leaf("put next", KEY, BALL))
    assert actions(state) == (3, 2, 2, 4)
    assert plan(state).subgoals[-1] == "drop the blue key next to the ball"


def test_nothing_can_be_put_next_to_itself():
    assert plan(corridor("#.....#", [Thing("ball", "red", 3, 1)], Leaf("put next", BALL, BALL))) is None


def test_what_is_in_hand_is_gone_to_by_dropping_it():
    # Its noted place (4, 1) is two steps off; a drop notes the places anew, and the ball lies ahead.
    assert actions(corridor("#.....#", [Thing("ball", "red", 4, 1)], GO_TO_BALL, carrying=0)) == (kernel.DROP,)


def test_an_open_door_is_closed_and_opened_again():
    assert actions(corridor("#..#..#", [Thing("door", "red", 3, 1, "open")], Leaf("open", DOOR), x=2)) == (5, 5)


TWO_DOORS = [Thing("door", "blue", 3, 1, "closed"), Thing("door", "red", 5, 1, "closed")]


def test_doors_on_the_way_are_opened():
    # Step to 2, open the blue door in 3, steps to 3 and 4, open the red door in 5.
    state = corridor("#..#.#..#", TWO_DOORS, Leaf("open", Desc("door", "red")))
    assert actions(state) == (2, 5, 2, 2, 5)
    assert plan(state).subgoals == (
        "go next to the blue door",
        "open the blue door",
        "go next to the red door",
        "go next to the red door",
        "open the red door",
    )


def test_a_wrong_door_is_never_opened_where_that_ends_the_episode():
    state = corridor("#..#.#..#", TWO_DOORS, Leaf("open", Desc("door", "red"), strict=True))
    assert plan(state) is None
    assert (expert_action(state), remaining(state), subgoal(state)) == (kernel.DONE, UNSOLVABLE, "")


def test_two_strict_doors_in_an_order_cannot_be_opened():
    # The toggle that opens the first door is judged by the second half at once, and there it is the wrong door.
    # All ordered missions of OpenDoorsOrderN2Debug and OpenDoorsOrderN4Debug are of this kind.
    red, blue = (Leaf("open", Desc("door", color), strict=True) for color in ("red", "blue"))
    assert plan(corridor("#..#.#..#", TWO_DOORS, Seq("before", blue, red))) is None
    state = corridor("#..#.#..#", TWO_DOORS, Seq("before", blue, red))
    for action in (2, 5):
        state, verdict = kernel.step(state, action)
    assert verdict == "failure"


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        # Cells 1 to 6, key in 1, ball in 6, the agent in 3 looks right. Key first: two turns, a step to 2 (3), then
        # two turns and three steps to 5 (5). Ball first: two steps to 5 (2), then two turns and three steps (5).
        ("before", 8),
        ("after", 7),
        ("and", 7),  # the shorter one
    ],
)
def test_orders(order, expected):
    things = [Thing("key", "red", 1, 1), Thing("ball", "blue", 6, 1)]
    mission = Seq(order, Leaf("go to", KEY), GO_TO_BALL)
    assert len(actions(corridor("#......#", things, mission, x=3))) == expected


def test_a_box_that_is_gone_cannot_be_picked_up():
    state = corridor("#...#", [Thing("box", "red", 2, 1)], Leaf("pick up", BOX))
    assert actions(state) == (3,)
    state, _ = kernel.step(state, kernel.TOGGLE)  # an empty box vanishes
    assert plan(state) is None


def test_an_empty_box_is_opened_where_there_is_no_room_to_move_it():
    # Blue key in hand, box in 3, blue key in 4. The box cannot get out of the way: there is a single cell behind the
    # agent, and the key in hand would need it. Opened, the box is gone, and the key goes into its place.
    things = [Thing("box", "red", 3, 1), Thing("key", "blue", 4, 1), Thing("key", "blue", 1, 1)]
    state = corridor("#....#", things, Leaf("put next", KEY, KEY), x=2, carrying=2)
    assert actions(state) == (kernel.TOGGLE, kernel.DROP)


def test_a_failed_state_has_no_plan():
    state = corridor("#..#.#..#", TWO_DOORS, Leaf("open", Desc("door", "red"), strict=True), x=2)
    state, verdict = kernel.step(state, kernel.TOGGLE)
    assert verdict == "failure"
    assert plan(state) is None
