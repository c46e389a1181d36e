import zlib

import numpy as np
import pytest

from agentgym import credit
from agentgym.batch import TurnBatch
from tests.agentgym.credit_cases import draw_options, draw_rows
from tests.agentgym.credit_families import LOOPS, OPTIONS, OURS


def test_every_option_of_every_estimator_is_drawn():
    assert set(OPTIONS) == OURS
    assert {name: set(options) for name, options in OPTIONS.items()} == {
        name: set(credit.info(name).options) for name in OPTIONS
    }


@pytest.mark.parametrize("name", OPTIONS)
def test_agrees_with_a_loop_written_from_the_formula(name):
    compare(name, range(30))


@pytest.mark.slow
@pytest.mark.parametrize("name", OPTIONS)
def test_agrees_with_a_loop_written_from_the_formula_on_many_batches(name):
    compare(name, range(30, 1000))


def compare(name, seeds):
    for seed in seeds:
        rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
        rows, options = draw_rows(rng), draw_options(OPTIONS[name], rng)
        result = credit.estimate(name, TurnBatch.from_rows(rows), **options)
        wanted = LOOPS[name](rows, **options)
        assert set(result.terms) == set(wanted)
        for term, values in wanted.items():
            np.testing.assert_allclose(result.terms[term], values, rtol=0, atol=1e-10, err_msg=f"{seed} {options}")
        if not result.channels:
            np.testing.assert_allclose(result.total, np.sum(list(wanted.values()), axis=0), rtol=0, atol=1e-10)
