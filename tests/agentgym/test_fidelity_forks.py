"""Forks against the tree and against values by hand; policies with a memory."""

import numpy as np
import pytest

from agentgym.fidelity import FidelityError, forks, true_advantages
from agentgym.rollout import Reply, collect
from tests.agentgym.fidelity_worlds import Corridor, Slippery, Tilted


@pytest.mark.parametrize("world", [Corridor, Slippery])
@pytest.mark.parametrize("objective", ["outcome", "total"])
def test_tree_and_forks_agree_within_three_standard_errors(world, objective: str) -> None:
    batch = collect(world, Tilted(), group_size=3, seed=3, noise="own")
    options = {"env": world(), "objective": objective, "gamma": 0.9}
    tree = true_advantages(batch, Tilted(), method="tree", chance=512, **options)
    found = true_advantages(batch, Tilted(), method="forks", continuations=150, **options)
    for name in ("value", "q", "advantage"):
        apart = np.abs(getattr(tree, name) - getattr(found, name))
        assert (apart <= 3 * np.hypot(tree.stderr, found.stderr) + 1e-9).all(), name
    assert found.method == "forks"
    assert found.nodes > 300
    assert 0.9 < found.ceiling < 1.0


def test_equal_moments_share_their_continuations() -> None:
    batch = collect(Corridor, Tilted(), group_size=8, tasks=["one"])
    truth = true_advantages(batch, Tilted(), env=Corridor(), method="forks", continuations=16)
    first = np.flatnonzero(batch.turn == 0)
    assert len(set(truth.value[first].tolist())) == 1
    # By hand: before acting at most places 1, 2, 1 at turns 0, 1, 2; with either action at most six more.
    moments = int(truth.note.split()[-2])
    assert moments <= 9


def test_forks_depend_on_the_seed_alone_and_not_on_the_crowd(monkeypatch) -> None:
    batch = collect(Slippery, Tilted(), group_size=3, seed=1)
    options = {"env": Slippery(), "method": "forks", "continuations": 8}
    plain = true_advantages(batch, Tilted(), **options)
    assert plain.advantage.tolist() != true_advantages(batch, Tilted(), seed=5, **options).advantage.tolist()
    monkeypatch.setattr(forks, "MAX_LIVE", 3)
    assert plain.advantage.tolist() == true_advantages(batch, Tilted(), **options).advantage.tolist()


def test_the_standard_error_is_that_of_the_mean_of_the_continuations() -> None:
    # Task two, one turn: V is the mean of 0/1 draws with p = 2/3, Q is certain: stderr = sqrt(p(1-p)/(K-1)).
    batch = collect(Corridor, Tilted(), group_size=1, tasks=["two"], env_kwargs={"max_turns": 1})
    truth = true_advantages(batch, Tilted(), env=Corridor(), method="forks", continuations=100)
    share = truth.value[0]
    assert truth.stderr[0] == pytest.approx(np.sqrt(share * (1 - share) / 99))


# ---- policies with a memory ------------------------------------------------------------------------------------------


class Alternating:
    """Says right, left, right …, counting its own replies; knows nothing of the turn."""

    signals = ()
    markov = False

    def __init__(self) -> None:
        self.said = 0

    def __call__(self, views):
        replies = []
        for _ in views:
            replies.append(Reply("left" if self.said % 2 else "right"))
            self.said += 1
        return replies


class Restorable(Alternating):
    def snapshot(self):
        return self.said

    def restore(self, moment) -> None:
        self.said = moment


def test_a_policy_with_history_that_cannot_be_restored_is_refused() -> None:
    batch = collect(Corridor, Tilted(), group_size=2)
    with pytest.raises(FidelityError, match=r"Alternating depends on history .* snapshot\(\) and restore\(moment\)"):
        true_advantages(batch, Alternating(), env=Corridor())


