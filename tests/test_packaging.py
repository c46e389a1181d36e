"""What is installed is what the tree holds, under one import name and one version."""

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import agentgym
from tests.layering import ROOT, package_dirs

CONFIG = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
SIBLINGS = ("envs", "wrappers", "baselines")


def python(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], cwd=cwd, capture_output=True, text=True, check=False)


def tracked() -> list[Path]:
    """Return the files that git tracks or would track; all tests that read the tree read these."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    return [ROOT / name for name in sorted(done.stdout.split("\0")) if name and (ROOT / name).is_file()]


def test_the_package_list_equals_the_tree() -> None:
    found = set()
    for name, folder in package_dirs().items():
        for file in (ROOT / folder).rglob("__init__.py"):
            found.add(".".join([name, *file.parent.relative_to(ROOT / folder).parts]))
    listed = CONFIG["tool"]["setuptools"]["packages"]
    assert sorted(listed) == sorted(found)
    assert len(set(listed)) == len(listed)


def test_every_python_file_lies_in_a_package() -> None:
    """A folder without its __init__ would work in the checkout and be missing from the wheel."""
    for folder in package_dirs().values():
        for file in (ROOT / folder).rglob("*.py"):
            if "data" not in file.relative_to(ROOT / folder).parts:
                assert (file.parent / "__init__.py").is_file(), f"{file.relative_to(ROOT)} lies in no package"


@pytest.mark.parametrize("name", SIBLINGS)
def test_a_sibling_folder_refuses_its_bare_name(name: str) -> None:
    done = python("-c", f"import {name}")
    assert done.returncode == 1
    assert f"ImportError: import agentgym.{name}, not '{name}'" in done.stderr


def test_a_second_copy_of_agentgym_is_refused() -> None:
    done = python("-c", "import agentgym.agentgym")
    assert done.returncode == 1
    assert "ImportError: agentgym was imported as 'agentgym.agentgym', a second copy of itself" in done.stderr


def test_the_siblings_are_found_in_the_checkout() -> None:
    code = "import agentgym.envs, agentgym.wrappers, agentgym.baselines as b; print(b.__file__)"
    done = python("-c", code)
    assert Path(done.stdout.strip()) == ROOT / "baselines/__init__.py", done.stderr


def test_importing_agentgym_imports_no_heavy_library() -> None:
    heavy = {"minigrid", "pygame", "matplotlib", "pyarrow", "torch", "transformers", "rich", "sqlite3", "asyncio"}
    done = python("-c", f"import sys, agentgym; print(sorted({heavy!r} & set(sys.modules)))")
    assert done.stdout.strip() == "[]", done.stderr


def test_one_version_everywhere() -> None:
    cited = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text("utf-8"), re.MULTILINE)
    assert cited is not None
    assert agentgym.__version__ == CONFIG["project"]["version"] == cited.group(1)


def test_each_dependency_has_a_tested_pin() -> None:
    def names(lines: list[str]) -> set[str]:
        return {re.split(r"[<>=~!\[ ;]", line)[0].lower().replace("_", "-") for line in lines}

    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.]+", pin) for pin in pins)
    assert len(names(pins)) == len(pins)
    asked = list(CONFIG["project"]["dependencies"])
    for extra in CONFIG["project"]["optional-dependencies"].values():
        asked += extra
    assert names(asked) <= names(pins)


def test_every_lint_exception_gives_its_reason() -> None:
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    ignored = text.split("\nignore = [\n")[1].split("\n]\n")[0].splitlines()
    in_tests = text.split('\n"tests/**" = [\n')[1].split("\n]\n")[0].splitlines()
    assert min(len(ignored), len(in_tests)) > 3
    for line in ignored + in_tests:
        assert re.search(r'",\s+# .{10,}', line), f"no reason beside {line.strip()}"


def test_no_file_holds_the_path_of_a_machine() -> None:
    pattern = re.compile(rb"(?<![\w.)-])/(?:work|root|home|Users)/[\w.]|\b[A-Z]:\\Users")
    for file in tracked():
        found = pattern.search(file.read_bytes())
        assert found is None, f"{file.relative_to(ROOT)} holds {found.group().decode()!r}"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Build the wheel with the build backend at hand, from a copy without build leftovers; return its file names."""
    pytest.importorskip("setuptools", minversion="77", reason="the build backend is not installed here")
    target = tmp_path_factory.mktemp("wheel")
    source = target / "source"
    for file in tracked():
        place = source / file.relative_to(ROOT)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(file.read_bytes())
    done = python("-m", "build", "--wheel", "--no-isolation", "--outdir", str(target), str(source), cwd=target)
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = target.glob("*.whl")
    with zipfile.ZipFile(built) as archive:
        return archive.namelist()


def test_the_wheel_installs_agentgym_alone(wheel: list[str]) -> None:
    tops = {name.split("/")[0] for name in wheel}
    assert tops == {"agentgym", f"agentgym_suite-{agentgym.__version__}.dist-info"}


def test_the_wheel_holds_every_file_of_the_packages(wheel: list[str]) -> None:
    assert "agentgym/py.typed" in wheel
    expected = set()
    for name, folder in package_dirs().items():
        for file in tracked():
            inside = file.relative_to(ROOT).as_posix()
            if inside.startswith(f"{folder}/") and (file.suffix == ".py" or "data" in file.parts):
                expected.add(f"{name.replace('.', '/')}/{inside.removeprefix(folder + '/')}")
    assert expected <= set(wheel), sorted(expected - set(wheel))
