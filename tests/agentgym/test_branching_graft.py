"""collect(branching=Graft()): rollouts that go on from the better way of a divergence, and the pairs."""

import numpy as np
import pytest

from agentgym import BatchError, collect, credit
from agentgym.branching import Graft, Pair, grafting_pairs
from agentgym.fidelity import true_advantages
from tests.agentgym.fidelity_worlds import Corridor, Slippery, Tilted
from tests.agentgym.test_branching_slate import Broken, Counting, Script


def test_a_divergence_by_hand():
    # Rollout 0: right, right (goal, 1 + 0.2). Rollout 1: left (pit, -0.1). They diverge at the root: Q of place 2 is
    # 0.99·1.2, of the pit -0.1. The graft keeps rollout 0's first right and says wait, left: time is up at 1, 0.
    policy = Script("right", "left", "right", "wait", "left")
    seen = []
    batch = collect(
        Corridor, policy, tasks=["one"], group_size=2, seed=7, branching=Graft(),
        progress=lambda *counts: seen.append(counts),
    )  # fmt: skip
    assert list(batch.trajectory) == ["one#7/0"] * 2 + ["one#7/1"] + ["one#7/2"] * 3
    assert list(batch.action) == ["right", "right", "left", "right", "wait", "left"]
    assert batch.turn.tolist() == [0, 1, 0, 0, 1, 2]
    assert batch.outcome_reward.tolist() == [0, 1, 0, 0, 0, 0]
    assert batch.truncated.tolist() == [False] * 5 + [True]
    assert len(set(batch.group)) == 1
    pair = {"better": ["one#7/0", 0], "worse": ["one#7/1", 0], "gap": 0.99 * 1.2 + 0.1, "grafts": ["one#7/2"]}
    [found] = batch.meta["branching"]["pairs"]
    assert found == {**pair, "group": "one#7", "gap": pytest.approx(pair["gap"])}
    assert batch.meta["branching"] == {"scheme": "graft", "n": 1, "steps": 2, "pairs": [found]}
    assert grafting_pairs(batch) == (Pair(0, 2, found["gap"]),)
    assert seen == [(1, 2), (2, 2), (3, 3)]


def test_several_grafts_draw_apart_and_a_way_that_ends_has_none():
    batch = collect(Corridor, Tilted(0.5), group_size=6, seed=3, branching=Graft(n=4))
    pairs = batch.meta["branching"]["pairs"]
    assert all(len(pair["grafts"]) in (0, 4) for pair in pairs)
    grown = next(pair["grafts"] for pair in pairs if pair["grafts"])
    played = {tuple(batch.action[batch.trajectory == name]) for name in grown}
    assert len(played) > 1
    turns = sum(int((batch.trajectory == name).sum()) for pair in pairs for name in pair["grafts"])
    kept = sum(pair["better"][1] + 1 for pair in pairs for _ in pair["grafts"])
    assert batch.meta["branching"]["steps"] == turns - kept
    for pair in pairs:
        better = batch.trajectory == pair["better"][0]
        for name in pair["grafts"]:
            until = pair["better"][1] + 1
            assert list(batch.action[batch.trajectory == name])[:until] == list(batch.action[better])[:until]
    for pair in grafting_pairs(batch):  # both were taken in one state, and led apart
        assert batch.state[pair.better] == batch.state[pair.worse]
        assert batch.next_state[pair.better] != batch.next_state[pair.worse]


def test_the_first_rollouts_are_those_of_collect_and_all_can_be_replayed():
    plain = collect(Slippery, Tilted(), group_size=4, seed=3, noise="own")
    batch = collect(Slippery, Tilted(), group_size=4, seed=3, noise="own", branching=Graft(n=2))
    first = [row for row, name in enumerate(batch.trajectory) if int(name.rpartition("/")[2]) < 4]
    assert batch.select(first).to_rows() == plain.to_rows()
    assert batch.num_rollouts > plain.num_rollouts
    assert len(true_advantages(batch, Tilted(), env=Slippery())) == len(batch)  # which checks every state
    assert np.isfinite(credit.tstar(batch).total).all()
    none = collect(Slippery, Tilted(), group_size=4, seed=3, noise="own", branching=Graft(n=0))
    assert none.to_rows() == plain.to_rows()
    assert [pair["better"] for pair in none.meta["branching"]["pairs"]] == [
        pair["better"] for pair in batch.meta["branching"]["pairs"]
    ]


@pytest.mark.parametrize("max_live", [1, 3])
def test_the_record_does_not_depend_on_how_many_play_at_once(max_live):
    whole = collect(Slippery, Tilted(), group_size=4, seed=3, branching=Graft(n=2))
    assert collect(Slippery, Tilted(), group_size=4, seed=3, branching=Graft(n=2), max_live=max_live) == whole
    alone = collect(Slippery, Tilted(), tasks=["two"], group_size=4, seed=4, branching=Graft(n=2))
    assert whole.select([row for row, task in enumerate(whole.task) if task == "two"]).to_rows() == alone.to_rows()


def test_no_log(tmp_path):
    with pytest.raises(ValueError, match="and Graft makes others of them: leave log= out"):
        collect(Slippery, Tilted(), branching=Graft(), log=tmp_path / "log.jsonl")


def test_a_policy_with_a_memory_goes_on_from_what_it_remembered():
    class Moody(Counting):
        """Says right first, or left in every second rollout that starts; then by its count."""

        def __call__(self, views):
            replies = super().__call__(views)
            begins = [view.turn == 0 and view.rng.random() < 0.5 for view in views]
            return ["left" if left else reply for left, reply in zip(begins, replies, strict=True)]

    batch = collect(Corridor, Moody(), tasks=["one"], group_size=6, seed=1, branching=Graft(n=1, threshold=0.1))
    [pair] = batch.meta["branching"]["pairs"]
    # The better way is right, to place 2; from there the memory, one reply old, says left, right.
    assert list(batch.action[batch.trajectory == pair["grafts"][0]]) == ["right", "left", "right"]


def test_no_rollouts_no_pairs():
    batch = collect(Broken, Script("break"), tasks=["one"], group_size=1, branching=Graft(), max_lost=1.0)
    assert len(batch) == 0 and grafting_pairs(batch) == ()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": -1}, "n must be"),
        ({"n": 1.0}, "n must be"),
        ({"threshold": -1.0}, "divergence_threshold"),
        ({"threshold": "x"}, "threshold must be a number, not 'x'"),
        ({"gamma": None}, "gamma must be a number, not None"),
        ({"gamma": 2.0}, "gamma must lie"),
        ({"rewards": "outcomes"}, "of rewards"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        Graft(**arguments)


def test_pairs_of_other_batches_are_refused():
    batch = collect(Corridor, Tilted(0.5), group_size=6, seed=3, branching=Graft())
    with pytest.raises(BatchError, match=r"takes what collect\(branching=Graft\(\)\) returned"):
        grafting_pairs(collect(Corridor, Tilted(), group_size=2))
    for other in ({"scheme": "graft"}, None, "x"):
        with pytest.raises(BatchError, match="this batch has no pairs"):
            grafting_pairs(batch.with_meta(branching=other))
    worse = batch.meta["branching"]["pairs"][0]["worse"][0]
    with pytest.raises(BatchError, match=r"a turn of the pair .* is not in this batch"):
        grafting_pairs(batch.select(batch.trajectory != worse))
