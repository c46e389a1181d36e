"""collect(branching=Slate()): every candidate a row, one of each prefix gone on from."""

import subprocess
import sys
from hashlib import sha256

import numpy as np
import pytest

from agentgym import (
    BatchError,
    EndReason,
    MissingColumn,
    Outcome,
    PolicyError,
    Turn,
    TurnBatch,
    acollect,
    collect,
    credit,
)
from agentgym.branching import Graft, Slate, Vine, unfold
from agentgym.fidelity import true_advantages
from agentgym.rollout import Reply, RolloutError, play_all
from tests.agentgym.fidelity_worlds import Corridor, Slippery, Tilted
from tests.layering import ROOT


class Script:
    """Says the next of its words whenever it is asked, in the order of the views."""

    signals = ()
    markov = True

    def __init__(self, *words):
        self.words, self.sizes = list(words), []

    def __call__(self, views):
        self.sizes.append(len(views))
        return [self.words.pop(0) for _ in views]


def test_a_line_by_hand():
    # From place 1: right (+0.1, to 2), left (-0.1, the pit), right. One of the rights is all but certain to be drawn at
    # eta 0.01: they lie 1.7 std above left. From 2: wait (0), wait, right (+0.1, the goal) is drawn, and ends the line.
    policy = Script("right", "left", "right", "wait", "wait", "right")
    batch = collect(Corridor, policy, tasks=["one"], group_size=1, seed=7, branching=Slate(k=3, eta=0.01))
    assert policy.sizes == [3, 3]
    chosen = next(name for name in batch.prefix if name != "one#7/0")
    assert chosen in ("one#7/0/0", "one#7/0/2")
    assert list(batch.group) == list(batch.prefix) == ["one#7/0"] * 3 + [chosen] * 3
    assert list(batch.trajectory) == [f"{name}/{j}" for name in ("one#7/0", chosen) for j in range(3)]
    assert batch.turn.tolist() == [0] * 6
    assert list(batch.action) == ["right", "left", "right", "wait", "wait", "right"]
    assert batch.turn_reward == pytest.approx([0.1, -0.1, 0.1, 0.0, 0.0, 0.1])
    assert batch.outcome_reward.tolist() == [0, 0, 0, 0, 0, 1]
    assert batch.terminated.tolist() == [False, True, False, False, False, True]
    assert batch.success.tolist() == [False] * 5 + [True]
    assert list(batch.end_reason) == ["", "failed", "", "", "", "solved"]
    assert len(set(batch.state[:3])) == 1 and batch.state[3] == batch.next_state[0] == batch.next_state[2]
    assert batch.meta["branching"] == {"scheme": "slate", "k": 3, "eta": 0.01}
    # Mean 1/30, distances 2/30, -4/30, 2/30 over the std √(24/900/2): 1/√3, -2/√3, 1/√3.
    assert credit.slate(batch, eps=0.0).total[:3] == pytest.approx(np.array([1, -2, 1]) / 3**0.5)


def test_the_next_prefix_is_drawn_with_the_recorded_probabilities():
    # right or left, evenly: A = ±1/√2 where they differ, so right is drawn with σ(√2 / 0.7) = 0.883.
    batch = collect(Slow, Tilted(0.5), group_size=600, tasks=["one"], branching=Slate(k=2), env_kwargs={"max_turns": 2})
    first = np.flatnonzero([name.count("/") == 1 for name in batch.prefix])
    prob = dict(zip(batch.trajectory[first], credit.slate(batch).diagnostics["select_prob"][first], strict=True))
    action = dict(zip(batch.trajectory[first], batch.action[first], strict=True))
    gone_on = {name for name in batch.prefix if name.count("/") == 2}
    mixed = [name for name in gone_on if {action[name[:-1] + "0"], action[name[:-1] + "1"]} == {"left", "right"}]
    right = np.array([action[name] == "right" for name in mixed])
    wanted = 1 / (1 + np.exp(-(2**0.5) / 0.7))
    assert [prob[name] for name in mixed if action[name] == "right"] == pytest.approx([wanted] * right.sum(), abs=1e-5)
    assert len(gone_on) == 600 and 200 < len(mixed) < 400
    assert abs(right.mean() - wanted) < 3.5 * np.sqrt(wanted * (1 - wanted) / len(mixed))


class Slow(Corridor):
    """Pays the direction, and ends by the limit alone."""

    def transition(self, state, action, rng):
        return Turn(state, "", {"progress": 1.0 if action.text == "right" else -1.0})


def test_candidates_have_draws_of_their_own_and_lines_too():
    batch = collect(Slow, Tilted(0.5), group_size=4, tasks=["one"], branching=Slate(k=8), env_kwargs={"max_turns": 3})
    per_prefix = {}
    for prefix, action in zip(batch.prefix, batch.action, strict=True):
        per_prefix.setdefault(prefix, []).append(action)
    assert len(per_prefix) == 12  # 4 lines of 3 turns
    assert all(len(set(actions)) == 2 for actions in per_prefix.values())
    assert len({tuple(actions) for actions in per_prefix.values()}) > 8


