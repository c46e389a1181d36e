"""mica, stepwise_gain, igpo, potential_shaping, and how much outcome a potential stands for, by hand."""

import math

import numpy as np
import pytest
from hypothesis import given

from agentgym import credit
from agentgym.batch import TurnBatch
from agentgym.credit import rows as seen
from agentgym.credit.algebra import TooLarge
from agentgym.credit.diagnostics import alpha_star
from agentgym.errors import MissingColumn
from tests.strategies import paid_batches

ROOT = 2**0.5


def curves(*groups, rewards=None):
    """A row a turn: each rollout is (its potential at every boundary of a turn, outcome)."""
    rows = []
    for g, group in enumerate(groups):
        for i, (curve, outcome) in enumerate(group):
            for t, (before, after) in enumerate(zip(curve[:-1], curve[1:], strict=True)):
                row = {"group": g, "trajectory": i, "turn": t, "potential": before, "next_potential": after}
                last = t == len(curve) - 2
                rows.append(row | {"turn_reward": 0.0, "outcome_reward": outcome if last else 0.0})
    batch = TurnBatch.from_rows(rows)
    return batch if rewards is None else batch.with_columns(turn_reward=rewards)


def assert_close(got, wanted):
    np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-12)


# Gains 1, 3 and 1 (a rollout of one turn).
TWO = curves([((0.0, 1.0, 4.0), 1.0), ((0.0, 1.0), 0.0)])


def test_mica_by_hand():
    # γ ½: G = 1 + 3/2 = 5/2, 3 and 1. Turn 0 holds 5/2 and 1: ±1; turn 1 one value: 0.
    # r over the group: 1, 3, 1, mean 5/3, variance (4/9 + 16/9 + 4/9)/3 = 8/9: -1/√2, √2, -1/√2.
    got = credit.mica(TWO, gamma=0.5, turn_weight=0.25, group_weight=2.0, eps=0.0)
    assert_close(got.diagnostics["gain"], [1, 3, 1])
    assert_close(got.diagnostics["return"], [2.5, 3, 1])
    assert_close(got.terms["turn"], [0.25, 0, -0.25])
    assert_close(got.terms["group"], [-ROOT, 2 * ROOT, -ROOT])
    # Only centred: 5/2 - 7/4; and ddof 1 multiplies the group term by √(2/3), the turn term of two by √(1/2).
    assert_close(credit.mica(TWO, gamma=0.5, normalise="none").terms["turn"], [3 / 8, 0, -3 / 8])
    sample = credit.mica(TWO, gamma=0.5, ddof=1, eps=0.0)
    assert_close(sample.terms["turn"], [0.5 / ROOT, 0, -0.5 / ROOT])
    assert_close(sample.terms["group"], np.array([-1, 2, -1]) / ROOT / 2 * (2 / 3) ** 0.5)


def test_mica_released_has_other_weights_and_discounts():
    own = credit.mica(TWO, turn_weight=0.4, group_weight=0.6, gamma=0.85)
    assert_close(credit.mica(TWO, preset="released").total, own.total)
    assert credit.mica(TWO, preset="released", gamma=1.0).options["gamma"] == 1.0


@given(batch=paid_batches())
def test_mica_return_telescopes(batch):
    # With consistent potentials and γ 1 the return at turn 0 is the last potential less the first, D_0 - D_T.
    after = batch.next_potential
    before = np.empty(len(batch))
    before[batch.order] = np.concatenate([[0.25], after[batch.order]])[:-1]
    before[batch.order[batch.starts]] = 0.25
    made = credit.mica(batch.with_columns(potential=before))
    ends = batch.order[batch.starts + batch.lengths - 1]
    assert_close(made.diagnostics["return"][batch.order[batch.starts]], after[ends] - 0.25)


@pytest.mark.parametrize("normalise", ["std", "none"])
@given(batch=paid_batches())
def test_potential_terms_sum_to_zero_over_their_population(normalise, batch):
    made = credit.mica(batch, normalise=normalise)
    for term, among in (("turn", seen.by_group_turn(batch)), ("group", seen.by_group(batch))):
        sizes = among.sum(np.abs(made.terms[term]))
        assert (np.abs(among.sum(made.terms[term])) <= 1e-12 * np.maximum(sizes, 1.0)).all()
    joint = credit.stepwise_gain(batch, normalise=normalise, eps=1e-8).total
    assert_close(joint * 0.5, made.terms["group"])


def test_zone_distance_counts_deficits_beyond_the_tolerance():
    # ε 1: -10 lies 9 outside, -1 and 5 are inside; √(9² + 12²) = 15.
    assert credit.zone_distance([-10.0, -1.0, 5.0]) == 9.0
    assert_close(credit.zone_distance([[-10, -13, 2], [0, 0, -1]]), [15, 0])
    assert credit.zone_distance([-10, -13], eps=13.0) == 0.0
    assert credit.zone_distance(np.zeros((2, 0, 3))).shape == (2, 0)
    with pytest.raises(ValueError, match="one value an axis"):
        credit.zone_distance(3.0)
    with pytest.raises(ValueError, match="position is not finite at position 1"):
        credit.zone_distance([[0.0], [math.nan]])


