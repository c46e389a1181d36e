"""The properties that the estimators have by their formulas, on drawn records."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym import credit
from agentgym.batch import TurnBatch
from agentgym.credit import rows as seen
from tests.agentgym.credit_cases import CLAIMS, rows_of
from tests.agentgym.credit_families import FORMS, OURS
from tests.strategies import paid_batches, paid_rows

IDS = [f"{form.name}-{'-'.join(map(str, form.options.values()))}" for form in FORMS]
each = pytest.mark.parametrize(("name", "options"), [form[:2] for form in FORMS], ids=IDS)


def claiming(*claims):
    """The forms that claim all of these properties."""
    chosen = [n for n, form in enumerate(FORMS) if set(claims) <= set(form.claims.split())]
    return pytest.mark.parametrize(("name", "options"), [FORMS[n][:2] for n in chosen], ids=[IDS[n] for n in chosen])


def test_every_estimator_is_tried_and_claims_are_known():
    assert {form.name for form in FORMS} == OURS
    assert {claim for form in FORMS for claim in form.claims.split()} <= set(CLAIMS)


OPTIONAL = ("success", "action", "valid", "prefix", "channel", "tokens")
"""Columns that some estimators read where they are there."""


def batch_of(rows, name, options):
    """The rows with the columns that the estimator reads: to make a record of all takes longer than to credit it."""
    read = {"group", "trajectory", "turn", "turn_reward", "outcome_reward", *OPTIONAL}
    read |= set(credit.info(name).needs_with(**options))
    return TurnBatch.from_rows([{column: row[column] for column in row if column in read} for row in rows])


def assert_close(got, wanted, atol=1e-9):
    np.testing.assert_allclose(got, wanted, rtol=0, atol=atol)


def shifted(batch, column, by):
    """The batch with a constant per group added to every value of a column (outcomes: to the last turns)."""
    there = batch.last if column == "outcome_reward" else np.ones(len(batch), bool)
    return batch.with_columns({column: batch[column] + np.where(there, by * (batch.group_code + 1.0), 0.0)})


def known(name, **options):
    """Those of the options that the estimator has: some never divide and so have no `normalise`, no `eps`."""
    return {option: value for option, value in options.items() if option in credit.info(name).options}


def scaled(batch, c):
    return batch.with_columns(turn_reward=batch.turn_reward * c, outcome_reward=batch.outcome_reward * c)


@claiming("order")
@given(rows=paid_rows(), randomness=st.randoms(use_true_random=False))
def test_order_permuting_rows_permutes_the_result(name, options, rows, randomness):
    order = list(range(len(rows)))
    randomness.shuffle(order)
    plain = credit.estimate(name, batch_of(rows, name, options), **options).total
    mixed = credit.estimate(name, batch_of([rows[n] for n in order], name, options), **options).total
    assert_close(mixed, plain[order])


@each
@given(rows=paid_rows())
def test_finite_and_ragged(name, options, rows):
    batch = batch_of(rows, name, options)
    result = credit.estimate(name, batch, **options)
    assert result.total.shape == (len(batch),)
    assert np.isfinite(result.total).all()
    assert_close(result.total, sum(result.terms.values()))


@claiming("apart")
@given(rows=paid_rows(max_groups=2), other=paid_rows(max_groups=1))
def test_a_group_is_not_changed_by_the_others(name, options, rows, other):
    batch = batch_of(rows, name, options)
    both = TurnBatch.concat([batch, batch_of(other, name, options)], relabel=True)
    assert_close(
        credit.estimate(name, both, **options).total[: len(batch)], credit.estimate(name, batch, **options).total
    )


@each
def test_no_turns_and_one_turn(name, options):
    one = TurnBatch.from_rows(rows_of(np.random.default_rng(0), [[1]]))
    none = TurnBatch.from_columns({column: list(one[column])[:0] for column in one.columns})
    assert credit.estimate(name, none, **options).total.shape == (0,)
    assert credit.estimate(name, one, **options).total.shape == (1,)


@claiming("outcome_shift")
@given(rows=paid_rows(), by=st.sampled_from([1.0, -3.0]))
def test_shift_of_every_outcome_of_a_group(name, options, rows, by):
    batch = batch_of(rows, name, options)
    moved = credit.estimate(name, shifted(batch, "outcome_reward", by), **options).total
    assert_close(moved, credit.estimate(name, batch, **options).total)


@claiming("turn_shift")
@given(rows=paid_rows(), by=st.sampled_from([1.0, -3.0]))
def test_shift_of_every_turn_reward_of_a_group(name, options, rows, by):
    batch = batch_of(rows, name, options)
    moved = credit.estimate(name, shifted(batch, "turn_reward", by), **options).total
    assert_close(moved, credit.estimate(name, batch, **options).total)


@claiming("equal_turn_shift")
@given(
    turns=st.lists(st.integers(1, 4), min_size=1, max_size=3),
    rollouts=st.integers(1, 4),
    seed=st.integers(0, 2**32 - 1),
    by=st.sampled_from([1.0, -3.0]),
)
def test_shift_of_every_turn_reward_with_equal_lengths(name, options, turns, rollouts, seed, by):
    shape = [[length] * rollouts for length in turns]
    batch = batch_of(rows_of(np.random.default_rng(seed), shape), name, options)
    moved = credit.estimate(name, shifted(batch, "turn_reward", by), **options).total
    assert_close(moved, credit.estimate(name, batch, **options).total)


@claiming("standardised")
@given(rows=paid_rows(), c=st.sampled_from([0.5, 4.0]))
def test_scale_leaves_standardised_forms_alone(name, options, rows, c):
    batch = batch_of(rows, name, options)
    options = {**options, **known(name, normalise="std", eps=0.0)}
    assert_close(
        credit.estimate(name, scaled(batch, c), **options).total, credit.estimate(name, batch, **options).total
    )


@claiming("linear")
@given(rows=paid_rows(), c=st.sampled_from([0.5, 4.0]))
def test_scale_carries_over_where_nothing_is_divided(name, options, rows, c):
    batch = batch_of(rows, name, options)
    options = {**options, **known(name, normalise="none")}
    scaled_total = credit.estimate(name, scaled(batch, c), **options).total
    assert_close(scaled_total, c * credit.estimate(name, batch, **options).total)


TYPES = st.sampled_from([np.float64, np.float32, np.float16])


@claiming("flat")
@given(rows=paid_rows(max_rollouts=7), outcome=st.sampled_from([0.7, 0.1, 1 / 3, 10.02]), dtype=TYPES)
def test_equal_outcomes_and_no_turn_rewards_give_exactly_zero(name, options, rows, outcome, dtype):
    batch = batch_of(rows, name, options)
    paid = np.where(batch.last, np.array(outcome, dtype), np.array(0.0, dtype))
    equal = batch.with_columns(turn_reward=np.zeros(len(batch), dtype), outcome_reward=paid)
    assert (credit.estimate(name, equal, **options).total == 0.0).all()


@claiming("lone")
@given(rows=paid_rows(max_rollouts=1))
def test_one_rollout_alone_in_its_group_gives_zero(name, options, rows):
    batch = batch_of(rows, name, options)
    assert (credit.estimate(name, batch, **options).total == 0.0).all()


def assert_sums_to_zero(x, among, votes=1.0):
    over, size = among.sum(votes * x), among.sum(np.abs(votes * x))
    assert (np.abs(over) <= 1e-12 * np.maximum(size, 1.0)).all()


@pytest.mark.parametrize("normalise", ["std", "none"])
@pytest.mark.parametrize("votes", ["trajectory", "turn", "token"])
@given(batch=paid_batches())
def test_episode_terms_sum_to_zero_over_a_group_in_their_votes(votes, normalise, batch):
    term = credit.grpo(batch, votes=votes, normalise=normalise).terms["episode"]
    per_rollout = term[batch.order[batch.starts]]
    counts = {
        "trajectory": np.ones(batch.num_rollouts),
        "turn": batch.lengths.astype(float),
        "token": np.bincount(batch.rollout, batch.tokens, batch.num_rollouts),
    }[votes]
    voters = np.bincount(batch.rollout_group, counts, batch.num_groups) > 0  # nobody's vote: nothing is centred
    assert (per_rollout[~voters[batch.rollout_group]] == 0).all()
    assert_sums_to_zero(per_rollout, seen.rollouts_by_group(batch), counts)


@pytest.mark.parametrize("normalise", ["std", "none"])
@given(batch=paid_batches())
def test_centred_turn_terms_sum_to_zero(normalise, batch):
    own = credit.mt_grpo(batch, variant="own_turn", normalise=normalise).terms["turn"]
    assert_sums_to_zero(own, seen.by_group_turn(batch))
    assert_sums_to_zero(credit.gigpo(batch, normalise=normalise).terms["step"], seen.by_group_state(batch))
    hindsight = credit.hcapo(batch, normalise=normalise, do_no_harm=False).terms["hindsight"]
    assert_sums_to_zero(hindsight, seen.by_group(batch))


@given(batch=paid_batches())
def test_gigpo_with_all_states_distinct_is_its_episode_term(batch):
    distinct = batch.with_columns(anchor=[f"s{n}" for n in range(len(batch))])
    result = credit.gigpo(distinct)
    assert (result.terms["step"] == 0).all()
    assert_close(result.total, credit.grpo(batch).total)


@given(batch=paid_batches())
def test_gigpo_with_one_state_in_all_is_episode_term_and_plain_centring(batch):
    result = credit.gigpo(batch.with_columns(anchor=["s"] * len(batch)), normalise="none")
    to_come = seen.to_go(batch, seen.reward(batch), 0.95)
    means = np.bincount(batch.group_code, to_come) / np.bincount(batch.group_code)
    assert_close(result.total, credit.grpo(batch, normalise="none").total + to_come - means[batch.group_code])


@given(batch=paid_batches(), logprob=st.sampled_from([-0.5, -4.0]))
def test_hcapo_with_equal_probabilities_is_the_discounted_outcome(batch, logprob):
    result = credit.hcapo(batch.with_columns(hindsight_logprob=np.full(len(batch), logprob)), gamma=0.9)
    assert_close(result.diagnostics["rho"], np.ones(len(batch)))
    value = np.bincount(batch.rollout, batch.turn_reward + batch.outcome_reward)
    assert_close(result.diagnostics["q"], 0.9 ** (batch.lengths[batch.rollout] - 1 - batch.turn) * value[batch.rollout])


@given(batch=paid_batches())
def test_hcapo_does_no_harm(batch):
    bare = credit.hcapo(batch, do_no_harm=False).terms["hindsight"]
    masked = credit.hcapo(batch).terms["hindsight"]
    assert (masked[batch.success] == np.maximum(bare, 0)[batch.success]).all()
    assert (masked[~batch.success] == bare[~batch.success]).all()


@given(batch=paid_batches(), prior=st.sampled_from([0.0, 0.3, 2.0]))
def test_state_graph_residuals_at_a_node_sum_to_the_pull_of_the_prior(batch, prior):
    # (n_s + κ)·V = Σ[ρ + γcV'] + κμ, so Σ A = Σ[ρ + γcV' - V] = κ·(V - μ).
    result = credit.state_graph(batch, prior=prior, normalise="none")
    value = np.bincount(batch.rollout, batch.turn_reward + batch.outcome_reward)
    mean = np.bincount(batch.rollout_group, value) / np.bincount(batch.rollout_group)
    nodes = seen.by_group_state(batch)
    pull = prior * (result.diagnostics["value"] - mean[batch.group_code])
    assert_close(nodes.sum(result.total), nodes.sum(pull) / nodes.counts)


@given(batch=paid_batches())
def test_state_graph_of_a_group_without_reward_is_zero(batch):
    nothing = scaled(batch, 0.0)
    assert (credit.state_graph(nothing).total == 0).all()
    assert (credit.state_graph(nothing, normalise="none").total == 0).all()


@given(batch=paid_batches())
def test_state_graph_without_a_prior_gives_states_seen_once_zero(batch):
    distinct = batch.with_columns(anchor=[f"n{n}" for n in range(len(batch))])
    result = credit.state_graph(distinct, prior=0.0, normalise="none")
    assert_close(result.total, np.zeros(len(batch)))
    assert result.diagnostics["singletons"] == 1.0


@given(batch=paid_batches())
def test_two_segments_add_up_to_the_merged_form_where_no_tool_answered(batch):
    silent = batch.with_columns(tool_result=np.zeros(len(batch), bool))
    merged = credit.mt_grpo(silent, variant="grpo_mr", ddof=1, eps=1e-4).total
    assert_close(credit.mt_grpo(silent, preset="two_segment").total, merged)
