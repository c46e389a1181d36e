"""arew by hand, over every kind of base."""

import numpy as np
import pytest
from hypothesis import given

from agentgym import credit
from agentgym.batch import TurnBatch
from agentgym.credit.algebra import population
from agentgym.errors import MissingColumn
from tests.strategies import paid_batches


def judged(*rollouts, **columns):
    """One group; (critiques, outcome) a rollout."""
    rows = []
    for i, (critiques, outcome) in enumerate(rollouts):
        for t, z in enumerate(critiques):
            paid = outcome if t == len(critiques) - 1 else 0.0
            row = {"group": 0, "trajectory": i, "turn": t, "critique": z, "turn_reward": 0.0, "outcome_reward": paid}
            rows.append(row)
    return TurnBatch.from_rows(rows).with_columns(columns)


def assert_close(got, wanted):
    np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-12)


# Outcomes 1 and 0: grpo gives ±1. The first has two +, one -, one silence; the second is blamed alone.
TWO = judged(([1.0, 0.0, 1.0, -1.0], 1.0), ([-1.0, -1.0], 0.0))
BARE = {"base_options": {"eps": 0.0}}


def test_arew_by_hand_where_both_signs_must_occur():
    # +½ each for the two +, -1 for the one -; the second rollout has no + and keeps its base. λ ½.
    got = credit.arew(TWO, **BARE)
    assert_close(got.diagnostics["u"], [0.5, 0, 0.5, -1, 0, 0])
    assert_close(got.terms["base"], [1, 1, 1, 1, -1, -1])
    assert_close(got.total, [1.25, 1, 1.25, 0.5, -1, -1])
    # So credit moves inside a rollout, and its sum stays that of the base.
    assert got.total[:4].sum() == pytest.approx(4.0)


def test_arew_forms():
    # One sign is enough: -½ for each of the two blamed turns.
    lone = credit.arew(TWO, require_both=False, critique_weight=1.0, **BARE)
    assert_close(lone.terms["critique"], [0.5, 0, 0.5, -1, -0.5, -0.5])
    # Σ|z| is 3 and 2.
    share = credit.arew(TWO, variant="abs_sum", require_both=False)
    assert_close(share.diagnostics["u"], [1 / 3, 0, 1 / 3, -1 / 3, -0.5, -0.5])
    both = credit.arew(TWO, variant="abs_sum")
    assert_close(both.diagnostics["u"], [1 / 3, 0, 1 / 3, -1 / 3, 0, 0])


def test_arew_channels():
    # In "q" the first rollout has + and -, in "o" a + alone; the second has one channel.
    split = TWO.with_columns(channel=["q", "o", "o", "q", "q", "q"])
    for channels in (None, True):
        assert_close(credit.arew(split, channels=channels).diagnostics["u"], [1, 0, 0, -1, 0, 0])
    assert_close(credit.arew(split, channels=False).diagnostics["u"], [0.5, 0, 0.5, -1, 0, 0])
    assert_close(credit.arew(split, require_both=False).diagnostics["u"], [1, 0, 1, -1, -0.5, -0.5])
    with pytest.raises(MissingColumn, match="estimator 'arew' needs the column 'channel'"):
        credit.arew(TWO, channels=True)


@pytest.mark.parametrize(
    ("base", "wanted"),
    [
        ("none", [0, 0, 0, 0, 0, 0]),
        ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1, 2, 3, 4, 5, 6]),
        (credit.grpo(TWO, normalise="none"), [0.5] * 4 + [-0.5] * 2),
        (credit.info("grpo"), [1] * 4 + [-1] * 2),
        (lambda batch: -batch.critique, [-1, 0, -1, 1, 1, 1]),
    ],
)
def test_arew_over_every_kind_of_base(base, wanted):
    got = credit.arew(TWO, base=base)
    np.testing.assert_allclose(got.terms["base"], wanted, rtol=0, atol=1e-5)
    assert_close(got.terms["critique"], [0.25, 0, 0.25, -0.5, 0, 0])


def test_arew_needs_and_asks_what_its_base_does():
    found = credit.info("arew")
    assert found.needs == ("critique", "turn_reward", "outcome_reward")
    assert found.needs_with(base="none") == ("critique",)
    assert found.needs_with(base="mica", channels=True) == ("critique", "channel", "potential", "next_potential")
    assert (found.signals, found.signals_with(base="mica")) == (("critique",), ("critique", "potential"))
    with pytest.raises(MissingColumn, match="estimator 'arew' needs the column 'hindsight_logprob'"):
        credit.arew(TWO.with_columns(success=[True] * 4 + [False] * 2), base="hcapo")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"variant": "absolute"}, ValueError, "did you mean 'abs_sum'"),
        ({"base": "grop"}, ValueError, "did you mean 'grpo'"),
        ({"base": [0.0]}, ValueError, r"base must have shape \[6\]"),
        ({"base": [0.0] * 6, "base_options": {"eps": 1.0}}, ValueError, "leave them out"),
        ({"base_options": {"rewards": "outcomes"}}, ValueError, "did you mean 'outcome'"),
    ],
)
def test_arew_refuses(options, error, message):
    with pytest.raises(error, match=message):
        credit.arew(TWO, **options)


def test_arew_refuses_critiques_between_the_signs():
    with pytest.raises(ValueError, match=r"critique must be -1, 0 or \+1, got 0\.5 at position 3"):
        credit.arew(TWO.with_columns(critique=[1.0, 0.0, 0.0, 0.5, 2.0, 0.0]))


@given(batch=paid_batches())
def test_critiques_only_move_credit_inside_a_rollout_and_channel(batch):
    made = credit.arew(batch)
    among = population(batch.codes("rollout", "channel"))
    u = made.diagnostics["u"]
    assert (np.abs(among.sum(u)) <= 1e-12).all()
    assert (np.sign(u)[u != 0] == batch.critique[u != 0]).all()
    assert credit.arew(batch.with_columns(critique=np.zeros(len(batch)))).total.tolist() == made.terms["base"].tolist()