def test_stepwise_gain_by_hand():
    # As mica's group term; per step turn 0 holds 1 and 1 (no spread), turn 1 one value.
    got = credit.stepwise_gain(TWO, eps=0.0)
    assert_close(got.total, [-1 / ROOT, ROOT, -1 / ROOT])
    assert_close(got.diagnostics["gain"], [1, 3, 1])
    assert credit.stepwise_gain(TWO, variant="per_step").total.tolist() == [0.0, 0.0, 0.0]
    with pytest.raises(ValueError, match="did you mean 'per_step'"):
        credit.stepwise_gain(TWO, variant="step")


# Gains but for the last turns: 1, 3 | 2 | none. Their mean is 2, variance 2/3. Outcomes 1, 0, 0: √2, -1/√2, -1/√2.
THREE = curves([((0.0, 1.0, 4.0, 9.0), 1.0), ((0.0, 2.0, 7.0), 0.0), ((0.0, 8.0), 0.0)])


def test_igpo_by_hand():
    # z of the gains: -√(3/2), √(3/2) and 0. γ ½: turn 0 of the first rollout has -√1.5 + ½·√1.5, turn 1 has √1.5.
    # The outcome's z reaches back discounted: √2/4, √2/2, √2.
    z = 1.5**0.5
    got = credit.igpo(THREE, gamma=0.5, eps=0.0)
    assert_close(got.terms["gain"], [-z / 2, z, 0, 0, 0, 0])
    assert_close(got.terms["outcome"], [ROOT / 4, ROOT / 2, ROOT, -0.5 / ROOT, -1 / ROOT, -1 / ROOT])
    assert got.diagnostics["gain"].tolist() == [1, 3, 0, 2, 0, 0]
    # As the released code discounts, γ 1: -√1.5 + √1.5 = 0, and the outcome in full.
    whole = credit.igpo(THREE, gamma=1.0, eps=0.0)
    assert_close(whole.total, [ROOT, z + ROOT, ROOT, -1 / ROOT, -1 / ROOT, -1 / ROOT])
    # Only centred: gains -1, 1 and 0; outcomes 2/3, -1/3, -1/3.
    centred = credit.igpo(THREE, gamma=0.0, normalise="none")
    assert_close(centred.total, [-1, 1, 2 / 3, 0, -1 / 3, -1 / 3])


def test_igpo_what_the_last_turns_gained_plays_no_part():
    # Not even where it is so large that it would swamp the others.
    far = THREE.with_columns(next_potential=np.where(THREE.last, 1e300, THREE.next_potential))
    assert credit.igpo(far).total.tolist() == credit.igpo(THREE).total.tolist()


def test_igpo_groups_and_ties():
    # Equal gains and equal outcomes give 0; one-turn rollouts have outcomes alone, ±1.
    flat = curves([((0.0, 1.0, 2.0), 1.0), ((3.0, 4.0, 9.0), 1.0)], [((0.0, 5.0), 1.0), ((0.0, 0.0), 0.0)])
    assert_close(credit.igpo(flat, eps=0.0).total, [0, 0, 0, 0, 1, -1])


def test_igpo_tips_is_shaping_over_grpo():
    # Gained in all: 9, 7, 8 beside the outcomes 1, 0, 0: 10, 7, 8, mean 25/3, deviations 5/3, -4/3, -1/3.
    got = credit.igpo(THREE, preset="tips", normalise="none")
    assert_close(got.total, [5 / 3] * 3 + [-4 / 3] * 2 + [-1 / 3])
    assert set(got.terms) == {"episode"}
    assert credit.igpo(THREE, preset="tips").total.tolist() == credit.potential_shaping(THREE).total.tolist()
    assert credit.info("igpo").needs == ("outcome_reward", "potential", "next_potential")
    assert credit.info("igpo").needs_with(preset="tips")[0] == "turn_reward"
    with pytest.raises(ValueError, match="did you mean 'shaping'"):
        credit.igpo(THREE, variant="shape")


def test_potential_shaping_by_hand():
    # γ ½: the rows of TWO pay ½·1 - 0 = ½, ½·4 - 1 = 1 and ½·1 = ½ beside their own 0, 1 and 2.
    # Returns with outcomes: ½ + (1 + 1) + 1 = 7/2 and ½ + 2 = 5/2: ±1 over the std ½, less the mean ±½.
    paid = TWO.with_columns(turn_reward=[0.0, 1.0, 2.0])
    got = credit.potential_shaping(paid, gamma=0.5, base_options={"normalise": "none"})
    assert_close(got.diagnostics["shaping"], [0.5, 1, 0.5])
    assert_close(got.total, [0.5, 0.5, -0.5])
    # A base that looks at single turns: mt_grpo's own turns pay ½ and 2 + ½ at turn 0, alone at turn 1.
    turns = credit.potential_shaping(paid, gamma=0.5, base="mt_grpo", base_options={"variant": "own_turn", "eps": 0.0})
    assert_close(turns.terms["turn"], [-1, 0, 1])
    assert_close(turns.terms["outcome"], [1, 1, -1])


