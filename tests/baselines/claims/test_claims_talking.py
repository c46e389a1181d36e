"""What is learned in dialogues from the turn credit of MICA, of HIAN and of RTT, and what labels of talks tell."""

from dataclasses import replace

import numpy as np
import pytest

from agentgym.baselines.claims import labels, talking
from agentgym.baselines.claims.tables import ways
from agentgym.batch import TurnBatch
from agentgym.rng import TurnRng
from agentgym.rollout import Reply, build, collect


def record(**columns):
    count = len(next(iter(columns.values())))
    rows = {"group": [0] * count, "trajectory": [0, 0, 1], "turn": [0, 1, 0]}
    return TurnBatch.from_columns({**rows, **columns})


def test_what_is_read_of_a_batch():
    """Success by rollout; a reward over the turns that it was given in; rubrics as the rollouts' means, by turn."""
    batch = record(success=[True, True, False], components=[{"kind": 1.0}, {}, {"kind": -0.5, "true": 1.0}])
    assert talking.succeeded(batch) == 0.5
    assert talking.gone(record(turn_reward=[0.5, -0.25, 0.75])) == 0.5
    assert talking.paid("kind")(batch) == 0.25 and talking.paid("true")(batch) == 1.0
    assert talking.paid("nothing")(batch) == 0.0
    scores = [[1.0, 0.0], [1.0, 0.0], [1.0, 1.0]]
    assert talking.rubric(record(rubric_scores=scores)) == pytest.approx((0.5 + 1.0) / 2)


@pytest.mark.parametrize("name", talking.TRIALS)
def test_a_trial_learns_the_same_twice_and_its_bases_come_first(name, monkeypatch):
    trial = talking.TRIALS[name]
    uniform = replace(trial, panel=replace(trial.panel, learn_from=0.0, learn_tasks=2))  # imitation takes its time
    monkeypatch.setattr(talking, "TRIALS", {name: uniform})
    bases = [way.name for way in trial.ways[: trial.bases]]
    chosen = [*bases, trial.ways[trial.bases].name]
    rows = talking.measure(name, seeds=2, updates=1, names=chosen, size=2)
    assert rows == talking.measure(name, seeds=2, updates=1, names=chosen, size=2)
    assert [(row["way"], row["what"]) for row in rows] == [(way, what) for way in chosen for what in trial.what]
    for row in rows:
        assert list(row["apart"]) == bases and row["difference"] == row["apart"][bases[0]]
        if row["way"] == bases[0]:
            assert row["difference"] == {"value": 0.0, "low": 0.0, "high": 0.0}
    assert ways(rows).count("\n") == len(chosen) + 1


GONE = "distance gone"


def spread(low, high):
    return {"value": (low + high) / 2, "low": low, "high": high}


@pytest.mark.parametrize(
    ("first", "second", "word"),
    [
        ((0.1, 0.3), (-0.1, 0.5), "shown"),
        ((0.1, 0.3), (-0.4, -0.1), "mixed"),
        ((-0.1, 0.3), (-0.1, 0.1), "not told apart"),
        ((-0.3, -0.1), (-0.1, 0.1), "refuted"),
    ],
)
def test_the_way_of_the_paper_is_held_against_every_base(first, second, word):
    bases = [way.name for way in talking.TRIALS["mica"].ways[:2]]
    apart = dict(zip(bases, (spread(*first), spread(*second)), strict=True))
    rows = [{"way": "gains of the distance", "what": what, "value": 0.5, "apart": apart} for what in ("success", GONE)]
    found, figures = talking.decide(rows, "mica")
    assert found == word
    assert figures.startswith(f"gains of the distance: {GONE} ") and f"against {bases[1]}" in figures


# ---- labels ----------------------------------------------------------------------------------------------------------


def test_the_area_counts_pairs_and_ties_half():
    """Positives 3 and 1 against 2, 1: (3>2, 3>1) and (1<2, 1=1): 2 + ½ of 4."""
    score = np.array([3.0, 2.0, 1.0, 1.0])
    assert labels.area(score, np.array([True, False, True, False])) == 0.625
    assert labels.area(score, np.zeros(4, dtype=bool)) == 0.5


def test_labels_dealt_anew_are_the_same_labels_of_other_rollouts():
    batch = TurnBatch.from_columns(
        {
            "group": [0] * 12,
            "trajectory": [number // 2 for number in range(12)],
            "turn": [number % 2 for number in range(12)],
            "safe": [True, False] * 3 + [True] * 6,
        }
    )
    found = labels.dealt(batch, TurnRng(3))
    assert sorted(found.safe[::2].tolist()) == [False] * 3 + [True] * 3
    assert found.safe[::2].tolist() == found.safe[1::2].tolist() != [False] * 3 + [True] * 3


def test_what_is_learned_from_labels_is_asked_about_unseen_rollouts():
    uniform = replace(labels.PANELS["sales"], learn_from=0.0)
    area, broken = labels.area_of(uniform, 0, 2, shuffled=False, size=2)
    assert 0.0 <= area <= 1.0 and 0.0 < broken < 1.0
    assert labels.area_of(uniform, 0, 2, shuffled=False, size=2) == (area, broken)


def test_true_violations_are_those_of_the_turns_and_not_the_label_at_the_end():
    """A seller that lies in its first message: the label stands on the last turn, the violation on the first."""
    world = build(labels.PANELS["sales"].env, {"max_turns": 3})
    batch = collect(world, Liar(), tasks=[world.panel["train"][0].id], group_size=1, seed=0)
    assert (np.asarray(batch["cost"]) > 0).tolist() == [False, False, True]
    assert labels.broken_in(world, batch).tolist() == [True, False, False]


class Liar:
    signals = ()
    markov = False

    def __call__(self, views):
        lines = ("I'm a real person.", "I see.", "Understood.")
        return [Reply(lines[view.turn]) for view in views]


@pytest.mark.parametrize(("service", "word"), [((0.1, 0.3), "shown"), ((-0.1, 0.3), "shown"), ((-0.3, -0.1), "mixed")])
def test_labels_decide_against_labels_dealt_anew(service, word):
    def row(panel, apart, kind=labels.TOLD):
        return {"panel": panel, "labels": kind, **spread(0.7, 0.9), "broken": 0.125, "difference": spread(*apart)}

    rows = [row("sales", (0.1, 0.2)), row("service", service)]
    rows += [row(name, (0.0, 0.0), labels.ANEW) for name in ("sales", "service")]
    found, figures = labels.decide(rows)
    assert found == word and figures.startswith("on sales the area under the curve is 0.80 (0.70 to 0.90), with")
    assert "12.5% of the turns" in figures
