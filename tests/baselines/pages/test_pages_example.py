"""The example group is one consistent story, and holds what every estimator reads."""

import math
from collections import defaultdict
from itertools import pairwise

import numpy as np
import pytest

from agentgym import credit
from agentgym.baselines.pages import example, site

BATCH = example.group()


def test_the_group_is_small_and_has_what_the_pages_speak_of():
    assert BATCH.lengths.tolist() == [3, 6, 4, 2]
    assert [bool(BATCH.success[BATCH.trajectory == rollout][0]) for rollout in "abcd"] == [True, True, False, False]
    # 0.5 for the key in a, b and c, -0.1 for the lamp in b, 1 for the door in a and b
    paid = np.bincount(BATCH.rollout, BATCH.turn_reward + BATCH.outcome_reward)
    assert paid.tolist() == pytest.approx([1.5, 1.4, 0.5, 0.0])
    seen = {state: int((BATCH.state == state).sum()) for state in set(BATCH.state)}
    assert seen == {"hall": 5, "study": 4, "door": 3, "cellar": 2, "shaft": 1}


def test_every_turn_starts_where_the_one_before_led():
    for before, after in pairwise(example.rows()):
        if after["turn"]:
            assert (after["state"], after["potential"]) == (before["next_state"], before["next_potential"])
        else:
            assert before["terminated"] and before["next_state"] in ("goal", "pit")


@pytest.mark.parametrize("who", ["policy", "hindsight", "teacher"])
def test_the_actions_of_a_place_have_probability_1_together(who):
    total = defaultdict(float)
    for (place, _), move in example.MOVES.items():
        total[place] += getattr(move, who)
    assert dict(total) == pytest.approx(dict.fromkeys(total, 1.0))


def test_tokens_share_the_probability_of_their_action():
    # a's first action has four words and probability 0.6, so that each has the logarithm ln(0.6)/4
    assert BATCH.logprob[0] * BATCH.tokens[0] == pytest.approx(math.log(0.6))
    assert BATCH["token_logprobs"][0].tolist() == pytest.approx([math.log(0.6) / 4] * 4)
    assert [len(tokens) for tokens in BATCH["token_mask"]] == [len(action.split()) for action in BATCH.action]


@pytest.mark.parametrize("name", site.own())
def test_every_estimator_says_something_about_it(name):
    if name == "apex_plan":
        pytest.importorskip("scipy")
    made = credit.estimate(name, BATCH).total
    assert np.isfinite(made).all() and np.unique(made.round(6)).size > 1
