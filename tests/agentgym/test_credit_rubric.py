"""RTT: rubric scores on the tokens that they are about."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym import TurnBatch, credit
from agentgym.batch.ragged import Ragged
from tests.strategies import paid_batches

HALF = math.sqrt(0.5)
A = {"rubric_scores": [1.0, 0.0], "rubric_relevance": [[1.0, 0.0], [0.0, 1.0]], "token_mask": [True, True]}
B = {"rubric_scores": [1.0, 1.0], "rubric_relevance": [[1.0, 0.0], [1.0, 0.0]], "token_mask": [True, True]}


def record(*responses, group="g"):
    """One-turn responses of one group."""
    return TurnBatch.from_rows(
        [
            {"group": group, "trajectory": i, "turn": 0, "tokens": len(r["token_mask"]), **r}
            for i, r in enumerate(responses)
        ]
    )


def tokens_of(result):
    return [row.tolist() for row in result.diagnostics["token"]]


def test_a_score_goes_to_the_tokens_it_is_about():
    # a: values (1, 0) under the first rubric, (0, 0) under the second, which it fails: z = (1, -1) and (0, 0), mean
    # (½, -½). b: (1, 0) under both: (1, -1). R = (0, 1): mean ½, std √½ with ddof 1, GN = ∓√½.
    batch = record(A, B)
    result = credit.rtt(batch, eps=0.0)
    assert tokens_of(result) == [[0.5, -0.5], [1.0, -1.0]]
    assert result.diagnostics["response"].tolist() == [0.0, 1.0]
    a, b = result.to_tokens(batch)
    assert a == pytest.approx([-HALF + 0.25, -HALF - 0.25])
    assert b == pytest.approx([HALF + 0.5, HALF - 0.5])
    # A turn's value is the mean over its tokens, over which z sums to 0.
    assert result.terms["token"].tolist() == [0.0, 0.0]
    assert result.total == pytest.approx([-HALF, HALF])


def test_mean_response_and_mix():
    # R = (½, 1): GN is the same ∓√½. The mix weighs it ¾ and the tokens ¼.
    batch = record(A, B)
    result = credit.rtt(batch, response="mean", method="mix", token_weight=0.25, eps=0.0)
    assert result.diagnostics["response"].tolist() == [0.5, 1.0]
    assert result.to_tokens(batch)[1] == pytest.approx([0.75 * HALF + 0.25, 0.75 * HALF - 0.25])
    # ddof 0: the deviation is ½, GN = ∓1.
    assert credit.rtt(batch, ddof=0, eps=0.0).terms["episode"].tolist() == [-1.0, 1.0]


def test_intra_group_compares_the_tokens_of_all_responses():
    # First rubric: 1, 0, 1, 0: z = ±1. Second: 0, 0, 1, 0: mean ¼, std √3/4, z = -1/√3 three times and √3.
    low = -1 / math.sqrt(3)
    result = credit.rtt(record(A, B), variant="intra_group", eps=0.0)
    a, b = tokens_of(result)
    assert a == pytest.approx([(1 + low) / 2, (-1 + low) / 2])
    assert b == pytest.approx([(1 + math.sqrt(3)) / 2, (-1 + low) / 2])


def test_the_released_reshape_mixes_responses_and_rubrics():
    # Blocks in memory: a1 = (1, 0), a2 = (0, 0), b1 = (1, 0), b2 = (1, 0); read as rubric 1 of a, of b, rubric 2 of a,
    # of b. So a gets a1 and b1, b gets a2 and b2: the failed rubric of a counts for b.
    assert tokens_of(credit.rtt(record(A, B), variant="released_reshape", eps=0.0)) == [[1.0, -1.0], [0.5, -0.5]]
    # With the responses the other way round b gets b1 and a1, a gets b2 and a2.
    assert tokens_of(credit.rtt(record(B, A), variant="released_reshape", eps=0.0)) == [[1.0, -1.0], [0.5, -0.5]]
    assert tokens_of(credit.rtt(record(B, A), preset="released", eps=0.0)) == [[1.0, -1.0], [0.5, -0.5]]
    # One rubric, or one response: nothing to mix.
    one = [{**r, "rubric_scores": [1.0], "rubric_relevance": r["rubric_relevance"][:1]} for r in (A, B)]
    for batch in (record(*one), record(A)):
        plain, reshaped = (credit.rtt(batch, variant=name) for name in ("intra_sample", "released_reshape"))
        assert tokens_of(plain) == tokens_of(reshaped)


def test_the_reshape_pads_short_responses_and_uses_the_mask_it_lands_on():
    # b has one token more, and the second of a is masked. Padded blocks: a1 = (1, 0, 0), a2 = (0, 0, 0),
    # b1 = (4, 0, 2), b2 = (0, 1, 0). a sees the first token of a1 and b1 alone: nothing to compare. b sees a2 whole,
    # which is flat, and b2: mean ⅓, std √2/3, z = (-1/√2, √2, -1/√2).
    a = {**A, "token_mask": [True, False]}
    b = {
        "rubric_scores": [2.0, 1.0],
        "rubric_relevance": [[2.0, 0.0, 1.0], [0.0, 1.0, 0.0]],
        "token_mask": [True, True, True],
    }
    short, long = tokens_of(credit.rtt(record(a, b), variant="released_reshape", eps=0.0))
    assert short == [0.0, 0.0]
    assert long == pytest.approx([-HALF / 2, HALF, -HALF / 2])
    # The other way round: b1 and a1 = (1, 0, 0 of padding) land on b, b2 and a2 on a.
    long, short = tokens_of(credit.rtt(record(b, a), variant="released_reshape", eps=0.0))
    # b1 = (4, 0, 2): mean 2, std √(8/3); a1: mean ⅓, std √2/3, z = (√2, -1/√2, -1/√2).
    spread = math.sqrt(8 / 3)
    assert long == pytest.approx([(2 / spread + 2 * HALF) / 2, (-2 / spread - HALF) / 2, -HALF / 2])
    assert short == [0.0, 0.0]


def split(batch, rng):
    """The same responses told in two turns, cut at a drawn token; rows shuffled."""
    rows = []
    for row in batch.to_rows():
        cut = int(rng.integers(len(row["token_mask"]) + 1))
        for turn, part in enumerate((slice(None, cut), slice(cut, None))):
            relevance = [line[part] for line in row["rubric_relevance"]]
            kept = {**row, "turn": turn, "rubric_relevance": relevance, "token_mask": row["token_mask"][part]}
            rows.append({**kept, "tokens": len(kept["token_mask"])})
    first = list(range(0, len(rows), 2))  # keeps the order of the responses, which the reshape looks at
    return TurnBatch.from_rows([rows[n] for n in first] + [rows[n + 1] for n in rng.permutation(first)])


@pytest.mark.parametrize("variant", ["intra_sample", "intra_group", "released_reshape"])
def test_a_response_is_all_of_its_turns(variant):
    rng = np.random.default_rng(0)
    for _ in range(20):
        lengths = rng.integers(0, 5, rng.integers(1, 5))
        batch = record(
            *(
                {
                    "rubric_scores": rng.integers(0, 3, 3).tolist(),
                    "rubric_relevance": rng.random((3, n)).tolist(),
                    "token_mask": (rng.random(n) < 0.8).tolist(),
                }
                for n in lengths
            )
        )
        told = split(batch, rng)
        whole, parts = credit.rtt(batch, variant=variant), credit.rtt(told, variant=variant)
        values = parts.to_tokens(told)
        for i, wanted in enumerate(whole.to_tokens(batch)):
            rows = sorted(np.flatnonzero(told.trajectory == i), key=lambda row: told.turn[row])
            np.testing.assert_allclose(np.concatenate([values[row] for row in rows]), wanted, rtol=0, atol=1e-10)


def test_masked_tokens_get_nothing_and_tell_nothing():
    masked = {"rubric_scores": [1.0], "rubric_relevance": [[1.0, 0.0, 9.0]], "token_mask": [True, True, False]}
    plain = {"rubric_scores": [0.0], "rubric_relevance": [[1.0]], "token_mask": [True]}
    batch = record(masked, plain)
    first, second = credit.rtt(batch, eps=0.0).to_tokens(batch)
    assert first == pytest.approx([HALF + 0.5, HALF - 0.5, 0.0])
    assert second == pytest.approx([-HALF])


def test_turns_without_valid_tokens_have_the_value_of_their_response():
    nothing = {"rubric_scores": [1.0], "rubric_relevance": [[]], "token_mask": []}
    hidden = {"rubric_scores": [0.0], "rubric_relevance": [[1.0, 2.0]], "token_mask": [False, False]}
    batch = record(nothing, hidden)
    result = credit.rtt(batch, eps=0.0)
    assert result.total == pytest.approx([HALF, -HALF])
    assert [row.tolist() for row in result.to_tokens(batch)] == [[], [0.0, 0.0]]


def test_a_response_alone_has_its_tokens_only():
    batch = record(B)
    result = credit.rtt(batch, eps=0.0)
    assert result.terms["episode"].tolist() == [0.0]
    assert result.to_tokens(batch)[0].tolist() == [0.5, -0.5]


def test_a_group_without_rubrics_gets_nothing():
    bare = {"rubric_scores": [], "rubric_relevance": [], "token_mask": [True]}
    batch = record(bare, bare)
    for variant in ("intra_sample", "intra_group", "released_reshape"):
        for response in ("all", "mean"):
            result = credit.rtt(batch, variant=variant, response=response)
            assert result.total.tolist() == [0.0, 0.0]
            assert result.diagnostics["response"].tolist() == [0.0, 0.0]
    # Beside another group that has some.
    both = TurnBatch.concat([record(A, B), record({**bare, "token_mask": [True, True]}, group="h")])
    assert credit.rtt(both, eps=0.0).total == pytest.approx([-HALF, HALF, 0.0])


def test_scores_that_do_not_fit_together_are_refused():
    turns = {"group": ["g"] * 2, "trajectory": [0] * 2, "turn": [0, 1], "token_mask": [[True], [True]]}
    scored = TurnBatch.from_columns({**turns, "rubric_scores": [[1.0], [0.0]], "rubric_relevance": [[[1.0]], [[1.0]]]})
    with pytest.raises(ValueError, match="rubric_scores of row 1 differ"):
        credit.rtt(scored)
    other = {"rubric_scores": [1.0], "rubric_relevance": [[1.0]], "token_mask": [True]}
    with pytest.raises(ValueError, match="row 1 has 1 rubrics"):
        credit.rtt(record(A, other))
    with pytest.raises(ValueError, match="rubric_relevance of row 0 is empty"):
        credit.rtt(record({**A, "rubric_relevance": []}))


@pytest.mark.parametrize(("option", "value"), [("variant", "intra"), ("response", "any"), ("method", "sum")])
def test_unknown_option_values_are_refused(option, value):
    with pytest.raises(ValueError, match=option):
        credit.rtt(record(A, B), **{option: value})


@pytest.mark.parametrize("variant", ["intra_sample", "intra_group"])
@given(batch=paid_batches(), seed=st.integers(0, 99))
def test_permuting_the_responses_permutes_the_tokens(variant, batch, seed):
    order = np.random.default_rng(seed).permutation(len(batch))
    plain, mixed = (credit.rtt(b, variant=variant).tokens for b in (batch, batch.select(order)))
    np.testing.assert_allclose(mixed.flat, plain.take(order).flat, rtol=0, atol=1e-9)


@given(batch=paid_batches())
def test_the_token_part_sums_to_zero_over_a_response(batch):
    token = np.concatenate([*credit.rtt(batch).diagnostics["token"], []])
    rollout = np.repeat(batch.rollout, batch.token_mask.lengths)
    np.testing.assert_allclose(np.bincount(rollout, token, batch.num_rollouts), 0.0, rtol=0, atol=1e-9)


def test_large_batches_stay_exact_where_populations_are_sparse():
    # One response of very many; its tokens are compared with each other alone.
    rng = np.random.default_rng(1)
    n = 3000
    columns = {"group": np.arange(n) // 4, "trajectory": np.arange(n), "turn": np.zeros(n, int)}
    relevance = Ragged(rng.integers(0, 5, n * 6) / 4.0, np.arange(n + 1) * 6, np.full((n, 2), [2, 3]))
    scores = Ragged(rng.integers(0, 2, n * 2) / 1.0, np.arange(n + 1) * 2)
    mask = Ragged(np.ones(n * 3, bool), np.arange(n + 1) * 3)
    batch = TurnBatch.from_columns(
        {**columns, "rubric_scores": scores, "rubric_relevance": relevance, "token_mask": mask}
    )
    for variant in ("intra_sample", "intra_group", "released_reshape"):
        whole, some = (credit.rtt(b, variant=variant) for b in (batch, batch.select(np.arange(1200, 1204))))
        assert whole.tokens.take(np.arange(1200, 1204)).flat == pytest.approx(some.tokens.flat, abs=1e-12)
