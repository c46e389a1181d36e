"""Running Python in another process that finds agentgym and the test modules."""

import os
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
