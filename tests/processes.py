"""Running Python in another process that finds agentgym and the test modules."""

import os
import selectors
import subprocess
import sys


def run_python(code: str, *arguments: str, **environment: str) -> str:
    """Return what `code` prints, run with warnings as errors and these environment variables besides."""
    path = os.pathsep.join(path for path in sys.path if path)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, *arguments],
        env={**os.environ, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def readable(file: int, seconds: float) -> bool:
    """Return whether an open file has something to read within so many seconds; its number may be above 1,023."""
    with selectors.DefaultSelector() as selector:
        selector.register(file, selectors.EVENT_READ)
        return bool(selector.select(seconds))
