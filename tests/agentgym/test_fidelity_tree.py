"""The tree against values worked out by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym import AgentEnv, AgentGymError, EndReason, Opening, Outcome, RewardSpec, Say, Task, TurnRng
from agentgym.digest import state_hash
from agentgym.fidelity import FidelityError, Graphs, TooManyNodes, true_advantages
from agentgym.rollout import Reply, collect
from agentgym.turn import Turn
from tests.agentgym.fidelity_worlds import Corridor, Slippery, Tilted

# The corridor: pit 0, places 1 and 2, goal 3; right with probability 2/3, time up at 2 pays 1/2.
# v_n(s): value with n turns left.  v_0(1) = 0, v_0(2) = 1/2; v_n(1) = 2/3 v_{n-1}(2), v_n(2) = 2/3 + 1/3 v_{n-1}(1):
V = {
    (0, 1): 0.0, (0, 2): 1 / 2,
    (1, 1): 1 / 3, (1, 2): 2 / 3,
    (2, 1): 4 / 9, (2, 2): 7 / 9,
    (3, 1): 14 / 27, (3, 2): 22 / 27,
}  # fmt: skip


def by_hand(left: int, place: int, action: str) -> float:
    """Return Q by hand: what the action leads to, with one turn fewer."""
    there = place + (1 if action == "right" else -1)
    return {0: 0.0, 3: 1.0}.get(there, V.get((left - 1, there), 0.0))


def places(batch) -> list[int]:
    """Return the place of every row, read off what the agent read."""
    return [int(text.rstrip(".").split()[-1]) for text in batch.observation]


@pytest.fixture(scope="module")
def batch():
    return collect(Corridor, Tilted(), group_size=8, seed=3)


def test_every_row_has_the_value_worked_out_by_hand(batch) -> None:
    truth = true_advantages(batch, Tilted(), env=Corridor())
    assert truth.method == "tree"
    assert truth.ceiling == 1.0
    for row, place in enumerate(places(batch)):
        left = 3 - batch.turn[row]
        assert truth.value[row] == pytest.approx(V[left, place], abs=1e-12)
        assert truth.q[row] == pytest.approx(by_hand(left, place, batch.action[row]), abs=1e-12)
    assert truth.advantage.tolist() == (truth.q - truth.value).tolist()
    assert not truth.stderr.any()


def test_nodes_are_counted_and_shared(batch) -> None:
    # Task one: place 1 at turn 0, 2 at turn 1, 1 at turn 2. Task two: 2 at turn 0, 1 at turn 1, 2 at turn 2. Six nodes.
    assert true_advantages(batch, Tilted(), env=Corridor()).nodes == 6


def test_two_visits_of_a_state_differ_by_the_turns_left(batch) -> None:
    truth = true_advantages(batch, Tilted(), env=Corridor())
    place = places(batch)
    early = next(row for row in range(len(batch)) if place[row] == 1 and batch.turn[row] == 0)
    late = next(row for row in range(len(batch)) if place[row] == 1 and batch.turn[row] == 2)
    assert batch.state[early] == batch.state[late]
    assert truth.value[early] == pytest.approx(14 / 27)
    assert truth.value[late] == pytest.approx(1 / 3)


def test_the_limit_of_the_batch_holds_whatever_world_is_passed() -> None:
    batch = collect(Corridor, Tilted(), group_size=8, env_kwargs={"max_turns": 2})
    truth = true_advantages(batch, Tilted(), env=Corridor(max_turns=50))
    first = [row for row, place in enumerate(places(batch)) if place == 1 and batch.turn[row] == 0]
    assert truth.value[first].tolist() == pytest.approx([4 / 9] * len(first))


class Hasty(Corridor):
    """At place 2 the time is up after one turn, elsewhere after three."""

    def limit(self, state):
        return 1 if state == 2 else 3


def test_the_limit_may_depend_on_the_state() -> None:
    # From 2 at turn 0: right ends at the goal; left leads to 1, from where right leads to 2, late: a half at once.
    # V = 2/3 + 1/3 * (2/3 * 1/2) = 7/9. From 1 at turn 0: right leads to 2, late: V = 2/3 * 1/2 = 1/3.
    batch = collect(Hasty, Tilted(), group_size=8)
    truth = true_advantages(batch, Tilted(), env=Hasty())
    first = batch.turn == 0
    assert truth.value[first & (batch.task == "two")].tolist() == pytest.approx([7 / 9] * 8)
    assert truth.value[first & (batch.task == "one")].tolist() == pytest.approx([1 / 3] * 8)
    assert truth.value[batch.turn == 1].tolist() == pytest.approx([1 / 3] * int((batch.turn == 1).sum()))
    with pytest.raises(FidelityError, match="does not lead to the state"):
        true_advantages(
            collect(Corridor, Tilted(), group_size=8).with_meta(env=batch.meta["env"]), Tilted(), env=Hasty()
        )


def test_gamma_discounts_a_turn_but_not_the_last_one_itself() -> None:
    # Task two, two turns, gamma 1/2. w_1(1) = 1/2 * 2/3 = 1/3: its last turn pays the timeout, undiscounted.
    # w_2(2) = 2/3 * 1 + 1/3 * gamma * w_1(1) = 2/3 + 1/18 = 13/18.
    batch = collect(Corridor, Tilted(), group_size=8, tasks=["two"], env_kwargs={"max_turns": 2})
    truth = true_advantages(batch, Tilted(), env=Corridor(), gamma=0.5)
    first = np.flatnonzero(batch.turn == 0)
    assert truth.value[first].tolist() == pytest.approx([13 / 18] * len(first))
    lefts = [row for row in first if batch.action[row] == "left"]
    assert lefts
    assert truth.q[lefts].tolist() == pytest.approx([1 / 6] * len(lefts))


def test_total_adds_turn_rewards_under_the_worlds_weights() -> None:
    # Task two, one turn left: right pays 1 + 0.1, left pays 0 - 0.1; V = 2/3 * 1.1 - 1/3 * 0.1 = 0.7.
    batch = collect(Corridor, Tilted(), group_size=4, tasks=["two"], env_kwargs={"max_turns": 1})
    truth = true_advantages(batch, Tilted(), env=Corridor(), objective="total")
    assert truth.value.tolist() == pytest.approx([0.7] * 4)
    assert truth.q.tolist() == pytest.approx([1.1 if action == "right" else -0.1 for action in batch.action])


def test_total_follows_a_reweighted_batch() -> None:
    # Progress weighs 1, the outcome 2: right pays 2 + 1, left pays -1; V = 2/3 * 3 - 1/3 = 5/3.
    batch = collect(Corridor, Tilted(), group_size=4, tasks=["two"], env_kwargs={"max_turns": 1})
    heavier = batch.reweight(RewardSpec({"progress": 1.0}, outcome=2.0))
    truth = true_advantages(heavier, Tilted(), env=Corridor(), objective="total")
    assert truth.value.tolist() == pytest.approx([5 / 3] * 4)
    alone = true_advantages(heavier, Tilted(), env=Corridor())
    assert alone.value.tolist() == pytest.approx([4 / 3] * 4)  # the outcome alone: 2/3 * 2


def test_rows_keep_their_order(batch) -> None:
    shuffled = batch.select(np.random.default_rng(0).permutation(len(batch)))
    plain, mixed = (true_advantages(rows, Tilted(), env=Corridor()) for rows in (batch, shuffled))
    place = {(batch.trajectory[row], batch.turn[row]): plain.advantage[row] for row in range(len(batch))}
    expected = [place[shuffled.trajectory[row], shuffled.turn[row]] for row in range(len(batch))]
    assert mixed.advantage.tolist() == expected


def test_actions_off_the_menu_have_their_own_q(batch) -> None:
    class Waits(Tilted):
        def __call__(self, views):
            return [Reply("wait") for _ in views]

    waited = collect(Corridor, Waits(), group_size=1, tasks=["two"])
    truth = true_advantages(waited, Tilted(), env=Corridor())
    # Waiting at 2 with n turns left is worth v_{n-1}(2); on the last turn the timeout at 2, a half.
    assert truth.q.tolist() == pytest.approx([V[2, 2], V[1, 2], 0.5])
    assert truth.value.tolist() == pytest.approx([V[3, 2], V[2, 2], V[1, 2]])


def test_an_invalid_action_costs_a_turn() -> None:
    class Babbles(Tilted):
        def __call__(self, views):
            return [Reply("fly") for _ in views]

    batch = collect(Corridor, Babbles(), group_size=1, tasks=["one"])
    truth = true_advantages(batch, Tilted(), env=Corridor())
    assert truth.q.tolist() == pytest.approx([V[2, 1], V[1, 1], V[0, 1]])


# ---- any deterministic world -----------------------------------------------------------------------------------------


class Drawn(AgentEnv[int]):
    """Six states with up to three actions; what is on offer, where it leads and what it pays is drawn by `table`."""

    panel = (Task("t"),)
    rewards = RewardSpec({"gain": 1.0})
    entries = ("a", "b", "c")
    table: int = 0

    def of(self, state: int, stream: str) -> TurnRng:
        return TurnRng(self.table, state, 0, stream)

    def initial(self, task, rng):
        return Opening(0, "")

    def transition(self, state, action, rng):
        draws = self.of(state, action.text)
        there, gain, end = draws.integers(6), float(draws.integers(-2, 3)), draws.integers(4)
        reason = EndReason.SOLVED if end == 0 else EndReason.FAILED
        return Turn(there, "", {"gain": gain}, Outcome(end == 0, float(end), reason) if end < 2 else None)

    def timeout(self, state):
        return Outcome(False, state / 10, EndReason.TURN_LIMIT)

    def menu(self, state):
        return self.entries[: 1 + self.of(state, "menu").integers(3)]


class Leaning:
    """Probabilities drawn once for each (state, entry)."""

    signals = ("menu",)
    markov = stationary = True

    def probabilities(self, state: str, menu) -> dict[str, float]:
        weights = {text: 1 + int(state_hash((state, text)), 16) % 7 for text in menu}
        return {text: weight / sum(weights.values()) for text, weight in weights.items()}

    def __call__(self, views):
        replies = []
        for view in views:
            share = self.probabilities(view.key, view.menu)
            text = view.rng.choice(view.menu, [share[text] for text in view.menu])
            replies.append(Reply(text, menu_logprobs=[math.log(share[text]) for text in view.menu]))
        return replies


def recursion(env: Drawn, state: int, turn: int, gamma: float) -> tuple[float, dict[str, float]]:
    """Return V and all Q, straight from the definition, objective total."""
    q = {}
    for text in env.menu(state):
        made = env.transition(state, Say(text), TurnRng(0))
        q[text] = made.rewards["gain"]
        if made.outcome is not None:
            q[text] += made.outcome.reward
        elif turn + 1 == env.max_turns:
            q[text] += env.timeout(made.state).reward
        else:
            q[text] += gamma * recursion(env, made.state, turn + 1, gamma)[0]
    share = Leaning().probabilities(state_hash(state), env.menu(state))
    return sum(share[text] * q[text] for text in q), q


@given(st.integers(0, 10**6), st.integers(1, 5), st.sampled_from([0.5, 0.9, 1.0]))
def test_the_tree_is_the_recursion_and_the_mean_advantage_is_nothing(table: int, limit: int, gamma: float) -> None:
    class World(Drawn):
        pass

    World.table = table
    env = World(max_turns=limit)
    batch = collect(env, Leaning(), group_size=3, seed=table, signals=("menu",))
    truth = true_advantages(batch, Leaning(), env=env, objective="total", gamma=gamma)
    number = {state_hash(state): state for state in range(6)}
    for row in range(len(batch)):
        state = number[batch.state[row]]
        value, q = recursion(env, state, int(batch.turn[row]), gamma)
        assert truth.value[row] == pytest.approx(value, abs=1e-9)
        assert truth.q[row] == pytest.approx(q[batch.action[row]], abs=1e-9)
        share = Leaning().probabilities(batch.state[row], env.menu(state))
        assert sum(share[text] * (q[text] - truth.value[row]) for text in q) == pytest.approx(0.0, abs=1e-9)


@given(st.floats(0.0, 1.0), st.integers(1, 6), st.floats(0.1, 1.0))
def test_stationary_policies_have_the_same_truth_asked_once_or_always(right: float, limit: int, gamma: float) -> None:
    batch = collect(Corridor, Tilted(0.5), group_size=3, env_kwargs={"max_turns": limit})
    once, always = Tilted(right), Tilted(right, stationary=False)
    first = true_advantages(batch, once, env=Corridor(), gamma=gamma, objective="total")
    second = true_advantages(batch, always, env=Corridor(), gamma=gamma, objective="total")
    assert first.advantage.tolist() == pytest.approx(second.advantage.tolist(), abs=1e-12)
    assert once.asked <= 4 <= always.asked or limit == 1  # places 1 and 2 of two tasks, whatever the turn


def test_a_policy_may_depend_on_the_turn_and_on_the_menus_order() -> None:
    class First(Tilted):
        """Takes the first entry on offer with probability 1 on even turns, the second on odd ones."""

        def __call__(self, views):
            places = [view.turn % 2 for view in views]
            never = math.log(5e-324)  # a record holds finite numbers only
            logs = [[0.0, never] if place == 0 else [never, 0.0] for place in places]
            return [
                Reply(view.menu[place], menu_logprobs=log) for view, place, log in zip(views, places, logs, strict=True)
            ]

    policy = First(stationary=False)
    batch = collect(Corridor, policy, group_size=1, seed=5)
    truth = true_advantages(batch, policy, env=Corridor())
    # A deterministic policy in a deterministic world: value and Q are what happened, no turn was better than itself.
    outcome = {name: batch.outcome_reward[batch.trajectory == name].sum() for name in set(batch.trajectory)}
    assert truth.value.tolist() == pytest.approx([outcome[name] for name in batch.trajectory])
    assert truth.advantage.tolist() == pytest.approx([0.0] * len(batch))
    assert truth.ceiling == 0.0  # nothing to tell apart


def test_under_another_policy_is_the_truth_of_its_view(batch) -> None:
    truth = true_advantages(batch, Tilted(), under=Tilted(right=1.0), env=Corridor())
    # Always right: from 1 the goal is two turns away, from 2 one; with one turn left at 1 the timeout at 2 pays a half.
    optimal = {1: {1: 0.5, 2: 1.0, 3: 1.0}, 2: {1: 1.0, 2: 1.0, 3: 1.0}}
    assert truth.value.tolist() == pytest.approx(
        [optimal[place][3 - batch.turn[row]] for row, place in enumerate(places(batch))]
    )
    assert (truth.advantage <= 1e-12).all()  # no turn beats optimal play


# ---- noise -----------------------------------------------------------------------------------------------------------

# On ice a move goes the other way by chance 1/5: the policy moves right with 2/3 * 4/5 + 1/3 * 1/5 = 0.6. As above,
# v_1(1) = 0.6 * 1/2 = 0.3, v_1(2) = 0.6; v_2(1) = 0.6 * 0.6 = 0.36, v_2(2) = 0.6 + 0.4 * 0.3 = 0.72;
# v_3(1) = 0.6 * 0.72 = 0.432, v_3(2) = 0.6 + 0.4 * 0.36 = 0.744.
ICE = {(1, 1): 0.3, (1, 2): 0.6, (2, 1): 0.36, (2, 2): 0.72, (3, 1): 0.432, (3, 2): 0.744}
ICE_LATER = {(0, 1): 0.0, (0, 2): 0.5, **ICE}


def ice_q(left: int, place: int, action: str) -> float:
    def lands(there: int) -> float:
        return {0: 0.0, 3: 1.0}.get(there, ICE_LATER.get((left - 1, there), 0.0))

    ahead, behind = lands(place + 1), lands(place - 1)
    return 0.8 * ahead + 0.2 * behind if action == "right" else 0.8 * behind + 0.2 * ahead


@pytest.mark.parametrize("chance", [37, 64, 1000])
def test_draws_of_a_noisy_world_come_near_the_value_by_hand(chance: int) -> None:
    batch = collect(Slippery, Tilted(), group_size=16, seed=1, noise="own")
    truth = true_advantages(batch, Tilted(), env=Slippery(), chance=chance)
    place = places(batch)
    hand = [
        ice_q(3 - batch.turn[row], place[row], batch.action[row]) - ICE[3 - batch.turn[row], place[row]]
        for row in range(len(batch))
    ]
    assert (np.abs(truth.advantage - hand) <= 4 * truth.stderr).all()
    assert (truth.stderr > 0).all()
    assert truth.stderr.max() < 0.6 / math.sqrt(chance)
    assert 0.9 < truth.ceiling < 1.0


def test_sampled_values_are_unbiased_and_their_standard_errors_honest() -> None:
    batch = collect(Slippery, Tilted(), group_size=1, seed=1, tasks=["one"])
    truths = [true_advantages(batch, Tilted(), env=Slippery(), chance=32, seed=seed) for seed in range(60)]
    first = np.array([truth.value[0] for truth in truths])
    assert abs(first.mean() - 0.432) <= 4 * first.std(ddof=1) / math.sqrt(60)
    claimed = np.array([truth.stderr[0] for truth in truths])
    found = np.std([truth.advantage[0] for truth in truths], ddof=1)
    assert 0.7 < np.sqrt((claimed**2).mean()) / found < 1.4  # 60 truths: their spread is known to 9 %


def test_sampled_truth_depends_on_its_seed_alone() -> None:
    batch = collect(Slippery, Tilted(), group_size=4, seed=1)
    graphs = Graphs()
    first = true_advantages(batch, Tilted(), env=Slippery(), graphs=graphs)
    true_advantages(batch, Tilted(0.1), env=Slippery(), graphs=graphs, seed=9)
    again = true_advantages(batch, Tilted(), env=Slippery(), graphs=graphs)
    assert first.advantage.tolist() == again.advantage.tolist()
    assert first.advantage.tolist() != true_advantages(batch, Tilted(), env=Slippery(), seed=1).advantage.tolist()
    part = batch.select(batch.task == "one")
    expected = first.advantage[batch.task == "one"].tolist()
    assert true_advantages(part, Tilted(), env=Slippery()).advantage.tolist() == expected


class Timed(Corridor):
    """Pays less the later the goal is reached, without any draw: 1 − 0.1 · turn."""

    def transition(self, state, action, rng):
        made = super().transition(state, action, rng)
        if made.outcome is not None and made.outcome.success:
            made.outcome = Outcome(True, 1.0 - 0.1 * rng.turn)
        return made


def test_rewards_that_depend_on_the_turn_are_not_shared_between_turns() -> None:
    batch = collect(Timed, Tilted(), group_size=8, tasks=["two"], seed=2)
    truth = true_advantages(batch, Tilted(), env=Timed())
    # From 2: right ends. Turn 2: 0.8; turn 1 at place 1: 2/3 * v(2, turn 2); turn 0: 2/3 * 1 + 1/3 * v(1, turn 1).
    v2 = 2 / 3 * 0.8 + 1 / 3 * 0.0
    v1 = 2 / 3 * v2
    expected = {0: 2 / 3 + 1 / 3 * v1, 1: v1, 2: v2}
    assert truth.value.tolist() == pytest.approx([expected[turn] for turn in batch.turn.tolist()])
    rights = np.flatnonzero((batch.turn == 2) & (batch.action == "right"))
    assert truth.q[rights].tolist() == pytest.approx([0.8] * len(rights))
    assert truth.ceiling == 1.0
    assert truth.note.startswith("exact")


# ---- caller errors ---------------------------------------------------------------------------------------------------


def test_too_many_nodes_are_an_error_or_lead_to_forks(batch) -> None:
    with pytest.raises(TooManyNodes, match=r"max_nodes=5 .*method='forks'"):
        true_advantages(batch, Tilted(), env=Corridor(), method="tree", max_nodes=5)
    truth = true_advantages(batch, Tilted(), env=Corridor(), max_nodes=5, continuations=4)
    assert truth.method == "forks"
    assert "no tree: the tree has more than max_nodes=5 nodes" in truth.note


def test_a_policy_without_menu_logprobs_has_no_tree(batch) -> None:
    class Mute(Tilted):
        def __call__(self, views):
            return [Reply(reply.text) for reply in super().__call__(views)]

    with pytest.raises(FidelityError, match=r"no menu_logprobs at task 'one' turn 0.*method='forks'"):
        true_advantages(batch, Mute(), env=Corridor(), method="tree")
    assert true_advantages(batch, Mute(), env=Corridor(), continuations=4).method == "forks"


@pytest.mark.parametrize("logs", [[0.0], [0.0, 0.0], [math.nan, 0.0], [0.0, 0.0, -math.inf]])
def test_a_reply_that_is_no_distribution_is_refused(batch, logs: list[float]) -> None:
    class Odd(Tilted):
        def __call__(self, views):
            return [Reply("right", menu_logprobs=logs) for _ in views]

    with pytest.raises(FidelityError, match="no distribution over the menu of 2"):
        true_advantages(batch, Odd(), env=Corridor())


def test_too_few_replies_are_refused(batch) -> None:
    class Short(Tilted):
        def __call__(self, views):
            return super().__call__(views)[1:]

    with pytest.raises(FidelityError, match="replies to"):
        true_advantages(batch, Short(), env=Corridor())


@pytest.mark.parametrize("method", ["tree", "forks"])
def test_errors_of_the_policy_say_where_truth_asked(batch, method: str) -> None:
    class Raises(Tilted):
        def __call__(self, views):
            raise RuntimeError("out of memory")

    with pytest.raises(RuntimeError, match="out of memory") as caught:
        true_advantages(batch, Raises(), env=Corridor(), method=method)
    assert "while truth asked the policy about" in caught.value.__notes__[0]


def test_a_policy_with_history_or_odd_signals_has_no_tree(batch) -> None:
    policy = Tilted()
    policy.markov = False
    with pytest.raises(FidelityError, match=r"'tree' does not fit: the policy depends on history"):
        true_advantages(batch, policy, env=Corridor(), method="tree")


def test_a_batch_of_another_panel_is_refused(batch) -> None:
    with pytest.raises(FidelityError, match="panel hash"):
        true_advantages(batch, Tilted(), env=Corridor(tasks=[Task("one", {"start": 2})]))


def test_a_batch_of_another_world_is_refused(batch) -> None:
    class Steeper(Corridor):
        def initial(self, task, rng):
            return Opening(task.data["start"] + 10, "Far.")

    with pytest.raises(FidelityError, match=r"does not lead to the state of row 0 \(task 'one', seed 3, turn 0\)"):
        true_advantages(batch, Tilted(), env=Steeper())
    with pytest.raises(FidelityError, match="does not lead to the state of row 0"):
        true_advantages(batch, Tilted(), env=Steeper(), method="forks")


def test_a_batch_without_its_world_is_refused(batch) -> None:
    bare = batch.with_meta({"env": None})
    with pytest.raises(FidelityError, match=r"batch\.meta has no 'env'.*spec_dict"):
        true_advantages(bare, Tilted(), env=Corridor())
    with pytest.raises(FidelityError, match=r"the world 'Corridor' cannot be rebuilt .*: pass env="):
        true_advantages(batch, Tilted())
    opaque = collect(Corridor(tasks=[Task("own", {"start": 1})]), Tilted(), group_size=2)
    with pytest.raises(FidelityError, match="was built with tasks, which a record cannot hold"):
        true_advantages(opaque, Tilted())
    assert true_advantages(opaque, Tilted(), env=Corridor(tasks=[Task("own", {"start": 1})])).value[0] > 0.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "trees"}, "did you mean 'tree'"),
        ({"objective": "outcomes"}, "did you mean 'outcome'"),
        ({"gamma": 0.0}, "gamma must lie in"),
        ({"gamma": math.nan}, "gamma must lie in"),
        ({"chance": 1}, "chance must be an integer of at least 2"),
        ({"continuations": 1.5}, "continuations must be an integer"),
        ({"max_nodes": 0}, "max_nodes must be"),
        ({"seed": -1}, "seed must be"),
    ],
)
def test_bad_arguments_are_named(batch, options, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        true_advantages(batch, Tilted(), env=Corridor(), **options)


@pytest.mark.parametrize("key", ["id", "version", "kwargs", "panel"])
def test_what_meta_says_too_little_about_the_world_is_named(batch, key: str) -> None:
    said = {name: value for name, value in batch.meta["env"].items() if name != key}
    with pytest.raises(FidelityError, match=rf"meta\['env'\] lacks '{key}'.*spec_dict"):
        true_advantages(batch.with_meta(env=said), Tilted(), env=Corridor())


def test_a_missing_column_is_named(batch) -> None:
    from agentgym import MissingColumn

    with pytest.raises(MissingColumn, match="true_advantages needs the column 'state'"):
        true_advantages(batch.without("state"), Tilted(), env=Corridor())


@pytest.mark.parametrize("method", ["auto", "tree", "forks"])
def test_a_batch_without_rows_is_refused(batch, method: str) -> None:
    nothing = batch.select(np.zeros(len(batch), bool))
    with pytest.raises(FidelityError, match="the batch has no rows; collect at least one rollout"):
        true_advantages(nothing, Tilted(), env=Corridor(), method=method)
    with pytest.raises(FidelityError, match=r"no rows \(3 rollouts ended with an infrastructure error"):
        true_advantages(nothing.with_meta(infra_errors=3), Tilted(), env=Corridor(), method=method)


@pytest.mark.parametrize("method", ["tree", "forks"])
@pytest.mark.parametrize("stationary", [True, False])
def test_an_action_may_have_log_probability_minus_infinity(batch, method: str, stationary: bool) -> None:
    # Never left: from 1 at turn 0 the goal is reached in two turns, from 2 in one; from 1 at turn 2 a half is left.
    policy = Tilted(right=1.0, stationary=stationary)
    truth = true_advantages(batch, Tilted(), under=policy, env=Corridor(), method=method, continuations=2)
    hand = [0.5 if place == 1 and batch.turn[row] == 2 else 1.0 for row, place in enumerate(places(batch))]
    assert truth.value.tolist() == hand


class Broken(Corridor):
    """Its server fails at place 2, always or by chance."""

    always = True

    def transition(self, state, action, rng):
        if state == 2 and (self.always or rng.random() < 0.5):
            return Turn(state, "503", outcome=Outcome(False, 0.0, EndReason.INFRA_ERROR))
        return super().transition(state, action, rng)


class Flaky(Broken):
    always = False


def test_a_failing_infrastructure_is_no_zero() -> None:
    batch = collect(Corridor, Tilted(), group_size=8, tasks=["two"], seed=3, env_kwargs={"max_turns": 1})
    with pytest.raises(AgentGymError, match=r"infrastructure error .* see to the endpoint"):
        true_advantages(batch, Tilted(), env=Broken())
    truth = true_advantages(batch, Tilted(), env=Flaky(), chance=200)
    rights = np.flatnonzero(batch.action == "right")
    assert truth.q[rights].tolist() == pytest.approx([1.0] * len(rights))  # failures are left out, not averaged in


def test_an_empty_menu_and_an_endless_reward_are_named(batch) -> None:
    class Bare(Corridor):
        def menu(self, state):
            return ()

    class Rich(Corridor):
        def transition(self, state, action, rng):
            return Turn(state, "", {"progress": math.inf})

    with pytest.raises(AgentGymError, match="has an empty menu"):
        true_advantages(batch, Tilted(), env=Bare())
    with pytest.raises(AgentGymError, match="finite rewards"):
        true_advantages(batch, Tilted(), env=Rich(), objective="total")


def test_a_world_without_a_menu_has_no_tree() -> None:
    class Open(AgentEnv[int]):
        panel = (Task("t"),)
        max_turns = 2

        def initial(self, task, rng):
            return Opening(0, "say a word")

        def transition(self, state, action, rng):
            return Turn(state + 1, "", outcome=Outcome(True, 1.0) if action.text == "yes" else None)

    class Yes:
        signals = ()
        markov = True

        def __call__(self, views):
            return ["yes" if view.rng.random() < 0.5 else "no" for view in views]

    batch = collect(Open, Yes(), group_size=8)
    with pytest.raises(FidelityError, match="Open has no menu"):
        true_advantages(batch, Yes(), env=Open(), method="tree")
    truth = true_advantages(batch, Yes(), env=Open(), continuations=400)
    assert truth.method == "forks"
    assert truth.value[0] == pytest.approx(0.75, abs=0.1)


# ---- graphs ----------------------------------------------------------------------------------------------------------


class Counting(Corridor):
    calls = 0

    def transition(self, state, action, rng):
        type(self).calls += 1
        return super().transition(state, action, rng)


def test_a_kept_graph_costs_no_transition_and_changes_no_value() -> None:
    batch = collect(Counting, Tilted(), group_size=4)
    graphs = Graphs()
    Counting.calls = 0
    first = true_advantages(batch, Tilted(), env=Counting(), graphs=graphs)
    assert Counting.calls == 8  # (1 and 2 of two tasks) times two actions, each once for all turns
    second = true_advantages(batch, Tilted(), env=Counting(), graphs=graphs)
    other = true_advantages(batch, Tilted(0.9), env=Counting(), graphs=graphs)
    assert Counting.calls == 8
    assert first.advantage.tolist() == second.advantage.tolist()
    fresh = true_advantages(batch, Tilted(0.9), env=Counting())
    assert other.advantage.tolist() == fresh.advantage.tolist()


def test_graphs_keep_worlds_apart_and_stay_bounded() -> None:
    batch, icy = collect(Corridor, Tilted(), group_size=2), collect(Slippery, Tilted(), group_size=2)
    graphs = Graphs(max_states=7)
    plain = true_advantages(batch, Tilted(), env=Corridor(), graphs=graphs)
    assert len(graphs) == 4
    true_advantages(icy, Tilted(), env=Slippery(), graphs=graphs)
    assert len(graphs) == 4  # 4 + 4 are over 7: the older one went
    total = true_advantages(batch, Tilted(), env=Corridor(), graphs=graphs, objective="total")
    assert total.value.tolist() != plain.value.tolist()
    assert len(Graphs(max_states=0)) == 0


def test_progress_is_told() -> None:
    told = []
    batch = collect(Corridor, Tilted(), group_size=2)
    true_advantages(batch, Tilted(), env=Corridor(), progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 3), (2, 3), (3, 3)]
