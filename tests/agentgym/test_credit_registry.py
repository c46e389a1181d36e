import copy
import importlib
import inspect
import pickle
import subprocess
import sys

import numpy as np
import pytest

from agentgym import credit
from agentgym.batch import TurnBatch
from agentgym.errors import MissingColumn
from tests.layering import ROOT

FIVE = ("gigpo", "grpo", "hcapo", "mt_grpo", "state_graph")


def batch(**columns):
    """Two one-turn rollouts of one group; outcomes 1 and 0."""
    base = {"group": [0, 0], "trajectory": [0, 1], "turn": [0, 0], "outcome_reward": [1.0, 0.0]}
    return TurnBatch.from_columns({**base, **columns})


@pytest.fixture
def register(monkeypatch):
    """The decorator over a register that forgets what the test adds."""
    from agentgym.credit import registry

    monkeypatch.setattr(registry, "_REGISTER", dict(registry._REGISTER))
    return credit.estimator


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_an_estimator_travels_by_its_name_or_its_function(copied):
    mine = credit.as_estimator(batch)  # any function that pickle finds
    assert copied(credit.info("gigpo")) is credit.info("gigpo")
    assert (copied(mine).name, copied(mine).function) == ("batch", batch)


def test_the_five_are_there_sorted():
    assert [name for name in credit.names() if name in FIVE] == list(FIVE)
    assert credit.names() == tuple(sorted(credit.names()))


def test_info_says_what_an_estimator_needs_and_offers():
    grpo = credit.info("grpo")
    assert grpo.paper == "2402.03300"
    assert grpo.needs == ("turn_reward", "outcome_reward")
    assert grpo.needs_with(rewards="outcome") == ("outcome_reward",)
    assert set(grpo.presets) == {"verl", "trl", "verl_agent"}
    assert grpo.options["eps"] == 1e-6
    assert grpo.summary.startswith("Group-relative advantage")
    gigpo = credit.info("gigpo")
    assert gigpo.needs == ("turn_reward", "outcome_reward", "anchor")
    assert gigpo.needs_with(preset="verl_agent", similarity=0.9, invalid_penalty=0.1) == (
        "turn_reward",
        "outcome_reward",
        "observation",
        "valid",
    )
    assert credit.info("mt_grpo").needs_with(preset="two_segment")[-1] == "tool_result"
    assert credit.info("hcapo").needs_with(variant="policy_ratio", do_no_harm=False)[-1] == "logprob"


@pytest.mark.parametrize("name", FIVE)
def test_docstrings_follow_one_form(name):
    text = inspect.cleandoc(credit.info(name).__doc__)  # Python 3.13 takes the indentation away, older ones keep it
    for heading in ("Special cases", "Source: ", "Args:", "Returns:", "Raises:"):
        assert heading in text
    for option in credit.info(name).options:
        assert f"\n    {option}: " in text


def test_an_estimator_is_called_by_name_by_itself_or_as_a_function():
    by_name = credit.estimate("grpo", batch(), rewards="outcome", eps=0.0)
    itself = credit.grpo(batch(), rewards="outcome", eps=0.0)
    assert by_name.total.tolist() == itself.total.tolist() == [1.0, -1.0]
    assert by_name.estimator == "grpo"
    assert by_name.options["rewards"] == "outcome"


def test_a_preset_yields_to_the_caller():
    # 1, 0 with ddof 1: std √½, so ±½/√½ = ±√½; with ddof 0: ±1.
    preset = credit.estimate("grpo", batch(), preset="trl", rewards="outcome", eps=0.0)
    np.testing.assert_allclose(preset.total, [0.5**0.5, -(0.5**0.5)], atol=1e-12)
    caller = credit.estimate("grpo", batch(), preset="trl", rewards="outcome", eps=0.0, ddof=0)
    assert caller.total.tolist() == [1.0, -1.0]
    assert caller.options["ddof"] == 0


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda b: credit.estimate("grpoo", b), ValueError, "unknown estimator 'grpoo'; did you mean 'grpo'"),
        (lambda b: credit.info("gigop"), ValueError, "did you mean 'gigpo'"),
        (
            lambda b: credit.estimate("grpo", b, preset="verk"),
            ValueError,
            "unknown preset 'verk' of grpo; did you mean 'verl'",
        ),
        (
            lambda b: credit.estimate("grpo", b, reward="total"),
            TypeError,
            "unknown option 'reward' of grpo; did you mean 'rewards'",
        ),
        (lambda b: credit.estimate("grpo", b, rewards="totl"), ValueError, "did you mean 'total'"),
        (lambda b: credit.estimate("grpo", b, rewards="outcome", votes="turns"), ValueError, "did you mean 'turn'"),
        (lambda b: credit.estimate("grpo", b, rewards="outcome", singleton="row"), ValueError, "did you mean 'raw'"),
        (lambda b: credit.estimate("grpo", b, rewards="outcome", normalise="max"), ValueError, "normalise must be"),
        (lambda b: credit.estimate(3, b), TypeError, "not int"),
    ],
)
def test_wrong_names_are_answered_with_the_nearest(call, error, message):
    with pytest.raises(error, match=message):
        call(batch())


