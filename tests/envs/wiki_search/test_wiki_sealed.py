import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from agentgym.envs.wiki_search import sealed
from agentgym.errors import DataError

ARRAYS = {"numbers.array": "<i4", "none.array": "<f4"}
COUNT = 40_000  # 160,000 bytes: three blocks of 65,536


def make(folder: Path, kind: str = "test") -> sealed.Sealed:
    sealed.clear(folder)
    np.arange(COUNT, dtype="<i4").tofile(folder / "numbers.array")
    (folder / "none.array").write_bytes(b"")
    sealed.seal(folder, kind, {"a": 1}, ARRAYS, {"took": 3})
    return sealed.Sealed(folder, kind, "make it again")


def test_arrays_come_back_as_they_were_written(tmp_path: Path) -> None:
    held = make(tmp_path)
    numbers = held["numbers.array"]
    assert (len(numbers), len(held["none.array"])) == (COUNT, 0)
    assert numbers.part(16_000, 17_000).tolist() == list(range(16_000, 17_000))
    assert numbers.part(5, 5).tolist() == []
    assert numbers.whole()[-1] == COUNT - 1
    assert held["none.array"].whole().tolist() == []
    assert not numbers.whole().flags.writeable
    assert (held.facts, held.notes) == ({"a": 1}, {"took": 3})
    held.verify()


@pytest.mark.parametrize("name", ["numbers.array", "none.array", "checks.bin", "manifest.json"])
@pytest.mark.parametrize("change", ["cut", "grown", "gone"])
def test_a_file_of_another_size_is_named_when_the_folder_opens(tmp_path: Path, name: str, change: str) -> None:
    make(tmp_path)
    raw = (tmp_path / name).read_bytes()
    if change == "gone":
        (tmp_path / name).unlink()
    elif change == "cut":
        if not raw:
            return  # nothing can be cut from an empty file
        (tmp_path / name).write_bytes(raw[:-3])
    else:
        (tmp_path / name).write_bytes(raw + b"more")
    with pytest.raises(DataError, match=rf"{name}.*: make it again") as caught:
        sealed.Sealed(tmp_path, "test", "make it again")
    assert str(tmp_path) in str(caught.value)


@pytest.mark.parametrize("place", [0, 65_535, 65_536, 159_999])
def test_a_flipped_byte_is_named_when_its_block_is_read_and_not_before(tmp_path: Path, place: int) -> None:
    make(tmp_path)
    flip(tmp_path / "numbers.array", place)
    numbers = sealed.Sealed(tmp_path, "test", "make it again")["numbers.array"]
    block = place // sealed.BLOCK
    other = 20_000 if block != 1 else 5  # in another block
    assert numbers.part(other, other + 1).tolist() == [other]
    for _ in range(2):  # it stays an error
        with pytest.raises(DataError, match=rf"numbers.array is damaged in the 65536 bytes from {block * 65536} on"):
            numbers.part(place // 4, place // 4 + 1)
    with pytest.raises(DataError, match=r"numbers.array is damaged"):
        sealed.Sealed(tmp_path, "test", "make it again").verify()


@pytest.mark.parametrize("name", ["checks.bin", "manifest.json"])
def test_a_flipped_byte_of_the_small_files_is_named_when_the_folder_opens(tmp_path: Path, name: str) -> None:
    make(tmp_path)
    for place in range(0, len((tmp_path / name).read_bytes()), 5):
        flip(tmp_path / name, place)
        raw = (tmp_path / name).read_bytes()
        try:
            same = name == "manifest.json" and json.loads(raw) == json.loads(flipped_back(raw, place))
        except ValueError:
            same = False
        if not same:  # a flipped blank between two values changes nothing
            with pytest.raises(DataError, match="make it again"):
                sealed.Sealed(tmp_path, "test", "make it again")
        flip(tmp_path / name, place)
    sealed.Sealed(tmp_path, "test", "make it again").verify()


def flipped_back(raw: bytes, place: int) -> bytes:
    return raw[:place] + bytes([raw[place] ^ 4]) + raw[place + 1 :]


def flip(path: Path, place: int) -> None:
    path.write_bytes(flipped_back(path.read_bytes(), place))


def test_folders_that_are_something_else_are_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nowhere is no folder: make it again"):
        sealed.Sealed(tmp_path / "nowhere", "test", "make it again")
    with pytest.raises(DataError, match=r" has no manifest.json: make it again"):
        sealed.Sealed(tmp_path, "test", "make it again")
    make(tmp_path, "other")
    with pytest.raises(DataError, match=r"holds 'other' of format 1, not 'test' of format 1: make it again"):
        sealed.Sealed(tmp_path, "test", "make it again")
    for text in ("", "{}", "[]", "null", "1", '{"hash": "x"}', "[" * 100_000, "\xff"):
        (tmp_path / "manifest.json").write_bytes(text.encode("latin-1"))
        with pytest.raises(DataError, match=r"manifest.json is damaged or no manifest of agentgym: make it again"):
            sealed.Sealed(tmp_path, "test", "make it again")


@pytest.mark.parametrize("name", ["a\0b", "x" * 300])
def test_a_path_that_no_folder_can_have_is_no_folder(tmp_path: Path, name: str) -> None:
    assert sealed.stamp(tmp_path / name) is None
    with pytest.raises(DataError, match="is no folder: build it"):
        sealed.Sealed(tmp_path / name, "test", "build it")


def test_the_hash_covers_kind_facts_and_arrays_but_no_notes(tmp_path: Path) -> None:
    def content(kind: str = "k", fact: int = 1, value: int = 1, dtype: str = "<i4", note: int = 1) -> str:
        sealed.clear(tmp_path)
        np.array([value], dtype="<i4").tofile(tmp_path / "a.array")
        return sealed.seal(tmp_path, kind, {"f": fact}, {"a.array": dtype}, {"n": note})

    assert content(note=2) == content()
    others = [content(), content(kind="l"), content(fact=2), content(value=2), content(dtype="<u4")]
    assert len(set(others)) == 5


def test_another_builder_is_kept_out_until_the_first_is_gone(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from agentgym.envs.wiki_search import sealed\n"
        "with sealed.builder(Path(sys.argv[1])):\n"
        "    print('in', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    path = {"PYTHONPATH": ":".join(filter(None, sys.path))}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=path) as other:
        assert other.stdout is not None and other.stdout.readline() == b"in\n"
        with pytest.raises(DataError, match=r"another process writes into .*: wait for it"), sealed.builder(tmp_path):
            pass
        other.kill()
    with sealed.builder(tmp_path):
        pass


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    expected = r"file/inside cannot be written \(not a directory\): choose another folder"
    with pytest.raises(DataError, match=expected), sealed.builder(tmp_path / "file" / "inside"):
        pass
