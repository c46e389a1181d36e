"""Public sets as worlds: the corpus of their passages, made in the cache folder when it is first needed."""

from __future__ import annotations

import errno
import json
import logging
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from wiki_folders import ADA, ADA_TEXT, golden, hotpot_item, kilt_item, lines, musique_item, page, two_wiki_item, write
from wiki_small import TASKS, corpus

from agentgym import data
from agentgym.envs.wiki_search import corpus as corpora
from agentgym.envs.wiki_search import sealed
from agentgym.envs.wiki_search.corpus import Passages, kept_corpus
from agentgym.envs.wiki_search.env import WikiSearchEnv
from agentgym.envs.wiki_search.passages import Passage, Store
from agentgym.errors import DataError

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AGENTGYM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(corpora, "_TEMPORARY", {})
    return tmp_path / "cache"


def hotpot(folder: Path) -> Path:
    items = [hotpot_item("a"), hotpot_item("b", context=[ADA, ["London", ["London lies on the Thames."]]])]
    return write(folder / "hotpot", {"hotpot_dev_x.json": json.dumps(items)})


def few(*texts: str, content: str = "few") -> Passages:
    return Passages(content, lambda: iter([Passage(text, text) for text in texts]))


def expert_solves(env: WikiSearchEnv, task: str) -> None:
    _, info = env.reset(seed=0, options={"task": task})
    over = False
    while not over:
        *_, terminated, truncated, info = env.step(info["expert"])
        over = terminated or truncated
    assert info["success"], (task, env.state)


def test_the_corpus_of_a_set_is_made_once(tmp_path: Path, cache: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = hotpot(tmp_path)
    with caplog.at_level(logging.INFO, logger="agentgym.envs.wiki_search.corpus"):
        env = WikiSearchEnv(data_dir=folder, signals=("expert",))
    assert [record.getMessage()[:32] for record in caplog.records] == [
        "making the corpus of hotpotqa in",
        "the corpus of hotpotqa is made",
    ]
    assert env.split == "dev" and len(env._library.store) == 4  # type: ignore[attr-defined]
    (made,) = (cache / "wiki_search").iterdir()
    assert made.name.startswith("hotpotqa-")
    caplog.clear()
    before = made.stat().st_mtime_ns, (made / "passages" / "manifest.json").stat().st_mtime_ns
    with caplog.at_level(logging.INFO):
        again = WikiSearchEnv(data_dir=folder)
    assert not caplog.records and again._library is env._library and again.base_hash == env.base_hash
    assert before == (made.stat().st_mtime_ns, (made / "passages" / "manifest.json").stat().st_mtime_ns)
    expert_solves(env, "a")
    env.reset(seed=0)
    assert ADA_TEXT in env.step("<search>Ada Lovelace</search>")[0]


def test_every_layout_with_passages_plays(tmp_path: Path) -> None:
    kilt = [kilt_item("k", ("London", ("Charles Babbage",)))]
    pages = [page("Charles Babbage", "He was born in London."), page("London", "It lies on the Thames.")]
    queries = lines({"_id": "q", "text": "born where", "metadata": {"answer": "London"}}, {"_id": "r", "text": "river"})
    folders = {
        "hotpot": {"hotpot_dev_x.json": json.dumps([hotpot_item("a")])},
        "musique": {"musique_dev.json": json.dumps([musique_item("a")])},
        "two": {"dev.json": json.dumps([two_wiki_item("a")])},
        "wiki18": {
            "wiki-18.jsonl": lines({"id": "0", "contents": '"Charles Babbage"\nHe was born in London.'}),
            "nq/test.jsonl": lines(golden("a")),
        },
        "kilt": {"x-dev-kilt.jsonl": lines(*kilt), "kilt_knowledgesource.json": lines(*pages)},
        "beir": {
            "corpus.jsonl": lines({"_id": "1", "title": "London", "text": "London lies on the river Thames."}),
            "queries.jsonl": queries,
            "qrels/test.tsv": "query-id\tcorpus-id\tscore\nq\t1\t1\nr\t1\t1\n",
        },
    }
    for name, files in folders.items():
        env = WikiSearchEnv(data_dir=write(tmp_path / name, files), signals=("expert",))
        for task in (task.id for split in env.panel for task in env.panel[split]):
            expert_solves(env, task)


def test_sets_without_passages_need_a_corpus(tmp_path: Path) -> None:
    folder = write(
        tmp_path / "nq", {"NQ-open.dev.jsonl": lines({"question": "where was Babbage born", "answer": ["London"]})}
    )
    with pytest.raises(DataError, match=r"the nq in .*nq brings no passages to search: give corpus=FOLDER"):
        WikiSearchEnv(data_dir=folder)
    env = WikiSearchEnv(data_dir=folder, corpus=corpus(tmp_path / "corpus"), signals=("expert",))
    expert_solves(env, env.panel["dev"][0].id)


def test_a_set_that_was_added_plays_by_its_name(tmp_path: Path) -> None:
    data.add("hotpotqa", hotpot(tmp_path), "mine")
    env = WikiSearchEnv(data="mine", signals=("expert",))
    expert_solves(env, "b")
    assert env.panel.name == "hotpotqa"
    with pytest.raises(ValueError, match="panel= and data= each say"):
        WikiSearchEnv(data="mine", panel="all")
    with pytest.raises(TypeError, match="data must be the name of a data set"):
        WikiSearchEnv(data=3)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="unknown data set 'mine2'"):
        WikiSearchEnv(data="mine2")


