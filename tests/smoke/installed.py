"""Try an installed agentgym: `python installed.py CHECKOUT`, run in a clean environment and outside the checkout.

What works only because the sources lie beside each other (data files, sibling folders, entry points) fails here.
"""

import importlib
import importlib.metadata
import importlib.resources
import importlib.util
import pkgutil
import subprocess
import sys
import tempfile
from importlib.resources.abc import Traversable
from pathlib import Path

PACKAGES = ("agentgym", "agentgym.credit", "agentgym.envs", "agentgym.wrappers", "agentgym.baselines")
FOLDERS = ("envs", "wrappers", "baselines", "tests", "docs")


def check_where_it_lies(checkout: Path) -> None:
    """Fail when anything is imported from the checkout, or when a bare folder name became a package."""
    for name in PACKAGES:
        file = Path(str(importlib.import_module(name).__file__)).resolve()
        assert file.is_relative_to(Path(sys.prefix).resolve()), f"{name} was imported from {file}"
        assert not file.is_relative_to(checkout), f"{name} was imported from the checkout"
    for name in FOLDERS:
        assert importlib.util.find_spec(name) is None, f"the wheel installs a top-level {name}"
    assert (importlib.resources.files("agentgym") / "py.typed").is_file(), "py.typed is missing"
    installed = importlib.metadata.version("agentgym-suite")
    assert installed == importlib.import_module("agentgym").__version__, f"the metadata says {installed}"


def megabytes() -> float:
    """Return what the default install occupies, less the installer and compiled bytecode; fail over 220."""
    size = 0
    for distribution in importlib.metadata.distributions():
        if distribution.metadata["Name"] not in ("pip", "setuptools"):
            for file in distribution.files or ():
                place = Path(str(distribution.locate_file(file)))
                size += place.stat().st_size if place.suffix != ".pyc" and place.is_file() else 0
    assert size < 220e6, f"the default install occupies {size / 1e6:.0f} MB, more than 220"
    return size / 1e6


def worlds() -> list[str]:
    """Return the folder names of the worlds that are installed: packages with a module `env`."""
    (folder,) = map(Path, importlib.import_module("agentgym.envs").__path__)
    return sorted(m.name for m in pkgutil.iter_modules([str(folder)]) if (folder / m.name / "env.py").is_file())


def first_file(folder: Traversable) -> Traversable | None:
    """Return the first file below a resource folder, by name, that is no Python file."""
    for entry in sorted(folder.iterdir(), key=lambda item: item.name):
        found = first_file(entry) if entry.is_dir() else entry
        if found is not None and not found.name.endswith((".py", ".pyc")):
            return found
    return None


def read_data(world: str) -> str:
    """Read one data file of a world, and say which."""
    data = importlib.resources.files(f"agentgym.envs.{world}") / "data"
    if not data.is_dir():
        return "no data files"
    file = first_file(data)
    assert file is not None, f"the data folder of {world} came without its files"
    return f"{file.name}, {len(file.read_bytes())} bytes"


def play(world: str) -> str:
    """Make every registered id of a world and play two turns of the first of them."""
    import gymnasium

    prefix = f"agentgym.envs.{world}"
    ids = sorted(i for i, s in gymnasium.registry.items() if str(s.entry_point).startswith(prefix))
    assert ids, f"no id is registered for {world}"
    for name in ids:
        gymnasium.make(f"agentgym:{name}").close()
    env = gymnasium.make(f"agentgym:{ids[0]}")
    observation, _ = env.reset(seed=0)
    assert isinstance(observation, str)
    for _ in range(2):
        _, reward, terminated, truncated, info = env.step("<tool_call>")  # what is an action, or a message, in no world
        assert isinstance(reward, float)
        assert info["valid"] is False
        assert not terminated
        if truncated:
            break
    env.close()
    return f"{len(ids)} ids, {ids[0]} played"


def run_command_line() -> str:
    """Run `python -m agentgym list` as a user would."""
    done = subprocess.run([sys.executable, "-m", "agentgym", "list"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return f"{len(done.stdout.splitlines())} lines"


def begin_a_world() -> str:
    """Run `agentgym new` in an empty folder and check what it wrote."""
    with tempfile.TemporaryDirectory() as folder:
        for command in (["new", "smoke_world"], ["check", "smoke_world:smoke_world/SmokeWorld-v0", "--tasks", "2"]):
            line = [sys.executable, "-m", "agentgym", *command]
            done = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()[-1]


def main() -> None:
    """Run every check and print one line for each."""
    check_where_it_lies(Path(sys.argv[1]).resolve())
    print("smoke: packages, version and py.typed are where they should be")
    print(f"smoke: the default install occupies {megabytes():.0f} MB")
    for world in worlds():
        print(f"smoke: {world}: {read_data(world)}")
        if importlib.util.find_spec(f"agentgym.envs.{world}.env") is not None:
            print(f"smoke: {world}: {play(world)}")
    if importlib.util.find_spec("agentgym.cli") is not None:
        print(f"smoke: agentgym list: {run_command_line()}")
        print(f"smoke: agentgym new and check: {begin_a_world()}")


if __name__ == "__main__":
    main()
