"""Infrastructure errors: the transition is drawn again, by tree and forks alike, and no failure counts as a value."""

import numpy as np
import pytest

from agentgym import AgentEnv, AgentGymError, EndReason, Opening, Outcome, Task
from agentgym.baselines.policies import RandomPolicy
from agentgym.fidelity import FidelityError, true_advantages
from agentgym.rollout import Reply, collect
from agentgym.turn import Turn
from tests.agentgym.fidelity_worlds import Corridor, Tilted

FAILED = Outcome(False, 0.0, EndReason.INFRA_ERROR)


class Shaky(AgentEnv[int]):
    """ "win" succeeds, "wait" goes on; four turns, then 0. Any turn may fail by chance."""

    panel = (Task("t"),)
    max_turns = 4
    chance = 0.15

    def initial(self, task, rng):
        return Opening(0, "win or wait?")

    def transition(self, state, action, rng):
        if rng.random() < self.chance:
            return Turn(state, "503", outcome=FAILED)
        return Turn(state + 1, "", outcome=Outcome(True, 1.0) if action.text == "win" else None)

    def menu(self, state):
        return ("win", "wait")


# Random choice, failures left out: from turn t it loses only by waiting 4 - t times, V_t = 1 - (1/2)^(4 - t);
# V_0 = 0.9375. Were whole continuations thrown away, a win at turn k would weigh (1/2 * 0.85)^k: V_0 = 0.956.
def test_forks_and_tree_ask_the_same_question() -> None:
    policy = RandomPolicy()
    batch = collect(Shaky, policy, group_size=4, seed=1, noise="own")
    tree = true_advantages(batch, policy, env=Shaky(), method="tree")
    hand = 1 - 0.5 ** (4.0 - batch.turn)
    assert tree.value.tolist() == pytest.approx(hand.tolist())  # every draw that did not fail is alike
    forks = true_advantages(batch, policy, env=Shaky(), method="forks", continuations=1600)
    value = np.sqrt(hand * (1 - hand) / 1600)  # standard error of a share
    assert (np.abs(forks.value - hand) <= 3 * value).all()
    assert batch.turn.max() > 0
    assert (3 * value[batch.turn == 0] < 0.956 - 0.9375).all()  # tight enough to tell the two apart
    assert (np.abs(forks.advantage - tree.advantage) <= 3 * forks.stderr + 1e-9).all()


def test_forks_with_failures_depend_on_the_seed_alone() -> None:
    batch = collect(Shaky, RandomPolicy(), group_size=2, noise="own")
    options = {"env": Shaky(), "method": "forks", "continuations": 50}
    first, again, other = (true_advantages(batch, RandomPolicy(), seed=seed, **options) for seed in (0, 0, 1))
    assert first.value.tolist() == again.value.tolist() != other.value.tolist()


class List(Shaky):
    """The same with a mutable state, which a failing turn leaves half changed; the episode as recorded never fails."""

    chance = 0.5

    def initial(self, task, rng):
        return Opening([], "win or wait?")

    def transition(self, state, action, rng):
        state.append("asked")
        if rng.branch and rng.random() < self.chance:
            return Turn(state, "503", outcome=FAILED)
        state[-1] = "done"
        return Turn(state, " ".join(state), outcome=Outcome(True, 1.0) if action.text == "win" else None)

    def timeout(self, state):
        return Outcome(False, 0.0 if state == ["done"] * 4 else 100.0, EndReason.TURN_LIMIT)

    def copy_state(self, state):
        return list(state)


class Recorded:
    """Waits for ever, counting its replies, and keeps what it was shown."""

    signals = ()
    markov = False

    def __init__(self) -> None:
        self.said = 0
        self.views = []

    def __call__(self, views):
        self.said += 1
        self.views += [(self.said, view.turn, [message["content"] for message in view.messages]) for view in views]
        return [Reply("wait") for _ in views]

    def snapshot(self):
        return self.said

    def restore(self, moment) -> None:
        self.said = moment


def test_a_turn_is_taken_again_from_the_very_moment() -> None:
    batch = collect(List, Recorded(), group_size=1)
    assert len(batch) == 4
    policy = Recorded()
    truth = true_advantages(batch, policy, env=List(), method="forks", continuations=20)
    assert truth.value.tolist() == [0.0] * 4  # four turns done and nothing else, or it would be 100
    assert truth.q.tolist() == [0.0] * 4
    assert truth.nodes > 1.5 * 20 * (4 + 3 + 2 + 1)  # about two tries a turn
    for said, turn, messages in policy.views:
        assert said == turn + 1  # asked once a turn, however often the turn was tried
        assert "503" not in messages
        assert messages.count("wait") == turn


class Flaky(Corridor):
    """The server fails every other time at place 2."""

    chance = 0.5

    def transition(self, state, action, rng):
        if state == 2 and rng.random() < self.chance:
            return Turn(state, "503", outcome=FAILED)
        return super().transition(state, action, rng)


class Dead(Flaky):
    chance = 1.0


def test_failures_never_count_as_zero_and_a_dead_server_is_named() -> None:
    batch = collect(Corridor, Tilted(), group_size=4, tasks=["two"], env_kwargs={"max_turns": 1})
    truth = true_advantages(batch, Tilted(right=1.0), env=Flaky(), method="forks", continuations=300, seed=2)
    assert truth.value.tolist() == [1.0] * 4
    with pytest.raises(FidelityError, match=r"turn 0 of a continuation from row 0 .* infrastructure error 32 times"):
        true_advantages(batch, Tilted(), env=Dead(), method="forks", continuations=2)
    with pytest.raises(AgentGymError, match="infrastructure error again and again"):
        true_advantages(batch, Tilted(), env=Dead(), method="tree")


class Outage(Corridor):
    """Fails the first three times it is asked, whatever the draws: a real server that comes back."""

    left = 3

    def transition(self, state, action, rng):
        if type(self).left > 0:
            type(self).left -= 1
            return Turn(state, "503", outcome=FAILED)
        return super().transition(state, action, rng)


@pytest.mark.parametrize("method", ["tree", "forks"])
def test_an_outage_that_ends_is_waited_for(method: str, monkeypatch) -> None:
    batch = collect(Corridor, Tilted(), group_size=4, tasks=["two"], env_kwargs={"max_turns": 1})
    rights = batch.action == "right"
    assert rights.any()
    env = Outage()
    monkeypatch.setattr(Outage, "left", 0 if method == "forks" else 3)  # forks replay the record first
    truth = true_advantages(batch, Tilted(right=1.0), env=env, method=method, continuations=4)
    assert truth.value.tolist() == [1.0] * 4
    assert truth.q[rights].tolist() == [1.0] * int(rights.sum())
