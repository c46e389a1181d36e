"""What the options `base` and `base_options` may hold, whoever has them."""

import numpy as np
import pytest

from agentgym import credit
from agentgym.batch import TurnBatch
from agentgym.credit.base import base_advantage, base_estimator, base_needs, base_signals
from agentgym.errors import MissingColumn

# Outcomes 3 and 1 of one-turn rollouts: less the mean ±1, over the std (1, and √2 with ddof 1).
PAIR = TurnBatch.from_columns(
    {"group": [0, 0], "trajectory": [0, 1], "turn": [0, 0], "turn_reward": [0.0, 0.0], "outcome_reward": [3.0, 1.0]}
)


def plain(batch, *, sign=1.0):
    return sign * np.arange(len(batch))


@pytest.mark.parametrize(
    ("base", "options", "wanted"),
    [
        ("grpo", {"eps": 0.0}, [1, -1]),
        ("grpo", {"preset": "trl", "eps": 0.0}, [0.5**0.5, -(0.5**0.5)]),
        (credit.grpo, {"normalise": "none"}, [1, -1]),
        (plain, {"sign": -2.0}, [0, -2]),
        (plain, None, [0, 1]),
        (credit.grpo(PAIR, normalise="none"), None, [1, -1]),
        (np.array([7, 8], dtype=np.int32), None, [7, 8]),
        ([0.5, -0.5], None, [0.5, -0.5]),
        ("none", None, [0, 0]),
    ],
)
def test_forms_of_a_base(base, options, wanted):
    got = base_advantage(PAIR, base, options)
    assert got.dtype == np.float64
    np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("base", "options", "error", "message"),
    [
        ("grpoo", None, ValueError, "did you mean 'grpo'"),
        ("grpo", {"epsilon": 1.0}, TypeError, "unknown option 'epsilon' of grpo"),
        ([1.0, 2.0, 3.0], None, ValueError, r"base must have shape \[2\], got \[3\]"),
        ([1.0, np.nan], None, ValueError, "base is not finite at position 1"),
        (["1", "2"], None, TypeError, "base must be an array of numbers"),
        ([1.0, 2.0], {"eps": 1.0}, ValueError, "base_options .* leave them out"),
        ("none", {"eps": 1.0}, ValueError, "leave them out"),
        (credit.grpo(PAIR), {"eps": 1.0}, ValueError, "leave them out"),
        (credit.grpo(PAIR.select([0])), None, ValueError, "base has 1 rows and the batch 2"),
        ("hcapo", None, MissingColumn, "estimator 'hcapo' needs the column 'hindsight_logprob'"),
    ],
)
def test_bases_that_are_refused(base, options, error, message):
    with pytest.raises(error, match=message):
        base_advantage(PAIR, base, options)


def test_only_an_estimator_can_be_run_again():
    assert base_estimator("grpo") is credit.info("grpo")
    assert base_estimator(plain).name == "plain"
    for finished in (credit.grpo(PAIR), [1.0, 2.0], None):
        with pytest.raises(TypeError, match="base must name an estimator here"):
            base_estimator(finished)
    with pytest.raises(ValueError, match="unknown estimator 'none'"):
        base_estimator("none")


def test_needs_and_signals_are_those_of_the_base_with_its_options():
    assert base_needs("gigpo", {"rewards": "outcome", "key": "state"}) == ("outcome_reward", "state")
    assert base_needs("mt_grpo", {"preset": "two_segment"})[-1] == "tool_result"
    asking = credit.estimator("asks", signals=lambda loud: ("critique",) if loud else (), needs=("action",))
    made = asking(lambda batch, *, loud=False: np.zeros(len(batch)))
    try:
        assert (made.signals, made.signals_with(loud=True)) == ((), ("critique",))
        assert base_signals("asks", {"loud": True}) == ("critique",)
        assert (base_signals("asks"), base_needs("asks")) == ((), ("action",))
    finally:
        from agentgym.credit import registry

        del registry._REGISTER["asks"]
    for base in ("none", [1.0, 2.0], credit.grpo(PAIR), plain):
        assert (base_needs(base), base_signals(base)) == ((), ())
