"""TurnBatch to files and back: every column kind to the bit, and every kind of damage named."""

import json
import math
import os
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from agentgym.batch import COLUMNS, BatchError, TurnBatch
from tests.strategies import turn_rows

FORMATS = ["jsonl", "npz", "parquet"]


def write(batch, path, form):
    if form == "parquet":
        pytest.importorskip("pyarrow", reason="Parquet is an extra")
    getattr(batch, f"to_{form}")(path)


def read(path, form):
    return getattr(TurnBatch, f"from_{form}")(path)


def exact(value):
    """A spelling that tells 1, 1.0 and True, 0.0 and -0.0, and every text apart; the order of a dict does not count."""
    if isinstance(value, dict):
        return sorted((ascii(name), exact(part)) for name, part in value.items())
    if isinstance(value, list | tuple):
        return [type(value).__name__, *map(exact, value)]
    return f"{type(value).__name__} {value.hex() if isinstance(value, float) else ascii(value)}"


def assert_same(left, right):
    assert left.columns == right.columns
    assert exact(left.to_rows()) == exact(right.to_rows())
    assert exact(dict(left.meta)) == exact(dict(right.meta))
    for name in left.columns:
        shapes = getattr(left[name], "shapes", None)
        assert shapes is None or shapes.tolist() == right[name].shapes.tolist()


def tiny(**more):
    rows = [{"group": "g", "trajectory": 0, "turn": t, "turn_reward": t / 3} for t in range(2)]
    return TurnBatch.from_rows([{**row, **more} for row in rows], {"env": {"id": "agentgym/Tiny-v0", "panel": "p1"}})


def every_kind():
    """One value or more of every kind that is hard for some format."""
    return TurnBatch(
        {
            "group": [("a", 1), ("a", 1), "\ud800"],
            "trajectory": [2**70, 2**70, b"\xff"],
            "turn": [1, 0, 0],
            "state": [(1, (True, 1.0)), (-0.0,), ()],
            "prefix": [True, False, True],
            "seed": [2**63 - 1, -(2**63), 0],
            "observation": ["\ud83d\ude00", "😀\u2028\n\r\x00", ""],
            "menu": [["\udfff", ""], [], ["\ud83d\ude00"]],
            "menu_hindsight_logprobs": [np.zeros((0, 2)), np.zeros((3, 0)), [[-1e-308]]],
            "turn_reward": [-0.0, 5e-324, 1.7976931348623157e308],
            "components": [{"$tuple": 1.0}, {"\ud83d\ude00": -0.0, "$utf8": 2.0}, {}],
            "token_ids": [[], [2**63 - 1], [0, -1]],
            "token_mask": [[], [True], [False, True]],
        },
        {"$items": [1, {"$bytes": "x"}], "text": "\ud83d\ude00", "none": None, "float": 0.1},
    )


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("make", [tiny, every_kind, lambda: TurnBatch.from_rows([])])
def test_round_trip(tmp_path, form, make):
    batch = make()
    write(batch, tmp_path / "batch", form)
    again = read(tmp_path / "batch", form)
    assert_same(batch, again)
    assert again == batch
    assert os.listdir(tmp_path) == ["batch"]  # no draft stays behind


@pytest.mark.parametrize("form", FORMATS)
def test_an_empty_batch_keeps_its_columns(tmp_path, form):
    batch = TurnBatch({name: [] for name in COLUMNS})
    write(batch, tmp_path / "batch", form)
    assert_same(batch, read(tmp_path / "batch", form))


@pytest.mark.parametrize("form", FORMATS)
@given(rows=turn_rows())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_any_batch_comes_back_to_the_bit(tmp_path, form, rows):
    batch = TurnBatch.from_rows(rows)
    write(batch, tmp_path / "batch", form)
    assert_same(batch, read(tmp_path / "batch", form))


