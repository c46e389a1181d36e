"""Golden chains stay as they are: here, in fresh, forked and spawned processes, whatever hash seed, locale, zone."""

import json
import multiprocessing

import pytest
from golden_chains import SEEDS, chains, send, stored
from processes import run_python

GOLDEN = stored()


def test_every_world_has_its_chains() -> None:
    found = chains()
    assert found.keys() == GOLDEN.keys()
    for name in found:
        assert len(found[name]) == SEEDS == len(set(found[name]))
        assert found[name] == GOLDEN[name], f"{name}: another version of the world? See tests/golden_chains.py."


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONHASHSEED": "0", "LC_ALL": "C", "TZ": "UTC"},
        {"PYTHONHASHSEED": "1", "LC_ALL": "tr_TR.UTF-8", "TZ": "Pacific/Auckland"},
        {"PYTHONHASHSEED": "4242", "LC_ALL": "de_DE.UTF-8", "PYTHONUTF8": "0"},
    ],
    ids=lambda environment: environment["PYTHONHASHSEED"],
)
def test_fresh_processes(environment: dict[str, str]) -> None:
    code = "import json, golden_chains; print(json.dumps(golden_chains.chains()))"
    assert json.loads(run_python(code, **environment)) == GOLDEN


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork.*:DeprecationWarning")
def test_child_processes(method: str) -> None:
    context = multiprocessing.get_context(method)
    here, there = context.Pipe(duplex=False)
    child = context.Process(target=send, args=(there,))
    child.start()
    there.close()
    try:
        assert here.recv() == GOLDEN
    finally:
        child.join(60)
    assert child.exitcode == 0