def test_who_comes_second_waits(cache: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    place = cache / "wiki_search" / "test-few"
    lock = sealed.builder(place)
    lock.__enter__()
    waits: list[float] = []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 3:
            lock.__exit__(None, None, None)

    monkeypatch.setattr(time, "sleep", sleep)
    with caplog.at_level(logging.INFO):
        assert kept_corpus(few("a"), "test") == place
    assert len(waits) == 3
    assert [record.getMessage().partition(",")[0] for record in caplog.records][:2] == [
        "waiting for another process",
        f"making the corpus of test in {place}",
    ]


def test_many_processes_at_once_make_one_corpus(tmp_path: Path, cache: Path) -> None:
    folder = hotpot(tmp_path)
    code = (
        "import logging, sys; logging.basicConfig(level=logging.INFO, stream=sys.stdout, format='%(message)s')\n"
        "from agentgym.envs.wiki_search.env import WikiSearchEnv\n"
        "env = WikiSearchEnv(data_dir=sys.argv[1]); print('HASH', env.base_hash)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", code, str(folder)]
    running = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    told = [process.communicate()[0] for process in running]
    assert [process.returncode for process in running] == [0, 0, 0]
    assert "".join(told).count("making the corpus") == 1
    assert len({line for text in told for line in text.splitlines() if line.startswith("HASH")}) == 1


def test_a_cache_that_cannot_be_written_is_replaced_for_this_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("AGENTGYM_CACHE", str(tmp_path / "file"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    with caplog.at_level(logging.WARNING):
        made = kept_corpus(few("a", "b"), "test")
    assert made.parent == tmp_path and "cannot be written" in caplog.text and str(made) in caplog.text
    caplog.clear()
    assert kept_corpus(few("a", "b"), "test") == made and not caplog.records


def test_a_full_disk_is_like_a_cache_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, cache: Path
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    keep, full = corpora.keep_index, [str(cache)]

    def filling(store: Store, folder: Path) -> Any:
        if str(folder).startswith(tuple(full)):
            raise OSError(errno.ENOSPC, "No space left on device")
        return keep(store, folder)

    monkeypatch.setattr(corpora, "keep_index", filling)
    with caplog.at_level(logging.WARNING):
        made = kept_corpus(few("a", "b"), "test")
    assert made.name.startswith("agentgym-corpus-") and "cannot be written (no space left on device)" in caplog.text
    full.append(str(tmp_path))  # the temporary folder too
    with pytest.raises(DataError, match=r"agentgym-corpus-.* cannot be written \(no space left on device\): make room"):
        kept_corpus(few("a", "b", content="more"), "test")


def test_the_temporary_corpus_goes_with_its_process_but_not_with_a_child(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    code = (
        "import os, sys\n"
        "from agentgym.envs.wiki_search.corpus import Passages, kept_corpus, open_corpus\n"
        "from agentgym.envs.wiki_search.passages import Passage\n"
        "made = kept_corpus(Passages('few', lambda: iter([Passage('a', 'b')])), 'test')\n"
        "child = os.fork()\n"
        "if child == 0: sys.exit(0)\n"
        "os.waitpid(child, 0)\n"
        "print(made.is_dir(), made)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "AGENTGYM_CACHE": str(tmp_path / "file")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    there, _, made = done.stdout.strip().partition(" ")
    assert there == "True" and not Path(made).exists()


def test_a_half_written_or_damaged_corpus_is_made_anew(cache: Path) -> None:
    made = kept_corpus(few("a", "b"), "test")
    (made / "bm25" / "manifest.json").unlink()
    assert kept_corpus(few("a", "b"), "test") == made
    corpora.open_corpus(made)
    (made / "passages" / "manifest.json").write_text("{}")
    assert len(corpora.open_corpus(kept_corpus(few("a", "b"), "test")).store) == 2


def test_what_reading_raises_is_raised(cache: Path) -> None:
    def broken() -> Any:
        yield Passage("a", "a")
        raise DataError("line 2 is broken")

    with pytest.raises(DataError, match="line 2 is broken"):
        kept_corpus(Passages("broken", broken), "test")
    with pytest.raises(DataError, match="no passage to keep"):
        kept_corpus(few(content="none"), "test")


def test_the_shipped_files_are_named_where_they_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    from agentgym.envs.wiki_search.shipped import panels

    monkeypatch.setattr(panels, "QUESTIONS", "nowhere.json.gz")
    panels.entries.cache_clear()
    with pytest.raises(DataError, match=r"the shipped file .*nowhere\.json\.gz is missing: install agentgym anew"):
        panels.splits("all")
    with pytest.raises(ValueError, match="unknown panel 'bridges' of wiki_search"):
        panels.splits("bridges")
    splits = ("train", "dev", "test", *("train", "dev", "test") * 2, "train")
    kept = [{"id": task.id, "split": split, **task.data} for task, split in zip(TASKS, splits, strict=True)]
    monkeypatch.setattr(panels, "entries", lambda: kept)
    assert {split: len(found) for split, found in panels.splits("all").items()} == {"train": 4, "dev": 3, "test": 3}
    assert [task.id for found in panels.splits("comparison").values() for task in found] == ["engineers", "rivers"]