@pytest.mark.parametrize("form", ["jsonl", "npz"])
def test_the_same_batch_gives_the_same_bytes_in_any_process(tmp_path, form):
    here = tmp_path / "here"
    write(tiny(state="s", components={"b": 1.0, "a": 2.0}), here, form)
    code = (
        "from agentgym.batch import TurnBatch as T\n"
        "more = {'state': 's', 'components': {'b': 1.0, 'a': 2.0}}\n"
        "rows = [{'group': 'g', 'trajectory': 0, 'turn': t, 'turn_reward': t / 3, **more} for t in range(2)]\n"
        "batch = T.from_rows(rows, {'env': {'id': 'agentgym/Tiny-v0', 'panel': 'p1'}})\n"
        f"batch.to_{form}({str(tmp_path / 'there')!r})"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONHASHSEED": "4242"})
    assert (tmp_path / "there").read_bytes() == here.read_bytes()


def test_jsonl_is_readable_by_eye_and_by_any_reader(tmp_path):
    tiny(observation="señor 😀").to_jsonl(tmp_path / "b.jsonl")
    head, *rows = (tmp_path / "b.jsonl").read_text("utf-8").split("\n")
    assert json.loads(head) == {
        "schema": "agentgym.TurnBatch/1",
        "columns": ["group", "trajectory", "turn", "turn_reward", "observation"],
        "rows": 2,
        "meta": {"env": {"id": "agentgym/Tiny-v0", "panel": "p1"}},
    }
    assert rows == [
        '{"group":"g","trajectory":0,"turn":0,"turn_reward":0.0,"observation":"señor 😀"}',
        '{"group":"g","trajectory":0,"turn":1,"turn_reward":0.3333333333333333,"observation":"señor 😀"}',
        "",
    ]


ROW = '{"group":0,"trajectory":0,"turn":0}\n'


def top(*more_columns, **changes):
    """A header line of one row."""
    head = {
        "schema": "agentgym.TurnBatch/1",
        "columns": ["group", "trajectory", "turn", *more_columns],
        "rows": 1,
        "meta": {},
    }
    return json.dumps({**head, **changes}) + "\n"


def paid(value):
    """A file of one row whose turn reward is spelled as given."""
    return top("turn_reward") + ROW[:-2] + f',"turn_reward":{value}}}\n'


def named(group):
    return top() + ROW.replace('"group":0', f'"group":{group}')


DAMAGE = {
    "empty file": ("", "line 1: cut short"),
    "torn header": ('{"schema":', "line 1: cut short"),
    "torn last line": (top() + ROW[:-4], "line 2: cut short in the middle"),
    "missing lines": (top(rows=2) + ROW, "promises 2 rows, 1 are there"),
    "no header": (ROW + ROW, r"line 1: no header.*from_rows"),
    "not JSON": (top() + "{oops}\n", "line 2: not a JSON value"),
    "deep JSON": (top() + "[" * 100_000 + "\n", "line 2: not a JSON value"),
    "long number": (top() + "9" * 5_000 + "\n", "line 2: not a JSON value"),
    "not UTF-8": (top().encode() + b'{"group":"\xff"}\n', "line 2: not a JSON value"),
    "not an object": (top() + "[]\n", "line 2: columns differ"),
    "another schema": (top(schema="agentgym.TurnBatch/2"), "schema 'agentgym.TurnBatch/2'.*TurnBatch/1' only"),
    "missing column": (top(columns=["group", "turn"]), "lacks the required column 'trajectory'"),
    "unknown column": (top("turn_rewrd"), "unknown column 'turn_rewrd'; did you mean 'turn_reward'"),
    "no row count": (top(rows=None), "line 1: the header does not say"),
    "bad meta": (top(meta={"$bytes": 1}), "line 1: meta"),
    "meta no object": (top(meta=[]), "line 1: meta must be an object"),
    "row lacks a column": (top() + '{"group":0,"turn":0}\n', "line 2: columns differ from the header's: trajectory"),
    "row has more": (top() + ROW[:-2] + ',"x":1}\n', "line 2: columns differ.*: x"),
    "NaN": (paid("NaN"), "line 2: .*NaN is not a number"),
    "-Infinity": (paid("-Infinity"), "line 2: .*-Infinity"),
    "1e400": (paid("1e400"), "line 2: row 0 .*'turn_reward' is inf"),
    "text for a number": (paid('"1"'), "line 2: row 0 .*a finite float, got '1'"),
    "list as id": (named("[]"), "line 2: row 0 .*hashable"),
    "null as id": (named("null"), "line 2: row 0 .*an id in every row"),
    "broken tag": (named('{"$bytes":"zz"}'), "line 2: column 'group'"),
    "turn twice": (top(rows=2) + ROW + ROW, "line 3: row 1 .*also in row 0"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_jsonl_is_named_with_its_line(tmp_path, name):
    content, message = DAMAGE[name]
    path = tmp_path / "b.jsonl"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(BatchError, match=message) as caught:
        TurnBatch.from_jsonl(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("form", FORMATS)
def test_any_prefix_and_any_flipped_byte_is_an_error_or_the_same_batch(tmp_path, form):
    batch = every_kind()
    path = tmp_path / "whole"
    write(batch, path, form)
    data = path.read_bytes()
    step = max(1, len(data) // 60)
    cut = [data[:end] for end in range(0, len(data), step)]
    flipped = [data[:at] + bytes([data[at] ^ 0x11]) + data[at + 1 :] for at in range(0, len(data), step)]
    for number, bad in enumerate([*cut, *flipped]):
        path.write_bytes(bad)
        try:
            again = read(path, form)
        except BatchError:  # the only error there may be
            continue
        assert number >= len(cut)  # no prefix passes for the whole
        assert len(again) == len(batch)


@pytest.mark.parametrize("form", FORMATS)
def test_files_of_others_are_refused(tmp_path, form):
    path = tmp_path / "other"
    if form == "npz":
        with path.open("wb") as file:
            np.savez(file, x=np.arange(3))
    elif form == "parquet":
        pa = pytest.importorskip("pyarrow", reason="Parquet is an extra")
        import pyarrow.parquet

        pyarrow.parquet.write_table(pa.table({"x": [1]}), path)
    else:
        path.write_text('{"x": 1}\n')
    with pytest.raises(BatchError, match="TurnBatch"):
        read(path, form)
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "nowhere", form)


def test_an_npz_with_pickles_inside_is_refused(tmp_path):
    path = tmp_path / "evil"
    with path.open("wb") as file:
        np.savez(file, header=np.array([{}], object))
    with pytest.raises(BatchError, match="pickle"):
        TurnBatch.from_npz(path)


HEAD = b"\x93NUMPY\x01\x00v\x00"


@pytest.mark.parametrize(
    "member",
    [
        b"no array at all",
        HEAD + b"{'descr': '|u1', 'fortran_order': False, 'shape': (180,), }" + b" " * 55 + b"\\ud800 \n",
        HEAD + b"{'descr': '|u1', 'fortran_order': False, 'shape': (10**18,), }".ljust(117) + b"\n",
    ],
    ids=["text", "header", "endless"],
)
def test_an_npz_whose_members_are_no_arrays_is_refused(tmp_path, member):
    """Found by fuzzing: numpy gives bytes for the first, and raises a TokenError of the second."""
    whole, path = tmp_path / "whole", tmp_path / "odd"
    tiny().to_npz(whole)
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            new.writestr(name, member)
    with pytest.raises(BatchError, match="no archive of a TurnBatch"):
        TurnBatch.from_npz(path)


@pytest.mark.parametrize("form", FORMATS)
def test_an_id_that_no_file_can_hold_is_named_and_the_old_file_stays(tmp_path, form):
    path = tmp_path / "b"
    write(tiny(), path, form)
    before = path.read_bytes()
    odd = tiny(state=frozenset([1]))
    with pytest.raises(BatchError, match=r"row 0 \(group 'g', trajectory 0, turn 0\): column 'state'.*not frozenset"):
        write(odd, path, form)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["b"]


def test_a_failure_in_the_middle_of_writing_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "b.jsonl"
    tiny().to_jsonl(path)
    before = path.read_bytes()

    def full(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        tiny(turn_reward=math.pi).to_jsonl(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["b.jsonl"]


def test_without_pyarrow_the_error_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for call in (lambda: tiny().to_parquet(tmp_path / "b"), lambda: TurnBatch.from_parquet(tmp_path / "b")):
        with pytest.raises(ImportError, match=r"agentgym-suite\[parquet\]"):
            call()


def test_parquet_has_native_types(tmp_path):
    pytest.importorskip("pyarrow", reason="Parquet is an extra")
    import pyarrow.parquet

    batch = tiny(
        components={"a": 1.0},
        token_ids=[1, 2],
        menu=["x"],
        menu_hindsight_logprobs=[[0.0]],
        valid=True,
        observation="o",
    )
    batch.to_parquet(tmp_path / "b")
    types = {field.name: str(field.type) for field in pyarrow.parquet.read_schema(tmp_path / "b")}
    assert types == {
        "group": "string",
        "trajectory": "int64",
        "turn": "int64",
        "turn_reward": "double",
        "components": "map<string, double ('components')>",
        "valid": "bool",
        "observation": "string",
        "menu": "list<element: string>",
        "menu_hindsight_logprobs": "list<element: list<element: double>>",
        "token_ids": "list<element: int64>",
    }
