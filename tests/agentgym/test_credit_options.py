"""The values that options take: one check for every estimator, by annotation and default."""

import math
import pickle
import subprocess
import sys

import numpy as np
import pytest

from agentgym import credit
from agentgym.batch import TurnBatch

ROW = TurnBatch.from_rows([{"group": "g", "trajectory": 0, "turn": 0, "turn_reward": 0.5, "outcome_reward": 1.0}])


@pytest.mark.parametrize("name", credit.names())
def test_every_estimator_refuses_values_of_another_type(name):
    found = credit.info(name)
    for option, default in found.options.items():
        if isinstance(default, bool) and option != "per_component":
            for bad in ("False", "no", 0, None):
                with pytest.raises(ValueError, match=f"'{option}' of estimator '{name}' takes True or False"):
                    found.needs_with(**{option: bad})
        elif isinstance(default, float | int) and not isinstance(default, bool):
            for bad in ("0.9", None, True, math.nan, math.inf, 10**400, [1.0]):
                with pytest.raises(ValueError, match=f"'{option}' of estimator '{name}' takes a (finite|whole) number"):
                    found.needs_with(**{option: bad})
        if option == "key":
            with pytest.raises(ValueError, match="key"):
                found.needs_with(key="0.9", **({"variant": "counts"} if name == "hca" else {}))
        if option == "votes":
            assert "tokens" in found.needs_with(votes="token")
            assert "tokens" not in found.needs_with(votes="turn")


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("hcapo", {"clip": 0.5}, r"takes two numbers, got 0.5 \(float\): write one such as its default, clip="),
        ("traces", {"clamp": (0.0, "x")}, "takes two numbers"),
        ("hgpo", {"history": 0.5}, "takes a whole number, got 0.5"),
        ("proxmo", {"episode_std": "False"}, r"got 'False' \(str\): write one such as its default, episode_std=True"),
        ("grpo", {"preset": [1]}, r"unknown preset '\[1\]'"),
        ("grpo", {"rewards": ["total"]}, "of rewards"),
        ("arew", {"base_options": "x"}, r"base_options must be a mapping of option to value, got 'x' \(str\)"),
    ],
)
def test_the_error_names_option_value_and_remedy(name, options, message):
    with pytest.raises(ValueError, match=message):
        credit.info(name).needs_with(**options)


def test_what_is_as_good_as_the_type_is_taken():
    found = credit.info("gae")
    assert found.settings(None, {"gamma": np.float64(0.5), "lam": 1, "bootstrap_truncated": np.True_})["lam"] == 1
    credit.info("hgpo").settings(None, {"history": np.int64(3)})
    credit.info("hcapo").settings(None, {"clip": [0.5, math.inf]})
    credit.info("hian").settings(None, {"per_component": {"win": 1.0}})


def test_options_of_own_functions():
    def mine(batch, *, scale=1, cap=math.inf, on=False, name="x", limits=None):
        return batch.turn_reward * scale

    # An int without annotation takes any number; a default that is not finite allows such values.
    assert credit.estimate(mine, ROW, scale=0.5, cap=math.inf, name=3, limits=[1]).total.tolist() == [0.25]
    with pytest.raises(ValueError, match="option 'on' of estimator 'mine' takes True or False"):
        credit.estimate(mine, ROW, on="no")


def test_columns_as_estimators_can_be_pickled():
    again = pickle.loads(pickle.dumps(credit.column("next_potential", minus="potential")))
    assert (again.name, again.needs) == ("next_potential - potential", ("next_potential", "potential"))
    assert again.signals == ("potential",)
    assert credit.column("critique").signals == ("critique",)
    made = credit.arew(ROW.with_columns(critique=[0.0]), base=credit.column("turn_reward"))
    assert pickle.loads(pickle.dumps(made)).options["base"].name == "turn_reward"


def test_an_estimator_from_a_file_can_be_pickled_into_another_process(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("def twice(batch):\n    return 2 * batch.turn_reward\n")
    (tmp_path / "made").write_bytes(pickle.dumps(credit.load(f"{file}:twice")))
    code = "import pickle, sys; print(pickle.loads(open(sys.argv[1], 'rb').read()).name)"
    there = subprocess.run([sys.executable, "-c", code, tmp_path / "made"], capture_output=True, text=True, check=True)
    assert there.stdout == "twice\n"
