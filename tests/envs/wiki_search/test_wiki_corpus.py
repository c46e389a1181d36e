import gzip
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentgym import data
from agentgym.cli import main
from agentgym.envs.wiki_search import corpus
from agentgym.envs.wiki_search.passages import Passage
from agentgym.errors import DataError
from tests.corpora import SMALL, Words


def write(path: Path, *lines: object) -> Path:
    path.write_text("".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


def small(path: Path) -> Path:
    return write(path, *({"title": p.title, "text": p.text} for p in SMALL))


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTGYM_CACHE", str(tmp_path / "cache"))


def test_lines_are_read_in_each_of_their_forms(tmp_path: Path) -> None:
    wrong: list[str] = []
    file = write(
        tmp_path / "f.jsonl",
        {"title": "A", "text": "alpha"},
        {"id": "0", "contents": '"B"\nbeta\nand more'},
        {"_id": "7", "title": "C", "text": "gamma", "metadata": {}},
        "not json\n",
        {"title": "D", "text": ""},
        "\n",
        {"contents": 3},
    )
    found = [Passage("A", "alpha"), Passage("B", "beta\nand more"), Passage("C", "gamma"), Passage("", "")]
    assert list(corpus.file_source(file, wrong.append).read()) == found
    assert [text.partition("f.jsonl, ")[2][:24] for text in wrong] == [
        "line 4: this is no JSON ",
        "line 5: it has no text, ",
        "line 7: it is {'contents",
    ]
    packed = tmp_path / "f.jsonl.gz"
    packed.write_bytes(gzip.compress(file.read_bytes()))
    assert list(corpus.file_source(packed).read()) == found


def test_a_file_that_cannot_be_read_to_its_end_makes_no_corpus(tmp_path: Path) -> None:
    packed = tmp_path / "f.jsonl.gz"
    packed.write_bytes(gzip.compress(small(tmp_path / "f.jsonl").read_bytes())[:-9])
    with pytest.raises(DataError, match=r"f.jsonl.gz, after line \d+: it cannot be read .*; download it again"):
        corpus.keep_store(corpus.file_source(packed), tmp_path / "out")
    with pytest.raises(DataError, match="passages is half-written"):
        corpus.open_corpus(tmp_path / "out")
    with pytest.raises(DataError, match=r"nothing cannot be read \(no such file or directory\): give a file"):
        corpus.file_source(tmp_path / "nothing")


def test_the_command_makes_a_corpus_and_says_what_it_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    same, blank = {"title": SMALL[0].title, "text": SMALL[0].text}, {"title": "Nowhere", "text": " "}
    lines = [{"title": p.title, "text": p.text} for p in SMALL]
    file = write(tmp_path / "f.jsonl", *lines, same, *["bad\n"] * 19, blank, blank, "bad\n", same)
    out = tmp_path / "out"
    assert main(["data", "index", "--from", str(file), "--out", str(out)]) == 0
    said = capsys.readouterr()
    shown = said.out.splitlines()
    assert len(shown) == 22
    assert shown[0] == f"{file}, line 8: this is no JSON (Expecting value: line 1 column 1 (char 0)); download it again"
    assert shown[19] == f"{file}, line 27: it has no text, only the title 'Nowhere'; give it one, or leave it out"
    assert shown[20] == "… and 2 more lines"
    made = corpus.open_corpus(out)
    left = "left out: 2 repeated, 2 empty, 20 bad lines"
    assert shown[21] == f"{out}: 6 passages ({left}), content {made.store.content}, index {made.index.content}"
    assert said.err.splitlines()[-1] == "step 12 of 12"
    assert main(["data", "index", "--from", str(file), "--out", str(out)]) == 0  # again: nothing is read, all is known
    assert "6 passages (left out: 2 repeated, 2 empty), content" in capsys.readouterr().out
    assert [place for place, _ in made.index.search("Madrid")] == [4]


def test_what_is_there_is_kept_and_what_changed_is_made_anew(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = small(tmp_path / "f.jsonl"), tmp_path / "out"

    def run() -> dict[str, int]:
        assert main(["data", "index", "--from", str(file), "--out", str(out)]) == 0
        return {part: (out / part / "manifest.json").stat().st_mtime_ns for part in ("passages", "bm25")}

    first = run()
    assert run() == first
    (out / "bm25" / "docs.array").write_bytes(b"")
    second = run()
    assert second["passages"] == first["passages"] and second["bm25"] != first["bm25"]
    write(file, {"title": "New", "text": "Other words."})
    third = run()
    assert third["passages"] != first["passages"] and third["bm25"] != second["bm25"]
    assert list(corpus.open_corpus(out).store) == [Passage("New", "Other words.")]
    assert "1 passages (left out: 0 repeated, 0 empty), content" in capsys.readouterr().out


def test_a_set_that_was_added_is_indexed_by_its_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    item = {
        "_id": "q1",
        "question": "Where does the Tagus end?",
        "answer": "near Lisbon",
        "supporting_facts": [["Tagus", 0]],
        "context": [["Tagus", ["It rises in Spain.", "It ends near Lisbon."]], ["Porto", ["A city."]]],
    }
    folder = tmp_path / "hotpot"
    folder.mkdir()
    (folder / "hotpot_dev_distractor_v1.json").write_text(json.dumps([item, {**item, "_id": "q2"}]), "utf-8")
    data.add("hotpotqa", folder, name="mine")
    out = str(tmp_path / "out")
    assert main(["data", "index", "mine", "--out", out]) == 0
    assert "2 passages (left out: 2 repeated, 0 empty)" in capsys.readouterr().out
    assert list(corpus.open_corpus(out).store) == [
        Passage("Tagus", "It rises in Spain. It ends near Lisbon."),
        Passage("Porto", "A city."),
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["data", "index", "--out", "x"], "give the name of a set or --from FILE, not neither"),
        (["data", "index", "a", "--from", "b", "--out", "x"], "give the name of a set or --from FILE, not both"),
        (["data", "index", "nobody", "--out", "x"], "unknown data set 'nobody'"),
        (["data", "index", "--from", "nothing.jsonl", "--out", "x"], "nothing.jsonl cannot be read"),
    ],
)
def test_what_names_no_passages_is_refused(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) != 0
    assert message in capsys.readouterr().err


