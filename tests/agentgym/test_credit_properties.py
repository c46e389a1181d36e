"""The properties that the estimators have by their formulas, on drawn records.

Every form that claims a property is tried on each drawn record: to draw one takes longer than to credit it.
"""

from contextlib import contextmanager

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


def claiming(*claims):
    """The forms that claim all of these properties."""
    return [form for form in FORMS if set(claims) <= set(form.claims.split())]


def test_every_estimator_is_tried_and_claims_are_known():
    assert {form.name for form in FORMS} == OURS
    assert {claim for form in FORMS for claim in form.claims.split()} <= set(CLAIMS)
    assert all(claiming(claim) for claim in CLAIMS)


@contextmanager
def trying(form):
    """Name the form in whatever is raised."""
    try:
        yield
    except Exception as error:
        error.add_note(f"with {form.name!r} and the options {form.options}")
        raise


OPTIONAL = ("success", "action", "valid", "prefix", "channel", "tokens")
"""Columns that some estimators read where they are there."""


class Record:
    """Rows as batches, each with the columns that a form reads; forms that read the same share one."""

    def __init__(self, rows):
        self.rows, self.made = rows, {}

    def __getitem__(self, form):
        needs = credit.info(form.name).needs_with(**form.options)
        read = frozenset({"group", "trajectory", "turn", "turn_reward", "outcome_reward", *OPTIONAL, *needs})
        if read not in self.made:
            rows = [{column: row[column] for column in row if column in read} for row in self.rows]
            self.made[read] = TurnBatch.from_rows(rows)
        return self.made[read]


def total(form, batch, **options):
    return credit.estimate(form.name, batch, **{**form.options, **options}).total


def assert_close(got, wanted, atol=1e-9):
    np.testing.assert_allclose(got, wanted, rtol=0, atol=atol)


def shifted(batch, column, by):
    """The batch with a constant per group added to every value of a column (outcomes: to the last turns)."""
    there = batch.last if column == "outcome_reward" else np.ones(len(batch), bool)
    return batch.with_columns({column: batch[column] + np.where(there, by * (batch.group_code + 1.0), 0.0)})


def known(form, **options):
    """Those of the options that the estimator has: some never divide and so have no `normalise`, no `eps`."""
    return {option: value for option, value in options.items() if option in credit.info(form.name).options}


def scaled(batch, c):
    return batch.with_columns(turn_reward=batch.turn_reward * c, outcome_reward=batch.outcome_reward * c)


@given(rows=paid_rows(), randomness=st.randoms(use_true_random=False))
def test_order_permuting_rows_permutes_the_result(rows, randomness):
    order = list(range(len(rows)))
    randomness.shuffle(order)
    plain, mixed = Record(rows), Record([rows[n] for n in order])
    for form in claiming("order"):
        with trying(form):
            assert_close(total(form, mixed[form]), total(form, plain[form])[order])


@given(rows=paid_rows())
def test_finite_and_ragged(rows):
    record = Record(rows)
    for form in FORMS:
        with trying(form):
            result = credit.estimate(form.name, record[form], **form.options)
            assert result.total.shape == (len(rows),)
            assert np.isfinite(result.total).all()
            assert_close(result.total, sum(result.terms.values()))


@given(rows=paid_rows(max_groups=2), other=paid_rows(max_groups=1))
def test_a_group_is_not_changed_by_the_others(rows, other):
    record, more, joined = Record(rows), Record(other), {}
    for form in claiming("apart"):
        with trying(form):
            batch = record[form]
            if id(batch) not in joined:
                joined[id(batch)] = TurnBatch.concat([batch, more[form]], relabel=True)
            assert_close(total(form, joined[id(batch)])[: len(rows)], total(form, batch))


@pytest.mark.parametrize("form", FORMS, ids=IDS)
def test_no_turns_and_one_turn(form):
    one = TurnBatch.from_rows(rows_of(np.random.default_rng(0), [[1]]))
    none = TurnBatch.from_columns({column: list(one[column])[:0] for column in one.columns})
    assert total(form, none).shape == (0,)
    assert total(form, one).shape == (1,)


def keeps_all(forms, rows, change, **options):
    """Assert that a change of the batch changes no advantage of these forms."""
    record = Record(rows)
    for form in forms:
        with trying(form):
            batch, more = record[form], known(form, **options)
            assert_close(total(form, change(batch), **more), total(form, batch, **more))


BY = st.sampled_from([1.0, -3.0])


@given(rows=paid_rows(), by=BY)
def test_shift_of_every_outcome_of_a_group(rows, by):
    keeps_all(claiming("outcome_shift"), rows, lambda batch: shifted(batch, "outcome_reward", by))


@given(rows=paid_rows(), by=BY)
def test_shift_of_every_turn_reward_of_a_group(rows, by):
    keeps_all(claiming("turn_shift"), rows, lambda batch: shifted(batch, "turn_reward", by))


@given(
    turns=st.lists(st.integers(1, 4), min_size=1, max_size=3),
    rollouts=st.integers(1, 4),
    seed=st.integers(0, 2**32 - 1),
    by=BY,
)
def test_shift_of_every_turn_reward_with_equal_lengths(turns, rollouts, seed, by):
    rows = rows_of(np.random.default_rng(seed), [[length] * rollouts for length in turns])
    keeps_all(claiming("equal_turn_shift"), rows, lambda batch: shifted(batch, "turn_reward", by))


@given(rows=paid_rows(), c=st.sampled_from([0.5, 4.0]))
def test_scale_leaves_standardised_forms_alone(rows, c):
    keeps_all(claiming("standardised"), rows, lambda batch: scaled(batch, c), normalise="std", eps=0.0)


@given(rows=paid_rows(), c=st.sampled_from([0.5, 4.0]))
def test_scale_carries_over_where_nothing_is_divided(rows, c):
    record = Record(rows)
    for form in claiming("linear"):
        with trying(form):
            batch, more = record[form], known(form, normalise="none")
            assert_close(total(form, scaled(batch, c), **more), c * total(form, batch, **more))


TYPES = st.sampled_from([np.float64, np.float32, np.float16])


@given(rows=paid_rows(max_rollouts=7), outcome=st.sampled_from([0.7, 0.1, 1 / 3, 10.02]), dtype=TYPES)
def test_equal_outcomes_and_no_turn_rewards_give_exactly_zero(rows, outcome, dtype):
    record = Record(rows)
    for form in claiming("flat"):
        with trying(form):
            batch = record[form]
            paid = np.where(batch.last, np.array(outcome, dtype), np.array(0.0, dtype))
            equal = batch.with_columns(turn_reward=np.zeros(len(batch), dtype), outcome_reward=paid)
            assert (total(form, equal) == 0.0).all()


@given(rows=paid_rows(max_rollouts=1))
def test_one_rollout_alone_in_its_group_gives_zero(rows):
    record = Record(rows)
    for form in claiming("lone"):
        with trying(form):
            assert (total(form, record[form]) == 0.0).all()


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
