"""The tree where the turn limit depends on the state, against values by hand and against forks."""

import pytest

from agentgym import AgentEnv, EndReason, Opening, Outcome, Task
from agentgym.baselines.policies import RandomPolicy
from agentgym.errors import WorldError
from agentgym.fidelity import TooManyNodes, true_advantages
from agentgym.rollout import Reply, collect
from agentgym.turn import Turn


class Far(AgentEnv[int]):
    """Saying "stop" succeeds anywhere; "far" leads from 0 to 1, then stays. Three turns at 0, six at 1; then 0."""

    panel = (Task("t"),)

    def initial(self, task, rng):
        return Opening(0, "far or stop?")

    def transition(self, state, action, rng):
        return Turn(1, "", outcome=Outcome(True, 1.0) if action.text == "stop" else None)

    def limit(self, state):
        return 3 if state == 0 else 6

    def menu(self, state):
        return ("far", "stop")


class Says:
    """Always says the same."""

    signals = ()
    markov = True

    def __init__(self, text: str) -> None:
        self.text = text

    def __call__(self, views):
        return [Reply(self.text) for _ in views]


# Random choice fails only if it says "far" on all turns. From 0 at turn 0: six turns in all, for the first "far" leads
# to 1, where the limit is 6: V = 1 - (1/2)^6 = 63/64. From 1 at turn t: V = 1 - (1/2)^(6 - t).
@pytest.mark.parametrize("stationary", [True, False])
def test_the_tree_follows_states_that_leave_more_time_than_those_of_the_rows(stationary: bool) -> None:
    policy = RandomPolicy()
    policy.stationary = stationary
    batch = collect(Far, Says("stop"), group_size=3)
    assert len(batch) == 3
    truth = true_advantages(batch, policy, env=Far(), method="tree")
    assert truth.value.tolist() == pytest.approx([63 / 64] * 3)
    assert truth.q.tolist() == [1.0] * 3
    assert truth.nodes == 6  # 0 at turn 0, 1 at turns 1 to 5


def test_the_forks_agree() -> None:
    batch = collect(Far, Says("stop"), group_size=1)
    truth = true_advantages(batch, RandomPolicy(), env=Far(), method="forks", continuations=2000)
    assert abs(truth.value[0] - 63 / 64) <= 3 * truth.stderr[0]
    assert truth.q.tolist() == [1.0]


def test_rows_in_both_kinds_of_state_have_the_values_by_hand() -> None:
    batch = collect(Far, Says("far"), group_size=1)
    assert batch.turn.tolist() == [0, 1, 2, 3, 4, 5]
    truth = true_advantages(batch, RandomPolicy(), env=Far(), method="tree", gamma=1.0)
    hand = [1 - 0.5 ** (6 - turn) for turn in range(6)]
    assert truth.value.tolist() == pytest.approx(hand)
    assert truth.q.tolist() == pytest.approx([*hand[1:], 0.0])


class Wall(Far):
    """Time at 1 is up after one turn, less than at 0."""

    def limit(self, state):
        return 3 if state == 0 else 1

    def timeout(self, state):
        return Outcome(False, 0.25, EndReason.TURN_LIMIT)


def test_a_shorter_limit_ahead_cuts_at_once() -> None:
    # "far" leads to 1 with one turn taken: time is up, a quarter. V = (1 + 1/4) / 2 = 5/8, and one node is all.
    batch = collect(Wall, Says("far"), group_size=2)
    truth = true_advantages(batch, RandomPolicy(), env=Wall(), method="tree")
    assert truth.value.tolist() == pytest.approx([5 / 8] * 2)
    assert truth.q.tolist() == pytest.approx([1 / 4] * 2)
    assert truth.nodes == 1


class Drift(Far):
    """By chance 1/2 "far" stays at 0, so that each level holds states of both limits."""

    def transition(self, state, action, rng):
        if action.text == "stop":
            return Turn(state, "", outcome=Outcome(True, 1.0))
        return Turn(1 if state == 1 or rng.random() < 0.5 else 0, "")


def test_limits_met_by_chance_count_too() -> None:
    # w_t: value at 1 = 1 - (1/2)^(6 - t). u_t: value at 0 = 1/2 + 1/2 * (w_{t+1} + u_{t+1}) / 2, with u_3 = 0:
    # u_2 = 1/2 + 7/8 / 4 = 23/32, u_1 = 1/2 + (15/16 + 23/32) / 4 = 117/128,
    # u_0 = 1/2 + (31/32 + 117/128) / 4 = 497/512.
    batch = collect(Drift, Says("stop"), group_size=1)
    truth = true_advantages(batch, RandomPolicy(), env=Drift(), method="tree", chance=4096)
    assert abs(truth.value[0] - 497 / 512) <= 4 * truth.stderr[0]
    assert 0.0 < truth.stderr[0] < 0.01
    forks = true_advantages(batch, RandomPolicy(), env=Drift(), method="forks", continuations=2000)
    assert abs(forks.value[0] - 497 / 512) <= 3 * forks.stderr[0]


class Endless(Far):
    """Each "far" leaves more time: only the budget of nodes ends the tree."""

    def transition(self, state, action, rng):
        return Turn(state + 1, "", outcome=Outcome(True, 1.0) if action.text == "stop" else None)

    def limit(self, state):
        return state + 3


def test_limits_that_grow_for_ever_meet_the_budget() -> None:
    batch = collect(Endless, Says("stop"), group_size=1)
    with pytest.raises(TooManyNodes, match="max_nodes=50"):
        true_advantages(batch, RandomPolicy(), env=Endless(), method="tree", max_nodes=50)


class Odd(Far):
    """No number of turns at 1, or no outcome when time is up there: the rows know of neither."""

    fault = ""

    def limit(self, state):
        return 2.5 if state == 1 and self.fault == "limit" else 3

    def timeout(self, state):
        return None if self.fault == "timeout" else super().timeout(state)


@pytest.mark.parametrize(
    ("fault", "message"), [("limit", "returned 2.5: it must"), ("timeout", "returned None: it must")]
)
@pytest.mark.parametrize("method", ["tree", "forks"])
def test_a_limit_that_is_no_number_and_a_timeout_that_is_none_are_named(fault, message, method, monkeypatch) -> None:
    monkeypatch.setattr(Odd, "fault", fault)
    batch = collect(Odd, Says("stop"), group_size=1)
    with pytest.raises(WorldError, match=message):
        true_advantages(batch, RandomPolicy(), env=Odd(), method=method)


def test_progress_knows_the_largest_limit_so_far() -> None:
    told = []
    batch = collect(Far, Says("stop"), group_size=1)
    true_advantages(batch, RandomPolicy(), env=Far(), progress=lambda done, total: told.append((done, total)))
    assert told == [(turn, 6) for turn in range(1, 7)]
