import copy
import pickle

import numpy as np
import pytest

from agentgym import credit
from agentgym.batch import TurnBatch
from agentgym.credit.result import Diagnostics
from agentgym.errors import MissingColumn


def batch(**columns):
    """One group: rollout 0 with two turns, rollout 1 with one; rows given last turn first."""
    base = {"group": [0, 0, 0], "trajectory": [0, 1, 0], "turn": [1, 0, 0], "outcome_reward": [1.0, 0.0, 0.0]}
    return TurnBatch.from_columns({**base, **columns})


def run(made, **columns):
    return credit.estimate(lambda batch: made, batch(**columns))


def test_terms_add_up_to_the_total():
    result = run({"a": [1, 2, 3], "b": np.float32([0.5, 0.25, 0])})
    assert result.total.tolist() == [1.5, 2.25, 3.0]
    assert result.total.dtype == result.terms["b"].dtype == np.float64
    assert len(result) == 3


def test_channels_and_a_total_of_their_own():
    channel = credit.Channel(np.array([1.0, 0.0, 2.0]), np.array([True, False, True]))
    result = run(credit.Terms({"a": [1, 2, 3]}, channels={"subgoal": channel}, total=[1, 0, 0], seen=4))
    assert result.total.tolist() == [1.0, 0.0, 0.0]
    assert result.channels["subgoal"].mask.tolist() == [True, False, True]
    assert result.diagnostics["seen"] == 4


@pytest.mark.parametrize(
    ("made", "error", "message"),
    [
        ({}, ValueError, "returned no term"),
        ([1.0, 2.0], ValueError, r"term 'advantage' of estimator '<lambda>' must have shape \[3\], got \[2\]"),
        ({"a": [1.0, np.nan, 0.0]}, ValueError, "term 'a'.*not finite at position 1"),
        ({"a": ["x", "y", "z"]}, TypeError, "term 'a' of estimator .* must be an array of numbers"),
        (None, TypeError, "returned nothing"),
        (credit.Terms({"a": [0, 0, 0]}, total=[0, np.inf, 0]), ValueError, "'total'.*position 1"),
        (credit.Terms({"a": [0, 0, 0]}, tokens=[[1.0]]), ValueError, "token values for 1 rows of 3"),
        (credit.Terms({"a": [0, 0, 0]}, tokens=[[], [np.nan], []]), ValueError, "tokens of row 1"),
    ],
)
def test_what_an_estimator_may_not_return(made, error, message):
    with pytest.raises(error, match=message):
        run(made)


def test_tokens_carry_their_turns_value():
    # 2, 0 and 3 tokens; a turn without a token is allowed.
    result = run([0.5, 7.0, -1.0])
    record = batch(tokens=[2, 0, 3])
    assert [row.tolist() for row in result.to_tokens(record)] == [[0.5, 0.5], [], [-1.0, -1.0, -1.0]]
    values, mask = result.to_tokens(record, padded=True)
    assert values.tolist() == [[0.5, 0.5, 0.0], [0.0, 0.0, 0.0], [-1.0, -1.0, -1.0]]
    assert mask.tolist() == [[True, True, False], [False] * 3, [True] * 3]


def test_tokens_are_counted_by_their_ids_where_those_are_there():
    result = run([1.0, 2.0, 3.0])
    for column in ("token_ids", "token_logprobs"):
        rows = result.to_tokens(batch(**{column: [[1], [2, 3], []]}))
        assert [row.tolist() for row in rows] == [[1.0], [2.0, 2.0], []]


def test_an_estimator_may_tell_tokens_apart():
    result = run(credit.Terms({"a": [1, 1, 1]}, tokens=[[1, 2], [], [3]]))
    assert [row.tolist() for row in result.to_tokens(batch())] == [[1.0, 2.0], [], [3.0]]
    assert result.to_tokens(batch(), padded=True).values.tolist() == [[1.0, 2.0], [0.0, 0.0], [3.0, 0.0]]


def test_to_tokens_says_what_it_lacks():
    result = run([1.0, 2.0, 3.0])
    with pytest.raises(MissingColumn, match=r"'tokens'.*'token_ids'"):
        result.to_tokens(batch())
    with pytest.raises(ValueError, match="3 rows and the batch 2"):
        result.to_tokens(batch(tokens=[1, 1, 1]).select(np.array([0, 2])))


def test_diagnostics_are_computed_when_looked_at():
    calls = []

    def slow():
        calls.append(1)
        return 42

    entries = Diagnostics({"slow": slow, "plain": 1})
    assert (list(entries), len(entries), calls) == (["slow", "plain"], 2, [])
    assert entries["slow"] == entries["slow"] == 42
    assert calls == [1]
    assert "slow" in repr(entries)
    with pytest.raises(KeyError):
        entries["other"]


def test_a_credit_can_be_pickled():
    result = credit.estimate("grpo", batch(turn_reward=[0.0, 0.5, 0.0], anchor=["a", "b", "a"]))
    sizes = result.diagnostics["step_group_sizes"]
    again = pickle.loads(pickle.dumps(result))
    assert again.total.tolist() == result.total.tolist()
    assert dict(again.diagnostics) == {"step_group_sizes": sizes}  # what was looked at travels


