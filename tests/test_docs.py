"""The code in README.md and docs/ runs, and prints what the pages say that it prints."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs_code import Block, blocks, printed, write_script
from tests.forked import Scripts
from tests.layering import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
CODE = {page.relative_to(ROOT).as_posix(): blocks(page.read_text("utf-8")) for page in PAGES}
RUN = [name for name, found in CODE.items() if any(not block.skipped for block in found)]
SKIPPED = [(name, block) for name, found in CODE.items() for block in found if block.skipped]


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scripts]:
    folder = tmp_path_factory.mktemp("scripts")
    found = Scripts(folder, "agentgym", "-W", "error", PYTHONPATH=str(ROOT))
    yield found
    found.close()


@pytest.mark.parametrize("name", RUN)
def test_a_page_runs(name: str, scripts: Scripts, tmp_path: Path) -> None:
    done = scripts.run(write_script(ROOT / name, tmp_path))
    assert done.returncode == 0, done.stderr
    shown = printed(done.stdout)
    for block in CODE[name]:
        if block.output is not None:
            assert shown[block.line].strip() == block.output.strip(), f"{name}, the block of line {block.line}"


@pytest.mark.parametrize(("name", "block"), SKIPPED, ids=[f"{name}:{block.line}" for name, block in SKIPPED])
def test_a_block_that_is_not_run_still_compiles(name: str, block: Block) -> None:
    compile(block.code, name, "exec")
    pytest.skip(f"{name}:{block.line} is not run: {block.skipped}")


PAGE = """Text.

```python
# helper.py
VALUE = 2
```

```python
import helper
total = helper.VALUE + 1
```

```bash
false
```

<!-- not run: it needs a network -->
```python
raise SystemExit("ran")
```

```python
print(total)
```

```output
3
```
"""


def test_blocks_run_in_order_in_one_namespace(scripts: Scripts, tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(PAGE, "utf-8")
    done = scripts.run(write_script(tmp_path / "page.md", tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    # Lines of PAGE, counted from 1: the second block's code starts at 9, the last one's at 23.
    assert printed(done.stdout) == {9: "", 23: "3\n"}
    assert [block.output for block in blocks(PAGE)] == [None, None, None, "3\n"]
    assert [block.skipped for block in blocks(PAGE)] == ["", "", "it needs a network", ""]


def test_an_error_names_the_line_of_the_page(scripts: Scripts, tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("Text.\n\n```python\nx = 1\ny = 1 / 0\n```\n", "utf-8")
    done = scripts.run(write_script(tmp_path / "page.md", tmp_path))
    assert done.returncode == 1
    assert 'File "page.md", line 5' in done.stderr


def test_a_note_counts_only_right_before_its_block() -> None:
    text = "<!-- not run: too slow -->\nBut this stands between.\n\n```python\nx = 1\n```\n"
    assert [block.skipped for block in blocks(text)] == [""]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("```python\nx = 1\n", "line 1: the block is not closed"),
        ("```output\n3\n```\n", "line 1: an output block must"),
    ],
)
def test_a_page_with_a_broken_block_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        blocks(text)