KILLED = """
import os, signal, sys
from agentgym import cli
from agentgym.envs.wiki_search import bm25_build

bm25_build.build.__defaults__ = (None, 40)
steps, tell = 0, cli._Progress.__call__
def killing(self, done, total):
    global steps
    steps += 1
    if steps == int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)
    tell(self, done, total)
cli._Progress.__call__ = killing
sys.exit(cli.main(["data", "index", "--from", sys.argv[1], "--out", sys.argv[2]]))
"""


def test_a_killed_command_leaves_nothing_that_opens_and_goes_on(tmp_path: Path) -> None:
    passages: Iterator[Passage] = Words(300).passages(5_000, 5)
    file = write(tmp_path / "f.jsonl", *({"title": p.title, "text": p.text} for p in passages))
    out = tmp_path / "out"
    env = {"PYTHONPATH": ":".join(filter(None, sys.path)), "AGENTGYM_CACHE": str(tmp_path / "cache")}

    def run(stop: int) -> int:
        command = [sys.executable, "-c", KILLED, str(file), str(out), str(stop)]
        return subprocess.run(command, env=env, capture_output=True, check=False).returncode

    # The first telling comes after 4,096 passages were read, the others while words are counted, two a chunk of 40.
    assert run(1) == -signal.SIGKILL
    with pytest.raises(DataError, match="passages is half-written"):
        corpus.open_corpus(out)
    assert run(8) == -signal.SIGKILL
    with pytest.raises(DataError, match="bm25 is half-written"):
        corpus.open_corpus(out)
    written = (out / "passages" / "manifest.json").stat().st_mtime_ns
    assert len(list(out.glob("bm25/chunks/*/manifest.json"))) == 3
    assert run(0) == 0
    assert (out / "passages" / "manifest.json").stat().st_mtime_ns == written
    assert main(["data", "index", "--from", str(file), "--out", str(tmp_path / "whole")]) == 0
    made, whole = corpus.open_corpus(out), corpus.open_corpus(tmp_path / "whole")
    assert (made.store.content, made.index.content) == (whole.store.content, whole.index.content)
