"""Golden chains stay as they are: here, in fresh, forked and spawned processes, whatever hash seed, locale, zone."""

import json
import multiprocessing

import pytest
from golden_chains import SEEDS, chains, send, stored
from processes import run_python

GOLDEN = stored()
STEP = 11
"""Every so many-th seed is played in other processes, for every world; the slow tests play all of them."""


def wanted(step: int) -> dict[str, list[str]]:
    return {name: lines[::step] for name, lines in GOLDEN.items()}


steps = pytest.mark.parametrize("step", [STEP, pytest.param(1, marks=pytest.mark.slow)], ids=["some", "all"])


def test_every_world_has_its_chains() -> None:
    found = chains()
    assert found.keys() == GOLDEN.keys()
    for name in found:
        assert len(found[name]) == SEEDS == len(set(found[name]))
        assert found[name] == GOLDEN[name], f"{name}: another version of the world? See tests/golden_chains.py."


@steps
@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONHASHSEED": "0", "LC_ALL": "C", "TZ": "UTC"},
        {"PYTHONHASHSEED": "1", "LC_ALL": "tr_TR.UTF-8", "TZ": "Pacific/Auckland"},
        {"PYTHONHASHSEED": "4242", "LC_ALL": "de_DE.UTF-8", "PYTHONUTF8": "0"},
    ],
    ids=lambda environment: environment["PYTHONHASHSEED"],
)
def test_fresh_processes(environment: dict[str, str], step: int) -> None:
    code = f"import json, golden_chains; print(json.dumps(golden_chains.chains({step})))"
    assert json.loads(run_python(code, **environment)) == wanted(step)


@steps
@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork.*:DeprecationWarning")
def test_child_processes(method: str, step: int) -> None:
    context = multiprocessing.get_context(method)
    here, there = context.Pipe(duplex=False)
    child = context.Process(target=send, args=(there, step))
    child.start()
    there.close()
    try:
        assert here.recv() == wanted(step)
    finally:
        child.join(60)
    assert child.exitcode == 0
