"""The mixed local level: what its five tasks promise, over many draws."""

from __future__ import annotations

import pytest
from babyai_pictures import world

from agentgym.envs.babyai import mixed, tasks
from agentgym.envs.babyai.mission import Desc, Leaf, Seq
from agentgym.envs.babyai.state import objects, targets
from agentgym.rng import TurnRng

DRAWS = 60


def drawn(task, **options):
    return [mixed.draw(task, TurnRng(seed), **options) for seed in range(DRAWS)]


@pytest.mark.parametrize(
    ("task", "things", "limit"),
    # 64 steps x rooms x walks: one room and one walk, one room and two walks, two rooms and one walk.
    [("goto", 9, 64), ("pickup", 9, 64), ("putnext", 10, 128), ("pick_up_seq_go_to", 10, 128), ("open", 9, 128)],
)
def test_every_draw_keeps_the_tasks_rules(task, things, limit):
    states = drawn(task)
    for state in states:
        portable = [o for o in objects(state) if o.type != "door"]
        assert (len(portable), state.level.max_steps, state.carry) == (things, limit, 0)
        assert not any(words in state.level.mission for words in mixed.HELD_OUT)
        assert all(targets(state, leaf) for leaf in state.level.leaf)
        assert mixed.all_reachable(state)
        assert len({o.cell for o in objects(state)} | {state.pos}) == len(list(objects(state))) + 1
    assert len({state.canonical() for state in states}) == DRAWS


@pytest.mark.parametrize("task", mixed.TASKS)
def test_the_held_out_level_speaks_of_held_out_combinations_only(task):
    for state in drawn(task, held_out=True):
        assert any(words in state.level.mission for words in mixed.HELD_OUT), state.level.mission


@pytest.mark.parametrize(
    ("task", "things"), [("goto", 1), ("pickup", 1), ("putnext", 2), ("pick_up_seq_go_to", 2), ("open", 1)]
)
def test_without_distractors_only_the_missions_objects_are_left(task, things):
    for state in drawn(task, num_dists=0):
        assert sum(o.type != "door" for o in objects(state)) == things


def test_open_has_a_locked_door_between_two_rooms_and_its_key_beside_the_agent():
    sides, named = set(), 0
    for state in drawn("open"):
        level = state.level
        door = next(o for o in objects(state) if o.type == "door")
        assert (level.width, level.height, level.xy(door.cell)[0], door.state) == (15, 8, 7, "locked")
        assert door.color not in ("red", "grey")
        side = state.xy[0] < 7
        assert any(o.type == "key" and o.color == door.color for o in objects(state))
        assert all((level.xy(o.cell)[0] < 7) == side for o in objects(state) if o.type != "door")
        assert state.cells[state.front] in (0, 1)
        sides.add(side)
        named += door.color in level.mission
        assert level.mission in ("open the door", f"open the {door.color} door")
    assert sides == {True, False}
    assert 0.3 < named / DRAWS < 0.7


def test_sequences_come_in_both_orders_and_put_next_never_repeats_its_words():
    orders = [state.level.mission_tree.order for state in drawn("pick_up_seq_go_to")]
    assert 0.3 < orders.count("before") / DRAWS < 0.7
    for state in drawn("putnext"):
        (leaf,) = state.level.leaf
        assert (leaf.desc.type, leaf.desc.color) != (leaf.fixed.type, leaf.fixed.color)


def test_the_same_object_is_never_asked_for_twice_in_a_sequence():
    for state in drawn("pick_up_seq_go_to", num_dists=1):
        a, b = state.level.leaf
        if (a.desc.type, a.desc.color) == (b.desc.type, b.desc.color):
            assert a.desc.plural


def test_draws_decide_everything():
    assert mixed.draw("putnext", TurnRng(3)) == mixed.draw("putnext", TurnRng(3))
    assert mixed.draw("putnext", TurnRng(3)) != mixed.draw("putnext", TurnRng(4))


def test_unknown_task_and_impossible_numbers_are_refused():
    with pytest.raises(ValueError, match="unknown mixed local task 'go_to'; did you mean 'goto'"):
        mixed.draw("go_to", TurnRng(0))
    for number in (13, -1, "3", None, 2.0, True):
        with pytest.raises(ValueError, match=f"num_dists is {number!r}: give an integer from 0 to 12"):
            mixed.draw("goto", TurnRng(0), num_dists=number)


def test_all_reachable_sees_what_is_boxed_in():
    open_way = """
    ## ## ## ## ##
    ## .. Bb Kr ##
    ## .. .. .. ##
    ## ## ## ## ##
    """
    blocked = open_way.replace("## .. .. .. ##", "## .. Bb ## ##")
    assert mixed.all_reachable(world(open_way, (1, 1, 0), room_size=4))
    # The key's only neighbours are the ball and walls.
    assert not mixed.all_reachable(world(blocked, (1, 1, 0), room_size=4))


def test_put_next_of_touching_objects_is_no_work():
    touching = """
    ## ## ## ## ##
    ## .. Bb Kr ##
    ## .. .. .. ##
    ## ## ## ## ##
    """
    apart = """
    ## ## ## ## ##
    ## .. Bb .. ##
    ## .. .. Kr ##
    ## ## ## ## ##
    """
    tree = Leaf("put next", Desc("ball"), Desc("key"))
    assert not mixed._is_work(world(touching, (1, 1, 0), tree, room_size=4))
    assert mixed._is_work(world(apart, (1, 1, 0), tree, room_size=4))
    assert not mixed._is_work(world(apart, (1, 1, 0), Leaf("put next", Desc("ball"), Desc("ball")), room_size=4))
    assert mixed._is_work(world(apart, (1, 1, 0), Seq("and", Leaf("go to", Desc("ball")), tree), room_size=4))


@pytest.mark.parametrize("task", mixed.TASKS)
def test_the_most_distractors_are_placed_far_within_the_tries(task, monkeypatch):
    monkeypatch.setattr(mixed, "MOST_TRIES", mixed.MOST_TRIES // 4)
    for seed in range(4):
        state = mixed.draw(task, TurnRng(seed), num_dists=mixed.MOST_DISTS)
        assert mixed.all_reachable(state)
        # The mission's own come on top: two for "put next" and the sequence, one (for "open" the key) else.
        own = 2 if task in ("putnext", "pick_up_seq_go_to") else 1
        assert sum(o.type != "door" for o in objects(state)) == mixed.MOST_DISTS + own


def test_a_world_that_no_draw_makes_is_given_up(monkeypatch):
    monkeypatch.setattr(mixed, "all_reachable", lambda state: False)
    monkeypatch.setattr(mixed, "MOST_TRIES", 3)
    with pytest.raises(ValueError, match="no world of 'putnext' with num_dists 4 in 3 draws: choose another seed"):
        mixed.draw("putnext", TurnRng(0), num_dists=4)
    with pytest.raises(ValueError, match=r"^task 'x': seed 77: no world of 'putnext' with num_dists 4 in 3 draws"):
        tasks.first_state({"level": "putnext", "seed": 77, "num_dists": 4}, "task 'x'")