def collected(**more):
    options = {"tasks": ["one", "two"], "group_size": 3, "seed": 3, "branching": Slate(k=3)}
    return collect(Slippery, Tilted(), **{**options, **more})


@pytest.mark.parametrize("max_live", [1, 2, None])
def test_the_record_does_not_depend_on_how_many_play_at_once(max_live):
    assert collected(max_live=max_live) == collected()


def test_rows_do_not_depend_on_what_else_is_played():
    whole, alone = collected(), collected(tasks=["two"], seed=4)
    rows = [row for row, task in enumerate(whole.task) if task == "two"]
    assert whole.select(rows).to_rows() == alone.to_rows()
    assert collected(seed=5) != whole


def test_equal_bytes_under_another_hash_seed():
    code = (
        "from tests.agentgym.test_branching_slate import *\n"
        "for more in ({}, {'branching': Graft()}, {'branching': Vine()}):\n"
        "    print(digest(collected(**more)))"
    )
    there = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONHASHSEED": "4242"}, cwd=ROOT, capture_output=True, check=True
    ).stdout.decode()
    assert there.split() == [digest(collected(**more)) for more in ({}, {"branching": Graft()}, {"branching": Vine()})]


def digest(batch):
    return sha256(repr((batch.to_rows(), batch.meta)).encode()).hexdigest()


def test_progress_counts_lines():
    seen = []
    collected(progress=lambda *counts: seen.append(counts), max_live=2)
    assert seen[-1] == (6, 6)
    assert [count for count, _ in seen] == sorted(count for count, _ in seen)


class Broken(Slow):
    """A word breaks the infrastructure, another one the world."""

    def transition(self, state, action, rng):
        if action.text == "break":
            return Turn(state, "", outcome=Outcome(False, 0.0, EndReason.INFRA_ERROR, "gone"))
        if action.text == "raise":
            raise RuntimeError("no")
        return super().transition(state, action, rng)


def test_candidates_lost_to_the_infrastructure_are_left_out():
    policy = Script("break", "right", "break", "break")
    arguments = {"tasks": ["one"], "group_size": 1, "branching": Slate(k=2), "env_kwargs": {"max_turns": 3}}
    batch = collect(Broken, policy, **arguments, max_lost=1.0)
    # Turn 0: right alone is left and gone on from; turn 1: both are lost, and the line is over.
    assert list(batch.trajectory) == ["one#0/0/1"]
    assert batch.meta["infra_errors"] == 3
    with pytest.raises(RolloutError, match="3 of 4 rollouts ended with an infrastructure error"):
        collect(Broken, Script("break", "right", "break", "break"), **arguments)


def test_a_policy_that_fails_leaves_the_candidates_so_far():
    with pytest.raises(PolicyError, match="pop from empty list") as caught:
        collect(Slow, Script("right", "left"), tasks=["one"], group_size=1, branching=Slate(k=2))
    assert list(caught.value.batch.prefix) == ["one#0/0"] * 2
    with pytest.raises(PolicyError) as caught:
        collect(Slow, Script(), tasks=["one"], group_size=1, branching=Slate(k=2))
    assert caught.value.batch is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"k": 0}, "k must be"),
        ({"k": True}, "k must be"),
        *(({"eta": eta}, "eta must be") for eta in (0.0, None, "x", True, float("nan"))),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        Slate(**arguments)


@pytest.mark.parametrize("given", [Slate, "slate", 3])
def test_what_is_no_scheme_is_refused(given):
    with pytest.raises(TypeError, match=r"branching must be a scheme such as agentgym.branching.Slate\(k=5\), not"):
        collected(branching=given)


def test_no_log_and_no_acollect(tmp_path):
    with pytest.raises(ValueError, match="and Slate makes others of them: leave log= out"):
        collected(log=tmp_path / "log.jsonl")
    assert not (tmp_path / "log.jsonl").exists()
    coroutine = acollect(Slippery, Tilted(), branching=Slate())
    with pytest.raises(ValueError, match="acollect does not play Slate"):
        coroutine.send(None)


# ---- a policy with a memory ------------------------------------------------------------------------------------------


class Counting:
    """Goes right, then left, then right …, by its own count of what it said in this rollout."""

    signals = ()
    markov = False

    def __init__(self):
        self.said = 0

    def __call__(self, views):
        replies = []
        for _ in views:
            replies.append(Reply("left" if self.said % 2 else "right"))
            self.said += 1
        return replies

    def snapshot(self):
        return self.said

    def restore(self, moment):
        self.said = moment


def test_candidates_of_one_prefix_share_the_memory_of_that_moment():
    batch = collect(Slow, Counting(), tasks=["one"], group_size=2, branching=Slate(k=3), env_kwargs={"max_turns": 3})
    turns = np.array([name.count("/") - 1 for name in batch.prefix])
    assert {(turn, action) for turn, action in zip(turns, batch.action, strict=True)} == {
        (0, "right"), (1, "left"), (2, "right")
    }  # fmt: skip


