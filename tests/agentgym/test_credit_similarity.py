"""TF-IDF and the means over similar texts: the rules, and that blocks of any size give the same numbers."""

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym import TurnBatch
from agentgym.credit import similarity
from agentgym.credit.similarity import soft_mean, tf_idf
from tests.agentgym.credit.loops_soft_group import vectors
from tests.agentgym.test_credit_graph_return import assert_close

ONCE = np.ones(1, int)


def matrix(found, texts):
    return found.dense(np.arange(texts))


def batch_of(groups, texts):
    count = len(texts)
    return TurnBatch.from_columns(
        {"group": groups, "trajectory": range(count), "turn": [0] * count, "observation": texts}
    )


def test_terms():
    # Lower-cased runs of two or more word characters: "the_2", "ünder", "x1", "42"; "a", "I", "7" are too short.
    found = tf_idf(["The_2 a Ünder-x1, I 42!\n7"], ONCE)
    assert_close(matrix(found, 1), [[0.5] * 4])


def test_weights_by_hand():
    # Three documents: "red red door", and "red box" twice. red is in all: ln(4/4) + 1 = 1; door: ln(4/2) + 1;
    # box: ln(4/3) + 1. Counts 2 and 1, then length 1.
    found = matrix(tf_idf(["red red door", "red box"], np.array([1, 2])), 2)
    door, box = math.log(2) + 1, math.log(4 / 3) + 1
    assert_close(found[0], np.array([2, door, 0]) / math.hypot(2, door))
    assert_close(found[1], np.array([1, 0, box]) / math.hypot(1, box))


def test_the_most_frequent_terms_are_kept_and_ties_are_alphabetical():
    # Occurrences: cc 3 (twice in the second text), bb 2 (the first text stands twice), aa 1, dd 1.
    texts, times = ["bb", "cc cc dd", "cc aa"], np.array([2, 1, 1])
    found = tf_idf(texts, times, 3)
    assert (np.diff(found.begins) == [1, 1, 2]).all()  # dd, which ties with aa, is gone
    assert (np.diff(tf_idf(texts, times, 1).begins) == [0, 1, 1]).all()
    assert not matrix(tf_idf(texts, times, 1), 3)[0].any()  # nothing left of "bb"


@given(st.lists(st.text("ab cd\n", max_size=12), min_size=1, max_size=6), st.sampled_from([1, 2, 1024]))
def test_order_of_the_texts_does_not_matter_and_a_loop_agrees(texts, limit):
    kinds = list(dict.fromkeys(texts))
    times = np.array([texts.count(text) for text in kinds])
    here = matrix(tf_idf(kinds, times, limit), len(kinds))
    there = matrix(tf_idf(kinds[::-1], times[::-1], limit), len(kinds))[::-1]
    assert_close(here @ here.T, there @ there.T)
    slow = vectors(texts, limit)
    wanted = [[sum(w * b.get(t, 0.0) for t, w in a.items()) for b in slow] for a in slow]
    at = [kinds.index(text) for text in texts]
    assert_close((here @ here.T)[np.ix_(at, at)], wanted)


def test_no_text_has_a_term():
    assert matrix(tf_idf(["", "a"], np.ones(2, int)), 2).shape == (2, 0)


def drawn(count=300):
    rng = np.random.default_rng(5)
    words = [f"word{n}" for n in range(30)]
    texts = [" ".join(words[n] for n in rng.integers(0, 30, rng.integers(0, 6))) for _ in range(count)]
    return batch_of(np.sort(rng.integers(0, 12, count) ** 2).tolist(), texts), rng.normal(size=count)


@pytest.mark.parametrize(("shared", "block", "cells"), [(0, 1, 1), (0, 64, 50), (1e9, 64, 1 << 20), (1e9, 64, 7)])
def test_blocks_of_any_size_give_the_same_means(monkeypatch, shared, block, cells):
    # SHARED 0: never all in one block; large: always.
    batch, x = drawn()
    wanted = soft_mean(batch, x, 0.1)
    for name, value in (("SHARED", shared), ("BLOCK", block), ("CELLS", cells)):
        monkeypatch.setattr(similarity, name, value)
    assert_close(soft_mean(batch, x, 0.1), wanted)


def test_how_groups_are_cut_into_blocks():
    # Groups of 2, 2 and 1 cells of 3 texts: 16·(4 + 4 + 1)/3 ≥ 9, one block.
    assert similarity._blocks(np.array([0, 0, 1, 1, 2]), 3) == [slice(0, 5)]
    # 300 groups of one text each, all different: 16·1 < 300²; 64 groups a block.
    assert [at.stop for at in similarity._blocks(np.arange(300), 300)] == [64, 128, 192, 256, 300]
    # A large group that begins in a block stays whole.
    group = np.repeat([0, 1, 2], [1, 100, 1])
    assert similarity._blocks(group, 102 * 9) == [slice(0, 101), slice(101, 102)]


@pytest.mark.parametrize("groups", [1, 50])
def test_no_array_of_all_pairs(groups):
    # 4,000 different texts: all pairs are 16 million numbers, 128 MB. One group alone would have them all.
    count = 4000
    batch = batch_of([n % groups for n in range(count)], [f"door {n} and box {n % 90}" for n in range(count)])
    batch.codes("observation")
    x = np.arange(count) / count
    tracemalloc.start()
    try:
        soft_mean(batch, x, 0.1)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * count**2 / 2


def test_equal_texts_are_read_once(monkeypatch):
    asked = []

    def counting(texts, times, limit):
        asked.extend(texts)
        return tf_idf(texts, times, limit)

    monkeypatch.setattr(similarity, "tf_idf", counting)
    soft_mean(batch_of([0] * 6, ["door", "box"] * 3), np.arange(6.0), 0.1)
    assert asked == ["door", "box"]


def test_no_rows():
    assert soft_mean(batch_of([], []), np.zeros(0), 0.1).shape == (0,)
