"""Walks and sets of cells, counted by hand and beside a plain search over poses."""

from __future__ import annotations

import random

import pytest

from agentgym.envs.babyai.distance import Walks, around, bits, cells_of, facing, spread, table

WIDTH = 6
DELTA = (1, WIDTH, -1, -WIDTH)


def cell(x: int, y: int) -> int:
    return y * WIDTH + x


def cells(*places: tuple[int, int]) -> int:
    return sum(1 << cell(x, y) for x, y in places)


def test_sets_of_cells():
    assert list(bits(cells((1, 0), (2, 3)))) == [1, 20]
    assert cells_of(bytes([0, 7, 0, 7]), table(frozenset((7,)))) == 0b1010
    assert around(cells((2, 2)), WIDTH) == cells((1, 2), (3, 2), (2, 1), (2, 3))


def test_facing_names_the_pose_for_each_heading():
    # To look at (2, 2): from the left looking right, from above looking down, from the right, from below.
    assert facing(cells((2, 2)), WIDTH) == (cells((1, 2)), cells((2, 1)), cells((3, 2)), cells((2, 3)))


def test_spread_stays_inside():
    row = cells((1, 1), (2, 1), (3, 1))
    assert spread(cells((1, 1)), row, WIDTH) == row
    assert spread(cells((1, 1)), row & ~cells((2, 1)), WIDTH) == cells((1, 1))


def test_a_shut_door_costs_one_toggle():
    # Cells 1 to 4 of a row, a door in 3: step to 2 (1), toggle and step (3), step to 4 (4).
    walks = Walks(WIDTH, cells((1, 1), (2, 1), (4, 1)), cells((3, 1)), cell(1, 1), 0)
    spot = walks.nearest((cells((4, 1)), 0, 0, 0))
    assert spot == (4, cell(4, 1), 0)
    assert walks.path(*spot) == [2, 5, 2, 2]


def test_turning_round_takes_two_turns():
    walks = Walks(WIDTH, cells((1, 1), (2, 1)), 0, cell(2, 1), 0)
    spot = walks.nearest((0, 0, cells((1, 1)), 0))
    assert spot is not None
    assert spot[0] == 3
    assert walks.path(*spot)[-1] == 2


def test_what_cannot_be_reached_is_none():
    walks = Walks(WIDTH, cells((1, 1), (3, 1)), 0, cell(1, 1), 0)
    assert walks.nearest((cells((3, 1)),) * 4) is None
    assert walks.reached == cells((1, 1))


def plain_search(free: int, shut: int, start: tuple[int, int]) -> dict[tuple[int, int], int]:
    """Dijkstra's search over poses with a list instead of sets of bits."""
    cost = {start: 0}
    todo = [start]
    while todo:
        todo.sort(key=cost.__getitem__)
        at, heading = pose = todo.pop(0)
        ahead = at + DELTA[heading]
        moves = [((at, (heading + 1) % 4), 1), ((at, (heading - 1) % 4), 1)]
        if free >> ahead & 1 or shut >> ahead & 1:
            moves.append(((ahead, heading), 1 + (shut >> ahead & 1)))
        for target, price in moves:
            if cost[pose] + price < cost.get(target, 10**6):
                cost[target] = cost[pose] + price
                todo.append(target)
    return cost


@pytest.mark.parametrize("seed", range(30))
def test_walks_agree_with_a_plain_search(seed):
    draw = random.Random(seed)
    inner = [cell(x, y) for x in range(1, 5) for y in range(1, 5)]
    open_cells = [at for at in inner if draw.random() < 0.75] or inner
    doors = [at for at in open_cells if draw.random() < 0.2]
    shut = sum(1 << at for at in doors)
    free = sum(1 << at for at in open_cells) & ~shut
    start = draw.choice([at for at in open_cells if at not in doors] or [inner[0]])
    heading = draw.randrange(4)
    expected = plain_search(free, shut, (start, heading))
    walks = Walks(WIDTH, free, shut, start, heading).finish()
    found = {
        (at, turned): level
        for level, poses in enumerate(walks.levels)
        for turned, here in enumerate(poses)
        for at in bits(here)
    }
    assert found == expected
    for (at, turned), level in found.items():
        path = walks.path(level, at, turned)
        assert len(path) == level
        assert play(path, start, heading, free, shut) == (at, turned)


def play(path: list[int], at: int, heading: int, free: int, shut: int) -> tuple[int, int]:
    for action in path:
        ahead = at + DELTA[heading]
        if action == 2:
            assert free >> ahead & 1, "walks into something"
            at = ahead
        elif action == 5:
            assert shut >> ahead & 1, "toggles something that is no shut door"
            free, shut = free | 1 << ahead, shut & ~(1 << ahead)
        else:
            heading = (heading + (1 if action == 1 else -1)) % 4
    return at, heading
