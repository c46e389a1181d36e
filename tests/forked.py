"""Running many scripts, each in a process of its own: a copy of one that has imported what they all import.

`python tests/forked.py MODULE` imports the module and reads a request a line from its standard input, a JSON object of
script, out and err: it does what `python script` would do in the script's folder, with its output in these files, and
prints the exit status.
"""

import importlib
import json
import os
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any


class Scripts:
    """Runs scripts, until it is closed.

    Args:
        folder: where the output of a script is kept until it is read.
        module: what that process imports before.
        flags: of Python.
        environment: variables beside those of this process.
    """

    def __init__(self, folder: Path, module: str, *flags: str, **environment: str) -> None:
        self.out, self.err = folder / "out.txt", folder / "err.txt"
        self.process = subprocess.Popen(
            [sys.executable, *flags, __file__, module],
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", **environment},  # threads do not outlive a fork
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, script: Path) -> subprocess.CompletedProcess[str]:
        """Return what came of a script in its folder."""
        assert self.process.stdin is not None and self.process.stdout is not None
        request = {"script": str(script), "out": str(self.out), "err": str(self.err)}
        print(json.dumps(request), file=self.process.stdin, flush=True)
        status = int(self.process.stdout.readline())
        out, err = self.out.read_text("utf-8"), self.err.read_text("utf-8")
        return subprocess.CompletedProcess([str(script)], status, out, err)

    def close(self) -> None:
        """End the process that the others are copies of."""
        self.process.communicate()


def become(script: str, out: str, err: str) -> None:
    """Run a script in this process as if it had been started for it alone."""
    for path, stream in ((os.devnull, 0), (out, 1), (err, 2)):
        os.dup2(os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC), stream)
    folder, name = os.path.split(script)
    os.chdir(folder)
    sys.argv, sys.path[0] = [name], folder
    runpy.run_path(name, run_name="__main__")


def serve() -> None:
    """Answer requests until there are no more; in a copy, run the script and return, so that it ends as scripts do."""
    importlib.import_module(sys.argv[1])
    for line in sys.stdin:
        request: dict[str, Any] = json.loads(line)
        if (child := os.fork()) == 0:
            become(**request)
            return
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    serve()