def test_a_restored_policy_remembers_what_it_had_said_at_each_moment() -> None:
    # Recorded by a walker that went right, left, right … from 1: places 1, 2, 1, then time is up at 2 (a half).
    policy = Restorable()
    batch = collect(Corridor, policy, group_size=1, tasks=["one"])
    assert batch.action.tolist() == ["right", "left", "right"]
    policy.restore(0)
    truth = true_advantages(batch, policy, env=Corridor(), continuations=4)
    assert truth.method == "forks"
    assert truth.value.tolist() == [0.5, 0.5, 0.5]  # V goes on with the memory of the moment
    assert truth.q.tolist() == [0.5, 0.5, 0.5]
    assert truth.advantage.tolist() == [0.0, 0.0, 0.0]
    # Had it not counted its replies, V at turn 1 (place 2) would be 1: a first "right" ends at the goal.


class ReadsMessages:
    """Goes right if it has spoken an even number of times, judged by the messages alone."""

    signals = ()
    markov = False

    def __init__(self, honest: bool = True) -> None:
        self.honest = honest
        self.calls = 0

    def __call__(self, views):
        self.calls += 1
        said = [sum(message["role"] == "assistant" for message in view.messages) for view in views]
        return ["left" if count % 2 else "right" for count in said]

    def snapshot(self):
        return None if self.honest or not self.calls else self.calls

    def restore(self, moment) -> None:
        raise AssertionError("nothing to restore")


def test_messages_of_a_moment_are_seen_by_its_continuations() -> None:
    policy = ReadsMessages()
    batch = collect(Corridor, policy, group_size=2, tasks=["one"])
    truth = true_advantages(batch, policy, env=Corridor(), continuations=4)
    assert truth.value.tolist() == [0.5] * len(batch)
    assert truth.q.tolist() == [0.5] * len(batch)


class Vandal(ReadsMessages):
    """Says what ReadsMessages says, then spoils all it was shown."""

    def __call__(self, views):
        said = super().__call__(views)
        for view in views:
            for message in view.messages:
                message["role"] = "user"
            view.messages.clear()
            view.info["messages"].clear()
            with pytest.raises(TypeError):
                view.info["turn"] = 7
        return said


def test_what_a_policy_does_to_its_view_reaches_no_other_continuation() -> None:
    # The dicts are the continuation's own: it forgets what it said before its last turn. So it goes right at first, or
    # after an even number of recorded turns, and left ever after. From 1: right, left, left, the pit. From 2 at turn 1:
    # left, left, the pit. From 1 at turn 2: right, time up at 2, a half. After "left" at turn 1 that is what comes.
    batch = collect(Corridor, ReadsMessages(), group_size=1, tasks=["one"])
    assert batch.action.tolist() == ["right", "left", "right"]
    truth = true_advantages(batch, Vandal(), env=Corridor(), continuations=4)
    assert truth.value.tolist() == [0.0, 0.0, 0.5]
    assert truth.q.tolist() == [0.0, 0.5, 0.5]


def test_a_snapshot_that_begins_with_none_and_changes_is_refused() -> None:
    batch = collect(Corridor, ReadsMessages(), group_size=1, tasks=["one"])
    with pytest.raises(FidelityError, match="None means that the policy remembers nothing"):
        true_advantages(batch, ReadsMessages(honest=False), env=Corridor(), continuations=2)


# ---- caller errors and progress --------------------------------------------------------------------------------------


def test_too_few_replies_and_progress() -> None:
    class Short(Tilted):
        def __call__(self, views):
            return super().__call__(views)[1:]

    batch = collect(Corridor, Tilted(), group_size=2)
    with pytest.raises(FidelityError, match="return one a view"):
        true_advantages(batch, Short(), env=Corridor(), method="forks")
    told = []
    options = {"env": Corridor(), "method": "forks", "continuations": 2}
    true_advantages(batch, Tilted(), progress=lambda done, total: told.append((done, total)), **options)
    assert told[-1][0] == told[-1][1] == len(told)
