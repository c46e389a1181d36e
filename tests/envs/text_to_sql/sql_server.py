"""A PostgreSQL server of its own for the tests: made in a temporary folder, reached by a socket there, and removed."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from glob import glob
from pathlib import Path


def server_programs() -> Path | None:
    """Return the folder of the server's programs, the newest version's, or None."""
    found = sorted(glob("/usr/lib/postgresql/*/bin/initdb"), key=lambda path: int(Path(path).parts[4].split(".")[0]))
    on_path = shutil.which("initdb")
    return Path(found[-1]).parent if found else Path(on_path).resolve().parent if on_path else None


def server_user() -> str | None:
    """Return the user to run it as: the server refuses to run as root."""
    if os.getuid():
        return pwd.getpwuid(os.getuid()).pw_name
    known = {entry.pw_name for entry in pwd.getpwall()}
    return next((name for name in ("postgres", "nobody") if name in known), None)


@contextmanager
def server(programs: Path, user: str) -> Iterator[str]:
    """Run a server, and give the connection string of its administrator, without a database."""
    folder = Path(tempfile.mkdtemp(prefix="agentgym-pg-"))  # short: the name of a socket has at most 107 bytes
    account = pwd.getpwnam(user)
    asked = {} if os.getuid() else {"user": user, "group": account.pw_gid, "extra_groups": []}
    try:
        os.chown(folder, account.pw_uid, account.pw_gid)
        command = [programs / "initdb", "-D", folder / "data", "-A", "trust", "-U", "admin", "--no-sync", "-E", "UTF8"]
        subprocess.run([*command, "--locale=C"], cwd=folder, check=True, capture_output=True, **asked)
        options = ["-c", "listen_addresses=", "-c", "fsync=off", "-c", "autovacuum=off", "-k", folder]
        with open(folder / "log", "wb") as log:
            running = subprocess.Popen(
                [programs / "postgres", "-D", folder / "data", *options], cwd=folder, stdout=log, stderr=log, **asked
            )
        try:
            _wait(folder / ".s.PGSQL.5432", running, folder / "log")
            yield f"host={folder} user=admin"
        finally:
            running.terminate()
            try:
                running.wait(20)
            except subprocess.TimeoutExpired:
                running.kill()
                running.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _wait(socket: Path, running: subprocess.Popen[bytes], log: Path) -> None:
    import psycopg

    end = time.monotonic() + 60
    while time.monotonic() < end and running.poll() is None:
        if socket.exists():
            try:
                psycopg.connect(f"host={socket.parent} user=admin dbname=postgres").close()
                return
            except psycopg.OperationalError:
                pass
        time.sleep(0.05)
    raise RuntimeError(log.read_text()[-2000:])
