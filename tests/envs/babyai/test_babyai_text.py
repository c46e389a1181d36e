"""What the agent reads, on the worked examples of the wording and on views where minigrid itself is asked."""

from __future__ import annotations

import random

import numpy as np
import pytest
from babyai_pictures import play, world

from agentgym.envs.babyai import levels, text

RIGHT, DOWN, LEFT, UP = range(4)


def told(state, **options):
    said = text.describe(state, **options)
    return said.split("\n") if said else []


EMPTY_ROOM = """
## ## ## ## ## ## ## ##
## .. .. .. .. .. .. ##
## .. .. .. .. .. .. ##
## .. .. .. .. .. .. ##
## .. .. .. .. .. .. ##
## .. .. .. .. .. .. ##
## .. .. .. .. .. .. ##
## ## ## ## ## ## ## ##
"""


def test_empty_room_in_both_styles():
    state = world(EMPTY_ROOM, (1, 1, RIGHT))
    # The wall on the right hand is 6 cells away: the view reaches 3.
    assert told(state) == ["a wall 6 steps forward", "a wall 1 step left"]
    assert told(state, style="babyai_text") == ["You see a wall 6 steps forward", "You see a wall 1 step left"]


def test_carrying_and_the_order_of_objects():
    picture = """
    ## ## ## ## ## ## ## ##
    ## Kr .. .. .. Xy .. ##
    ## .. .. Bb .. .. .. ##
    ## .. .. Kp .. .. .. ##
    ## .. Bg .. .. Ke .. ##
    ## .. .. .. .. .. .. ##
    ## .. .. .. Bp .. .. ##
    ## ## ## ## ## ## ## ##
    """
    state = world(picture, (3, 4, UP), in_hand=(3, 3))
    # Column by column from the left, far before near; the ball behind is not seen; objects hide the walls.
    assert told(state, style="babyai_text") == [
        "You carry a purple key",
        "You see a red key 2 steps left and 3 steps forward",
        "You see a green ball 1 step left",
        "You see a blue ball 2 steps forward",
        "You see a yellow box 2 steps right and 3 steps forward",
        "You see a grey key 2 steps right",
    ]
    assert told(state)[:2] == ["You carry a purple key", "a red key 2 steps left and 3 steps forward"]


def test_objects_on_three_sides():
    picture = """
    ## ## ## ## ## ## ## ##
    ## .. .. .. .. .. .. ##
    ## .. .. Kr .. .. .. ##
    ## .. Xb .. Xb .. .. ##
    ## .. .. .. .. .. .. ##
    ## ## ## ## ## ## ## ##
    """
    assert told(world(picture, (3, 3, UP))) == [
        "a blue box 1 step left",
        "a red key 1 step forward",
        "a blue box 1 step right",
    ]


DOORS = """
## ## ## ## ## ## ## ## ## ## ##
## .. .. .. .. Cy .. .. .. .. ##
## .. .. .. .. ## .. Br .. .. ##
## .. .. .. .. Lg .. .. .. .. ##
## .. .. .. .. ## .. .. .. .. ##
## .. .. .. .. Or Kb .. .. .. ##
## ## ## ## ## ## ## ## ## ## ##
"""


def test_doors_hide_the_wall_and_sight_spreads_round_corners():
    state = world(DOORS, (3, 3, RIGHT))
    expected = [
        "a wall 3 steps left",
        "a wall 3 steps right",
        "a closed yellow door 2 steps left and 2 steps forward",
        "a red ball 1 step left and 4 steps forward",
        "a locked green door 2 steps forward",
        "a blue key 2 steps right and 3 steps forward",
        "a open red door 2 steps right and 2 steps forward",
    ]
    assert told(state) == expected
    fixed = [line.replace("a open", "an open") for line in expected]
    assert told(state, grammar="fixed") == fixed
    assert told(state, grammar="fixed", style="babyai_text") == ["You see " + line for line in fixed]


def test_the_door_underfoot_is_not_mentioned():
    picture = """
    ## ## ## ## ## ## ## ## ## ## ##
    ## .. .. .. .. ## .. .. .. .. ##
    ## .. .. .. .. ## .. Br .. .. ##
    ## .. .. .. .. Og .. .. .. .. ##
    ## .. .. .. .. ## .. .. Xp .. ##
    ## .. .. .. .. ## .. .. .. .. ##
    ## ## ## ## ## ## ## ## ## ## ##
    """
    assert told(world(picture, (5, 3, RIGHT)), style="babyai_text") == [
        "You see a wall 5 steps forward",
        "You see a wall 1 step left",
        "You see a wall 1 step right",
        "You see a red ball 1 step left and 2 steps forward",
        "You see a purple box 1 step right and 3 steps forward",
    ]