def test_potential_shaping_leaves_a_base_alone_where_nothing_is_gained():
    level = THREE.with_columns(potential=np.full(6, 7.0), next_potential=np.full(6, 7.0), anchor=list("ssstsu"))
    for base in ("grpo", "gigpo", credit.mt_grpo):
        made, bare = credit.potential_shaping(level, base=base), credit.estimate(base, level)
        assert made.total.tolist() == bare.total.tolist()
        assert set(made.terms) == set(bare.terms)


def test_potential_shaping_of_a_function_and_of_another_base():
    # arew over grpo: critique alone in its rollout has no say, so that grpo's ±1 stays.
    judged = TWO.with_columns(critique=[1.0, 0.0, 0.0])
    nested = credit.potential_shaping(judged, base="arew", base_options={"base_options": {"eps": 0.0}})
    assert_close(nested.total, [1, 1, -1])
    assert_close(credit.potential_shaping(TWO, base=lambda batch: batch.turn_reward).total, [1, 3, 1])


def test_potential_shaping_needs_what_its_base_needs():
    found = credit.info("potential_shaping")
    assert found.needs == ("turn_reward", "potential", "next_potential", "outcome_reward")
    options = {"base": "arew", "base_options": {"base": "gigpo", "channels": True}}
    assert set(found.needs_with(**options)) == {*found.needs, "critique", "channel", "anchor"}
    assert found.signals == ("potential",)
    assert found.signals_with(**options) == ("potential", "critique")
    with pytest.raises(MissingColumn, match="estimator 'potential_shaping' needs the column 'anchor'"):
        credit.potential_shaping(TWO, base="gigpo")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"gamma": 1.5}, ValueError, "gamma must lie in"),
        ({"base": "grop"}, ValueError, "did you mean 'grpo'"),
        ({"base": "grpo", "base_options": {"rewards": "outcome"}}, ValueError, "'grpo' .* does not read turn_reward"),
        ({"base": "mica"}, ValueError, "'mica' with options {} does not read turn_reward"),
        ({"base": np.zeros(3)}, TypeError, "base must name an estimator here"),
        ({"base": "none"}, ValueError, "unknown estimator 'none'"),
    ],
)
def test_potential_shaping_refuses(options, error, message):
    with pytest.raises(error, match=message):
        credit.potential_shaping(TWO, **options)


def test_gains_beyond_float64_are_named():
    huge = TWO.with_columns(potential=[-1.7e308, 0.0, 0.0], next_potential=[1.7e308, 0.0, 0.0])
    for name in ("mica", "stepwise_gain", "igpo"):
        with pytest.raises(TooLarge, match=f"'{name}' cannot run: a gain, next_potential - potential,"):
            credit.estimate(name, huge)
    with pytest.raises(TooLarge, match="a shaping reward"):
        credit.potential_shaping(huge)


def test_alpha_star_by_hand():
    # Group 0: outcomes 1, 0, 0 and gains 9, 7, 8; deviations (2/3, -1/3, -1/3) and (1, -1, 0): 1 over 2. Group 1, where
    # all is worth ten times as much, is measured against its own means: outcomes 0, 10 (∓5), gains 104, 100 (±2):
    # -20 over 8. Together -19/10.
    easy = [((0.0, 1.0, 4.0, 9.0), 1.0), ((0.0, 2.0, 7.0), 0.0), ((0.0, 8.0), 0.0)]
    assert alpha_star(curves(easy)) == pytest.approx(1 / 2)
    both = curves(easy, [((0.0, 104.0), 0.0), ((0.0, 100.0), 10.0)])
    assert alpha_star(both) == pytest.approx(-19 / 10)
    # Any estimator shows it where the columns are there, dense or not.
    for name in ("grpo", "mica", "igpo", "potential_shaping"):
        assert credit.estimate(name, both).diagnostics["alpha_star"] == pytest.approx(-19 / 10)
    assert "alpha_star" not in credit.mica(both.without("outcome_reward", "turn_reward")).diagnostics


def test_alpha_star_without_spread_and_at_the_ends_of_the_range():
    assert alpha_star(curves([((0.0, 1.0), 1.0), ((2.0, 3.0), 0.0)], [((0.0, 5.0), 1.0)])) is None
    assert alpha_star(TWO.select([])) is None
    # Outcome 1 more for 1e200 more of gain, whose square is beyond float64.
    assert alpha_star(curves([((0.0, 1e200), 1.0), ((0.0, 0.0), 0.0)])) == pytest.approx(1e-200)


@pytest.mark.parametrize("name", ["mica", "stepwise_gain", "igpo", "potential_shaping"])
def test_columns_that_are_missing_are_named(name):
    with pytest.raises(MissingColumn, match=f"'{name}' needs the column 'next_potential'.*signals="):
        credit.estimate(name, TWO.without("next_potential"))
