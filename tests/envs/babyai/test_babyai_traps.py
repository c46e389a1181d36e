"""The ten traps found while recording minigrid, each as a small world of its own, beside some rules they touch."""

from __future__ import annotations

import random
import subprocess
import sys

import numpy as np
import pytest
from babyai_pictures import play, world

from agentgym.envs.babyai import kernel, levels, mixed, text
from agentgym.envs.babyai.mission import Desc, Leaf, Seq
from agentgym.envs.babyai.state import carried, objects, open_leaves, targets
from agentgym.rng import TurnRng

RIGHT, DOWN, LEFT, UP = range(4)
GREY_BALL = Desc("ball", "grey")
BLUE_BALL = Desc("ball", "blue")

TWO_BALLS = """
## ## ## ## ## ## ##
## .. Be .. .. .. ##
## .. .. .. Bb .. ##
## .. .. .. .. .. ##
## ## ## ## ## ## ##
"""


def test_1_solved_on_the_last_step_pays_a_tenth():
    state = world(TWO_BALLS, (1, 1, DOWN), Leaf("go to", GREY_BALL), max_steps=4)
    state, verdicts = play(state, "done", "done", "done", "turn left")
    assert verdicts == ["continue"] * 3 + ["success"]
    # Step 4 of 4: 1 - 0.9 * 4 / 4 = 0.1. The kernel knows success only; ending in time is told by the counter.
    assert kernel.reward(4, 4) == pytest.approx(0.1)
    assert kernel.reward(1, 4) == pytest.approx(1 - 0.225)


def test_2_done_does_nothing_whatever_the_environment_says(monkeypatch):
    monkeypatch.setenv("BABYAI_DONE_ACTIONS", "1")
    state = world(TWO_BALLS, (3, 3, UP), Leaf("go to", GREY_BALL))
    after, verdicts = play(state, "done")
    assert after is state
    assert verdicts == ["continue"]


def test_3_levels_on_which_minigrids_bot_hangs_or_breaks_are_plain_worlds_here():
    for name in ("BabyAI-UnlockToUnlock-v0", "BabyAI-KeyInBox-v0", "BabyAI-OpenDoorsOrderN2Debug-v0"):
        state = levels.make(name, 1)
        assert open_leaves(state)
        assert targets(state, open_leaves(state)[0])


def test_4_a_carrying_start_knows_what_is_in_the_hands():
    state = levels.make("BabyAI-PutNextS5N2Carrying-v0", 1)
    hand = carried(state)
    assert hand is not None
    assert text.describe(state).startswith(f"You carry a {hand.color} {hand.type}")
    # The object has left its cell: 2 + 2 objects, one of them in the hands.
    assert len(list(objects(state))) == 3


def test_4_a_thing_in_hand_at_the_start_is_remembered_from_the_second_step_on():
    tree = Leaf("put next", GREY_BALL, BLUE_BALL)
    picture = """
    ## ## ## ## ##
    ## Be .. Bb ##
    ## .. .. .. ##
    ## ## ## ## ##
    """
    state = world(picture, (2, 2, UP), tree, in_hand=(1, 1), room_size=4)
    # The verifier's memory is empty at reset, so a drop as the very first action does not count …
    assert play(state, "drop")[1] == ["continue"]
    # … and after any other action it does.
    after, verdicts = play(state, "done", "drop")
    assert verdicts == ["continue", "success"]
    assert after.solved


def test_5_stale_positions_solve_pick_up_then_go_to_at_once():
    tree = Seq("before", Leaf("pick up", GREY_BALL), Leaf("go to", GREY_BALL))
    state, verdicts = play(world(TWO_BALLS, (1, 1, RIGHT), tree), "pick up")
    assert verdicts == ["success"]
    assert state.solved


def test_5_positions_noted_at_reset_are_refreshed_by_any_drop():
    tree = Seq("before", Leaf("pick up", GREY_BALL), Leaf("go to", BLUE_BALL))
    start = world(TWO_BALLS, (3, 2, RIGHT), tree)
    assert start.noted == ((), (18,))  # row 2, column 4, width 7: 2 * 7 + 4
    taken, _ = play(start, "pick up", "turn left")
    assert taken.noted == ((), (18,))
    assert taken.cells[18] == 0
    put, _ = play(taken, "drop")
    assert put.noted == ((), (10,))  # one cell up from the agent: column 3, row 1
    # Taken again and carried to below the grey ball, where the drop fails: what is carried has no place.
    failed, _ = play(put, "pick up", "turn left", "go forward", "turn right", "drop")
    assert carried(failed) is not None
    assert failed.noted == ((), ())
    assert play(failed, "turn left", "drop")[0].noted == ((), (15,))  # column 1, row 2


