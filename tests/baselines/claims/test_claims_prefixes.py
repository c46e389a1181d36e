"""Shared prefixes against whole rollouts: the claim's setting, and its figures against theory."""

import numpy as np
import pytest

from agentgym import collect
from agentgym.baselines.claims import prefixes
from agentgym.baselines.claims.prefixes import Choices
from agentgym.baselines.policies import RandomPolicy
from agentgym.fidelity import true_advantages


class Says:
    signals = ()
    markov = True

    def __init__(self, *words):
        self.words = words

    def __call__(self, views):
        return [self.words[view.turn] for view in views]


def test_the_world_by_hand():
    # one, one, none with later = -2: 1, 1 - 2, 0 - 2.
    batch = collect(Choices(later=-2.0, max_turns=3), Says("one", "one", "none"), tasks=1, group_size=1)
    assert batch.turn_reward.tolist() == [1.0, -1.0, -2.0]
    assert batch.truncated.tolist() == [False, False, True]


@pytest.mark.parametrize("later", [0.0, -2.0])
def test_the_truth_by_hand(later):
    # A choice is worth (1 + later)·(a - ½), in the last turn a - ½: nothing follows.
    world = Choices(later=later, max_turns=3)
    batch = collect(world, RandomPolicy(), tasks=4, group_size=2)
    truth = true_advantages(batch, RandomPolicy(), env=world, objective="total")
    assert truth.method == "tree"
    worth = np.where(batch.turn == 2, 1.0, 1.0 + later)
    assert truth.advantage == pytest.approx(worth * ((np.array(batch.action) == "one") - 0.5))


def test_the_variances_are_those_of_theory():
    # k = 4 votes less their mean: variance (1 - ¼)·¼ = 0.1875 for one choice; T of them: T times that. With later = -2
    # all but the last choice count -1 in R, so R is no steadier, and r holds its own choice alone.
    rows = prefixes.measure(seeds=3, groups=16, k=4, horizons=(1, 4))
    assert [row["label"] for row in rows][:2] == ["paid at once, T = 1", "paid at once, T = 4"]
    assert [row["horizon"] for row in rows] == [1, 4, 1, 4]
    for row in rows:
        assert row["variance"]["prefixes"]["value"] == pytest.approx(0.1875, rel=0.2)
        assert row["variance"]["rollouts"]["value"] == pytest.approx(0.1875 * row["horizon"], rel=0.3)
        assert row["low"] <= row["value"] <= row["high"]
    # Of a whole rollout's R a choice is one of T; a candidate's r is that choice, or with later = -2 its opposite but
    # for the last turn: the correlation is near -(3 - 1)/4.
    assert rows[1]["agreement"]["rollouts"]["value"] == pytest.approx(0.5, abs=0.15)
    assert rows[1]["agreement"]["prefixes"]["value"] > 0.8
    assert rows[3]["agreement"]["prefixes"]["value"] == pytest.approx(-0.43, abs=0.1)
    assert rows[3]["agreement"]["rollouts"]["value"] > 0.2


def test_equal_seeds_give_equal_rows():
    once = prefixes.measure(seeds=2, groups=4, k=2, horizons=(1, 2))
    assert once == prefixes.measure(seeds=2, groups=4, k=2, horizons=(1, 2))


def row(horizon, value, later=0.0, agreement=1.0):
    found = {"value": value, "low": value - 0.5, "high": value + 0.5}
    agreed = {"value": agreement, "low": agreement - 0.1, "high": agreement + 0.1}
    return {"horizon": horizon, "later": later, **found, "agreement": {"prefixes": agreed}}


def test_what_decides():
    rows = [row(1, 1.0), row(2, 2.1), row(8, 7.9), row(8, 9.0, later=-2.0, agreement=-0.7)]
    verdict, figures = prefixes.decide(rows)
    assert verdict == "shown"
    assert figures == (
        "whole rollouts vary 7.9 (7.4 to 8.4) times as much at T = 8; where a choice costs later, the estimate of "
        "shared prefixes has a correlation of -0.70 (-0.80 to -0.60) with the truth"
    )
    assert prefixes.decide([*rows[:2], row(8, 2.0), rows[3]])[0] == "refuted"
