import numpy as np
import pytest

from agentgym import credit
from agentgym.batch import TurnBatch
from tests.agentgym import slow_loops
from tests.agentgym.credit_cases import OPTIONS, draw_options, draw_rows

CASES = 1000


def test_every_option_of_every_estimator_is_drawn():
    assert {name: set(options) for name, options in OPTIONS.items()} == {
        name: set(credit.info(name).options) for name in OPTIONS
    }


@pytest.mark.parametrize("name", OPTIONS)
def test_agrees_with_a_loop_written_from_the_formula(name):
    for seed in range(CASES):
        rng = np.random.default_rng([seed, list(OPTIONS).index(name)])
        rows, options = draw_rows(rng), draw_options(name, rng)
        result = credit.estimate(name, TurnBatch.from_rows(rows), **options)
        wanted = getattr(slow_loops, name)(rows, **options)
        assert set(result.terms) == set(wanted)
        for term, values in wanted.items():
            np.testing.assert_allclose(result.terms[term], values, rtol=0, atol=1e-10, err_msg=f"{seed} {options}")
        np.testing.assert_allclose(result.total, np.sum(list(wanted.values()), axis=0), rtol=0, atol=1e-10)
