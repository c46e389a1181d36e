"""gae by hand."""

import numpy as np
import pytest
from hypothesis import given

from agentgym import credit
from agentgym.batch import TurnBatch
from agentgym.credit import rows as seen
from agentgym.errors import MissingColumn
from tests.strategies import paid_batches

# Rollout 0 of three turns ends and pays 4; rollout 1 of one turn is cut off where the value would be 6.
TWO = TurnBatch.from_columns(
    {
        "group": [0] * 4,
        "trajectory": [0, 0, 0, 1],
        "turn": [0, 1, 2, 0],
        "turn_reward": [1.0, 0.0, 0.0, 0.0],
        "outcome_reward": [0.0, 0.0, 4.0, 0.0],
        "value": [2.0, 1.0, 3.0, 5.0],
        "terminated": [False, False, True, False],
        "truncated": [False, False, False, True],
        "bootstrap_value": [9.0, 9.0, 9.0, 6.0],
    }
)


def assert_close(got, wanted):
    np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-12)


def test_gae_by_hand():
    # γ 1: δ = 1 + 1 - 2 = 0, 0 + 3 - 1 = 2, 4 + 0 - 3 = 1 and 0 + 0 - 5. λ ½: A_2 = 1, A_1 = 2.5, A_0 = 1.25.
    made = credit.gae(TWO, lam=0.5)
    assert_close(made.diagnostics["delta"], [0, 2, 1, -5])
    assert_close(made.total, [1.25, 2.5, 1, -5])
    assert_close(made.diagnostics["target"], [3.25, 3.5, 4, 0])
    # γ ½ too: δ = 1 + ½ - 2, 1½ - 1, 1; A_1 = ½ + ¼, A_0 = -½ + 3/16.
    assert_close(credit.gae(TWO, gamma=0.5, lam=0.5).total, [-5 / 16, 3 / 4, 1, -5])
    # Outcomes alone: δ_0 = 1 - 2.
    assert_close(credit.gae(TWO, lam=0.0, rewards="outcome").total, [-1, 2, 1, -5])


def test_gae_goes_on_where_a_rollout_was_cut():
    # δ = 0 + 6 - 5 where it was cut; the value given for other turns is not read.
    assert_close(credit.gae(TWO, lam=0.5, bootstrap_truncated=True).total, [1.25, 2.5, 1, 1])
    assert_close(credit.gae(TWO, gamma=0.5, bootstrap_truncated=True).total[3], -2)
    with pytest.raises(MissingColumn, match=r"'gae' needs the column 'bootstrap_value'.*evaluate a value function"):
        credit.gae(TWO.without("bootstrap_value"), bootstrap_truncated=True)


def test_gae_asks_for_what_it_reads():
    found = credit.info("gae")
    assert found.needs == ("turn_reward", "outcome_reward", "value")
    assert found.needs_with(rewards="outcome", bootstrap_truncated=True) == (
        "outcome_reward", "value", "truncated", "bootstrap_value"
    )  # fmt: skip
    with pytest.raises(MissingColumn, match=r"'gae' needs the column 'value'.*play with collect\(branching=Vine\(\)\)"):
        credit.gae(TWO.without("value"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lam": 1.1}, "lam must lie in"),
        ({"lam": float("nan")}, "option 'lam' of estimator 'gae' takes a finite number, got nan"),
        ({"gamma": -0.1}, "gamma must lie in"),
        ({"rewards": "all"}, "unknown value 'all' of rewards"),
    ],
)
def test_gae_refuses(options, message):
    with pytest.raises(ValueError, match=message):
        credit.gae(TWO, **options)


@given(batch=paid_batches())
def test_gae_with_lambda_one_is_the_return_to_go_less_the_value(batch):
    to_come = seen.to_go(batch, seen.reward(batch), 0.9)
    made = credit.gae(batch, gamma=0.9, lam=1.0)
    assert_close(made.total, to_come - batch.value)
    assert_close(made.diagnostics["target"], to_come)


def test_gae_with_the_true_value_has_the_true_advantage_as_its_mean():
    # From s go to a fair coin, 0 or 2 (V 1), or stop for ½, each half the time: V(s) = ¾. Going has the
    # advantage ¼ whatever λ is: the coin's ±1 cancel.
    rows = []
    for i, (paid, value) in enumerate([((0.0, 0.0), (0.75, 1.0)), ((0.0, 2.0), (0.75, 1.0)), ((0.5,), (0.75,))]):
        for t, reward in enumerate(paid):
            row = {"group": 0, "trajectory": i, "turn": t, "turn_reward": reward, "outcome_reward": 0.0}
            rows.append(row | {"value": value[t]})
    for lam in (0.0, 0.3, 1.0):
        total = credit.gae(TurnBatch.from_rows(rows), lam=lam).total
        assert (total[0] + total[2]) / 2 == pytest.approx(0.25)
        assert total[4] == -0.25
