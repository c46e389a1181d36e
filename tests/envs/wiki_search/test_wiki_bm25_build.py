import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from agentgym.envs.wiki_search import bm25, bm25_build
from agentgym.envs.wiki_search.passages import Passage
from agentgym.errors import DataError
from tests.corpora import SMALL, Words, store
from tests.processes import run_python

BUILD = """
import os, signal, sys
from pathlib import Path
from tests.corpora import Words, store
from agentgym.envs.wiki_search import bm25
from agentgym.envs.wiki_search.passages import open_store

folder, stop = Path(sys.argv[1]), int(sys.argv[2])
steps = []
def tell(done, total):
    steps.append(done)
    if len(steps) == stop:
        os.kill(os.getpid(), signal.SIGKILL)
bm25.build(open_store(folder / "passages"), folder / "bm25", tell, chunk=40)
print(bm25.open_index(folder / "bm25").content)
"""


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.suffix != ".lock"}


def test_the_bytes_do_not_depend_on_the_chunks(tmp_path: Path) -> None:
    made = store(tmp_path, Words(200).passages(100, 12))
    bm25.build(made, tmp_path / "whole")
    expected = files(tmp_path / "whole")
    for chunk in (1, 7, 50, 99, 100):
        bm25.build(made, tmp_path / "parts", chunk=chunk)
        assert files(tmp_path / "parts") == expected
    assert sorted(expected) == sorted([".lock", "checks.bin", "manifest.json", *bm25_build.ARRAYS])


def test_every_process_builds_the_same_index(tmp_path: Path) -> None:
    store(tmp_path, Words(200).passages(100, 12))
    made = set()
    for seed in ("1", "2"):
        made.add(run_python(BUILD, str(tmp_path), "-1", PYTHONHASHSEED=seed))
        for path in (tmp_path / "bm25").glob("*"):
            path.unlink()
    assert len(made) == 1


def kill(folder: Path, stop: int) -> int:
    path = ":".join(filter(None, sys.path))
    command = [sys.executable, "-c", BUILD, str(folder), str(stop)]
    return subprocess.run(command, env={"PYTHONPATH": path}, capture_output=True, check=False).returncode


def test_a_build_that_is_killed_leaves_nothing_that_opens_and_goes_on(tmp_path: Path) -> None:
    made = store(tmp_path, Words(200).passages(100, 12))
    bm25.build(made, tmp_path / "expected")
    # Three chunks of 40, 40 and 20 passages; each tells twice, at its first passage and when it is whole, then the
    # merge tells once a chunk: the 3rd telling is inside the second chunk, the 8th inside the merge.
    for stop, whole in ((3, ["0000000000"]), (8, ["0000000000", "0000000040", "0000000080"])):
        assert kill(tmp_path, stop) == -signal.SIGKILL
        chunks = tmp_path / "bm25" / "chunks"
        assert sorted(path.parent.name for path in chunks.glob("*/manifest.json")) == whole
        with pytest.raises(DataError, match=r"bm25 is half-written: it has no manifest.json: build it anew with"):
            bm25.Index(tmp_path / "bm25")
    first = (tmp_path / "bm25" / "chunks" / "0000000000" / "manifest.json").stat().st_mtime_ns
    steps: list[int] = []

    def tell(done: int, total: int) -> None:
        steps.append(done)
        if done == 40:
            kept = (tmp_path / "bm25" / "chunks" / "0000000000" / "manifest.json").stat().st_mtime_ns
            assert kept == first

    bm25.build(made, tmp_path / "bm25", tell, chunk=40)
    assert steps == [40, 80, 100, 140, 180, 200]  # no passage was counted again
    assert files(tmp_path / "bm25") == files(tmp_path / "expected")


@pytest.mark.parametrize("damage", ["flipped", "cut", "other"])
def test_chunks_that_are_damaged_or_of_other_passages_are_made_again(tmp_path: Path, damage: str) -> None:
    made = store(tmp_path, Words(200).passages(100, 12))
    bm25.build(made, tmp_path / "expected")
    if damage == "other":
        store(tmp_path, Words(200, seed=1).passages(100, 12))
    assert kill(tmp_path, 8) == -signal.SIGKILL
    victim = tmp_path / "bm25" / "chunks" / "0000000040" / "docs.array"
    raw = victim.read_bytes()
    if damage == "flipped":
        victim.write_bytes(raw[:-2] + bytes([raw[-2] ^ 1]) + raw[-1:])
    elif damage == "cut":
        victim.write_bytes(raw[:-4])
    made = store(tmp_path, Words(200).passages(100, 12))
    bm25.build(made, tmp_path / "bm25", chunk=40)
    assert files(tmp_path / "bm25") == files(tmp_path / "expected")


def test_progress_counts_every_passage_twice(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    bm25.build(store(tmp_path), tmp_path / "bm25", lambda done, total: told.append((done, total)), chunk=4)
    assert told == [(0, 12), (4, 12), (4, 12), (6, 12), (10, 12), (12, 12)]


def test_a_corpus_of_stop_words_alone_can_be_searched(tmp_path: Path) -> None:
    made = store(tmp_path, [Passage("The", "of the"), Passage("a", "by it")])
    bm25.build(made, tmp_path / "bm25", chunk=1)
    held = bm25.open_index(tmp_path / "bm25", made)
    assert held.search("the unicorn") == []
    held.verify()


@pytest.mark.parametrize("chunk", [0, True, 1.5])
def test_a_chunk_of_nothing_is_a_callers_error(tmp_path: Path, chunk: int) -> None:
    with pytest.raises(ValueError, match="chunk must be an int of at least 1, not"):
        bm25.build(store(tmp_path), tmp_path / "bm25", chunk=chunk)


def test_postings_ascend_and_the_best_score_is_known(tmp_path: Path) -> None:
    made = store(tmp_path, SMALL)
    bm25.build(made, tmp_path / "bm25", chunk=2)
    held = bm25.open_index(tmp_path / "bm25")
    for word, holders in (("capital", [0, 4, 5]), ("portugal", [0, 2, 3]), ("maine", [5])):
        term = held._term(word)
        assert term is not None
        assert term.ids.tolist() == holders
        assert term.top == np.max(term.values)
