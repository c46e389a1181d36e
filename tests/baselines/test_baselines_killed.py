"""`agentgym bench --resume` after kill -9 at any moment ends with the numbers of a run that nobody killed."""

import json
import os
from pathlib import Path

import pytest
from processes import run_python

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system knows neither fork nor SIGKILL")

DRIVER = """
import json, os, random, signal, sys, time
import bench_world
from agentgym.baselines.benchmark import command, plots

bench_world.register()
plots.as_svg = lambda figure: "<svg></svg>"  # drawing takes longer than the rest
command.budgets = lambda: {"quick": bench_world.budget(seeds=1, updates=2, fidelity_tasks=3)}
ASKED = {"estimators": ["grpo", "state_graph"], "only": True}

def bench(folder, resume, stop):
    '''Run it in a process of its own; `stop`: seconds until it is killed, or ("write", n, after): at the n-th file.'''
    if (child := os.fork()) == 0:
        for stream in (1, 2):
            os.dup2(os.open(os.devnull, os.O_RDWR), stream)
        if isinstance(stop, tuple):
            replace, left = os.replace, [stop[1]]
            def replaced(*args):
                left[0] -= 1
                if left[0] == 0 and not stop[2]:
                    os.kill(os.getpid(), signal.SIGKILL)
                replace(*args)
                if left[0] == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
            os.replace = replaced
        try:
            # a run that was killed before it had begun is asked for again; any other is just gone on with
            command.bench(out=folder, resume=True) if resume else command.bench(out=folder, **ASKED)
        except BaseException as error:
            os.write(fault[1], f"{type(error).__name__}: {error}".encode())
            os._exit(1)
        os._exit(0)
    if isinstance(stop, float):
        time.sleep(stop)
        os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

fault = os.pipe()
folder, moments = sys.argv[1], int(sys.argv[2])
started = time.perf_counter()
assert bench(folder + "/whole", False, None) == 0, os.read(fault[0], 9999)
whole = time.perf_counter() - started
draws = random.Random(11)
statuses = []
for moment in range(moments):
    one = f"{folder}/{moment}"
    if moment % 2:
        stop = draws.uniform(0.0, whole)
    else:
        stop = ("write", 2 + moment // 2, moment % 4 == 0)
    statuses.append(bench(one, False, stop))
    if statuses[-1] != 0 and draws.random() < 0.5:  # and once more
        bench(one, os.path.exists(one + "/options.json"), draws.uniform(0.0, whole))
    assert bench(one, os.path.exists(one + "/options.json"), None) == 0, os.read(fault[0], 9999)
print(json.dumps(statuses))
"""


def numbers(folder: Path) -> object:
    """Return what a run found, without how long it took."""
    results = json.loads((folder / "results.json").read_text("utf-8"))
    cells = [{key: value for key, value in cell.items() if key != "timing"} for cell in results["cells"]]
    return cells, results["options"], results["run"]["command"]


@pytest.mark.parametrize("moments", [2, pytest.param(20, marks=pytest.mark.slow)])
def test_a_killed_run_goes_on_to_the_same_numbers(moments: int, tmp_path: Path) -> None:
    said = run_python(DRIVER, str(tmp_path), str(moments))
    statuses = json.loads(said)
    assert len(statuses) == moments and -9 in statuses  # some may have been done before the kill came
    expected = numbers(tmp_path / "whole")
    for moment in range(moments):
        assert numbers(tmp_path / str(moment)) == expected, moment
        assert (tmp_path / str(moment) / "report.html").read_text("utf-8").endswith("</html>\n")
