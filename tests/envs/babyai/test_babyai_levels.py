"""Making worlds: from minigrid by (level, seed) and from plain facts."""

from __future__ import annotations

import subprocess
import sys

import pytest
from babyai_pictures import play, world

from agentgym.envs.babyai import levels
from agentgym.envs.babyai.build import Thing, build
from agentgym.envs.babyai.mission import Desc, Leaf, Seq, navigations, surface
from agentgym.envs.babyai.state import objects

RIGHT, DOWN, LEFT, UP = range(4)

ROOM = """
## ## ## ## ##
## Kr .. Br ##
## .. .. .. ##
## Xb .. Br ##
## ## ## ## ##
"""


def test_a_level_is_made_once():
    first = levels.make("BabyAI-GoToLocal-v0", 123)
    assert levels.make("BabyAI-GoToLocal-v0", 123) is first
    assert levels.make("BabyAI-GoToLocal-v0", 124) != first


def test_an_unknown_level_offers_the_nearest_name():
    with pytest.raises(
        ValueError, match="unknown BabyAI level 'BabyAI-GoToLocl-v0'; did you mean 'BabyAI-GoToLocal-v0'"
    ):
        levels.make("BabyAI-GoToLocl-v0", 1)


def test_nothing_but_making_a_level_loads_minigrid():
    code = (
        "import sys; from agentgym.envs.babyai import kernel, levels, mixed, pack, text;"
        "from agentgym.rng import TurnRng; text.describe(mixed.draw('goto', TurnRng(1)));"
        "assert 'minigrid' not in sys.modules and 'pygame' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_descriptions_are_looked_up_at_reset():
    state = world(ROOM, (2, 2, UP), Leaf("go to", Desc("ball", "red")), room_size=5)
    (leaf,) = state.level.leaf
    assert state.level.mission == "go to a red ball"  # two fit
    assert state.noted == ((8, 18),)  # rows 1 and 3, column 3, width 5
    assert leaf.desc.plural
    assert len(leaf.desc.codes) == 1  # twins share a code


@pytest.mark.parametrize(
    ("heading", "loc", "mission", "cells"),
    [
        # The agent stands at (2, 2) between a ball up right (3, 1) and one down right (3, 3): cells 8 and 18.
        (UP, "front", "go to the red ball in front of you", (8,)),
        (UP, "behind", "go to the red ball behind you", (18,)),
        (UP, "right", "go to a red ball on your right", (8, 18)),
        (DOWN, "left", "go to a red ball on your left", (8, 18)),
        (RIGHT, "left", "go to the red ball on your left", (8,)),
        (LEFT, "left", "go to the red ball on your left", (18,)),
        (LEFT, "behind", "go to a red ball behind you", (8, 18)),
    ],
)
def test_places_are_seen_from_the_agents_heading_at_reset(heading, loc, mission, cells):
    state = world(ROOM, (2, 2, heading), Leaf("go to", Desc("ball", "red", loc)), room_size=5)
    assert state.level.mission == mission
    assert state.noted == (cells,)


def test_a_place_is_told_of_things_in_the_agents_room_only():
    picture = """
    ## ## ## ## ## ## ##
    ## .. .. ## .. Br ##
    ## .. .. Or .. .. ##
    ## ## ## ## ## ## ##
    """
    right = Leaf("go to", Desc("ball", "red", "front"))
    assert world(picture, (1, 1, RIGHT), right, room_size=4).noted == ((),)
    assert world(picture, (4, 1, RIGHT), right, room_size=4).noted == ((12,),)
    # The door stands in the wall that both rooms share.
    door = Leaf("go to", Desc("door", "", "front"))
    assert world(picture, (1, 1, RIGHT), door, room_size=4).noted == ((17,),)
    assert world(picture, (4, 1, LEFT), door, room_size=4).noted == ((17,),)


def test_what_comes_out_of_a_box_is_never_meant():
    state = world(ROOM, (2, 3, LEFT), Leaf("pick up", Desc("key")), room_size=5, inside={(1, 3): ("key", "red")})
    assert state.level.mission == "pick up the key"
    opened, _ = play(state, "toggle")
    assert [o.type for o in objects(opened)].count("key") == 2
    assert play(opened, "pick up")[1] == ["continue"]
    assert len({o.code for o in objects(opened) if o.type == "key"}) == 2  # alike, and yet not the same


def test_grey_things_of_any_type_are_many_because_walls_are_grey():
    state = world(ROOM.replace("Xb", "Xe"), (2, 2, UP), Leaf("pick up", Desc("", "grey")), room_size=5)
    assert state.level.mission == "pick up a grey object"
    assert world(ROOM, (2, 2, UP), Leaf("pick up", Desc("", "blue")), room_size=5).level.mission == (
        "pick up the blue object"
    )


def test_missions_in_words_and_their_length():
    key, box = Desc("key"), Desc("box", "blue")
    both = Seq("and", Leaf("go to", key), Leaf("put next", key, box))
    state = world(ROOM, (2, 2, UP), Seq("after", both, Leaf("pick up", box)), room_size=5)
    assert surface(state.level.mission_tree) == (
        "go to the key and put the key next to the blue box after you pick up the blue box"
    )
    before = Seq("before", Leaf("pick up", box), Leaf("go to", key))
    assert world(ROOM, (2, 2, UP), before, room_size=5).level.mission == "pick up the blue box, then go to the key"
    assert navigations(both) == 3  # put next counts two
    # Room area 25, one room, 1 + 2 + 1 walks.
    assert (
        world(ROOM, (2, 2, UP), Seq("after", both, Leaf("pick up", box)), room_size=5, max_steps=0).level.max_steps
        == 100
    )


def test_equal_worlds_are_equal_whatever_order_their_things_are_told_in():
    walls = ["#####", "#...#", "#...#", "#...#", "#####"]
    things = [Thing("key", "red", 1, 1), Thing("ball", "red", 3, 1), Thing("box", "blue", 1, 3, "", ("key", "red"))]
    tree = Leaf("go to", Desc("key"))
    first = build(walls, things, (2, 2, 0), tree, room_size=5)
    second = build(walls, things[::-1], (2, 2, 0), tree, room_size=5)
    assert first == second
    assert first.canonical() == second.canonical()
    assert hash(first.level) == hash(second.level)


def test_exchanged_twins_are_one_state():
    picture = """
    ## ## ## ## ##
    ## Bb .. .. ##
    ## Bb .. .. ##
    ## ## ## ## ##
    """
    start = world(picture, (2, 1, LEFT), Leaf("open", Desc("door")), room_size=4)
    # The upper ball waits at (2, 2) while the lower one takes its cell; then it takes the lower one's.
    parked = ("pick up", "turn left", "drop", "turn right", "go forward", "turn left", "pick up")
    raised = ("turn left", "go forward", "turn left", "turn left", "drop", "turn left", "pick up")
    lowered = ("go forward", "turn right", "drop", "turn right", "go forward", "turn left")
    between, _ = play(start, *parked, *raised)
    assert between != start
    exchanged, _ = play(between, *lowered)
    assert exchanged == start
    assert exchanged.canonical() == start.canonical()


def test_everything_that_counts_is_in_the_canonical_bytes():
    start = world(ROOM, (2, 2, UP), Leaf("go to", Desc("ball", "red")), room_size=5)
    changes = [
        start._replace(pos=11),
        start._replace(dir=0),
        start._replace(carry=20),
        start._replace(noted=((8,),)),
        start._replace(done=1),
        start._replace(held=1),
        start._replace(cells=start.cells[:6] + b"\0" + start.cells[7:]),
        world(ROOM, (2, 2, UP), Leaf("go to", Desc("ball", "red")), room_size=5, max_steps=99),
        world(ROOM, (2, 2, UP), Leaf("go to", Desc("key", "red")), room_size=5),
        world(ROOM, (2, 2, UP), Leaf("go to", Desc("ball", "red")), room_size=5, mission="go"),
    ]
    assert len({state.canonical() for state in [start, *changes]}) == len(changes) + 1


@pytest.mark.parametrize(
    ("walls", "things", "agent", "message"),
    [
        (["####", "#..#", "#.##", "##.#"], [], (1, 1, 0), "border"),
        (["####", "#..#", "####"], [Thing("key", "red", 2, 1)] * 2, (1, 1, 0), "column 2, row 1"),
        (["####", "#..#", "####"], [Thing("key", "red", 1, 1)], (1, 1, 0), "cannot stand at column 1, row 1"),
        (["####", "#..#", "####"], [], (1, 1, 4), "heading 4"),
        (["####", "#..#", "####"], [Thing("key", "red", 0, 1)], (1, 1, 0), "choose an empty cell"),
    ],
)
def test_impossible_worlds_are_refused(walls, things, agent, message):
    with pytest.raises(ValueError, match=message):
        build(walls, things, agent, Leaf("go to", Desc("key")), room_size=4)


@pytest.mark.parametrize("bad", [("cup", "red", ""), ("key", "pink", ""), ("door", "red", ""), ("key", "red", "open")])
def test_impossible_things_are_refused(bad):
    with pytest.raises(ValueError, match="no such object"):
        Thing(bad[0], bad[1], 1, 1, bad[2])


def test_a_seed_of_which_minigrid_makes_no_level_is_refused(monkeypatch):
    # Seed 1741 fills a 3 x 3 room of SynthS5R2 so that minigrid looks for a place for the agent for ever.
    monkeypatch.setattr(levels, "MOST_PLACED", 1000)
    with pytest.raises(levels.LevelError, match=r"SynthS5R2-v0: .* seed 1741.*: choose another seed"):
        levels.make("BabyAI-SynthS5R2-v0", 1741)
    env = levels.make_minigrid("BabyAI-SynthS5R2-v0")
    with pytest.raises(levels.LevelError):
        levels.reset(env, 1741)
    assert levels.reset(env, 0).canonical() == levels.make("BabyAI-SynthS5R2-v0", 0).canonical()
