"""The fuzzer finds what it should, the corpus breaks no target, and a few hundred changes of it do not either."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

import pytest
from fuzz_targets import targets
from guided import LONGEST, Target, changed, fuzz, reshaped, store, stored, tried

from agentgym import TurnRng
from agentgym.codec.base import one_block

HERE = Path(__file__).parent
TARGETS = targets()
SECONDS = float(os.environ.get("AGENTGYM_FUZZ_SECONDS", "600"))


@pytest.mark.parametrize("name", TARGETS)
def test_the_corpus_and_some_changes_of_it(name: str) -> None:
    kept = stored(HERE / "corpus" / name)
    found = fuzz(TARGETS[name], kept, runs=len(kept) + 150)
    assert found.failures == []
    assert len(found.edges) > 10


def test_every_target_has_a_corpus_and_every_corpus_a_target() -> None:
    folders = {place.name for place in (HERE / "corpus").iterdir()}
    assert set(TARGETS) - {"parquet"} <= folders <= set(TARGETS) | {"parquet"}
    assert all(len(raw) <= LONGEST for place in (HERE / "corpus").iterdir() for raw in stored(place))


@pytest.mark.fuzz
@pytest.mark.parametrize("name", TARGETS)
def test_many_changes(name: str) -> None:
    assert fuzz(TARGETS[name], stored(HERE / "corpus" / name), seconds=SECONDS).failures == []


# ---- the fuzzer itself -----------------------------------------------------------------------------------------------


def test_a_fault_behind_three_conditions_is_found() -> None:
    """No single change of the seed reaches it: each line that is reached on the way has to be kept."""

    def run(raw: bytes) -> None:
        text = raw.decode("utf-8", "replace")
        found = one_block(text, ["look"])  # a line of ours for each way through it
        if found is not None and found[1].startswith("x"):
            raise KeyError("found")

    found = fuzz(Target(run, (Exception,), (b"a",), (b"<look>", b"</look>", b"x")), [], runs=3_000)
    assert found.failures == []  # every error is allowed there
    wrong = fuzz(Target(run, (), (b"a",), (b"<look>", b"</look>", b"x")), [], runs=3_000)
    assert any("KeyError: 'found'" in text for _, text in wrong.failures)


def test_what_is_allowed_is_no_failure_and_what_is_not_is_one() -> None:
    def run(raw: bytes) -> None:
        raise (ValueError if raw else TypeError)("no")

    target = Target(run, (ValueError,))
    assert tried(target, b"a")[1] == ""
    assert tried(target, b"")[1] == "TypeError: no"


def test_equal_seeds_give_equal_runs() -> None:
    one, other = (fuzz(TARGETS["digest"], [], runs=200, seed=3) for _ in range(2))
    assert one.kept == other.kept and one.runs == other.runs
    assert fuzz(TARGETS["digest"], [], runs=200, seed=4).kept != one.kept


def test_changes_are_bytes_of_a_bounded_length() -> None:
    rng = TurnRng(0, stream="changes")
    made = [changed([b"x" * (LONGEST - 9), b"ab"], [b"word" * 50], rng) for _ in range(500)]
    assert max(map(len, made)) == LONGEST and len(set(made)) > 300


def test_changes_of_json_are_json() -> None:
    rng = TurnRng(0, stream="changes")
    kept = [b'{"a": [1, {"b": "c"}], "d": null}\n{"e": 1}\n']
    made = [reshaped(kept, rng) for _ in range(300)]
    assert len(set(made)) > 150
    whole = 0
    for text in made:
        with suppress(ValueError):
            whole += len([json.loads(line) for line in text.split(b"\n") if line]) == 2
    assert whole > 270  # but for values that were moved into themselves


def test_inputs_are_stored_once(tmp_path: Path) -> None:
    assert store(tmp_path / "new", [b"a", b"b"]) == 2
    assert store(tmp_path / "new", [b"b", b"c"]) == 1
    assert sorted(stored(tmp_path / "new")) == [b"a", b"b", b"c"]
    assert stored(tmp_path / "none") == []