def test_5_noted_positions_are_part_of_the_hash_because_futures_differ():
    picture = """
    ## ## ## ## ## ##
    ## .. Bb ## .. ##
    ## .. .. Cr .. ##
    ## ## ## ## ## ##
    """
    tree = Seq("before", Leaf("open", Desc("door")), Leaf("go to", BLUE_BALL))
    start = world(picture, (1, 1, RIGHT), tree, room_size=4)
    waited, _ = play(start, "pick up", "turn left", "done", "turn right")
    dropped, _ = play(start, "pick up", "turn left", "drop", "turn right")  # onto a wall: nothing moves
    assert waited[1:5] == dropped[1:5]  # cells, place, heading, hands
    assert waited.canonical() != dropped.canonical()
    to_the_door = ("turn right", "go forward", "turn left", "go forward", "toggle", "turn left")
    assert play(waited, *to_the_door)[1][-1] == "success"  # faces the empty cell where the ball was
    assert play(dropped, *to_the_door)[1][-1] == "continue"


def test_6_standing_before_the_target_counts_only_after_an_action():
    state = world(TWO_BALLS, (1, 1, RIGHT), Leaf("go to", GREY_BALL))
    assert not state.solved
    for action in ("done", "go forward", "toggle", "pick up"):
        assert play(state, action)[1] == ["success"], action
    assert play(state, "turn left")[1] == ["continue"]


def test_7_an_unlocked_door_stays_unlocked():
    picture = """
    ## ## ## ## ## ##
    ## Kr .. Lr .. ##
    ## ## ## ## ## ##
    """
    state = world(picture, (2, 1, RIGHT), in_hand=(1, 1), room_size=4)
    seen = []
    for action in ("toggle", "toggle", "turn left", "turn left", "drop", "turn left", "turn left", "toggle"):
        state, _ = play(state, action)
        seen += [o.state for o in objects(state) if o.type == "door" and action == "toggle"]
    assert carried(state) is None  # the key lies behind, and the door still opens
    assert seen == ["open", "closed", "open"]


@pytest.mark.parametrize(("mark", "opens"), [("Kr", True), ("Kb", False), ("Br", False)])
def test_7_a_locked_door_opens_to_the_key_of_its_colour_only(mark, opens):
    picture = f"""
    ## ## ## ## ## ##
    ## {mark} .. Lr .. ##
    ## ## ## ## ## ##
    """
    state = world(picture, (2, 1, RIGHT), Leaf("open", Desc("door")), in_hand=(1, 1), room_size=4)
    after, verdicts = play(state, "toggle")
    assert verdicts == ["success" if opens else "continue"]
    assert after is not state if opens else after.cells is state.cells


def test_8_the_second_half_of_a_sequence_starts_with_an_empty_memory():
    tree = Seq("before", Leaf("go to", BLUE_BALL), Leaf("pick up", GREY_BALL))
    picture = """
    ## ## ## ## ##
    ## .. Be .. ##
    ## .. Bb .. ##
    ## ## ## ## ##
    """
    # Take the grey ball before going to the blue one: nobody looks at the second half yet.
    taken, verdicts = play(world(picture, (1, 1, RIGHT), tree, room_size=4), "pick up", "turn right", "go forward")
    assert verdicts == ["continue"] * 3
    # Facing the blue ball finishes the first half; the second is judged by the same action, which is no pick-up.
    faced, verdicts = play(taken, "turn left")
    assert verdicts == ["continue"]
    assert faced.done == 2
    # From now on it remembers the full hands, so a pick-up proves nothing.
    assert play(faced, "pick up")[1] == ["continue"]


def test_8_a_pick_up_with_full_hands_counts_when_it_is_the_first_look():
    # "pick up" in the hands already, and the very action that finishes the first half is a pick-up.
    tree = Seq("before", Leaf("go to", BLUE_BALL), Leaf("pick up", GREY_BALL))
    picture = """
    ## ## ## ## ##
    ## Be .. Bb ##
    ## .. .. .. ##
    ## ## ## ## ##
    """
    start = world(picture, (2, 1, RIGHT), tree, in_hand=(1, 1), room_size=4)
    assert play(start, "pick up")[1] == ["success"]


def test_9_levels_are_made_without_a_word(capsys):
    for seed in range(12):  # PutNext draws again when two objects already touch, and minigrid says so
        levels.make("BabyAI-PutNextLocalS5N3-v0", 9000 + seed)
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "")
    env = levels.make_minigrid("BabyAI-PutNextLocalS5N3-v0")
    for seed in range(12):  # whoever uses minigrid beside us still hears it
        env.reset(seed=9000 + seed)
    assert "Sampling rejected" in capsys.readouterr().out


def test_9_not_a_word_either_when_minigrid_is_loaded_for_us():
    code = "from agentgym.envs.babyai import levels; levels.make('BabyAI-GoToLocal-v0', 1)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert ran.stdout == ""


def test_10_worlds_depend_on_their_seed_alone():
    random.seed(1)
    before, numpys = random.getstate(), str(np.random.get_state())  # noqa: NPY002 - only read
    levels.make.cache_clear()
    first = levels.make("BabyAI-BossLevel-v0", 5)
    levels.make.cache_clear()
    assert levels.make("BabyAI-BossLevel-v0", 5) == first
    assert random.getstate() == before
    assert str(np.random.get_state()) == numpys  # noqa: NPY002
    assert mixed.draw("goto", TurnRng(5)) == mixed.draw("goto", TurnRng(5))
