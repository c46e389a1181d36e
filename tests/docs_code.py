"""Reads the code of a documentation page and turns it into a script, so that the pages are tested as they stand.

In README.md and docs/:

    ```python                         run, all of a page in one namespace and in the page's order
    ```python, first line # name.py   written to that file beside the script, to be imported by later blocks
    ```output                         what the Python block before it prints
    <!-- not run: reason -->          before a Python block: the block is skipped, and the test says so
"""

import re
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(r"^```(?P<language>\w*)\s*$")
FILE = re.compile(r"# (\w+\.py)\n")
NOT_RUN = re.compile(r"^<!-- not run: (?P<reason>\S.*?) -->$")
MARK = "\x1eblock "


@dataclass
class Block:
    """One Python block: its first line's number, its code, and what the page says about it."""

    line: int
    code: str
    title: str = ""
    skipped: str = ""
    output: str | None = None


def blocks(text: str) -> list[Block]:
    """Return the Python blocks of a page.

    Raises:
        ValueError: a block is not closed, or an output block follows no Python block.
    """
    found: list[Block] = []
    lines = text.splitlines()
    at, reason = 0, ""
    while at < len(lines):
        note = NOT_RUN.match(lines[at])
        fence = FENCE.match(lines[at])
        if note:
            reason = note["reason"]
        elif fence:
            start = at + 1
            try:
                at = start + lines[start:].index("```")
            except ValueError:
                raise ValueError(f"line {start}: the block is not closed") from None
            code = "\n".join(lines[start:at]) + "\n"
            if fence["language"] == "python":
                title = FILE.match(code)
                found.append(Block(start + 1, code, title[1] if title else "", reason))
            elif fence["language"] == "output":
                if not found or found[-1].title or found[-1].skipped or found[-1].output is not None:
                    raise ValueError(f"line {start}: an output block must follow the Python block that prints it")
                found[-1].output = code
            reason = ""
        elif lines[at].strip():
            reason = ""
        at += 1
    return found


def write_script(page: Path, folder: Path) -> Path:
    """Write a page's blocks into `folder` and return the script; an error's traceback shows the page's own lines."""
    (folder / page.name).write_bytes(page.read_bytes())
    script = ["from pathlib import Path"]
    for block in blocks(page.read_text("utf-8")):
        if block.skipped:
            continue
        file = block.title or f"block_{block.line}.py"
        (folder / file).write_text(block.code if block.title else "\n" * (block.line - 1) + block.code, "utf-8")
        if not block.title:
            script.append(f"print({MARK + str(block.line)!r})")
            script.append(f"exec(compile(Path({file!r}).read_text('utf-8'), {page.name!r}, 'exec'))")
    path = folder / "page.py"
    path.write_text("\n".join(script) + "\n", "utf-8")
    return path


def printed(stdout: str) -> dict[int, str]:
    """Return what each block printed, by the block's first line."""
    parts = stdout.split(MARK)[1:]
    return {int(number): text for number, _, text in (part.partition("\n") for part in parts)}