@pytest.mark.parametrize("name", FIVE)
def test_every_needed_column_is_missed_by_name(name):
    full = {
        "turn_reward": [0.0, 0.0],
        "anchor": ["s", "s"],
        "next_state": ["t", "t"],
        "terminated": [True, True],
        "success": [True, False],
        "hindsight_logprob": [-1.0, -1.0],
    }
    assert credit.estimate(name, batch(**full)).total.shape == (2,)
    for column in credit.info(name).needs:
        lacking = batch(**full).without(column)
        with pytest.raises(MissingColumn, match=rf"estimator '{name}' needs the column '{column}'.*with_columns"):
            credit.estimate(name, lacking)


def test_registering(register):
    @register("half", paper="0000.00000", needs=("outcome_reward",), presets={"double": {"factor": 1.0}})
    def half(batch, *, factor=0.5):
        """Half of the outcome."""
        return {"outcome": factor * batch.outcome_reward}

    assert "half" in credit.names()
    assert credit.estimate("half", batch()).total.tolist() == [0.5, 0.0]
    assert credit.estimate("half", batch(), preset="double").terms["outcome"].tolist() == [1.0, 0.0]
    assert half.summary == "Half of the outcome."


def test_a_name_is_given_once(register):
    with pytest.raises(ValueError, match=r"'grpo' is already registered by agentgym\.credit\.trajectory\.grpo"):

        @register("grpo")
        def other(batch):
            return batch.outcome_reward

    def again(batch):
        return batch.outcome_reward

    register("mine")(again)
    register("mine")(again)  # the same function once more, as when a notebook cell is run again
    assert credit.estimate("mine", batch()).total.tolist() == [1.0, 0.0]


def test_a_preset_of_an_unknown_option_is_refused_at_once(register):
    with pytest.raises(TypeError, match="unknown option 'scal' of mine; did you mean 'scale'"):

        @register("mine", presets={"big": {"scal": 2.0}})
        def mine(batch, *, scale=1.0):
            return scale * batch.outcome_reward


def test_options_need_defaults(register):
    with pytest.raises(TypeError, match=r"'scale'.*need defaults"):

        @register("mine")
        def mine(batch, *, scale):
            return scale * batch.outcome_reward


def test_a_plain_function_will_do():
    def centred(batch, *, by=0.5):
        return batch.outcome_reward - by

    result = credit.estimate(centred, batch(), by=0.25)
    assert result.total.tolist() == [0.75, -0.25]
    assert result.estimator == "centred"
    assert list(result.terms) == ["advantage"]
    with pytest.raises(TypeError, match="did you mean 'by'"):
        credit.estimate(centred, batch(), bye=1.0)
    free = credit.estimate(lambda batch, **options: batch.outcome_reward * options["anything"], batch(), anything=2.0)
    assert free.total.tolist() == [2.0, 0.0]


def test_a_column_missed_inside_a_plain_function_names_the_function():
    def gain(batch):
        return batch.next_potential - batch.potential

    with pytest.raises(MissingColumn, match=r"estimator 'gain' cannot run.*'next_potential'"):
        credit.estimate(gain, batch())


def test_a_value_error_inside_carries_the_estimator_as_a_note():
    with pytest.raises(ValueError, match="eps") as caught:
        credit.estimate("grpo", batch(), rewards="outcome", eps=-1.0)
    assert caught.value.__notes__ == ["while estimating with 'grpo'"]


def test_a_column_as_an_estimator():
    record = batch(potential=[0.25, 0.5], next_potential=[1.0, 0.0])
    assert credit.estimate(credit.column("potential"), record).total.tolist() == [0.25, 0.5]
    gain = credit.column("next_potential", minus="potential")
    assert gain.name == "next_potential - potential"
    assert gain(record).total.tolist() == [0.75, -0.5]
    with pytest.raises(MissingColumn, match="'next_potential - potential' needs the column 'potential'"):
        gain(record.without("potential"))


