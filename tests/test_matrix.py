"""The determinism matrix: it plays in other processes, and says so where a chain differs or a row cannot be played."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import matrix
import pytest
from processes import run_python

CHAINS = {"One": ["a", "b"], "Two": ["c"]}


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Play nothing: three chains that are known."""
    monkeypatch.setattr(matrix, "here", lambda step: CHAINS)


def test_the_rows_are_those_of_the_programme(tmp_path: Path) -> None:
    names = [row.name for row in matrix.rows(tmp_path, [])]
    for wanted in (
        "a fresh process", "fork", "spawn", "PYTHONHASHSEED=0", "PYTHONHASHSEED=1", "PYTHONHASHSEED=4242",
        "PYTHONHASHSEED=random", "locale tr_TR", "locale de_DE", "TZ=Pacific/Auckland", "clocks a year later",
        "8 threads", "the wheel", "gymnasium 1.2.2", "gymnasium 1.4.0", "numpy 2.0.2",
    ):  # fmt: skip
        assert wanted in names
    assert len(set(names)) == len(names) > 20


def test_the_clocks_of_a_row_are_ahead() -> None:
    """A year and a day, whatever asks: time, datetime, the counters."""
    code = "import json; print(json.dumps([time.time(), time.monotonic(), datetime.datetime.now().year]))"
    moved, counted, year = json.loads(run_python(matrix.LATER + code))
    assert moved - time.time() > 366 * 86_400 - 60
    assert counted > 366 * 86_400 - 60
    assert year >= time.gmtime().tm_year + 1


def test_a_chain_that_differs_is_counted(
    few: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert matrix.main(["--only", "same process"]) == 0
    assert "| the same process again | 3 | 0 |" in capsys.readouterr().out
    other: dict[str, Any] = {"One": ["a", "x"]}  # one differs, a world is missing
    monkeypatch.setattr(matrix, "rows", lambda folder, pythons: [matrix.Row("odd", lambda step: other)])
    assert matrix.main([]) == 1
    assert "| odd | 3 | 2 |" in capsys.readouterr().out


def test_what_this_machine_lacks_is_said_and_what_fails_is_a_fault(
    few: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for before, status, said in (
        ("import no_such_module\n", 0, "| odd | – | ModuleNotFoundError: No module named 'no_such_module' |"),
        ("raise SystemExit('it fell')\n", 1, "| odd | 3 | failed: it fell |"),
    ):
        rows = [matrix.Row("odd", matrix.fresh(before=before))]
        monkeypatch.setattr(matrix, "rows", lambda folder, pythons, rows=rows: rows)
        assert matrix.main([]) == status
        assert said in capsys.readouterr().out
