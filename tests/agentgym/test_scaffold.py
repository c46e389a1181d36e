"""A new world: whole or not at all, under a name that is free, clean in the linters' eyes, and sound."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agentgym.cli import main
from agentgym.scaffold import FILES, LONGEST, class_name, create, texts, world_id
from tests.layering import ROOT

KINDS = pytest.mark.parametrize("tools", [False, True], ids=["plain", "tools"])
NAMES = ("w", "my_world", "desk2_of_3", "l" * LONGEST)


def python(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # loading our own tools takes longer than a new world's tests
    command = [sys.executable, "-W", "error", *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def new(folder: Path, *options: str) -> None:
    made = python("-m", "agentgym", "new", "my_world", *options, cwd=folder)
    assert (made.returncode, made.stderr) == (0, "")
    assert "agentgym check my_world:my_world/MyWorld-v0\n" in made.stdout
    assert sorted(file.name for file in (folder / "my_world").iterdir()) == sorted(FILES)


def test_a_new_world_passes_its_own_tests(tmp_path: Path) -> None:
    new(tmp_path)
    tested = python("-m", "pytest", "-q", "-p", "no:cacheprovider", "my_world", cwd=tmp_path)
    assert tested.returncode == 0, tested.stdout + tested.stderr
    assert "3 passed" in tested.stdout


def test_a_new_tool_world_passes_its_own_tests_and_the_checker(tmp_path: Path) -> None:
    """Its test of the contract is the checker, which the command shows rule by rule."""
    new(tmp_path, "--tools")
    tested = python("-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "not contract", "my_world", cwd=tmp_path)
    assert tested.returncode == 0, tested.stdout + tested.stderr
    assert "2 passed, 1 deselected" in tested.stdout
    checked = python("-m", "agentgym", "check", "my_world:my_world/MyWorld-v0", cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "16 of 16 tasks" in checked.stdout
    # Turns draw nothing, which makes exact truth cheap, so there are no draws to tell branches apart by.
    assert set(re.findall(r"^  (\w+) +not checked", checked.stdout, re.MULTILINE)) <= {"branches"}


@KINDS
def test_what_is_written_is_clean(tools: bool, tmp_path: Path) -> None:
    """Under ruff's own settings and ours; the latter's D417 wants state and rng described, which no agent sees."""
    pytest.importorskip("ruff", reason="ruff is not installed here")
    for name in NAMES:
        create(name, tmp_path, tools=tools)
    ours = ("--config", str(ROOT / "pyproject.toml"))
    for how in (("check", "--isolated"), ("check", *ours, "--ignore", "D417"), ("format", "--isolated", "--check")):
        done = python("-m", "ruff", *how, "--no-cache", ".", cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
    assert python("-m", "ruff", "format", *ours, "--no-cache", "--check", ".", cwd=tmp_path).returncode == 0


@pytest.mark.slow
def test_the_types_are_right(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="mypy is not installed here")
    for tools in (False, True):
        create(f"world_{tools}".lower(), tmp_path, tools=tools)
    environment = {**os.environ, "MYPYPATH": str(ROOT)}
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", str(ROOT / "pyproject.toml")]
    command += ["--cache-dir", str(ROOT / ".mypy_cache"), "world_false", "world_true"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@KINDS
def test_the_world_class_fits_in_forty_lines(tools: bool) -> None:
    """Lines of code: no blank ones, no docstrings."""
    code = texts("my_world", tools=tools)["env.py"]
    (world,) = (node for node in ast.parse(code).body if isinstance(node, ast.ClassDef) and node.name == "MyWorld")
    lines = set(range(world.lineno, (world.end_lineno or 0) + 1))
    for node in ast.walk(world):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            lines -= set(range(node.lineno, (node.end_lineno or 0) + 1))
    assert sum(bool(code.splitlines()[line - 1].strip()) for line in lines) <= 40


@KINDS
def test_no_word_of_the_template_is_left(tools: bool) -> None:
    found = texts("desk2_of_3", tools=tools)
    assert list(found) == ["__init__.py", "README.md", "env.py", "tasks.py", "test_desk2_of_3.py"]
    for text in found.values():
        assert "my_world" not in text and "MyWorld" not in text and "WRONG_CALL" not in text
    assert "class Desk2Of3(AgentEnv[State]):" in found["env.py"]
    assert (class_name("my_world"), world_id("desk2_of_3")) == ("MyWorld", "desk2_of_3:desk2_of_3/Desk2Of3-v0")


def test_both_kinds_share_all_but_the_actions() -> None:
    """What is said twice stays equal: state, opening, potential, description, anchor, secrets."""
    plain, tooled = (ast.parse(texts("my_world", tools=tools)["env.py"]) for tools in (False, True))

    def parts(tree: ast.Module) -> dict[str, str]:
        classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
        found = {node.name: ast.unparse(node) for node in classes[0:1]}
        return found | {node.name: ast.unparse(node) for node in classes[1].body if isinstance(node, ast.FunctionDef)}

    one, other = parts(plain), parts(tooled)
    same = {name for name in one.keys() & other.keys() if one[name] == other[name]}
    assert same == {"State", "initial", "potential", "describe", "anchor", "secrets"}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("My-World", r"'My-World' cannot be a world's name: .*, such as 'my_world'"),
        ("HTTPDesk", "such as 'http_desk'"),
        ("2nd try", "such as 'nd_try'"),
        ("my__world", "such as 'my_world'"),
        ("_x", "such as 'x'"),
        ("../up", "such as 'up'"),
        ("", "such as 'my_world'"),
        ("wörld", "cannot be a world's name"),
        ("w" * (LONGEST + 1), f"has {LONGEST + 1} characters: a world's name has at most {LONGEST}"),
        ("class", "a word of Python itself: .* such as 'class_world'"),
        ("match", "a word of Python itself"),
        ("none", "'none' is a word of Python itself: .* such as 'none_world'"),  # class None
        ("true", "a word of Python itself"),
        ("turn", "'turn' would be Turn, which its module uses already: .* such as 'turn_world'"),
        ("state", "would be State"),
        ("end_reason", "would be EndReason"),
        ("invalid_action", "would be InvalidAction"),
        ("agent_env", "would be AgentEnv"),
        ("any", "would be Any"),
        ("json", "'json' is another package's name: .* such as 'json_world'"),
        ("agentgym", "another package's name"),
        ("gymnasium", "another package's name"),
        ("antigravity", "another package's name"),
    ],
)
def test_a_bad_name_is_refused_with_a_better_one_and_nothing_is_written(
    name: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=message):
        create(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_names_near_those_of_the_module_are_free(tmp_path: Path) -> None:
    """Each module has its State and its world."""
    for name in ("tool", "turns", "value_error", "int", "dataclass", "read", "books", "x"):
        for tools in (False, True):
            found = texts(name, tools=tools)["env.py"]
            classes = [node.name for node in ast.parse(found).body if isinstance(node, ast.ClassDef)]
            assert classes == ["State", class_name(name)]
        assert create(name, tmp_path).is_dir()


def test_a_module_of_this_name_is_never_hidden(tmp_path: Path) -> None:
    module = tmp_path / "my_world.py"
    module.write_text("mine")
    with pytest.raises(ValueError, match=r"my_world\.py is there already: choose another name, or move it away"):
        create("my_world", tmp_path)
    assert [*tmp_path.iterdir()] == [module]


@pytest.mark.parametrize("kind", ["folder", "file", "link"])
def test_what_is_there_is_never_touched(kind: str, tmp_path: Path) -> None:
    place = tmp_path / "my_world"
    if kind == "folder":
        place.mkdir()
    elif kind == "file":
        place.write_text("mine")
    else:
        place.symlink_to(tmp_path / "nowhere")
    with pytest.raises(ValueError, match="is there already: choose another name, or move it away"):
        create("my_world", tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["my_world"]
    assert not place.is_dir() or list(place.iterdir()) == []


def test_a_failure_half_way_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write, count = Path.write_text, 0

    def full(self: Path, *arguments: Any, **options: Any) -> int:
        nonlocal count
        count += 1
        if count == 3:
            raise OSError(28, "No space left on device")
        return write(self, *arguments, **options)

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(ValueError, match=r"cannot write .*my_world: No space left on device"):
        create("my_world", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"cannot write .*my_world: No such file or directory"):
        create("my_world", tmp_path / "nowhere")


def test_the_command_refuses_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert main(["new", "json"]) == 1
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("agentgym new: 'json' is another package's name")
    assert list(tmp_path.iterdir()) == []


def test_the_command_says_that_pytest_is_needed_where_it_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert main(["new", "first_world"]) == 0
    assert "python -m pytest first_world\n" in capsys.readouterr().out
    monkeypatch.setattr("agentgym.cli.find_spec", lambda name: None)
    assert main(["new", "second_world"]) == 0
    shown = capsys.readouterr().out
    assert "python -m pytest second_world  # needs pytest: python -m pip install pytest\n" in shown


def test_the_templates_are_in_the_package() -> None:
    folder = ROOT / "agentgym" / "scaffold" / "data"
    assert {file.name for file in folder.iterdir()} == {f"{name}.txt" for name in (*FILES, "env_tools.py")}