def test_nose_to_the_wall_and_left_is_the_agents_left():
    picture = """
    ## ## ## ## ## ## ## ##
    ## .. .. .. .. .. .. ##
    ## Ke .. .. .. .. .. ##
    ## .. Xe .. .. .. .. ##
    ## ## ## ## ## ## ## ##
    """
    state = world(picture, (1, 3, DOWN), in_hand=(2, 3))
    assert told(state) == ["You carry a grey box", "a wall 1 step forward", "a wall 1 step right"]


def test_nothing_to_tell_is_an_empty_text():
    rows = [["##"] * 9] + [["##"] + [".."] * 7 + ["##"] for _ in range(12)] + [["##"] * 9]
    picture = "\n".join(" ".join(row) for row in rows)
    # Seven free cells ahead and three on each side: every wall is out of view.
    assert text.describe(world(picture, (4, 11, UP), room_size=9)) == ""


def test_a_boxs_content_is_not_told():
    picture = """
    ## ## ## ##
    ## .. Xr ##
    ## ## ## ##
    """
    state = world(picture, (1, 1, RIGHT), inside={(2, 1): ("key", "blue")}, room_size=3)
    assert "a red box 1 step forward" in told(state)
    assert "blue" not in text.describe(state)
    carrying, _ = play(state, "pick up")
    assert told(carrying)[0] == "You carry a red box"
    opened, _ = play(state, "toggle")
    assert "a blue key 1 step forward" in told(opened)


def test_the_whole_grid_tells_what_is_hidden():
    picture = """
    ## ## ## ## ##
    ## Ke ## Xr ##
    ## .. Ly By ##
    ## ## ## ## ##
    """
    state = world(picture, (1, 2, UP), inside={(3, 1): ("key", "blue")}, room_size=3)
    # The picture's own marks, with e for grey; (column, row) from the top left corner.
    grid = "## ## ## ## ##\n## Ke ## Xr ##\n## .. Ly By ##\n## ## ## ## ##\n"
    assert text.whole(state) == grid + "agent at (1, 2) looking up\ninside the box at (3, 1): a blue key"
    carrying, _ = play(state, "pick up")
    assert text.whole(carrying) == (
        grid.replace("Ke", "..")
        + "agent at (1, 2) looking up\ncarried: a grey key\ninside the box at (3, 1): a blue key"
    )
    nothing = "## ## ## ##\n## .. Xg ##\n## ## ## ##"
    boxed, _ = play(world(nothing, (1, 1, RIGHT), inside={(2, 1): ("ball", "red")}, room_size=3), "pick up")
    assert text.whole(boxed).endswith("carried: a green box\ninside the box carried: a red ball")


@pytest.mark.parametrize(("option", "value"), [("style", "balrok"), ("grammar", "fixd")])
def test_unknown_options_offer_the_nearest_name(option, value):
    with pytest.raises(ValueError, match=f"unknown {option} '{value}'; did you mean '(balrog|fixed)'"):
        text.describe(world(EMPTY_ROOM, (1, 1, 0)), **{option: value})


def test_the_cache_stays_bounded_and_changes_nothing(monkeypatch):
    monkeypatch.setattr(text, "CACHE", 3)
    text._texts.clear()
    states = [world(EMPTY_ROOM, (x, y, d)) for x in (1, 4) for y in (1, 4) for d in range(4)]
    first = [text.describe(state) for state in states]
    assert [text.describe(state) for state in reversed(states)] == first[::-1]
    assert len(text._texts) <= 3


def test_visible_equals_minigrids_mask_on_random_views():
    levels.names()  # loads minigrid
    from minigrid.core.grid import Grid
    from minigrid.core.world_object import Ball, Door, Wall

    draw = random.Random(5)
    for _ in range(1500):
        grid, view = Grid(7, 7), bytearray(49)
        for column in range(7):
            for row in range(7):
                code = draw.choice((0, 0, 0, 0, 1, 2, 3, 4, 26))
                view[7 * column + row] = code
                thing = {0: None, 1: Wall(), 26: Ball()}.get(code, Door("red", code == 2, code == 4))
                grid.set(column, row, thing)
        expected = grid.process_vis((3, 6))
        seen = text.visible(bytes(view))
        ours = np.array([[seen[row] >> column & 1 for row in range(7)] for column in range(7)], dtype=bool)
        assert (ours == expected).all()
