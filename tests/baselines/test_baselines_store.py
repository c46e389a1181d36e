"""The folder of a run: whole files, one set of options for good, resumable."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentgym.baselines.benchmark import store as store_module
from agentgym.baselines.benchmark.run import free_folder
from agentgym.baselines.benchmark.store import RunError, Store, read_json, write_json

OPTIONS = {"estimators": ["grpo"], "budget": {"name": "quick", "seeds": 3}}


def test_finished_cells_are_found_again(tmp_path: Path) -> None:
    Store(tmp_path / "run", OPTIONS, resume=False).put("cell", {"value": 1.5})
    again = Store(tmp_path / "run", OPTIONS, resume=True)
    assert again.get("cell") == {"value": 1.5, "key": "cell"}
    assert again.get("other") is None


def test_a_folder_with_a_run_needs_resume(tmp_path: Path) -> None:
    Store(tmp_path, OPTIONS, resume=False).put("cell", {})
    with pytest.raises(RunError, match="add --resume"):
        Store(tmp_path, OPTIONS, resume=False)


def test_other_options_are_refused_by_name(tmp_path: Path) -> None:
    Store(tmp_path, OPTIONS, resume=False).put("cell", {})
    with pytest.raises(RunError, match=r'\(estimators: \["grpo"\] there, \["gigpo"\] now\)'):
        Store(tmp_path, {**OPTIONS, "estimators": ["gigpo"]}, resume=True)
    with pytest.raises(RunError, match=r"\(budget\.seeds: 3 there, 4 now\)"):
        Store(tmp_path, {**OPTIONS, "budget": {"name": "quick", "seeds": 4}}, resume=True)


def test_a_folder_in_which_nothing_was_finished_is_free(tmp_path: Path) -> None:
    Store(tmp_path, OPTIONS, resume=False)
    Store(tmp_path, {**OPTIONS, "estimators": ["gigpo"]}, resume=False).put("cell", {})
    with pytest.raises(RunError, match="gigpo"):
        Store(tmp_path, OPTIONS, resume=True)


def test_a_path_that_cannot_be_a_folder_is_found_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("here")
    with pytest.raises(RunError, match="choose another folder with --out"):
        Store(tmp_path / "file" / "run", OPTIONS, resume=False)


def test_cells_of_nobody_are_not_taken_over(tmp_path: Path) -> None:
    (tmp_path / "cells").mkdir()
    write_json(tmp_path / "cells" / "a.json", {})
    with pytest.raises(RunError, match=r"no options\.json"):
        Store(tmp_path, OPTIONS, resume=True)


@pytest.mark.parametrize("text", ["", "{", "[1]", "nonsense"])
def test_a_damaged_cell_is_named(tmp_path: Path, text: str) -> None:
    store = Store(tmp_path, OPTIONS, resume=False)
    (tmp_path / "cells" / "cell.json").write_text(text)
    with pytest.raises(RunError, match=r"cell\.json is .*delete it"):
        store.get("cell")


def test_a_write_that_fails_leaves_the_old_file_and_no_litter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_json(tmp_path / "a.json", {"old": True})

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(store_module.os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        write_json(tmp_path / "a.json", {"old": False})
    assert read_json(tmp_path / "a.json") == {"old": True}
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_results_that_are_not_numbers_never_reach_a_file(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json(tmp_path / "a.json", {"value": float("nan")})
    assert not list(tmp_path.iterdir())


def test_free_folder_counts_up(tmp_path: Path) -> None:
    assert free_folder(tmp_path / "bench") == tmp_path / "bench-1"
    (tmp_path / "bench-1").mkdir()
    assert free_folder(tmp_path / "bench") == tmp_path / "bench-2"


def test_keys_are_sorted_so_that_equal_results_are_equal_bytes(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", {"b": 1, "a": 2})
    write_json(tmp_path / "b.json", {"a": 2, "b": 1})
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    assert json.loads((tmp_path / "a.json").read_text()) == {"a": 2, "b": 1}


def test_another_cells_file_is_not_taken_for_this_one(tmp_path: Path) -> None:
    store = Store(tmp_path, OPTIONS, resume=False)
    store.put("cell", {"value": 1.5})
    (tmp_path / "cells" / "other.json").write_bytes((tmp_path / "cells" / "cell.json").read_bytes())
    with pytest.raises(RunError, match="does not hold the cell other: delete it"):
        store.get("other")


def test_damaged_options_are_not_guessed(tmp_path: Path) -> None:
    Store(tmp_path, OPTIONS, resume=False).put("cell", {})
    (tmp_path / "options.json").write_text("{")
    with pytest.raises(RunError, match=r"options\.json is damaged .*choose another folder with --out"):
        Store(tmp_path, OPTIONS, resume=True)


def test_a_full_disk_is_named_and_keeps_what_there_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path, OPTIONS, resume=False)
    store.put("first", {})

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store_module.os, "fsync", full)
    with pytest.raises(RunError, match=r"second\.json \(No space left on device\): mend that"):
        store.put("second", {})
    assert store.get("first") == {"key": "first"}
    assert store.get("second") is None
