import numpy as np
import pytest

from agentgym.baselines.claims.grid import Grid, cells, clean, fragmented, merged, moved
from agentgym.baselines.policies import ExpertPolicy, RandomPolicy
from agentgym.check import check
from agentgym.rollout import collect


@pytest.fixture(scope="module")
def batch():
    return collect(Grid(), RandomPolicy(), tasks=["way-0", "way-3"], group_size=3, seed=5)


def test_walls_stop_a_move():
    assert moved((0, 3), "up") == (0, 3)
    assert moved((5, 5), "right") == (5, 5)
    assert moved((2, 3), "left") == (2, 2)


def test_the_expert_walks_the_shortest_way():
    played = collect(Grid(), ExpertPolicy(), tasks=["way-0", "way-4"], group_size=1, seed=0)
    # (0, 0) to (5, 5) is ten moves, (5, 2) to (0, 2) five.
    assert played.lengths.tolist() == [10, 5]
    assert played.success.all()


def test_the_world_keeps_its_promises():
    rules = ("deterministic", "hash", "futures", "fork", "menu", "expert", "info")
    assert check(Grid(), tasks=2, rules=rules).broken == []


def test_cells_follow_each_other(batch):
    before, after = cells(batch)
    for row in np.flatnonzero(~batch.last):
        following = [n for n in range(len(batch)) if batch.rollout[n] == batch.rollout[row]]
        later = next(n for n in following if batch.turn[n] == batch.turn[row] + 1)
        assert before[later] == after[row]


def test_clean_names_are_the_states(batch):
    named = clean(batch)
    pairs = set(zip(batch.task, batch.state, named.anchor, strict=True))
    assert len({pair[:2] for pair in pairs}) == len({(pair[0], pair[2]) for pair in pairs}) == len(pairs)


def test_merged_names_hold_four_cells(batch):
    before, _ = cells(batch)
    named = merged(batch)
    assert [f"{row // 2} {column // 2}" for row, column in before] == named.anchor.tolist()


def test_fragmented_names_are_private_for_a_share_of_the_visits(batch):
    named = fragmented(clean(batch), share=0.5)
    private = np.array([str(name).startswith("alone") for name in named.anchor])
    assert 0.3 < private.mean() < 0.7
    assert len(set(named.anchor[private])) == private.sum()
    assert (named.anchor[~private] == clean(batch).anchor[~private]).all()
    assert fragmented(clean(batch), share=0.0) == clean(batch)


def test_rows_lead_to_the_name_of_the_next_row(batch):
    named = fragmented(clean(batch))
    for row in np.flatnonzero(~batch.last):
        later = [n for n in np.flatnonzero(batch.rollout == batch.rollout[row]) if batch.turn[n] == batch.turn[row] + 1]
        assert named.next_state[row] == named.anchor[later[0]]