class Keeping(Counting):
    """The same by a list, which is its memory itself: snapshot and restore hand it over uncopied."""

    def __init__(self):
        self.words = []

    def __call__(self, views):
        replies = []
        for _ in views:
            replies.append(Reply("left" if len(self.words) % 2 else "right"))
            self.words.append(replies[-1].text)
        return replies

    def snapshot(self):
        return self.words

    def restore(self, moment):
        self.words = moment


@pytest.mark.parametrize("scheme", [Slate(k=3), Graft(n=2), Vine(k=2)])
def test_a_memory_that_the_policy_goes_on_changing_stays_with_its_rollout(scheme):
    kept, counted = (
        collect(Slow, policy, tasks=["one"], group_size=3, branching=scheme, env_kwargs={"max_turns": 3})
        for policy in (Keeping(), Counting())
    )
    assert kept == counted  # equal but for how they remember


class Own:
    """A scheme of someone else, without keeps_log."""

    def play(self, run):
        self.made = play_all(run)


def test_a_scheme_that_forgets_what_collect_needs_is_told(tmp_path):
    with pytest.raises(TypeError, match=r"Own\.play returned NoneType, not a TurnBatch"):
        collected(branching=Own())
    with pytest.raises(TypeError, match=r"Own does not say .* keeps_log = True or False"):
        collected(branching=Own(), log=tmp_path / "log.jsonl")
    assert not (tmp_path / "log.jsonl").exists()


def test_a_policy_with_history_that_cannot_be_restored_is_refused():
    with pytest.raises(ValueError, match=r"<lambda> depends on history .* so it cannot be branched"):
        collect(Slow, lambda views: ["right"] * len(views), branching=Slate())


def test_a_memory_that_began_as_none_is_refused():
    class Late(Counting):
        def snapshot(self):
            return self.said or None

    with pytest.raises(PolicyError, match=r"snapshot\(\) was None before the first turn and is not now"):
        collect(Slow, Late(), tasks=["one"], branching=Slate())


# ---- unfold ----------------------------------------------------------------------------------------------------------


def test_unfolded_candidates_end_whole_rollouts():
    policy = Script("right", "left", "right", "wait", "wait", "right")
    batch = collect(Corridor, policy, tasks=["one"], group_size=1, seed=7, branching=Slate(k=3, eta=0.01))
    whole = unfold(batch)
    assert list(whole.trajectory[whole.last]) == list(batch.trajectory)
    assert list(whole.action[whole.last]) == list(batch.action)
    assert whole.lengths.tolist() == [1, 1, 1, 2, 2, 2]
    assert set(whole.group) == {"one#7"}
    last = whole.rollout == 5
    assert list(whole.action[last]) == ["right", "right"] and whole.success[last].tolist() == [True, True]
    # With the turns of their prefixes they can be replayed: V(place 1, 3 turns left) of Tilted is by the tree.
    truth = true_advantages(whole, Tilted(), env=Corridor(), objective="total")
    assert truth.advantage[0] > 0 > truth.advantage[1]


def test_unfold_of_a_noisy_world_can_be_replayed_and_in_any_order():
    batch = collected()
    whole = unfold(batch)
    truth = true_advantages(whole, Tilted(), env=Slippery(), objective="total")
    assert len(truth.advantage[whole.last]) == len(batch)
    order = np.random.default_rng(0).permutation(len(batch))
    again = unfold(batch.select(order))
    assert list(again.trajectory[again.last]) == list(batch.trajectory[order])
    two = batch.select([row for row, task in enumerate(batch.task) if task == "two"])
    assert unfold(two).num_groups == 1


def test_unfold_refuses_other_batches():
    batch = collected()
    with pytest.raises(MissingColumn, match="unfold needs the column 'prefix'"):
        unfold(batch.without("prefix"))
    deepest = max(range(len(batch)), key=lambda row: batch.prefix[row].count("/"))
    with pytest.raises(BatchError, match=r"the turn that led to the prefix .* is not in this batch"):
        unfold(batch.select([deepest]))
    plain = collect(Slippery, Tilted(), tasks=["one"], group_size=2)
    with pytest.raises(BatchError, match="rollouts of one turn"):
        unfold(plain.with_columns(prefix=plain.state))


@pytest.mark.parametrize(
    ("prefix", "said"),
    [
        (["b", "a"], "leads back to itself"),  # a after b, b after a
        (["a", "b"], "leads back to itself"),  # each after itself
        ([7, 8], "the prefix 7 is no text"),
    ],
)
def test_unfold_refuses_prefixes_that_go_round_or_are_no_texts(prefix, said):
    columns = {"group": prefix, "trajectory": ["a", "b"], "turn": [0, 0], "prefix": prefix, "task": ["t"] * 2}
    batch = TurnBatch.from_columns({**columns, "seed": [0, 0]})
    with pytest.raises(BatchError, match=said):
        unfold(batch)
