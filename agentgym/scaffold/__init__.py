"""`agentgym new`: a folder with a small world that keeps the contract, for its author to replace part by part."""

from __future__ import annotations

import ast
import importlib.util
import keyword
import re
import sys
import tempfile
from importlib import resources
from pathlib import Path
from typing import Final

FILES: Final = ("__init__.py", "README.md", "env.py", "tasks.py", "test_my_world.py")
"""What is written, under the name "my_world"; the templates lie in `data/`, with .txt behind the name."""

LONGEST: Final = 28
"""Most letters of a name; with more the files would have lines that are too long."""

_NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*").fullmatch


def create(name: str, folder: str | Path = ".", *, tools: bool = False) -> Path:
    """Write a new world's package and return its folder; it appears whole or not at all.

    Args:
        name: of the package and of its id's namespace, such as "my_world".
        folder: where the package's folder is made.
        tools: actions are calls of @tool methods instead of plain text.

    Raises:
        ValueError: a name that is no lower-case Python name, or that something else has already; a folder that is
            not there or cannot be written to.
    """
    place = Path(folder) / name
    _check_name(name)
    for there in (place, place.with_suffix(".py")):  # a module beside it could not be imported any more
        if there.exists() or there.is_symlink():
            raise ValueError(f"{there} is there already: choose another name, or move it away")
    _check_free(name)
    try:
        with tempfile.TemporaryDirectory(prefix=f".{name}-", dir=folder) as beside:
            made = Path(beside) / name
            made.mkdir()
            for file, text in texts(name, tools=tools).items():
                (made / file).write_text(text, "utf-8")
            made.rename(place)
    except OSError as error:
        raise ValueError(f"cannot write {place}: {error.strerror or error}") from error
    return place


def texts(name: str, *, tools: bool = False) -> dict[str, str]:
    """Return the files of a new world, name → text."""
    words = {"my_world": name, "MyWorld": class_name(name), "WRONG_CALL": "<call>0</call>" if tools else "call 0"}
    found = {}
    for file in FILES:
        template = "env_tools.py" if tools and file == "env.py" else file
        text = (resources.files("agentgym.scaffold") / "data" / f"{template}.txt").read_text("utf-8")
        for word, value in words.items():
            file, text = file.replace(word, value), text.replace(word, value)
        found[file] = text
    return found


def class_name(name: str) -> str:
    """Return "MyWorld" of "my_world"."""
    return "".join(part.capitalize() for part in name.split("_"))


def world_id(name: str) -> str:
    """Return the id that a new world is made by, with its module in front."""
    return f"{name}:{name}/{class_name(name)}-v0"


def _check_name(name: str) -> None:
    if _NAME(name) is None:
        words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+", name)
        near = "_".join(word.lower() for word in words).lstrip("_0123456789")
        hint = f", such as {near!r}" if near and _NAME(near) else ", such as 'my_world'"
        raise ValueError(f"{name!r} cannot be a world's name: use lower-case letters, digits and single _{hint}")
    if len(name) > LONGEST:
        raise ValueError(f"{name!r} has {len(name)} characters: a world's name has at most {LONGEST}")
    near = f"choose another name, such as {name + '_world'!r}"
    named = class_name(name)
    if keyword.iskeyword(name) or keyword.issoftkeyword(name) or keyword.iskeyword(named):
        raise ValueError(f"{name!r} is a word of Python itself: {near}")
    if named in _used():
        raise ValueError(f"the class of a world {name!r} would be {named}, which its module uses already: {near}")


def _used() -> set[str]:
    """Return the names that the modules of a new world use, none of which its class may have."""
    found: set[str] = set()
    for tools in (False, True):
        for file, text in texts("my_world", tools=tools).items():
            tree = ast.parse(text if file.endswith(".py") else "")
            found |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return found - {"MyWorld"}


def _check_free(name: str) -> None:
    """Refuse a name under which something else is imported."""
    if name in sys.modules or name in sys.stdlib_module_names or importlib.util.find_spec(name) is not None:
        raise ValueError(f"{name!r} is another package's name: choose another one, such as {name + '_world'!r}")
