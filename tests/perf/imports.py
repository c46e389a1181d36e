"""The row of the import: fresh processes, and the modules that must stay out of them."""

import resource
import subprocess
import sys
from collections.abc import Iterator

from tests.layering import ROOT
from tests.perf.measure import Clock, Line, Setting, calibration, cost

HEAVY = ("faiss", "matplotlib", "minigrid", "pyarrow", "pygame", "rich", "scipy", "sqlglot", "torch", "transformers")


def seconds(code: str) -> float:
    """Return the CPU seconds of a fresh Python that runs `code` from the checkout's root."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def heavy() -> list[str]:
    """Return which of the heavy modules `import agentgym` loads."""
    code = f"import sys, agentgym; print(*[name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout.split()


def importing(clock: Clock, setting: Setting) -> Iterator[Line]:
    base, ours = "import numpy, gymnasium", "import numpy, gymnasium, agentgym"
    seconds(base), seconds(ours)  # writes the bytecode
    over, steps = [], []
    loop = calibration()
    for _ in range(min(5, setting.rounds)):
        steps.append(clock.time(loop, 1) / loop.units)
        over.append(-seconds(base) + seconds(ours))
    yield cost("import agentgym over numpy and gymnasium", "import", over, steps, 0.5)
    found = heavy()
    name = f"import agentgym: heavy modules loaded{': ' + ', '.join(found) if found else ''}"
    yield Line(name, "modules", float(len(found)), "", 0.0, "≤", float(len(found)), 0.0)