def test_pickling_computes_no_diagnostic_and_a_deep_copy_keeps_them_all():
    def dear():
        raise AssertionError("computed")

    entries = Diagnostics({"dear": dear, "plain": [1.0]})
    assert "dear" in entries
    assert dict(pickle.loads(pickle.dumps(entries))) == {"plain": [1.0]}
    twin = copy.deepcopy(entries)
    assert list(twin) == ["dear", "plain"]
    assert twin["plain"] is not entries["plain"]


def test_a_masked_array_is_refused():
    with pytest.raises(TypeError, match="term 'advantage' of estimator 'masked' is a masked array"):
        credit.estimate(masked, batch())


def masked(batch):
    return np.ma.masked_greater(np.arange(3.0), 1.0)


def test_token_values_agree_with_the_number_of_tokens():
    counted = batch(tokens=[2, 0, 1])
    made = credit.estimate(lambda _: credit.Terms({"a": [0, 0, 0]}, tokens=[[1, 2], [], [3]]), counted)
    assert [row.tolist() for row in made.to_tokens(counted)] == [[1, 2], [], [3]]
    with pytest.raises(ValueError, match="1 token values for row 0, which has 2 tokens"):
        credit.estimate(lambda _: credit.Terms({"a": [0, 0, 0]}, tokens=[[1], [], [3]]), counted)


# --- the checks that come with every estimate


def diagnosed(**columns):
    return run([1.0, -2.0, 3.0], **columns).diagnostics


def test_step_groups():
    # Rows 0 and 2 share state s, row 1 stands alone.
    found = diagnosed(anchor=["s", "t", "s"])
    assert found["step_group_sizes"] == {1: 1, 2: 1}
    assert found["singleton_share"] == pytest.approx(1 / 3)
    # Without an anchor the state is compared, and without either there is nothing to say.
    assert diagnosed(state=["s", "s", "s"])["step_group_sizes"] == {3: 1}
    assert "singleton_share" not in diagnosed()


def test_step_groups_follow_the_estimators_key():
    columns = {"anchor": ["s", "t", "s"], "state": ["a", "b", "c"], "turn_reward": [0.0, 0.0, 0.0]}
    by_state = credit.estimate("gigpo", batch(**columns), key="state")
    assert by_state.diagnostics["step_group_sizes"] == {1: 3}
    assert credit.estimate("gigpo", batch(**columns)).diagnostics["step_group_sizes"] == {1: 1, 2: 1}


def test_equal_states_of_other_groups_are_no_peers():
    record = TurnBatch.from_columns({"group": [0, 1], "trajectory": [0, 0], "turn": [0, 0], "anchor": ["s", "s"]})
    assert credit.estimate(lambda batch: [0, 0], record).diagnostics["singleton_share"] == 1.0


def test_zero_variance_share():
    # Outcomes 1 and 0 differ; with turn rewards 1 for the loser both return 1.
    assert diagnosed()["zero_variance_share"] == 0.0
    paid = {"turn_reward": [0.0, 1.0, 0.0]}
    assert diagnosed(**paid)["zero_variance_share"] == 1.0
    alone = credit.estimate("grpo", batch(**paid), rewards="outcome")
    assert alone.diagnostics["zero_variance_share"] == 0.0


def test_misalignment():
    # One pair of rollouts: outcome 1 with turn rewards 0 and 0.25, outcome 0 with 0.5, then 0.25, then 0.
    for worse, share in ((0.5, 1.0), (0.25, 0.5), (0.0, 0.0)):
        assert diagnosed(turn_reward=[0.25, worse, 0.0])["misalignment"] == share
    assert diagnosed(turn_reward=[0.0] * 3, outcome_reward=[0.0] * 3)["misalignment"] is None
    assert "misalignment" not in diagnosed()


def test_misalignment_only_compares_inside_groups():
    # Two groups of one rollout each, outcomes 1 and 0: no pair.
    columns = {"group": [0, 1], "trajectory": [0, 0], "turn": [0, 0], "outcome_reward": [1.0, 0.0]}
    record = TurnBatch.from_columns({**columns, "turn_reward": [0.0, 1.0]})
    assert credit.estimate(lambda batch: [0, 0], record).diagnostics["misalignment"] is None


def test_drift_is_the_mean_by_turn_index():
    # Index 0 holds -2 and 3, index 1 holds 1.
    assert diagnosed()["drift"].tolist() == [0.5, 1.0]


def test_an_estimators_own_diagnostic_wins():
    assert run(credit.Terms({"a": [1, 2, 3]}, drift="mine")).diagnostics["drift"] == "mine"


def test_checks_of_an_empty_batch():
    none = TurnBatch.from_columns({"group": [], "trajectory": [], "turn": [], "anchor": [], "outcome_reward": []})
    found = credit.estimate(lambda batch: np.zeros(0), none.with_columns(turn_reward=[])).diagnostics
    assert found["step_group_sizes"] == {}
    assert found["singleton_share"] == found["zero_variance_share"] == 0.0
    assert found["misalignment"] is None
    assert found["drift"].shape == (0,)


def test_a_key_option_that_names_no_state_leaves_step_groups_at_the_anchor():
    def own(batch, *, key="trajectory"):
        return np.zeros(len(batch))

    assert credit.estimate(own, batch(anchor=["s", "t", "s"])).diagnostics["step_group_sizes"] == {1: 1, 2: 1}