def test_a_column_by_name_as_the_command_line_writes_it():
    record = batch(potential=[0.25, 0.5], next_potential=[1.0, 0.0])
    assert credit.load("column:potential")(record).total.tolist() == [0.25, 0.5]
    gain = credit.load("column:next_potential-potential")
    assert gain(record).total.tolist() == [0.75, -0.5]
    assert gain.signals == ("potential",)
    assert credit.load("column:turn_reward").signals == ()
    assert credit.load("column:critique-step_score").needs == ("critique", "step_score")


@pytest.mark.parametrize("name", ["potentiel", "potential-", "observation", "menu_logprobs", "-potential"])
def test_a_column_that_no_record_has_or_that_is_no_number(name):
    with pytest.raises(ValueError, match=r"unknown column|an estimator from outside"):
        credit.load(f"column:{name}")


SOURCE = """
import numpy as np
from agentgym.credit import estimator

def plain(batch, *, by=1.0):
    return batch.outcome_reward * by

@estimator("from_a_file", needs=("outcome_reward",))
def declared(batch):
    return {"outcome": batch.outcome_reward + 1.0}

NUMBER = 3
"""


def test_load_from_a_file(tmp_path, register):
    file = tmp_path / "mine.py"
    file.write_text(SOURCE, "utf-8")
    assert credit.load(f"{file}:plain")(batch(), by=3.0).total.tolist() == [3.0, 0.0]
    assert credit.load(f"{file}:declared")(batch()).total.tolist() == [2.0, 1.0]
    assert credit.load(f"{file}:declared").name == "from_a_file"  # loading twice is fine


def test_load_from_a_module():
    assert credit.load("agentgym.credit:grpo") is credit.grpo


@pytest.mark.parametrize(
    ("where", "error", "message"),
    [
        ("grpo", ValueError, 'written "my_file.py:my_function"'),
        (":grpo", ValueError, "written"),
        ("nowhere.py:f", ValueError, "no file .*nowhere.py"),
        ("agentgym.nowhere:f", ValueError, "no module 'agentgym.nowhere'"),
        ("agentgym.credit:grpoo", ValueError, "did you mean 'grpo'"),
    ],
)
def test_load_says_what_is_wrong(where, error, message):
    with pytest.raises(error, match=message):
        credit.load(where)


def test_load_of_what_is_no_function(tmp_path, register):
    file = tmp_path / "mine.py"
    file.write_text(SOURCE, "utf-8")
    with pytest.raises(TypeError, match="not int"):
        credit.load(f"{file}:NUMBER")
    with pytest.raises(ValueError, match="did you mean 'plain'"):
        credit.load(f"{file}:plainn")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import no_such_module_at_all\n", r"it raised ModuleNotFoundError: .*no_such_module_at_all.* \(line 1\)"),
        ("def f(:\n", r"it raised SyntaxError: .*line 1"),
        ("x = 1\ny = 1 / 0\n", r"it raised ZeroDivisionError: division by zero \(line 2\)"),
    ],
)
def test_a_file_or_module_that_fails_is_named_with_the_reason(tmp_path, monkeypatch, source, said):
    file = tmp_path / "broken_file.py"
    file.write_text(source, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    for where in (str(file), str(file), "broken_file"):  # nothing half-loaded stays behind
        with pytest.raises(ValueError, match="cannot load an estimator from .*broken_file.*" + said.split(r" \(")[0]):
            credit.load(f"{where}:f")
    with pytest.raises(ValueError, match=said):
        credit.load(f"{file}:f")


@pytest.mark.parametrize("name", ["plain", "declared"])
def test_estimators_of_a_file_travel_to_another_process(tmp_path, register, name):
    file = tmp_path / "mine.py"
    file.write_text(SOURCE, "utf-8")
    loaded = credit.load(f"{file}:{name}")
    sent = pickle.dumps(loaded)
    assert pickle.loads(sent)(batch()).total.tolist() == loaded(batch()).total.tolist()
    code = "import pickle, sys; print(pickle.load(sys.stdin.buffer).name)"
    done = subprocess.run([sys.executable, "-c", code], input=sent, capture_output=True, check=True, cwd=ROOT)
    assert done.stdout.decode().strip() == loaded.name


def test_a_file_may_be_imported_and_loaded_as_a_file(tmp_path, monkeypatch, register):
    """Under whatever module name: one function in one file is one estimator."""
    body = (
        "from agentgym.credit import estimator\n@estimator('twice_read')\ndef f(batch):\n    return batch.turn * 1.0\n"
    )
    (tmp_path / "twice_read_file.py").write_text(body)
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.import_module("twice_read_file")
    assert credit.load(f"{tmp_path / 'twice_read_file.py'}:f").name == "twice_read"
    assert credit.load("twice_read_file:f").name == "twice_read"
